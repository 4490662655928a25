//! `blindcore papers`: the tables of papers as commands. One module for each paper, and one for the
//! report that all of them end in.

mod fft;
mod report;

use crate::arguments::Papers;
use crate::failure::Failure;
use crate::interrupt::Interrupt;

/// Reproduces the tables of one paper.
pub(crate) fn papers(arguments: &Papers, interrupt: &Interrupt) -> Result<(), Failure> {
    match arguments {
        Papers::Fft(arguments) => fft::fft(arguments, interrupt),
    }
}
