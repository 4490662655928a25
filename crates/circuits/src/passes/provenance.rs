//! Which ciphertexts are the same one, across circuits.
//!
//! A circuit knows each of its own values once. A long run is cut into several circuits, and what
//! one computed another may compute again from the same ciphertexts: `f(x, y)` in the first window,
//! kept, and again in the third. Evaluation draws no randomness, so both are the same ciphertext
//! with the same noise ε. Counted as two, their sum has variance 2·Var(ε); in truth it is 4·Var(ε).
//!
//! A [`Provenance`] says how a ciphertext was made, down to the inputs of the whole run: a hash
//! over what was added up with which weights, and which function was read. Equal ones are equal
//! ciphertexts; with 256 bits of BLAKE3 unequal ones will not be seen to be equal. [`reuse`]
//! replaces what an input of the circuit holds already by that input, and what is computed anew is
//! then independent of every input, as [`noise`](super::noise()) assumes.
//!
//! A sum is hashed as ciphertexts are added, not as it was written: without the order of its terms,
//! with every sum of disjoint bits taken apart, inversions as negative weights, and gates as the
//! lookups by which they are evaluated.

use std::collections::HashMap;

use serde::{Deserialize, Serialize};

use super::rebuild::Rebuild;
use crate::build::Shared;
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, Profile, Wire};

/// How a ciphertext was made: equal for equal ciphertexts, in every circuit of a run.
///
/// ```
/// use blindcore_circuits::passes::{self, Provenance};
/// use blindcore_circuits::{Builder, Profile};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (a, b) = (build.input(), build.input());
/// let both = build.and(a, b);
/// build.output(both);
/// let first = build.finish();
/// let [a, b] = [0, 1].map(Provenance::original);
/// let both = passes::provenance(&first, &[a, b])[first.outputs()[0].signal().index()];
///
/// // A later circuit gets all three and computes one of them again.
/// let mut build = Builder::new(&profile);
/// let inputs = build.inputs(3);
/// let again = build.and(inputs[0], inputs[1]);
/// build.output(again);
/// let second = build.finish();
/// let known = [a, b, both];
/// let fewer = passes::reuse(&second, &known, &profile).unwrap();
/// assert_eq!(fewer.outputs(), [inputs[2]]);
/// assert_eq!(passes::prepare_knowing(&second, &profile, &known).outputs(), fewer.outputs());
/// // Here there is nothing to reuse.
/// assert!(passes::reuse(&first, &known[..2], &profile).is_none());
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Provenance([u8; 32]);

impl Provenance {
    /// A ciphertext from outside, by its number: independent of all others.
    #[must_use]
    pub fn original(number: u64) -> Self {
        Self::hash(b"original", |hasher| {
            hasher.update(&number.to_le_bytes());
        })
    }

    fn hash(kind: &[u8], content: impl FnOnce(&mut blake3::Hasher)) -> Self {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&(kind.len() as u64).to_le_bytes());
        hasher.update(kind);
        content(&mut hasher);
        Self(*hasher.finalize().as_bytes())
    }

    /// Its first 32 bits: a hash of it.
    fn short(&self) -> u32 {
        let [a, b, c, d, ..] = self.0;
        u32::from_le_bytes([a, b, c, d])
    }

    /// One function of a rotation, or one coefficient of it.
    fn output(self, mask: u32) -> Self {
        Self::hash(b"output", |hasher| {
            hasher.update(&self.0);
            hasher.update(&mask.to_le_bytes());
        })
    }
}

/// The provenance of every signal, by its number, given those of the circuit's inputs in their
/// order. Missing ones are taken for originals.
#[must_use]
pub fn provenance(circuit: &Circuit, inputs: &[Provenance]) -> Vec<Provenance> {
    let constant = Provenance::hash(b"constant", |_| {});
    let mut known = vec![constant; circuit.signals()];
    let mut terms = Vec::new();
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let made = match op {
            Op::Input(number) => inputs
                .get(number as usize)
                .copied()
                .unwrap_or_else(|| Provenance::original(number.into())),
            _ => added(circuit, node, &known, &mut terms),
        };
        for signal in circuit.signals_of(node) {
            known[signal.index()] = match op {
                Op::Input(_)
                | Op::Disjoint { .. }
                | Op::Subtotal { .. }
                | Op::Parity { .. }
                | Op::Choose { .. }
                | Op::Linear { .. } => made,
                Op::Lookup { .. } | Op::Selector { .. } | Op::Load(_) => {
                    let function = circuit.function(signal);
                    let range = u32::from(function.is_negacyclic) << 16;
                    made.output(u32::from(function.mask) | range)
                }
                Op::Store(_) => made.output((signal.index() - circuit.range(node).start) as u32),
                _ => made.output(op.rotation_mask().into()),
            };
        }
    }
    known
}

/// The sum that an operation reads, as a sum of ciphertexts.
fn added(
    circuit: &Circuit,
    node: Node,
    known: &[Provenance],
    terms: &mut Vec<(Provenance, i64)>,
) -> Provenance {
    let op = circuit.op(node);
    let kind: Option<&[u8]> = match op {
        Op::Choose { .. } => Some(b"choice"),
        Op::Load(_) => Some(b"load"),
        Op::Store(_) => Some(b"store"),
        _ => None,
    };
    if let Some(kind) = kind {
        return Provenance::hash(kind, |hasher| {
            if let Op::Load(load) = op {
                hasher.update(&(load.index().len() as u64).to_le_bytes());
            }
            if let Op::Store(store) = op {
                let shape = [store.index().len(), store.width(), store.conditions().len()];
                for number in shape {
                    hasher.update(&(number as u64).to_le_bytes());
                }
            }
            for operand in op.operands() {
                hasher.update(&known[operand.signal().index()].0);
                hasher.update(&[u8::from(operand.is_inverted())]);
            }
        });
    }
    terms.clear();
    let mut constant = match op {
        Op::Lookup { sum, .. } | Op::Selector { sum, .. } => i64::from(sum.constant),
        _ => 0,
    };
    // Weights come with their signs: an inverted bit is 1 − x.
    let operands = op.operands().zip(op.rotation_weights());
    for (operand, (_, weight)) in operands {
        let weight = i64::from(weight);
        let mut add = |wire: Wire, weight: i64| {
            if wire.is_inverted() {
                constant -= weight;
            }
            terms.push((known[wire.signal().index()], weight));
        };
        match circuit.summands(operand.signal()) {
            None => add(operand, weight),
            Some(summands) => {
                for term in summands {
                    let sign = if term.wire.is_inverted() { -1 } else { 1 };
                    add(term.wire, sign * weight);
                }
                if operand.is_inverted() {
                    constant -= weight;
                }
            }
        }
    }
    terms.sort_unstable();
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    terms.retain(|(_, weight)| *weight != 0);
    let kind: &[u8] = match op {
        Op::Parity { .. } => b"parity",
        Op::Disjoint { .. } | Op::Subtotal { .. } => b"sum",
        Op::Linear { .. } => b"sum modulo 2",
        Op::Selector { .. } => b"selector",
        _ => b"rotation",
    };
    Provenance::hash(kind, |hasher| {
        hasher.update(&constant.to_le_bytes());
        for (ciphertext, weight) in terms.iter() {
            hasher.update(&ciphertext.0);
            hasher.update(&weight.to_le_bytes());
        }
    })
}

/// The circuit without what its inputs hold already; `None` where that is nothing.
///
/// `inputs` are the provenances of its inputs, in their order. Prepare the result again: a bit that
/// stood for two ciphertexts may have too much weight in a sum.
#[must_use]
pub fn reuse(circuit: &Circuit, inputs: &[Provenance], profile: &Profile) -> Option<Circuit> {
    let known = provenance(circuit, inputs);
    // By signal that an input holds already, the first such input. Most circuits have none, and millions of
    // inputs: a table of them holds no provenance, and nothing is recorded anew.
    let mut held = Shared::default();
    let mut again: HashMap<Signal, Signal> = HashMap::new();
    for node in circuit.nodes() {
        let is_input = circuit.input_number(node).is_some();
        for signal in circuit.signals_of(node) {
            let made = known[signal.index()];
            match held.find(made.short(), |other| known[other as usize] == made) {
                Some(first) => {
                    again.insert(signal, Signal(first));
                }
                None if is_input => held.insert(made.short(), signal.0),
                None => {}
            }
        }
    }
    if again.is_empty() {
        return None;
    }
    let mut rebuild = Rebuild::new(circuit, profile);
    for node in circuit.nodes() {
        rebuild.copy(node);
        for signal in circuit.signals_of(node) {
            if let Some(&first) = again.get(&signal) {
                let wire = rebuild.wire(Wire::from(first));
                rebuild.set(signal, wire);
            }
        }
    }
    Some(super::remove_dead(&rebuild.finish()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, sim};

    fn originals(count: u64) -> Vec<Provenance> {
        (0..count).map(Provenance::original).collect()
    }

    /// Of every output, in order.
    fn made(circuit: &Circuit, inputs: &[Provenance]) -> Vec<Provenance> {
        let known = provenance(circuit, inputs);
        let outputs = circuit.outputs().iter();
        outputs
            .map(|output| known[output.signal().index()])
            .collect()
    }

    #[test]
    fn the_same_sum_is_known_however_it_was_written() {
        let profile = Profile::lookup_simulation();
        // Two circuits whose inputs have changed places.
        let circuit = |places: [usize; 3]| {
            let mut build = Builder::new(&profile);
            let inputs = build.inputs(3);
            let [a, b, c] = places.map(|place| inputs[place]);
            let either = build.disjoint(&[a, !b]);
            let outputs = [
                build.and(a, b),
                build.and(a, !b),
                build.or(a, b),
                build.xor(a, c),
                build.lookup(&[(a, 1), (b, 2), (c, 4)], 0, &[0b1001_0110])[0],
                build.lookup(&[(b, 2), (c, 4), (a, 1)], 0, &[0b1000_0000])[0],
                build.lookup(&[(either, 1), (c, 2)], 0, &[0b0110])[0],
                build.lookup(&[(a, 1), (!b, 1), (c, 2)], 0, &[0b0110])[0],
                build.refresh(a),
            ];
            for output in outputs {
                build.output(output);
            }
            build.finish()
        };
        let inputs = originals(3);
        let one = made(&circuit([0, 1, 2]), &inputs);
        let other = made(&circuit([2, 0, 1]), &[inputs[1], inputs[2], inputs[0]]);
        // A sum and its negative are different rotations, and which of them is read depends on the
        // places of the bits.
        const SIGNED: usize = 7;
        for (index, (one, other)) in one.iter().zip(&other).enumerate() {
            assert!(one == other || index == SIGNED, "{index}");
        }
        // Each is another, but for the last two lookups: a sum of disjoint bits is its bits.
        assert_eq!(one[6], one[SIGNED]);
        let mut distinct = one.clone();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), one.len() - 1);
        // Other ciphertexts make others.
        let others: Vec<_> = (10..13).map(Provenance::original).collect();
        assert!(
            made(&circuit([0, 1, 2]), &others)
                .iter()
                .all(|made| !one.contains(made))
        );
    }

    #[test]
    fn a_sum_with_what_an_input_holds_has_the_noise_of_twice_that_input() {
        let profile = Profile::lookup_simulation();
        let model = profile.lookup.unwrap().noise;
        let mut first = Builder::new(&profile);
        let [a, b] = [first.input(), first.input()];
        let both = first.and(a, b);
        let kept = first.refresh(both);
        first.output(kept);
        let first = first.finish();
        let inputs = originals(2);
        let kept = made(&first, &inputs)[0];

        let mut second = Builder::new(&profile);
        let [a, b, kept_bit] = [second.input(), second.input(), second.input()];
        let both = second.and(a, b);
        let again = second.refresh(both);
        // 2·kept + again: 5 times an input's variance as two ciphertexts, 9 times as one.
        let sum = second.lookup(&[(kept_bit, 2), (again, 1), (a, 4)], 0, &[0b1000_0000]);
        second.output(sum[0]);
        let second = second.finish();
        let inputs = [inputs[0], inputs[1], kept];
        let reused = reuse(&second, &inputs, &profile).unwrap();
        assert!(reuse(&reused, &inputs, &profile).is_none());
        let before = super::super::noise(&second, &model);
        let after = super::super::noise(&reused, &model);
        let fresh = model.fresh;
        assert_eq!(after.worst, (9.0 + 16.0) * fresh);
        let refreshed = f64::from(crate::ir::table::variance(0b10));
        assert_eq!(before.worst, (4.0 + 16.0) * fresh + refreshed);
        // It computes the same wherever the input holds what it says.
        let (x, y) = (0b1100, 0b1010);
        let values = [x, y, x & y];
        assert_eq!(
            sim::evaluate(&second, &values),
            sim::evaluate(&reused, &values)
        );
    }
}
