//! Exclusive and ordered accesses on one processor, checksums, the thread pointer.
//!
//! The monitor is one bit: whether an exclusive load was the last of its kind. It does not compare
//! addresses, which the architecture leaves open (DDI 0406C §A3.4.1), and no other processor ever
//! closes it. So an exclusive store after an exclusive load always stores.

use super::data::add_constant;
use crate::instruction::{Order, Polynomial, Synchronization, Unit};
use crate::machine::{Alignment, Machine, Size};
use crate::operand::ShiftKind;
use crate::register::Register;

pub(super) fn perform<M: Machine>(
    m: &mut M,
    synchronization: Synchronization,
) -> Result<(), M::Error> {
    match synchronization {
        Synchronization::LoadExclusive {
            unit,
            order: Order::Relaxed | Order::Ordered,
            rt,
            rn,
        } => load_exclusive(m, unit, rt, rn),
        Synchronization::StoreExclusive {
            unit,
            order: Order::Relaxed | Order::Ordered,
            rd,
            rt,
            rn,
        } => store_exclusive(m, unit, rd, rt, rn),
        Synchronization::ClearExclusive => {
            let closed = m.bit(false);
            m.set_monitor(closed);
            Ok(())
        }
        Synchronization::LoadAcquire { size, rt, rn } => {
            let address = m.register(rn);
            let value = m.load(&address, size, alignment(size))?;
            m.set_register(rt, value)
        }
        Synchronization::StoreRelease { size, rt, rn } => {
            let (address, value) = (m.register(rn), m.register(rt));
            m.store(&address, size, alignment(size), &value)
        }
        Synchronization::Swap {
            size,
            rt,
            source,
            rn,
        } => {
            let (address, new) = (m.register(rn), m.register(source));
            let old = m.load(&address, size, alignment(size))?;
            m.store(&address, size, alignment(size), &new)?;
            m.set_register(rt, old)
        }
        Synchronization::Checksum {
            polynomial,
            size,
            rd,
            rn,
            rm,
        } => {
            let (sum, data) = (m.register(rn), m.register(rm));
            let sum = checksum(m, polynomial, size, &sum, &data);
            m.set_register(rd, sum)
        }
        Synchronization::ThreadPointer { rt } => {
            let pointer = m.thread_pointer();
            m.set_register(rt, pointer)
        }
        Synchronization::Barrier { .. } => Ok(()),
    }
}

/// Halves are taken where they are: the machine knows no other alignment than a word's.
const fn alignment(size: Size) -> Alignment {
    match size {
        Size::Byte | Size::Half => Alignment::Any,
        Size::Word => Alignment::Word,
    }
}

/// What an exclusive access moves with each of its registers.
const fn part(unit: Unit) -> Size {
    match unit {
        Unit::Word | Unit::Double => Size::Word,
        Unit::Byte => Size::Byte,
        Unit::Half => Size::Half,
    }
}

fn load_exclusive<M: Machine>(
    m: &mut M,
    unit: Unit,
    rt: Register,
    rn: Register,
) -> Result<(), M::Error> {
    let (address, size) = (m.register(rn), part(unit));
    let first = m.load(&address, size, alignment(size))?;
    let second = if unit == Unit::Double {
        let above = add_constant(m, &address, 4);
        Some(m.load(&above, size, alignment(size))?)
    } else {
        None
    };
    let open = m.bit(true);
    m.set_monitor(open);
    m.set_register(rt, first)?;
    match second {
        Some(second) => m.set_register(rt.next(), second),
        None => Ok(()),
    }
}

/// Where the monitor is closed, what is there is stored again: a machine need not know whether it
/// is.
fn store_exclusive<M: Machine>(
    m: &mut M,
    unit: Unit,
    rd: Register,
    rt: Register,
    rn: Register,
) -> Result<(), M::Error> {
    let (address, open) = (m.register(rn), m.monitor());
    let values = [m.register(rt), m.register(rt.next())];
    let count = if unit == Unit::Double { 2 } else { 1 };
    let size = part(unit);
    let mut at = address;
    for value in &values[..count] {
        let old = m.load(&at, size, alignment(size))?;
        let new = m.select(&open, value, &old);
        m.store(&at, size, alignment(size), &new)?;
        at = add_constant(m, &at, 4);
    }
    let (stored, failed) = (m.word(0), m.word(1));
    let status = m.select(&open, &stored, &failed);
    let closed = m.bit(false);
    m.set_monitor(closed);
    m.set_register(rd, status)
}

/// DDI 0487 `CRC32`: the data are the checksum's low bits, least significant first; each bit that
/// leaves subtracts the polynomial.
fn checksum<M: Machine>(
    m: &mut M,
    polynomial: Polynomial,
    size: Size,
    sum: &M::Word,
    data: &M::Word,
) -> M::Word {
    let bits = 8 * size.bytes();
    let mask = m.word(u32::MAX >> (32 - bits));
    let data = m.and(data, &mask);
    let mut sum = m.xor(sum, &data);
    let zero = m.word(0);
    let reflected = m.word(polynomial.reflected());
    let carry = m.bit(false);
    for _ in 0..bits {
        let out = m.bit_at(&sum, 0);
        let (shifted, _) = m.shift_by(ShiftKind::LogicalRight, &sum, 1, &carry);
        let subtracted = m.select(&out, &reflected, &zero);
        sum = m.xor(&shifted, &subtracted);
    }
    sum
}
