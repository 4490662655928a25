//! The circuits of table 3: numbers of 32 bits added modulo 2^32.
//!
//! The paper adds ten numbers "with 9 carry lookahead adders" of 32 bits and says neither how they
//! are connected nor that sums grow: taken here as a chain, each adder's 32 sum bits going into the
//! next, carries out of the top column dropped. The lookup engine adds the same numbers its own
//! way: all columns through compressors, carries once.

use std::num::NonZeroUsize;

use circuits::library::{Adder, add_all, add_with};
use circuits::{Builder, Circuit, Op, Profile, Wire, passes, sim};
use random::Generator;

use super::super::super::internal;
use crate::failure::Failure;

/// Bits of a number.
pub(super) const WIDTH: usize = 32;

/// A circuit, its number of bootstraps and its longest chain of them.
pub(super) struct Sum {
    pub(super) circuit: Circuit,
    pub(super) gates: usize,
    pub(super) depth: usize,
}

impl Sum {
    /// A chain of carry look-ahead adders with blocks of one size.
    pub(super) fn chained(profile: &Profile, operands: usize, block: NonZeroUsize) -> Self {
        Self::of(profile, operands, |b, words| {
            let adder = Adder::BlockLookahead(block);
            let chain = |sum: Option<Vec<Wire>>, word: &Vec<Wire>| match sum {
                None => Some(word.clone()),
                Some(sum) => Some(add_with(b, adder, &sum, word, Wire::FALSE).sum),
            };
            words.iter().fold(None, chain).unwrap_or_default()
        })
    }

    /// All numbers through one compressor tree.
    pub(super) fn compressed(profile: &Profile, operands: usize) -> Self {
        Self::of(profile, operands, |b, words| {
            let words: Vec<&[Wire]> = words.iter().map(Vec::as_slice).collect();
            add_all(b, WIDTH, &words)
        })
    }

    fn of(
        profile: &Profile,
        operands: usize,
        add: impl FnOnce(&mut Builder, &[Vec<Wire>]) -> Vec<Wire>,
    ) -> Self {
        let mut b = Builder::new(profile);
        let words: Vec<Vec<Wire>> = (0..operands).map(|_| b.inputs(WIDTH)).collect();
        for bit in add(&mut b, &words) {
            b.output(bit);
        }
        let circuit = passes::prepare(&b.finish(), profile);
        let (gates, depth) = bootstraps(&circuit);
        Self {
            circuit,
            gates,
            depth,
        }
    }

    /// Compares the circuit with integers, in the clear and for sixty-four random sums.
    pub(super) fn check(&self, generator: &mut Generator) -> Result<(), Failure> {
        let inputs: Vec<u64> = (0..self.circuit.inputs())
            .map(|_| generator.uniform())
            .collect();
        let outputs = sim::evaluate(&self.circuit, &inputs).map_err(internal)?;
        for lane in 0..64 {
            let read = |bits: &[u64]| {
                let bits: Vec<bool> = bits.iter().map(|bit| bit >> lane & 1 == 1).collect();
                number(&bits)
            };
            let operands: Vec<u32> = inputs.chunks(WIDTH).map(read).collect();
            if read(&outputs) != total(&operands) {
                return Err(internal(
                    "a circuit of adders gives wrong sums in the clear",
                ));
            }
        }
        Ok(())
    }
}

/// Every operation is one bootstrap: their number and their longest chain.
fn bootstraps(circuit: &Circuit) -> (usize, usize) {
    let (mut count, mut longest) = (0, 0);
    let mut depths = vec![0usize; circuit.signals()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let own = usize::from(!matches!(op, Op::Input(_)));
        let before = op
            .operands()
            .map(|wire| depths[wire.signal().index()])
            .max();
        let depth = before.unwrap_or(0) + own;
        for signal in circuit.signals_of(node) {
            depths[signal.index()] = depth;
        }
        count += own;
        longest = longest.max(depth);
    }
    (count, longest)
}

/// The sum that is expected.
pub(super) fn total(operands: &[u32]) -> u32 {
    operands.iter().fold(0, |sum, word| sum.wrapping_add(*word))
}

/// The bits of numbers, least significant first.
pub(super) fn bits(operands: &[u32]) -> Vec<bool> {
    let bits_of = |word: &u32| {
        let word = *word;
        (0..WIDTH).map(move |at| word >> at & 1 == 1)
    };
    operands.iter().flat_map(bits_of).collect()
}

/// The number of some bits.
pub(super) fn number(bits: &[bool]) -> u32 {
    bits.iter()
        .take(WIDTH)
        .enumerate()
        .fold(0, |word, (at, &bit)| word | u32::from(bit) << at)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chains_are_as_large_as_the_papers_formulas_say() {
        let mut generator = Generator::from_key([7; 32]);
        let profile = Profile::gate_simulation();
        for (block, gates) in [(4, 214), (8, 214), (16, 196), (32, 154)] {
            let block = NonZeroUsize::new(block).unwrap();
            let sum = Sum::chained(&profile, 10, block);
            assert_eq!(sum.gates, 9 * gates);
            sum.check(&mut generator).unwrap();
        }
    }

    #[test]
    fn a_wrong_circuit_is_noticed() {
        let profile = Profile::gate_simulation();
        let wrong = Sum::of(&profile, 3, |_, words| words[0].clone());
        let error = wrong.check(&mut Generator::from_key([7; 32])).unwrap_err();
        assert!(error.message.contains("wrong sums"), "{error}");
    }

    #[test]
    fn lookups_need_a_fraction() {
        let profile = Profile::lookup_simulation();
        let sum = Sum::compressed(&profile, 10);
        sum.check(&mut Generator::from_key([8; 32])).unwrap();
        assert!(sum.gates < 100, "{}", sum.gates);
    }

    #[test]
    fn numbers_and_bits() {
        let words = [1, u32::MAX, 0x8000_0001];
        let bits = bits(&words);
        let back: Vec<u32> = bits.chunks(WIDTH).map(number).collect();
        assert_eq!(back, words);
        assert_eq!(total(&words), 0x8000_0001);
    }
}
