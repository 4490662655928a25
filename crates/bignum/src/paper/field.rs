//! The field of `p = 2^64 − 2^32 + 1` elements as the paper computes in it (§III-C): one product of
//! 64 bits, reduced by a few sums of its four halves.
//!
//! `2^64 = 2^32 − 1` and `2^96 = −1` modulo `p`, so 2 has order 192 and 8 is a root of unity of
//! order 64. Elements are canonical, below `p`.

use super::POINTS;

/// The prime.
pub const PRIME: u64 = 0xffff_ffff_0000_0001;

/// A root of unity of order 65,536 whose 4,096th power is `2^12`, the least that there is: with it
/// every transform of 16 points is shifts and sums.
///
/// The root that the paper prints, [`PRINTED_ROOT`], has another order.
pub const ROOT: u64 = 0x001d_bad3_d629_a262;

/// What the paper's §III-C prints as its root of order 65,536. Its order is `3·2^32`, so that its
/// 65,536th power is not 1 and no transform of that length comes from it.
pub const PRINTED_ROOT: u64 = 0xe965_3c8d_efa8_60a9;

/// `a·b`, by `2^32·(b + c) − a − b + d` of the four halves of the product (figure 7).
pub const fn multiply(x: u64, y: u64) -> u64 {
    let product = x as u128 * y as u128;
    let (a, b) = ((product >> 96) as i128, (product >> 64) as u32 as i128);
    let (c, d) = ((product >> 32) as u32 as i128, product as u32 as i128);
    // Between −2^33 and 2^66.
    (((b + c) << 32) - a - b + d).rem_euclid(PRIME as i128) as u64
}

/// `base^exponent`.
pub const fn power(base: u64, mut exponent: u64) -> u64 {
    let (mut result, mut square) = (1, base);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square);
        }
        square = multiply(square, square);
        exponent >>= 1;
    }
    result
}

/// The powers of [`ROOT`], from 0 to 65,535: what the paper's 30 memories of twiddle factors hold
/// parts of.
pub fn powers() -> Vec<u64> {
    let mut powers = Vec::with_capacity(POINTS);
    let mut element = 1;
    for _ in 0..POINTS {
        powers.push(element);
        element = multiply(element, ROOT);
    }
    powers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_remainders() {
        let some = [0, 1, 2, 0xffff_ffff, 1 << 32, PRIME - 1, ROOT, PRINTED_ROOT];
        for x in some {
            for y in some {
                let expected = u128::from(x) * u128::from(y) % u128::from(PRIME);
                assert_eq!(multiply(x, y), expected as u64, "{x} times {y}");
            }
        }
    }

    #[test]
    fn the_root_has_its_order_and_contains_shifts() {
        assert_eq!(power(ROOT, 4096), 1 << 12);
        assert_eq!(power(ROOT, 1024), 8);
        assert_eq!(power(ROOT, 32_768), PRIME - 1);
        assert_eq!(power(ROOT, 65_536), 1);
    }

    #[test]
    fn no_smaller_root_contains_shifts() {
        // Roots R of order 65,536 with R^1024 = 8 are ROOT times the 1,024th roots of unity.
        let step = power(ROOT, 64);
        let (mut root, mut count) = (ROOT, 0);
        for _ in 0..1024 {
            assert_eq!(power(root, 1024), 8);
            assert!(root >= ROOT);
            root = multiply(root, step);
            count += 1;
        }
        assert_eq!((root, count), (ROOT, 1024));
    }

    #[test]
    fn the_printed_root_is_none() {
        assert_ne!(power(PRINTED_ROOT, 65_536), 1);
        assert_eq!(power(PRINTED_ROOT, 3 << 32), 1);
        assert_ne!(power(PRINTED_ROOT, 3 << 31), 1);
        assert_ne!(power(PRINTED_ROOT, 1 << 32), 1);
    }

    #[test]
    fn a_convolution_of_full_digits_fits() {
        let digit = (1u128 << 24) - 1;
        assert!(POINTS as u128 / 2 * digit * digit < u128::from(PRIME));
    }
}
