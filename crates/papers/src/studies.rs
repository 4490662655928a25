//! Which paper.

use crate::arguments::Papers;
use crate::control::Control;
use crate::document::Delivered;
use crate::error::PapersError;
use crate::{adders, all, emulator, fft, integer_ring, multiplier};

/// Reproduces the tables of one paper.
///
/// # Errors
/// [`PapersError`]. A study that was stopped is none: what it measured is [`Delivered`].
pub fn papers(arguments: &Papers, control: &Control) -> Result<Delivered, PapersError> {
    match arguments {
        Papers::Adders(arguments) => adders::adders(arguments, control),
        Papers::Emulator(arguments) => emulator::emulator(arguments, control),
        Papers::All(arguments) => all::all(arguments, control),
        Papers::Fft(arguments) => fft::fft(arguments, control),
        Papers::IntegerRing(arguments) => integer_ring::integer_ring(arguments, control),
        Papers::Multiplier(arguments) => multiplier::multiplier(arguments, control),
    }
}
