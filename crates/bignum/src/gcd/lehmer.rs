//! Lehmer's steps: Euclid's algorithm on the two leading limbs of both numbers, as far as these can
//! tell.
//!
//! (Knuth, The Art of Computer Programming 2, §4.5.2, algorithm L, with two limbs instead of one,
//! so that a step takes a whole limb off both numbers.)

use crate::limbs;

/// The steps that leading limbs allow: `(a, b) → (x₀a − y₀b, y₁b − x₁a)`, or both negated after an
/// odd number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Steps {
    pub(super) first: (u64, u64),
    pub(super) second: (u64, u64),
    pub(super) odd: bool,
}

/// The steps for `a ≥ b` that leave the second number at least `2^floor` as far as leading limbs
/// can tell; `None` if they can tell of none. `a` has three limbs or more.
pub(super) fn steps(a: &[u64], b: &[u64], floor: usize) -> Option<Steps> {
    let bits = 64 * a.len() - a[a.len() - 1].leading_zeros() as usize;
    let (mut high, mut low) = (window(a, bits - 128), window(b, bits - 128));
    // Entries stay below 2^63 while what is left has 65 bits: they are at most 2^128 divided by it.
    // What the cut limbs add or take is then less than what is left, and no number becomes
    // negative.
    let exponent = (floor + 128).saturating_sub(bits).max(66);
    if exponent >= 128 {
        return None;
    }
    let least = 1u128 << exponent;
    let (mut first, mut second, mut odd) = ((1u64, 0u64), (0u64, 1u64), false);
    let mut any = false;
    while low >= least {
        let (quotient, rest) = divide(high, low);
        if rest < least {
            break;
        }
        let Ok(quotient) = u64::try_from(quotient) else {
            break;
        };
        let next = (
            first.0.wrapping_add(quotient.wrapping_mul(second.0)),
            first.1.wrapping_add(quotient.wrapping_mul(second.1)),
        );
        (high, low) = (low, rest);
        (first, second, odd, any) = (second, next, !odd, true);
    }
    any.then_some(Steps { first, second, odd })
}

/// Most quotients are small, and a division of two limbs by two is slow.
#[inline]
fn divide(high: u128, low: u128) -> (u128, u128) {
    let mut rest = high - low;
    let mut quotient = 1;
    while rest >= low {
        if quotient == 4 {
            return (high / low, high % low);
        }
        rest -= low;
        quotient += 1;
    }
    (quotient, rest)
}

/// 128 bits from a place.
fn window(a: &[u64], from: usize) -> u128 {
    let limb = |at: usize| u128::from(a.get(at).copied().unwrap_or(0));
    let (at, shift) = (from / 64, from % 64);
    let low = limb(at) | limb(at + 1) << 64;
    if shift == 0 {
        low
    } else {
        low >> shift | limb(at + 2) << (128 - shift)
    }
}

impl Steps {
    /// Applies them: `a` and `b` of one length become the new numbers' magnitudes; which are
    /// negative.
    pub(super) fn apply(&self, a: &mut [u64], b: &mut [u64]) -> (bool, bool) {
        // Each difference of two products is a sum of products' low limbs with a carry between 2^64
        // and −2^64.
        let (mut first, mut second) = (0i128, 0i128);
        for (a, b) in a.iter_mut().zip(b.iter_mut()) {
            let (x, y) = (*a, *b);
            (*a, first) = difference(self.first.0, x, self.first.1, y, first);
            (*b, second) = difference(self.second.1, y, self.second.0, x, second);
        }
        let signs = (finish(a, first), finish(b, second));
        (signs.0 != self.odd, signs.1 != self.odd)
    }
}

/// The low limb of `x·a − y·b + carry`, and the carry.
#[inline(always)]
fn difference(x: u64, a: u64, y: u64, b: u64, carry: i128) -> (u64, i128) {
    let plus = u128::from(x) * u128::from(a);
    let minus = u128::from(y) * u128::from(b);
    let low = i128::from(plus as u64) - i128::from(minus as u64) + carry;
    let high = i128::from((plus >> 64) as u64) - i128::from((minus >> 64) as u64);
    (low as u64, high + (low >> 64))
}

/// The magnitude of a number whose part above the slice is 0 or negative.
fn finish(a: &mut [u64], above: i128) -> bool {
    let negative = above < 0;
    if negative {
        a.iter_mut().for_each(|limb| *limb = !*limb);
        limbs::increment(a);
    }
    negative
}
