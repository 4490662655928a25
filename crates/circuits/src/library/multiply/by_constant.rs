//! Multiplication by a clear number: canonical signed digits.
//!
//! The factor is written with digits −1, 0 and 1 such that no two neighbours are both not 0, its
//! non-adjacent form. Each digit that is not 0 is one shifted copy of the word, added or subtracted
//! for nothing but the addition: at most ⌈(w + 1)/2⌉ copies for w bits, w/3 + 4/9 of them on
//! average, and no form of the same digits has fewer. No product costs anything; a power of two
//! costs nothing at all.
//!
//! With gates, d digits of which the highest copies cut at n bits take less than `(d − 1)·n` full
//! adders of one AND each; with lookups the copies go through the compressors of
//! [`columns`](crate::library::columns).
//!
//! Source: G. W. Reitwiesner, Binary arithmetic, Advances in Computers 1, 1960.

use crate::library::columns::Columns;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// The low n bits of `x` times a clear factor.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// // 7 = 8 − 1: two copies of the word, shifted.
/// assert_eq!(library::copies_for(7), 2);
/// assert_eq!(library::multiply_by(b, &constant(6, 8), 7), constant(42, 8));
/// ```
pub fn multiply_by(b: &mut Builder, x: &[Wire], factor: u64) -> Word {
    let mut columns = Columns::new(x.len());
    let factor = u128::from(factor);
    copies(&mut columns, Signedness::Unsigned, x, factor, 64, false);
    columns.sum(b)
}

/// The number of shifted copies that are added: the digits of the factor's non-adjacent form that
/// are not 0.
#[must_use]
pub const fn copies_for(factor: u64) -> u32 {
    // Digit i is not 0 where bits i + 1 of 3f and of f differ (H. Prodinger, 2000).
    let factor = factor as u128;
    ((3 * factor) ^ factor).count_ones()
}

/// The digits −1, 0 and 1 of a factor of up to 127 bits, lowest first, no two neighbours of which
/// are both not 0.
pub(super) fn signed_digits(factor: u128) -> Vec<i8> {
    let mut digits = Vec::new();
    let mut rest = factor;
    while rest != 0 {
        let digit = match rest & 3 {
            1 => 1,
            3 => -1,
            _ => 0,
        };
        rest = match digit {
            1 => rest - 1,
            -1 => rest + 1,
            _ => rest,
        } >> 1;
        digits.push(digit);
    }
    digits
}

/// Adds or subtracts `x` times a clear factor, whose top bit of `factor_width` counts negatively
/// where words are signed.
pub(in crate::library) fn copies(
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    factor: u128,
    factor_width: usize,
    negative: bool,
) {
    for (at, digit) in signed_digits(factor).into_iter().enumerate() {
        if digit != 0 {
            copy(columns, signedness, x, at, (digit < 0) ^ negative);
        }
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
