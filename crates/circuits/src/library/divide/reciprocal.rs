//! Division by a clear number: multiplication by its reciprocal.
//!
//! With `s = ⌈log₂d⌉` and `m = ⌈2ⁿ⁺ˢ/d⌉`, `⌊x/d⌋ = ⌊x·m / 2ⁿ⁺ˢ⌋` for all x below 2ⁿ, and m has
//! n + 1 bits. The product with a clear factor is a sum of shifted copies, about n/3 of them, so
//! that a division of 32 bits takes some 60 lookups instead of 430.
//!
//! Source: T. Granlund and P. L. Montgomery, Division by invariant integers using multiplication,
//! PLDI 1994, theorem 4.2.

use super::divided::Divided;
use crate::library::columns::Columns;
use crate::library::multiply::by_constant::copies;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// The widest dividend whose reciprocal is computed in 128 bits.
pub(super) const WIDEST: usize = 63;

/// The bits of x below its clear zeros at the top, which make the reciprocal shorter.
fn significant(x: &[Wire]) -> usize {
    let zeros = x.iter().rev().take_while(|&&bit| bit == Wire::FALSE);
    x.len() - zeros.count()
}

/// What x is multiplied by.
pub(super) fn factor(x: &[Wire], divisor: u128) -> u128 {
    (1u128 << (significant(x) + shift_of(divisor))).div_ceil(divisor)
}

/// The bits below the quotient beside as many as x has.
fn shift_of(divisor: u128) -> usize {
    divisor.ilog2() as usize + 1
}

/// `x / divisor` for a divisor below 2ⁿ that is neither 0 nor a power of two.
pub(super) fn divide(b: &mut Builder, x: &[Wire], divisor: u128) -> Divided {
    let n = x.len();
    let (secret, shift) = (significant(x), shift_of(divisor));
    let factor = factor(x, divisor);
    let mut product = Columns::new(2 * secret + 1);
    copies(
        &mut product,
        Signedness::Unsigned,
        &x[..secret],
        factor,
        secret + 1,
        false,
    );
    let mut quotient: Word = product.sum(b);
    quotient.drain(..(secret + shift).min(quotient.len()));
    quotient.resize(n, Wire::FALSE);

    // The remainder is small, so its upper bits are known: only the lower ones are computed.
    let mut rest = Columns::new(shift);
    rest.push_word(0, x);
    copies(&mut rest, Signedness::Unsigned, &quotient, divisor, n, true);
    let mut remainder = rest.sum(b);
    remainder.resize(n, Wire::FALSE);
    Divided {
        quotient,
        remainder,
    }
}
