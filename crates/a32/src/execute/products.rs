//! Products of halves, high words and double accumulations. DDI 0406C §A4.4.3.
//!
//! Halves are multiplied in the top of their words: (a·2¹⁶)·(b·2¹⁶) is a·b·2³², so the high word of
//! the signed long product is the product of the halves. The zeros below fold where bits are
//! wires, and a product of halves costs what one of 16 bits costs; copies of signs would not fold.

use super::data::subtract;
use super::field::{masked, shifted};
use super::saturation::note;
use crate::instruction::{DualOperation, Exchange, Half, HighOperation, Rounding};
use crate::machine::{Machine, Signedness, Sum};
use crate::operand::ShiftKind;
use crate::register::Register;

/// A half of a register, times 2¹⁶.
fn raised<M: Machine>(m: &mut M, register: Register, half: Half) -> M::Word {
    let word = m.register(register);
    match half {
        Half::Bottom => shifted(m, ShiftKind::Left, &word, 16),
        Half::Top => masked(m, &word, 0xffff_0000),
    }
}

/// The product of two halves: a signed number of 32 bits.
fn product<M: Machine>(m: &mut M, a: (Register, Half), b: (Register, Half)) -> M::Word {
    let (a, b) = (raised(m, a.0, a.1), raised(m, b.0, b.1));
    m.multiply_long(Signedness::Signed, &a, &b).1
}

/// Writes a product, or its sum with an addend; the sum sets Q where it overflows.
fn finish<M: Machine>(
    m: &mut M,
    rd: Register,
    product: M::Word,
    addend: Option<Register>,
) -> Result<(), M::Error> {
    let Some(addend) = addend else {
        return m.set_register(rd, product);
    };
    let (addend, zero) = (m.register(addend), m.bit(false));
    let sum = m.add_with_carry(&product, &addend, &zero);
    note(m, &sum.overflow);
    m.set_register(rd, sum.result)
}

/// `SMULxy`, `SMLAxy`.
pub(super) fn halves<M: Machine>(
    m: &mut M,
    rd: Register,
    rn: (Register, Half),
    rm: (Register, Half),
    addend: Option<Register>,
) -> Result<(), M::Error> {
    let product = product(m, rn, rm);
    finish(m, rd, product, addend)
}

/// `SMULWy`, `SMLAWy`: (rn · half) / 2¹⁶ is the high word of rn · (half · 2¹⁶).
pub(super) fn word_by_half<M: Machine>(
    m: &mut M,
    rd: Register,
    rn: Register,
    rm: (Register, Half),
    addend: Option<Register>,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), raised(m, rm.0, rm.1));
    let product = m.multiply_long(Signedness::Signed, &a, &b).1;
    finish(m, rd, product, addend)
}

/// Adds 64 bits to a pair of registers.
fn add_long<M: Machine>(
    m: &mut M,
    rd_low: Register,
    rd_high: Register,
    low: &M::Word,
    high: &M::Word,
) -> Result<(), M::Error> {
    let (old_low, old_high) = (m.register(rd_low), m.register(rd_high));
    let zero = m.bit(false);
    let low = m.add_with_carry(&old_low, low, &zero);
    let high = m.add_with_carry(&old_high, high, &low.carry).result;
    m.set_register(rd_low, low.result)?;
    m.set_register(rd_high, high)
}

/// `SMLALxy`.
pub(super) fn halves_long<M: Machine>(
    m: &mut M,
    rd_low: Register,
    rd_high: Register,
    rn: (Register, Half),
    rm: (Register, Half),
) -> Result<(), M::Error> {
    let low = product(m, rn, rm);
    let high = shifted(m, ShiftKind::ArithmeticRight, &low, 32);
    add_long(m, rd_low, rd_high, &low, &high)
}

/// Bottom · bottom ± top · top, and whether the exact value is negative. A sum may need 33 bits,
/// 2³¹ where all four halves are −2¹⁵; a difference never does.
fn dual_product<M: Machine>(
    m: &mut M,
    op: DualOperation,
    exchange: Exchange,
    rn: Register,
    rm: Register,
) -> (M::Word, M::Bit) {
    let (with_bottom, with_top) = match exchange {
        Exchange::No => (Half::Bottom, Half::Top),
        Exchange::Yes => (Half::Top, Half::Bottom),
    };
    let bottom = product(m, (rn, Half::Bottom), (rm, with_bottom));
    let top = product(m, (rn, Half::Top), (rm, with_top));
    let Sum {
        result, overflow, ..
    } = match op {
        DualOperation::Add => {
            let zero = m.bit(false);
            m.add_with_carry(&bottom, &top, &zero)
        }
        DualOperation::Subtract => subtract(m, &bottom, &top),
    };
    let negative = m.bit_at(&result, 31);
    let negative = match op {
        DualOperation::Add => m.bit_xor(&negative, &overflow),
        DualOperation::Subtract => negative,
    };
    (result, negative)
}

/// `SMUAD`, `SMUSD`, `SMLAD`, `SMLSD`.
///
/// With an addend the exact sum has 33 bits: 2³¹ + (2³¹ − 1) at most, −2³¹ − 2³¹ at least. It fits
/// in 32 where its two top bits are equal, and bit 32 is the sum of the signs and the carry.
pub(super) fn dual<M: Machine>(
    m: &mut M,
    op: DualOperation,
    exchange: Exchange,
    rd: Register,
    rn: Register,
    rm: Register,
    addend: Option<Register>,
) -> Result<(), M::Error> {
    let (products, negative) = dual_product(m, op, exchange, rn, rm);
    let (result, sign) = match addend {
        None => (products, negative),
        Some(addend) => {
            let (addend, zero) = (m.register(addend), m.bit(false));
            let sum = m.add_with_carry(&products, &addend, &zero);
            let addend_sign = m.bit_at(&addend, 31);
            let signs = m.bit_xor(&negative, &addend_sign);
            (sum.result, m.bit_xor(&signs, &sum.carry))
        }
    };
    let top = m.bit_at(&result, 31);
    let overflow = m.bit_xor(&sign, &top);
    note(m, &overflow);
    m.set_register(rd, result)
}

/// `SMLALD`, `SMLSLD`.
pub(super) fn dual_long<M: Machine>(
    m: &mut M,
    op: DualOperation,
    exchange: Exchange,
    rd_low: Register,
    rd_high: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let (low, negative) = dual_product(m, op, exchange, rn, rm);
    let (ones, zeros) = (m.word(u32::MAX), m.word(0));
    let high = m.select(&negative, &ones, &zeros);
    add_long(m, rd_low, rd_high, &low, &high)
}

/// `SMMUL`, `SMMLA`, `SMMLS`.
pub(super) fn high<M: Machine>(
    m: &mut M,
    op: HighOperation,
    rounding: Rounding,
    rd: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), m.register(rm));
    let half = m.word(match rounding {
        Rounding::Down => 0,
        Rounding::Nearest => 1 << 31,
    });
    let high = match op {
        HighOperation::Multiply => {
            let zero = m.word(0);
            m.multiply_long_accumulate(Signedness::Signed, &a, &b, (&half, &zero))
                .1
        }
        HighOperation::Accumulate(ra) => {
            let above = m.register(ra);
            m.multiply_long_accumulate(Signedness::Signed, &a, &b, (&half, &above))
                .1
        }
        HighOperation::Subtract(ra) => {
            let above = m.register(ra);
            let (low, high) = m.multiply_long(Signedness::Signed, &a, &b);
            let borrow = subtract(m, &half, &low).carry;
            let complement = m.not(&high);
            m.add_with_carry(&above, &complement, &borrow).result
        }
    };
    m.set_register(rd, high)
}

/// `UMAAL`.
pub(super) fn accumulate_twice<M: Machine>(
    m: &mut M,
    rd_low: Register,
    rd_high: Register,
    rn: Register,
    rm: Register,
) -> Result<(), M::Error> {
    let (a, b) = (m.register(rn), m.register(rm));
    let (first, second) = (m.register(rd_low), m.register(rd_high));
    let (zero, none) = (m.word(0), m.bit(false));
    let (low, high) = m.multiply_long_accumulate(Signedness::Unsigned, &a, &b, (&first, &zero));
    let low = m.add_with_carry(&low, &second, &none);
    let high = m.add_with_carry(&high, &zero, &low.carry).result;
    m.set_register(rd_low, low.result)?;
    m.set_register(rd_high, high)
}
