//! Arithmetic modulo `2^(64·m) + 1`, where products take transforms of half the length.

use crate::checksum;
use crate::limbs;
use crate::transform::{self, Spectrum, Transform};
use crate::{Error, kept::Operand};

/// A fixed factor with its transform, whose multiples are wanted modulo `2^(64·m) + 1`.
#[derive(Debug)]
pub(super) struct Factor {
    pub(super) transform: Transform,
    spectrum: Spectrum,
}

impl Factor {
    pub(super) fn new(transform: Transform, factor: &[u64]) -> Result<Self, Error> {
        let mut spectrum = transform.spectrum();
        transform.forward(factor, &mut spectrum)?;
        Ok(Self {
            transform,
            spectrum,
        })
    }

    /// `out = a·factor` in the transform's ring; false, with `out` of no meaning, if rounding may
    /// have spoilt it.
    pub(super) fn multiply(&self, out: &mut [u64], a: &[u64]) -> Result<bool, Error> {
        self.transform
            .product(out, a, transform::Factor::Kept(&self.spectrum))
    }
}

/// `y = x − y` modulo `2^(64·m) + 1`, for `y` of `m + 1` limbs from 0 to the modulus less one, and
/// `x` of at most `2m` limbs; the result is in the same range.
pub(super) fn subtract_from(y: &mut [u64], x: &[u64]) {
    let m = y.len() - 1;
    let (low, high) = x.split_at(m.min(x.len()));
    let (y_low, top) = y.split_at_mut(m);
    // What is owed to the top limb, and thus due at the bottom: 2^(64·m) is −1.
    let mut due = top[0] as i64;
    let (first, rest) = y_low.split_at_mut(low.len());
    let mut borrow = limbs::subtract_from(first, low);
    for y in rest {
        (*y, borrow) = limbs::subtract_with_borrow(0, *y, borrow);
    }
    due += i64::from(borrow);
    due += i64::from(limbs::subtract_assign(y_low, high));
    top[0] = 0;
    settle(y, due);
}

/// `y += due` for a small number of either sign, kept between 0 and `2^(64·m)`.
pub(super) fn settle(y: &mut [u64], mut due: i64) {
    let m = y.len() - 1;
    while due != 0 {
        let amount = [due.unsigned_abs()];
        let (low, _) = y.split_at_mut(m);
        // Passing either end once changes the sum by ∓1 again.
        due = if due > 0 {
            -i64::from(limbs::add_assign(low, &amount))
        } else {
            i64::from(limbs::subtract_assign(low, &amount))
        };
        if due < 0 && limbs::length(low) == 0 {
            // 2^(64·m) itself is a residue, which has a limb for it.
            y[m] = 1;
            return;
        }
    }
}

/// `x = q·d + r` modulo `2^61 − 1`.
pub(super) fn adds_up(x: u64, q: &[u64], d: Operand<'_>, r: &[u64]) -> bool {
    let product = checksum::multiply(checksum::residue(q), d.residue());
    x == checksum::add(product, checksum::residue(r))
}
