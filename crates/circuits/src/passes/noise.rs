//! The noise of every lookup, exactly, and the worst of them: see
//! [`ir::table`](crate::ir::table) for one output's variance.
//!
//! Outputs of one node share their noise; a sum's variance adds up node by node. Gates that were
//! not mapped count as the lookups by which an engine evaluates them.

use std::collections::{HashMap, HashSet};

use crate::ir::chosen::{self, Most, Network};
use crate::ir::table::Function;
use crate::ir::variance::Origin;
use crate::ir::{Bounds, DECRYPTED, HalfNoise, Node, Op, Signal, Sum};
use crate::{Circuit, NoiseModel, Wire};

/// The noise of a circuit's sums, in units of [`NoiseModel`].
#[derive(Clone, PartialEq, Debug)]
pub struct Noise {
    /// By node: the variance of the sum that is looked up, or that stands as a bit
    /// ([`Op::Disjoint`], and what was chosen, loaded or stored, of which it is a bound); four times
    /// that of halves, of which decryption asks as much more; 0 for inputs.
    pub sums: Vec<f64>,
    /// The largest of them.
    pub worst: f64,
    /// Where it is; `None` if there is nothing but inputs.
    pub at: Option<Node>,
}

/// Computes the noise of every sum of a circuit. Linear.
#[must_use]
pub fn noise(circuit: &Circuit, model: &NoiseModel) -> Noise {
    let mut noise = Noise {
        sums: vec![0.0; circuit.len()],
        worst: 0.0,
        at: None,
    };
    for (node, variance) in sums(circuit, model, f64::INFINITY) {
        noise.sums[node.index()] = variance;
        if noise.at.is_none() || variance > noise.worst {
            (noise.worst, noise.at) = (variance, Some(node));
        }
    }
    noise
}

/// Whether all sums of a circuit are within the model's limit: ends at the first that is not.
pub(super) fn is_quiet(circuit: &Circuit, model: &NoiseModel) -> bool {
    sums(circuit, model, model.limit).all(|(_, variance)| variance <= model.limit)
}

/// Each node but inputs with the variance of its sum, or some number above `enough` where it is more.
fn sums(circuit: &Circuit, model: &NoiseModel, enough: f64) -> impl Iterator<Item = (Node, f64)> {
    let network = Recorded {
        circuit,
        twins: twins(circuit),
        bounds: bounds(circuit, model),
    };
    let mut buffer = Vec::new();
    let nodes = circuit.nodes();
    let computed = nodes.filter(|&node| circuit.input_number(node).is_none());
    computed.map(move |node| {
        let op = circuit.op(node);
        let own = circuit
            .signals_of(node)
            .next()
            .map_or(Wire::FALSE, Wire::from);
        let variance = match op {
            // It stands as a bit, whoever reads it.
            Op::Choose { .. } | Op::Load(_) | Op::Store(_) | Op::Linear { .. } => {
                let variance = chosen::most(&network, own, model).variance(model);
                match circuit.is_half(own.signal()) {
                    true => DECRYPTED * variance,
                    false => variance,
                }
            }
            _ => {
                let terms = op.rotation_weights();
                chosen::variance_or_more(&network, terms, model, &mut buffer, enough)
            }
        };
        (node, variance)
    })
}

/// The most noise of the outputs that are halves, in their order; `None` for others.
#[must_use]
pub fn half_outputs(circuit: &Circuit, model: &NoiseModel) -> Vec<Option<HalfNoise>> {
    let bounds = bounds(circuit, model);
    let outputs = circuit.outputs().iter().map(|wire| {
        let is_half = circuit.is_half(wire.signal());
        let most = bounds.get(wire.signal().index()).filter(|_| is_half)?;
        Some(most.as_input())
    });
    outputs.collect()
}

/// Lookups of which the author promises a smaller sum than the weights allow may have the same sum
/// as another node. What is promised changes no ciphertext: theirs is one rotation, by the number
/// of the first.
fn twins(circuit: &Circuit) -> HashMap<Node, Node> {
    let lookups = || {
        circuit.nodes().filter_map(|node| match circuit.op(node) {
            Op::Lookup { sum, .. } => Some((node, sum)),
            _ => None,
        })
    };
    let is_promised = |sum: &Sum<'_>| {
        let above = sum.terms.iter().map(|term| i32::from(term.weight.max(0)));
        above.sum::<i32>() + i32::from(sum.constant) > i32::from(sum.max)
    };
    let promised = lookups().filter(|(_, sum)| is_promised(sum));
    let promised: HashSet<_> = promised.map(|(_, sum)| (sum.terms, sum.constant)).collect();
    let mut first = HashMap::new();
    let mut twins = HashMap::new();
    if promised.is_empty() {
        return twins;
    }
    for (node, sum) in lookups() {
        let key = (sum.terms, sum.constant);
        if promised.contains(&key) {
            let first = *first.entry(key).or_insert(node);
            if first != node {
                twins.insert(node, first);
            }
        }
    }
    twins
}

/// By signal: the most variance that what was chosen can have. Empty where nothing was.
pub(super) fn bounds(circuit: &Circuit, model: &NoiseModel) -> Bounds {
    let is_choice = |node| {
        let op = circuit.op(node);
        matches!(
            op,
            Op::Choose { .. } | Op::Load(_) | Op::Store(_) | Op::Linear { .. }
        )
    };
    let mut bounds = Bounds::default();
    if !circuit.nodes().any(is_choice) && circuit.half_inputs().is_empty() {
        return bounds;
    }
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let half = match op {
            Op::Input(number) => circuit.half_input(number),
            _ => None,
        };
        if half.is_none() && !is_choice(node) {
            continue;
        }
        let network = Recorded {
            circuit,
            twins: HashMap::new(),
            bounds,
        };
        let bound = match half {
            Some(noise) => Most::of_input(&noise),
            None => chosen::most_of_chosen(&network, &op, model),
        };
        bounds = network.bounds;
        for signal in circuit.signals_of(node) {
            bounds.set(signal.index(), bound);
        }
    }
    bounds
}

/// A circuit as it was recorded.
struct Recorded<'a> {
    circuit: &'a Circuit,
    twins: HashMap<Node, Node>,
    bounds: Bounds,
}

impl Network for Recorded<'_> {
    fn op_of(&self, signal: Signal) -> Option<Op<'_>> {
        self.circuit
            .source(signal)
            .map(|node| self.circuit.op(node))
    }

    fn origin_of(&self, signal: Signal) -> (Origin, bool) {
        let Some(node) = self.circuit.source(signal) else {
            return (Origin::Constant, false);
        };
        let origin = match self.circuit.op(node) {
            Op::Input(_) => Origin::Fresh,
            Op::Selector { .. } => Origin::Constant,
            Op::Lookup { .. } => Origin::Rotation {
                node: self.twins.get(&node).unwrap_or(&node).0,
                function: self.circuit.function(signal),
            },
            Op::Parity { .. } => Origin::Parity,
            op => Origin::Rotation {
                node: node.0,
                function: Function::plain(op.rotation_mask()),
            },
        };
        (origin, false)
    }

    fn most_of(&self, choice: Signal) -> Most {
        self.bounds.get(choice.index()).copied().unwrap_or_default()
    }

    fn is_half(&self, signal: Signal) -> bool {
        self.circuit.is_half(signal)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Profile};

    #[test]
    fn a_promise_makes_no_rotation_of_its_own() {
        let profile = Profile::lookup_simulation();
        let model = profile.lookup.unwrap().noise;
        // The same sum of three bits, with and without the promise that it is at most 2.
        let worst = |promise: [u8; 2]| {
            let mut build = Builder::new(&profile);
            let bits = build.inputs(3);
            let terms: Vec<_> = bits.iter().map(|bit| (*bit, 1)).collect();
            let [one, other] = promise.map(|max| build.lookup_within(&terms, 0, max, &[0b0100])[0]);
            let sum = build.lookup(&[(one, 1), (other, 2)], 0, &[0b1000]);
            build.output(sum[0]);
            noise(&build.finish(), &model).worst
        };
        let alone = |mask: u16| f64::from(crate::ir::table::variance(mask));
        // t = 2 of 0 to 3, and t >= 2 of 0 to 2: each by itself 4 and 2 (or less by its form).
        let together = worst([3, 2]);
        let independent = alone(0b0100) + 4.0 * alone(0b1111_1111_1111_1100);
        assert!(together > independent, "{together} {independent}");
    }
}
