//! The field of 2^d elements that a slot is, for tables of traces. Made once per ring; nothing
//! secret passes.

/// GF(2)[x] modulo an irreducible polynomial of degree d, 1 ≤ d ≤ 60.
pub(super) struct Field {
    degree: u32,
    polynomial: u64,
}

impl Field {
    /// With the smallest irreducible polynomial of that degree.
    pub(super) fn new(degree: u32) -> Self {
        let mut polynomial = (1 << degree) | 1;
        loop {
            let field = Self { degree, polynomial };
            if field.is_field() {
                return field;
            }
            polynomial += 2;
        }
    }

    /// Rabin's test: x^(2^d) = x, and x^(2^(d/r)) − x is prime to the polynomial for each prime r
    /// of d. The second condition is asked in the stronger form that suffices here, by a greatest
    /// common divisor.
    fn is_field(&self) -> bool {
        let x = self.reduce(2);
        let frobenius = |times: u32| (0..times).fold(x, |y, _| self.multiply(y, y));
        if frobenius(self.degree) != x {
            return false;
        }
        (2..=self.degree)
            .filter(|r| self.degree.is_multiple_of(*r) && (2..*r).all(|s| !r.is_multiple_of(s)))
            .all(|r| common_divisor(self.polynomial, frobenius(self.degree / r) ^ x) == 1)
    }

    fn reduce(&self, mut value: u64) -> u64 {
        while value >> self.degree != 0 {
            let excess = value.ilog2() - self.degree;
            value ^= self.polynomial << excess;
        }
        value
    }

    pub(super) fn multiply(&self, a: u64, mut b: u64) -> u64 {
        let (mut product, mut shifted) = (0, a);
        while b != 0 {
            if b & 1 == 1 {
                product ^= shifted;
            }
            shifted <<= 1;
            if shifted >> self.degree & 1 == 1 {
                shifted ^= self.polynomial;
            }
            b >>= 1;
        }
        product
    }

    pub(super) fn power(&self, mut base: u64, mut exponent: u64) -> u64 {
        let mut result = 1;
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.multiply(result, base);
            }
            base = self.multiply(base, base);
            exponent >>= 1;
        }
        result
    }

    /// The sum of the conjugates: 0 or 1.
    pub(super) fn trace(&self, value: u64) -> u64 {
        let (mut sum, mut conjugate) = (0, value);
        for _ in 0..self.degree {
            sum ^= conjugate;
            conjugate = self.multiply(conjugate, conjugate);
        }
        sum
    }

    /// An element of multiplicative order m, which divides 2^d − 1 and has these primes.
    pub(super) fn root_of_unity(&self, m: u32, primes: &[u32]) -> u64 {
        let cofactor = ((1_u64 << self.degree) - 1) / u64::from(m);
        let mut candidate = 2;
        loop {
            let root = self.power(candidate, cofactor);
            if primes
                .iter()
                .all(|&p| self.power(root, u64::from(m / p)) != 1)
            {
                return root;
            }
            candidate += 1;
        }
    }
}

/// Of polynomials over GF(2).
fn common_divisor(mut a: u64, mut b: u64) -> u64 {
    while b != 0 {
        while a != 0 && a.ilog2() >= b.ilog2() {
            a ^= b << (a.ilog2() - b.ilog2());
        }
        (a, b) = (b, a);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_multiplicative_group_has_its_order() {
        for degree in 1..=12 {
            let field = Field::new(degree);
            assert_eq!(field.polynomial.ilog2(), degree);
            for value in 1..1_u64 << degree {
                assert_eq!(field.power(value, (1 << degree) - 1), 1);
            }
            let ones: u64 = (0..1_u64 << degree).map(|value| field.trace(value)).sum();
            assert_eq!(ones, 1 << (degree - 1));
        }
        // The largest degree that is used: x^(2^60) = x, and traces are bits.
        let large = Field::new(60);
        let value = 0x0123_4567_89ab_cdef >> 4;
        assert_eq!(large.power(value, (1 << 60) - 1), 1);
        assert!(large.trace(value) <= 1);
        // Products of two irreducible polynomials pass the first condition only.
        let product = Field {
            degree: 5,
            polynomial: 0b111 ^ 0b1110 ^ 0b111000,
        };
        assert!(!product.is_field());
    }

    #[test]
    fn roots_have_exactly_their_order() {
        let field = Field::new(8);
        let root = field.root_of_unity(255, &[3, 5, 17]);
        let mut power = root;
        for _ in 1..255 {
            assert_ne!(power, 1);
            power = field.multiply(power, root);
        }
        assert_eq!(power, 1);
    }
}
