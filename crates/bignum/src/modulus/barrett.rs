//! Barrett's reduction with kept transforms: two products, of which the second has half the length.
//!
//! With `d` of `n` limbs, `s` zero bits above it, and `v = ⌊B^2n/(2^s·d)⌋`, the quotient of `x <
//! d·B^n` is `q = x₁ + ⌊x₁·(v − B^n)/B^n⌋` for `x₁ = ⌊2^s·x/B^n⌋`, too small by 3 at most: by less
//! than 2 for the limbs cut off `x` (`v ≤ 2·B^n`), by less than 1 each for the floors of `v` and of
//! the product. So `r = x − q·d` is below `4d`, and it is enough to know it modulo `2^(64·m) + 1`
//! with `m ≥ n`, where `q·d` takes transforms of half the length of the product's. That modulus is
//! 1 modulo `2^64`: the lowest limb of `x − q·d`, which is easily had, tells how many times it has
//! to be added; more than a few say that something went wrong.
//!
//! Transforms in units of a whole product's: 2 for the quotient and half of 2 for the rest, beside
//! 3 for the product. (Barrett, CRYPTO '86; the wrapped product: Bernstein, Multidigit modular
//! multiplication with the explicit Chinese remainder theorem, 1995.)

use super::wrapped::{self, Factor};
use crate::division::Divisor;
use crate::kept::Operand;
use crate::transform::{Family, Transform};
use crate::{Error, Kept, Multiplier, Options, checksum, division, limbs};

/// How far below the remainder the estimate may be, in multiples of the modulus.
const SLACK: u64 = 4;

/// The reciprocal's fraction and the modulus, transformed.
#[derive(Debug)]
pub(super) struct Barrett {
    shift: u32,
    reciprocal: Factor,
    modulus: Factor,
    /// With its checksum.
    d: Kept,
}

impl Barrett {
    /// For a modulus without zeros at the top.
    pub(super) fn new(divisor: &Divisor, family: Family, options: Options) -> Result<Self, Error> {
        let d = divisor.number();
        let n = d.len();
        let whole = Transform::new(family, false, 2 * n, 1, options.threads)?;
        let half = Transform::new(family, true, n, 1, options.threads)?;
        Ok(Self {
            shift: d[n - 1].leading_zeros(),
            reciprocal: Factor::new(whole, divisor.fraction())?,
            modulus: Factor::new(half, d)?,
            d: Kept::new(d, None),
        })
    }

    /// Runs an operation of several products on the threads of the transforms.
    pub(super) fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        self.reciprocal.transform.within(operation)
    }

    /// `out = x mod d` for `x` of `2n` or `2n + 1` limbs, which should be `expected` modulo `2^61 −
    /// 1`; false, with `out` and `x` of no meaning, if a check failed.
    pub(super) fn reduce(
        &self,
        out: &mut [u64],
        x: &mut [u64],
        expected: u64,
        with: &Multiplier,
    ) -> Result<bool, Error> {
        let d = self.d.limbs();
        let n = d.len();
        let mut expected = expected;
        if limbs::compare(&x[n..], d).is_ge() {
            if checksum::residue(x) != expected {
                return Ok(false);
            }
            // Of a sum of products, or of factors above the modulus: a quotient of a limb or two.
            let mut rest = vec![0; n];
            let mut quotient = vec![0; x.len() - n];
            division::divide_with(&mut quotient, &mut rest, &x[n..], d, with)?;
            x[n..2 * n].copy_from_slice(&rest);
            x[2 * n..].fill(0);
            expected = checksum::residue(x);
        }
        let x = &x[..2 * n];
        let ring = self.modulus.transform.limbs();
        with.with_scratch((n + 1) + 2 * n + (ring + 1), |scratch| {
            let (head, scratch) = scratch.split_at_mut(n + 1);
            let (quotient, rest) = scratch.split_at_mut(2 * n);
            self.reduce_in(out, x, expected, [head, quotient, rest])
        })
    }

    /// [`reduce`](Self::reduce) of a number below `d·B^n`.
    fn reduce_in(
        &self,
        out: &mut [u64],
        x: &[u64],
        expected: u64,
        [head, quotient, rest]: [&mut [u64]; 3],
    ) -> Result<bool, Error> {
        let d = self.d.limbs();
        let n = d.len();
        head.copy_from_slice(&x[n - 1..]);
        limbs::shift_left(head, self.shift);
        let head = &head[1..];
        if !self.reciprocal.multiply(quotient, head)? {
            return Ok(false);
        }
        let quotient = &mut quotient[n..];
        if limbs::add_assign(quotient, head) || !self.modulus.multiply(rest, quotient)? {
            return Ok(false);
        }
        wrapped::subtract_from(rest, x);
        let lowest = x[0].wrapping_sub(quotient[0].wrapping_mul(d[0]));
        let times = lowest.wrapping_sub(rest[0]);
        if times > SLACK {
            return Ok(false);
        }
        let top = rest.len() - 1;
        rest[top] += times;
        limbs::add_assign(rest, &[times]);
        if !wrapped::adds_up(expected, quotient, Operand::Kept(&self.d), rest) {
            return Ok(false);
        }
        for _ in 0..SLACK {
            if limbs::compare(rest, d).is_lt() {
                break;
            }
            limbs::subtract_assign(rest, d);
        }
        out.copy_from_slice(&rest[..n]);
        Ok(limbs::compare(rest, d).is_lt())
    }
}
