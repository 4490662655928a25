//! Selections as programs without branches write them.
//!
//! `y ⊕ (c ∧ (y ⊕ z))` exchanges two words where a mask says so, `(c ∧ x) ∨ (¬c ∧ y)` takes one of two. Both
//! are selections, of which a pass knows what they cost; as gates each of their bits is one by itself. Units
//! of the library mean the gates that they write, and do not ask.

use super::Builder;
use crate::ir::{Record, Wire};

impl Builder {
    /// `a ⊕ b`, as a selection where it is one.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Op, Profile};
    ///
    /// let mut build = Builder::new(&Profile::lookup_simulation());
    /// let (condition, y, z) = (build.input(), build.input(), build.input());
    /// let differ = build.xor(y, z);
    /// let change = build.and(condition, differ);
    /// let exchanged = build.xor_or_mux(change, y);
    /// assert_eq!(exchanged, build.mux(condition, z, y));
    /// let (then, otherwise) = (build.and(condition, z), build.and(!condition, y));
    /// assert_eq!(build.or_or_mux(then, otherwise), exchanged);
    /// ```
    pub fn xor_or_mux(&mut self, a: Wire, b: Wire) -> Wire {
        let inverted = a.is_inverted() ^ b.is_inverted();
        let (x, y) = (a.positive(), b.positive());
        let selection = self.either(x, y);
        let selection = selection.or_else(|| self.exchange(x, y));
        match selection.or_else(|| self.exchange(y, x)) {
            Some([select, then, otherwise]) => {
                self.mux(select, then, otherwise).invert_if(inverted)
            }
            None => self.xor(a, b),
        }
    }

    /// `a ∨ b`, as a selection where it is one.
    pub fn or_or_mux(&mut self, a: Wire, b: Wire) -> Wire {
        match self.either(a, b) {
            Some([select, then, otherwise]) => self.mux(select, then, otherwise),
            None => self.or(a, b),
        }
    }

    /// The operands of an AND, for a target that has selections.
    fn masked(&self, wire: Wire) -> Option<[Wire; 2]> {
        if wire.is_inverted() || !self.profile.has_mux() {
            return None;
        }
        match self.records[self.source(wire)? as usize] {
            Record::And(x, y) => Some([x, y]),
            _ => None,
        }
    }

    /// `c ∧ x` and `¬c ∧ y` as the selection that their sum is: condition, `then`, `otherwise`. So
    /// programs write selections that have no branches.
    fn either(&self, a: Wire, b: Wire) -> Option<[Wire; 3]> {
        let ([a, b], [c, d]) = (self.masked(a)?, self.masked(b)?);
        let pairs = [(a, b, c, d), (a, b, d, c), (b, a, c, d), (b, a, d, c)];
        let opposite = pairs.into_iter().find(|(x, _, y, _)| *x == !*y);
        opposite.map(|(select, then, _, otherwise)| [select, then, otherwise])
    }

    /// `c ∧ (y ⊕ z)`, which is added to `y`, as the selection that the sum is: `z` where c is 1. So
    /// programs exchange two words. A majority, `((x ⊕ y) ∧ (z ⊕ y)) ⊕ y`, stays one.
    fn exchange(&self, a: Wire, y: Wire) -> Option<[Wire; 3]> {
        let [c, d] = self.masked(a)?;
        let other = |difference: Wire| {
            let Record::Xor(e, f) = self.records[self.source(difference)? as usize] else {
                return None;
            };
            let z = if e == y { f } else { e };
            (e == y || f == y).then_some(z.invert_if(difference.is_inverted()))
        };
        match (other(c), other(d)) {
            (Some(z), None) => Some([d, z, y]),
            (None, Some(z)) => Some([c, z, y]),
            _ => None,
        }
    }
}
