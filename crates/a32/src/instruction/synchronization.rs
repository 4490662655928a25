//! Exclusive and ordered accesses, checksums, and the few registers of the system that a user's
//! program reads.
//!
//! Source: DDI 0406C §A5.2.10 and §A8.8; of what ARMv8 added, DDI 0487 §F6.

use crate::machine::Size;
use crate::register::Register;

/// How many bytes an exclusive access moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Unit {
    /// 4.
    Word,
    /// 8, in two registers.
    Double,
    /// 1.
    Byte,
    /// 2.
    Half,
}

/// Whether an access also orders those of other processors, of which there are none here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `LDREX`, `STREX`.
    Relaxed,
    /// `LDAEX`, `STLEX`: acquires, releases.
    Ordered,
}

/// The polynomial of a checksum of 32 bits, its bits reflected.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Polynomial {
    /// `CRC32B`, `CRC32H`, `CRC32W`: that of Ethernet.
    Ethernet,
    /// `CRC32CB`, `CRC32CH`, `CRC32CW`: Castagnoli's.
    Castagnoli,
}

impl Polynomial {
    /// Its coefficients, that of x³¹ in bit 0.
    #[must_use]
    pub const fn reflected(self) -> u32 {
        match self {
            Polynomial::Ethernet => 0xedb8_8320,
            Polynomial::Castagnoli => 0x82f6_3b78,
        }
    }
}

/// A barrier as ARMv6 wrote it: a write to a register of the system.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Barrier {
    /// Of data, until they are done.
    DataSynchronization,
    /// Of data, in order.
    DataMemory,
    /// Of instructions.
    InstructionSynchronization,
}

/// What concerns other processors, and what else came with it. There is one processor here.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Synchronization {
    /// `LDREX` … `LDAEXD`: loads, and opens the monitor.
    LoadExclusive {
        /// How much.
        unit: Unit,
        /// Whether it acquires.
        order: Order,
        /// The destination, of a double an even register and the one after it.
        rt: Register,
        /// Where the address stands.
        rn: Register,
    },
    /// `STREX` … `STLEXD`: stores if the monitor is open, and closes it.
    StoreExclusive {
        /// How much.
        unit: Unit,
        /// Whether it releases.
        order: Order,
        /// 0 if it stored, else 1; neither of the others.
        rd: Register,
        /// What is stored, of a double an even register and the one after it.
        rt: Register,
        /// Where the address stands.
        rn: Register,
    },
    /// `CLREX`: closes the monitor.
    ClearExclusive,
    /// `LDA`, `LDAB`, `LDAH`.
    LoadAcquire {
        /// How much, zero-extended.
        size: Size,
        /// The destination.
        rt: Register,
        /// Where the address stands.
        rn: Register,
    },
    /// `STL`, `STLB`, `STLH`.
    StoreRelease {
        /// How much.
        size: Size,
        /// What is stored.
        rt: Register,
        /// Where the address stands.
        rn: Register,
    },
    /// `SWP`, `SWPB`: loads and then stores at one address.
    Swap {
        /// A byte or a word.
        size: Size,
        /// The destination.
        rt: Register,
        /// What is stored.
        source: Register,
        /// Where the address stands, neither of the others.
        rn: Register,
    },
    /// `CRC32B` … `CRC32CW`.
    Checksum {
        /// Of which polynomial.
        polynomial: Polynomial,
        /// How many bytes of `rm` it takes in.
        size: Size,
        /// The destination.
        rd: Register,
        /// The checksum so far.
        rn: Register,
        /// The data.
        rm: Register,
    },
    /// `MRC p15, 0, rt, c13, c0, 3`: the address of the thread's own variables.
    ThreadPointer {
        /// The destination.
        rt: Register,
    },
    /// `MCR p15, 0, rt, c7, …`: nothing happens.
    Barrier {
        /// Which.
        barrier: Barrier,
        /// A register that nobody reads.
        rt: Register,
    },
}
