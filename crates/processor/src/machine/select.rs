//! Loads and stores at secret addresses: selections over the objects that the address may lie in.
//!
//! Every byte of these objects takes part in every such access, so the sequence of addresses that
//! the run touches does not depend on the secret. The positions that the address can have within
//! the objects are the entries of a table ([`circuits::library::select_from`]); its index are the
//! secret bits of the address's index, and where the other bits of the address lead elsewhere no
//! entry is chosen: a byte outside the objects reads as 0, and a store there does nothing. That is
//! this machine's answer to what C leaves undefined; another object's data never enter.
//!
//! Low bits of the index that are known, as of an element's number times its size, leave out
//! positions; without them a word may begin at every byte. An access that the architecture wants
//! aligned has no other positions: at an address that is not, which would be a fault, it reads 0
//! and stores nothing.
//!
//! Cost: about 8·s/3 lookups for s secret bytes that a load selects over, N/9 for N constant
//! entries, and one and a half times as much for a store. A store of several bytes at an unknown
//! alignment is done byte by byte.

use std::collections::BTreeSet;

use a32::Alignment;
use circuits::library::{self, Code};
use circuits::{Wire, library::Word as Bits};

use super::objects::{Extent, Stack};
use super::origin::{Base, Origin};
use super::pointers::values_of;
use super::word::Wires;
use super::{Fault, Symbolic, Word};
use crate::error::Access;

/// The most bytes that one access selects over: one bit by one, and where rows of bits are chosen whole.
const SIZE_LIMIT: u64 = 1 << 16;
const SIZE_LIMIT_IN_ROWS: u64 = 1 << 20;
/// A secret address that is a function of at most this many bits is taken for the set of its values
/// where its base is unknown.
const FREE_BITS: usize = 8;
/// Where the index has at most this many unknown bits and leads nowhere into the objects, all
/// addresses that it can lead to are selected over, in any object.
pub(super) const FEW_BITS: usize = 4;

/// Where no object is known, at most so many addresses are selected over.
const FEASIBLE: usize = 256;

/// What the selections of one instruction came to.
#[derive(Clone, Debug)]
pub(crate) struct Selected {
    pub(crate) objects: Vec<Extent>,
    /// Bytes of one access.
    pub(crate) bytes: u32,
    pub(crate) times: u64,
    /// Operations that were recorded for it and that nothing before had needed.
    pub(crate) operations: usize,
}

/// Where an access may go.
struct Reach {
    origin: Origin,
    objects: Vec<Extent>,
    /// The addresses that are feasible and lie in the objects, where those are known.
    only: Option<Vec<u32>>,
    /// Whether it can lead nowhere else.
    is_all: bool,
}

impl Reach {
    /// Whether a byte belongs to the objects.
    fn has(&self, address: u32) -> bool {
        self.objects.iter().any(|object| object.contains(address))
    }

    /// Whether all bytes of an access do.
    fn contains(&self, address: u32, size: u32) -> bool {
        (0..size).all(|i| self.has(address.wrapping_add(i)))
    }

    /// The addresses at which an access of `size` bytes touches the objects and that the known bits
    /// of the index allow, ascending.
    fn positions(&self, size: u32, alignment: Alignment) -> Vec<u32> {
        let (mut mask, mut value) = (0u32, 0u32);
        for (at, wire) in self.origin.bits().iter().enumerate() {
            if let Some(bit) = wire.as_constant() {
                mask |= 1 << at;
                value |= u32::from(bit) << at;
            }
        }
        if let Some(only) = &self.only {
            return only.clone();
        }
        let mut positions = BTreeSet::new();
        let mut add = |address: u32| {
            let aligned = alignment == Alignment::Any || address.is_multiple_of(4);
            let index = self.origin.value_at(address);
            if aligned && index.is_some_and(|index| index & mask == value) {
                positions.insert(address);
            }
        };
        if self.origin.exact {
            let places = self.origin.bases.iter().map(|base| base.at);
            let touches = |at: &u32| (0..size).any(|i| self.has(at.wrapping_add(i)));
            places.filter(touches).for_each(&mut add);
        } else {
            for object in &self.objects {
                for offset in 0..object.size + size - 1 {
                    add(object.start.wrapping_add(offset).wrapping_sub(size - 1));
                }
            }
        }
        positions.into_iter().collect()
    }
}

impl Symbolic {
    /// The most bytes that one access selects over.
    pub(crate) fn size_limit(&self) -> u64 {
        match self.profile().selectors {
            Some(_) => SIZE_LIMIT_IN_ROWS,
            None => SIZE_LIMIT,
        }
    }

    /// Loads from a secret address.
    pub(super) fn load_selected(
        &mut self,
        address: &Wires,
        size: u32,
        alignment: Alignment,
    ) -> Result<Word, Fault> {
        let before = self.builder.len();
        let (reach, positions, code) = self.coded(address, size, alignment, Access::Load)?;
        for object in &reach.objects {
            self.memory.note_read(object.start, object.size);
        }
        let inside = |place: usize| reach.contains(positions[place], size);
        let all_inside = (code.is_total() || reach.is_all)
            && code.values.iter().all(|&(_, place)| inside(place));
        let entries: Vec<(u32, Bits)> = code
            .values
            .iter()
            .map(|&(value, place)| {
                let bytes = (0..size).map(|i| positions[place].wrapping_add(i));
                let bits = bytes.flat_map(|at| match reach.has(at) {
                    true => self.memory.byte(at),
                    false => [Wire::FALSE; 8],
                });
                let mark = (!all_inside).then(|| Wire::constant(inside(place)));
                (value, bits.chain(mark).collect())
            })
            .collect();
        let width = 8 * size as usize;
        let read = width + usize::from(!all_inside);
        let b = &mut self.builder;
        let bits = library::select_from(b, &code.index, code.valid, read, &entries);
        self.note_stray(bits.get(width).copied().unwrap_or(code.valid));
        self.note_selection(Access::Load, &reach, size, before);
        let bits = &bits[..width];
        let word = Word::from_slice(bits);
        if let Word::Secret(wires) = &word
            && size == 4
        {
            self.note_pointers(wires, &entries);
        }
        Ok(word)
    }

    /// Stores to a secret address.
    pub(super) fn store_selected(
        &mut self,
        address: &Wires,
        size: u32,
        alignment: Alignment,
        value: &Word,
    ) -> Result<(), Fault> {
        let before = self.builder.len();
        let (reach, positions, _) = self.coded(address, size, alignment, Access::Store)?;
        for object in &reach.objects {
            for offset in (0..object.size).step_by(4) {
                let address = object.start.wrapping_add(offset);
                self.allow_store(address, (object.size - offset).min(4))?;
            }
        }
        let value = &value.wires()[..8 * size as usize];
        if positions.windows(2).any(|pair| pair[1] - pair[0] < size) {
            for (i, byte) in value.chunks(8).enumerate() {
                let reach = Reach {
                    origin: reach.origin.clone().moved(i as u32),
                    objects: reach.objects.clone(),
                    only: reach.only.as_ref().map(|only| {
                        let moved = only.iter().map(|address| address.wrapping_add(i as u32));
                        moved.collect()
                    }),
                    is_all: reach.is_all,
                };
                let positions = reach.positions(1, Alignment::Any);
                self.replace(&reach, &positions, byte)?;
            }
        } else {
            self.replace(&reach, &positions, value)?;
        }
        self.note_selection(Access::Store, &reach, size, before);
        Ok(())
    }

    /// Puts a value at one of some places that do not overlap.
    fn replace(&mut self, reach: &Reach, positions: &[u32], value: &[Wire]) -> Result<(), Fault> {
        let code = self.code_of(reach, positions, Access::Store)?;
        let enable = match self.predicate {
            Some(condition) => self.builder.and(condition, code.valid),
            None => code.valid,
        };
        let size = value.len() as u32 / 8;
        let inside = |place: usize| reach.contains(positions[place], size);
        let hit = match (code.is_total() || reach.is_all)
            && code.values.iter().all(|&(_, place)| inside(place))
        {
            true => code.valid,
            false => {
                let mark = |&(index, place)| (index, vec![Wire::constant(inside(place))]);
                let marks: Vec<(u32, Bits)> = code.values.iter().map(mark).collect();
                library::select_from(&mut self.builder, &code.index, code.valid, 1, &marks)[0]
            }
        };
        self.note_stray(hit);
        let entries: Vec<(u32, Bits)> = code
            .values
            .iter()
            .map(|&(index, place)| {
                let bytes = (0..size).map(|i| positions[place].wrapping_add(i));
                (index, bytes.flat_map(|at| self.memory.byte(at)).collect())
            })
            .collect();
        let after = library::replace_in(&mut self.builder, &code.index, enable, &entries, value);
        if size == 4 {
            let value = Word::from_slice(value);
            for ((_, before), after) in entries.iter().zip(&after) {
                let [before, after] = [before, after].map(|bits| Word::from_slice(bits));
                self.note_replaced(&value, &before, &after);
                self.note_numbers(&after, &[&value, &before]);
            }
        }
        for (&(_, place), word) in code.values.iter().zip(after) {
            let (bytes, _) = word.as_chunks::<8>();
            for (i, byte) in bytes.iter().enumerate() {
                let at = positions[place].wrapping_add(i as u32);
                if reach.has(at) {
                    self.memory.store_byte(at, *byte)?;
                }
            }
        }
        Ok(())
    }

    fn code_of(&mut self, reach: &Reach, positions: &[u32], access: Access) -> Result<Code, Fault> {
        // Every position has a value.
        let value = |address: &u32| reach.origin.value_at(*address).unwrap_or(0);
        let wanted: Vec<u32> = positions.iter().map(value).collect();
        let code = Code::new(&mut self.builder, reach.origin.bits(), &wanted);
        match (code.values.is_empty(), reach.objects.first()) {
            (true, Some(object)) => Err(Fault::Outside {
                access,
                address: object.start,
                size: object.size,
            }),
            _ if reach.is_all => Ok(Code {
                valid: Wire::TRUE,
                ..code
            }),
            _ => Ok(code),
        }
    }

    /// What an access may reach, at which addresses, and how its index names them. Where no object
    /// is known or the guess is wrong, these are the addresses that are feasible; likewise where a
    /// table stands in the code that reads it.
    fn coded(
        &mut self,
        address: &Wires,
        size: u32,
        alignment: Alignment,
        access: Access,
    ) -> Result<(Reach, Vec<u32>, Code), Fault> {
        let guess = self.reach(address, size, access).and_then(|reach| {
            let positions = reach.positions(size, alignment);
            let code = self.code_of(&reach, &positions, access)?;
            Ok((reach, positions, code))
        });
        // Of a path much may be known; elsewhere such an access is taken for a mistake.
        if !self.memory.is_journaled() {
            return guess;
        }
        let is_chosen = self.numbers.get(address).is_some();
        let is_sure = |reach: &Reach| !is_chosen && !reach.has(self.pc);
        if guess.as_ref().is_ok_and(|(reach, ..)| is_sure(reach)) {
            return guess;
        }
        let Some(reach) = self.feasible_reach(address, size, alignment, access) else {
            return guess;
        };
        let reach = reach?;
        let positions = reach.positions(size, alignment);
        if guess
            .as_ref()
            .is_ok_and(|(_, all, _)| all.len() <= positions.len())
        {
            return guess;
        }
        let code = self.code_of(&reach, &positions, access)?;
        Ok((reach, positions, code))
    }

    /// The addresses that an access can have, if they are few.
    fn feasible_reach(
        &mut self,
        address: &Wires,
        size: u32,
        alignment: Alignment,
        access: Access,
    ) -> Option<Result<Reach, Fault>> {
        let addresses = self.feasible(address, FEASIBLE)?;
        let (count, first) = (addresses.len(), *addresses.first()?);
        let fits = |address: &u32| {
            (alignment == Alignment::Any || address.is_multiple_of(4))
                && self.is_free(*address, size, access)
        };
        let only: Vec<u32> = addresses.into_iter().filter(fits).collect();
        if only.is_empty() {
            return Some(Err(Fault::OutOfRange {
                access,
                address: first,
                size,
            }));
        }
        let mut objects: Vec<Extent> = Vec::new();
        for address in &only {
            match objects.last_mut().filter(|last| last.joins(*address)) {
                Some(last) => last.size = last.size.max(address - last.start + size),
                None => objects.push(Extent::possible(*address, size)),
            }
        }
        let known = self.origins.get(address);
        let known = known.filter(|origin| only.iter().all(|a| origin.value_at(*a).is_some()));
        Some(Ok(Reach {
            origin: known.cloned().unwrap_or_else(|| Origin::of_index(*address)),
            objects,
            is_all: only.len() == count,
            only: Some(only),
        }))
    }

    /// Whether the program may access these bytes: of the stack no saved register.
    fn is_free(&self, address: u32, size: u32, access: Access) -> bool {
        match access {
            Access::Load => self.memory.contains(address, size),
            _ => self.memory.is_writable(address, size) && !self.objects.is_saved(address, size),
        }
    }

    /// Remembers that an access left its objects where `hit` is 0.
    fn note_stray(&mut self, hit: Wire) {
        let stray = match self.predicate {
            Some(condition) => self.builder.and(condition, !hit),
            None => !hit,
        };
        if stray != Wire::FALSE && !self.strays.contains(&stray) {
            self.strays.push(stray);
        }
    }

    /// Whether any access so far left its objects.
    pub(crate) fn astray(&mut self) -> Wire {
        if !self.strays.is_empty() {
            self.strays.push(self.astray);
            self.astray = self.builder.any(&self.strays);
            self.strays.clear();
        }
        self.astray
    }

    /// Whether a path was taken that ended in a fault.
    pub(crate) fn faulted(&self) -> Wire {
        self.faulted
    }

    /// Whether a loop would have gone on beyond its bound.
    pub(crate) fn exceeded(&self) -> Wire {
        self.exceeded
    }

    /// What an address is made of, and which objects it may lie in.
    fn reach(&mut self, address: &Wires, size: u32, access: Access) -> Result<Reach, Fault> {
        let origin = match self.origins.get(address) {
            Some(origin) => origin.clone(),
            None => Origin::of_index(*address),
        };
        self.survey_heap(&origin.bases);
        let zeros = |wire: &Wire| *wire == Wire::FALSE;
        let low = origin.index.iter().take_while(|wire| zeros(wire)).count();
        let unit = (1u32 << low.min(16)).max(size);
        // Few places are no dearer for lying in several variables.
        let locals = match values_of(origin.bits(), FEW_BITS) {
            Some(_) => Vec::new(),
            None => self.locals(&origin.bases),
        };
        let stack = Stack {
            pointer: self.registers[13].clear().unwrap_or(0),
            locals: &locals,
            size,
        };
        let mut objects = match origin.exact {
            true => self.objects.around(&origin.bases, stack.pointer),
            false => Vec::new(),
        };
        if objects.is_empty() {
            objects = self.objects.reached(&origin.bases, unit, &stack);
        }
        if objects.is_empty() {
            let bases = self.pointers_of(address).unwrap_or_default();
            self.survey_heap(&bases);
            objects = self.objects.reached(&bases, u32::MAX, &stack);
        }
        self.add_possible(&origin, size, access, &mut objects);
        if objects.is_empty() {
            return Err(Fault::SecretAddress(access));
        }
        let bytes: u64 = objects.iter().map(|object| u64::from(object.size)).sum();
        if bytes > self.size_limit() {
            return Err(Fault::LargeObject {
                access,
                address: objects[0].start,
                bytes,
            });
        }
        for object in &objects {
            if !self.memory.contains(object.start, object.size) {
                return Err(Fault::OutOfRange {
                    access,
                    address: object.start,
                    size: object.size,
                });
            }
        }
        Ok(Reach {
            origin,
            objects,
            only: None,
            is_all: false,
        })
    }

    /// Adds what an index of few unknown bits leads to where that is nowhere in the objects: then
    /// they were a wrong guess.
    fn add_possible(&self, origin: &Origin, size: u32, access: Access, objects: &mut Vec<Extent>) {
        let Some(values) = values_of(origin.bits(), FEW_BITS) else {
            return;
        };
        let factor = origin.factors.map_or(1, |(factor, _)| factor);
        let mut addresses: Vec<u32> = values
            .into_iter()
            .map(|value| origin.displacement.wrapping_add(value.wrapping_mul(factor)))
            .collect();
        let known = |address: u32| objects.iter().any(|object| object.has(address, size));
        if objects.is_empty()
            || addresses
                .iter()
                .any(|a| known(*a) || !self.is_free(*a, size, access))
        {
            return;
        }
        addresses.sort_unstable();
        addresses.dedup();
        for address in addresses {
            match objects.last_mut().filter(|last| last.joins(address)) {
                Some(last) => last.size = address - last.start + size,
                None => objects.push(Extent::possible(address, size)),
            }
        }
        objects.sort_by_key(|extent| extent.start);
    }

    /// All values of a word of few secret bits, if each of them is an address.
    fn pointers_of(&self, word: &Wires) -> Option<Vec<Base>> {
        let mut bases: Vec<_> = values_of(word, FREE_BITS)?
            .into_iter()
            .map(|number| {
                let is_pointer = self.objects.is_pointer(number);
                is_pointer.then_some(Origin::of_pointer(number).bases[0])
            })
            .collect::<Option<_>>()?;
        bases.sort_unstable();
        bases.dedup();
        Some(bases)
    }

    fn note_selection(&mut self, access: Access, reach: &Reach, bytes: u32, before: usize) {
        self.touched = true;
        let operations = self.builder.operations_since(before);
        let selected = self
            .selected
            .entry((self.pc, access))
            .or_insert_with(|| Selected {
                objects: Vec::new(),
                bytes,
                times: 0,
                operations: 0,
            });
        selected.times += 1;
        selected.operations += operations;
        selected.bytes = selected.bytes.max(bytes);
        for object in &reach.objects {
            if !selected.objects.contains(object) {
                selected.objects.push(object.clone());
            }
        }
    }
}
