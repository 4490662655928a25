//! `blindcore circuit`: circuit files of any origin, evaluated, described and converted.

mod build;
mod describe;
mod encrypt;
mod file;
mod remote;
mod run;

use std::num::NonZeroUsize;

use circuits::Profile;
use tfhe::Parameters;

use crate::arguments::Circuit;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Does what is asked of a circuit. Ctrl-C is taken over where ciphertexts are computed or files
/// are written; before that, while a circuit is read, drawn or mapped, it ends the process.
pub(crate) fn circuit(arguments: &Circuit) -> Result<(), Failure> {
    match arguments {
        Circuit::Run(arguments) => run::run(arguments),
        Circuit::Encrypt(arguments) => encrypt::encrypt(arguments, &Interrupt::listen()?),
        Circuit::Inspect(arguments) => describe::inspect(arguments),
        Circuit::Convert(arguments) => build::convert(arguments),
        Circuit::Build(arguments) => build::build(arguments),
    }
}

/// What a parameter set's engine is like on `threads` threads.
fn profile(parameters: &Parameters, threads: NonZeroUsize) -> Profile {
    engines::tfhe_lookup::profile(parameters).with_cores(threads.get())
}
