//! ARM's condition flags of a result that is already there.
//!
//! N is the result's top bit and C the carry, for nothing. Z is an OR of all bits, inverted: n − 1
//! gates at depth ⌈log₂n⌉, or ⌈n/15⌉ lookups and one more. V says that operands of one sign have a
//! sum of the other: `(a ⊕ s)(b ⊕ s)`, three gates at depth 2, one of them an AND, or one lookup.
//! Who adds and asks for flags at once takes carry and overflow from the adder
//! ([`add_with_carry`](crate::library::add_with_carry)), which knows the carry into the top column.
//!
//! [`overflow_in_two_products`] is the papers' form, `ā·b̄·s + a·b·s̄`: five gates at depth 3.
//!
//! Source: ARM Architecture Reference Manual ARMv7-A, A2.2.1 (AddWithCarry); X. Gong, D. Negrut,
//! CryptoEmu, 2020, §VI-A.

use super::equality::is_zero;
use crate::{Builder, Wire};

/// ARM's condition flags.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Flags {
    /// N: the result is negative.
    pub negative: Wire,
    /// Z: the result is zero.
    pub zero: Wire,
    /// C: carry out, or nothing borrowed.
    pub carry: Wire,
    /// V: the signed result does not fit.
    pub overflow: Wire,
}

/// The flags of `result`, the sum of `x` and `y` with that carry out. For a difference `x − y` the
/// second operand is `¬y`.
///
/// ```
/// use blindcore_circuits::library::{self, Flags, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// // 100 + 100 in eight bits is negative, and does not fit.
/// let x = constant(100, 8);
/// let sum = library::add_with_carry(b, &x, &x, Wire::FALSE);
/// let expected = Flags {
///     negative: Wire::TRUE,
///     zero: Wire::FALSE,
///     carry: Wire::FALSE,
///     overflow: Wire::TRUE,
/// };
/// assert_eq!(library::flags(b, &x, &x, &sum.sum, sum.carry), expected);
/// ```
pub fn flags(b: &mut Builder, x: &[Wire], y: &[Wire], result: &[Wire], carry: Wire) -> Flags {
    let [x, y, negative] = [x, y, result].map(sign);
    // Where lookups are native the mapping pass finds one for the three gates, beside other work.
    let (from_x, from_y) = (b.xor(x, negative), b.xor(y, negative));
    let overflow = b.and(from_x, from_y);
    Flags {
        negative,
        zero: is_zero(b, result),
        carry,
        overflow,
    }
}

/// V by the papers' formula, of the signs of both operands and of the result.
pub(in crate::library) fn overflow_in_two_products(
    b: &mut Builder,
    x: Wire,
    y: Wire,
    result: Wire,
) -> Wire {
    let (both, neither) = (b.and(x, y), b.and(!x, !y));
    let (lost, made) = (b.and(both, !result), b.and(neither, result));
    b.or(made, lost)
}

/// A word's top bit.
fn sign(word: &[Wire]) -> Wire {
    word.last().copied().unwrap_or(Wire::FALSE)
}
