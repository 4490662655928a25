//! Gates by kind: those whose trees may be regrouped, and others.

use crate::Circuit;
use crate::ir::{Node, Op};

/// The associative gates.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    And,
    Xor,
    Other,
}

pub(super) fn kind(circuit: &Circuit, node: Node) -> Kind {
    match circuit.op(node) {
        Op::And(..) => Kind::And,
        Op::Xor(..) => Kind::Xor,
        _ => Kind::Other,
    }
}
