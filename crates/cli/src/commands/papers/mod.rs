//! `blindcore papers`: the tables of papers as commands. One module for each paper, and one for the
//! report that all of them end in.

mod adders;
mod all;
pub(super) mod bench;
pub(super) mod document;
mod emulator;
mod fft;
mod integer_ring;
mod multiplier;
pub(super) mod report;

use crate::arguments::Papers;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Reproduces the tables of one paper.
pub(crate) fn papers(arguments: &Papers, interrupt: &Interrupt) -> Result<(), Failure> {
    match arguments {
        Papers::Adders(arguments) => adders::adders(arguments, interrupt),
        Papers::Emulator(arguments) => emulator::emulator(arguments, interrupt),
        Papers::All(arguments) => all::all(arguments, interrupt),
        Papers::Fft(arguments) => fft::fft(arguments, interrupt),
        Papers::IntegerRing(arguments) => integer_ring::integer_ring(arguments, interrupt),
        Papers::Multiplier(arguments) => multiplier::multiplier(arguments, interrupt),
    }
}
