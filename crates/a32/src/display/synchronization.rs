//! Names and operands of synchronization, checksums and the thread pointer.

use std::fmt::{self, Formatter};

use crate::instruction::{Barrier, Order, Polynomial, Synchronization, Unit};
use crate::machine::Size;

/// The place of a size in a row of names: word, byte, half.
const fn place(size: Size) -> usize {
    match size {
        Size::Word => 0,
        Size::Byte => 1,
        Size::Half => 2,
    }
}

pub(super) fn name(synchronization: &Synchronization) -> &'static str {
    const LOADS: [[&str; 4]; 2] = [
        ["ldrex", "ldrexd", "ldrexb", "ldrexh"],
        ["ldaex", "ldaexd", "ldaexb", "ldaexh"],
    ];
    const STORES: [[&str; 4]; 2] = [
        ["strex", "strexd", "strexb", "strexh"],
        ["stlex", "stlexd", "stlexb", "stlexh"],
    ];
    let of = |names: [[&'static str; 4]; 2], order: Order, unit: Unit| {
        names[order as usize][unit as usize]
    };
    match *synchronization {
        Synchronization::LoadExclusive { unit, order, .. } => of(LOADS, order, unit),
        Synchronization::StoreExclusive { unit, order, .. } => of(STORES, order, unit),
        Synchronization::ClearExclusive => "clrex",
        Synchronization::LoadAcquire { size, .. } => ["lda", "ldab", "ldah"][place(size)],
        Synchronization::StoreRelease { size, .. } => ["stl", "stlb", "stlh"][place(size)],
        Synchronization::Swap { size, .. } => ["swp", "swpb", "swp"][place(size)],
        Synchronization::Checksum {
            polynomial, size, ..
        } => match polynomial {
            Polynomial::Ethernet => ["crc32w", "crc32b", "crc32h"][place(size)],
            Polynomial::Castagnoli => ["crc32cw", "crc32cb", "crc32ch"][place(size)],
        },
        Synchronization::ThreadPointer { .. } => "mrc",
        Synchronization::Barrier { .. } => "mcr",
    }
}

pub(super) fn write_operands(
    synchronization: &Synchronization,
    f: &mut Formatter<'_>,
) -> fmt::Result {
    match *synchronization {
        Synchronization::LoadExclusive { unit, rt, rn, .. } => match unit {
            Unit::Double => write!(f, " {rt}, {}, [{rn}]", rt.next()),
            _ => write!(f, " {rt}, [{rn}]"),
        },
        Synchronization::StoreExclusive {
            unit, rd, rt, rn, ..
        } => match unit {
            Unit::Double => write!(f, " {rd}, {rt}, {}, [{rn}]", rt.next()),
            _ => write!(f, " {rd}, {rt}, [{rn}]"),
        },
        Synchronization::ClearExclusive => Ok(()),
        Synchronization::LoadAcquire { rt, rn, .. }
        | Synchronization::StoreRelease { rt, rn, .. } => write!(f, " {rt}, [{rn}]"),
        Synchronization::Swap { rt, source, rn, .. } => write!(f, " {rt}, {source}, [{rn}]"),
        Synchronization::Checksum { rd, rn, rm, .. } => write!(f, " {rd}, {rn}, {rm}"),
        Synchronization::ThreadPointer { rt } => write!(f, " p15, #0, {rt}, c13, c0, #3"),
        Synchronization::Barrier { barrier, rt } => {
            let place = match barrier {
                Barrier::DataSynchronization => "c10, #4",
                Barrier::DataMemory => "c10, #5",
                Barrier::InstructionSynchronization => "c5, #4",
            };
            write!(f, " p15, #0, {rt}, c7, {place}")
        }
    }
}
