//! Sums and differences of halves and bytes. DDI 0406C §A4.4.5.
//!
//! A lane is computed in the top of a word, with zeros below it: then carry and overflow of the
//! word's sum are those of the lane, and the zeros fold where bits are wires.

use super::data::{add, subtract};
use super::field::{field, masked, ones, shifted};
use super::saturation::limit_of;
use crate::instruction::{ParallelKind, ParallelOperation};
use crate::machine::{Flag, Lane, Machine, Signedness, Sum};
use crate::operand::ShiftKind;
use crate::register::Register;

/// Whether a lane is added or subtracted.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sign {
    Plus,
    Minus,
}

/// One lane of the result: its place there and in the first source, its place in the second.
struct Place {
    lsb: u32,
    other: u32,
    sign: Sign,
}

/// The width of the lanes, and what each comes from.
fn lanes(op: ParallelOperation) -> (u32, impl Iterator<Item = Place>) {
    use Sign::{Minus, Plus};
    // The distance between a lane's two sources, and the signs of even and odd lanes.
    let (width, exchange, even, odd) = match op {
        ParallelOperation::Add16 => (16, 0, Plus, Plus),
        ParallelOperation::AddSubtractExchanged => (16, 16, Minus, Plus),
        ParallelOperation::SubtractAddExchanged => (16, 16, Plus, Minus),
        ParallelOperation::Subtract16 => (16, 0, Minus, Minus),
        ParallelOperation::Add8 => (8, 0, Plus, Plus),
        ParallelOperation::Subtract8 => (8, 0, Minus, Minus),
    };
    let places = (0..32).step_by(width as usize).map(move |lsb| Place {
        lsb,
        other: lsb ^ exchange,
        sign: if lsb & width == 0 { even } else { odd },
    });
    (width, places)
}

/// The `width` bits from `lsb` up, moved to the top, zeros below.
fn raised<M: Machine>(m: &mut M, a: &M::Word, lsb: u32, width: u32) -> M::Word {
    let moved = shifted(m, ShiftKind::Left, a, 32_u32.saturating_sub(lsb + width));
    masked(m, &moved, !ones(32_u32.saturating_sub(width)))
}

/// The sum or difference of two lanes in the top.
fn combined<M: Machine>(m: &mut M, sign: Sign, a: &M::Word, b: &M::Word) -> Sum<M::Word, M::Bit> {
    match sign {
        Sign::Plus => {
            let zero = m.bit(false);
            m.add_with_carry(a, b, &zero)
        }
        Sign::Minus => subtract(m, a, b),
    }
}

/// Whether the exact sum is negative.
fn is_negative<M: Machine>(m: &mut M, sum: &Sum<M::Word, M::Bit>) -> M::Bit {
    let top = m.bit_at(&sum.result, 31);
    m.bit_xor(&top, &sum.overflow)
}

/// What the lane becomes, in the top with anything below; and its GE flag, if it has one.
fn outcome<M: Machine>(
    m: &mut M,
    kind: ParallelKind,
    sign: Sign,
    sum: Sum<M::Word, M::Bit>,
) -> (M::Word, Option<M::Bit>) {
    match kind {
        ParallelKind::Signed => {
            let negative = is_negative(m, &sum);
            let flag = m.bit_not(&negative);
            (sum.result, Some(flag))
        }
        ParallelKind::Unsigned => (sum.result, Some(sum.carry)),
        ParallelKind::SignedSaturating => {
            let limit = limit_of(m, &sum.result);
            (m.select(&sum.overflow, &limit, &sum.result), None)
        }
        ParallelKind::UnsignedSaturating => match sign {
            Sign::Plus => {
                let limit = m.word(u32::MAX);
                (m.select(&sum.carry, &limit, &sum.result), None)
            }
            Sign::Minus => {
                let limit = m.word(0);
                (m.select(&sum.carry, &sum.result, &limit), None)
            }
        },
        // The bit above the lane comes in from the left.
        ParallelKind::SignedHalving => {
            let above = is_negative(m, &sum);
            (m.rotate_right_extended(&sum.result, &above).0, None)
        }
        ParallelKind::UnsignedHalving => {
            let above = match sign {
                Sign::Plus => sum.carry,
                Sign::Minus => m.bit_not(&sum.carry),
            };
            (m.rotate_right_extended(&sum.result, &above).0, None)
        }
    }
}

/// `SADD16` … `UHSUB8`.
pub(super) fn parallel<M: Machine>(
    m: &mut M,
    kind: ParallelKind,
    op: ParallelOperation,
    rd: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), m.register(rm));
    let (width, places) = lanes(op);
    let mut result = m.word(0);
    for Place { lsb, other, sign } in places {
        let (a, b) = (raised(m, &a, lsb, width), raised(m, &b, other, width));
        let sum = combined(m, sign, &a, &b);
        let (value, flag) = outcome(m, kind, sign, sum);
        let lowered = field(
            m,
            Signedness::Unsigned,
            &value,
            32_u32.saturating_sub(width),
            width,
        );
        let placed = shifted(m, ShiftKind::Left, &lowered, lsb);
        result = m.or(&result, &placed);
        if let Some(flag) = flag {
            for lane in Lane::ALL {
                if (lsb..lsb + width).contains(&(8 * lane as u32)) {
                    m.set_flag(Flag::GreaterOrEqual(lane), flag.clone());
                }
            }
        }
    }
    m.set_register(rd, result)
}

/// `USAD8`, `USADA8`.
///
/// Where a difference borrows, its absolute value is its complement plus one; the one enters as
/// the carry of the running sum.
pub(super) fn absolute_differences<M: Machine>(
    m: &mut M,
    rd: Register,
    rn: Register,
    rm: Register,
    addend: Option<Register>,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), m.register(rm));
    let mut total = m.word(0);
    for lane in Lane::ALL {
        let lsb = 8 * lane as u32;
        let (a, b) = (raised(m, &a, lsb, 8), raised(m, &b, lsb, 8));
        let difference = subtract(m, &a, &b);
        let borrow = m.bit_not(&difference.carry);
        let byte = field(m, Signedness::Unsigned, &difference.result, 24, 8);
        let (ones, zeros) = (m.word(0xff), m.word(0));
        let mask = m.select(&borrow, &ones, &zeros);
        let byte = m.xor(&byte, &mask);
        total = m.add_with_carry(&total, &byte, &borrow).result;
    }
    if let Some(addend) = addend {
        let addend = m.register(addend);
        total = add(m, &addend, &total);
    }
    m.set_register(rd, total)
}
