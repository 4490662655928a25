//! A circuit as a file states it: gates of any shape in topological order, and named words.
//!
//! A netlist is a list; what gates mean is decided when it is recorded. The builder then folds,
//! shares and merges as it does for everybody, and writes what the target lacks in what it has. A
//! function given by its table is recorded as what it is recognised to be (a gate, a parity, an
//! AND of any width, a selection), else as one lookup of up to four bits where lookups are native,
//! else by its halves: selections of 2^(k−4) lookups or 2^(k−2) gates at most for k bits, and the
//! file holds 2^k entries.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::ir::Wire;
use crate::{Builder, Circuit, Profile};

use super::Interface;

/// What a gate computes of its operands.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Function {
    /// Whether all are 1.
    All,
    /// Whether an odd number is 1.
    Parity,
    /// The second where the first is 1, else the third.
    Mux,
    /// The entry, of these tables of the netlist, whose number the operands write, the first of
    /// them the least significant.
    Table(Range<usize>),
}

/// A gate; its operands are a range of the netlist's.
#[derive(Clone, Debug)]
pub(super) struct Gate {
    pub(super) function: Function,
    pub(super) operands: Range<usize>,
}

/// A circuit as a file states it.
///
/// Signals 1 to the number of input bits are the inputs; each gate drives the next one.
#[derive(Clone, Debug)]
pub struct Netlist {
    pub(super) interface: Interface,
    pub(super) gates: Vec<Gate>,
    pub(super) operands: Vec<Wire>,
    pub(super) tables: Vec<bool>,
    pub(super) outputs: Vec<Wire>,
    pub(super) kinds: BTreeMap<String, usize>,
}

impl Netlist {
    /// The words at the edge.
    #[must_use]
    pub fn interface(&self) -> &Interface {
        &self.interface
    }

    /// How many gates of each kind the file has, by the names that the format gives them.
    #[must_use]
    pub fn kinds(&self) -> &BTreeMap<String, usize> {
        &self.kinds
    }

    /// The number of gates in the file.
    #[must_use]
    pub fn gates(&self) -> usize {
        self.kinds.values().sum()
    }

    /// Records the gates over the bits of the inputs, word after word; answers those of the
    /// outputs.
    ///
    /// # Panics
    /// If there are not as many bits as the interface's inputs have.
    pub fn record(&self, build: &mut Builder, inputs: &[Wire]) -> Vec<Wire> {
        let expected = self.interface.input_bits();
        assert_eq!(inputs.len(), expected, "bits for inputs of {expected} bits");
        let mut wires = Vec::with_capacity(1 + inputs.len() + self.gates.len());
        wires.push(Wire::FALSE);
        wires.extend_from_slice(inputs);
        let at =
            |wires: &[Wire], wire: Wire| wires[wire.signal().index()].invert_if(wire.is_inverted());
        let mut operands = Vec::new();
        for gate in &self.gates {
            operands.clear();
            let own = &self.operands[gate.operands.clone()];
            operands.extend(own.iter().map(|&wire| at(&wires, wire)));
            let wire = match (&gate.function, operands.as_slice()) {
                (Function::All, &[a, b]) => build.and(a, b),
                (Function::Parity, &[a, b]) => build.xor(a, b),
                (Function::Mux, &[select, then, otherwise]) => build.mux(select, then, otherwise),
                (Function::Table(range), _) => table(build, &operands, &self.tables[range.clone()]),
                (Function::All, _) => build.all(&operands),
                (Function::Parity | Function::Mux, _) => build.parity(&operands),
            };
            wires.push(wire);
        }
        let outputs = self.outputs.iter();
        outputs.map(|&wire| at(&wires, wire)).collect()
    }

    /// The circuit for a target; its bits are named as the words say (`a[3]`).
    #[must_use]
    pub fn circuit(&self, profile: &Profile) -> Circuit {
        let mut build = Builder::new(profile);
        let mut inputs = Vec::with_capacity(self.interface.input_bits());
        for port in &self.interface.inputs {
            for index in 0..port.width {
                inputs.push(build.input());
                build.name_input(port.bit(index));
            }
        }
        let mut outputs = self.record(&mut build, &inputs).into_iter();
        for port in &self.interface.outputs {
            for (index, wire) in outputs.by_ref().take(port.width).enumerate() {
                build.named_output(wire, port.bit(index));
            }
        }
        build.finish()
    }
}

/// A function given by its table, of as many entries as the bits can write.
fn table(build: &mut Builder, bits: &[Wire], entries: &[bool]) -> Wire {
    let Some((&top, rest)) = bits.split_last() else {
        return Wire::constant(entries.first() == Some(&true));
    };
    let (low, high) = entries.split_at(entries.len() / 2);
    if low == high {
        return table(build, rest, low);
    }
    if low.iter().zip(high).all(|(low, high)| low != high) {
        let low = table(build, rest, low);
        return build.xor(low, top);
    }
    let ones = entries.iter().filter(|&&entry| entry).count();
    if ones == 1 || ones == entries.len() - 1 {
        // An AND of literals: the only entry that differs says which are inverted.
        let differs = ones == 1;
        let at = entries.iter().position(|&entry| entry == differs);
        let literal =
            |(place, &bit): (usize, &Wire)| bit.invert_if(at.unwrap_or(0) >> place & 1 == 0);
        let literals: Vec<Wire> = bits.iter().enumerate().map(literal).collect();
        return build.all(&literals).invert_if(!differs);
    }
    if let [a, b, c] = *bits {
        for (select, others) in [(0, [b, c]), (1, [a, c]), (2, [a, b])] {
            if let Some([then, otherwise]) = selection(entries, select, others) {
                return build.mux(bits[select], then, otherwise);
            }
        }
    }
    if bits.len() <= 4 && build.profile().max_value() == Some(15) {
        let mask = (0..)
            .zip(entries)
            .fold(0, |mask: u16, (at, &entry)| mask | u16::from(entry) << at);
        let weights = bits.iter().zip([1, 2, 4, 8]);
        let terms: Vec<(Wire, i8)> = weights.map(|(&bit, weight)| (bit, weight)).collect();
        let answer = build.lookup(&terms, 0, &[mask]);
        return answer.first().copied().unwrap_or(Wire::FALSE);
    }
    let (low, high) = (table(build, rest, low), table(build, rest, high));
    build.mux(top, high, low)
}

/// A table of three bits as a selection by one between literals of the others.
fn selection(entries: &[bool], select: usize, others: [Wire; 2]) -> Option<[Wire; 2]> {
    let half = |value: usize| -> Option<Wire> {
        // The four entries where the selecting bit has the value, in order.
        let mut own = (0..8).filter(|at| at >> select & 1 == value);
        let own: [bool; 4] = std::array::from_fn(|_| {
            let at = own.next().unwrap_or(0);
            entries.get(at) == Some(&true)
        });
        match own {
            [false, true, false, true] => Some(others[0]),
            [true, false, true, false] => Some(!others[0]),
            [false, false, true, true] => Some(others[1]),
            [true, true, false, false] => Some(!others[1]),
            _ => None,
        }
    };
    Some([half(1)?, half(0)?])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::passes;
    use crate::sim;

    /// Lane `l` assigns bit `i` of `l` to input `i`.
    const LANES: [u64; 6] = [
        0xaaaa_aaaa_aaaa_aaaa,
        0xcccc_cccc_cccc_cccc,
        0xf0f0_f0f0_f0f0_f0f0,
        0xff00_ff00_ff00_ff00,
        0xffff_0000_ffff_0000,
        0xffff_ffff_0000_0000,
    ];

    fn built(bits: usize, entries: u64, profile: &Profile) -> Circuit {
        let mut build = Builder::new(profile);
        let inputs = build.inputs(bits);
        let entries: Vec<bool> = (0..1 << bits).map(|at| entries >> at & 1 == 1).collect();
        let wire = table(&mut build, &inputs, &entries);
        build.output(wire);
        build.finish()
    }

    #[test]
    fn tables_are_what_they_say() {
        let mut state = 7u64;
        for profile in [Profile::lookup_simulation(), Profile::gate_simulation()] {
            for bits in 0..=6 {
                let all = 1u64 << (1 << bits).min(8);
                for round in 0..256.min(all) {
                    state = state.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
                    // All functions of up to three bits, some of the others.
                    let entries = if bits <= 3 {
                        round
                    } else {
                        state ^ state >> 32
                    };
                    let circuit = built(bits, entries, &profile);
                    let found = sim::evaluate(&circuit, &LANES[..bits]).unwrap()[0];
                    for lane in 0..64 {
                        let at = lane & ((1 << bits) - 1);
                        assert_eq!(
                            found >> lane & 1,
                            entries >> at & 1,
                            "{bits} bits, {entries:#x}, lane {lane}"
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn known_functions_are_one_gate() {
        let profile = Profile::lookup_simulation();
        for (bits, entries, name) in [
            (2, 0b0110, "xor"),
            (2, 0b0111, "and"),
            (3, 0b1110_0100, "mux"),
            (3, 0b1100_1010, "mux"),
            (3, 0b1001_0110, "lookup"),
            (4, 0x8000, "lookup"),
            (4, 0xcafe, "lookup"),
        ] {
            let circuit = built(bits, entries, &profile);
            let last = circuit.nodes().next_back().unwrap();
            let ops = circuit.len() - bits;
            if name == "lookup" {
                let cost = passes::cost(&passes::prepare(&circuit, &profile), &profile);
                assert!(cost.bootstraps <= 2, "{entries:#b}: {cost}");
            } else {
                assert_eq!((ops, circuit.op(last).name()), (1, name), "{entries:#b}");
            }
        }
    }
}
