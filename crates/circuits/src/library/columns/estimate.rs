//! What a tree of full adders costs, without building it: bits that only say when they arrive.
//!
//! The counts and depths of trees are recurrences over columns, not polynomials. [`FullAdders`] is
//! what a reducer asks of whoever adds; a builder adds wires, an [`Estimate`] counts the gates of
//! the one-AND full adder ([`full_adder`]) and how long each result takes. Clear bits fold as in a
//! builder.

use crate::architectures::Formula;
use crate::library::add::full_adder;
use crate::{Builder, Wire};

/// Adds up to three bits of a column.
pub(in crate::library) trait FullAdders {
    type Bit: Copy + PartialEq;
    /// The bit that is not there.
    const ZERO: Self::Bit;

    /// ANDs on the longest path to a bit.
    fn depth(&self, bit: Self::Bit) -> u32;

    /// Sum and carry; of the top column's carry nobody reads.
    fn add(
        &mut self,
        x: Self::Bit,
        y: Self::Bit,
        z: Self::Bit,
        top: bool,
    ) -> (Self::Bit, Self::Bit);
}

impl FullAdders for Builder {
    type Bit = Wire;
    const ZERO: Wire = Wire::FALSE;

    fn depth(&self, bit: Wire) -> u32 {
        Builder::depth(self, bit)
    }

    fn add(&mut self, x: Wire, y: Wire, z: Wire, _top: bool) -> (Wire, Wire) {
        full_adder(self, x, y, z)
    }
}

/// When a bit is there.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(in crate::library) enum Arrival {
    /// A constant.
    Clear(bool),
    /// After the given numbers of ANDs and of gates of any kind.
    After { ands: u32, gates: usize },
}

/// Gates so far, and the depth of the deepest.
#[derive(Default, Debug)]
pub(in crate::library) struct Estimate {
    pub(in crate::library) formula: Formula,
}

impl Estimate {
    /// The AND of two bits, neither of which is the other.
    pub(in crate::library) fn and(&mut self, x: Arrival, y: Arrival) -> Arrival {
        match (x, y) {
            (Arrival::Clear(true), other) | (other, Arrival::Clear(true)) => other,
            (Arrival::Clear(false), _) | (_, Arrival::Clear(false)) => Arrival::Clear(false),
            (
                Arrival::After { ands, gates },
                Arrival::After {
                    ands: other_ands,
                    gates: other,
                },
            ) => {
                self.formula.ands += 1;
                self.after(ands.max(other_ands) + 1, gates.max(other))
            }
        }
    }

    /// The XOR of two bits, neither of which is the other.
    pub(in crate::library) fn xor(&mut self, x: Arrival, y: Arrival) -> Arrival {
        match (x, y) {
            (Arrival::Clear(x), Arrival::Clear(y)) => Arrival::Clear(x ^ y),
            (Arrival::Clear(_), other) | (other, Arrival::Clear(_)) => other,
            (
                Arrival::After { ands, gates },
                Arrival::After {
                    ands: other_ands,
                    gates: other,
                },
            ) => {
                self.formula.xors += 1;
                self.after(ands.max(other_ands), gates.max(other))
            }
        }
    }

    fn after(&mut self, ands: u32, before: usize) -> Arrival {
        let gates = before + 1;
        self.formula.depth = self.formula.depth.max(gates);
        Arrival::After { ands, gates }
    }

    /// The sum of two rows by Sklansky's adder, modulo 2 to the number of columns.
    pub(in crate::library) fn add_rows(&mut self, x: &[Arrival], y: &[Arrival]) {
        let columns: Vec<Arrival> = x.iter().zip(y).map(|(&x, &y)| self.xor(x, y)).collect();
        let carried = columns.len().saturating_sub(1);
        let mut generate: Vec<Arrival> = (0..carried).map(|at| self.and(x[at], y[at])).collect();
        let mut propagate = columns.clone();
        let mut half = 1;
        while half < carried {
            for at in (0..carried).filter(|at| at & half != 0) {
                let below = (at | (half - 1)) - half;
                let passed = self.and(propagate[at], generate[below]);
                generate[at] = self.xor(generate[at], passed);
                // Groups that reach column 0 have nothing below them to propagate.
                if at >= 2 * half {
                    propagate[at] = self.and(propagate[at], propagate[below]);
                }
            }
            half *= 2;
        }
        for (column, carry) in columns.into_iter().skip(1).zip(generate) {
            self.xor(column, carry);
        }
    }
}

impl FullAdders for Estimate {
    type Bit = Arrival;
    const ZERO: Arrival = Arrival::Clear(false);

    fn depth(&self, bit: Arrival) -> u32 {
        match bit {
            Arrival::Clear(_) => 0,
            Arrival::After { ands, .. } => ands,
        }
    }

    fn add(&mut self, x: Arrival, y: Arrival, z: Arrival, top: bool) -> (Arrival, Arrival) {
        let bits = [(x, y, z), (y, z, x), (z, x, y)];
        let clear = bits.iter().find_map(|&(x, y, z)| match z {
            Arrival::Clear(value) => Some((x, y, value)),
            Arrival::After { .. } => None,
        });
        if let Some((x, y, value)) = clear {
            let sum = match (x, y) {
                // ¬(x ⊕ y), which is a constant only for constants.
                (Arrival::Clear(x), Arrival::Clear(y)) => Arrival::Clear(x ^ y ^ value),
                _ => self.xor(x, y),
            };
            let carry = match (top, x, y) {
                (true, ..) => Arrival::Clear(false),
                // An OR, of which a constant leaves itself or the other.
                (_, Arrival::Clear(one), other) | (_, other, Arrival::Clear(one)) if value => {
                    if one { Arrival::Clear(true) } else { other }
                }
                _ => self.and(x, y),
            };
            return (sum, carry);
        }
        let xz = self.xor(x, z);
        let sum = self.xor(xz, y);
        if top {
            return (sum, Arrival::Clear(false));
        }
        let yz = self.xor(y, z);
        let change = self.and(xz, yz);
        (sum, self.xor(change, z))
    }
}
