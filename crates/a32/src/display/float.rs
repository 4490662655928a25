//! Names and operands of the scalar floating-point instructions.

use std::fmt::{self, Display, Formatter};

use crate::condition::Condition;
use crate::float::{FloatRounding, Invalid, Precision};
use crate::instruction::{
    FloatAccumulate, FloatBinary, FloatBlock, FloatBlockMode, FloatInstruction, FloatPair,
    FloatUnary, Half, Transfer, WriteBack,
};
use crate::machine::{Signedness, Size};
use crate::register::Register;

/// The name without condition and types.
pub(super) fn name(instruction: &FloatInstruction) -> &'static str {
    match *instruction {
        FloatInstruction::Binary { op, .. } => match op {
            FloatBinary::Add => "vadd",
            FloatBinary::Subtract => "vsub",
            FloatBinary::Multiply => "vmul",
            FloatBinary::NegatedMultiply => "vnmul",
            FloatBinary::Divide => "vdiv",
            FloatBinary::MaximumNumber => "vmaxnm",
            FloatBinary::MinimumNumber => "vminnm",
        },
        FloatInstruction::Accumulate { op, .. } => match op {
            FloatAccumulate::Add => "vmla",
            FloatAccumulate::Subtract => "vmls",
            FloatAccumulate::NegatedAdd => "vnmla",
            FloatAccumulate::NegatedSubtract => "vnmls",
            FloatAccumulate::FusedAdd => "vfma",
            FloatAccumulate::FusedSubtract => "vfms",
            FloatAccumulate::FusedNegatedAdd => "vfnma",
            FloatAccumulate::FusedNegatedSubtract => "vfnms",
        },
        FloatInstruction::Unary { op, .. } => match op {
            FloatUnary::Move => "vmov",
            FloatUnary::Absolute => "vabs",
            FloatUnary::Negate => "vneg",
            FloatUnary::SquareRoot => "vsqrt",
        },
        FloatInstruction::Immediate { .. }
        | FloatInstruction::MoveWord { .. }
        | FloatInstruction::MovePair { .. } => "vmov",
        FloatInstruction::Round {
            rounding, inexact, ..
        } => match rounding {
            None if inexact => "vrintx",
            None => "vrintr",
            Some(FloatRounding::Zero) => "vrintz",
            Some(FloatRounding::NearestAway) => "vrinta",
            Some(FloatRounding::NearestEven) => "vrintn",
            Some(FloatRounding::Up) => "vrintp",
            Some(FloatRounding::Down) => "vrintm",
        },
        FloatInstruction::Compare { invalid, .. } => match invalid {
            Invalid::Signaling => "vcmp",
            Invalid::Every => "vcmpe",
        },
        FloatInstruction::Select { condition, .. } => match condition {
            Condition::Equal => "vseleq",
            Condition::OverflowSet => "vselvs",
            Condition::SignedGreaterOrEqual => "vselge",
            _ => "vselgt",
        },
        FloatInstruction::FromHalf { half, .. } | FloatInstruction::ToHalf { half, .. } => {
            match half {
                Half::Bottom => "vcvtb",
                Half::Top => "vcvtt",
            }
        }
        FloatInstruction::ToInteger { rounding, .. } => match rounding {
            None => "vcvtr",
            Some(FloatRounding::Zero) => "vcvt",
            Some(FloatRounding::NearestAway) => "vcvta",
            Some(FloatRounding::NearestEven) => "vcvtn",
            Some(FloatRounding::Up) => "vcvtp",
            Some(FloatRounding::Down) => "vcvtm",
        },
        FloatInstruction::Convert { .. }
        | FloatInstruction::FromInteger { .. }
        | FloatInstruction::FromFixed { .. }
        | FloatInstruction::ToFixed { .. } => "vcvt",
        FloatInstruction::Load { .. } => "vldr",
        FloatInstruction::Store { .. } => "vstr",
        FloatInstruction::LoadMultiple(block) if is_pop(block) => "vpop",
        FloatInstruction::LoadMultiple(_) => "vldm",
        FloatInstruction::StoreMultiple(block) if is_push(block) => "vpush",
        FloatInstruction::StoreMultiple(_) => "vstm",
        FloatInstruction::ReadStatus { .. } => "vmrs",
        FloatInstruction::WriteStatus { .. } => "vmsr",
    }
}

fn moves_stack(block: FloatBlock) -> bool {
    block.base == Register::SP && block.write_back == WriteBack::Yes
}

fn is_push(block: FloatBlock) -> bool {
    moves_stack(block) && block.mode == FloatBlockMode::DecrementBefore
}

fn is_pop(block: FloatBlock) -> bool {
    moves_stack(block) && block.mode == FloatBlockMode::IncrementAfter
}

/// The addressing mode, which stands before the condition.
pub(super) fn mode(instruction: &FloatInstruction) -> &'static str {
    match *instruction {
        FloatInstruction::LoadMultiple(block) if is_pop(block) => "",
        FloatInstruction::StoreMultiple(block) if is_push(block) => "",
        FloatInstruction::LoadMultiple(block) | FloatInstruction::StoreMultiple(block) => {
            match block.mode {
                FloatBlockMode::IncrementAfter => "ia",
                FloatBlockMode::DecrementBefore => "db",
            }
        }
        _ => "",
    }
}

const fn float(precision: Precision) -> &'static str {
    match precision {
        Precision::Single => ".f32",
        Precision::Double => ".f64",
    }
}

const fn fixed(signedness: Signedness, size: Size) -> &'static str {
    match (signedness, size) {
        (Signedness::Signed, Size::Half) => ".s16",
        (Signedness::Signed, _) => ".s32",
        (Signedness::Unsigned, Size::Half) => ".u16",
        (Signedness::Unsigned, _) => ".u32",
    }
}

/// The types, which stand after the condition: of the result, and of the source if it has another.
pub(super) fn types(instruction: &FloatInstruction) -> [&'static str; 2] {
    match *instruction {
        FloatInstruction::Binary { rd, .. }
        | FloatInstruction::Accumulate { rd, .. }
        | FloatInstruction::Unary { rd, .. }
        | FloatInstruction::Immediate { rd, .. }
        | FloatInstruction::Round { rd, .. }
        | FloatInstruction::Compare { rd, .. }
        | FloatInstruction::Select { rd, .. } => [float(rd.precision()), ""],
        FloatInstruction::Convert { rd, rm } => [float(rd.precision()), float(rm.precision())],
        FloatInstruction::FromHalf { rd, .. } => [float(rd.precision()), ".f16"],
        FloatInstruction::ToHalf { rm, .. } => [".f16", float(rm.precision())],
        FloatInstruction::FromInteger { signedness, rd, .. } => {
            [float(rd.precision()), fixed(signedness, Size::Word)]
        }
        FloatInstruction::ToInteger { signedness, rm, .. } => {
            [fixed(signedness, Size::Word), float(rm.precision())]
        }
        FloatInstruction::FromFixed {
            signedness,
            size,
            rd,
            ..
        } => [float(rd.precision()), fixed(signedness, size)],
        FloatInstruction::ToFixed {
            signedness,
            size,
            rd,
            ..
        } => [fixed(signedness, size), float(rd.precision())],
        FloatInstruction::MoveWord {
            scalar: crate::float::FloatScalar::Lane(..),
            ..
        } => [".32", ""],
        _ => ["", ""],
    }
}

/// The constant that eight bits stand for (`VFPExpandImm`): (16 + fraction) / 16 · 2^exponent, the
/// exponent between −3 and 4.
fn expanded(encoded: u8) -> f64 {
    let exponent = i32::from(encoded >> 4 & 3) + if encoded & 0x40 == 0 { 1 } else { -3 };
    let magnitude = f64::from(16 + (encoded & 15)) / 16.0 * f64::from(exponent).exp2();
    if encoded & 0x80 == 0 {
        magnitude
    } else {
        -magnitude
    }
}

/// The operands, each form with its leading blank.
pub(super) fn write_operands(instruction: &FloatInstruction, f: &mut Formatter<'_>) -> fmt::Result {
    match *instruction {
        FloatInstruction::Binary { rd, rn, rm, .. }
        | FloatInstruction::Accumulate { rd, rn, rm, .. }
        | FloatInstruction::Select { rd, rn, rm, .. } => write!(f, " {rd}, {rn}, {rm}"),
        FloatInstruction::Unary { rd, rm, .. }
        | FloatInstruction::Round { rd, rm, .. }
        | FloatInstruction::Convert { rd, rm }
        | FloatInstruction::FromHalf { rd, rm, .. }
        | FloatInstruction::ToHalf { rd, rm, .. }
        | FloatInstruction::FromInteger { rd, rm, .. }
        | FloatInstruction::ToInteger { rd, rm, .. } => write!(f, " {rd}, {rm}"),
        FloatInstruction::Immediate { rd, encoded } => {
            write!(f, " {rd}, #{:?}", expanded(encoded))
        }
        FloatInstruction::Compare { rd, rm, .. } => match rm {
            Some(rm) => write!(f, " {rd}, {rm}"),
            None => write!(f, " {rd}, #0"),
        },
        FloatInstruction::FromFixed {
            fraction_bits, rd, ..
        }
        | FloatInstruction::ToFixed {
            fraction_bits, rd, ..
        } => write!(f, " {rd}, {rd}, #{fraction_bits}"),
        FloatInstruction::MoveWord {
            direction,
            rt,
            scalar,
        } => sides(f, direction, rt, scalar),
        FloatInstruction::MovePair {
            direction,
            rt,
            rt2,
            pair,
        } => sides(f, direction, format_args!("{rt}, {rt2}"), pair),
        FloatInstruction::Load { rd, address } | FloatInstruction::Store { rd, address } => {
            write!(f, " {rd}, {address}")
        }
        FloatInstruction::LoadMultiple(block) | FloatInstruction::StoreMultiple(block) => {
            if is_pop(block) && matches!(instruction, FloatInstruction::LoadMultiple(_))
                || is_push(block) && matches!(instruction, FloatInstruction::StoreMultiple(_))
            {
                return write!(f, " {}", List(block));
            }
            let mark = if block.write_back == WriteBack::Yes {
                "!"
            } else {
                ""
            };
            write!(f, " {}{mark}, {}", block.base, List(block))
        }
        FloatInstruction::ReadStatus { rt: Some(rt) } => write!(f, " {rt}, fpscr"),
        FloatInstruction::ReadStatus { rt: None } => f.write_str(" apsr_nzcv, fpscr"),
        FloatInstruction::WriteStatus { rt } => write!(f, " fpscr, {rt}"),
    }
}

/// The side that receives, then the other.
fn sides(
    f: &mut Formatter<'_>,
    direction: Transfer,
    core: impl Display,
    float: impl Display,
) -> fmt::Result {
    match direction {
        Transfer::ToCore => write!(f, " {core}, {float}"),
        Transfer::FromCore => write!(f, " {float}, {core}"),
    }
}

/// The registers of a block transfer in braces.
struct List(FloatBlock);

impl Display for List {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for i in 0..self.0.count {
            let before = if i == 0 { "{" } else { ", " };
            write!(f, "{before}{}", self.0.first.after(i))?;
        }
        f.write_str("}")
    }
}

impl Display for FloatPair {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            FloatPair::Double(register) => write!(f, "{register}"),
            FloatPair::Singles(register) => write!(f, "{register}, {}", register.after(1)),
        }
    }
}
