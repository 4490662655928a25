//! Whole numbers of any width, as people write and read them: words of circuits, which no
//! [`Type`](crate::Type) holds.

use num_bigint::{BigInt, BigUint, Sign};
use num_traits::Num;

/// Most characters of a number: a word of a million bits in hexadecimal.
const TEXT_LIMIT: usize = 1 << 18;

/// Why a text is no word of a width.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WideError {
    /// No digits, or others than its base has.
    #[error("is not a whole number")]
    NotANumber,
    /// It takes more bits.
    #[error("does not fit {}", range(*width))]
    Range {
        /// Bits that there are.
        width: usize,
    },
}

fn range(width: usize) -> String {
    match width {
        0 => "0 bits".to_owned(),
        1..=64 => {
            let (lowest, highest) = (1u64 << (width - 1), u64::MAX >> (64 - width));
            format!("{width} bits (-{lowest} to {highest})")
        }
        _ => format!("{width} bits"),
    }
}

/// The bits of a number, the lowest first: of 0 to 2ʷ − 1, or down to −2ʷ⁻¹ in two's complement.
///
/// ```
/// use blindcore_values::{wide_bits, wide_decimal, wide_hexadecimal};
///
/// let bits = wide_bits("-0x1_0000", 72)?;
/// assert_eq!(wide_hexadecimal(&bits), "0xffffffffffffff0000");
/// assert_eq!(wide_decimal(&bits, true), "-65536");
/// # Ok::<(), blindcore_values::WideError>(())
/// ```
///
/// Decimal, or with `0x`, `0o` or `0b`; `_` may stand between digits. Quadratic in the digits.
///
/// # Errors
/// [`WideError`].
pub fn wide_bits(text: &str, width: usize) -> Result<Vec<bool>, WideError> {
    let text = text.trim();
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (Sign::Minus, rest),
        None => (Sign::Plus, text.strip_prefix('+').unwrap_or(text)),
    };
    let number = BigInt::from_biguint(sign, magnitude_of(magnitude)?);
    let used = number.magnitude().bits();
    let bits = width as u64;
    // −2ʷ⁻¹ has as many bits as the word, and is the one negative number that has.
    let lowest = used == bits && number.magnitude().trailing_zeros() == Some(bits.wrapping_sub(1));
    let fits = used <= bits && (number.sign() != Sign::Minus || used < bits || lowest);
    if !fits {
        return Err(WideError::Range { width });
    }
    Ok((0..bits).map(|at| number.bit(at)).collect())
}

fn magnitude_of(text: &str) -> Result<BigUint, WideError> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'o', ..] => (&lower[2..], 8),
        [b'0', b'b', ..] => (&lower[2..], 2),
        _ => (lower.as_str(), 10),
    };
    let begins = digits.starts_with(|first: char| first.is_ascii_alphanumeric());
    if !begins || digits.ends_with('_') || digits.len() > TEXT_LIMIT {
        return Err(WideError::NotANumber);
    }
    BigUint::from_str_radix(digits, radix).map_err(|_| WideError::NotANumber)
}

/// A word in decimal, negative where it is signed and its top bit says so.
#[must_use]
pub fn wide_decimal(bits: &[bool], signed: bool) -> String {
    let mut number = BigInt::from(magnitude(bits));
    if signed && bits.last() == Some(&true) {
        number -= BigInt::from(1) << bits.len();
    }
    number.to_string()
}

/// A word in hexadecimal, with all its digits.
#[must_use]
pub fn wide_hexadecimal(bits: &[bool]) -> String {
    let digits = bits.len().div_ceil(4);
    match digits {
        0 => "0x".to_owned(),
        _ => format!("0x{:0>digits$}", magnitude(bits).to_str_radix(16)),
    }
}

fn magnitude(bits: &[bool]) -> BigUint {
    let bytes = bits.chunks(8).map(|chunk| {
        let bits = chunk.iter().enumerate();
        bits.fold(0, |byte, (at, &bit)| byte | u8::from(bit) << at)
    });
    BigUint::from_bytes_le(&bytes.collect::<Vec<u8>>())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_any_width() {
        for (width, text, expected) in [
            (8, "255", "0xff"),
            (8, "-1", "0xff"),
            (8, "-128", "0x80"),
            (8, "-0", "0x00"),
            (8, "0x0f", "0x0f"),
            (8, "0b1_0", "0x02"),
            (5, "-16", "0x10"),
            (1, "1", "0x1"),
            (1, "-1", "0x1"),
            (
                128,
                "340282366920938463463374607431768211455",
                "0xffffffffffffffffffffffffffffffff",
            ),
            (72, "-1", "0xffffffffffffffffff"),
            (68, "0", "0x00000000000000000"),
        ] {
            let bits = wide_bits(text, width).unwrap();
            assert_eq!(bits.len(), width);
            assert_eq!(wide_hexadecimal(&bits), expected, "{text}");
        }
        let below = "does not fit 64 bits (-9223372036854775808 to 18446744073709551615)";
        for (width, text, expected) in [
            (8, "256", "does not fit 8 bits (-128 to 255)"),
            (8, "-129", "does not fit 8 bits (-128 to 255)"),
            (64, "18446744073709551616", below),
            (65, "0x20000000000000000", "does not fit 65 bits"),
            (0, "1", "does not fit 0 bits"),
            (0, "-1", "does not fit 0 bits"),
            (8, "", "is not a whole number"),
            (8, "1.5", "is not a whole number"),
            (8, "0x", "is not a whole number"),
            (8, "--1", "is not a whole number"),
            (8, "-+1", "is not a whole number"),
            (8, "0x+1", "is not a whole number"),
            (8, "_1", "is not a whole number"),
            (8, "1_", "is not a whole number"),
            (8, "9a", "is not a whole number"),
        ] {
            let error = wide_bits(text, width).unwrap_err();
            assert_eq!(error.to_string(), expected, "{text}");
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for width in [1, 7, 8, 31, 32, 33, 64, 65, 128, 200] {
            for signed in [false, true] {
                for seed in 0..50u64 {
                    let bits: Vec<bool> = (0..width as u64)
                        .map(|at| (seed.wrapping_mul(at * at + 7) >> 2) & 1 == 1 || seed == 49)
                        .collect();
                    for text in [wide_decimal(&bits, signed), wide_hexadecimal(&bits)] {
                        assert_eq!(wide_bits(&text, width).as_ref(), Ok(&bits), "{text}");
                    }
                }
            }
        }
        let bits = [false, true, true];
        assert_eq!(wide_decimal(&bits, true), "-2");
        assert_eq!(wide_decimal(&bits, false), "6");
        assert_eq!(
            (wide_decimal(&[], true), wide_hexadecimal(&[])),
            ("0".into(), "0x".into())
        );
    }
}
