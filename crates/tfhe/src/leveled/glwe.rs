//! A polynomial's worth of ciphertext, and what can be done to it for nothing.

/// Mask, then body: N torus elements each; phase = body − mask·S.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Glwe(Vec<u64>);

impl Glwe {
    pub(crate) fn zero(size: usize) -> Self {
        Self(vec![0; 2 * size])
    }

    /// From a mask and a body of N elements each.
    pub(crate) fn of(mask: &[u64], body: &[u64]) -> Self {
        Self([mask, body].concat())
    }

    /// The constant coefficient as an LWE ciphertext, mask first.
    pub(crate) fn bit(&self) -> Box<[u64]> {
        let size = self.0.len() / 2;
        let mut elements = vec![0; size + 1];
        turn(self.mask(), &mut elements[..size]);
        elements[size] = self.body()[0];
        elements.into_boxed_slice()
    }

    pub(crate) fn mask(&self) -> &[u64] {
        &self.0[..self.0.len() / 2]
    }

    pub(crate) fn body(&self) -> &[u64] {
        &self.0[self.0.len() / 2..]
    }

    pub(crate) fn body_mut(&mut self) -> &mut [u64] {
        let size = self.0.len() / 2;
        &mut self.0[size..]
    }

    /// Mask and body.
    pub(crate) fn both_mut(&mut self) -> [&mut [u64]; 2] {
        let size = self.0.len() / 2;
        self.0.split_at_mut(size).into()
    }

    #[cfg(test)]
    pub(crate) fn words(&self) -> &[u64] {
        &self.0
    }

    pub(crate) fn add(&mut self, other: &Self) {
        for (x, y) in self.0.iter_mut().zip(&other.0) {
            *x = x.wrapping_add(*y);
        }
    }

    pub(crate) fn subtract(&mut self, other: &Self) {
        for (x, y) in self.0.iter_mut().zip(&other.0) {
            *x = x.wrapping_sub(*y);
        }
    }

    /// Times 2^`bits`.
    pub(crate) fn shift_left(&mut self, bits: u32) {
        self.0.iter_mut().for_each(|x| *x <<= bits);
    }

    /// Adds X^`exponent`·other, times a small number.
    pub(crate) fn add_rotated(&mut self, other: &Self, exponent: usize, times: i64) {
        let size = self.0.len() / 2;
        // X^N = −1.
        let (shift, negated) = (exponent % size, exponent / size % 2 == 1);
        let times = (if negated { -times } else { times }) as u64;
        let polynomials = self
            .0
            .chunks_exact_mut(size)
            .zip(other.0.chunks_exact(size));
        for (sum, polynomial) in polynomials {
            let (wrapped, rest) = sum.split_at_mut(shift);
            let (head, tail) = polynomial.split_at(size - shift);
            for (sum, x) in wrapped.iter_mut().zip(tail) {
                *sum = sum.wrapping_sub(x.wrapping_mul(times));
            }
            for (sum, x) in rest.iter_mut().zip(head) {
                *sum = sum.wrapping_add(x.wrapping_mul(times));
            }
        }
    }

    /// X^`exponent` times it.
    pub(crate) fn rotated(&self, exponent: usize) -> Self {
        let mut rotated = Self(vec![0; self.0.len()]);
        rotated.add_rotated(self, exponent, 1);
        rotated
    }

    /// Divides every coefficient, unsigned, by the ring's degree. What that leaves of the torus's
    /// modulus vanishes when it is multiplied by the degree again.
    pub(crate) fn divide_by_degree(&mut self) {
        self.divide((self.0.len() / 2).ilog2());
    }

    /// The same by 2^`bits`.
    pub(crate) fn divide(&mut self, bits: u32) {
        let half = (1 << bits) / 2;
        for x in &mut self.0 {
            *x = x.wrapping_add(half) >> bits;
        }
    }

    /// The ciphertext at X^`exponent` in place of X, under the key at X^`exponent`: coefficients are
    /// moved, some are negated.
    pub(crate) fn automorphed(&self, exponent: usize) -> Self {
        let size = self.0.len() / 2;
        let mut moved = Self(vec![0; self.0.len()]);
        let polynomials = moved
            .0
            .chunks_exact_mut(size)
            .zip(self.0.chunks_exact(size));
        for (moved, polynomial) in polynomials {
            automorphism(polynomial, exponent, moved);
        }
        moved
    }
}

/// The mask of the constant coefficient's LWE ciphertext, or the polynomial of which that is the mask:
/// p(1/X), its own inverse.
pub(crate) fn turn(mask: &[u64], turned: &mut [u64]) {
    turned[0] = mask[0];
    for (into, from) in turned[1..].iter_mut().rev().zip(&mask[1..]) {
        *into = from.wrapping_neg();
    }
}

/// p(X^`exponent`), for an odd exponent.
pub(crate) fn automorphism(polynomial: &[u64], exponent: usize, moved: &mut [u64]) {
    // A power of two: remainders are bits, where a division for each coefficient would take as long
    // as the transforms.
    let size = polynomial.len();
    let mut to = 0;
    for &x in polynomial {
        let negated = if to & size == 0 { 0 } else { u64::MAX };
        // (x ^ negated) − negated is −x where that is all ones.
        moved[to & (size - 1)] = (x ^ negated).wrapping_sub(negated);
        to += exponent;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const N: usize = 16;

    fn some() -> Glwe {
        Glwe(
            (1..=2 * N as u64)
                .map(|i| i.wrapping_mul(0x9e37_79b9_7f4a_7c15))
                .collect(),
        )
    }

    #[test]
    fn rotations_go_all_the_way_round() {
        let glwe = some();
        for exponent in 0..2 * N {
            let mut expected = vec![0; N];
            for (i, x) in glwe.mask().iter().enumerate() {
                let at = (i + exponent) % (2 * N);
                expected[at % N] = if at < N { *x } else { x.wrapping_neg() };
            }
            assert_eq!(glwe.rotated(exponent).mask(), expected);
            let back = glwe.rotated(exponent).rotated(2 * N - exponent);
            assert_eq!(back.words(), glwe.words());
        }
        let mut sum = some();
        sum.add_rotated(&glwe, N, 1);
        assert!(sum.words().iter().all(|x| *x == 0));
    }

    /// A product of two polynomials, moved, is the product of both moved.
    #[test]
    fn automorphisms_commute_with_products() {
        let glwe = some();
        let (a, b) = (glwe.mask(), glwe.body());
        let product = |a: &[u64], b: &[u64]| transforms::torus::oracle::negacyclic_product(a, b);
        for exponent in (1..2 * N).step_by(2) {
            let moved = glwe.automorphed(exponent);
            let mut expected = vec![0; N];
            automorphism(&product(a, b), exponent, &mut expected);
            assert_eq!(product(moved.mask(), moved.body()), expected);
        }
    }

    #[test]
    fn a_bit_is_the_constant_coefficient() {
        let elements: Vec<u64> = (1..=N as u64 + 1).collect();
        let mut glwe = Glwe::zero(N);
        let [mask, body] = glwe.both_mut();
        turn(&elements[..N], mask);
        body[0] = elements[N];
        assert_eq!(*glwe.bit(), *elements);
        // body − mask·S at S = X^j.
        let mut turned = vec![0; N];
        automorphism(&elements[..N], 2 * N - 1, &mut turned);
        assert_eq!(glwe.mask(), turned);
    }

    /// Rounded, but for multiples of the modulus's Nth part.
    #[test]
    fn divisions_round() {
        let mut glwe = Glwe(vec![0; 2 * N]);
        let values = [0, 7, 8, 24, u64::MAX, u64::MAX - 8, 1 << 63, 23];
        glwe.0[..8].copy_from_slice(&values);
        glwe.divide_by_degree();
        let expected = [0, 0, 1, 2, 0, (1 << 60) - 1, 1 << 59, 1];
        assert_eq!(glwe.0[..8], expected);
    }
}
