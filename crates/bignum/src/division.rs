//! Quotients and remainders: row by row (Knuth), and by a reciprocal where that is faster.

use crate::multiplier::check_output;
use crate::{Error, Multiplier, limbs, reciprocal};

/// From how many limbs of divisor and quotient a reciprocal pays.
const RECIPROCAL: usize = 120;

/// `a = quotient·d + remainder` with `remainder < d`. `quotient` has the length of `a` and
/// `remainder` that of `d`. Time depends on both numbers.
///
/// # Errors
/// [`Error::ZeroDivisor`]; [`Error::OutputLength`] if a slice has another length.
pub fn divide(
    quotient: &mut [u64],
    remainder: &mut [u64],
    a: &[u64],
    d: &[u64],
) -> Result<(), Error> {
    crate::with_shared(|multiplier| divide_with(quotient, remainder, a, d, multiplier))
}

/// [`divide`] with a multiplier of the caller's.
pub(crate) fn divide_with(
    quotient: &mut [u64],
    remainder: &mut [u64],
    a: &[u64],
    d: &[u64],
    with: &Multiplier,
) -> Result<(), Error> {
    check_output(quotient, a.len())?;
    check_output(remainder, d.len())?;
    let divisor = limbs::trim(d);
    let n = divisor.len();
    if n == 0 {
        return Err(Error::ZeroDivisor);
    }
    remainder.fill(0);
    quotient.fill(0);
    let a = limbs::trim(a);
    if a.len() < n {
        remainder[..a.len()].copy_from_slice(a);
        return Ok(());
    }
    let length = a.len() - n + 1;
    let quotient = &mut quotient[..length];
    if n.min(length) < RECIPROCAL {
        let shift = divisor[n - 1].leading_zeros();
        let mut normal = divisor.to_vec();
        limbs::shift_left(&mut normal, shift);
        let mut rest = a.to_vec();
        rest.push(0);
        limbs::shift_left(&mut rest, shift);
        by_rows(quotient, &mut rest, &normal);
        limbs::shift_right(&mut rest[..n], shift);
        remainder[..n].copy_from_slice(&rest[..n]);
        return Ok(());
    }
    // Of a divisor that is longer than the quotient, the quotient sees the top.
    let divisor = Divisor::new(divisor, length + 1, with)?;
    divisor.divide(quotient, &mut remainder[..n], a, with)
}

/// A divisor with the reciprocal of its top.
#[derive(Debug)]
pub(crate) struct Divisor {
    /// Without zeros at the top.
    divisor: Vec<u64>,
    shift: u32,
    /// `⌊B^2k/e⌋ − B^k` for the top `k` limbs `e` of the divisor, shifted until its top bit is set.
    fraction: Vec<u64>,
    /// `k`.
    kept: usize,
}

impl Divisor {
    /// For quotients of less than `limbs` limbs at a time, or of as many as the divisor has.
    pub(crate) fn new(divisor: &[u64], limbs: usize, with: &Multiplier) -> Result<Self, Error> {
        let divisor = limbs::trim(divisor).to_vec();
        let Some(top) = divisor.last() else {
            return Err(Error::ZeroDivisor);
        };
        let shift = top.leading_zeros();
        let kept = divisor.len().min(limbs.max(1));
        let mut normal = divisor.clone();
        limbs::shift_left(&mut normal, shift);
        let fraction = fraction(&normal[divisor.len() - kept..], with)?;
        Ok(Self {
            divisor,
            shift,
            fraction,
            kept,
        })
    }

    /// The divisor, without zeros at the top.
    pub(crate) fn number(&self) -> &[u64] {
        &self.divisor
    }

    /// `⌊B^2k/e⌋ − B^k` for the `k` limbs that are kept of the divisor.
    pub(crate) fn fraction(&self) -> &[u64] {
        &self.fraction
    }

    /// Limbs of the divisor.
    pub(crate) fn limbs(&self) -> usize {
        self.divisor.len()
    }

    /// Quotient (of `a.len() − limbs() + 1` limbs) and remainder (of `limbs()`) of `a`, which is no
    /// shorter than the divisor.
    pub(crate) fn divide(
        &self,
        quotient: &mut [u64],
        remainder: &mut [u64],
        a: &[u64],
        with: &Multiplier,
    ) -> Result<(), Error> {
        let n = self.limbs();
        // Quotients come in digits of this many limbs: what is kept of the divisor sees no more.
        let digit = if self.kept == n { n } else { self.kept - 1 };
        let mut rest = a.to_vec();
        rest.push(0);
        let mut end = quotient.len();
        while end > 0 {
            let start = end.saturating_sub(digit);
            self.step(&mut quotient[start..end], &mut rest[start..end + n], with)?;
            end = start;
        }
        remainder.copy_from_slice(&rest[..n]);
        Ok(())
    }

    /// One digit: `rest`, below `divisor·B^m` for a digit of `m` limbs, becomes its remainder.
    fn step(&self, digit: &mut [u64], rest: &mut [u64], with: &Multiplier) -> Result<(), Error> {
        let (n, m) = (self.limbs(), digit.len());
        // With `x = x₁·B^n + x₀` shifted as the divisor was, the digit is `x₁·B^n/d`, less 3 at
        // most: one for what is left out of each factor, and one for each product's floor; and the
        // cut divisor adds 2.
        let mut head = rest[n - 1..].to_vec();
        limbs::shift_left(&mut head, self.shift);
        let head = &head[1..];
        let mut product = vec![0; head.len() + self.kept];
        with.multiply(&mut product, head, &self.fraction)?;
        let high = &mut product[self.kept..];
        if limbs::add_assign(high, head) {
            high.fill(u64::MAX);
        }
        digit.copy_from_slice(high);
        let mut product = vec![0; m + n];
        with.multiply(&mut product, digit, &self.divisor)?;
        let mut negative = limbs::subtract_assign(rest, &product);
        while negative {
            limbs::decrement(digit);
            negative = !limbs::add_assign(rest, &self.divisor);
        }
        while limbs::compare(rest, &self.divisor).is_ge() {
            limbs::increment(digit);
            limbs::subtract_assign(rest, &self.divisor);
        }
        Ok(())
    }
}

/// `⌊B^2n/d⌋ − B^n` for `d` of `n` limbs with its top bit set, in `n` limbs: where it would be
/// `B^n`, it is less by one.
pub(crate) fn fraction(d: &[u64], with: &Multiplier) -> Result<Vec<u64>, Error> {
    let n = d.len();
    let mut fraction = reciprocal::of(d, with)?;
    if fraction[n] > 1 {
        return Ok(vec![u64::MAX; n]);
    }
    fraction.truncate(n);
    Ok(fraction)
}

/// Knuth's algorithm D (The Art of Computer Programming 2, §4.3.1) for a divisor whose top bit is
/// set: the quotient, and the remainder in the low limbs of `rest`, whose upper limbs become zero.
pub(crate) fn by_rows(quotient: &mut [u64], rest: &mut [u64], divisor: &[u64]) {
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
