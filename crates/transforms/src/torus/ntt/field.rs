//! The field of `p = 2^64 − 2^32 + 1` elements, for the tables: plain arithmetic on canonical
//! representatives, by 128-bit remainders. The kernels have arithmetic of their own, in `limbs`.
//!
//! With `φ = 2^32` the prime is `φ² − φ + 1`, the sixth cyclotomic polynomial at `φ`: hence `φ² = φ
//! − 1`, `φ³ = −1`, and 2 is a root of unity of order 192. The multiplicative group has order `p −
//! 1 = 2^32·(2^32 − 1)`, which holds roots of every order `2N` that the rings here need.

/// The prime.
pub(crate) const P: u64 = 0xffff_ffff_0000_0001;

/// `2^32`, which the limbs are digits to the base of.
pub(crate) const PHI: u64 = 1 << 32;

/// `2^64 − p`: what a carry out of 64 bits is worth.
pub(crate) const EPSILON: u64 = PHI - 1;

/// A generator of the multiplicative group.
const GENERATOR: u64 = 7;

pub(crate) fn multiply(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(P)) as u64
}

pub(crate) fn power(base: u64, exponent: u64) -> u64 {
    let mut result = 1;
    for bit in (0..u64::BITS).rev() {
        result = multiply(result, result);
        if exponent >> bit & 1 == 1 {
            result = multiply(result, base);
        }
    }
    result
}

/// The inverse, by Fermat's little theorem; 0 for 0.
pub(crate) fn inverse(a: u64) -> u64 {
    power(a, P - 2)
}

/// A primitive root of unity of order `2^log_order` (at least 64, at most `2^32`) whose power of
/// order 64 is 8: eighth roots of unity are then powers of `2^24`, and products by them shifts.
pub(crate) fn root_of_unity(log_order: u32) -> u64 {
    let any = power(GENERATOR, (P - 1) >> log_order);
    // Its power of order 64 is 8^t for some odd t, and raising it to 1/t makes that 8.
    let order_64 = power(any, 1 << (log_order - 6));
    let odd = (1..64).step_by(2).find(|&t| power(order_64, t) == 8);
    power(any, odd.unwrap_or(1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_prime_is_a_cyclotomic_polynomial_at_two_to_the_32() {
        let phi = i128::from(PHI);
        assert_eq!(i128::from(P), phi * phi - phi + 1);
        assert_eq!(multiply(PHI, PHI), PHI - 1);
        assert_eq!(power(2, 96), P - 1);
        assert_eq!(multiply(P - 1, P - 1), 1);
        // 7 generates: its powers by the group's order over each prime factor of it are not 1.
        for factor in [2, 3, 5, 17, 257, 65_537] {
            assert_ne!(power(GENERATOR, (P - 1) / factor), 1);
        }
        assert_eq!(power(GENERATOR, P - 1), 1);
    }

    #[test]
    fn inverses() {
        for a in [1, 2, 7, EPSILON, PHI, P - 1, 0x1234_5678_9abc_def0] {
            assert_eq!(multiply(a, inverse(a)), 1);
        }
    }

    #[test]
    fn roots_have_their_order_and_contain_eight() {
        for log_order in 6..=17 {
            let root = root_of_unity(log_order);
            assert_eq!(power(root, 1 << (log_order - 1)), P - 1);
            assert_eq!(power(root, 1 << (log_order - 6)), 8);
            assert_eq!(power(root, 1 << (log_order - 3)), 1 << 24);
        }
    }
}
