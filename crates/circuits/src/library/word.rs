//! Words: what units take and give.

use crate::Wire;

/// Bits, least significant first.
///
/// ```
/// use blindcore_circuits::library::{self, Word, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let mut b = Builder::new(&Profile::lookup_simulation());
/// let clear: Word = constant(0b110, 3);
/// assert_eq!(clear, [Wire::FALSE, Wire::TRUE, Wire::TRUE]);
/// // Whatever is clear folds: a unit on clear words is a calculator.
/// let product = library::multiply(&mut b, &constant(6, 8), &constant(7, 8));
/// assert_eq!(product, constant(42, 8));
/// // In part, too: only the masked bits are secret.
/// let secret: Word = b.inputs(8);
/// let masked = library::and(&mut b, &secret, &constant(0b11, 8));
/// assert!(masked[2..].iter().all(|bit| bit.as_constant() == Some(false)));
/// ```
pub type Word = Vec<Wire>;

/// Whether a word's top bit counts negatively.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Signedness {
    /// Values from 0 to 2ⁿ − 1.
    Unsigned,
    /// Two's complement.
    Signed,
}

/// The word of a clear value: bits beyond the 64th are 0.
#[must_use]
pub fn constant(value: u64, width: usize) -> Word {
    (0..width)
        .map(|at| Wire::constant(at < 64 && value >> at & 1 == 1))
        .collect()
}

/// The clear value of a word of up to 127 constant wires.
pub(super) fn clear_value(word: &[Wire]) -> Option<u128> {
    if word.len() > 127 {
        return None;
    }
    word.iter().rev().try_fold(0, |value, bit| {
        Some(value << 1 | u128::from(bit.as_constant()?))
    })
}
