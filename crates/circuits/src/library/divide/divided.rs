//! What a division leaves.

use crate::architectures::Adder;
use crate::library::add::add_with;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// A quotient and its remainder.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Divided {
    /// `x / y`, 0 where y is 0.
    pub quotient: Word,
    /// `x − y·quotient`.
    pub remainder: Word,
}

/// What the papers' dividers end with: the remainder made positive, which is an addition that is
/// dropped where nobody reads it; and 0 for a quotient by 0, where they leave ones (and x as the
/// remainder, as ARM wants it).
pub(super) fn settle(
    b: &mut Builder,
    adder: Adder,
    y: &[Wire],
    divides: Wire,
    quotient: &[Wire],
    rest: &[Wire],
) -> Divided {
    let (&negative, low) = rest.split_last().unwrap_or((&Wire::FALSE, &[]));
    let back: Word = y.iter().map(|&bit| b.and(negative, bit)).collect();
    Divided {
        quotient: quotient.iter().map(|&bit| b.and(bit, divides)).collect(),
        remainder: add_with(b, adder, low, &back, Wire::FALSE).sum,
    }
}
