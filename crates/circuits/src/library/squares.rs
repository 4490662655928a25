//! Partial products for targets with lookups: three bits times three bits in one rotation.
//!
//! A lookup reads one sum, and the sum of two digits of three bits has only fifteen values. Their
//! product is not a function of it, but half a square is:
//!
//! `a·d = f(a + d) + w(a) + w(d)` with `f(s) = s(s − 7)/2` and `w(a) = a(7 − a)/2`.
//!
//! So nine bit products cost one lookup of six bits, where digits of two bits
//! ([`digits`](super::digits)) give four for one. What is left are corrections that depend on one
//! digit each: `w` takes the values 0, 3, 5 and 6, one lookup for each digit, and column group k of
//! the product (weight 8ᵏ) needs the sum of those of all digits that occur in it: in the lower half
//! `w(a₀) + … + w(aₖ)` and the same of d, a running sum from the bottom, in the upper half one
//! from the top. Running sums are kept as loose bits until they are many, then added up.
//!
//! The choice of 7 is that of least cost: it makes `w` symmetrical (three bits instead of five) and
//! `f` a number of six bits. 32 × 32 → 32 bits: 66 + 22 lookups instead of 136, and fewer bits to
//! add. Below some twenty bits the corrections cost more than they save.
//!
//! Noise: both digits have weights 1, 2 and 4, so that hardly any operand has to be renewed.
//!
//! Source: quarter-square multiplication (J. Blater, Table of quarter-squares, 1888; the tables of
//! analogue and table-driven multipliers since), with the linear term moved to where it is free.

use super::columns::Columns;
use super::weighted::{functions, functions_inside};
use super::word::{Signedness, Word};
use crate::{Builder, Wire};

/// Bits of a digit.
const DIGIT: usize = 3;
/// The sum that two digits need.
pub(super) const RANGE: u32 = 14;
/// Loose bits of a running sum that are added up.
const LOOSE: usize = 24;

/// `s(s − 7)/2`.
fn half_square(sum: i32) -> i32 {
    sum * (sum - 7) / 2
}

/// A digit: its bits, the lowest of weight 1, and what its value is.
struct Digit<'a> {
    bits: &'a [Wire],
    signed: bool,
}

impl Digit<'_> {
    /// The bits with their weights; a sign counts negatively.
    fn terms(&self) -> impl Iterator<Item = (Wire, i8)> {
        let top = self.bits.len() - 1;
        self.bits.iter().enumerate().map(move |(at, &bit)| {
            let weight = 1i8 << at;
            (
                bit,
                if self.signed && at == top {
                    -weight
                } else {
                    weight
                },
            )
        })
    }
}

/// Whether words can be multiplied this way at all: no digit is wholly clear (products with such
/// digits cost less), and the words are not the same (a square's products come in equal pairs).
pub(super) fn suits(x: &[Wire], y: &[Wire]) -> bool {
    let secret = |digit: &[Wire]| digit.iter().any(|bit| bit.as_constant().is_none());
    x != y && x.chunks(DIGIT).chain(y.chunks(DIGIT)).all(secret)
}

/// Adds (or with `negative` subtracts) `x·y` to the columns.
pub(super) fn products(
    b: &mut Builder,
    columns: &mut Columns,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    negative: bool,
) {
    assert_eq!(
        x.len(),
        y.len(),
        "the corrections pair digits of both words"
    );
    let x = quieter(b, x, noise(b, y));
    let y = quieter(b, y, noise(b, &x));
    let (x, y) = (digits(&x, signedness), digits(&y, signedness));
    let groups = columns.width().div_ceil(DIGIT).min(x.len() + y.len() - 1);
    for k in 0..groups {
        for (i, a) in x.iter().enumerate().take(k + 1) {
            if let Some(d) = y.get(k - i) {
                let terms: Vec<(Wire, i8)> = a.terms().chain(d.terms()).collect();
                let bits = number(b, columns, DIGIT * k, &terms, half_square, negative);
                push(columns, DIGIT * k, &bits, negative);
            }
        }
    }
    // From the bottom: group k has the digits 0 to k of both words.
    let mut sum = Running::default();
    for k in 0..groups.min(x.len().min(y.len())) {
        for digit in [&x[k], &y[k]] {
            sum.add(b, digit, columns.width() - DIGIT * k);
        }
        sum.push(b, columns, DIGIT * k, negative);
    }
    // From the top: those from k + 1 less the other word's number of digits on.
    let mut sum = Running::default();
    for k in (x.len().max(y.len())..x.len() + y.len() - 1).rev() {
        for digit in [&x[k + 1 - y.len()], &y[k + 1 - x.len()]] {
            sum.add(b, digit, usize::MAX);
        }
        if k < groups {
            sum.push(b, columns, DIGIT * k, negative);
        }
    }
}

/// The largest variance of a digit.
fn noise(b: &Builder, word: &[Wire]) -> f64 {
    let of = |bits| {
        let digit = Digit {
            bits,
            signed: false,
        };
        b.variance(&digit.terms().collect::<Vec<_>>())
    };
    word.chunks(DIGIT).map(of).fold(0.0, f64::max)
}

/// The word with those digits renewed that are too noisy beside the other word's.
fn quieter(b: &mut Builder, word: &[Wire], other: f64) -> Word {
    let allowed = (b.noise_limit() - other).max(b.noise_limit() / 2.0);
    let mut quiet = Word::with_capacity(word.len());
    for bits in word.chunks(DIGIT) {
        if noise(b, bits) <= allowed {
            quiet.extend_from_slice(bits);
            continue;
        }
        let digit = Digit {
            bits,
            signed: false,
        };
        let terms: Vec<(Wire, i8)> = digit.terms().collect();
        quiet.extend(functions(b, &terms, bits.len(), |t| t as u32));
    }
    quiet
}

fn digits(word: &[Wire], signedness: Signedness) -> Vec<Digit<'_>> {
    let unsigned = |bits| Digit {
        bits,
        signed: false,
    };
    let mut digits: Vec<Digit<'_>> = word.chunks(DIGIT).map(unsigned).collect();
    if let (Signedness::Signed, Some(top)) = (signedness, digits.last_mut()) {
        top.signed = true;
    }
    digits
}

/// The bits of a function of a sum above its least value, and that value into the columns.
fn number(
    b: &mut Builder,
    columns: &mut Columns,
    column: usize,
    terms: &[(Wire, i8)],
    f: impl Fn(i32) -> i32,
    negative: bool,
) -> Word {
    let (bits, least) = above_least(b, terms, columns.width() - column, f);
    columns.push_clear(column, i64::from(if negative { -least } else { least }));
    bits
}

/// At most `width` bits of `f(sum) − least`, and the least value.
fn above_least(
    b: &mut Builder,
    terms: &[(Wire, i8)],
    width: usize,
    f: impl Fn(i32) -> i32,
) -> (Word, i32) {
    let (mut low, mut high) = (0, 0);
    for &(wire, weight) in terms {
        let weight = i32::from(weight);
        let value = wire.as_constant().map(|value| i32::from(value) * weight);
        low += value.unwrap_or(weight.min(0));
        high += value.unwrap_or(weight.max(0));
    }
    let values = (low..=high).map(&f);
    let (least, most) = values.fold((i32::MAX, i32::MIN), |(least, most), value| {
        (least.min(value), most.max(value))
    });
    let count = (32 - (most - least).leading_zeros() as usize).min(width);
    let bits = functions_inside(b, terms, count, |sum| (f(sum) - least) as u32);
    (bits, least)
}

fn push(columns: &mut Columns, column: usize, bits: &[Wire], negative: bool) {
    match negative {
        false => columns.push_word(column, bits),
        true => columns.push_word_negative(column, bits),
    }
}

/// A sum of corrections that grows digit by digit.
#[derive(Default)]
struct Running {
    /// Bits by weight.
    bits: Vec<Word>,
    clear: i64,
}

impl Running {
    /// Adds `w` of a digit; of the sum only `width` bits are needed.
    fn add(&mut self, b: &mut Builder, digit: &Digit<'_>, width: usize) {
        let terms: Vec<(Wire, i8)> = digit.terms().collect();
        let (bits, least) = above_least(b, &terms, usize::MAX, |a| -half_square(a));
        self.clear += i64::from(least);
        if self.bits.len() < bits.len() {
            self.bits.resize(bits.len(), Word::new());
        }
        for (column, bit) in self.bits.iter_mut().zip(bits) {
            column.push(bit);
        }
        self.bits.truncate(width);
    }

    /// Adds the sum to the columns.
    fn push(&mut self, b: &mut Builder, columns: &mut Columns, at: usize, negative: bool) {
        if self.bits.iter().map(Vec::len).sum::<usize>() > LOOSE {
            // The highest sum of columns of these heights.
            let most: u64 = (0..)
                .zip(&self.bits)
                .map(|(at, column)| (column.len() as u64) << at)
                .sum();
            let mut sum = Columns::new((64 - most.leading_zeros()) as usize);
            for (column, bits) in self.bits.iter().enumerate() {
                for &bit in bits {
                    sum.push(column, bit);
                }
            }
            self.bits = sum.sum(b).into_iter().map(|bit| vec![bit]).collect();
        }
        for (column, bits) in self.bits.iter().enumerate() {
            for &bit in bits {
                push(columns, at + column, &[bit], negative);
            }
        }
        columns.push_clear(at, if negative { -self.clear } else { self.clear });
    }
}
