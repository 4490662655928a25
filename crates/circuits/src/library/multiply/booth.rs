//! Booth's multiplier: half as many rows as bits, each chosen by three bits of the second factor.
//!
//! The digits `d = b₂ⱼ₋₁ + b₂ⱼ − 2·b₂ⱼ₊₁` are −2 to 2 and `y = Σ d·4ʲ`. Row j is `d·x`: zero, x
//! or x shifted by a place, inverted where b₂ⱼ₊₁ is 1, which then adds the 1 that makes a
//! complement of an inversion (of zero, too: all ones and 1 are nothing).
//!
//! For targets with selectors: a bit of the second factor decides its place of all rows that it
//! occurs in, so that thirty-two bits need sixteen rotations, and a row bit six choices. What is left is
//! to add half as many bits as there are products of single bits; columns of them go into one lookup as
//! they are.
//!
//! Source: A. D. Booth, A signed binary multiplication technique, 1951; digits of two bits by
//! O. L. MacSorley, High-speed arithmetic in binary computers, Proc. IRE, 1961.

use super::problem::Problem;
use crate::library::columns::Columns;
use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// A word as it goes on above and below its bits.
struct Extended<'a> {
    bits: &'a [Wire],
    above: Wire,
}

impl<'a> Extended<'a> {
    fn new(bits: &'a [Wire], signedness: Signedness) -> Self {
        let above = match (signedness, bits.last()) {
            (Signedness::Signed, Some(&sign)) => sign,
            _ => Wire::FALSE,
        };
        Self { bits, above }
    }

    /// The bit at a place, counted from the word's lowest.
    fn at(&self, place: isize) -> Wire {
        match usize::try_from(place) {
            Ok(place) => self.bits.get(place).copied().unwrap_or(self.above),
            Err(_) => Wire::FALSE,
        }
    }
}

/// What a problem asks for.
pub(super) fn multiply(b: &mut Builder, problem: &Problem<'_>) -> Word {
    let &Problem {
        signedness, width, ..
    } = problem;
    let (x, y) = (problem.x, problem.y);
    let (n, is_signed) = (x.len(), signedness == Signedness::Signed);
    let (x, y) = (Extended::new(x, signedness), Extended::new(y, signedness));
    let mut columns = Columns::new(width);
    if let Some(addend) = problem.addend {
        columns.push_word(0, addend);
    }
    let push = |columns: &mut Columns, column, bit, is_negative: bool| match is_negative
        != problem.negative
    {
        false => columns.push(column, bit),
        true => columns.push_negative(column, bit),
    };
    // An unsigned number's last digit is its top bit alone.
    let end = if is_signed { n } else { n + 1 };
    for start in (0..end.min(width)).step_by(2) {
        let digit = [-1, 0, 1].map(|at| y.at(start as isize + at));
        // A multiple has n + 1 bits, the top one of a signed number its sign.
        for place in 0..(n + 1).min(width - start) {
            let ones = [x.at(place as isize), x.at(place as isize - 1)];
            let bit = row_bit(b, digit, ones);
            push(&mut columns, start + place, bit, is_signed && place == n);
        }
        let [.., sign] = digit;
        push(&mut columns, start, sign, false);
        if !is_signed {
            push(&mut columns, start + n + 1, sign, true);
        }
    }
    columns.sum(b)
}

/// A bit of a row: of zero, of x or of 2x, whose bits there are `one` and `two`, or inverted.
fn row_bit(b: &mut Builder, [low, middle, sign]: [Wire; 3], [one, two]: [Wire; 2]) -> Wire {
    let of_one = b.choose(sign, !one, one);
    // Digits 0 and −2, and 2 and −0.
    let without = b.choose(sign, !two, Wire::FALSE);
    let with = b.choose(sign, Wire::TRUE, two);
    let otherwise = b.choose(low, of_one, without);
    let then = b.choose(low, with, of_one);
    b.choose(middle, then, otherwise)
}
