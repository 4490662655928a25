//! The noise of every lookup, exactly, and the worst of them: see
//! [`ir::table`](crate::ir::table) for one output's variance.
//!
//! Outputs of one node share their noise; a sum's variance adds up node by node. Gates that were
//! not mapped count as the lookups by which an engine evaluates them.

use crate::ir::variance::{Origin, look_through, variance_of};
use crate::ir::{Node, Op, Signal};
use crate::{Circuit, NoiseModel};

/// The noise of a circuit's sums, in units of [`NoiseModel`].
#[derive(Clone, PartialEq, Debug)]
pub struct Noise {
    /// By node: the variance of the sum that is looked up, or that stands as a bit
    /// ([`Op::Disjoint`]); 0 for inputs.
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
    let (mut bits, mut buffer) = (Vec::new(), Vec::new());
    for node in circuit.nodes() {
        let op = circuit.op(node);
        if let Op::Input(_) = op {
            continue;
        }
        let summands = |signal| circuit.summands(signal);
        look_through(op.rotation_weights(), summands, &mut bits);
        let origins = bits.iter();
        let origins = origins.map(|&(signal, weight)| (origin(circuit, signal), weight));
        let variance = variance_of(origins, model, &mut buffer);
        noise.sums[node.index()] = variance;
        if noise.at.is_none() || variance > noise.worst {
            (noise.worst, noise.at) = (variance, Some(node));
        }
    }
    noise
}

/// Where the noise of a signal that is no sum comes from.
fn origin(circuit: &Circuit, signal: Signal) -> Origin {
    let Some(node) = circuit.source(signal) else {
        return Origin::Constant;
    };
    match circuit.op(node) {
        Op::Input(_) => Origin::Fresh,
        Op::Lookup { .. } => Origin::Rotation {
            node: node.0,
            mask: circuit.mask(signal),
        },
        Op::Parity { .. } => Origin::Parity,
        op => Origin::Rotation {
            node: node.0,
            mask: op.rotation_mask(),
        },
    }
}
