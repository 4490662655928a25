//! Greatest common divisors and inverses.

use std::cmp::Ordering;

use crate::{Error, division, limbs, multiply};

/// The greatest common divisor, without zeros at the top; empty if both are zero. Time depends on both.
///
/// # Errors
/// [`Error::Oversize`] for numbers beyond every plan.
pub fn gcd_vartime(a: &[u64], b: &[u64]) -> Result<Vec<u64>, Error> {
    let (mut a, mut b) = (limbs::trim(a).to_vec(), limbs::trim(b).to_vec());
    while !b.is_empty() {
        let (mut quotient, mut rest) = (vec![0; a.len()], vec![0; b.len()]);
        division::divide(&mut quotient, &mut rest, &a, &b)?;
        rest.truncate(limbs::length(&rest));
        (a, b) = (b, rest);
    }
    Ok(a)
}

/// The inverse of `a` modulo `d`, as long as `d`; `None` if they have a common divisor. Time depends on both.
///
/// # Errors
/// [`Error::ZeroModulus`]; [`Error::Oversize`] for numbers beyond every plan.
pub fn invert_vartime(a: &[u64], d: &[u64]) -> Result<Option<Vec<u64>>, Error> {
    let modulus = limbs::trim(d);
    if modulus.is_empty() {
        return Err(Error::ZeroModulus);
    }
    let mut high = modulus.to_vec();
    let mut low = vec![0; modulus.len()];
    division::divide(&mut vec![0; a.len()], &mut low, a, modulus)?;
    low.truncate(limbs::length(&low));
    // Of the cofactors of `a`, one is negative at each step, in turn: magnitudes are enough.
    let (mut before, mut now, mut negative) = (Vec::new(), vec![1], false);
    while !low.is_empty() {
        let (mut quotient, mut rest) = (vec![0; high.len()], vec![0; low.len()]);
        division::divide(&mut quotient, &mut rest, &high, &low)?;
        let quotient = limbs::trim(&quotient);
        let mut next = vec![0; quotient.len() + now.len()];
        multiply(&mut next, quotient, &now)?;
        next.resize(next.len().max(before.len()) + 1, 0);
        limbs::add_assign(&mut next, &before);
        next.truncate(limbs::length(&next));
        rest.truncate(limbs::length(&rest));
        (high, low) = (low, rest);
        (before, now, negative) = (now, next, !negative);
    }
    if limbs::compare(&high, &[1]) != Ordering::Equal {
        return Ok(None);
    }
    let mut inverse = d.to_vec();
    inverse.fill(0);
    if modulus == [1] {
        return Ok(Some(inverse));
    }
    inverse[..before.len()].copy_from_slice(&before);
    if !negative {
        limbs::subtract_from(&mut inverse, d);
    }
    Ok(Some(inverse))
}
