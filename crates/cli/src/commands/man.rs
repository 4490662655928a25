//! `blindcore man`: a manual page for every command, from the table that the help comes from.

use std::fs;
use std::path::Path;

use clap::{Command, CommandFactory};
use clap_mangen::Man;

use super::{internal, print};
use crate::arguments::{self, CommandLine};
use crate::failure::Failure;

/// Writes `blindcore.1`, and `blindcore-COMMAND.1` for every command and what it consists of.
pub(crate) fn man(arguments: &arguments::Man) -> Result<(), Failure> {
    let folder = &arguments.out;
    fs::create_dir_all(folder).map_err(|error| Failure::io(folder, "create", &error))?;
    let mut command = CommandLine::command().disable_help_subcommand(true);
    command.build();
    let written = pages(&command, "blindcore", folder)?;
    print(&format!("{}: {written} pages\n", folder.display()))
}

/// Writes the page of a command and those of its own commands; gives their number.
fn pages(command: &Command, name: &str, folder: &Path) -> Result<usize, Failure> {
    let mut page = Vec::new();
    // A page is called as the file is; its synopsis has the command as it is typed.
    let titled = command.clone().display_name(name.to_owned());
    let version = concat!("blindcore ", env!("CARGO_PKG_VERSION"));
    let man = Man::new(titled).title(name).source(version);
    let man = man.manual("Blindcore");
    man.render(&mut page).map_err(internal)?;
    let path = folder.join(format!("{name}.1"));
    fs::write(&path, page).map_err(|error| Failure::io(&path, "write", &error))?;
    let mut written = 1;
    for own in command.get_subcommands() {
        written += pages(own, &format!("{name}-{}", own.get_name()), folder)?;
    }
    Ok(written)
}
