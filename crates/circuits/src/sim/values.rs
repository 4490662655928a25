//! The values of a circuit while it is recorded.
//!
//! A processor in lockstep with another wants to know after every step what its wires carry.
//! [`Values`] evaluates what a [`Builder`] recorded since the last time, signal by signal: the
//! operands of a node are signals of smaller numbers than its outputs, also of outputs that were
//! added to a lookup long after it. Every signal is evaluated once, whether somebody reads it or
//! not; a lookup's sum is formed again for each run of outputs that was added at once.
//!
//! Promises (of a sum's bound, of disjoint bits) are not checked here: what was recorded for a path
//! that was then given up may break them and has no reader. [`evaluate`](super::evaluate) checks
//! them in the finished circuit, which has only what is read.

use super::{SimulationError, lanes};
use crate::Builder;
use crate::ir::{Op, Wire};

/// Sixty-four values of every signal that was recorded so far.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, sim::Values};
///
/// let mut build = Builder::new(&Profile::lookup_simulation());
/// let mut values = Values::default();
/// let (a, b) = (build.input(), build.input());
/// let both = build.and(a, b);
/// values.follow(&build, &[0b0011, 0b0101])?;
/// assert_eq!(values.of(both), 0b0001);
/// let either = build.or(a, b);
/// values.follow(&build, &[0b0011, 0b0101])?;
/// assert_eq!(values.of(!either), !0b0111);
/// # Ok::<(), blindcore_circuits::sim::SimulationError>(())
/// ```
#[derive(Clone, Debug, Default)]
pub struct Values {
    /// By signal.
    values: Vec<u64>,
}

impl Values {
    /// Evaluates what was recorded since the last time, always by the same builder; `inputs` are
    /// the values of its inputs so far.
    ///
    /// # Errors
    /// [`SimulationError::Inputs`] if there are more inputs than values.
    pub fn follow(&mut self, builder: &Builder, inputs: &[u64]) -> Result<(), SimulationError> {
        let mut terms: Vec<(u64, i8)> = Vec::new();
        let mut sum: Option<(u32, lanes::Minterms)> = None;
        if self.values.is_empty() {
            self.values.push(0);
        }
        for signal in self.values.len()..builder.signals() {
            let (node, mask) = builder.signal(signal);
            let at = |wire: Wire| super::read(&self.values, wire);
            let value = match builder.op(node) {
                Op::Input(number) => {
                    *inputs.get(number as usize).ok_or(SimulationError::Inputs {
                        expected: number as usize + 1,
                        found: inputs.len(),
                    })?
                }
                Op::And(a, b) => at(a) & at(b),
                Op::Xor(a, b) => at(a) ^ at(b),
                Op::Mux {
                    select,
                    then,
                    otherwise,
                }
                | Op::Choose {
                    select,
                    then,
                    otherwise,
                } => at(select) & at(then) | !at(select) & at(otherwise),
                Op::Parity { terms } | Op::Subtotal { terms } | Op::Linear { terms } => {
                    terms.iter().fold(0, |odd, term| odd ^ at(term.wire))
                }
                Op::Disjoint { terms } => terms.iter().fold(0, |any, term| any | at(term.wire)),
                Op::Refresh(a) => at(a),
                Op::Lookup { sum: form, .. } | Op::Selector { sum: form, .. } => {
                    let minterms = match sum {
                        Some((known, minterms)) if known == node => minterms,
                        _ => {
                            terms.clear();
                            terms
                                .extend(form.terms.iter().map(|term| (at(term.wire), term.weight)));
                            lanes::minterms(&terms, form.constant, form.max)
                                .unwrap_or(lanes::Minterms::NONE)
                        }
                    };
                    sum = Some((node, minterms));
                    minterms.select(mask)
                }
                Op::Load(load) => super::loaded(&load, mask, at),
                Op::Store(store) => super::stored(&store, builder.number_of(signal), at),
            };
            self.values.push(value);
        }
        Ok(())
    }

    /// The values of a wire that was recorded when [`follow`](Self::follow) was last called; zeros
    /// (or ones, if it is inverted) for a later one.
    #[inline]
    #[must_use]
    pub fn of(&self, wire: Wire) -> u64 {
        let value = self.values.get(wire.signal().index());
        value.copied().unwrap_or(0) ^ if wire.is_inverted() { u64::MAX } else { 0 }
    }

    /// How many signals were evaluated.
    #[must_use]
    pub fn signals(&self) -> usize {
        self.values.len().saturating_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Profile, library, sim};

    /// Word by word, with tables that later gates add to earlier lookups: as the finished circuit.
    #[test]
    fn a_recording_has_the_values_of_its_circuit() {
        for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
            let mut build = Builder::new(&profile);
            let mut values = Values::default();
            let (mut inputs, mut wires) = (Vec::new(), Vec::new());
            let mut state = 9_u64;
            for round in 0..12 {
                for _ in 0..16 {
                    state = state
                        .wrapping_mul(6364136223846793005)
                        .wrapping_add(1442695040888963407);
                    inputs.push(state ^ state >> 29);
                }
                let (a, b) = (build.inputs(8), build.inputs(8));
                let sum = library::add(&mut build, &a, &b);
                if round % 3 > 0 {
                    values.follow(&build, &inputs).unwrap();
                }
                // Gates over outputs of one lookup are further tables of it.
                wires.extend(sum.windows(2).map(|pair| build.and(pair[0], !pair[1])));
                wires.extend(sum);
            }
            values.follow(&build, &inputs).unwrap();
            let found: Vec<u64> = wires.iter().map(|wire| values.of(*wire)).collect();
            for wire in &wires {
                build.output(*wire);
            }
            assert_eq!(values.signals() + 1, build.signals());
            assert_eq!(sim::evaluate(&build.finish(), &inputs).unwrap(), found);
        }
    }

    #[test]
    fn a_missing_input_is_an_error() {
        let mut build = Builder::new(&Profile::lookup_simulation());
        build.inputs(3);
        let found = Values::default().follow(&build, &[1, 2]);
        let expected = SimulationError::Inputs {
            expected: 3,
            found: 2,
        };
        assert_eq!(found, Err(expected));
    }

    #[test]
    fn a_broken_promise_is_found_where_it_is_read() {
        let mut build = Builder::new(&Profile::lookup_simulation());
        let wires = build.inputs(2);
        let sum = build.disjoint(&wires);
        let mut values = Values::default();
        values.follow(&build, &[0b11, 0b10]).unwrap();
        assert_eq!(values.of(sum), 0b11);
        build.output(sum);
        let found = sim::evaluate(&build.finish(), &[0b11, 0b10]);
        assert!(
            matches!(found, Err(SimulationError::NotDisjoint { lane: 1, .. })),
            "{found:?}"
        );
    }
}
