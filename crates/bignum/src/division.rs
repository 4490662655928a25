//! Quotients and remainders.

use crate::multiplier::check_output;
use crate::{Error, limbs};

/// `a = quotient·d + remainder` with `remainder < d`. `quotient` has the length of `a` and `remainder` that
/// of `d`. Time depends on both numbers.
///
/// # Errors
/// [`Error::ZeroDivisor`]; [`Error::OutputLength`] if a slice has another length.
pub fn divide(
    quotient: &mut [u64],
    remainder: &mut [u64],
    a: &[u64],
    d: &[u64],
) -> Result<(), Error> {
    check_output(quotient, a.len())?;
    check_output(remainder, d.len())?;
    let divisor = limbs::trim(d);
    if divisor.is_empty() {
        return Err(Error::ZeroDivisor);
    }
    remainder.fill(0);
    quotient.fill(0);
    let a = limbs::trim(a);
    if a.len() < divisor.len() {
        remainder[..a.len()].copy_from_slice(a);
        return Ok(());
    }
    let shift = divisor[divisor.len() - 1].leading_zeros();
    let mut normal = divisor.to_vec();
    limbs::shift_left(&mut normal, shift);
    let mut rest = a.to_vec();
    rest.push(0);
    limbs::shift_left(&mut rest, shift);
    schoolbook(
        &mut quotient[..a.len() - divisor.len() + 1],
        &mut rest,
        &normal,
    );
    limbs::shift_right(&mut rest[..divisor.len()], shift);
    remainder[..divisor.len()].copy_from_slice(&rest[..divisor.len()]);
    Ok(())
}

/// Knuth's algorithm D (The Art of Computer Programming 2, §4.3.1) for a divisor whose top bit is set: the
/// quotient, and the remainder in the low limbs of `rest`, whose upper limbs become zero.
fn schoolbook(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
    let n = divisor.len();
    let top = divisor[n - 1];
    let next = if n > 1 { divisor[n - 2] } else { 0 };
    for at in (0..quotient.len()).rev() {
        let (high, low) = (rest[at + n], rest[at + n - 1]);
        let numerator = u128::from(high) << 64 | u128::from(low);
        let mut digit = if high >= top {
            u128::from(u64::MAX)
        } else {
            numerator / u128::from(top)
        };
        if n > 1 {
            // Two limbs of the divisor leave an estimate that is too large by one at most.
            let mut left = numerator - digit * u128::from(top);
            while left >> 64 == 0
                && digit * u128::from(next) > (left << 64 | u128::from(rest[at + n - 2]))
            {
                digit -= 1;
                left += u128::from(top);
            }
        }
        let mut digit = digit as u64;
        let borrow = limbs::subtract_product(&mut rest[at..at + n], divisor, digit);
        let (left, under) = rest[at + n].overflowing_sub(borrow);
        rest[at + n] = left;
        if under {
            digit -= 1;
            let carry = limbs::add_assign(&mut rest[at..at + n], divisor);
            rest[at + n] = rest[at + n].wrapping_add(u64::from(carry));
        }
        quotient[at] = digit;
    }
}
