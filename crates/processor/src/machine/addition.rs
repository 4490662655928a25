//! What the flags come from, for a client that decides branches by itself.
//!
//! The client-held program counter (paper §VII-C) sends the operands of a comparison instead of its
//! outcome, so that the comparison is never evaluated: its nodes are then without a reader. A
//! machine that works that way remembers the operands of the last addition or subtraction that set
//! all four flags. Whether the flags still are that addition's is asked when a branch wants to
//! know.

use std::rc::Rc;

use a32::Sum;
use circuits::Wire;

use super::word::Wires;
use super::{Symbolic, Word, Zero, units};

/// An `AddWithCarry` on secrets, and its results.
#[derive(Clone, Debug)]
pub(crate) struct Addition {
    a: Word,
    b: Word,
    carry_in: Wire,
    result: Word,
    carry: Wire,
    overflow: Wire,
}

/// The number of bits of an addition's operands.
const OPERAND_BITS: usize = 65;

impl Symbolic {
    /// Remembers from here on what the flags come from.
    pub(crate) fn remember_operands(&mut self) {
        self.remembers = true;
    }

    /// Notes an addition: its flags may be asked for.
    pub(super) fn note_addition(
        &mut self,
        a: &Word,
        b: &Word,
        carry_in: Wire,
        sum: &Sum<Word, Wire>,
    ) {
        if self.remembers {
            self.last_sum = Some(Rc::new(Addition {
                a: a.clone(),
                b: b.clone(),
                carry_in,
                result: sum.result.clone(),
                carry: sum.carry,
                overflow: sum.overflow,
            }));
        }
    }

    /// Notes that the overflow flag was set: by the last addition, since nothing else does.
    pub(super) fn note_flags(&mut self) {
        self.flags_of = match self.predicate {
            None => self.last_sum.take(),
            Some(_) => None,
        };
    }

    /// The secret word that the flags compare with a clear number.
    pub(super) fn compared(&self) -> Option<Wires> {
        match self.flags_of.as_deref()? {
            Addition {
                a: Word::Secret(word),
                b: Word::Clear(_),
                ..
            }
            | Addition {
                a: Word::Clear(_),
                b: Word::Secret(word),
                ..
            } => Some(**word),
            _ => None,
        }
    }

    /// What a client needs to see how the flags stand: the 65 bits of the operands (a, b, carry),
    /// or N, Z, C and V themselves. The operands only if these four flags are that addition's; the
    /// flags of the state are then gone until [`sum_flags`](Self::sum_flags).
    pub(crate) fn take_flags(&mut self) -> Vec<Wire> {
        if let Some(sum) = self.flags_of.take()
            && self.negative == sum.result.bit(31)
            && self.carry == sum.carry
            && self.overflow == sum.overflow
            && self.zero_is_of(&sum.result)
        {
            self.negative = Wire::FALSE;
            self.carry = Wire::FALSE;
            self.overflow = Wire::FALSE;
            self.zero = Zero::Known(Wire::FALSE);
            let mut wires = sum.a.wires().to_vec();
            wires.extend(sum.b.wires());
            wires.push(sum.carry_in);
            return wires;
        }
        let zero = self.zero_flag();
        vec![self.negative, zero, self.carry, self.overflow]
    }

    /// Sets the flags that [`take_flags`](Self::take_flags) took, from what it gave, in the circuit
    /// in which it now stands. What nobody reads of them is never evaluated.
    pub(crate) fn sum_flags(&mut self, bits: &[Wire]) {
        if bits.len() != OPERAND_BITS {
            return;
        }
        let (a, b) = (
            Word::from_slice(&bits[..32]),
            Word::from_slice(&bits[32..64]),
        );
        let sum = units::add_with_carry(&mut self.builder, &a, &b, bits[64]);
        self.negative = sum.result.bit(31);
        self.carry = sum.carry;
        self.overflow = sum.overflow;
        self.note_addition(&a, &b, bits[64], &sum);
        self.flags_of = self.last_sum.take();
        self.zero = Zero::Of(sum.result, Word::Clear(0));
    }

    fn zero_is_of(&mut self, result: &Word) -> bool {
        match &self.zero {
            Zero::Of(low, Word::Clear(0)) => low == result,
            Zero::Known(wire) => {
                let wire = *wire;
                [false, true]
                    .map(|by_operands| self.is_zero(result, by_operands))
                    .contains(&wire)
            }
            _ => false,
        }
    }
}
