//! Multiplication, with an addend for nothing.
//!
//! All partial products and the addend meet in columns that are added once
//! ([`columns`](super::columns)).
//!
//! * Targets with lookups: products of three-bit digits as half squares
//!   ([`squares`](super::squares)), 88 lookups for 32 × 32 → 32 and 143 for 32 × 32 → 64, or of
//!   two-bit digits ([`digits`](super::digits)) for short words, squares and words with clear
//!   digits; then compressors.
//! * Targets with gates: n(n + 1)/2 ANDs (n² for the long product) and full adders; signed after
//!   Baugh and Wooley.
//! * An operand that is wholly clear: its non-zero signed digits select shifted copies of the
//!   other, at most half as many as it has bits, and no product costs anything.

use std::fmt;
use std::str::FromStr;

use super::architectures::{UnknownArchitecture, by_name};
use super::columns::Columns;
use super::{Signedness, Word, clear_value, digits, squares, weighted};
use crate::{Builder, Wire};

/// A multiplier's architecture.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Multiplier {
    /// Products of single bits (gates) or of digits (lookups), added in columns.
    Columns,
}

impl Multiplier {
    /// All architectures.
    #[must_use]
    pub fn all() -> Vec<Self> {
        vec![Self::Columns]
    }
}

impl fmt::Display for Multiplier {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Columns => "columns",
        })
    }
}

impl FromStr for Multiplier {
    type Err = UnknownArchitecture;

    fn from_str(name: &str) -> Result<Self, UnknownArchitecture> {
        by_name("multiplier", Self::all(), name)
    }
}

/// Bits from which on digits of three bits cost less than those of two.
const SQUARES: usize = 18;

/// The low n bits of `x·y`.
pub fn multiply(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    low_product(b, x, y, None, false)
}

/// The low n bits of `x·y + addend`.
pub fn multiply_add(b: &mut Builder, x: &[Wire], y: &[Wire], addend: &[Wire]) -> Word {
    low_product(b, x, y, Some(addend), false)
}

/// The low n bits of `minuend − x·y`.
pub fn multiply_subtract(b: &mut Builder, x: &[Wire], y: &[Wire], minuend: &[Wire]) -> Word {
    low_product(b, x, y, Some(minuend), true)
}

/// All 2n bits of `x·y`.
pub fn multiply_long(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    let mut columns = Columns::new(2 * x.len());
    gather(b, &mut columns, signedness, x, y, false);
    columns.sum(b)
}

/// The low 2n bits of `x·y + addend`, where the addend has 2n bits.
pub fn multiply_add_long(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    addend: &[Wire],
) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    assert_eq!(
        addend.len(),
        2 * x.len(),
        "an addend of another width than the product"
    );
    let mut columns = Columns::new(addend.len());
    columns.push_word(0, addend);
    gather(b, &mut columns, signedness, x, y, false);
    columns.sum(b)
}

fn low_product(
    b: &mut Builder,
    x: &[Wire],
    y: &[Wire],
    addend: Option<&[Wire]>,
    negative: bool,
) -> Word {
    assert_eq!(x.len(), y.len(), "operands of different widths");
    let mut columns = Columns::new(x.len());
    if let Some(addend) = addend {
        assert_eq!(
            addend.len(),
            x.len(),
            "an addend of another width than the factors"
        );
        columns.push_word(0, addend);
    }
    gather(b, &mut columns, Signedness::Unsigned, x, y, negative);
    columns.sum(b)
}

/// Adds or subtracts `x·y` to columns.
fn gather(
    b: &mut Builder,
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    negative: bool,
) {
    if let Some(factor) = clear_value(y) {
        return copies(columns, signedness, x, factor, y.len(), negative);
    }
    if let Some(factor) = clear_value(x) {
        return copies(columns, signedness, y, factor, x.len(), negative);
    }
    match weighted::capacity(b) {
        Some(capacity)
            if capacity >= squares::RANGE
                && x.len().min(y.len()) >= SQUARES
                && squares::suits(x, y) =>
        {
            squares::products(b, columns, signedness, x, y, negative);
        }
        Some(capacity) if capacity >= digits::RANGE => {
            digits::products(b, columns, signedness, x, y, negative);
        }
        _ => single_bits(b, columns, signedness, x, y, negative),
    }
}

/// Products of single bits, an AND each.
fn single_bits(
    b: &mut Builder,
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    negative: bool,
) {
    let is_sign =
        |at: usize, word: &[Wire]| signedness == Signedness::Signed && at + 1 == word.len();
    for (i, &x_bit) in x.iter().enumerate() {
        for (j, &y_bit) in y.iter().enumerate().take(columns.width().saturating_sub(i)) {
            let bit = b.and(x_bit, y_bit);
            match is_sign(i, x) ^ is_sign(j, y) ^ negative {
                false => columns.push(i + j, bit),
                true => columns.push_negative(i + j, bit),
            }
        }
    }
}

/// `x` times a clear factor: one shifted copy of `x`, added or subtracted, for each non-zero digit
/// of the factor's non-adjacent form (G. W. Reitwiesner, Binary arithmetic, 1960).
pub(super) fn copies(
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    factor: u128,
    factor_width: usize,
    negative: bool,
) {
    let mut at = 0;
    let mut rest = factor;
    while rest != 0 {
        if rest & 1 == 1 {
            // Digit 1 or −1, such that the next one is 0.
            let minus = rest & 2 != 0;
            copy(columns, signedness, x, at, minus ^ negative);
            rest = if minus { rest + 1 } else { rest - 1 };
        }
        rest >>= 1;
        at += 1;
    }
    // A set sign bit was counted as +2ʷ⁻¹ instead of −2ʷ⁻¹.
    let sign = factor_width
        .checked_sub(1)
        .is_some_and(|top| factor >> top & 1 == 1);
    if signedness == Signedness::Signed && sign {
        copy(columns, signedness, x, factor_width, !negative);
    }
}

/// Adds or subtracts `x·2^at`.
fn copy(columns: &mut Columns, signedness: Signedness, x: &[Wire], at: usize, negative: bool) {
    let mut low = x;
    if let (Signedness::Signed, Some((&sign, rest))) = (signedness, x.split_last()) {
        match negative {
            true => columns.push(at + rest.len(), sign),
            false => columns.push_negative(at + rest.len(), sign),
        }
        low = rest;
    }
    match negative {
        true => columns.push_word_negative(at, low),
        false => columns.push_word(at, low),
    }
}
