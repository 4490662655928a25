//! Sums of disjoint bits: a place of a shifted word, the sum of four masked bits of four rotations.

use super::parties::{Parties, nibble};
use super::samples::Samples;
use crate::parameters::{BIT_SCALE, P16, P16_UNIFORM};
use crate::secret::phase;
use crate::{Lookup, LweCiphertext, TruthTable};

/// A bit of t masked by its upper two bits: 1 where they say `step`.
fn masked(bit: u32, step: u32) -> TruthTable {
    TruthTable::of(|t| t >> 2 == step && t >> bit & 1 == 1)
}

/// `count` places, each of rotations of its own: `t = x + 2y + 4·step`, of which two give x and two
/// give y, as a shifter pairs them.
fn places(parties: &mut Parties, count: usize, tolerance: f64) {
    let budget = parties.budget();
    let mut scratch = parties.server.scratch(8);
    // By step: the bit that is taken, with ‖v‖² of 4 for x and 2 for y.
    let taken = [0, 1, 0, 1];
    let tables = [0, 1, 2, 3].map(|step| [masked(taken[step as usize], step)]);
    let mut samples = Samples::default();
    let mut seen = [0; 2];
    while samples.count < count as f64 {
        let (values, _) = parties.values(4);
        let step = values[0] >> 2;
        // The same two upper bits for all, in encryptions of their own.
        let bits: Vec<Vec<LweCiphertext>> = values
            .iter()
            .map(|value| {
                let bits = [value & 1, value >> 1 & 1, step & 1, step >> 1];
                let bits = bits.map(|bit| bit == 1);
                parties
                    .secret
                    .encrypt(&bits, &mut parties.generator)
                    .unpack()
            })
            .collect();
        let terms: Vec<_> = bits.iter().map(|bits| nibble(bits)).collect();
        let lookups: Vec<_> = terms
            .iter()
            .zip(&tables)
            .map(|(terms, tables)| Lookup {
                terms,
                constant: 0,
                tables,
            })
            .collect();
        let outputs = parties.server.lookup_many(&mut scratch, &lookups).unwrap();
        let masked: Vec<&LweCiphertext> = outputs.iter().flatten().collect();
        let place = parties.server.sum(&masked).unwrap();
        let chosen = values[step as usize] >> taken[step as usize] & 1;
        assert_eq!(parties.secret.decrypt(&place), Ok(chosen == 1));
        seen[chosen as usize] += 1;
        let expected = u64::from(chosen) * BIT_SCALE;
        let got = phase(&place.elements(), parties.secret.big_bits());
        samples.add(got.wrapping_sub(expected));
    }
    assert!(seen.iter().all(|&count| count > 0));
    // Each of the four is 1 at two of sixteen values.
    let predicted = budget.output(4.0 + 2.0 + 4.0 + 2.0, 4.0 * 2.0 / 16.0);
    samples.assert(
        parties.conditions(),
        "a sum of four masked bits",
        predicted,
        tolerance,
    );
    // Never less than one of its bits has.
    assert!(samples.variance() > budget.output(4.0, 2.0 / 16.0) / (1.0 + tolerance));
}

/// 160 samples: √(2/160) = 11 %. A false alarm is below 10^-6.
#[test]
#[ignore = "slow: 10 s"]
fn p16_sums() {
    places(&mut Parties::new(P16, 21), 160, 1.0);
}

/// 10,000 samples: a variance is known to 1.4 %, and fused arithmetic makes a rotation's nine
/// tenths of what is predicted; the tolerance is six deviations more.
#[test]
#[ignore = "40,000 rotations, 2 minutes"]
fn p16_sums_10000() {
    places(&mut Parties::new(P16, 22), 10_000, 0.2);
}

/// As above.
#[test]
#[ignore = "8,000 rotations, 2 minutes"]
fn p16_uniform_sums_2000() {
    places(&mut Parties::new(P16_UNIFORM, 23), 2_000, 0.35);
}
