//! The operands of data processing and of memory accesses, as typed values.
//!
//! Source: DDI 0406C §A5.2.3–4 (modified immediates, shifts) and §A8.4 (shifts applied to a
//! register), §A8.5 (memory accesses).

use crate::register::Register;

/// The four shifts with an amount. (`RRX` has none.)
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ShiftKind {
    /// `LSL`: zeros come in from the right.
    Left,
    /// `LSR`: zeros come in from the left.
    LogicalRight,
    /// `ASR`: copies of the sign come in from the left.
    ArithmeticRight,
    /// `ROR`: what leaves on the right comes in from the left.
    RotateRight,
}

/// An 8-bit constant rotated right by an even amount.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ModifiedImmediate {
    byte: u8,
    rotation: u8,
}

impl ModifiedImmediate {
    /// Of the low twelve bits of an instruction: half the rotation, then the byte.
    pub(crate) const fn from_field(field: u32) -> ModifiedImmediate {
        ModifiedImmediate {
            byte: field as u8,
            rotation: (field >> 8 & 15) as u8 * 2,
        }
    }

    /// The constant.
    #[must_use]
    pub const fn value(self) -> u32 {
        (self.byte as u32).rotate_right(self.rotation as u32)
    }

    /// The carry out of the shifter, where there is one: a rotation of zero leaves the flag alone,
    /// any other carries out bit 31 of the value.
    #[must_use]
    pub const fn carry(self) -> Option<bool> {
        if self.rotation == 0 {
            None
        } else {
            Some(self.value() >> 31 == 1)
        }
    }

    /// The constant before its rotation.
    #[must_use]
    pub const fn byte(self) -> u8 {
        self.byte
    }

    /// The rotation to the right in bits, even, 0 ..= 30.
    #[must_use]
    pub const fn rotation(self) -> u8 {
        self.rotation
    }

    /// Whether this is the encoding that an assembler chooses for [`value`](Self::value): the one
    /// with the smallest rotation.
    #[must_use]
    pub fn is_canonical(self) -> bool {
        let value = self.value();
        (0..self.rotation)
            .step_by(2)
            .all(|rotation| value.rotate_left(rotation.into()) > 0xff)
    }
}

/// A shift by a constant, as part of an operand.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ConstantShift {
    /// The register as it is (encoded as `LSL #0`); the carry flag passes through.
    None,
    /// By 1 ..= 31 for `LSL` and `ROR`, by 1 ..= 32 for `LSR` and `ASR`.
    By(ShiftKind, u8),
    /// `RRX`: one to the right through the carry flag.
    Extend,
}

/// The flexible second operand of data processing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operand {
    /// A constant.
    Immediate(ModifiedImmediate),
    /// A register, shifted by a constant.
    Register(Register, ConstantShift),
    /// A register, shifted by the low byte of another.
    ShiftedByRegister {
        /// What is shifted.
        value: Register,
        /// How.
        kind: ShiftKind,
        /// By how much: the low byte of this register, 0 ..= 255.
        amount: Register,
    },
}

/// Whether an offset is added to the base or subtracted from it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Direction {
    /// Base + offset.
    Add,
    /// Base − offset.
    Subtract,
}

/// How far from its base an access goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Offset {
    /// A constant number of bytes, 0 ..= 4095 (0 ..= 255 for halves, signed bytes and doubles).
    Immediate(u16),
    /// A register, shifted by a constant.
    Register(Register, ConstantShift),
}

/// Which address is accessed, and whether the base register changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Indexing {
    /// `[base, offset]`: base ± offset is accessed, the base stays.
    Offset,
    /// `[base, offset]!`: base ± offset is accessed and written back.
    PreIndexed,
    /// `[base], offset`: the base is accessed, base ± offset is written back.
    PostIndexed,
    /// The same in the forms `LDRT`, `STRT` and their relatives, which access what a user's program
    /// may access; here there is no other program.
    Unprivileged,
}

/// The address operand of a load or a store.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Address {
    /// The base register. `pc` only without writeback, and reads as instruction + 8, aligned.
    pub base: Register,
    /// Up or down from the base.
    pub direction: Direction,
    /// How far.
    pub offset: Offset,
    /// Which of base and base ± offset is accessed, and which is kept.
    pub indexing: Indexing,
}

impl Address {
    /// Whether the access changes its base register.
    #[must_use]
    pub fn writes_back(self) -> bool {
        self.indexing != Indexing::Offset
    }
}
