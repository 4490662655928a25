//! The noise of every lookup, exactly, and the worst of them: see
//! [`ir::table`](crate::ir::table) for one output's variance.
//!
//! Outputs of one node share their noise; a sum's variance adds up node by node. Gates that were
//! not mapped count as the lookups by which an engine evaluates them.

use crate::ir::chosen::{self, Most, Network};
use crate::ir::table::Function;
use crate::ir::variance::Origin;
use crate::ir::{Bounds, DECRYPTED, HalfNoise, Node, Op, Signal};
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
        let network = Recorded { circuit, bounds };
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
                node: node.0,
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
