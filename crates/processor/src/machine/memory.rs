//! Memory whose bytes are known or hold wires.
//!
//! A region is a plain byte array with three bitmaps over it: which bytes are secret, which the
//! program wrote, and (per word) which hold decoded instructions. The wires of secret bytes stand
//! apart in one sparse map, so clear loads and stores cost a bounds check and a few bit tests.

use std::collections::HashMap;

use circuits::Wire;
use serde::{Deserialize, Serialize};

use super::Fault;
use super::journal::{Cell, Journal};
use super::word::Wires;
use crate::error::Access;

/// The eight bits of a byte, least significant first.
pub(crate) type Byte = [Wire; 8];

/// A set of byte offsets within a region.
#[derive(Clone, Debug, Default)]
struct Marks(Vec<u64>);

impl Marks {
    fn new(size: u32) -> Self {
        Self(vec![0; (size as usize).div_ceil(64)])
    }

    /// Whether any of `count` offsets is in the set.
    fn any_of_many(&self, offset: u32, count: u32) -> bool {
        let (from, to) = (u64::from(offset), u64::from(offset) + u64::from(count));
        let words = self.0.iter().enumerate().skip((from / 64) as usize);
        words
            .take_while(|(index, _)| 64 * (*index as u64) < to)
            .any(|(index, word)| {
                let base = 64 * index as u64;
                let low = from.saturating_sub(base).min(63);
                let high = (to - base).min(64);
                high > low && (word >> low) & (u64::MAX >> (64 - (high - low))) != 0
            })
    }

    /// Whether any of `count` (at most 4) offsets is in the set.
    #[inline]
    fn any(&self, offset: u32, count: u32) -> bool {
        let word = self.0.get((offset >> 6) as usize).copied().unwrap_or(0);
        let inside = offset & 63;
        let mask = (1u64 << count) - 1;
        if inside + count <= 64 {
            return (word >> inside) & mask != 0;
        }
        let next = self.0.get((offset >> 6) as usize + 1).copied().unwrap_or(0);
        ((word >> inside) | (next << (64 - inside))) & mask != 0
    }

    #[inline]
    fn set(&mut self, offset: u32, value: bool) {
        if let Some(word) = self.0.get_mut((offset >> 6) as usize) {
            let bit = 1 << (offset & 63);
            if value { *word |= bit } else { *word &= !bit }
        }
    }

    /// The set as offsets and lengths, ascending and apart.
    fn ranges(&self) -> Vec<(u32, u32)> {
        let mut ranges: Vec<(u32, u32)> = Vec::new();
        for (index, word) in self.0.iter().enumerate() {
            let mut left = *word;
            while left != 0 {
                let low = left.trailing_zeros();
                let count = (left >> low).trailing_ones();
                let offset = 64 * index as u32 + low;
                match ranges.last_mut() {
                    Some((start, length)) if *start + *length == offset => *length += count,
                    _ => ranges.push((offset, count)),
                }
                left = if low + count < 64 {
                    left & (u64::MAX << (low + count))
                } else {
                    0
                };
            }
        }
        ranges
    }

    /// Adds those of `count` (at most 4) offsets that another set of the same size lacks.
    #[inline]
    fn insert_missing(&mut self, offset: u32, count: u32, other: &Marks) {
        let mask = (1u64 << count) - 1;
        let (index, inside) = ((offset >> 6) as usize, offset & 63);
        if let (Some(word), Some(other)) = (self.0.get_mut(index), other.0.get(index)) {
            *word |= (mask << inside) & !other;
        }
        if inside + count > 64
            && let (Some(word), Some(other)) = (self.0.get_mut(index + 1), other.0.get(index + 1))
        {
            *word |= (mask >> (64 - inside)) & !other;
        }
    }

    /// Adds `count` (at most 4) offsets.
    #[inline]
    fn insert(&mut self, offset: u32, count: u32) {
        let mask = (1u64 << count) - 1;
        let (index, inside) = ((offset >> 6) as usize, offset & 63);
        if let Some(word) = self.0.get_mut(index) {
            *word |= mask << inside;
        }
        if inside + count > 64
            && let Some(word) = self.0.get_mut(index + 1)
        {
            *word |= mask >> (64 - inside);
        }
    }
}

#[derive(Clone, Debug)]
struct Region {
    base: u32,
    bytes: Vec<u8>,
    writable: bool,
    executable: bool,
    /// Bytes whose wires stand in `Memory::secrets`.
    secret: Marks,
    written: Marks,
    /// Bytes that the program loaded before it had stored to them.
    read: Marks,
}

impl Region {
    /// The offset of an access that lies inside.
    #[inline]
    fn offset(&self, address: u32, size: u32) -> Option<u32> {
        let offset = address.wrapping_sub(self.base);
        let end = u64::from(offset) + u64::from(size);
        (end <= self.bytes.len() as u64).then_some(offset)
    }
}

/// Equal bytes that end a run of changed ones: what a run's own offset and length take.
const GAP: usize = 8;

/// What happened to a region since the program was loaded.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct SavedRegion {
    base: u32,
    size: u32,
    /// Changed bytes by offset: ascending, apart, inside.
    changes: Vec<(u32, Vec<u8>)>,
    /// What the program stored to, as offsets and lengths: ascending, apart, inside.
    written: Vec<(u32, u32)>,
}

impl SavedRegion {
    /// What is wrong with it in itself.
    pub(super) fn check(&self) -> Result<(), &'static str> {
        let changes = self
            .changes
            .iter()
            .map(|(at, bytes)| (*at, bytes.len() as u64));
        let written = self
            .written
            .iter()
            .map(|(at, count)| (*at, u64::from(*count)));
        if is_within(changes, self.size) && is_within(written, self.size) {
            Ok(())
        } else {
            Err("its memory has bytes in no order or outside")
        }
    }
}

/// Whether ranges are ascending, without overlaps, and within a region's size.
fn is_within(ranges: impl Iterator<Item = (u32, u64)>, size: u32) -> bool {
    let mut end = 0;
    for (offset, length) in ranges {
        if u64::from(offset) < end {
            return false;
        }
        end = u64::from(offset) + length;
    }
    end <= u64::from(size)
}

/// The program's memory.
#[derive(Clone, Debug, Default)]
pub(crate) struct Memory {
    regions: Vec<Region>,
    /// By address.
    secrets: HashMap<u32, Byte>,
    /// The region that served the access before: usually this one too.
    recent: usize,
    /// What to undo, the innermost last.
    pub(super) journals: Vec<Journal>,
    /// Address and size of what was stored, for somebody who watches.
    stores: Option<Vec<(u32, u32)>>,
}

/// A region as somebody else would lay it out.
pub(crate) struct Layout {
    pub(crate) base: u32,
    pub(crate) size: u32,
    pub(crate) writable: bool,
    pub(crate) executable: bool,
}

/// Four bytes or fewer, as a load finds them.
pub(crate) enum Loaded {
    Clear(u32),
    /// Some byte is secret; unused upper bytes are constant 0.
    Secret([Wire; 32]),
}

impl Memory {
    /// Adds a region. The caller keeps regions apart and their sizes sane.
    pub(crate) fn add(
        &mut self,
        base: u32,
        size: u32,
        initial: &[u8],
        writable: bool,
        executable: bool,
    ) {
        let mut bytes = vec![0; size as usize];
        let length = initial.len().min(bytes.len());
        bytes[..length].copy_from_slice(&initial[..length]);
        self.regions.push(Region {
            base,
            bytes,
            writable,
            executable,
            secret: Marks::new(size),
            written: Marks::new(size),
            read: Marks::new(size),
        });
    }

    /// Whether `size` bytes lie in one region.
    pub(crate) fn contains(&self, address: u32, size: u32) -> bool {
        self.regions
            .iter()
            .any(|region| region.offset(address, size).is_some())
    }

    #[inline]
    fn find(&mut self, access: Access, address: u32, size: u32) -> Result<(usize, u32), Fault> {
        if let Some(region) = self.regions.get(self.recent)
            && let Some(offset) = region.offset(address, size)
        {
            return Ok((self.recent, offset));
        }
        for (index, region) in self.regions.iter().enumerate() {
            if let Some(offset) = region.offset(address, size) {
                self.recent = index;
                return Ok((index, offset));
            }
        }
        Err(Fault::OutOfRange {
            access,
            address,
            size,
        })
    }

    /// Loads 1, 2 or 4 bytes.
    #[inline]
    pub(crate) fn load(&mut self, address: u32, size: u32) -> Result<Loaded, Fault> {
        let (index, offset) = self.find(Access::Load, address, size)?;
        let region = &mut self.regions[index];
        region.read.insert_missing(offset, size, &region.written);
        let region = &self.regions[index];
        if region.secret.any(offset, size) {
            let mut wires = [Wire::FALSE; 32];
            for i in 0..size {
                let byte = self.byte(address.wrapping_add(i));
                wires[8 * i as usize..][..8].copy_from_slice(&byte);
            }
            return Ok(Loaded::Secret(wires));
        }
        let bytes = &region.bytes[offset as usize..][..size as usize];
        Ok(Loaded::Clear(match *bytes {
            [a, b, c, d] => u32::from_le_bytes([a, b, c, d]),
            [a, b] => u32::from(u16::from_le_bytes([a, b])),
            [a] => u32::from(a),
            _ => bytes
                .iter()
                .rev()
                .fold(0, |value, &byte| value << 8 | u32::from(byte)),
        }))
    }

    /// Whether all bytes are the program's to store to.
    pub(crate) fn is_writable(&self, address: u32, size: u32) -> bool {
        self.regions
            .iter()
            .any(|region| region.writable && region.offset(address, size).is_some())
    }

    /// Checks that a store is allowed, and returns whether code may lie there.
    #[inline]
    pub(crate) fn writable(&mut self, address: u32, size: u32) -> Result<bool, Fault> {
        let (index, _) = self.find(Access::Store, address, size)?;
        let region = &self.regions[index];
        if region.writable {
            Ok(region.executable)
        } else {
            Err(Fault::ReadOnly { address })
        }
    }

    /// Stores 1, 2 or 4 clear bytes and notes that the program did.
    #[inline]
    pub(crate) fn store_clear(&mut self, address: u32, size: u32, value: u32) -> Result<(), Fault> {
        let (index, offset) = self.find(Access::Store, address, size)?;
        if self.is_journaled() {
            self.note(address, size);
        }
        let region = &mut self.regions[index];
        if region.secret.any(offset, size) {
            for i in 0..size {
                region.secret.set(offset + i, false);
                self.secrets.remove(&address.wrapping_add(i));
            }
        }
        if let Some(stores) = &mut self.stores {
            stores.push((address, size));
        }
        let bytes = value.to_le_bytes();
        region.bytes[offset as usize..][..size as usize].copy_from_slice(&bytes[..size as usize]);
        region.written.insert(offset, size);
        Ok(())
    }

    /// Stores one byte and notes that the program did.
    pub(crate) fn store_byte(&mut self, address: u32, byte: Byte) -> Result<(), Fault> {
        let (index, offset) = self.find(Access::Store, address, 1)?;
        if self.is_journaled() {
            self.note(address, 1);
        }
        if let Some(stores) = &mut self.stores {
            stores.push((address, 1));
        }
        self.put(index, offset, address, byte);
        self.regions[index].written.insert(offset, 1);
        Ok(())
    }

    /// Whether a journal notes what is stored.
    #[inline]
    pub(crate) fn is_journaled(&self) -> bool {
        !self.journals.is_empty()
    }

    /// Puts a byte and its mark without noting it; nothing where there is no memory.
    pub(super) fn restore_cell(&mut self, address: u32, cell: Cell) {
        if let Ok((index, offset)) = self.find(Access::Store, address, 1) {
            self.put(index, offset, address, cell.byte);
            self.regions[index].written.set(offset, cell.written);
        }
    }

    /// Sets one byte from outside, as an input; `false` if there is no memory there.
    pub(crate) fn initialise(&mut self, address: u32, byte: Byte) -> bool {
        match self.find(Access::Store, address, 1) {
            Ok((index, offset)) => {
                self.put(index, offset, address, byte);
                true
            }
            Err(_) => false,
        }
    }

    fn put(&mut self, index: usize, offset: u32, address: u32, byte: Byte) {
        let region = &mut self.regions[index];
        let mut value = 0;
        let mut clear = true;
        for (i, wire) in byte.iter().enumerate() {
            match wire.as_constant() {
                Some(bit) => value |= u8::from(bit) << i,
                None => clear = false,
            }
        }
        region.secret.set(offset, !clear);
        if clear {
            region.bytes[offset as usize] = value;
            self.secrets.remove(&address);
        } else {
            self.secrets.insert(address, byte);
        }
    }

    /// The bits of one byte; zeros where there is no memory.
    pub(crate) fn byte(&self, address: u32) -> Byte {
        if let Some(byte) = self.secrets.get(&address) {
            return *byte;
        }
        let value = self.regions.iter().find_map(|region| {
            let offset = region.offset(address, 1)?;
            region.bytes.get(offset as usize).copied()
        });
        let value = value.unwrap_or(0);
        std::array::from_fn(|i| Wire::constant((value >> i) & 1 == 1))
    }

    /// The bits of a word; zeros where there is no memory.
    pub(crate) fn word(&self, address: u32) -> Wires {
        let bytes: [_; 4] = std::array::from_fn(|i| self.byte(address.wrapping_add(i as u32)));
        std::array::from_fn(|at| bytes[at / 8][at % 8])
    }

    /// The regions, in the order in which they were added.
    pub(crate) fn regions(&self) -> impl Iterator<Item = Layout> {
        self.regions.iter().map(|region| Layout {
            base: region.base,
            size: region.bytes.len() as u32,
            writable: region.writable,
            executable: region.executable,
        })
    }

    /// Bytes that are all clear and lie in one region.
    pub(crate) fn clear_bytes(&self, address: u32, size: u32) -> Option<&[u8]> {
        let mut regions = self.regions.iter();
        let found = regions.find_map(|region| Some((region, region.offset(address, size)?)));
        let (region, offset) = found?;
        if region.secret.any_of_many(offset, size) {
            return None;
        }
        region.bytes.get(offset as usize..)?.get(..size as usize)
    }

    /// Notes what is stored from here on.
    pub(crate) fn log_stores(&mut self) {
        self.stores.get_or_insert_default();
    }

    /// Moves address and size of what was stored since the last time to `into`.
    pub(crate) fn take_stores(&mut self, into: &mut Vec<(u32, u32)>) {
        if let Some(stores) = &mut self.stores {
            into.append(stores);
        }
    }

    /// The instruction word at an address: `None` where nothing may be executed, `Some(None)`
    /// where it is secret.
    pub(crate) fn fetch(&self, address: u32) -> Option<Option<u32>> {
        let region = self
            .regions
            .iter()
            .find(|region| region.executable && region.offset(address, 4).is_some())?;
        let offset = region.offset(address, 4)?;
        if region.secret.any(offset, 4) {
            return Some(None);
        }
        let bytes = region.bytes.get(offset as usize..)?.first_chunk()?;
        Some(Some(u32::from_le_bytes(*bytes)))
    }

    /// Whether the program stored to any of these bytes.
    pub(crate) fn was_written(&self, address: u32, size: u32) -> bool {
        let region = self
            .regions
            .iter()
            .find(|region| region.offset(address, 1).is_some());
        region.is_some_and(|region| {
            let offset = address - region.base;
            region.written.any_of_many(offset, size)
        })
    }

    /// Notes that the program loads these bytes, all in one region, at an address that is secret.
    pub(crate) fn note_read(&mut self, address: u32, size: u32) {
        if let Ok((index, offset)) = self.find(Access::Load, address, size)
            && let Some(region) = self.regions.get_mut(index)
        {
            for at in offset..offset + size {
                region.read.insert_missing(at, 1, &region.written);
            }
        }
    }

    /// Whether the program loaded any of these bytes before it had stored to it.
    pub(crate) fn was_read_first(&self, address: u32, size: u32) -> bool {
        let mut regions = self.regions.iter();
        let found = regions.find_map(|region| Some((region, region.offset(address, size)?)));
        found.is_some_and(|(region, offset)| region.read.any_of_many(offset, size))
    }

    /// What happened to each region since it had its initial bytes, and zeros after them.
    pub(crate) fn save<'i>(&self, initial: impl Iterator<Item = &'i [u8]>) -> Vec<SavedRegion> {
        let initial = initial.chain(std::iter::repeat(&[][..]));
        let saved = self
            .regions
            .iter()
            .zip(initial)
            .map(|(region, initial)| SavedRegion {
                base: region.base,
                size: region.bytes.len() as u32,
                changes: changes(&region.bytes, initial),
                written: region.written.ranges(),
            });
        saved.collect()
    }

    /// Makes memory as the program brings it what it was when it was saved, secret bytes aside.
    pub(crate) fn restore(&mut self, saved: &[SavedRegion]) -> Result<(), &'static str> {
        const OTHER: &str = "its memory is not laid out as the program's";
        if saved.len() != self.regions.len() {
            return Err(OTHER);
        }
        for (region, saved) in self.regions.iter_mut().zip(saved) {
            if (region.base, region.bytes.len()) != (saved.base, saved.size as usize) {
                return Err(OTHER);
            }
            for (offset, bytes) in &saved.changes {
                let place = region.bytes.get_mut(*offset as usize..);
                let place = place.and_then(|rest| rest.get_mut(..bytes.len()));
                place.ok_or(OTHER)?.copy_from_slice(bytes);
            }
            for (offset, count) in &saved.written {
                for i in 0..(*count).min(saved.size) {
                    region.written.set(offset.saturating_add(i), true);
                }
            }
        }
        Ok(())
    }

    /// The secret bytes in address order.
    pub(crate) fn secrets(&self) -> Vec<(u32, Byte)> {
        let mut bytes: Vec<_> = self.secrets.iter().map(|(a, byte)| (*a, *byte)).collect();
        bytes.sort_unstable_by_key(|(address, _)| *address);
        bytes
    }

    /// The secret bytes in address order, so that what follows from them is the same every time.
    pub(crate) fn secret_bytes(&mut self) -> Vec<(u32, &mut Byte)> {
        let mut bytes: Vec<_> = self
            .secrets
            .iter_mut()
            .map(|(a, byte)| (*a, byte))
            .collect();
        bytes.sort_unstable_by_key(|(address, _)| *address);
        bytes
    }
}

/// The bytes that are not the initial ones (zeros after those), by offset.
fn changes(bytes: &[u8], initial: &[u8]) -> Vec<(u32, Vec<u8>)> {
    const CHUNK: usize = 256;
    let mut runs: Vec<(u32, Vec<u8>)> = Vec::new();
    for (index, chunk) in bytes.chunks(CHUNK).enumerate() {
        let base = index * CHUNK;
        let before = initial.get(base..).unwrap_or_default();
        let common = before.len().min(chunk.len());
        // Most of memory is as it was.
        if chunk[..common] == before[..common] && chunk[common..].iter().all(|byte| *byte == 0) {
            continue;
        }
        for (i, byte) in chunk.iter().enumerate() {
            if *byte == before.get(i).copied().unwrap_or(0) {
                continue;
            }
            let offset = base + i;
            match runs.last_mut() {
                Some((start, run)) if offset - (*start as usize + run.len()) < GAP => {
                    let end = *start as usize + run.len();
                    run.extend_from_slice(&bytes[end..=offset]);
                }
                _ => runs.push((offset as u32, vec![*byte])),
            }
        }
    }
    runs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_saved_is_restored() {
        let initial: Vec<u8> = (0..200).map(|i| i as u8).collect();
        let memory = || {
            let mut memory = Memory::default();
            memory.add(0x100, 1000, &initial, true, false);
            memory.add(0x1000, 64, &[], true, false);
            memory
        };
        let mut changed = memory();
        let stores = [
            (0x100, 7),
            (0x104, 0x0001_0203),
            (0x1c4, 9),
            (0x1fc, 1),
            (0x4e4, 2),
            (0x1000, 0),
            (0x103c, 4),
        ];
        for (address, value) in stores {
            changed.store_clear(address, 4, value).unwrap();
        }
        let saved = changed.save([&initial[..], &[]].into_iter());
        saved.iter().try_for_each(SavedRegion::check).unwrap();
        let bytes: usize = saved
            .iter()
            .flat_map(|region| &region.changes)
            .map(|(_, run)| run.len())
            .sum();
        assert!(bytes <= 4 * stores.len(), "{bytes}");
        let mut restored = memory();
        restored.restore(&saved).unwrap();
        for (region, other) in changed.regions.iter().zip(&restored.regions) {
            assert_eq!(region.bytes, other.bytes);
            assert_eq!(region.written.0, other.written.0);
        }
        let mut smaller = Memory::default();
        smaller.add(0x100, 1000, &initial, true, false);
        assert!(smaller.restore(&saved).is_err());
        smaller.add(0x1000, 60, &[], true, false);
        assert!(smaller.restore(&saved).is_err());
    }

    #[test]
    fn ranges_outside_or_in_disorder_are_found() {
        for (ranges, size, fine) in [
            (vec![(0, 4), (4, 4)], 8, true),
            (vec![(0, 5), (4, 4)], 8, false),
            (vec![(4, 1), (0, 1)], 8, false),
            (vec![(6, 3)], 8, false),
            (vec![(u32::MAX, u64::from(u32::MAX))], 8, false),
        ] {
            assert_eq!(is_within(ranges.into_iter(), size), fine);
        }
    }

    #[test]
    fn marks_count_the_same_by_words_and_one_by_one() {
        let mut marks = Marks::new(200);
        for (offset, count) in [(3, 1), (62, 4), (127, 2), (196, 4)] {
            marks.insert(offset, count);
        }
        let marked = |offset: u32| marks.any(offset, 1);
        let expected = [3, 62, 63, 64, 65, 127, 128, 196, 197, 198, 199];
        assert_eq!(
            (0..200)
                .filter(|offset| marked(*offset))
                .collect::<Vec<_>>(),
            expected
        );
        for offset in 0..200 {
            for count in 0..=200 - offset {
                let any = (offset..offset + count).any(marked);
                assert_eq!(
                    marks.any_of_many(offset, count),
                    any,
                    "{count} from {offset}"
                );
                if (1..=4).contains(&count) {
                    assert_eq!(marks.any(offset, count), any, "{count} from {offset}");
                }
            }
        }
    }

    #[test]
    fn secret_and_clear_bytes_replace_each_other() {
        let mut memory = Memory::default();
        memory.add(0x100, 8, &[1, 2, 3, 4], true, false);
        let mut build = circuits::Builder::new(&circuits::Profile::lookup_simulation());
        let secret: Byte = std::array::from_fn(|_| build.input());
        memory.store_byte(0x101, secret).unwrap();
        let Loaded::Secret(wires) = memory.load(0x100, 4).unwrap() else {
            panic!("clear")
        };
        assert_eq!(wires[8..16], secret);
        assert_eq!(wires[..8], memory.byte(0x100));
        // A store beside it leaves it; one over it clears it.
        memory.store_clear(0x102, 2, 0xaabb).unwrap();
        assert!(matches!(memory.load(0x101, 1).unwrap(), Loaded::Secret(_)));
        memory.store_clear(0x100, 2, 0xccdd).unwrap();
        assert!(matches!(
            memory.load(0x100, 4).unwrap(),
            Loaded::Clear(0xaabb_ccdd)
        ));
        assert!(memory.secret_bytes().is_empty());
        assert!(memory.was_written(0x100, 4) && !memory.was_written(0x104, 4));
        let outside = Fault::OutOfRange {
            access: Access::Load,
            address: 0x106,
            size: 4,
        };
        assert_eq!(memory.load(0x106, 4).err(), Some(outside));
    }
}
