//! The iterative multiplier of CryptoEmu: n additions into a register that shifts right.
//!
//! P is 0. In iteration i the row `A·B_i` is added to P by an adder of n bits with a carry out, and
//! `[carry, P, B]` moves right by one place: the sum's lowest bit is bit i of the product, what is
//! left with the carry on top is the next P. After n iterations P is the product's upper half.
//!
//! Signed words take the modified rows of Baugh and Wooley ([`rows`](super::rows)) and a last
//! addition of `1 + 2ⁿ⁻¹` to P: the ones in columns n and 2n − 1.
//!
//! With an adder of a(n) gates at depth d(n): `n²` ANDs and `(n − 1)·a(n)`, depth about
//! `1 + (n − 1)·d(n)`; signed another addition, of which the clear operand folds most. The paper
//! counts `7n²` gates (`n² + n·6n`) and `2n·log₂n + 3n` levels, and `6n` and `2·log₂n + 3` more for
//! signed words. It adds the first row to the encrypted zeros of P; here that addition folds.
//!
//! The lowest n bits are the same circuit; what only the upper half needs is dropped.
//!
//! Source: 004 §V-E, figures 13 and 15; the adder is its figure 8.

use super::rows::products;
use crate::library::add::{Adder, add_with};
use crate::library::{Signedness, Word};
use crate::{Builder, Wire};

/// All 2n bits of `x·y`.
pub(super) fn multiply(
    b: &mut Builder,
    adder: Adder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
) -> Word {
    let n = x.len();
    let mut upper = vec![Wire::FALSE; n];
    let mut product = Word::with_capacity(2 * n);
    for i in 0..n {
        let row = products(b, signedness, x, y, i, n);
        let added = add_with(b, adder, &upper, &row, Wire::FALSE);
        let (&lowest, rest) = added.sum.split_first().unwrap_or((&Wire::FALSE, &[]));
        product.push(lowest);
        upper = rest.to_vec();
        upper.push(added.carry);
    }
    // Words of one bit have both ones in the same column, where they are nothing.
    if signedness == Signedness::Signed && n > 1 {
        let mut ones = vec![Wire::FALSE; n];
        ones[0] = Wire::TRUE;
        ones[n - 1] = Wire::TRUE;
        upper = add_with(b, adder, &upper, &ones, Wire::FALSE).sum;
    }
    product.append(&mut upper);
    product
}
