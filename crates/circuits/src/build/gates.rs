//! Gates of two inputs and the selection: folding, normal forms, merging into lookups.
//!
//! AND and XOR are the only gates kept. An inversion at an XOR moves to its output; a selection's
//! condition and its `otherwise` are kept positive.

use super::Builder;
use crate::ir::{Record, Wire};

/// Gates of two inputs, and the selection. All but AND, XOR and the selection are these with
/// inversions, which are free.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, sim};
///
/// let mut build = Builder::new(&Profile::gate_simulation());
/// let (a, b, c) = (build.input(), build.input(), build.input());
/// for wire in [build.nand(a, b), build.nor(a, b), build.xnor(a, b)] {
///     build.output(wire);
/// }
/// // An `n` after a letter inverts that operand: ¬a ∧ b, a ∧ ¬b, ¬a ∨ b, a ∨ ¬b.
/// for wire in [build.andny(a, b), build.andyn(a, b), build.orny(a, b), build.oryn(a, b)] {
///     build.output(wire);
/// }
/// let selected = build.mux(a, b, c);
/// build.output(selected);
///
/// // Four lanes: a = 0, 0, 1, 1 and b = 0, 1, 0, 1 from the highest bit on.
/// let lanes = sim::evaluate(&build.finish(), &[0b0011, 0b0101, 0b1010]).unwrap();
/// let low: Vec<u64> = lanes.iter().map(|lane| lane & 0b1111).collect();
/// assert_eq!(low[..3], [0b1110, 0b1000, 0b1001]);
/// assert_eq!(low[3..7], [0b0100, 0b0010, 0b1101, 0b1011]);
/// assert_eq!(low[7], 0b1001);
/// ```
impl Builder {
    /// `a ∧ b`
    pub fn and(&mut self, a: Wire, b: Wire) -> Wire {
        if a == b || b == Wire::TRUE {
            return a;
        }
        if a == Wire::TRUE {
            return b;
        }
        if a == !b || a == Wire::FALSE || b == Wire::FALSE {
            return Wire::FALSE;
        }
        if let Some(merged) = self.merge(&[a, b], |bits| bits[0] & bits[1]) {
            return merged;
        }
        if let Some(absorbed) = self.absorb(a, b).or_else(|| self.absorb(b, a)) {
            return absorbed;
        }
        self.node(Record::And(a.min(b), a.max(b)))
    }

    /// `a ⊕ b`
    pub fn xor(&mut self, a: Wire, b: Wire) -> Wire {
        let inverted = a.is_inverted() ^ b.is_inverted();
        let (a, b) = (a.positive(), b.positive());
        if a == b {
            return Wire::constant(inverted);
        }
        if a == Wire::FALSE {
            return b.invert_if(inverted);
        }
        if b == Wire::FALSE {
            return a.invert_if(inverted);
        }
        if let Some(merged) = self.merge(&[a, b], |bits| bits[0] ^ bits[1]) {
            return merged.invert_if(inverted);
        }
        self.node(Record::Xor(a.min(b), a.max(b)))
            .invert_if(inverted)
    }

    /// `a ∨ b`
    pub fn or(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(!a, !b)
    }

    /// `¬(a ∧ b)`
    pub fn nand(&mut self, a: Wire, b: Wire) -> Wire {
        !self.and(a, b)
    }

    /// `¬(a ∨ b)`
    pub fn nor(&mut self, a: Wire, b: Wire) -> Wire {
        self.and(!a, !b)
    }

    /// `¬(a ⊕ b)`
    pub fn xnor(&mut self, a: Wire, b: Wire) -> Wire {
        !self.xor(a, b)
    }

    /// `¬a ∧ b`
    pub fn andny(&mut self, a: Wire, b: Wire) -> Wire {
        self.and(!a, b)
    }

    /// `a ∧ ¬b`
    pub fn andyn(&mut self, a: Wire, b: Wire) -> Wire {
        self.and(a, !b)
    }

    /// `¬a ∨ b`
    pub fn orny(&mut self, a: Wire, b: Wire) -> Wire {
        self.or(!a, b)
    }

    /// `a ∨ ¬b`
    pub fn oryn(&mut self, a: Wire, b: Wire) -> Wire {
        self.or(a, !b)
    }

    /// `then` where `select` is 1, `otherwise` where it is 0.
    pub fn mux(&mut self, select: Wire, then: Wire, otherwise: Wire) -> Wire {
        if select.is_inverted() {
            return self.mux(!select, otherwise, then);
        }
        if otherwise.is_inverted() {
            return !self.mux(select, !then, !otherwise);
        }
        if select == Wire::FALSE || then == otherwise {
            return otherwise;
        }
        if then == !otherwise {
            return self.xor(select, otherwise);
        }
        // From here on a constant or repeated operand leaves an AND-like gate.
        if otherwise == Wire::FALSE || otherwise == select {
            return self.and(select, then);
        }
        if then == Wire::FALSE || then == !select {
            return self.and(!select, otherwise);
        }
        if then == Wire::TRUE || then == select {
            return self.or(select, otherwise);
        }
        let all = [select, then, otherwise];
        if let Some(merged) = self.merge(&all, |bits| bits[0] & bits[1] | !bits[0] & bits[2]) {
            return merged;
        }
        if self.profile.has_mux() {
            return self.node(Record::Mux(select, then, otherwise));
        }
        let differ = self.xor(then, otherwise);
        let change = self.and(select, differ);
        self.xor(change, otherwise)
    }

    /// `a ∧ b` where `b` is itself an AND that settles it: `a ∧ (a ∧ c)` and `a ∧ (¬a ∧ c)`.
    fn absorb(&self, a: Wire, b: Wire) -> Option<Wire> {
        let Record::And(c, d) = self.records[self.source(b)? as usize] else {
            return None;
        };
        match (b.is_inverted(), c == a || d == a, c == !a || d == !a) {
            (false, true, _) => Some(b),
            (false, _, true) => Some(Wire::FALSE),
            (true, _, true) => Some(a),
            _ => None,
        }
    }
}
