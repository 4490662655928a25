//! What parameters of BGV are chosen by.

use std::path::PathBuf;

use clap::Args;

use session::program::Call;

/// Parameters of BGV: named, by depth, or by the program that is to run.
#[derive(Debug, Default, Args)]
#[group(id = "levelled")]
pub struct Levelled {
    /// Parameters that the depth of this program asks for (BGV), an A32 ELF or HE assembly
    #[arg(long, value_name = "PROGRAM", conflicts_with_all = ["depth", "parameters"])]
    pub program: Option<PathBuf>,
    /// The program's secret variables by NAME[:TYPE], public ones as NAME=VALUE
    #[arg(value_name = "NAME|NAME=VALUE", requires = "program")]
    pub variables: Vec<String>,
    /// The call that the program is to make, as in `plan`
    #[arg(long, value_name = "'F(17, &TABLE, AGE)'", requires = "program")]
    pub call: Option<Call>,
    /// Parameters for circuits of this many ANDs in a row (BGV)
    #[arg(long, value_name = "N", conflicts_with = "parameters", value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub depth: Option<u32>,
    /// Parameters by the name that `plan --engine bgv` prints (BGV)
    #[arg(long, value_name = "NAME")]
    pub parameters: Option<String>,
    /// Rows of values that one run is to serve at least, as far as there are slots for them (BGV)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,
}

impl Levelled {
    /// A flag that was given, whichever.
    pub fn given(&self) -> Option<&'static str> {
        let flags = [
            ("--program", self.program.is_some()),
            ("--depth", self.depth.is_some()),
            ("--parameters", self.parameters.is_some()),
            ("--rows", self.rows.is_some()),
        ];
        flags.iter().find(|flag| flag.1).map(|flag| flag.0)
    }
}
