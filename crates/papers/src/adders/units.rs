//! The sums of tables III and IV as circuits of 16 bits.
//!
//! On gates each is drawn as §IV of the paper draws it, its full adders with two ANDs, sums modulo
//! 2^16: chains of adders for four numbers; full adders in rows for carry-save and Wallace, then a
//! ripple adder. The carry-select adder adds with a carry of 0 and of 1 and selects by the carry
//! in; without one nothing would be selected, so that it has an encrypted carry in. The lookup
//! engine adds the same numbers as the library chooses.

use circuits::library::{self, Adder, Architectures, Summation, Word};
use circuits::{Builder, Profile, Wire};

use super::super::bench::CheckedCircuit;
use super::paper::WIDTH;
use super::run::Design;

/// Columns of the look-ahead adder's blocks: the paper's example.
const BLOCK: &str = "look-ahead-4";

/// What is forced to draw a row of the paper.
fn drawn(name: &str) -> Architectures {
    let adder: Option<Adder> = match name {
        "CLA" => BLOCK.parse().ok(),
        "CSSA" => Some(Adder::CarrySelectWhole),
        _ => Some(Adder::RippleTwoAnd),
    };
    let summation: Option<Summation> = match name {
        "CSA" => "carry-save".parse().ok(),
        "WALLACE" => "wallace".parse().ok(),
        _ => None,
    };
    Architectures {
        adder,
        summation,
        ..Architectures::default()
    }
}

/// A row's circuit on gates.
pub(super) fn gates(profile: &Profile, design: Design) -> CheckedCircuit {
    let Design { name, operands } = design;
    let mut profile = profile.clone();
    profile.architectures = drawn(name);
    match name {
        "CSSA" => CheckedCircuit::build(
            &profile,
            vec![WIDTH, WIDTH, 1],
            |b, w| vec![library::add_with_carry(b, &w[0], &w[1], w[2][0]).sum],
            Box::new(|words| vec![words.iter().sum()]),
        ),
        "CSA" | "WALLACE" => CheckedCircuit::of_sum(&profile, WIDTH, operands, all),
        _ => CheckedCircuit::of_sum(&profile, WIDTH, operands, |b, words| {
            let chain = |sum: Option<Word>, word: &Word| match sum {
                None => Some(word.clone()),
                Some(sum) => Some(library::add(b, &sum, word)),
            };
            words.iter().fold(None, chain).unwrap_or_default()
        }),
    }
}

/// The sum of `operands` numbers by lookups.
pub(super) fn lookups(profile: &Profile, operands: usize) -> CheckedCircuit {
    CheckedCircuit::of_sum(profile, WIDTH, operands, all)
}

fn all(b: &mut Builder, words: &[Word]) -> Word {
    let words: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
    library::add_all(b, WIDTH, &words)
}

#[cfg(test)]
mod tests {
    use random::Generator;

    use super::super::paper::{FOUR, TWO};
    use super::*;

    #[test]
    fn every_row_adds() {
        let mut generator = Generator::from_key([5; 32]);
        let mut profile = Profile::gate_simulation();
        profile.cost.xor = 1.0;
        profile.cost.mux = 2.0;
        for row in TWO.iter().chain(&FOUR) {
            let checked = gates(
                &profile,
                Design {
                    name: row.name,
                    operands: row.operands,
                },
            );
            checked.check(row.name, &mut generator).unwrap();
            // Every architecture that the paper names can be forced.
            let drawn = drawn(row.name);
            assert!(drawn.adder.is_some(), "{}", row.name);
        }
        for operands in 2..=4 {
            let checked = lookups(&Profile::lookup_simulation(), operands);
            checked.check("lookups", &mut generator).unwrap();
            assert!(checked.size.bootstraps < 30, "{:?}", checked.size);
        }
    }

    #[test]
    fn two_adders_are_twice_one() {
        let mut profile = Profile::gate_simulation();
        profile.cost.xor = 1.0;
        profile.cost.mux = 2.0;
        let [ripple, _, _, select] = TWO.map(|row| {
            gates(
                &profile,
                Design {
                    name: row.name,
                    operands: row.operands,
                },
            )
            .size
        });
        // 2n − 3 ANDs and 3n − 3 XORs.
        assert_eq!((ripple.ands, ripple.xors), (29, 45));
        assert_eq!(select.muxes, WIDTH - 1);
        assert!(select.bootstraps > 2 * ripple.bootstraps);
    }
}
