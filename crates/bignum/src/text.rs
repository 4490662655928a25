//! Numbers as text: decimal by divide and conquer, hexadecimal digit by digit.
//!
//! Decimal digits go nineteen to a limb; pairs of parts are then joined by products with
//! `10^(19·2^k)`, or a number is split by divisions by these powers, whose reciprocals are computed
//! once each: `O(M(n) log n)`. (Brent and Zimmermann, Modern Computer Arithmetic, §1.7.)

use crate::division::{self, Divisor};
use crate::{Error, Multiplier, limbs};

/// Decimal digits that a limb holds.
const DIGITS: usize = 19;
/// `10^19`.
const LIMB: u64 = 10_000_000_000_000_000_000;
/// Limbs of nineteen digits that are joined or split one by one.
const PART: usize = 64;

/// How far a conversion is: what is done, and of how much.
pub type Progress<'a> = &'a mut dyn FnMut(u64, u64);

/// Why a text is no number.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// A byte that is no digit.
    #[error("byte {position} of the text is no digit: {}", Shown(*.byte))]
    Digit {
        /// Its place, from 0.
        position: usize,
        /// The byte.
        byte: u8,
    },
    /// Nothing but white space.
    #[error("the text has no digit")]
    Empty,
    /// A product in the conversion failed.
    #[error(transparent)]
    Arithmetic(#[from] Error),
}

/// A byte as it is shown to people.
struct Shown(u8);

impl std::fmt::Display for Shown {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            byte @ 0x20..0x7F => write!(f, "'{}'", char::from(byte)),
            byte => write!(f, "0x{byte:02x}"),
        }
    }
}

/// The number that decimal digits write, without zeros at the top. White space around them is left
/// out.
///
/// # Errors
/// [`TextError::Digit`] for anything else, [`TextError::Empty`] if there is none.
pub fn from_decimal(
    text: &[u8],
    with: &Multiplier,
    progress: Progress<'_>,
) -> Result<Vec<u64>, TextError> {
    let digits = digits(text, &[], |byte| byte.is_ascii_digit())?;
    let mut parts: Vec<Vec<u64>> = digits.rchunks(DIGITS * PART).map(part).collect();
    let levels = u64::from(parts.len().next_power_of_two().ilog2());
    let mut power = power_of_ten(PART);
    for level in 0..levels {
        let pairs = parts.len().div_ceil(2);
        let mut joined = Vec::with_capacity(pairs);
        let mut pieces = parts.into_iter();
        while let Some(low) = pieces.next() {
            joined.push(match pieces.next() {
                Some(high) => join(high, &low, &power, with)?,
                None => low,
            });
            progress(
                1000 * level + 1000 * joined.len() as u64 / pairs as u64,
                1000 * levels,
            );
        }
        parts = joined;
        if level + 1 < levels {
            power = squared(&power, with)?;
        }
    }
    let mut number = parts.pop().unwrap_or_default();
    number.truncate(limbs::length(&number));
    Ok(number)
}

/// Decimal digits of a number; `0` for zero.
///
/// # Errors
/// [`Error::Broken`] if the machine computes wrongly.
pub fn to_decimal(
    number: &[u64],
    with: &Multiplier,
    progress: Progress<'_>,
) -> Result<String, Error> {
    let number = limbs::trim(number);
    // Powers until the square of the last is longer than the number.
    let mut powers = Vec::new();
    let mut power = power_of_ten(PART);
    while power.len() < number.len() {
        let next = if 2 * power.len() <= number.len() + 1 {
            Some(squared(&power, with)?)
        } else {
            None
        };
        powers.push(Divisor::new(&power, power.len(), with)?);
        match next {
            Some(next) => power = next,
            None => break,
        }
    }
    let mut writer = Writer {
        text: String::with_capacity(number.len() * 20),
        powers: &powers,
        with,
        progress,
        total: (number.len() * 20) as u64,
    };
    writer.write(number.to_vec(), powers.len(), true)?;
    let text = writer.text;
    Ok(if text.is_empty() {
        "0".to_owned()
    } else {
        text
    })
}

/// The number that hexadecimal digits write, without zeros at the top. White space around them and
/// `0x` before them are left out.
///
/// # Errors
/// As [`from_decimal`].
pub fn from_hexadecimal(text: &[u8]) -> Result<Vec<u64>, TextError> {
    let digits = digits(text, b"0x", |byte| byte.is_ascii_hexdigit())?;
    let mut number: Vec<u64> = digits
        .rchunks(16)
        .map(|chunk| {
            let values = chunk.iter().map(|&byte| char::from(byte).to_digit(16));
            values.fold(0, |limb, digit| limb << 4 | u64::from(digit.unwrap_or(0)))
        })
        .collect();
    number.truncate(limbs::length(&number));
    Ok(number)
}

/// Hexadecimal digits of a number, small letters, without a prefix; `0` for zero.
#[must_use]
pub fn to_hexadecimal(number: &[u64]) -> String {
    use std::fmt::Write;
    let mut limbs = limbs::trim(number).iter().rev();
    let Some(top) = limbs.next() else {
        return "0".to_owned();
    };
    let mut text = String::with_capacity(16 * number.len());
    // Writing to a string cannot fail.
    let _ = write!(text, "{top:x}");
    for limb in limbs {
        let _ = write!(text, "{limb:016x}");
    }
    text
}

/// The digits between white space, behind a prefix, all of them checked.
fn digits<'a>(
    text: &'a [u8],
    prefix: &[u8],
    is_digit: impl Fn(u8) -> bool,
) -> Result<&'a [u8], TextError> {
    let trimmed = text.trim_ascii();
    let start = text.len() - text.trim_ascii_start().len();
    let (digits, start) = match trimmed.strip_prefix(prefix) {
        Some(rest) => (rest, start + trimmed.len() - rest.len()),
        None => (trimmed, start),
    };
    match digits.iter().position(|&byte| !is_digit(byte)) {
        Some(at) => Err(TextError::Digit {
            position: start + at,
            byte: digits[at],
        }),
        None if digits.is_empty() => Err(TextError::Empty),
        None => Ok(digits),
    }
}

/// The number of a few digits.
fn part(digits: &[u8]) -> Vec<u64> {
    let mut number = Vec::with_capacity(digits.len() / DIGITS + 1);
    let first = match digits.len() % DIGITS {
        0 => DIGITS,
        short => short,
    };
    let (first, rest) = digits.split_at(first.min(digits.len()));
    for chunk in std::iter::once(first).chain(rest.chunks(DIGITS)) {
        let limb = chunk
            .iter()
            .fold(0, |limb, &byte| 10 * limb + u64::from(byte - b'0'));
        let carry = scale(&mut number, LIMB, limb);
        number.push(carry);
    }
    number
}

/// `number·by + carry`, with the limb out.
fn scale(number: &mut [u64], by: u64, mut carry: u64) -> u64 {
    for limb in number {
        let t = u128::from(*limb) * u128::from(by) + u128::from(carry);
        (*limb, carry) = (t as u64, (t >> 64) as u64);
    }
    carry
}

/// `high·power + low`.
fn join(high: Vec<u64>, low: &[u64], power: &[u64], with: &Multiplier) -> Result<Vec<u64>, Error> {
    let (high, low) = (limbs::trim(&high), limbs::trim(low));
    let mut joined = vec![0; high.len() + power.len()];
    with.multiply(&mut joined, high, power)?;
    limbs::add_assign(&mut joined, low);
    Ok(joined)
}

/// `10^(19·limbs)`.
fn power_of_ten(limbs: usize) -> Vec<u64> {
    let mut power = vec![1];
    for _ in 0..limbs {
        let carry = scale(&mut power, LIMB, 0);
        power.push(carry);
    }
    power
}

fn squared(power: &[u64], with: &Multiplier) -> Result<Vec<u64>, Error> {
    let mut square = vec![0; 2 * power.len()];
    with.square(&mut square, power)?;
    square.truncate(limbs::length(&square));
    Ok(square)
}

/// Writes digits from the top down.
struct Writer<'a> {
    text: String,
    powers: &'a [Divisor],
    with: &'a Multiplier,
    progress: Progress<'a>,
    total: u64,
}

impl Writer<'_> {
    /// Writes a number below the power of a level; with the zeros at its top unless it is the
    /// first.
    fn write(&mut self, mut number: Vec<u64>, level: usize, first: bool) -> Result<(), Error> {
        let Some(below) = level.checked_sub(1) else {
            self.write_part(number, first);
            (self.progress)((self.text.len() as u64).min(self.total), self.total);
            return Ok(());
        };
        let divisor = &self.powers[below];
        let length = number.len().max(divisor.limbs());
        number.resize(length, 0);
        let mut high = vec![0; length - divisor.limbs() + 1];
        let mut low = vec![0; divisor.limbs()];
        divisor.divide(&mut high, &mut low, &number, self.with)?;
        drop(number);
        high.truncate(limbs::length(&high));
        let silent = first && high.is_empty();
        if !silent {
            self.write(high, below, first)?;
        }
        self.write(low, below, silent)
    }

    /// Writes up to [`PART`] limbs of digits.
    fn write_part(&mut self, mut number: Vec<u64>, first: bool) {
        number.truncate(limbs::length(&number));
        let mut parts = Vec::with_capacity(PART);
        while !number.is_empty() {
            let shift = LIMB.leading_zeros();
            debug_assert_eq!(shift, 0, "the divisor's top bit is set");
            let mut quotient = vec![0; number.len()];
            number.push(0);
            division::by_rows(&mut quotient, &mut number, &[LIMB]);
            parts.push(number[0]);
            quotient.truncate(limbs::length(&quotient));
            number = quotient;
        }
        if !first {
            parts.resize(PART, 0);
        }
        let mut parts = parts.into_iter().rev();
        if first && let Some(top) = parts.next() {
            self.text.push_str(&top.to_string());
        }
        for part in parts {
            self.text.push_str(&format!("{part:019}"));
        }
    }
}
