//! The scalar floating-point instructions (VFP), decoded.
//!
//! Registers of one instruction agree in their precision unless a variant says otherwise.
//!
//! Source: DDI 0406C §A7.5 to §A7.9; DDI 0487 for what ARMv8 added.

use crate::condition::Condition;
use crate::float::{FloatRegister, FloatRounding, FloatScalar, Invalid};
use crate::instruction::{Half, WriteBack};
use crate::machine::{Signedness, Size};
use crate::operand::Address;
use crate::register::Register;

/// Two sources and a result, rounded once.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBinary {
    /// `VADD`: `rn + rm`.
    Add,
    /// `VSUB`: `rn − rm`.
    Subtract,
    /// `VMUL`: `rn · rm`.
    Multiply,
    /// `VNMUL`: `−(rn · rm)`.
    NegatedMultiply,
    /// `VDIV`: `rn / rm`.
    Divide,
    /// `VMAXNM`: the greater; a number rather than a quiet NaN.
    MaximumNumber,
    /// `VMINNM`: the smaller; a number rather than a quiet NaN.
    MinimumNumber,
}

/// A product added to the destination.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatAccumulate {
    /// `VMLA`: `rd + rn · rm`, rounded after the product and after the sum.
    Add,
    /// `VMLS`: `rd − rn · rm`, rounded twice.
    Subtract,
    /// `VNMLA`: `−rd − rn · rm`, rounded twice.
    NegatedAdd,
    /// `VNMLS`: `−rd + rn · rm`, rounded twice.
    NegatedSubtract,
    /// `VFMA`: `rd + rn · rm`, rounded once.
    FusedAdd,
    /// `VFMS`: `rd − rn · rm`, rounded once.
    FusedSubtract,
    /// `VFNMA`: `−rd − rn · rm`, rounded once.
    FusedNegatedAdd,
    /// `VFNMS`: `−rd + rn · rm`, rounded once.
    FusedNegatedSubtract,
}

/// One source and a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatUnary {
    /// `VMOV`: the same bits.
    Move,
    /// `VABS`: without the sign.
    Absolute,
    /// `VNEG`: with the other sign.
    Negate,
    /// `VSQRT`: the square root.
    SquareRoot,
}

/// From core registers or to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Transfer {
    /// Core registers receive.
    ToCore,
    /// Floating-point registers receive.
    FromCore,
}

/// Two words of the floating-point registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatPair {
    /// A double register.
    Double(FloatRegister),
    /// This single register and the one after it, so not `s31`.
    Singles(FloatRegister),
}

/// Which words above or below the base `VLDM` and `VSTM` access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatBlockMode {
    /// `IA`: from the base.
    IncrementAfter,
    /// `DB`: up to below the base, which always moves.
    DecrementBefore,
}

/// A block transfer's base and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct FloatBlock {
    /// Which words.
    pub mode: FloatBlockMode,
    /// The base register; `pc` only where it stays.
    pub base: Register,
    /// Whether it moves.
    pub write_back: WriteBack,
    /// The first register.
    pub first: FloatRegister,
    /// How many follow it, itself included: at least 1, at most to register 31, at most 16 double
    /// ones.
    pub count: u8,
}

/// What a floating-point instruction does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FloatInstruction {
    /// `VADD` … `VMINNM`.
    Binary {
        /// The function.
        op: FloatBinary,
        /// The destination.
        rd: FloatRegister,
        /// The first source.
        rn: FloatRegister,
        /// The second source.
        rm: FloatRegister,
    },
    /// `VMLA` … `VFNMS`.
    Accumulate {
        /// The function.
        op: FloatAccumulate,
        /// The addend and the destination.
        rd: FloatRegister,
        /// A factor.
        rn: FloatRegister,
        /// A factor.
        rm: FloatRegister,
    },
    /// `VMOV`, `VABS`, `VNEG`, `VSQRT`.
    Unary {
        /// The function.
        op: FloatUnary,
        /// The destination.
        rd: FloatRegister,
        /// The source.
        rm: FloatRegister,
    },
    /// `VMOV` of a constant.
    Immediate {
        /// The destination.
        rd: FloatRegister,
        /// Sign, three bits of exponent, four of fraction: §A7.4.6.
        encoded: u8,
    },
    /// `VRINTA`, `VRINTN`, `VRINTP`, `VRINTM`, `VRINTZ`, `VRINTR`, `VRINTX`: to a number without a
    /// fraction.
    Round {
        /// How; `None` as FPSCR says.
        rounding: Option<FloatRounding>,
        /// Whether a changed value counts as inexact: `VRINTX`, whose rounding is `None`.
        inexact: bool,
        /// The destination.
        rd: FloatRegister,
        /// The source.
        rm: FloatRegister,
    },
    /// `VCMP`, `VCMPE`: sets the flags of FPSCR.
    Compare {
        /// Which operands make it invalid.
        invalid: Invalid,
        /// The first source.
        rd: FloatRegister,
        /// The second source; `None` is `#0`.
        rm: Option<FloatRegister>,
    },
    /// `VSEL`: by the flags of the status register.
    Select {
        /// Equal, overflow set, signed greater or equal, signed greater.
        condition: Condition,
        /// The destination.
        rd: FloatRegister,
        /// Where the condition holds.
        rn: FloatRegister,
        /// Where it does not.
        rm: FloatRegister,
    },
    /// `VCVT` between single and double; the registers differ in their precision.
    Convert {
        /// The destination.
        rd: FloatRegister,
        /// The source.
        rm: FloatRegister,
    },
    /// `VCVTB`, `VCVTT` from a half of a single register.
    FromHalf {
        /// Which half.
        half: Half,
        /// The destination.
        rd: FloatRegister,
        /// The source, a single register.
        rm: FloatRegister,
    },
    /// `VCVTB`, `VCVTT` to a half of a single register, whose other half stays.
    ToHalf {
        /// Which half.
        half: Half,
        /// The destination, a single register.
        rd: FloatRegister,
        /// The source.
        rm: FloatRegister,
    },
    /// `VCVT` of an integer in a single register, rounded as FPSCR says.
    FromInteger {
        /// How the integer is read.
        signedness: Signedness,
        /// The destination.
        rd: FloatRegister,
        /// The source, a single register.
        rm: FloatRegister,
    },
    /// `VCVT`, `VCVTR`, `VCVTA`, `VCVTN`, `VCVTP`, `VCVTM` to an integer in a single register.
    ToInteger {
        /// Which integers.
        signedness: Signedness,
        /// How; `None` is `VCVTR`, as FPSCR says.
        rounding: Option<FloatRounding>,
        /// The destination, a single register.
        rd: FloatRegister,
        /// The source.
        rm: FloatRegister,
    },
    /// `VCVT` of the fixed-point number in the low bits of a register, in place, rounded to the
    /// nearest.
    FromFixed {
        /// How the number is read.
        signedness: Signedness,
        /// [`Size::Half`] or [`Size::Word`].
        size: Size,
        /// 0 ..= 16 or 0 ..= 32.
        fraction_bits: u8,
        /// Source and destination.
        rd: FloatRegister,
    },
    /// `VCVT` to a fixed-point number that fills the register, in place, rounded towards zero.
    ToFixed {
        /// Which numbers.
        signedness: Signedness,
        /// [`Size::Half`] or [`Size::Word`], before the extension.
        size: Size,
        /// 0 ..= 16 or 0 ..= 32.
        fraction_bits: u8,
        /// Source and destination.
        rd: FloatRegister,
    },
    /// `VMOV` of one word.
    MoveWord {
        /// Where to.
        direction: Transfer,
        /// The core register, not `pc`.
        rt: Register,
        /// The word on the other side.
        scalar: FloatScalar,
    },
    /// `VMOV` of two words.
    MovePair {
        /// Where to.
        direction: Transfer,
        /// The core register of the first word, not `pc`.
        rt: Register,
        /// The core register of the second, not `pc`; another one where it receives.
        rt2: Register,
        /// The words on the other side.
        pair: FloatPair,
    },
    /// `VLDR`.
    Load {
        /// The destination.
        rd: FloatRegister,
        /// From where: a base and a constant, without writeback.
        address: Address,
    },
    /// `VSTR`.
    Store {
        /// The source.
        rd: FloatRegister,
        /// To where: a base and a constant, without writeback.
        address: Address,
    },
    /// `VLDM`, `VPOP`.
    LoadMultiple(FloatBlock),
    /// `VSTM`, `VPUSH`.
    StoreMultiple(FloatBlock),
    /// `VMRS` of FPSCR.
    ReadStatus {
        /// The destination; `None` is `APSR_nzcv`, which receives the flags of the last comparison.
        rt: Option<Register>,
    },
    /// `VMSR` to FPSCR.
    WriteStatus {
        /// The source, not `pc`.
        rt: Register,
    },
}
