//! Additions as their author knows them.

use super::{Circuit, Wire};

/// An addition that the library recorded: its operands, and the wires of its sum. There are several ways
/// to add, and which is best depends on who reads the sum, which is known only when the circuit is
/// finished; then a pass may record it again.
#[derive(Clone, Debug)]
pub(crate) struct Addition {
    /// The number of nodes before it: the operands are among them.
    pub(crate) at: u32,
    pub(crate) x: Vec<Wire>,
    pub(crate) y: Vec<Wire>,
    pub(crate) carry_in: Wire,
    /// Bits of `x + y + carry_in`, constant where nobody reads them.
    pub(crate) sum: Vec<Wire>,
    /// The carry out, and the signed overflow, likewise.
    pub(crate) carry: Wire,
    pub(crate) overflow: Wire,
}

impl Addition {
    /// Whether a wire of its circuit is a bit that it computed, and none that it passed on.
    pub(crate) fn makes(&self, circuit: &Circuit, wire: Wire) -> bool {
        let source = circuit.source(wire.signal());
        source.is_some_and(|node| node.index() >= self.at as usize)
    }

    /// The same in a circuit of other numbers, up to the highest column that matters there; `None`
    /// where nothing does. `live` says which wires are left.
    pub(crate) fn kept(
        &self,
        at: u32,
        live: impl Fn(Wire) -> bool,
        moved: impl Fn(Wire) -> Wire,
    ) -> Option<Self> {
        let kept = |wire: Wire| match wire.as_constant().is_none() && live(wire) {
            true => moved(wire),
            false => Wire::FALSE,
        };
        let sum: Vec<Wire> = self.sum.iter().map(|&bit| kept(bit)).collect();
        let [carry, overflow] = [self.carry, self.overflow].map(kept);
        let is_read = |wire: &Wire| wire.as_constant().is_none();
        let columns = match is_read(&carry) || is_read(&overflow) {
            true => sum.len(),
            false => sum.iter().rposition(is_read)? + 1,
        };
        let operands = [&self.x[..columns], &self.y[..columns], &[self.carry_in]];
        let is_there = |&wire: &Wire| wire.as_constant().is_some() || live(wire);
        if !operands.iter().all(|word| word.iter().all(is_there)) {
            return None;
        }
        let word = |word: &[Wire]| word.iter().map(|&wire| moved(wire)).collect();
        Some(Self {
            at,
            x: word(operands[0]),
            y: word(operands[1]),
            carry_in: moved(self.carry_in),
            sum: sum[..columns].to_vec(),
            carry,
            overflow,
        })
    }
}
