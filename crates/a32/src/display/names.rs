//! The names of operations, without their suffixes.

use super::{is_pop, is_push, is_single_pop, is_single_push};
use crate::instruction::{
    AluOperation, CompareOperation, DualOperation, Exchange, Half, HighOperation, Hint, Link,
    LoadKind, MoveOperation, Operation, ParallelKind, ParallelOperation, Preload, Rounding,
    SaturatingOperation, SetFlags, Trap, UnaryOperation,
};
use crate::machine::{Signedness, Size};
use crate::operand::{Address, ConstantShift, Indexing, Operand, ShiftKind};

/// Every name that [`Instruction::name`](crate::Instruction::name) gives, in the order of this
/// page.
#[rustfmt::skip]
pub const MNEMONICS: &[&str] = &[
    "and", "eor", "sub", "rsb", "add", "adc", "sbc", "rsc", "orr", "bic", // two sources
    "mov", "lsl", "lsr", "asr", "ror", "rrx", "mvn", // one source
    "tst", "teq", "cmp", "cmn", // flags only
    "movw", "movt", // constants
    "mul", "mla", "mls", "umull", "smull", "umlal", "smlal", "umaal", // products of words
    "smulbb", "smulbt", "smultb", "smultt", "smlabb", "smlabt", "smlatb", "smlatt", // of halves
    "smlalbb", "smlalbt", "smlaltb", "smlaltt", "smulwb", "smulwt", "smlawb", "smlawt", //
    "smuad", "smuadx", "smusd", "smusdx", "smlad", "smladx", "smlsd", "smlsdx", // of two halves
    "smlald", "smlaldx", "smlsld", "smlsldx", //
    "smmul", "smmulr", "smmla", "smmlar", "smmls", "smmlsr", // high words
    "qadd", "qsub", "qdadd", "qdsub", "ssat", "usat", "ssat16", "usat16", // saturation
    "sadd16", "sasx", "ssax", "ssub16", "sadd8", "ssub8", // lanes
    "qadd16", "qasx", "qsax", "qsub16", "qadd8", "qsub8", //
    "shadd16", "shasx", "shsax", "shsub16", "shadd8", "shsub8", //
    "uadd16", "uasx", "usax", "usub16", "uadd8", "usub8", //
    "uqadd16", "uqasx", "uqsax", "uqsub16", "uqadd8", "uqsub8", //
    "uhadd16", "uhasx", "uhsax", "uhsub16", "uhadd8", "uhsub8", //
    "sel", "usad8", "usada8", "pkhbt", "pkhtb", //
    "udiv", "sdiv", //
    "ubfx", "sbfx", "bfi", "bfc", // fields and extensions
    "uxtb", "uxth", "sxtb", "sxth", "uxtab", "uxtah", "sxtab", "sxtah", //
    "uxtb16", "sxtb16", "uxtab16", "sxtab16", //
    "clz", "rbit", "rev", "rev16", "revsh", //
    "ldr", "ldrb", "ldrh", "ldrsb", "ldrsh", "str", "strb", "strh", "ldrd", "strd", // memory
    "ldrt", "ldrbt", "ldrht", "ldrsbt", "ldrsht", "strt", "strbt", "strht", //
    "ldm", "pop", "stm", "push", "pld", "pldw", "pli", //
    "b", "bl", "bx", "blx", // control
    "vadd", "vsub", "vmul", "vnmul", "vdiv", "vmaxnm", "vminnm", // floating point
    "vmla", "vmls", "vnmla", "vnmls", "vfma", "vfms", "vfnma", "vfnms", //
    "vmov", "vabs", "vneg", "vsqrt", "vcmp", "vcmpe", "vseleq", "vselvs", "vselge", "vselgt", //
    "vcvt", "vcvtr", "vcvtb", "vcvtt", "vcvta", "vcvtn", "vcvtp", "vcvtm", //
    "vrinta", "vrintn", "vrintp", "vrintm", "vrintr", "vrintx", "vrintz", //
    "vldr", "vstr", "vldm", "vpop", "vstm", "vpush", "vmrs", "vmsr", //
    "ldrex", "ldrexd", "ldrexb", "ldrexh", "ldaex", "ldaexd", "ldaexb", "ldaexh", // synchronization
    "strex", "strexd", "strexb", "strexh", "stlex", "stlexd", "stlexb", "stlexh", //
    "clrex", "lda", "ldab", "ldah", "stl", "stlb", "stlh", "swp", "swpb", //
    "crc32b", "crc32h", "crc32w", "crc32cb", "crc32ch", "crc32cw", // checksums
    "mrc", "mcr", "mrs", "msr", "svc", "bkpt", "udf", // system
    "nop", "yield", "wfe", "wfi", "sev", "sevl", "csdb", "dbg", "dmb", "dsb", "isb", // hints
];

/// The name without suffixes, and whether an `s` follows it.
pub(super) fn name(operation: &Operation) -> (&'static str, SetFlags) {
    use Signedness::{Signed, Unsigned};
    let plain = |name| (name, SetFlags::No);
    match *operation {
        Operation::Alu { op, set_flags, .. } => (alu_name(op), set_flags),
        Operation::Move {
            op,
            set_flags,
            operand,
            ..
        } => (move_name(op, operand), set_flags),
        Operation::Compare { op, .. } => plain(match op {
            CompareOperation::Tst => "tst",
            CompareOperation::Teq => "teq",
            CompareOperation::Cmp => "cmp",
            CompareOperation::Cmn => "cmn",
        }),
        Operation::MoveWide { .. } => plain("movw"),
        Operation::MoveTop { .. } => plain("movt"),
        Operation::Multiply { set_flags, .. } => ("mul", set_flags),
        Operation::MultiplyAccumulate { set_flags, .. } => ("mla", set_flags),
        Operation::MultiplySubtract { .. } => plain("mls"),
        Operation::MultiplyLong {
            signedness: Unsigned,
            set_flags,
            ..
        } => ("umull", set_flags),
        Operation::MultiplyLong {
            signedness: Signed,
            set_flags,
            ..
        } => ("smull", set_flags),
        Operation::MultiplyAccumulateLong {
            signedness: Unsigned,
            set_flags,
            ..
        } => ("umlal", set_flags),
        Operation::MultiplyAccumulateLong {
            signedness: Signed,
            set_flags,
            ..
        } => ("smlal", set_flags),
        Operation::MultiplyAccumulateTwice { .. } => plain("umaal"),
        Operation::MultiplyHalves { rn, rm, addend, .. } => {
            let names = match addend {
                Some(_) => ["smlabb", "smlabt", "smlatb", "smlatt"],
                None => ["smulbb", "smulbt", "smultb", "smultt"],
            };
            plain(names[halves(rn.1, rm.1)])
        }
        Operation::MultiplyHalvesLong { rn, rm, .. } => {
            plain(["smlalbb", "smlalbt", "smlaltb", "smlaltt"][halves(rn.1, rm.1)])
        }
        Operation::MultiplyWordByHalf { rm, addend, .. } => plain(match (addend, rm.1) {
            (None, Half::Bottom) => "smulwb",
            (None, Half::Top) => "smulwt",
            (Some(_), Half::Bottom) => "smlawb",
            (Some(_), Half::Top) => "smlawt",
        }),
        Operation::MultiplyDual {
            op,
            exchange,
            addend,
            ..
        } => plain(match (op, addend, exchange) {
            (DualOperation::Add, None, Exchange::No) => "smuad",
            (DualOperation::Add, None, Exchange::Yes) => "smuadx",
            (DualOperation::Subtract, None, Exchange::No) => "smusd",
            (DualOperation::Subtract, None, Exchange::Yes) => "smusdx",
            (DualOperation::Add, Some(_), Exchange::No) => "smlad",
            (DualOperation::Add, Some(_), Exchange::Yes) => "smladx",
            (DualOperation::Subtract, Some(_), Exchange::No) => "smlsd",
            (DualOperation::Subtract, Some(_), Exchange::Yes) => "smlsdx",
        }),
        Operation::MultiplyDualLong { op, exchange, .. } => plain(match (op, exchange) {
            (DualOperation::Add, Exchange::No) => "smlald",
            (DualOperation::Add, Exchange::Yes) => "smlaldx",
            (DualOperation::Subtract, Exchange::No) => "smlsld",
            (DualOperation::Subtract, Exchange::Yes) => "smlsldx",
        }),
        Operation::MultiplyHigh { op, rounding, .. } => plain(match (op, rounding) {
            (HighOperation::Multiply, Rounding::Down) => "smmul",
            (HighOperation::Multiply, Rounding::Nearest) => "smmulr",
            (HighOperation::Accumulate(_), Rounding::Down) => "smmla",
            (HighOperation::Accumulate(_), Rounding::Nearest) => "smmlar",
            (HighOperation::Subtract(_), Rounding::Down) => "smmls",
            (HighOperation::Subtract(_), Rounding::Nearest) => "smmlsr",
        }),
        Operation::SaturatingSum { op, .. } => plain(match op {
            SaturatingOperation::Add => "qadd",
            SaturatingOperation::Subtract => "qsub",
            SaturatingOperation::DoubleAdd => "qdadd",
            SaturatingOperation::DoubleSubtract => "qdsub",
        }),
        Operation::Saturate { signedness, .. } => plain(match signedness {
            Signed => "ssat",
            Unsigned => "usat",
        }),
        Operation::SaturateHalves { signedness, .. } => plain(match signedness {
            Signed => "ssat16",
            Unsigned => "usat16",
        }),
        Operation::Parallel { kind, op, .. } => plain(op.mnemonic(kind)),
        Operation::SelectBytes { .. } => plain("sel"),
        Operation::AbsoluteDifferences { addend, .. } => plain(match addend {
            None => "usad8",
            Some(_) => "usada8",
        }),
        Operation::PackHalves { from_rn, .. } => plain(match from_rn {
            Half::Bottom => "pkhbt",
            Half::Top => "pkhtb",
        }),
        Operation::Divide {
            signedness: Unsigned,
            ..
        } => plain("udiv"),
        Operation::Divide {
            signedness: Signed, ..
        } => plain("sdiv"),
        Operation::ExtractField {
            signedness: Unsigned,
            ..
        } => plain("ubfx"),
        Operation::ExtractField {
            signedness: Signed, ..
        } => plain("sbfx"),
        Operation::InsertField {
            source: Some(_), ..
        } => plain("bfi"),
        Operation::InsertField { source: None, .. } => plain("bfc"),
        Operation::Extend {
            signedness,
            from,
            addend,
            ..
        } => plain(match (signedness, from, addend) {
            (Unsigned, Size::Byte, None) => "uxtb",
            (Unsigned, _, None) => "uxth",
            (Signed, Size::Byte, None) => "sxtb",
            (Signed, _, None) => "sxth",
            (Unsigned, Size::Byte, Some(_)) => "uxtab",
            (Unsigned, _, Some(_)) => "uxtah",
            (Signed, Size::Byte, Some(_)) => "sxtab",
            (Signed, _, Some(_)) => "sxtah",
        }),
        Operation::ExtendHalves {
            signedness, addend, ..
        } => plain(match (signedness, addend) {
            (Unsigned, None) => "uxtb16",
            (Signed, None) => "sxtb16",
            (Unsigned, Some(_)) => "uxtab16",
            (Signed, Some(_)) => "sxtab16",
        }),
        Operation::Unary { op, .. } => plain(match op {
            UnaryOperation::Clz => "clz",
            UnaryOperation::Rbit => "rbit",
            UnaryOperation::Rev => "rev",
            UnaryOperation::Rev16 => "rev16",
            UnaryOperation::Revsh => "revsh",
        }),
        Operation::Load { kind, address, .. } if is_unprivileged(address) => plain(match kind {
            LoadKind::Word => "ldrt",
            LoadKind::Byte => "ldrbt",
            LoadKind::Half => "ldrht",
            LoadKind::SignedByte => "ldrsbt",
            LoadKind::SignedHalf => "ldrsht",
        }),
        Operation::Store { size, address, .. } if is_unprivileged(address) => plain(match size {
            Size::Word => "strt",
            Size::Byte => "strbt",
            Size::Half => "strht",
        }),
        Operation::Load { kind, address, .. } => plain(match kind {
            LoadKind::Word if is_single_pop(address) => "pop",
            LoadKind::Word => "ldr",
            LoadKind::Byte => "ldrb",
            LoadKind::Half => "ldrh",
            LoadKind::SignedByte => "ldrsb",
            LoadKind::SignedHalf => "ldrsh",
        }),
        Operation::Store { size, address, .. } => plain(match size {
            Size::Word if is_single_push(address) => "push",
            Size::Word => "str",
            Size::Byte => "strb",
            Size::Half => "strh",
        }),
        Operation::LoadDual { .. } => plain("ldrd"),
        Operation::StoreDual { .. } => plain("strd"),
        Operation::LoadMultiple(block) => plain(if is_pop(block) { "pop" } else { "ldm" }),
        Operation::StoreMultiple(block) => plain(if is_push(block) { "push" } else { "stm" }),
        Operation::Branch { link: Link::No, .. } => plain("b"),
        Operation::Branch {
            link: Link::Yes, ..
        } => plain("bl"),
        Operation::BranchExchange { link: Link::No, .. } => plain("bx"),
        Operation::BranchExchange {
            link: Link::Yes, ..
        } => plain("blx"),
        Operation::ReadStatus { .. } => plain("mrs"),
        Operation::WriteStatus { .. } => plain("msr"),
        Operation::Preload { kind, .. } => plain(match kind {
            Preload::Data => "pld",
            Preload::DataForWriting => "pldw",
            Preload::Instructions => "pli",
        }),
        Operation::Float(instruction) => plain(super::float::name(&instruction)),
        Operation::Synchronization(which) => plain(super::synchronization::name(&which)),
        Operation::SupervisorCall { .. } => plain("svc"),
        Operation::Trap(Trap::Breakpoint(_)) => plain("bkpt"),
        Operation::Trap(Trap::Undefined(_)) => plain("udf"),
        Operation::Hint(hint) => plain(hint_name(hint)),
    }
}

/// Where bb, bt, tb, tt stand in a table of four.
const fn halves(first: Half, second: Half) -> usize {
    2 * first as usize + second as usize
}

fn is_unprivileged(address: Address) -> bool {
    address.indexing == Indexing::Unprivileged
}

impl ParallelOperation {
    /// The name of this operation of a kind: `sadd16`, …, `uhsub8`.
    #[must_use]
    pub const fn mnemonic(self, kind: ParallelKind) -> &'static str {
        const NAMES: [[&str; 6]; 6] = [
            ["sadd16", "sasx", "ssax", "ssub16", "sadd8", "ssub8"],
            ["qadd16", "qasx", "qsax", "qsub16", "qadd8", "qsub8"],
            ["shadd16", "shasx", "shsax", "shsub16", "shadd8", "shsub8"],
            ["uadd16", "uasx", "usax", "usub16", "uadd8", "usub8"],
            ["uqadd16", "uqasx", "uqsax", "uqsub16", "uqadd8", "uqsub8"],
            ["uhadd16", "uhasx", "uhsax", "uhsub16", "uhadd8", "uhsub8"],
        ];
        NAMES[kind as usize][self as usize]
    }
}

fn alu_name(op: AluOperation) -> &'static str {
    match op {
        AluOperation::And => "and",
        AluOperation::Eor => "eor",
        AluOperation::Sub => "sub",
        AluOperation::Rsb => "rsb",
        AluOperation::Add => "add",
        AluOperation::Adc => "adc",
        AluOperation::Sbc => "sbc",
        AluOperation::Rsc => "rsc",
        AluOperation::Orr => "orr",
        AluOperation::Bic => "bic",
    }
}

fn move_name(op: MoveOperation, operand: Operand) -> &'static str {
    match (op, operand) {
        (MoveOperation::Mvn, _) => "mvn",
        (_, Operand::Register(_, ConstantShift::By(kind, _))) => shift_name(kind),
        (_, Operand::Register(_, ConstantShift::Extend)) => "rrx",
        (_, Operand::ShiftedByRegister { kind, .. }) => shift_name(kind),
        _ => "mov",
    }
}

pub(super) fn shift_name(kind: ShiftKind) -> &'static str {
    match kind {
        ShiftKind::Left => "lsl",
        ShiftKind::LogicalRight => "lsr",
        ShiftKind::ArithmeticRight => "asr",
        ShiftKind::RotateRight => "ror",
    }
}

fn hint_name(hint: Hint) -> &'static str {
    match hint {
        Hint::Nop => "nop",
        Hint::Yield => "yield",
        Hint::WaitForEvent => "wfe",
        Hint::WaitForInterrupt => "wfi",
        Hint::SendEvent => "sev",
        Hint::SendEventLocal => "sevl",
        Hint::ConsumptionBarrier => "csdb",
        Hint::Debug(_) => "dbg",
        Hint::DataMemoryBarrier(_) => "dmb",
        Hint::DataSynchronizationBarrier(_) => "dsb",
        Hint::InstructionSynchronizationBarrier(_) => "isb",
    }
}
