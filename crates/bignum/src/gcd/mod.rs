//! Greatest common divisors and inverses by half-gcd.
//!
//! Euclid's quotients depend on leading limbs, so a step on the upper halves of two numbers gives a
//! matrix of quarter-sized entries that halves what it was made for, recursively (Schönhage 1971;
//! Möller, On Schönhage's algorithm and subquadratic integer GCD computation, 2008). Here the
//! matrix need only be unimodular and shrink: what a cut-off half sees wrongly makes a result
//! negative or a little larger, its sign goes into the matrix, and the next step goes on from
//! there. So no quotient has to be proved Euclid's own. At the bottom are Lehmer's steps on two
//! leading limbs. `O(M(n) log n)`.

mod half;
mod lehmer;
mod signed;

use std::cmp::Ordering;

use crate::{Error, Multiplier, division, limbs};
use half::Pair;
use signed::Signed;

/// The greatest common divisor, without zeros at the top; empty if both are zero. Time depends on
/// both.
///
/// # Errors
/// [`Error::Broken`] if the machine computes wrongly.
pub fn gcd_vartime(a: &[u64], b: &[u64]) -> Result<Vec<u64>, Error> {
    crate::with_shared(|multiplier| {
        let mut pair = Pair::new(a, b);
        while !pair.low.is_empty() {
            half::halve(&mut pair, multiplier)?;
        }
        Ok(pair.high)
    })
}

/// The inverse of `a` modulo `d`, as long as `d`; `None` if they have a common divisor. Time
/// depends on both.
///
/// # Errors
/// [`Error::ZeroModulus`]; [`Error::Broken`] if the machine computes wrongly.
pub fn invert_vartime(a: &[u64], d: &[u64]) -> Result<Option<Vec<u64>>, Error> {
    crate::with_shared(|multiplier| invert_with(a, d, multiplier))
}

/// [`invert_vartime`] with a multiplier of the caller's.
pub(crate) fn invert_with(
    a: &[u64],
    d: &[u64],
    with: &Multiplier,
) -> Result<Option<Vec<u64>>, Error> {
    let modulus = limbs::trim(d);
    if modulus.is_empty() {
        return Err(Error::ZeroModulus);
    }
    let mut residue = vec![0; modulus.len()];
    division::divide_with(&mut vec![0; a.len()], &mut residue, a, modulus, with)?;
    let mut pair = Pair::new(modulus, &residue);
    // Each number of the pair is its cofactor times `a`, modulo `d`.
    let (mut high, mut low) = (Signed::default(), Signed::from(1));
    while !pair.low.is_empty() {
        let matrix = half::halve(&mut pair, with)?;
        (high, low) = matrix.apply(&high, &low, with)?;
    }
    if limbs::compare(&pair.high, &[1]) != Ordering::Equal {
        return Ok(None);
    }
    let mut inverse = vec![0; modulus.len()];
    let length = high.magnitude.len();
    division::divide_with(
        &mut vec![0; length],
        &mut inverse,
        &high.magnitude,
        modulus,
        with,
    )?;
    if high.negative && limbs::length(&inverse) > 0 {
        limbs::subtract_from(&mut inverse, modulus);
    }
    inverse.resize(d.len(), 0);
    Ok(Some(inverse))
}
