//! `blindcore profile`.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use papers::arguments::{processor, thread_count};

use super::{Execution, Forced, Set, VALUES_HELP};

/// `blindcore profile`
#[derive(Debug, Args)]
#[command(after_help = VALUES_HELP)]
pub struct Profile {
    /// The program, an A32 ELF, C or HE assembly
    pub program: PathBuf,
    /// Secret variables by NAME[:TYPE], public ones as NAME=VALUE
    #[arg(value_name = "NAME|NAME=VALUE")]
    pub variables: Vec<String>,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// Print the source with the bootstraps of each line beside it
    #[arg(long, conflicts_with = "json")]
    pub annotate: bool,
    /// Write a flame graph of call stacks, a picture for a browser
    #[arg(long, value_name = "FILE.svg")]
    pub flame: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "flame")]
    pub force: bool,
    /// Functions, lines and hints that are listed, at most
    #[arg(long, value_name = "N", default_value_t = 20)]
    pub top: usize,
    /// Parameter set
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Threads of the run, at most 1024: circuits are drawn for them (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// For a server without the selector key (NAME.selectors): by lookups alone
    #[arg(long)]
    pub no_selectors: bool,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}
