//! Sums of many words.

use super::{Family, Unit};
use crate::library::{self, Word};
use crate::{Builder, Wire};

fn build(b: &mut Builder, words: &[Word]) -> Vec<Word> {
    let all: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
    vec![library::add_all(b, words[0].len(), &all)]
}

fn sum(_: usize, values: &[u128]) -> Vec<u128> {
    vec![values.iter().fold(0, |sum, &value| value.wrapping_add(sum))]
}

/// Every sum of four and of ten words, as many as the papers add, modulo 2ⁿ.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(Family::Summation, "sum_of_four", |n| vec![n; 4], build, sum),
        Unit::new(Family::Summation, "sum_of_ten", |n| vec![n; 10], build, sum),
    ]
}
