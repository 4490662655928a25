//! Polynomials with large signed coefficients, multiplied modulo y^N + 1.
//!
//! Coefficients are two's complement numbers of one width. A product is one product of integers
//! (Kronecker's substitution): each polynomial is evaluated at X = 2^(64·slot), where a slot holds
//! any coefficient of the product, so that these can be read off. A negative coefficient borrows
//! from the one above it, both ways: in the number Σ a_i·X^i the digit i is a_i, less one if the
//! part below it is negative, modulo X; and that part is negative exactly if its top digit has its
//! top bit set.

use bignum::{multiply, square};
use zeroize::Zeroize;

use crate::{Error, limbs};

/// A polynomial; wiped when dropped.
pub(super) struct Polynomial {
    /// Limbs of each coefficient.
    width: usize,
    limbs: Vec<u64>,
}

impl Drop for Polynomial {
    fn drop(&mut self) {
        self.limbs.zeroize();
    }
}

impl Polynomial {
    /// A polynomial from its coefficients, `width` limbs each, two's complement.
    pub(super) fn new(width: usize, limbs: Vec<u64>) -> Self {
        Self { width, limbs }
    }

    /// Number of coefficients.
    pub(super) fn len(&self) -> usize {
        self.limbs.len() / self.width
    }

    pub(super) fn coefficients(&self) -> impl DoubleEndedIterator<Item = &[u64]> {
        self.limbs.chunks_exact(self.width)
    }

    /// The coefficients of even and of odd powers.
    pub(super) fn halves(&self) -> (Self, Self) {
        let half = |parity: usize| {
            let half = self.coefficients().skip(parity).step_by(2);
            Self::new(self.width, half.flatten().copied().collect())
        };
        (half(0), half(1))
    }

    /// Bits of the largest coefficient, its sign not counted.
    fn bits(&self) -> usize {
        let bits = self.coefficients().map(|coefficient| {
            let sign = sign(coefficient);
            let top = coefficient.iter().rposition(|&limb| limb != sign);
            top.map_or(0, |top| {
                64 * (top + 1) - (coefficient[top] ^ sign).leading_zeros() as usize
            })
        });
        bits.max().unwrap_or(0)
    }

    /// `self·other mod y^N + 1`, in the narrowest width.
    pub(super) fn times(&self, other: &Self) -> Result<Self, Error> {
        self.product(other, self.bits() + other.bits(), |out, a, b| {
            multiply(out, a, b)
        })
    }

    /// `self² mod y^N + 1`, in the narrowest width.
    pub(super) fn squared(&self) -> Result<Self, Error> {
        self.product(self, 2 * self.bits(), |out, a, _| square(out, a))
    }

    fn product(
        &self,
        other: &Self,
        bits: usize,
        product: impl Fn(&mut [u64], &[u64], &[u64]) -> Result<(), bignum::Error>,
    ) -> Result<Self, Error> {
        let count = self.len();
        // Each coefficient is a sum of N products, and has a sign.
        let slot = (bits + count.ilog2() as usize + 2).div_ceil(64);
        let (mut a, negative_a) = self.packed(slot);
        let (mut b, negative_b) = other.packed(slot);
        let mut digits = vec![0; 2 * count * slot];
        product(&mut digits, &a, &b)?;
        a.zeroize();
        b.zeroize();
        if negative_a != negative_b {
            limbs::negate(&mut digits);
        }
        let mut borrowed = false;
        for digit in digits.chunks_exact_mut(slot) {
            let borrows = sign(digit) != 0;
            if borrowed {
                increment(digit);
            }
            borrowed = borrows;
        }
        let (low, high) = digits.split_at_mut(count * slot);
        for (low, high) in low.chunks_exact_mut(slot).zip(high.chunks_exact(slot)) {
            limbs::subtract_assign(low, high);
        }
        let folded = Self::new(slot, low.to_vec());
        digits.zeroize();
        Ok(folded.narrowed())
    }

    /// |Σ a_i·X^i| for X = 2^(64·slot), and whether the sum is negative.
    fn packed(&self, slot: usize) -> (Vec<u64>, bool) {
        let mut packed = vec![0; self.len() * slot];
        let mut borrow = false;
        for (digit, coefficient) in packed.chunks_exact_mut(slot).zip(self.coefficients()) {
            let length = self.width.min(slot);
            digit[..length].copy_from_slice(&coefficient[..length]);
            digit[length..].fill(sign(coefficient));
            if borrow {
                decrement(digit);
            }
            borrow = sign(digit) != 0;
        }
        if borrow {
            limbs::negate(&mut packed);
        }
        (packed, borrow)
    }

    /// `self − y·other mod y^N + 1`.
    pub(super) fn minus_shifted(&self, other: &Self) -> Self {
        let width = self.width.max(other.width) + 1;
        let mut out = self.widened(width);
        let mut other = other.widened(width);
        // y·other: its last coefficient comes round to the first place with the other sign.
        other.limbs.rotate_right(width);
        limbs::negate(&mut other.limbs[..width]);
        for (out, other) in out
            .limbs
            .chunks_exact_mut(width)
            .zip(other.limbs.chunks_exact(width))
        {
            limbs::subtract_assign(out, other);
        }
        out.narrowed()
    }

    /// The polynomial with all signs changed.
    pub(super) fn negated(&self) -> Self {
        let mut out = self.widened(self.width + 1);
        for coefficient in out.limbs.chunks_exact_mut(self.width + 1) {
            limbs::negate(coefficient);
        }
        out.narrowed()
    }

    fn narrowed(self) -> Self {
        // The sign needs a bit, too.
        let width = self.bits() / 64 + 1;
        if width >= self.width {
            return self;
        }
        let narrow = self.coefficients().flat_map(|limbs| &limbs[..width]);
        Self::new(width, narrow.copied().collect())
    }

    fn widened(&self, width: usize) -> Self {
        let mut limbs = Vec::with_capacity(self.len() * width);
        for coefficient in self.coefficients() {
            limbs.extend_from_slice(coefficient);
            limbs.resize(limbs.len() + width - self.width, sign(coefficient));
        }
        Self::new(width, limbs)
    }
}

/// All ones for a negative two's complement number, else zero.
pub(super) fn sign(number: &[u64]) -> u64 {
    number.last().map_or(0, |&top| (top as i64 >> 63) as u64)
}

fn increment(number: &mut [u64]) {
    for limb in number {
        let carry;
        (*limb, carry) = limb.overflowing_add(1);
        if !carry {
            break;
        }
    }
}

fn decrement(number: &mut [u64]) {
    for limb in number {
        let borrow;
        (*limb, borrow) = limb.overflowing_sub(1);
        if !borrow {
            break;
        }
    }
}

#[cfg(test)]
mod tests {
    use random::Generator;

    use super::*;

    fn polynomial(coefficients: &[i128]) -> Polynomial {
        let limbs = coefficients
            .iter()
            .flat_map(|&c| [c as u64, (c >> 64) as u64])
            .collect();
        Polynomial::new(2, limbs)
    }

    fn values(polynomial: &Polynomial) -> Vec<i128> {
        polynomial
            .coefficients()
            .map(|limbs| {
                let second = limbs.get(1).copied().unwrap_or(sign(limbs));
                assert!(limbs.iter().skip(2).all(|&limb| limb == sign(limbs)));
                (u128::from(limbs[0]) | u128::from(second) << 64) as i128
            })
            .collect()
    }

    fn negacyclic(a: &[i128], b: &[i128]) -> Vec<i128> {
        let n = a.len();
        let mut out = vec![0; n];
        for (i, a) in a.iter().enumerate() {
            for (j, b) in b.iter().enumerate() {
                let sign = if i + j < n { 1 } else { -1 };
                out[(i + j) % n] += sign * a * b;
            }
        }
        out
    }

    #[test]
    fn products_are_those_of_the_definition() {
        let mut generator = Generator::from_key([3; 32]);
        for log in 0..6 {
            for range in [1, 2, 1 << 30] {
                let mut draw = || -> Vec<i128> {
                    (0..1 << log)
                        .map(|_| i128::from(generator.below(2 * range + 1)) - i128::from(range))
                        .collect()
                };
                let (a, b) = (draw(), draw());
                let (x, y) = (polynomial(&a), polynomial(&b));
                assert_eq!(values(&x.times(&y).unwrap()), negacyclic(&a, &b));
                assert_eq!(values(&x.squared().unwrap()), negacyclic(&a, &a));
                let shift: Vec<i128> = (0..a.len())
                    .map(|i| a[i] - if i == 0 { -b[b.len() - 1] } else { b[i - 1] })
                    .collect();
                assert_eq!(values(&x.minus_shifted(&y)), shift);
                let negated: Vec<i128> = a.iter().map(|a| -a).collect();
                assert_eq!(values(&x.negated()), negated);
            }
        }
    }

    #[test]
    fn extreme_coefficients_keep_their_signs() {
        for a in [
            vec![i64::MIN.into(), i64::MIN.into()],
            vec![-1, -1],
            vec![0, -1],
            vec![-1, 0],
            vec![i64::MAX.into(), -1],
        ] {
            for b in [vec![1, 1], vec![-1, -1], vec![-1, 0], vec![0, 0]] {
                let product = polynomial(&a).times(&polynomial(&b)).unwrap();
                assert_eq!(values(&product), negacyclic(&a, &b));
            }
        }
    }
}
