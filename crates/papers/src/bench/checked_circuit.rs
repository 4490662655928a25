//! A circuit under measurement: words in, words out, and what it is to compute on integers.

use circuits::library::Word;
use circuits::library::catalogue::Unit;
use circuits::{Builder, Circuit, Op, Profile, passes, sim};
use random::Generator;
use serde::Serialize;

use crate::error::{PapersError, internal};

/// What the results are, given the operands. Bits beyond the results' widths do not count.
pub(crate) type Definition = Box<dyn Fn(&[u128]) -> Vec<u128>>;

/// A prepared circuit and its definition.
pub(crate) struct CheckedCircuit {
    pub(crate) circuit: Circuit,
    pub(crate) size: Size,
    /// Bits of each operand and of each result, 128 at most.
    operands: Vec<usize>,
    results: Vec<usize>,
    definition: Definition,
}

/// What a circuit takes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Size {
    pub(crate) ands: usize,
    pub(crate) xors: usize,
    pub(crate) muxes: usize,
    /// Lookups and parities, where they are native.
    pub(crate) lookups: usize,
    /// Bootstraps: a selection of gates is two of them, everything else one.
    pub(crate) bootstraps: usize,
    /// The longest chain of bootstraps.
    pub(crate) depth: usize,
    /// Choices by selectors, between bits and between rows of bits.
    pub(crate) choices: usize,
}

impl Size {
    /// Counts a circuit's operations.
    pub(crate) fn of(circuit: &Circuit, profile: &Profile) -> Self {
        let native = profile.lookup.is_some();
        let cost = passes::cost(circuit, profile);
        let mut size = Self {
            choices: cost.choice + cost.row_choice,
            ..Self::default()
        };
        let mut depths = vec![0usize; circuit.signals()];
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let own = match op {
                Op::Input(_) => 0,
                Op::And(..) => {
                    size.ands += 1;
                    1
                }
                Op::Xor(..) => {
                    size.xors += 1;
                    1
                }
                // Ciphertexts are added.
                Op::Disjoint { .. } | Op::Subtotal { .. } | Op::Linear { .. } if native => 0,
                // Counted apart: they take microseconds.
                Op::Choose { .. } | Op::Load(_) | Op::Store(_) if profile.selectors.is_some() => 0,
                Op::Mux { .. } => {
                    size.muxes += 1;
                    if native { 1 } else { 2 }
                }
                _ => {
                    size.lookups += 1;
                    1
                }
            };
            let operands = op.operands();
            let before = operands.map(|wire| depths[wire.signal().index()]).max();
            let depth = before.unwrap_or(0) + own;
            for signal in circuit.signals_of(node) {
                depths[signal.index()] = depth;
            }
            size.bootstraps += own;
            size.depth = size.depth.max(depth);
        }
        size
    }

    /// How long it takes on `threads` threads if every bootstrap takes as long as `bootstrap`: no
    /// schedule is shorter than the longest chain or than an even share of the work.
    pub(crate) fn seconds(&self, bootstrap: f64, threads: usize) -> f64 {
        bootstrap * self.bootstraps.div_ceil(threads.max(1)).max(self.depth) as f64
    }
}

impl CheckedCircuit {
    /// Builds a circuit for a target and prepares it.
    pub(crate) fn build(
        profile: &Profile,
        operands: Vec<usize>,
        unit: impl FnOnce(&mut Builder, &[Word]) -> Vec<Word>,
        definition: Definition,
    ) -> Self {
        let mut build = Builder::new(profile);
        let words: Vec<Word> = operands.iter().map(|&bits| build.inputs(bits)).collect();
        let outputs = unit(&mut build, &words);
        for &bit in outputs.iter().flatten() {
            build.output(bit);
        }
        let circuit = passes::prepare(&build.finish(), profile);
        Self {
            size: Size::of(&circuit, profile),
            circuit,
            operands,
            results: outputs.iter().map(Vec::len).collect(),
            definition,
        }
    }

    /// The sum of `words` words modulo 2^`width`, prepared.
    pub(crate) fn of_sum(
        profile: &Profile,
        width: usize,
        operands: usize,
        add: impl FnOnce(&mut Builder, &[Word]) -> Word,
    ) -> Self {
        Self::build(
            profile,
            vec![width; operands],
            |b, words| vec![add(b, words)],
            Box::new(|words| vec![words.iter().sum()]),
        )
    }

    /// A unit of the library's catalogue on words of n bits, prepared.
    pub(crate) fn of_unit(unit: &Unit, profile: &Profile, n: usize) -> Self {
        let drawn = unit.draw(profile, n);
        let circuit = passes::prepare(&drawn.circuit, profile);
        let clear = unit.clear;
        Self {
            size: Size::of(&circuit, profile),
            circuit,
            operands: drawn.operands,
            results: drawn.results,
            definition: Box::new(move |words| clear(n, words)),
        }
    }

    /// Compares the circuit with its definition, in the clear and for sixty-four random operands.
    pub(crate) fn check(&self, name: &str, generator: &mut Generator) -> Result<(), PapersError> {
        let inputs: Vec<u64> = (0..self.circuit.inputs())
            .map(|_| generator.uniform())
            .collect();
        let outputs = sim::evaluate(&self.circuit, &inputs).map_err(internal)?;
        for lane in 0..64 {
            let of = |bits: &[u64]| -> Vec<bool> {
                bits.iter().map(|bits| bits >> lane & 1 == 1).collect()
            };
            let operands = numbers(&of(&inputs), &self.operands);
            let found = numbers(&of(&outputs), &self.results);
            if let Some(wrong) = self.wrong(&operands, &found) {
                return Err(internal(format!("{name}: wrong in the clear: {wrong}")));
            }
        }
        Ok(())
    }

    /// Random operands.
    pub(super) fn random(&self, generator: &mut Generator) -> Vec<u128> {
        let mut word = |&bits: &usize| {
            let wide = u128::from(generator.uniform()) << 64 | u128::from(generator.uniform());
            wide & mask(bits)
        };
        self.operands.iter().map(&mut word).collect()
    }

    /// The bits of operands, least significant first.
    pub(super) fn bits(&self, operands: &[u128]) -> Vec<bool> {
        let widths = self.operands.iter();
        let bits = operands
            .iter()
            .zip(widths)
            .flat_map(|(word, &bits)| (0..bits).map(move |at| word >> at & 1 == 1));
        bits.collect()
    }

    /// What is wrong with results, given as bits; nothing if they are right.
    pub(super) fn wrong_bits(&self, operands: &[u128], bits: &[bool]) -> Option<String> {
        self.wrong(operands, &numbers(bits, &self.results))
    }

    fn wrong(&self, operands: &[u128], found: &[u128]) -> Option<String> {
        let mut expected = (self.definition)(operands);
        for (word, &bits) in expected.iter_mut().zip(&self.results) {
            *word &= mask(bits);
        }
        (expected != found).then(|| format!("{operands:?} give {expected:?}, not {found:?}"))
    }
}

/// Ones.
fn mask(bits: usize) -> u128 {
    match bits {
        0 => 0,
        _ => u128::MAX >> 128usize.saturating_sub(bits),
    }
}

/// The numbers of bits that follow each other.
fn numbers(bits: &[bool], widths: &[usize]) -> Vec<u128> {
    let mut rest = bits.iter();
    let number = |&width: &usize| {
        let own = rest.by_ref().take(width).enumerate();
        own.fold(0, |word, (at, &bit)| word | u128::from(bit) << at)
    };
    widths.iter().map(number).collect()
}

#[cfg(test)]
pub(crate) mod tests {
    use circuits::library;

    use super::*;

    /// The sum of three words of eight bits, and their last bits' parity.
    pub(crate) fn sum(profile: &Profile) -> CheckedCircuit {
        CheckedCircuit::build(
            profile,
            vec![8; 3],
            |b, words| {
                let slices: Vec<&[_]> = words.iter().map(Vec::as_slice).collect();
                let parity = words.iter().map(|word| word[0]);
                let parity = parity.reduce(|a, c| b.xor(a, c)).unwrap();
                vec![library::add_all(b, 8, &slices), vec![parity]]
            },
            Box::new(|words| vec![words.iter().sum(), words.iter().sum()]),
        )
    }

    #[test]
    fn numbers_and_bits() {
        let checked = sum(&Profile::gate_simulation());
        let words = [1, 0xff, 0x81];
        let bits = checked.bits(&words);
        assert_eq!(numbers(&bits, &[8, 8, 8]), words);
        assert_eq!(mask(0), 0);
        assert_eq!(mask(128), u128::MAX);
        let mut generator = Generator::from_key([1; 32]);
        let random = checked.random(&mut generator);
        assert!(random.iter().all(|word| word >> 8 == 0), "{random:?}");
        assert_eq!(checked.wrong(&words, &[0x81, 1]), None);
        assert!(checked.wrong(&words, &[0x81, 0]).is_some());
    }

    #[test]
    fn circuits_are_held_against_their_definitions() {
        let mut generator = Generator::from_key([7; 32]);
        for profile in [Profile::gate_simulation(), Profile::lookup_simulation()] {
            let mut checked = sum(&profile);
            checked.check("sum", &mut generator).unwrap();
            checked.definition = Box::new(|words| vec![words.iter().product(), 0]);
            let error = checked.check("sum", &mut generator).unwrap_err();
            assert!(
                error.to_string().contains("sum: wrong in the clear"),
                "{error}"
            );
        }
    }

    #[test]
    fn selections_of_gates_are_two_bootstraps() {
        let select = |b: &mut Builder, words: &[Word]| {
            vec![library::select(b, words[0][0], &words[1], &words[2])]
        };
        let definition = |words: &[u128]| vec![words[2 - words[0] as usize]];
        let mut profile = Profile::gate_simulation();
        profile.cost.xor = 1.0;
        profile.cost.mux = 2.0;
        let checked = CheckedCircuit::build(&profile, vec![1, 4, 4], select, Box::new(definition));
        checked
            .check("select", &mut Generator::from_key([2; 32]))
            .unwrap();
        let expected = Size {
            muxes: 4,
            bootstraps: 8,
            depth: 2,
            ..Size::default()
        };
        assert_eq!(checked.size, expected);
        assert_eq!(expected.seconds(0.5, 1), 4.0);
        assert_eq!(expected.seconds(0.5, 3), 1.5);
        assert_eq!(expected.seconds(0.5, 100), 1.0);
    }
}
