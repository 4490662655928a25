//! The `blindcore` command: generate keys, plan, encrypt, run, decrypt, look into files.
//!
//! A thin face over the other crates: it reads arguments and files, calls, and prints. Each command
//! is one module under `commands`; [`arguments`] is the one table from which parsing, help and
//! errors of the command line come. It is a library only so that fuzzing and tests reach the
//! parsers of values; nothing else imports it.

#![forbid(unsafe_code)]

pub mod arguments;
mod commands;
pub mod failure;
mod hardening;
mod interrupt;
mod passphrase;
mod progress;

use std::process::ExitCode;
use std::sync::Arc;

use clap::Parser;
use clap::error::ErrorKind;

use crate::arguments::{Command, CommandLine};
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Runs the command that the arguments ask for.
pub fn main() -> ExitCode {
    let done = match CommandLine::try_parse() {
        Ok(line) => execute(line.command),
        // Help and version, which were asked for, are errors to the parser.
        Err(asked) if !asked.use_stderr() => asked.exit(),
        // Without a command there is nothing to complain of yet.
        Err(help) if help.kind() == ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand => {
            help.exit()
        }
        Err(error) => Err(Failure::usage(&error)),
    };
    // Keys that were opened since they were read.
    hardening::report_unlocked_memory();
    match done {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Commands that write files listen for Ctrl-C; those that only compute end at the first one.
fn execute(command: Command) -> Result<(), Failure> {
    match command {
        Command::Keygen(arguments) => commands::keygen(&arguments, &Interrupt::listen()?),
        Command::Key(asked) => commands::key(&asked, &Interrupt::listen()?),
        Command::Cc(arguments) => Interrupt::at_once().and_then(|()| commands::cc(&arguments)),
        Command::Plan(arguments) => Interrupt::at_once().and_then(|()| commands::plan(&arguments)),
        Command::Profile(arguments) => {
            Interrupt::at_once().and_then(|()| commands::profile(&arguments))
        }
        Command::Check(arguments) => {
            Interrupt::at_once().and_then(|()| commands::check(&arguments))
        }
        Command::Encrypt(arguments) => commands::encrypt(&arguments, &Interrupt::listen()?),
        Command::Run(arguments) => commands::run(&arguments, &Interrupt::listen()?),
        Command::Decrypt(arguments) => commands::decrypt(&arguments),
        Command::Inspect(arguments) => commands::inspect(&arguments),
        Command::Symbols(arguments) => commands::symbols(&arguments),
        Command::Disasm(arguments) => commands::disasm(&arguments),
        Command::Assembly(arguments) => commands::assembly(&arguments),
        Command::Demo(arguments) => commands::demo(&arguments, &Interrupt::listen()?),
        Command::Params(arguments) => commands::params(&arguments),
        Command::Fft(arguments) => commands::fft(&arguments),
        Command::Multiply(arguments) => commands::multiply(&arguments),
        Command::Serve(arguments) => commands::serve(&arguments),
        Command::Worker(arguments) => commands::worker(&arguments, &Interrupt::listen()?),
        Command::Submit(arguments) => commands::submit(&arguments, &Interrupt::listen()?),
        Command::Attend(arguments) => commands::attend(&arguments, &Interrupt::listen()?),
        Command::Status(arguments) => commands::status(&arguments, &Interrupt::listen()?),
        Command::Fetch(arguments) => commands::fetch(&arguments, &Interrupt::listen()?),
        Command::Cancel(arguments) => commands::cancel(&arguments, &Interrupt::listen()?),
        Command::Jobs(arguments) => commands::jobs(&arguments, &Interrupt::listen()?),
        Command::Top(arguments) => commands::top(&arguments, &Interrupt::listen()?),
        Command::Admin(asked) => commands::admin(&asked, &Interrupt::listen()?),
        Command::Tls(arguments) => commands::tls(&arguments),
        Command::Token(arguments) => commands::token(&arguments),
        Command::Completions(arguments) => commands::completions(&arguments),
        Command::Man(arguments) => commands::man(&arguments),
        Command::Circuit(arguments) => commands::circuit(&arguments),
        Command::Circuits(arguments) => {
            commands::circuits(&arguments, &Arc::new(Interrupt::listen()?))
        }
        Command::Papers(arguments) => commands::papers(&arguments, &Arc::new(Interrupt::listen()?)),
        Command::Scale(arguments) => commands::scale(&arguments, &Arc::new(Interrupt::listen()?)),
    }
}
