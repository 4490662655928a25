//! The library's own multiplier: all partial products and the addend meet in columns that are added
//! once ([`columns`](crate::library::columns)).
//!
//! * Targets with lookups: products of three-bit digits as half squares
//!   ([`squares`]), 88 lookups for 32 × 32 → 32 and 143 for 32 × 32 → 64, or of
//!   two-bit digits ([`digits`]) for short words, squares and words with clear
//!   digits; then compressors.
//! * Targets with gates: n(n + 1)/2 ANDs (n² for the long product) and full adders; signed after
//!   Baugh and Wooley.
//! * An operand that is wholly clear: shifted copies of the other
//!   ([`by_constant`](super::by_constant)), and no product costs anything.

use super::by_constant::copies;
use crate::library::columns::Columns;
use crate::library::word::{Signedness, clear_value};
use crate::library::{digits, squares, weighted};
use crate::{Builder, Wire};

/// Bits from which on digits of three bits cost less than those of two.
const SQUARES: usize = 18;

/// Adds or subtracts `x·y` to columns.
pub(super) fn gather(
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
