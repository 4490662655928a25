//! `blindcore completions`: from the same table as parsing and help.

use clap::CommandFactory;

use super::print;
use crate::arguments::{CommandLine, Completions};
use crate::failure::Failure;

/// Prints the script.
pub(crate) fn completions(arguments: &Completions) -> Result<(), Failure> {
    let mut script = Vec::new();
    let mut table = CommandLine::command();
    clap_complete::generate(arguments.shell, &mut table, "blindcore", &mut script);
    print(&String::from_utf8_lossy(&script))
}
