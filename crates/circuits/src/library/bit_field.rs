//! Bit fields and orders of bits and bytes: which wire goes where, and no gate.
//!
//! Clear positions only, as in A32, where they are part of the instruction. Names in brackets are
//! A32's.
//!
//! Source: ARM Architecture Reference Manual ARMv7-A, A8.8 (BFC, BFI, UBFX, SBFX, RBIT, REV, REV16,
//! REVSH); X. Gong, D. Negrut, CryptoEmu, 2020, §V-G.
//!
//! # Panics
//! A field that reaches beyond its word, and bytes of a word that is not a number of bytes wide,
//! are the caller's mistake and asserted.

use super::word::{Signedness, Word};
use crate::Wire;

/// Bits per byte.
const BYTE: usize = 8;

/// `x` with `width` bits from bit `lowest` on cleared (BFC).
#[must_use]
pub fn clear_field(x: &[Wire], lowest: usize, width: usize) -> Word {
    insert_field(x, &vec![Wire::FALSE; width], lowest)
}

/// `x` with all bits of `field` in place of its own from bit `lowest` on (BFI).
#[must_use]
pub fn insert_field(x: &[Wire], field: &[Wire], lowest: usize) -> Word {
    assert_within(x, lowest, field.len());
    let mut word = x.to_vec();
    word[lowest..lowest + field.len()].copy_from_slice(field);
    word
}

/// `width` bits of `x` from bit `lowest` on, extended to the width of `x` with zeros (UBFX) or with
/// the field's top bit (SBFX).
///
/// ```
/// use blindcore_circuits::library::{self, Signedness::*, constant};
///
/// let x = constant(0x1234_56f8, 32);
/// assert_eq!(library::extract_field(Unsigned, &x, 4, 4), constant(0xf, 32));
/// assert_eq!(library::extract_field(Signed, &x, 4, 4), constant(0xffff_ffff, 32));
/// assert_eq!(library::clear_field(&x, 4, 8), constant(0x1234_5008, 32));
/// assert_eq!(library::insert_field(&x, &constant(0xab, 8), 0), constant(0x1234_56ab, 32));
/// ```
#[must_use]
pub fn extract_field(signedness: Signedness, x: &[Wire], lowest: usize, width: usize) -> Word {
    assert_within(x, lowest, width);
    let mut word = x[lowest..lowest + width].to_vec();
    let fill = match (signedness, word.last()) {
        (Signedness::Signed, Some(&top)) => top,
        _ => Wire::FALSE,
    };
    word.resize(x.len(), fill);
    word
}

/// The bits in opposite order (RBIT).
///
/// ```
/// use blindcore_circuits::library::{self, constant};
///
/// let x = constant(0x1234_56f8, 32);
/// assert_eq!(library::reverse_bits(&x), constant(0x1f6a_2c48, 32));
/// assert_eq!(library::reverse_bytes(&x), constant(0xf856_3412, 32));
/// assert_eq!(library::reverse_bytes_of_halfwords(&x), constant(0x3412_f856, 32));
/// assert_eq!(library::reverse_bytes_signed(&x), constant(0xffff_f856, 32));
/// ```
#[must_use]
pub fn reverse_bits(x: &[Wire]) -> Word {
    x.iter().rev().copied().collect()
}

/// The bytes in opposite order (REV).
#[must_use]
pub fn reverse_bytes(x: &[Wire]) -> Word {
    assert_bytes(x, BYTE);
    x.rchunks(BYTE).flatten().copied().collect()
}

/// The two bytes of each halfword swapped (REV16).
#[must_use]
pub fn reverse_bytes_of_halfwords(x: &[Wire]) -> Word {
    assert_bytes(x, 2 * BYTE);
    x.chunks(2 * BYTE).flat_map(reverse_bytes).collect()
}

/// The lowest halfword with its bytes swapped, sign-extended (REVSH).
#[must_use]
pub fn reverse_bytes_signed(x: &[Wire]) -> Word {
    assert_bytes(x, 2 * BYTE);
    let swapped = x.get(..2 * BYTE).map(reverse_bytes).unwrap_or_default();
    let mut word = swapped;
    let sign = word.last().copied().unwrap_or(Wire::FALSE);
    word.resize(x.len(), sign);
    word
}

fn assert_within(x: &[Wire], lowest: usize, width: usize) {
    assert!(
        lowest.checked_add(width).is_some_and(|end| end <= x.len()),
        "a field of {width} bits from bit {lowest} on in a word of {} bits",
        x.len()
    );
}

fn assert_bytes(x: &[Wire], multiple: usize) {
    assert!(
        x.len().is_multiple_of(multiple),
        "a word of {} bits, where a multiple of {multiple} is asked for",
        x.len()
    );
}
