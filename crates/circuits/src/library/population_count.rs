//! Counting ones.
//!
//! * [`population_count`]: all bits are one column, added by [`columns`](super::columns): with
//!   lookups 15:4 compressors, 3 of them for 32 bits and what adds their sums up; with gates full
//!   adders only, `n − h` ANDs where h is the number of ones in n written in binary. No circuit has
//!   fewer ANDs (J. Boyar and R. Peralta, Tight bounds for the multiplicative complexity of
//!   symmetric functions, 2008). Several cores may take halves instead, by modelled time.
//! * [`population_count_by_halves`]: the classical tree of adders. Two bits are added by a half
//!   adder, two counts of k bits by k full adders: for n = 2ᵏ, `2n − k − 2` ANDs.

use super::add::add_with;
use super::choice::Question;
use super::columns::Columns;
use super::weighted::capacity;
use super::word::Word;
use crate::architectures::{Adder, Formula};
use crate::{Builder, Wire};

/// The number of ones, as a word of as many bits as were counted.
///
/// ```
/// use blindcore_circuits::library::{self, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// assert_eq!(library::population_count(b, &constant(0b0001_1010, 8)), constant(3, 8));
/// ```
pub fn population_count(b: &mut Builder, x: &[Wire]) -> Word {
    let by_halves = capacity(b).is_none() && b.profile().cores > 1 && {
        let n = x.len();
        let question = Question {
            family: "count of ones",
            width: n,
            words: 1,
            candidates: &[false, true],
            formula: &|_| None,
            draw: &|b, by_halves| {
                let x = b.inputs(n);
                count(b, by_halves, &x)
            },
        };
        question.answer(b)
    };
    let mut ones = count(b, by_halves, x);
    ones.resize(x.len(), Wire::FALSE);
    ones
}

fn count(b: &mut Builder, by_halves: bool, x: &[Wire]) -> Word {
    if by_halves {
        return halves(b, x);
    }
    let mut columns = Columns::new(bits_of_count(x.len()));
    for &bit in x {
        columns.push(0, bit);
    }
    columns.sum(b)
}

/// The number of ones by a tree of ripple adders.
pub(in crate::library) fn population_count_by_halves(b: &mut Builder, x: &[Wire]) -> Word {
    let mut count = halves(b, x);
    count.resize(x.len(), Wire::FALSE);
    count
}

/// The count in as few bits as the greatest one needs.
fn halves(b: &mut Builder, x: &[Wire]) -> Word {
    if x.len() < 2 {
        return x.to_vec();
    }
    let (low, high) = x.split_at(x.len().div_ceil(2));
    let (mut low, mut high) = (halves(b, low), halves(b, high));
    let width = low.len().max(high.len());
    low.resize(width, Wire::FALSE);
    high.resize(width, Wire::FALSE);
    let added = add_with(b, Adder::Ripple, &low, &high, Wire::FALSE);
    let mut count = added.sum;
    count.push(added.carry);
    count.truncate(bits_of_count(x.len()));
    count
}

/// What [`population_count_by_halves`] takes on gates.
pub(super) fn gates_by_halves(n: usize) -> Formula {
    arrivals(n).0
}

/// All gates of a count of n bits, and by bit of the result the gates on the longest path to it.
fn arrivals(n: usize) -> (Formula, Vec<usize>) {
    if n < 2 {
        return (Formula::default(), vec![0; n]);
    }
    let ((low, low_bits), (high, high_bits)) = (arrivals(n.div_ceil(2)), arrivals(n / 2));
    let mut total = Formula {
        ands: low.ands + high.ands,
        xors: low.xors + high.xors,
        ..Formula::default()
    };
    let mut bits = Vec::new();
    let mut carry: Option<usize> = None;
    for (at, &x) in low_bits.iter().enumerate() {
        let carries = at + 1 < bits_of_count(n);
        let next = match (high_bits.get(at), carry) {
            (Some(&y), Some(c)) => {
                let (xc, yc) = (x.max(c) + 1, y.max(c) + 1);
                bits.push(xc.max(y) + 1);
                total.xors += if carries { 4 } else { 2 };
                xc.max(yc) + 2
            }
            (other, c) => {
                let both = x.max(other.copied().or(c).unwrap_or(0)) + 1;
                bits.push(both);
                total.xors += 1;
                both
            }
        };
        total.ands += usize::from(carries);
        carry = Some(next);
    }
    if bits.len() < bits_of_count(n) {
        bits.extend(carry);
    }
    total.depth = bits.iter().copied().max().unwrap_or(0);
    (total, bits)
}

/// The bits of a number from 0 to `most`.
fn bits_of_count(most: usize) -> usize {
    (usize::BITS - most.leading_zeros()) as usize
}
