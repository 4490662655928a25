//! The gates: their linear forms, and what they compute.
//!
//! With bits as ±1/8, a two-input gate is the sign of w_a·a + w_b·b + c: for AND
//! of a + b − 1/8, which is 1/8 for two true bits and −1/8 or −3/8 otherwise; for
//! XOR of 2(a + b) + 1/4, which is 1/4 ± 1/2 = −1/4 for equal bits and 1/4 for
//! different ones. The form lies 1/8 (XOR: 1/4, with twice the noise) from where
//! the sign changes. A bootstrap gives the sign as a fresh ±1/8 (Chillotti, Gama,
//! Georgieva, Izabachène, eprint 2018/421, §7.1; the TFHE library's gate set).

use super::ciphertext::{EIGHTH, GateCiphertext};

/// A gate of two inputs: one rotation and one key switch each.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Gate {
    /// a ∧ b
    And,
    /// a ∨ b
    Or,
    /// ¬(a ∧ b)
    Nand,
    /// ¬(a ∨ b)
    Nor,
    /// a ⊕ b
    Xor,
    /// ¬(a ⊕ b)
    Xnor,
    /// ¬a ∧ b
    AndNy,
    /// a ∧ ¬b
    AndYn,
    /// ¬a ∨ b
    OrNy,
    /// a ∨ ¬b
    OrYn,
}

impl Gate {
    /// Every gate of two inputs.
    pub const ALL: [Self; 10] = [
        Self::And,
        Self::Or,
        Self::Nand,
        Self::Nor,
        Self::Xor,
        Self::Xnor,
        Self::AndNy,
        Self::AndYn,
        Self::OrNy,
        Self::OrYn,
    ];

    /// The gate's name in the papers.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::And => "AND",
            Self::Or => "OR",
            Self::Nand => "NAND",
            Self::Nor => "NOR",
            Self::Xor => "XOR",
            Self::Xnor => "XNOR",
            Self::AndNy => "ANDNY",
            Self::AndYn => "ANDYN",
            Self::OrNy => "ORNY",
            Self::OrYn => "ORYN",
        }
    }

    /// What the gate computes.
    #[must_use]
    pub fn of(self, a: bool, b: bool) -> bool {
        match self {
            Self::And => a & b,
            Self::Or => a | b,
            Self::Nand => !(a & b),
            Self::Nor => !(a | b),
            Self::Xor => a ^ b,
            Self::Xnor => a == b,
            Self::AndNy => !a & b,
            Self::AndYn => a & !b,
            Self::OrNy => !a | b,
            Self::OrYn => a | !b,
        }
    }

    /// The constant in eighths of the torus, and the weights of both inputs.
    pub(super) fn form(self) -> (i32, i32, i32) {
        match self {
            Self::And => (-1, 1, 1),
            Self::Or => (1, 1, 1),
            Self::Nand => (1, -1, -1),
            Self::Nor => (-1, -1, -1),
            Self::Xor => (2, 2, 2),
            Self::Xnor => (-2, -2, -2),
            Self::AndNy => (-1, -1, 1),
            Self::AndYn => (-1, 1, -1),
            Self::OrNy => (1, -1, 1),
            Self::OrYn => (1, 1, -1),
        }
    }
}

/// One gate with its operands.
#[derive(Clone, Copy, Debug)]
pub enum GateJob<'a> {
    /// A gate of two inputs: one rotation, one key switch.
    Two(Gate, &'a GateCiphertext, &'a GateCiphertext),
    /// `then` where `select` is true, `otherwise` where it is false: two rotations,
    /// one key switch.
    Mux {
        /// The condition.
        select: &'a GateCiphertext,
        /// The value where the condition is true.
        then: &'a GateCiphertext,
        /// The value where the condition is false.
        otherwise: &'a GateCiphertext,
    },
    /// The same bit with fresh noise: one rotation, one key switch.
    Refresh(&'a GateCiphertext),
}

/// A weighted sum of encrypted bits and a constant in eighths, to be rotated.
#[derive(Clone, Copy, Debug)]
pub(super) struct Form<'a> {
    constant: i32,
    terms: [Option<(i32, &'a GateCiphertext)>; 2],
}

impl<'a> GateJob<'a> {
    pub(super) fn operands(&self) -> impl Iterator<Item = &'a GateCiphertext> {
        let operands = match *self {
            Self::Two(_, a, b) => [Some(a), Some(b), None],
            Self::Mux {
                select,
                then,
                otherwise,
            } => [Some(select), Some(then), Some(otherwise)],
            Self::Refresh(a) => [Some(a), None, None],
        };
        operands.into_iter().flatten()
    }

    /// What is rotated; the outputs of two rotations are added, with 1/8:
    /// select ∧ then and ¬select ∧ otherwise are never both true, so that their sum
    /// is 0 or −1/4.
    pub(super) fn forms(&self) -> [Option<Form<'a>>; 2] {
        let two = |gate: Gate, a, b| {
            let (constant, weight_a, weight_b) = gate.form();
            Form {
                constant,
                terms: [Some((weight_a, a)), Some((weight_b, b))],
            }
        };
        match *self {
            Self::Two(gate, a, b) => [Some(two(gate, a, b)), None],
            Self::Mux {
                select,
                then,
                otherwise,
            } => [
                Some(two(Gate::And, select, then)),
                Some(two(Gate::AndNy, select, otherwise)),
            ],
            Self::Refresh(a) => [
                Some(Form {
                    constant: 0,
                    terms: [Some((1, a)), None],
                }),
                None,
            ],
        }
    }
}

impl Form<'_> {
    /// The sum, in 64 bits for the modulus switch.
    pub(super) fn write(&self, sum: &mut [u64]) {
        sum.fill(0);
        for (weight, bit) in self.terms.iter().flatten() {
            for (sum, x) in sum.iter_mut().zip(bit.elements()) {
                *sum = sum.wrapping_add(u64::from(x.wrapping_mul(*weight as u32)) << 32);
            }
        }
        if let Some(body) = sum.last_mut() {
            let constant = EIGHTH.wrapping_mul(self.constant as u32);
            *body = body.wrapping_add(u64::from(constant) << 32);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// On exact bits every form has the sign of its gate, and the margin that the
    /// noise formulas take for granted: 1/8 for unit weights, 1/4 for twos.
    #[test]
    fn forms_are_the_gates() {
        for gate in Gate::ALL {
            let (constant, weight_a, weight_b) = gate.form();
            for (a, b) in [(false, false), (false, true), (true, false), (true, true)] {
                let eighths = |bit| if bit { 1 } else { -1 };
                let form = constant + weight_a * eighths(a) + weight_b * eighths(b);
                // Modulo 8, in -4..4.
                let form = (form + 4).rem_euclid(8) - 4;
                assert_eq!(form > 0, gate.of(a, b), "{}", gate.name());
                let margin = form.abs().min(4 - form.abs());
                assert_eq!(margin, weight_a.abs(), "{}", gate.name());
            }
        }
    }
}
