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
use super::quiet;
use super::weighted::functions;
use super::word::{Signedness, Word};
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
    // Weights 1 and 2 for the digits of one word, 4 and 8 for those of the other.
    let noise_of = |b: &Builder, word: &[Wire], scale: i8| -> f64 {
        let digits = word
            .chunks(DIGIT)
            .map(|digit| b.variance(&weigh(digit, scale)));
        digits.fold(0.0, f64::max)
    };
    let swap = noise_of(b, x, 4) < noise_of(b, y, 4);
    let (low, high) = if swap { (y, x) } else { (x, y) };
    let allowed = b.noise_limit() - noise_of(b, low, 1);
    let mut quiet_high = Word::with_capacity(high.len());
    for digit in high.chunks(DIGIT) {
        match *digit {
            [first, second] if b.variance(&weigh(digit, 4)) > allowed => {
                quiet_high.extend(quiet::renew_pair(b, first, second));
            }
            _ => quiet_high.extend_from_slice(digit),
        }
    }
    let (low, high) = (digits(low, signedness), digits(&quiet_high, signedness));
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
        if self.signed && bits & top != 0 {
            bits - 2 * top
        } else {
            bits
        }
    }
}

fn digits(word: &[Wire], signedness: Signedness) -> Vec<Digit<'_>> {
    let mut digits: Vec<Digit<'_>> = word
        .chunks(DIGIT)
        .map(|bits| Digit {
            bits,
            signed: false,
        })
        .collect();
    if let (Signedness::Signed, Some(top)) = (signedness, digits.last_mut()) {
        top.signed = true;
    }
    digits
}

/// A digit's bits with weights from `scale` on.
fn weigh(bits: &[Wire], scale: i8) -> Vec<(Wire, i8)> {
    bits.iter()
        .enumerate()
        .map(|(at, &wire)| (wire, scale << at))
        .collect()
}

/// The lowest `count` bits of a product of two digits, two's complement in four bits.
fn product(b: &mut Builder, low: &Digit<'_>, high: &Digit<'_>, count: usize) -> Vec<Wire> {
    let shift = low.bits.len() as u32;
    let mut terms = weigh(low.bits, 1);
    terms.extend(weigh(high.bits, 1 << shift));
    functions(b, &terms, count, |t| {
        let (a, d) = (t & ((1 << shift) - 1), t >> shift);
        (low.value(a) * high.value(d)) as u32
    })
}
