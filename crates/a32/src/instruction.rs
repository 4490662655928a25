//! The decoded form: one value per instruction of the subset, every operand typed.
//!
//! A value that [`decode`](crate::decode()) returns is never UNPREDICTABLE: its registers and
//! ranges satisfy what each variant states. [`execute`](crate::execute()) relies on nothing more
//! than memory safety does, so a hand-made value outside those ranges gives a wrong result, never
//! a panic.
//!
//! Source: DDI 0406C §A5 (encodings) and §A8.8 (each instruction).

mod float;
mod synchronization;

pub use float::{
    FloatAccumulate, FloatBinary, FloatBlock, FloatBlockMode, FloatInstruction, FloatPair,
    FloatUnary, Transfer,
};
pub use synchronization::{Barrier, Order, Polynomial, Synchronization, Unit};

use crate::condition::Condition;
use crate::machine::{Signedness, Size};
use crate::operand::{Address, ConstantShift, Operand};
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

/// Which half of a register is read as a signed number of 16 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Half {
    /// `B`: bits 0 ..= 15.
    Bottom,
    /// `T`: bits 16 ..= 31.
    Top,
}

/// Whether the halves of the second source are exchanged first (the suffix `X`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Exchange {
    /// They stay.
    No,
    /// They change places.
    Yes,
}

/// How a high word is made of 64 bits (the suffix `R`).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Rounding {
    /// The low word is dropped.
    Down,
    /// 2³¹ is added first, which rounds to the nearest.
    Nearest,
}

/// What is done with the two products of halves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DualOperation {
    /// Bottom + top.
    Add,
    /// Bottom − top.
    Subtract,
}

/// What the high word of a product is used for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum HighOperation {
    /// `SMMUL`: it is the result.
    Multiply,
    /// `SMMLA`: of `ra · 2³² + product`.
    Accumulate(Register),
    /// `SMMLS`: of `ra · 2³² − product`.
    Subtract(Register),
}

/// Sums that saturate: the nearest of −2³¹ ..= 2³¹ − 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SaturatingOperation {
    /// `QADD`: `rm + rn`.
    Add,
    /// `QSUB`: `rm − rn`.
    Subtract,
    /// `QDADD`: `rm + 2·rn`, the doubling saturated too.
    DoubleAdd,
    /// `QDSUB`: `rm − 2·rn`, the doubling saturated too.
    DoubleSubtract,
}

/// What a parallel addition or subtraction does with sums that leave their lane.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParallelKind {
    /// `S`: signed, wraps; GE says where the exact result is not negative.
    Signed,
    /// `Q`: signed, saturates.
    SignedSaturating,
    /// `SH`: signed, half of the exact result.
    SignedHalving,
    /// `U`: unsigned, wraps; GE says where a sum carried or a difference did not borrow.
    Unsigned,
    /// `UQ`: unsigned, saturates.
    UnsignedSaturating,
    /// `UH`: unsigned, half of the exact result.
    UnsignedHalving,
}

/// Which lanes are added and which subtracted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ParallelOperation {
    /// `ADD16`: both halves.
    Add16,
    /// `ASX`: the top half plus the other's bottom half, the bottom half minus the other's top.
    AddSubtractExchanged,
    /// `SAX`: the top half minus the other's bottom half, the bottom half plus the other's top.
    SubtractAddExchanged,
    /// `SUB16`: both halves.
    Subtract16,
    /// `ADD8`: all four bytes.
    Add8,
    /// `SUB8`: all four bytes.
    Subtract8,
}

/// Which flags `MSR` writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum StatusFields {
    /// `APSR_nzcvq`.
    Flags,
    /// `APSR_g`.
    GreaterOrEqual,
    /// `APSR_nzcvqg`.
    All,
}

/// What a program says it will soon access.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Preload {
    /// `PLD`: data.
    Data,
    /// `PLDW`: data, to write it.
    DataForWriting,
    /// `PLI`: instructions.
    Instructions,
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
    /// `DBG`, with its option 0 ..= 15.
    Debug(u8),
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
    /// `UMAAL`: `rn · rm + rd_high + rd_low`, which 64 bits always hold.
    MultiplyAccumulateTwice {
        /// An addend, and the destination of the low word.
        rd_low: Register,
        /// An addend, and the destination of the high word, another register.
        rd_high: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
    },
    /// `SMULBB` … `SMULTT`, and with an addend `SMLABB` … `SMLATT`, which set Q where the signed
    /// sum overflows.
    MultiplyHalves {
        /// The destination.
        rd: Register,
        /// A factor, and which half of it.
        rn: (Register, Half),
        /// A factor, and which half of it.
        rm: (Register, Half),
        /// What the product is added to, if anything.
        addend: Option<Register>,
    },
    /// `SMLALBB` … `SMLALTT`: a product of halves added to `rd_high:rd_low`.
    MultiplyHalvesLong {
        /// Source and destination of the low word.
        rd_low: Register,
        /// Source and destination of the high word, another register.
        rd_high: Register,
        /// A factor, and which half of it.
        rn: (Register, Half),
        /// A factor, and which half of it.
        rm: (Register, Half),
    },
    /// `SMULWB`, `SMULWT`: bits 16 ..= 47 of a word times a half; with an addend `SMLAWB`,
    /// `SMLAWT`, which set Q where the signed sum overflows.
    MultiplyWordByHalf {
        /// The destination.
        rd: Register,
        /// A factor, all of it.
        rn: Register,
        /// A factor, and which half of it.
        rm: (Register, Half),
        /// What the bits are added to, if anything.
        addend: Option<Register>,
    },
    /// `SMUAD`, `SMUSD`: the sum or difference of bottom · bottom and top · top; with an addend
    /// `SMLAD`, `SMLSD`. Q is set where the exact sum needs more than 32 bits.
    MultiplyDual {
        /// Sum or difference.
        op: DualOperation,
        /// Whether the halves of `rm` change places.
        exchange: Exchange,
        /// The destination.
        rd: Register,
        /// The factors.
        rn: Register,
        /// The factors.
        rm: Register,
        /// What is added, if anything.
        addend: Option<Register>,
    },
    /// `SMLALD`, `SMLSLD`: the same added to `rd_high:rd_low`.
    MultiplyDualLong {
        /// Sum or difference.
        op: DualOperation,
        /// Whether the halves of `rm` change places.
        exchange: Exchange,
        /// Source and destination of the low word.
        rd_low: Register,
        /// Source and destination of the high word, another register.
        rd_high: Register,
        /// The factors.
        rn: Register,
        /// The factors.
        rm: Register,
    },
    /// `SMMUL`, `SMMLA`, `SMMLS`: the high word of a signed product, alone or with an accumulator
    /// above it.
    MultiplyHigh {
        /// What it is used for.
        op: HighOperation,
        /// What becomes of the low word.
        rounding: Rounding,
        /// The destination.
        rd: Register,
        /// A factor.
        rn: Register,
        /// A factor.
        rm: Register,
    },
    /// `QADD`, `QSUB`, `QDADD`, `QDSUB`: sets Q where something saturates.
    SaturatingSum {
        /// The function.
        op: SaturatingOperation,
        /// The destination.
        rd: Register,
        /// The source that is added, subtracted or doubled.
        rn: Register,
        /// The source that is added to or subtracted from.
        rm: Register,
    },
    /// `SSAT`, `USAT`: the nearest number of `width` bits; sets Q where that is another one.
    Saturate {
        /// Which numbers of `width` bits.
        signedness: Signedness,
        /// The destination.
        rd: Register,
        /// How many bits: 1 ..= 32 signed, 0 ..= 31 unsigned.
        width: u8,
        /// The source, read as signed after its shift.
        rn: Register,
        /// Its shift, `LSL` or `ASR`.
        shift: ConstantShift,
    },
    /// `SSAT16`, `USAT16`: the same for both halves.
    SaturateHalves {
        /// Which numbers of `width` bits.
        signedness: Signedness,
        /// The destination.
        rd: Register,
        /// How many bits: 1 ..= 16 signed, 0 ..= 15 unsigned.
        width: u8,
        /// The source, two signed halves.
        rn: Register,
    },
    /// `SADD16` … `UHSUB8`: sums and differences of halves or bytes.
    Parallel {
        /// What becomes of sums that leave their lane.
        kind: ParallelKind,
        /// Which lanes are added and which subtracted.
        op: ParallelOperation,
        /// The destination.
        rd: Register,
        /// The first source.
        rn: Register,
        /// The second source.
        rm: Register,
    },
    /// `SEL`: each byte from `rn` where its GE flag is set, else from `rm`.
    SelectBytes {
        /// The destination.
        rd: Register,
        /// Where the flag is set.
        rn: Register,
        /// Where it is not.
        rm: Register,
    },
    /// `USAD8`, and with an addend `USADA8`: the sum of the four differences of bytes, without
    /// their signs.
    AbsoluteDifferences {
        /// The destination.
        rd: Register,
        /// Four bytes.
        rn: Register,
        /// Four bytes.
        rm: Register,
        /// What the sum is added to, if anything.
        addend: Option<Register>,
    },
    /// `PKHBT`, `PKHTB`: one half of `rn`, the other half of a shifted `rm`.
    PackHalves {
        /// The half that comes from `rn`: bottom for `PKHBT`, top for `PKHTB`.
        from_rn: Half,
        /// The destination.
        rd: Register,
        /// The source of one half.
        rn: Register,
        /// The source of the other half, after its shift.
        rm: Register,
        /// Its shift: `LSL` for `PKHBT`, `ASR` for `PKHTB`.
        shift: ConstantShift,
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
    /// `UXTB16`, `SXTB16`: bytes 0 and 2 to halves, and with an addend `UXTAB16`, `SXTAB16`.
    ExtendHalves {
        /// Which extension.
        signedness: Signedness,
        /// The destination.
        rd: Register,
        /// What the halves are added to, if anything, without a carry between them.
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
    /// `LDR`, `LDRB`, `LDRH`, `LDRSB`, `LDRSH`, and their forms `LDRT` … `LDRSHT`.
    Load {
        /// What is loaded.
        kind: LoadKind,
        /// The destination; `pc`, for words only, is a branch.
        rt: Register,
        /// From where.
        address: Address,
    },
    /// `STR`, `STRB`, `STRH`, and their forms `STRT`, `STRBT`, `STRHT`.
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
    /// `MRS`: the flags in their places in the status register. Of its other bits only the mode
    /// reads as 1: 16, that of a user's program.
    ReadStatus {
        /// The destination.
        rd: Register,
    },
    /// `MSR`: writes flags.
    WriteStatus {
        /// Which.
        fields: StatusFields,
        /// Where they come from: a constant or a register as it is.
        source: Operand,
    },
    /// `PLD`, `PLDW`, `PLI`: nothing happens, whatever the address.
    Preload {
        /// What it announces.
        kind: Preload,
        /// Of what.
        address: Address,
    },
    /// What the floating-point unit does.
    Float(FloatInstruction),
    /// Exclusive accesses, checksums, the thread pointer.
    Synchronization(Synchronization),
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
