//! A circuit as a graph, in numbers.

use blindcore::circuits::{Circuit, Profile};
use pyo3::prelude::*;
use pyo3::types::PyByteArray;

/// Kinds by name, and as `i32` in a row each: the kind of each node (a place in the names), its
/// level, where its operands begin (one more at the end), the nodes that these are, and for each
/// output of the circuit the node that it comes from (-1: a constant).
pub(crate) struct Graph {
    names: Vec<&'static str>,
    kinds: Vec<i32>,
    levels: Vec<i32>,
    starts: Vec<i32>,
    operands: Vec<i32>,
    outputs: Vec<i32>,
    bootstraps: Vec<i32>,
}

/// As Python takes it: names, and bytes of arrays.
pub(crate) type Parts<'py> = (Vec<&'static str>, Vec<Bound<'py, PyByteArray>>);

impl Graph {
    /// Reads a circuit. Linear in its nodes.
    pub(crate) fn of(circuit: &Circuit) -> Self {
        let target = Profile::lookup_simulation();
        let mut graph = Self {
            names: Vec::new(),
            kinds: Vec::new(),
            levels: Vec::new(),
            starts: vec![0],
            operands: Vec::new(),
            outputs: Vec::new(),
            bootstraps: Vec::new(),
        };
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let name = op.name();
            let known = graph.names.iter().position(|own| *own == name);
            let kind = known.unwrap_or_else(|| {
                graph.names.push(name);
                graph.names.len() - 1
            });
            let sources = op.operands();
            let sources = sources.filter_map(|wire| circuit.source(wire.signal()));
            let begin = graph.operands.len();
            graph
                .operands
                .extend(sources.map(|source| source.index() as i32));
            let below = graph.operands[begin..].iter();
            let below = below.map(|source| graph.levels[*source as usize]).max();
            let counts = i32::from(!matches!(name, "input" | "disjoint" | "subtotal"));
            graph.levels.push(below.unwrap_or(0) + counts);
            graph.kinds.push(kind as i32);
            graph.starts.push(graph.operands.len() as i32);
            graph.bootstraps.push(i32::from(op.is_bootstrap(&target)));
        }
        let outputs = circuit.outputs().iter();
        graph.outputs = outputs
            .map(|wire| circuit.source(wire.signal()))
            .map(|source| source.map_or(-1, |node| node.index() as i32))
            .collect();
        graph
    }

    /// As Python takes it.
    pub(crate) fn parts(self, py: Python<'_>) -> Parts<'_> {
        let rows = [
            self.kinds,
            self.levels,
            self.starts,
            self.operands,
            self.outputs,
            self.bootstraps,
        ];
        let rows = rows.into_iter().map(|row| {
            let bytes: Vec<u8> = row.into_iter().flat_map(i32::to_ne_bytes).collect();
            PyByteArray::new(py, &bytes)
        });
        (self.names, rows.collect())
    }
}
