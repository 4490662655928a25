//! `blindcore cc`: from C to a program.

use std::path::PathBuf;

use clap::Args;

use super::{Execution, Forced};

/// Where the library and the way of choosing are explained, for help texts.
const C_HELP: &str = "\
Compilers, in the order in which they are looked for: --compiler, $BLINDCORE_CC, arm-none-eabi-gcc,
clang with ld.lld, zig, the Python package ziglang (pip install ziglang). docs/c.md tells what C can
do here. Every command that takes a program takes a C file as well.";

/// `blindcore cc`
#[derive(Debug, Args)]
#[command(after_help = C_HELP)]
pub struct Cc {
    /// C sources; secret variables by NAME[:TYPE] and public ones as NAME=VALUE, to choose by
    #[arg(required = true, value_name = "FILE.c|NAME|NAME=VALUE")]
    pub words: Vec<String>,
    /// Write the program here
    #[arg(short, long, value_name = "FILE")]
    pub out: PathBuf,
    /// Optimise like this (1, 2, 3, s, z), without looking for what costs least
    #[arg(short = 'O', value_name = "LEVEL")]
    pub level: Option<String>,
    /// Look for headers here, repeatable
    #[arg(short = 'I', value_name = "DIR")]
    pub include: Vec<PathBuf>,
    /// Define a macro, repeatable
    #[arg(short = 'D', value_name = "NAME[=VALUE]")]
    pub define: Vec<String>,
    /// Forget a macro, repeatable
    #[arg(short = 'U', value_name = "NAME")]
    pub undefine: Vec<String>,
    /// A warning of the compiler's, such as all or no-unused, repeatable
    #[arg(short = 'W', value_name = "WARNING")]
    pub warning: Vec<String>,
    /// A flag of the compiler's, such as signed-char, repeatable
    #[arg(short = 'f', value_name = "FLAG", allow_hyphen_values = true)]
    pub flag: Vec<String>,
    /// The language: c99, c11, gnu17
    #[arg(long, value_name = "STANDARD")]
    pub std: Option<String>,
    /// The same as compilers take it: `-std=c11`.
    #[arg(short = 's', hide = true, value_parser = standard, conflicts_with = "std")]
    pub short_std: Option<String>,
    /// The compiler: a path, a name, or words such as 'python3 -m ziglang'
    #[arg(long, value_name = "PATH")]
    pub compiler: Option<String>,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// For a server without the selector key (NAME.selectors): by lookups alone
    #[arg(long)]
    pub no_selectors: bool,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}

/// What follows the first letter of `-std=c11`.
fn standard(text: &str) -> Result<String, String> {
    let standard = text.strip_prefix("td=");
    let standard = standard.ok_or_else(|| format!("-s{text} is no flag; -std=c11 is one"))?;
    Ok(standard.to_owned())
}
