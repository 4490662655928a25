//! Multiplicative depth: how many ANDs follow each other on the longest way to each output.
//! Levelled schemes, which have no refresh, need as many levels.

use crate::ir::Op;
use crate::{Circuit, Wire};

/// The multiplicative depth of a circuit. XORs, parities and sums of disjoint bits count nothing,
/// everything else that computes counts one.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MultiplicativeDepth {
    /// The largest.
    pub depth: u32,
    /// By output, in order.
    pub outputs: Vec<u32>,
    /// The first output of those that are as deep as any; `None` without outputs.
    pub deepest: Option<usize>,
}

/// Computes the multiplicative depth of each output. Linear.
#[must_use]
pub fn multiplicative_depth(circuit: &Circuit) -> MultiplicativeDepth {
    let depths = by_node(circuit);
    let outputs: Vec<u32> = circuit
        .outputs()
        .iter()
        .map(|&wire| of(circuit, &depths, wire))
        .collect();
    let depth = outputs.iter().copied().max().unwrap_or(0);
    MultiplicativeDepth {
        depth,
        deepest: outputs.iter().position(|&own| own == depth),
        outputs,
    }
}

/// Operations on the longest path of a circuit, whatever they are. Linear.
#[must_use]
pub fn operation_depth(circuit: &Circuit) -> u32 {
    let mut levels = Vec::with_capacity(circuit.len());
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let below = op.operands().map(|wire| of(circuit, &levels, wire)).max();
        levels.push(below.unwrap_or(0) + u32::from(!matches!(op, Op::Input(_))));
    }
    levels.into_iter().max().unwrap_or(0)
}

/// What an operation adds to the depth of its operands.
pub(super) fn own(op: &Op<'_>) -> u32 {
    match op {
        Op::And(..)
        | Op::Mux { .. }
        | Op::Lookup { .. }
        | Op::Selector { .. }
        | Op::Choose { .. } => 1,
        Op::Load(load) => load.index().len() as u32,
        Op::Store(store) => store.conditions().len() as u32,
        _ => 0,
    }
}

/// The multiplicative depth of every node. A refresh sets it back to 0.
pub(super) fn by_node(circuit: &Circuit) -> Vec<u32> {
    let mut depths = Vec::with_capacity(circuit.len());
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let below = op.operands().map(|wire| of(circuit, &depths, wire)).max();
        depths.push(match op {
            Op::Refresh(_) => 0,
            _ => below.unwrap_or(0) + own(&op),
        });
    }
    depths
}

/// A wire's, given those of the nodes before it.
fn of(circuit: &Circuit, depths: &[u32], wire: Wire) -> u32 {
    circuit
        .source(wire.signal())
        .map_or(0, |source| depths[source.index()])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, Profile};

    #[test]
    fn of_each_output_and_the_deepest() {
        let mut b = Builder::new(&Profile::levelled_simulation());
        let x = b.inputs(4);
        let first = b.and(x[0], x[1]);
        let sum = b.xor(first, x[2]);
        let second = b.and(sum, x[3]);
        let other = b.and(second, x[0]);
        for wire in [x[0], sum, !other, second, Wire::TRUE, other] {
            b.output(wire);
        }
        let found = multiplicative_depth(&b.finish());
        assert_eq!(found.outputs, [0, 1, 3, 2, 0, 3]);
        assert_eq!((found.depth, found.deepest), (3, Some(2)));
    }

    #[test]
    fn no_outputs_have_no_deepest() {
        let circuit = Builder::new(&Profile::levelled_simulation()).finish();
        assert_eq!(
            multiplicative_depth(&circuit),
            MultiplicativeDepth::default()
        );
    }
}
