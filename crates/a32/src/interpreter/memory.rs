//! Regions of memory with bounds and permissions, and a cache of decoded instructions.
//!
//! A program has a handful of regions and stays in one for long, so the last one used is tried
//! first and the others in turn. Executable regions keep what was decoded until it is overwritten.

use std::fmt;
use std::sync::Arc;

use thiserror::Error;

use super::{Fault, Interpreter};
use crate::detours::Detours;
use crate::error::DecodeError;
use crate::instruction::Instruction;
use crate::machine::{Alignment, Size};

/// What a program does with memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Access {
    /// Reads data.
    Load,
    /// Writes data.
    Store,
    /// Carries out instructions.
    Fetch,
}

impl fmt::Display for Access {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Access::Load => "a load",
            Access::Store => "a store",
            Access::Fetch => "a fetch",
        })
    }
}

/// What a program may do in a region.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Permissions {
    /// Whether loads are permitted.
    pub read: bool,
    /// Whether stores are permitted.
    pub write: bool,
    /// Whether instructions may stand here.
    pub execute: bool,
}

impl Permissions {
    /// For constants.
    pub const READ: Permissions = Permissions {
        read: true,
        write: false,
        execute: false,
    };
    /// For data and stack.
    pub const READ_WRITE: Permissions = Permissions {
        read: true,
        write: true,
        execute: false,
    };
    /// For code.
    pub const READ_EXECUTE: Permissions = Permissions {
        read: true,
        write: false,
        execute: true,
    };
    /// For a program in one piece.
    pub const ALL: Permissions = Permissions {
        read: true,
        write: true,
        execute: true,
    };

    fn allow(self, access: Access) -> bool {
        match access {
            Access::Load => self.read,
            Access::Store => self.write,
            Access::Fetch => self.execute,
        }
    }
}

/// Why a region cannot be mapped.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[non_exhaustive]
pub enum MapError {
    /// It has no bytes.
    #[error("the region at {base:#010x} is empty")]
    Empty {
        /// Its address.
        base: u32,
    },
    /// It reaches the address that calls return to.
    #[error(
        "the region at {base:#010x} of {bytes} bytes reaches past {:#010x}",
        Interpreter::RETURN_ADDRESS
    )]
    TooLong {
        /// Its address.
        base: u32,
        /// Its length.
        bytes: usize,
    },
    /// Another region has some of its addresses.
    #[error("the region at {base:#010x} overlaps the one at {other:#010x}")]
    Overlap {
        /// Its address.
        base: u32,
        /// The other's address.
        other: u32,
    },
}

/// Why no instruction stands at an address.
pub(super) enum Unfetched {
    Fault(Fault),
    Refused(DecodeError),
}

#[derive(Clone, Debug)]
struct Region {
    base: u32,
    bytes: Vec<u8>,
    permissions: Permissions,
    /// By word, from the one that holds `base`; empty until the first fetch.
    decoded: Vec<Option<Instruction>>,
}

impl Region {
    /// Where `count` bytes at an address lie in this region, if they all do.
    fn offset(&self, address: u32, count: usize) -> Option<usize> {
        let offset = address.wrapping_sub(self.base) as usize;
        (offset < self.bytes.len() && count <= self.bytes.len() - offset).then_some(offset)
    }

    /// The index into `decoded` of an address in this region.
    fn slot(&self, address: u32) -> usize {
        (address >> 2).wrapping_sub(self.base >> 2) as usize
    }

    /// Forgets what was decoded from `count` ≥ 1 bytes that change.
    fn forget(&mut self, address: u32, count: usize) {
        if self.decoded.is_empty() {
            return;
        }
        let last = address.wrapping_add(count as u32 - 1);
        let slots = self.slot(address)..=self.slot(last);
        if let Some(slots) = self.decoded.get_mut(slots) {
            slots.fill(None);
        }
    }
}

/// All regions of a machine.
#[derive(Clone, Debug, Default)]
pub(super) struct Memory {
    regions: Vec<Region>,
    /// The region of the last access to data, and of the last fetch.
    last: usize,
    last_fetched: usize,
    pub(super) detours: Arc<Detours>,
}

impl Memory {
    pub(super) fn map(
        &mut self,
        base: u32,
        bytes: Vec<u8>,
        permissions: Permissions,
    ) -> Result<(), MapError> {
        let end = |base: u32, bytes: &[u8]| u64::from(base) + bytes.len() as u64;
        if bytes.is_empty() {
            return Err(MapError::Empty { base });
        }
        if end(base, &bytes) > u64::from(Interpreter::RETURN_ADDRESS) {
            return Err(MapError::TooLong {
                base,
                bytes: bytes.len(),
            });
        }
        let overlap = self.regions.iter().find(|other| {
            u64::from(base) < end(other.base, &other.bytes)
                && u64::from(other.base) < end(base, &bytes)
        });
        if let Some(other) = overlap {
            return Err(MapError::Overlap {
                base,
                other: other.base,
            });
        }
        self.regions.push(Region {
            base,
            bytes,
            permissions,
            decoded: Vec::new(),
        });
        Ok(())
    }

    fn find(&self, first: usize, address: u32, count: usize) -> Option<(usize, usize)> {
        let try_region = |index: usize| {
            self.regions
                .get(index)?
                .offset(address, count)
                .map(|offset| (index, offset))
        };
        try_region(first).or_else(|| (0..self.regions.len()).find_map(try_region))
    }

    pub(super) fn bytes(&self, address: u32, count: usize) -> Option<&[u8]> {
        let (index, offset) = self.find(0, address, count)?;
        self.regions.get(index)?.bytes.get(offset..offset + count)
    }

    pub(super) fn overwrite(&mut self, address: u32, bytes: &[u8]) -> Result<(), Fault> {
        if bytes.is_empty() {
            return Ok(());
        }
        let outside = Fault::Outside {
            access: Access::Store,
            address,
            bytes: u32::try_from(bytes.len()).unwrap_or(u32::MAX),
        };
        let (index, offset) = self.find(0, address, bytes.len()).ok_or(outside)?;
        let region = &mut self.regions[index];
        region.bytes[offset..offset + bytes.len()].copy_from_slice(bytes);
        region.forget(address, bytes.len());
        Ok(())
    }

    /// Finds an access of the program's and checks that it may be.
    fn locate(
        &mut self,
        access: Access,
        address: u32,
        size: Size,
        alignment: Alignment,
    ) -> Result<(&mut Region, usize), Fault> {
        if alignment == Alignment::Word && address & 3 != 0 {
            return Err(Fault::Misaligned { access, address });
        }
        let bytes = size.bytes();
        let (index, offset) =
            self.find(self.last, address, bytes as usize)
                .ok_or(Fault::Outside {
                    access,
                    address,
                    bytes,
                })?;
        self.last = index;
        let region = &mut self.regions[index];
        if !region.permissions.allow(access) {
            return Err(Fault::Forbidden { access, address });
        }
        Ok((region, offset))
    }

    #[inline]
    pub(super) fn load(
        &mut self,
        address: u32,
        size: Size,
        alignment: Alignment,
    ) -> Result<u32, Fault> {
        let (region, at) = self.locate(Access::Load, address, size, alignment)?;
        let mut value = [0; 4];
        let count = size.bytes() as usize;
        value[..count].copy_from_slice(&region.bytes[at..at + count]);
        Ok(u32::from_le_bytes(value))
    }

    /// Appends `count` bytes that the program may read to a list.
    pub(super) fn read_into(
        &self,
        list: &mut Vec<u8>,
        address: u32,
        count: u32,
    ) -> Result<(), Fault> {
        if count == 0 {
            return Ok(());
        }
        let access = Access::Load;
        let outside = Fault::Outside {
            access,
            address,
            bytes: count,
        };
        let (index, offset) = self
            .find(self.last, address, count as usize)
            .ok_or(outside)?;
        let region = self.regions.get(index).ok_or(outside)?;
        if !region.permissions.allow(access) {
            return Err(Fault::Forbidden { access, address });
        }
        list.extend_from_slice(&region.bytes[offset..offset + count as usize]);
        Ok(())
    }

    #[inline]
    pub(super) fn store(
        &mut self,
        address: u32,
        size: Size,
        alignment: Alignment,
        value: u32,
    ) -> Result<(), Fault> {
        let (region, at) = self.locate(Access::Store, address, size, alignment)?;
        let count = size.bytes() as usize;
        region.bytes[at..at + count].copy_from_slice(&value.to_le_bytes()[..count]);
        region.forget(address, count);
        Ok(())
    }

    /// The instruction at an address.
    #[inline]
    pub(super) fn fetch(&mut self, address: u32) -> Result<Instruction, Unfetched> {
        if let Some(region) = self.regions.get(self.last_fetched)
            && region.offset(address, 4).is_some()
            && address & 3 == 0
            && let Some(&Some(instruction)) = region.decoded.get(region.slot(address))
        {
            return Ok(instruction);
        }
        self.fetch_anew(address)
    }

    #[cold]
    fn fetch_anew(&mut self, address: u32) -> Result<Instruction, Unfetched> {
        let access = Access::Fetch;
        if address & 3 != 0 {
            return Err(Unfetched::Fault(Fault::Misaligned { access, address }));
        }
        let (index, offset) = self
            .find(self.last_fetched, address, 4)
            .ok_or(Unfetched::Fault(Fault::Outside {
                access,
                address,
                bytes: 4,
            }))?;
        self.last_fetched = index;
        let region = &mut self.regions[index];
        if !region.permissions.allow(access) {
            return Err(Unfetched::Fault(Fault::Forbidden { access, address }));
        }
        let slot = region.slot(address);
        if region.decoded.is_empty() {
            // A region's words, and one more where it does not begin on a word.
            region.decoded.resize(region.bytes.len() / 4 + 2, None);
        }
        if let Some(Some(instruction)) = region.decoded.get(slot) {
            return Ok(*instruction);
        }
        let mut word = [0; 4];
        word.copy_from_slice(&region.bytes[offset..offset + 4]);
        let decoded = self.detours.decode(address, u32::from_le_bytes(word));
        let instruction = decoded.map_err(Unfetched::Refused)?;
        region.decoded[slot] = Some(instruction);
        Ok(instruction)
    }
}
