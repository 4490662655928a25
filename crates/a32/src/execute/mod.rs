//! The one table of meanings: what each instruction does to a [`Machine`].
//!
//! Each function below is the operation pseudo-code of its page in DDI 0406C §A8.8, in the
//! vocabulary of [`Machine`]. It never looks at a value, so the same text serves the plain
//! interpreter and a processor whose words are wires.

mod data;
mod field;
mod float;
mod memory;
mod packed;
mod parallel;
mod products;
mod saturation;
mod status;
mod synchronization;

use crate::condition::Condition;
use crate::instruction::{Instruction, Link, Operation};
use crate::machine::{Entry, Flag, Machine};
use crate::register::Register;

/// Carries out one instruction, under its condition.
///
/// The machine's `r15` must read as the instruction's address + 8. The caller advances to the next
/// instruction unless the machine's [`branch`](Machine::branch) was called. Timing: this function
/// itself depends on the instruction only, never on a value.
///
/// # Errors
/// Whatever the machine reports. Its state is then that of a half-done instruction.
#[inline]
pub fn execute<M: Machine>(machine: &mut M, instruction: &Instruction) -> Result<(), M::Error> {
    let entry = if instruction.condition == Condition::Always {
        Entry::Always
    } else {
        let condition = holds(machine, instruction.condition);
        machine.enter(condition)?
    };
    if entry == Entry::Skip {
        return Ok(());
    }
    perform(machine, &instruction.operation)?;
    if entry == Entry::Predicated {
        machine.leave();
    }
    Ok(())
}

/// `ConditionPassed` (§A8.3.1). Reads only the flags that the condition needs.
#[inline]
fn holds<M: Machine>(m: &mut M, condition: Condition) -> M::Bit {
    use Condition::{
        Always, CarryClear, CarrySet, Equal, Minus, NotEqual, OverflowClear, OverflowSet, Plus,
        SignedGreater, SignedGreaterOrEqual, SignedLess, SignedLessOrEqual, UnsignedHigher,
        UnsignedLowerOrSame,
    };
    match condition {
        Equal => m.flag(Flag::Zero),
        CarrySet => m.decided(condition).unwrap_or_else(|| m.flag(Flag::Carry)),
        Minus => m.flag(Flag::Negative),
        OverflowSet => m.flag(Flag::Overflow),
        UnsignedHigher => m.decided(condition).unwrap_or_else(|| {
            let (carry, zero) = (m.flag(Flag::Carry), m.flag(Flag::Zero));
            let other = m.bit_not(&zero);
            m.bit_and(&carry, &other)
        }),
        SignedLess => m.decided(condition).unwrap_or_else(|| {
            let (negative, overflow) = (m.flag(Flag::Negative), m.flag(Flag::Overflow));
            m.bit_xor(&negative, &overflow)
        }),
        SignedLessOrEqual => m.decided(condition).unwrap_or_else(|| {
            let less = holds(m, SignedLess);
            let zero = m.flag(Flag::Zero);
            m.bit_or(&less, &zero)
        }),
        Always => m.bit(true),
        NotEqual => negated(m, Equal),
        CarryClear => negated(m, CarrySet),
        Plus => negated(m, Minus),
        OverflowClear => negated(m, OverflowSet),
        UnsignedLowerOrSame => negated(m, UnsignedHigher),
        SignedGreaterOrEqual => negated(m, SignedLess),
        SignedGreater => negated(m, SignedLessOrEqual),
    }
}

fn negated<M: Machine>(m: &mut M, condition: Condition) -> M::Bit {
    let bit = holds(m, condition);
    m.bit_not(&bit)
}

#[inline]
fn perform<M: Machine>(m: &mut M, operation: &Operation) -> Result<(), M::Error> {
    match *operation {
        Operation::Alu {
            op,
            set_flags,
            rd,
            rn,
            operand,
        } => data::alu(m, op, set_flags, rd, rn, operand),
        Operation::Move {
            op,
            set_flags,
            rd,
            operand,
        } => data::move_operand(m, op, set_flags, rd, operand),
        Operation::Compare { op, rn, operand } => {
            data::compare(m, op, rn, operand);
            Ok(())
        }
        Operation::MoveWide { rd, value } => {
            let value = m.word(value.into());
            m.set_register(rd, value)
        }
        Operation::MoveTop { rd, value } => field::move_top(m, rd, value),
        Operation::Multiply {
            set_flags,
            rd,
            rn,
            rm,
        } => {
            let (a, b) = (m.register(rn), m.register(rm));
            let product = m.multiply(&a, &b);
            data::finish_product(m, set_flags, rd, product)
        }
        Operation::MultiplyAccumulate {
            set_flags,
            rd,
            rn,
            rm,
            ra,
        } => {
            let (a, b, addend) = (m.register(rn), m.register(rm), m.register(ra));
            let sum = m.multiply_accumulate(&a, &b, &addend);
            data::finish_product(m, set_flags, rd, sum)
        }
        Operation::MultiplySubtract { rd, rn, rm, ra } => {
            let (a, b, minuend) = (m.register(rn), m.register(rm), m.register(ra));
            let product = m.multiply(&a, &b);
            let difference = data::subtract(m, &minuend, &product).result;
            m.set_register(rd, difference)
        }
        Operation::MultiplyLong {
            signedness,
            set_flags,
            rd_low,
            rd_high,
            rn,
            rm,
        } => {
            let (a, b) = (m.register(rn), m.register(rm));
            let (low, high) = m.multiply_long(signedness, &a, &b);
            data::finish_long_product(m, set_flags, rd_low, rd_high, low, high)
        }
        Operation::MultiplyAccumulateLong {
            signedness,
            set_flags,
            rd_low,
            rd_high,
            rn,
            rm,
        } => {
            let (a, b) = (m.register(rn), m.register(rm));
            let (low, high) = (m.register(rd_low), m.register(rd_high));
            let (low, high) = m.multiply_long_accumulate(signedness, &a, &b, (&low, &high));
            data::finish_long_product(m, set_flags, rd_low, rd_high, low, high)
        }
        Operation::Divide {
            signedness,
            rd,
            rn,
            rm,
        } => {
            let (a, b) = (m.register(rn), m.register(rm));
            let quotient = m.divide(signedness, &a, &b);
            m.set_register(rd, quotient)
        }
        Operation::ExtractField {
            signedness,
            rd,
            rn,
            lsb,
            width,
        } => field::extract(m, signedness, rd, rn, lsb.into(), width.into()),
        Operation::InsertField {
            rd,
            source,
            lsb,
            width,
        } => field::insert(m, rd, source, lsb.into(), width.into()),
        Operation::Extend {
            signedness,
            from,
            rd,
            addend,
            rm,
            rotation,
        } => field::extend(m, signedness, from, rd, addend, rm, rotation.into()),
        Operation::Unary { op, rd, rm } => field::unary(m, op, rd, rm),
        Operation::Load { kind, rt, address } => memory::load(m, kind, rt, address),
        Operation::Store { size, rt, address } => memory::store(m, size, rt, address),
        Operation::LoadDual { rt, address } => memory::load_dual(m, rt, address),
        Operation::StoreDual { rt, address } => memory::store_dual(m, rt, address),
        Operation::LoadMultiple(block) => memory::load_multiple(m, block),
        Operation::StoreMultiple(block) => memory::store_multiple(m, block),
        Operation::Branch { link, offset } => {
            let base = m.register(Register::PC);
            let target = data::add_constant(m, &base, offset.cast_unsigned());
            branch(m, link, &target)
        }
        Operation::BranchExchange { link, rm } => {
            let target = m.register(rm);
            branch(m, link, &target)
        }
        Operation::SupervisorCall { number } => m.supervisor_call(number),
        Operation::Hint(_) | Operation::Preload { .. } => Ok(()),
        _ => perform_rarer(m, operation),
    }
}

/// What compilers emit seldom. Apart, and never inlined: as part of [`perform`] it would make every
/// other instruction slower.
#[inline(never)]
fn perform_rarer<M: Machine>(m: &mut M, operation: &Operation) -> Result<(), M::Error> {
    match *operation {
        Operation::MultiplyAccumulateTwice {
            rd_low,
            rd_high,
            rn,
            rm,
        } => products::accumulate_twice(m, rd_low, rd_high, rn, rm),
        Operation::MultiplyHalves { rd, rn, rm, addend } => products::halves(m, rd, rn, rm, addend),
        Operation::MultiplyHalvesLong {
            rd_low,
            rd_high,
            rn,
            rm,
        } => products::halves_long(m, rd_low, rd_high, rn, rm),
        Operation::MultiplyWordByHalf { rd, rn, rm, addend } => {
            products::word_by_half(m, rd, rn, rm, addend)
        }
        Operation::MultiplyDual {
            op,
            exchange,
            rd,
            rn,
            rm,
            addend,
        } => products::dual(m, op, exchange, rd, rn, rm, addend),
        Operation::MultiplyDualLong {
            op,
            exchange,
            rd_low,
            rd_high,
            rn,
            rm,
        } => products::dual_long(m, op, exchange, rd_low, rd_high, rn, rm),
        Operation::MultiplyHigh {
            op,
            rounding,
            rd,
            rn,
            rm,
        } => products::high(m, op, rounding, rd, rn, rm),
        Operation::SaturatingSum { op, rd, rn, rm } => saturation::sum(m, op, rd, rn, rm),
        Operation::Saturate {
            signedness,
            rd,
            width,
            rn,
            shift,
        } => saturation::saturate(m, signedness, width.into(), rd, rn, shift),
        Operation::SaturateHalves {
            signedness,
            rd,
            width,
            rn,
        } => saturation::halves(m, signedness, width.into(), rd, rn),
        Operation::Parallel {
            kind,
            op,
            rd,
            rn,
            rm,
        } => parallel::parallel(m, kind, op, rd, rn, rm),
        Operation::SelectBytes { rd, rn, rm } => packed::select_bytes(m, rd, rn, rm),
        Operation::AbsoluteDifferences { rd, rn, rm, addend } => {
            parallel::absolute_differences(m, rd, rn, rm, addend)
        }
        Operation::PackHalves {
            from_rn,
            rd,
            rn,
            rm,
            shift,
        } => packed::pack_halves(m, from_rn, rd, rn, rm, shift),
        Operation::ExtendHalves {
            signedness,
            rd,
            addend,
            rm,
            rotation,
        } => packed::extend_halves(m, signedness, rd, addend, rm, rotation.into()),
        Operation::ReadStatus { rd } => status::read(m, rd),
        Operation::WriteStatus { fields, source } => {
            status::write(m, fields, source);
            Ok(())
        }
        Operation::Float(instruction) => float::perform(m, &instruction),
        Operation::Synchronization(which) => synchronization::perform(m, which),
        Operation::Trap(trap) => m.trap(trap),
        // These are carried out above.
        Operation::Alu { .. }
        | Operation::Move { .. }
        | Operation::Compare { .. }
        | Operation::MoveWide { .. }
        | Operation::MoveTop { .. }
        | Operation::Multiply { .. }
        | Operation::MultiplyAccumulate { .. }
        | Operation::MultiplySubtract { .. }
        | Operation::MultiplyLong { .. }
        | Operation::MultiplyAccumulateLong { .. }
        | Operation::Divide { .. }
        | Operation::ExtractField { .. }
        | Operation::InsertField { .. }
        | Operation::Extend { .. }
        | Operation::Unary { .. }
        | Operation::Load { .. }
        | Operation::Store { .. }
        | Operation::LoadDual { .. }
        | Operation::StoreDual { .. }
        | Operation::LoadMultiple(_)
        | Operation::StoreMultiple(_)
        | Operation::Branch { .. }
        | Operation::BranchExchange { .. }
        | Operation::SupervisorCall { .. }
        | Operation::Preload { .. }
        | Operation::Hint(_) => Ok(()),
    }
}

/// Leaves the address of the next instruction in `lr` if the branch is a call, and goes.
fn branch<M: Machine>(m: &mut M, link: Link, target: &M::Word) -> Result<(), M::Error> {
    if link == Link::Yes {
        let pc = m.register(Register::PC);
        let next = data::add_constant(m, &pc, 4_u32.wrapping_neg());
        m.set_register(Register::LR, next)?;
    }
    m.branch(target)
}

/// Writes a result, where writing `r15` is a branch (`ALUWritePC`, `LoadWritePC`: in the A32 state
/// of ARMv7 both interwork as `BX` does).
fn write<M: Machine>(m: &mut M, register: Register, value: M::Word) -> Result<(), M::Error> {
    if register == Register::PC {
        m.branch(&value)
    } else {
        m.set_register(register, value)
    }
}
