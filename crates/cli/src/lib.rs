//! The `blindcore` command: generate keys, plan, encrypt, run, decrypt, look into files.
//!
//! A thin face over the other crates: it reads arguments and files, calls, and prints. Each command
//! is one module under [`commands`]; [`arguments`] is the one table from which parsing, help and
//! errors of the command line come. It is a library only so that fuzzing and tests reach the
//! parsers of values; nothing else imports it.

#![forbid(unsafe_code)]

pub mod arguments;
pub mod call;
mod commands;
mod engine;
pub mod failure;
mod interrupt;
mod progress;
mod subject;
pub mod values;

use std::process::ExitCode;

use clap::Parser;

use crate::arguments::{Command, CommandLine};

/// Runs the command that the arguments ask for.
pub fn main() -> ExitCode {
    let done = match CommandLine::parse().command {
        Command::Keygen(arguments) => commands::keygen(&arguments),
        Command::Plan(arguments) => commands::plan(&arguments),
        Command::Encrypt(arguments) => commands::encrypt(&arguments),
        Command::Run(arguments) => commands::run(&arguments),
        Command::Decrypt(arguments) => commands::decrypt(&arguments),
        Command::Inspect(arguments) => commands::inspect(&arguments),
        Command::Disasm(arguments) => commands::disasm(&arguments),
        Command::Demo(arguments) => commands::demo(&arguments),
    };
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}
