//! Whole lookups of every kind: the noise of the sum that goes in, made of outputs of rotations,
//! and of what is rounded in the end, after key switch and modulus switch.
//!
//! A bank of rotations of random values gives all functions that any kind asks for; a kind takes as
//! many rotations for a sample as its sources say, and no rotation twice. Where a source has two
//! rotations of a form or more, several samples come from the same rotations by adding them with
//! signs, the rows of a Walsh matrix: two rows for pairs, sixteen for 15 and 32. Such sums are
//! uncorrelated but for what has no partner (a carry: 1 % of a slice, 30 % of a full adder; one of
//! sixteen for the compressor), and nearly normal. With a correlation of r their squares correlate
//! by r², so that two samples count as 2/(1 + r²): 9 % fewer at worst.

use super::BITS;
use super::parties::{Parties, nibble};
use super::samples::Samples;
use crate::lookup::weighted_sum;
use crate::modulus_switch::modulus_switch;
use crate::noise::{KINDS, Kind};
use crate::parameters::{BIT_SCALE, P16, P16_UNIFORM};
use crate::secret::phase;
use crate::{Lookup, LweCiphertext, TruthTable};

/// A rotation of a value, and its outputs for [`tables`].
pub(super) type Rotated = (u32, Vec<LweCiphertext>);

/// How many rotations one bank holds: a multiple of sixteen that no kind has to cut up.
const BANK: usize = 480;

/// Every table that some of these kinds take from a rotation.
pub(super) fn tables(kinds: &[Kind]) -> Vec<TruthTable> {
    let sources = kinds.iter().flat_map(|kind| kind.sources);
    let outputs = sources.flat_map(|source| source.outputs);
    let mut tables: Vec<_> = outputs.map(|(table, _)| *table).collect();
    tables.sort_unstable();
    tables.dedup();
    tables
}

/// Rotations of random values, for the tables given.
pub(super) fn bank(parties: &mut Parties, tables: &[TruthTable], count: usize) -> Vec<Rotated> {
    let mut scratch = parties.server.scratch(16);
    let mut rotated = Vec::with_capacity(count);
    while rotated.len() < count {
        let (values, bits) = parties.values(16.min(count - rotated.len()));
        let terms: Vec<_> = bits.chunks(4).map(nibble).collect();
        let lookups: Vec<_> = terms
            .iter()
            .map(|terms| Lookup {
                terms,
                constant: 0,
                tables,
            })
            .collect();
        let outputs = parties.server.lookup_many(&mut scratch, &lookups).unwrap();
        rotated.extend(values.into_iter().zip(outputs));
    }
    rotated
}

/// The sum of a kind over rotations, each with a sign that depends on its place in its source:
/// the terms, and the value.
pub(super) fn sum<'a>(
    kind: &Kind,
    tables: &[TruthTable],
    rotations: &'a [Rotated],
    sign: impl Fn(u32) -> i8,
) -> (Vec<(&'a LweCiphertext, i8)>, i64) {
    let (mut terms, mut value) = (Vec::new(), 0);
    let sources = kind.sources.iter();
    let each = sources.flat_map(|source| (0..source.count).map(move |at| (source, at)));
    for ((source, at), (t, outputs)) in each.zip(rotations) {
        for (table, weight) in source.outputs {
            let place = tables.iter().position(|known| known == table).unwrap();
            let weight = weight * sign(at);
            terms.push((&outputs[place], weight));
            value += i64::from(weight) * i64::from(table.at(*t));
        }
    }
    (terms, value)
}

/// Rotations that one sum of a kind takes.
pub(super) fn rotations_of(kind: &Kind) -> usize {
    let counts = kind.sources.iter().map(|source| source.count as usize);
    counts.sum()
}

/// `count` samples of every kind.
fn kinds(parties: &mut Parties, count: usize, tolerance: f64) {
    let parameters = *parties.server.parameters();
    let budget = parties.budget();
    let tables = tables(&KINDS);
    let mut scratch = parties.server.scratch(1);
    let mut samples = KINDS.map(|kind| (kind, [Samples::default(); 2]));
    let enough = |samples: &[Samples; 2]| samples[0].count >= count as f64;
    while !samples.iter().all(|(_, samples)| enough(samples)) {
        let bank = bank(parties, &tables, BANK);
        for (kind, samples) in &mut samples {
            let each = rotations_of(kind);
            let signs = match kind.sources.iter().map(|source| source.count).max() {
                Some(15..) => 16,
                Some(2..) => 2,
                _ => 1,
            };
            for rotations in bank.chunks_exact(each) {
                if enough(samples) {
                    break;
                }
                for row in 0..signs {
                    // Row 0 adds all.
                    let walsh = |at: u32| 1 - 2 * ((at & row).count_ones() as i8 & 1);
                    let (terms, value) = sum(kind, &tables, rotations, walsh);
                    let lookup = Lookup {
                        terms: &terms,
                        constant: 0,
                        tables: &[],
                    };
                    weighted_sum(&lookup, &mut scratch.sum);
                    let big = parties.secret.big_bits();
                    // What an exact sum of 0 gives.
                    let empty = Lookup {
                        terms: &[],
                        ..lookup
                    };
                    let got = phase(&scratch.sum, big);
                    let mut exact = vec![0; scratch.sum.len()];
                    weighted_sum(&empty, &mut exact);
                    let message = (value as u64).wrapping_mul(BIT_SCALE);
                    let expected = message.wrapping_add(*exact.last().unwrap());
                    samples[0].add(got.wrapping_sub(expected));

                    let small = &mut scratch.small;
                    let switch = &parties.server.key_switch;
                    switch.switch(&scratch.sum, &mut scratch.key_switch, small);
                    let bits = parameters.log2_rotations();
                    let mut switched = vec![0; small.len()];
                    modulus_switch(small, parameters.block_bits(), bits, &mut switched);
                    let wide = switched.iter().map(|&x| u64::from(x) << (64 - bits));
                    let wide: Vec<u64> = wide.collect();
                    let rounded = phase(&wide, parties.secret.small_bits());
                    samples[1].add(rounded.wrapping_sub(expected));
                }
            }
        }
    }
    let of = parties.conditions();
    for (kind, [sum, whole]) in &samples {
        let predicted = kind.factor(&budget) * budget.rotation;
        sum.assert(
            of,
            &format!("{}: operands", kind.name),
            predicted,
            tolerance,
        );
        let name = format!("{}: whole lookup", kind.name);
        whole.assert(of, &name, kind.variance(&budget), tolerance);
        // Never less than the switches alone, as well as this many samples tell, nor than fresh
        // encryptions.
        let switches = budget.key_switch + budget.modulus_switch;
        assert!(whole.variance() > switches / (1.0 + tolerance));
        assert!(sum.variance() > budget.fresh);
    }
}

/// 160 samples of each: √(2/160) = 11 %. A false alarm is below 10^-6.
#[test]
#[ignore = "slow: 11 s"]
fn p16_kinds() {
    kinds(&mut Parties::new(P16, 4), 160, 1.0);
}

/// 10,000 samples of each, from 30,000 rotations: a variance is known to 1.4 %, and fused
/// arithmetic makes a rotation's nine tenths of what is predicted; the tolerance is six deviations
/// more.
#[test]
#[ignore = "30,000 rotations, 90 seconds"]
fn p16_kinds_10000() {
    kinds(&mut Parties::new(P16, 10), 10_000, 0.2);
}

/// As above.
#[test]
#[ignore = "30,000 rotations, 360 seconds"]
fn p16_uniform_kinds_10000() {
    kinds(&mut Parties::new(P16_UNIFORM, 12), 10_000, 0.2);
}

/// The bits of t in the order of [`super::BITS`] are among the tables.
#[test]
fn kinds_name_the_bits() {
    let tables = tables(&KINDS);
    assert!(BITS.iter().all(|bit| tables.contains(bit)));
}
