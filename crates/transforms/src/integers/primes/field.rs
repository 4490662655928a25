//! Arithmetic modulo one prime of at most 50 bits, one number at a time: what tables are made with.

/// The order of the group of roots that every prime here has: transforms of `2^k` and `3·2^k`
/// points up to `2^21`, and square roots of their roots.
pub(super) const ORDER: u64 = 3 << 22;

/// Three primes whose product bounds the coefficients that can be recovered, and how lazily kernels
/// may reduce modulo them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Primes {
    /// Below `2^48`: sixteen times each fits 52 bits, so that vectors are reduced once in four
    /// layers.
    Narrow,
    /// Below `2^50`: for longer sums of products and more points.
    Wide,
}

impl Primes {
    /// The largest below the bound with `p ≡ 1 (mod 9·2^22)`.
    pub(super) fn moduli(self) -> [u64; 3] {
        match self {
            Self::Narrow => [0xffff_f840_0001, 0xffff_d200_0001, 0xffff_9300_0001],
            Self::Wide => [0x3_ffff_f540_0001, 0x3_ffff_e580_0001, 0x3_ffff_d5c0_0001],
        }
    }

    /// Products of two limbs that may be added in a coefficient: `capacity·2^128` is below the
    /// primes' product, or below half of it where coefficients have signs, by a factor of at least
    /// `1 + 2^-22`.
    pub(super) fn capacity(self, signed: bool) -> u64 {
        let whole = top_words(self.moduli());
        let bound = if signed { whole / 2 } else { whole };
        bound - 1
    }
}

/// The product of three such primes divided by `2^128`, rounded down.
fn top_words([p, q, r]: [u64; 3]) -> u64 {
    let pq = u128::from(p) * u128::from(q);
    let (low, high) = (pq as u64, (pq >> 64) as u64);
    let carry = (u128::from(low) * u128::from(r)) >> 64;
    ((u128::from(high) * u128::from(r) + carry) >> 64) as u64
}

/// The integers modulo a prime, with a root of unity of order [`ORDER`].
#[derive(Debug, Clone, Copy)]
pub(super) struct Field {
    pub(super) p: u64,
    root: u64,
}

impl Field {
    /// `p` is one of [`Primes::moduli`].
    pub(super) fn new(p: u64) -> Self {
        let mut field = Self { p, root: 1 };
        // The power of any `g` has an order that divides `ORDER`; it is `ORDER` itself if neither
        // the square root of 1 that it leads to nor the cube root is 1. One in three is.
        let root = (2..p)
            .map(|g| field.power(g, (p - 1) / ORDER))
            .find(|&x| field.power(x, ORDER / 2) != 1 && field.power(x, ORDER / 3) != 1);
        field.root = root.unwrap_or(1);
        field
    }

    pub(super) fn multiply(self, a: u64, b: u64) -> u64 {
        (u128::from(a) * u128::from(b) % u128::from(self.p)) as u64
    }

    pub(super) fn power(self, base: u64, mut exponent: u64) -> u64 {
        let (mut result, mut square) = (1, base);
        while exponent > 0 {
            if exponent & 1 == 1 {
                result = self.multiply(result, square);
            }
            square = self.multiply(square, square);
            exponent >>= 1;
        }
        result
    }

    /// Of a number that is not divisible by the prime.
    pub(super) fn invert(self, x: u64) -> u64 {
        self.power(x, self.p - 2)
    }

    /// A primitive root of unity of that order, which divides [`ORDER`]; consistent between orders.
    pub(super) fn root(self, order: u64) -> u64 {
        self.power(self.root, ORDER / order)
    }

    /// `2^exponent`.
    pub(super) fn power_of_two(self, exponent: u64) -> u64 {
        self.power(2, exponent)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Miller–Rabin with the bases that decide below `3·10^24`.
    fn is_prime(n: u64) -> bool {
        let field = Field { p: n, root: 1 };
        let twos = (n - 1).trailing_zeros();
        [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37]
            .iter()
            .all(|&base| {
                let mut x = field.power(base, (n - 1) >> twos);
                let mut passes = x == 1 || x == n - 1;
                for _ in 1..twos {
                    x = field.multiply(x, x);
                    passes |= x == n - 1;
                }
                passes
            })
    }

    #[test]
    fn moduli_are_primes_with_the_roots_that_transforms_need() {
        for (primes, bits) in [(Primes::Narrow, 48), (Primes::Wide, 50)] {
            for p in primes.moduli() {
                assert!(is_prime(p), "{p}");
                assert!(p < 1 << bits && p > (1 << bits) - (1 << 32));
                assert_eq!((p - 1) % ORDER, 0);
                let field = Field::new(p);
                assert_eq!(field.power(field.root, ORDER), 1);
                assert_ne!(field.power(field.root, ORDER / 2), 1);
                assert_ne!(field.power(field.root, ORDER / 3), 1);
                assert_eq!(field.power(field.root(48), 3), field.root(16));
                assert_eq!(field.multiply(field.invert(12_345), 12_345), 1);
            }
        }
        assert!(!is_prime(0xffff_f840_0003));
    }

    #[test]
    fn capacities() {
        assert_eq!(Primes::Narrow.capacity(false), 65_534);
        assert_eq!(Primes::Narrow.capacity(true), 32_766);
        assert_eq!(Primes::Wide.capacity(false), 4_194_298);
        assert_eq!(Primes::Wide.capacity(true), 2_097_148);
    }
}
