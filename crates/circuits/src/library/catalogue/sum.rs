//! Sums of many words.

use super::unit::{Family, Unit};
use crate::architectures::{Architectures, Summation};
use crate::library::{self, Word};
use crate::{Builder, Wire};

/// Modulo 2ⁿ, as wide as the words.
fn modular(b: &mut Builder, words: &[Word]) -> Vec<Word> {
    let all: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
    vec![library::add_all(b, words[0].len(), &all)]
}

/// As wide as the sum can become.
fn growing(b: &mut Builder, words: &[Word]) -> Vec<Word> {
    let all: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
    let bits = words.len().next_power_of_two().ilog2() as usize;
    vec![library::add_all(b, words[0].len() + bits, &all)]
}

fn sum(_: usize, values: &[u128]) -> Vec<u128> {
    vec![values.iter().fold(0, |sum, &value| value.wrapping_add(sum))]
}

/// Every sum of three, four and ten words, as many as the papers add. They say that a sum of two
/// has n + 1 bits and draw n of them: sums of more stand here modulo 2ⁿ, and those of four and ten
/// also whole.
pub(super) fn units() -> Vec<Unit> {
    let unit =
        |operation, operands, build| Unit::new(Family::Summation, operation, operands, build, sum);
    let operations = [
        unit("sum_of_three", |n| vec![n; 3], modular)
            .costing(|forced, n| forced.summation?.formula(n, 3)),
        unit("sum_of_four", |n| vec![n; 4], modular)
            .costing(|forced, n| forced.summation?.formula(n, 4)),
        unit("sum_of_ten", |n| vec![n; 10], modular)
            .costing(|forced, n| forced.summation?.formula(n, 10)),
        unit("whole_sum_of_four", |n| vec![n; 4], growing),
        unit("whole_sum_of_ten", |n| vec![n; 10], growing),
    ];
    let mut units = Vec::new();
    for operation in operations {
        units.push(operation.clone());
        for summation in Summation::all() {
            let forced = Architectures {
                summation: Some(summation),
                ..Architectures::default()
            };
            units.push(operation.forced(summation, summation.source(), forced));
        }
    }
    units
}
