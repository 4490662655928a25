//! Partial products for targets with lookups: two bits times two bits in one.
//!
//! `t = a₀ + 2a₁ + 4b₀ + 8b₁` names both digits, and one lookup gives all bits of their product,
//! n²/4 lookups instead of n² ANDs. In a signed word the top digit is −2a₁ + a₀; the table knows,
//! the product is two's complement, and its top bit counts negatively: the correction terms of
//! Baugh and Wooley (A two's complement parallel array multiplication algorithm, 1973) are what
//! remains of that, as constants.
//!
//! The word with less noise takes the large weights. If it is still too noisy it is renewed, a
//! lookup for each two bits, which serves all n/2 products of that digit.

use super::columns::Columns;
use super::quiet::{self, renew};
use super::weighted::functions;
use super::{Signedness, Word};
use crate::{Builder, Wire};

/// Bits of a digit.
const DIGIT: usize = 2;
/// The sum that two digits need.
pub(super) const RANGE: u32 = 15;

/// Adds (or with `negative` subtracts) `x·y` to the columns.
pub(super) fn products(
    b: &mut Builder,
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    negative: bool,
) {
    let square = x == y;
    let (low, mut high): (Word, Word) = match quiet::worst(b, x) < quiet::worst(b, y) {
        true => (y.to_vec(), x.to_vec()),
        false => (x.to_vec(), y.to_vec()),
    };
    // Weights 1 and 2 for one digit, 4 and 8 for the other.
    let noise = 5.0 * quiet::worst(b, &low) + 80.0 * quiet::worst(b, &high);
    if noise > quiet::limit(b) {
        high = renew(b, &high);
    }
    let (low, high) = (digits(&low, signedness), digits(&high, signedness));
    for (i, a) in low.iter().enumerate() {
        for (j, d) in high.iter().enumerate() {
            // In a square the digits' products come in equal pairs.
            let (skipped, doubled) = (square && j < i, square && j > i);
            let column = DIGIT * (i + j) + usize::from(doubled);
            if skipped || column >= columns.width() {
                continue;
            }
            let count = (columns.width() - column).min(2 * DIGIT);
            let signed = a.signed || d.signed;
            for (bit, wire) in product(b, a, d, count).into_iter().enumerate() {
                let counts_negatively = signed && bit + 1 == 2 * DIGIT;
                match counts_negatively ^ negative {
                    false => columns.push(column + bit, wire),
                    true => columns.push_negative(column + bit, wire),
                }
            }
        }
    }
}

/// One or two bits of a word.
struct Digit<'a> {
    bits: &'a [Wire],
    signed: bool,
}

impl Digit<'_> {
    fn value(&self, bits: i32) -> i32 {
        let top = 1 << (self.bits.len() - 1);
        if self.signed && bits & top != 0 { bits - 2 * top } else { bits }
    }
}

fn digits(word: &[Wire], signedness: Signedness) -> Vec<Digit<'_>> {
    let mut digits: Vec<Digit<'_>> =
        word.chunks(DIGIT).map(|bits| Digit { bits, signed: false }).collect();
    if let (Signedness::Signed, Some(top)) = (signedness, digits.last_mut()) {
        top.signed = true;
    }
    digits
}

/// The lowest `count` bits of a product of two digits, two's complement in four bits.
fn product(b: &mut Builder, low: &Digit<'_>, high: &Digit<'_>, count: usize) -> Vec<Wire> {
    let weigh = |digit: &Digit<'_>, first: u32| -> Vec<(Wire, i8)> {
        let at = |(at, &wire): (usize, &Wire)| (wire, 1i8 << (first as usize + at));
        digit.bits.iter().enumerate().map(at).collect()
    };
    let shift = low.bits.len() as u32;
    let mut terms = weigh(low, 0);
    terms.extend(weigh(high, shift));
    functions(b, &terms, count, |t| {
        let (a, d) = (t & ((1 << shift) - 1), t >> shift);
        (low.value(a) * high.value(d)) as u32
    })
}
