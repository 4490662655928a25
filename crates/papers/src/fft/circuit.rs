//! The circuits of table 3: numbers of 32 bits added modulo 2^32.
//!
//! The paper adds ten numbers "with 9 carry lookahead adders" of 32 bits and says neither how they
//! are connected nor that sums grow: taken here as a chain, each adder's 32 sum bits going into the
//! next, carries out of the top column dropped. The lookup engine adds the same numbers its own
//! way: all columns through compressors, carries once.

use std::num::NonZeroUsize;

use circuits::library::{Adder, Word, add_all, add_with};
use circuits::{Profile, Wire};

use super::super::bench::CheckedCircuit;

/// Bits of a number.
pub(super) const WIDTH: usize = 32;

/// A chain of carry look-ahead adders with blocks of one size.
pub(super) fn chained(profile: &Profile, operands: usize, block: NonZeroUsize) -> CheckedCircuit {
    let adder = Adder::BlockLookahead(block);
    CheckedCircuit::of_sum(profile, WIDTH, operands, |b, words| {
        let chain = |sum: Option<Word>, word: &Word| match sum {
            None => Some(word.clone()),
            Some(sum) => Some(add_with(b, adder, &sum, word, Wire::FALSE).sum),
        };
        words.iter().fold(None, chain).unwrap_or_default()
    })
}

/// All numbers through one compressor tree.
pub(super) fn compressed(profile: &Profile, operands: usize) -> CheckedCircuit {
    CheckedCircuit::of_sum(profile, WIDTH, operands, |b, words| {
        let words: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
        add_all(b, WIDTH, &words)
    })
}

#[cfg(test)]
mod tests {
    use random::Generator;

    use super::*;

    #[test]
    fn chains_are_as_large_as_the_papers_formulas_say() {
        let mut generator = Generator::from_key([7; 32]);
        let profile = Profile::gate_simulation();
        for (block, gates) in [(4, 214), (8, 214), (16, 196), (32, 154)] {
            let block = NonZeroUsize::new(block).unwrap();
            let sum = chained(&profile, 10, block);
            assert_eq!(sum.size.bootstraps, 9 * gates);
            sum.check("chain", &mut generator).unwrap();
        }
    }

    #[test]
    fn lookups_need_a_fraction() {
        let sum = compressed(&Profile::lookup_simulation(), 10);
        sum.check("sum", &mut Generator::from_key([8; 32])).unwrap();
        assert!(sum.size.bootstraps < 100, "{:?}", sum.size);
    }
}
