//! The decoded form: one value per instruction of the subset, every operand typed.
//!
//! A value that [`decode`](crate::decode()) returns is never UNPREDICTABLE: its registers and
//! ranges satisfy what each variant states. [`execute`](crate::execute()) relies on nothing more
//! than memory safety does, so a hand-made value outside those ranges gives a wrong result, never
//! a panic.
//!
//! Source: DDI 0406C §A5 (encodings) and §A8.8 (each instruction).

use crate::condition::Condition;
use crate::machine::{Signedness, Size};
use crate::operand::{Address, Operand};
use crate::register::{Register, RegisterList};

/// A decoded A32 instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Instruction {
    /// When it takes effect.
    pub condition: Condition,
    /// What it does.
    pub operation: Operation,
}

/// Whether an instruction writes the flags (the suffix `S`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SetFlags {
    /// They stay.
    No,
    /// N and Z from the result; C and V as the operation defines.
    Yes,
}

/// Data processing with two sources and a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AluOperation {
    /// `rn ∧ operand`.
    And,
    /// `rn ⊕ operand`.
    Eor,
    /// `rn − operand`.
    Sub,
    /// `operand − rn`.
    Rsb,
    /// `rn + operand`.
    Add,
    /// `rn + operand + C`.
    Adc,
    /// `rn − operand − ¬C`.
    Sbc,
    /// `operand − rn − ¬C`.
    Rsc,
    /// `rn ∨ operand`.
    Orr,
    /// `rn ∧ ¬operand`.
    Bic,
}

/// Data processing with one source and a result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MoveOperation {
    /// The operand (`LSL`, `LSR`, … are spellings of it).
    Mov,
    /// The operand's complement.
    Mvn,
}

/// Data processing that only sets flags.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CompareOperation {
    /// Flags of `rn ∧ operand`.
    Tst,
    /// Flags of `rn ⊕ operand`.
    Teq,
    /// Flags of `rn − operand`.
    Cmp,
    /// Flags of `rn + operand`.
    Cmn,
}

/// What an extension or a bit permutation does to one register.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum UnaryOperation {
    /// Count leading zeros.
    Clz,
    /// Reverse the order of the 32 bits.
    Rbit,
    /// Reverse the order of the four bytes.
    Rev,
    /// Reverse the two bytes of each half.
    Rev16,
    /// Reverse the two bytes of the low half and sign-extend it.
    Revsh,
}

/// What a load does with the bytes it reads.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum LoadKind {
    /// `LDR`.
    Word,
    /// `LDRB`, zero-extended.
    Byte,
    /// `LDRH`, zero-extended.
    Half,
    /// `LDRSB`, sign-extended.
    SignedByte,
    /// `LDRSH`, sign-extended.
    SignedHalf,
}

/// Which words above or below the base `LDM` and `STM` access. The lowest register always lies at
/// the lowest address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BlockMode {
    /// `DA`: up to and with the base.
    DecrementAfter,
    /// `IA`: from the base.
    IncrementAfter,
    /// `DB`: up to below the base.
    DecrementBefore,
    /// `IB`: from above the base.
    IncrementBefore,
}

/// Whether `LDM` and `STM` move their base register past what they accessed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum WriteBack {
    /// The base stays.
    No,
    /// The base moves by four bytes per register.
    Yes,
}

/// A block transfer's base and registers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Block {
    /// Which words.
    pub mode: BlockMode,
    /// The base register, not `pc`.
    pub base: Register,
    /// Whether it moves.
    pub write_back: WriteBack,
    /// At least one register. With writeback, a load's list lacks the base, and in a store's list
    /// the base can only be the lowest.
    pub registers: RegisterList,
}

/// Whether a branch leaves its return address in `lr`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Link {
    /// `B`, `BX`: no.
    No,
    /// `BL`, `BLX`: yes.
    Yes,
}

/// Instructions without effect on a machine of one processor.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Hint {
    /// `NOP`.
    Nop,
    /// `YIELD`.
    Yield,
    /// `WFE`, which may always return at once.
    WaitForEvent,
    /// `WFI`, which may always return at once.
    WaitForInterrupt,
    /// `SEV`.
    SendEvent,
    /// `SEVL`.
    SendEventLocal,
    /// `CSDB`: nothing here speculates on data.
    ConsumptionBarrier,
    /// `DMB`, with its domain 0 ..= 15.
    DataMemoryBarrier(u8),
    /// `DSB`, with its domain 0 ..= 15.
    DataSynchronizationBarrier(u8),
    /// `ISB`, with its domain 0 ..= 15.
    InstructionSynchronizationBarrier(u8),
}

/// Instructions that stop a program as an error does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Trap {
    /// `BKPT`, with its number.
    Breakpoint(u16),
    /// `UDF`, permanently undefined, with its number: what compilers make of `__builtin_trap()`.
    Undefined(u16),
}

/// What an instruction does, once its condition has passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    /// `AND` … `BIC`. With `rd = pc` a branch; then the flags are not set.
    Alu {
        /// The function.
        op: AluOperation,
        /// Whether flags follow.
        set_flags: SetFlags,
        /// The destination.
        rd: Register,
        /// The first source.
        rn: Register,
        /// The second source.
        operand: Operand,
    },
    /// `MOV` and `MVN`. With `rd = pc` a branch; then the flags are not set.
    Move {
        /// The function.
        op: MoveOperation,
        /// Whether flags follow.
        set_flags: SetFlags,
        /// The destination.
        rd: Register,
        /// The source.
        operand: Operand,
    },
    /// `TST`, `TEQ`, `CMP`, `CMN`.
    Compare {
        /// The function.
        op: CompareOperation,
        /// The first source.
        rn: Register,
        /// The second source.
        operand: Operand,
    },
    /// `MOVW`: the constant, zero-extended.
    MoveWide {
        /// The destination, not `pc`.
        rd: Register,
        /// The constant.
        value: u16,
    },
    /// `MOVT`: the constant into the top half, the low half stays.
    MoveTop {
        /// The destination, not `pc`.
        rd: Register,
        /// The constant.
        value: u16,
    },
    /// `MUL`: `rn · rm`.
    Multiply {
        /// Whether N and Z follow (C and V stay).
        set_flags: SetFlags,
        /// The destination.
        rd: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
    },
    /// `MLA`: `rn · rm + ra`.
    MultiplyAccumulate {
        /// Whether N and Z follow (C and V stay).
        set_flags: SetFlags,
        /// The destination.
        rd: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
        /// The addend.
        ra: Register,
    },
    /// `MLS`: `ra − rn · rm`.
    MultiplySubtract {
        /// The destination.
        rd: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
        /// The minuend.
        ra: Register,
    },
    /// `UMULL`, `SMULL`: a 64-bit product.
    MultiplyLong {
        /// How the factors are read.
        signedness: Signedness,
        /// Whether N and Z of the 64 bits follow (C and V stay).
        set_flags: SetFlags,
        /// The destination of the low word.
        rd_low: Register,
        /// The destination of the high word, another register.
        rd_high: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
    },
    /// `UMLAL`, `SMLAL`: a 64-bit product added to `rd_high:rd_low`.
    MultiplyAccumulateLong {
        /// How the factors are read.
        signedness: Signedness,
        /// Whether N and Z of the 64 bits follow (C and V stay).
        set_flags: SetFlags,
        /// Source and destination of the low word.
        rd_low: Register,
        /// Source and destination of the high word, another register.
        rd_high: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
    },
    /// `UDIV`, `SDIV`: `rn / rm`, towards zero, `x / 0 = 0`.
    Divide {
        /// How the operands are read.
        signedness: Signedness,
        /// The destination.
        rd: Register,
        /// The dividend.
        rn: Register,
        /// The divisor.
        rm: Register,
    },
    /// `UBFX`, `SBFX`: a bit field, zero- or sign-extended.
    ExtractField {
        /// Which extension.
        signedness: Signedness,
        /// The destination.
        rd: Register,
        /// The source.
        rn: Register,
        /// Its lowest bit, 0 ..= 31.
        lsb: u8,
        /// Its width, 1 ..= 32 − `lsb`.
        width: u8,
    },
    /// `BFI`, and `BFC` where there is no source: replaces a bit field of `rd`.
    InsertField {
        /// The destination, whose other bits stay.
        rd: Register,
        /// Where the low `width` bits come from; `None` clears the field.
        source: Option<Register>,
        /// Its lowest bit, 0 ..= 31.
        lsb: u8,
        /// Its width, 1 ..= 32 − `lsb`.
        width: u8,
    },
    /// `UXTB`, `SXTB`, `UXTH`, `SXTH`, and with an addend `UXTAB`, `SXTAB`, `UXTAH`, `SXTAH`.
    Extend {
        /// Which extension.
        signedness: Signedness,
        /// The width extended from, [`Size::Byte`] or [`Size::Half`].
        from: Size,
        /// The destination.
        rd: Register,
        /// What the extended value is added to, if anything.
        addend: Option<Register>,
        /// The source, rotated right before the extension.
        rm: Register,
        /// By how many bits: 0, 8, 16 or 24.
        rotation: u8,
    },
    /// `CLZ`, `RBIT`, `REV`, `REV16`, `REVSH`.
    Unary {
        /// The function.
        op: UnaryOperation,
        /// The destination.
        rd: Register,
        /// The source.
        rm: Register,
    },
    /// `LDR`, `LDRB`, `LDRH`, `LDRSB`, `LDRSH`.
    Load {
        /// What is loaded.
        kind: LoadKind,
        /// The destination; `pc`, for words only, is a branch.
        rt: Register,
        /// From where.
        address: Address,
    },
    /// `STR`, `STRB`, `STRH`.
    Store {
        /// How much is stored.
        size: Size,
        /// The source; `pc`, for words only, stores the instruction's address + 8.
        rt: Register,
        /// To where.
        address: Address,
    },
    /// `LDRD`: two words to `rt` and the register after it.
    LoadDual {
        /// An even register, not `lr`.
        rt: Register,
        /// From where.
        address: Address,
    },
    /// `STRD`: `rt` and the register after it to two words.
    StoreDual {
        /// An even register, not `lr`.
        rt: Register,
        /// To where.
        address: Address,
    },
    /// `LDM`, `POP`. With `pc` in the list a branch.
    LoadMultiple(Block),
    /// `STM`, `PUSH`.
    StoreMultiple(Block),
    /// `B`, `BL`.
    Branch {
        /// Whether `lr` receives the address of the next instruction.
        link: Link,
        /// Target minus (this instruction's address + 8): a multiple of four within ±32 MiB.
        offset: i32,
    },
    /// `BX`, `BLX` to a register.
    BranchExchange {
        /// Whether `lr` receives the address of the next instruction.
        link: Link,
        /// Where the target stands.
        rm: Register,
    },
    /// `SVC`.
    SupervisorCall {
        /// The 24-bit number in the instruction.
        number: u32,
    },
    /// `BKPT`, `UDF`.
    Trap(Trap),
    /// `NOP`, hints and barriers.
    Hint(Hint),
}
