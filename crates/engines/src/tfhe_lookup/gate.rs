//! The gates of the papers by name, each one bootstrap at most.
//!
//! The TFHE library's gate set, as the papers on encrypted adders and on CryptoEmu use it:
//! CONSTANT, COPY, NOT, AND, OR, NAND, NOR, XOR, XNOR, ANDNY (¬a ∧ b), ANDYN (a ∧ ¬b),
//! ORNY (¬a ∨ b), ORYN (a ∨ ¬b) and MUX. Every two-input gate is one lookup of t = a + 2b, and a
//! multiplexer is one lookup of t = b + 2a + 4s, where the gate bootstrapping of those papers
//! takes two. Circuits should not be written with these: a recorded circuit packs several gates
//! into each lookup (see `circuits::passes`).

use circuits::Gates as _;
use tfhe::gate::Gate;
use tfhe::{LweCiphertext, TfheError, TruthTable};

use super::{Buffers, MUX, TfheLookup};

/// The gate as a function of t = a + 2b, 0 where t cannot be.
fn table(gate: Gate) -> TruthTable {
    TruthTable::of(|t| t < 4 && gate.of(t & 1 == 1, t & 2 == 2))
}

impl TfheLookup {
    /// CONSTANT: a known bit in the form of a ciphertext; no bootstrap, and no secrecy.
    #[must_use]
    pub fn gate_constant(&self, value: bool) -> LweCiphertext {
        self.constant(value)
    }

    /// COPY: no bootstrap.
    #[must_use]
    pub fn gate_copy(&self, a: &LweCiphertext) -> LweCiphertext {
        a.clone()
    }

    /// NOT: no bootstrap.
    #[must_use]
    pub fn gate_not(&self, a: &LweCiphertext) -> LweCiphertext {
        a.not()
    }

    /// A gate of two inputs: one bootstrap.
    ///
    /// # Errors
    /// [`TfheError`] if an operand belongs to another key or has another dimension.
    pub fn gate(
        &self,
        scratch: &mut Buffers,
        gate: Gate,
        a: &LweCiphertext,
        b: &LweCiphertext,
    ) -> Result<LweCiphertext, TfheError> {
        self.one(scratch, &[(a, 1), (b, 2)], table(gate))
    }

    /// MUX: `then` where `select` is 1, `otherwise` where it is 0; one bootstrap.
    ///
    /// # Errors
    /// [`TfheError`] if an operand belongs to another key or has another dimension.
    pub fn gate_mux(
        &self,
        scratch: &mut Buffers,
        select: &LweCiphertext,
        then: &LweCiphertext,
        otherwise: &LweCiphertext,
    ) -> Result<LweCiphertext, TfheError> {
        self.one(scratch, &[(otherwise, 1), (then, 2), (select, 4)], MUX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_the_gates() {
        for gate in Gate::ALL {
            for t in 0..4 {
                assert_eq!(
                    table(gate).at(t),
                    gate.of(t & 1 == 1, t & 2 == 2),
                    "{}",
                    gate.name()
                );
            }
        }
        for t in 0..8 {
            assert_eq!(MUX.at(t), if t & 4 == 4 { t & 2 == 2 } else { t & 1 == 1 });
        }
    }
}
