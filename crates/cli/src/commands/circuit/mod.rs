//! `blindcore circuit`: circuit files of any origin, evaluated, described and converted.

mod build;
mod describe;
mod encrypt;
mod evaluate;
mod file;
mod remote;
mod run;
mod words;

use crate::arguments::Circuit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Does what is asked of a circuit. What computes long or writes files heeds Ctrl-C.
pub(crate) fn circuit(arguments: &Circuit) -> Result<(), Failure> {
    match arguments {
        Circuit::Run(arguments) => run::run(arguments, &Interrupt::listen()?),
        Circuit::Encrypt(arguments) => encrypt::encrypt(arguments, &Interrupt::listen()?),
        Circuit::Inspect(arguments) => describe::inspect(arguments),
        Circuit::Convert(arguments) => build::convert(arguments, &Interrupt::listen()?),
        Circuit::Build(arguments) => build::build(arguments, &Interrupt::listen()?),
    }
}
