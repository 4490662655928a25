//! Gates on words, bit by bit.
//!
//! One gate for each bit that is not clear, at depth 1; where lookups are native, the mapping pass
//! puts two bit positions into each: `t = (a₀ + b₀) + 3(a₁ + b₁)`, n/2 lookups for n bits.

use super::word::Word;
use crate::{Builder, Wire};

/// `x ∧ y`, bit by bit.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let (x, y) = (constant(0b1100, 4), constant(0b1010, 4));
/// assert_eq!(library::and(b, &x, &y), constant(0b1000, 4));
/// assert_eq!(library::or(b, &x, &y), constant(0b1110, 4));
/// assert_eq!(library::xor(b, &x, &y), constant(0b0110, 4));
/// assert_eq!(library::and_not(b, &x, &y), constant(0b0100, 4));
/// assert_eq!(library::or_not(b, &x, &y), constant(0b1101, 4));
/// assert_eq!(library::not(&x), constant(0b0011, 4));
/// ```
pub fn and(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    x.iter().zip(y).map(|(&x, &y)| b.and(x, y)).collect()
}

/// `x ∨ y`, bit by bit.
pub fn or(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    x.iter().zip(y).map(|(&x, &y)| b.or(x, y)).collect()
}

/// `x ⊕ y`, bit by bit.
pub fn xor(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    x.iter().zip(y).map(|(&x, &y)| b.xor(x, y)).collect()
}

/// `¬x`, bit by bit: free.
#[must_use]
pub fn not(x: &[Wire]) -> Word {
    x.iter().map(|&x| !x).collect()
}

/// `x ∨ ¬y`, bit by bit (ORN).
pub fn or_not(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    or(b, x, &not(y))
}

/// `x ∧ ¬y`, bit by bit (BIC): the bits of x that y does not clear.
pub fn and_not(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    and(b, x, &not(y))
}
