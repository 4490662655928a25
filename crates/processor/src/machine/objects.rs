//! Which bytes an access at a secret address may reach.
//!
//! An *object* is what the user names (`--object`), else the innermost sized symbol around an
//! address, else (string literals, tables in assembly) the bytes between two neighbouring symbols
//! or labels. Fields of structures have no extent of their own: the whole variable is the object.
//!
//! Arrays on the stack have no symbols. The stack is taken apart at the registers that functions
//! saved on it, that is at what was stored below the stack pointer: between two such places lie the
//! local variables of one call, and they are one object, unless DWARF describes each of them
//! ([`super::locals`]).
//!
//! Which object a pointer is meant to lie in is written in the program as a number, and numbers are
//! ambiguous: where b follows an `int a[10]`, `a[i + 9]` and `b[i − 1]` are one instruction.
//! Compilers that address all variables of a section from one anchor (`-fsection-anchors`, the
//! default of GCC at -O1 and above) leave nothing else to go by. Where the address at index 0 is
//! the start of an array, it is that array. Where it is elsewhere, or in a variable of one element,
//! and as near below another object as it is to the start of its own (and [`NEAR`]), both are
//! selected over: a valid program gets what it means in either case, for the price of both.

use std::collections::HashMap;
use std::sync::Arc;

use super::heap::Heap;
use super::locals::{narrowed, only};
use super::origin::Base;
use crate::program::{Frames, Local, Program};
use crate::task::Object;

/// How far below an object an address may be meant to index it, in bytes.
pub(super) const NEAR: u32 = 64;

/// A part of the address space.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Span {
    pub(crate) start: u32,
    pub(crate) size: u32,
}

impl Span {
    pub(super) fn contains(self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    /// Whether a pointer into it, or to just behind it, can have this value.
    fn has_pointer(self, number: u32) -> bool {
        number.wrapping_sub(self.start) <= self.size
    }

    fn end(self) -> u32 {
        self.start + self.size
    }
}

/// Some bytes that belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Extent {
    pub(crate) start: u32,
    pub(crate) size: u32,
    pub(crate) name: String,
    /// Whether the user named it.
    explicit: bool,
    /// Whether it is one number: nobody indexes it.
    scalar: bool,
}

impl Extent {
    pub(crate) fn contains(&self, address: u32) -> bool {
        address.wrapping_sub(self.start) < self.size
    }

    /// Whether all bytes of an access belong to it.
    pub(crate) fn has(&self, address: u32, size: u32) -> bool {
        address >= self.start && u64::from(address) + u64::from(size) <= self.end()
    }

    /// Bytes that an index can lead to, in any object.
    pub(crate) fn possible(address: u32, size: u32) -> Self {
        Self {
            start: address,
            size,
            name: format!("bytes at {address:#010x}"),
            explicit: false,
            scalar: false,
        }
    }

    /// Bytes that no symbol describes: of the stack, of the heap.
    pub(super) fn of_bytes(start: u32, size: u32, name: String) -> Self {
        Self {
            start,
            size,
            name,
            explicit: false,
            scalar: false,
        }
    }

    /// Whether an address that is no lower than the first continues such bytes.
    pub(crate) fn joins(&self, address: u32) -> bool {
        self.name == format!("bytes at {:#010x}", self.start)
            && address >= self.start
            && u64::from(address) <= self.end()
    }

    fn end(&self) -> u64 {
        u64::from(self.start) + u64::from(self.size)
    }
}

/// The stack at an access.
pub(super) struct Stack<'a> {
    pub(super) pointer: u32,
    /// The local variables that are known.
    pub(super) locals: &'a [Local],
    /// Bytes of the access.
    pub(super) size: u32,
}

/// The objects of a program, and of its stack.
#[derive(Clone, Debug, Default)]
pub(crate) struct Objects {
    /// By start, then the largest first.
    named: Vec<Extent>,
    /// Where something begins or ends, ascending.
    borders: Vec<u32>,
    labels: HashMap<u32, String>,
    segments: Vec<Span>,
    stack: Span,
    /// Words saved on the stack, from the top down.
    saved: Vec<u32>,
    /// What is known of the functions' frames.
    frames: Arc<Frames>,
    pub(super) heap: Option<Heap>,
}

impl Objects {
    pub(crate) fn new(program: &Program, objects: &[Object], stack: Span) -> Self {
        let mut named: Vec<Extent> = program
            .variables()
            .iter()
            .map(|variable| Extent {
                start: variable.address,
                size: variable.size,
                name: variable.name.clone(),
                explicit: false,
                scalar: variable.ty.as_ref().is_some_and(|ty| ty.elements() == 1),
            })
            .chain(objects.iter().map(|object| Extent {
                start: object.address,
                size: object.size,
                name: format!("object at {:#010x}", object.address),
                explicit: true,
                scalar: false,
            }))
            .collect();
        named.sort_by_key(|extent| (extent.start, std::cmp::Reverse(extent.size)));
        let labels: HashMap<u32, String> = program
            .labels()
            .map(|(name, address)| (address, name.to_owned()))
            .collect();
        let segments: Vec<Span> = program
            .segments()
            .iter()
            .map(|segment| Span {
                start: segment.address,
                size: segment.size,
            })
            .collect();
        let functions = program.functions().iter().map(|function| Span {
            start: function.address & !1,
            size: function.size,
        });
        let variables = program.variables().iter().map(|variable| Span {
            start: variable.address,
            size: variable.size,
        });
        let mut borders: Vec<u32> = functions
            .chain(variables)
            .chain(segments.iter().copied())
            .flat_map(|span| [span.start, span.start.wrapping_add(span.size)])
            .chain(labels.keys().copied())
            .collect();
        borders.sort_unstable();
        borders.dedup();
        Self {
            named,
            borders,
            labels,
            segments,
            stack,
            saved: Vec::new(),
            frames: Arc::clone(program.frames()),
            heap: Heap::of(program),
        }
    }

    /// What is known of the functions' frames, and the highest place of the stack that these bases
    /// name, if there is one of both.
    pub(super) fn frames_around(&self, bases: &[Base]) -> Option<(&Frames, u32)> {
        let named = bases
            .iter()
            .flat_map(|base| base.anchor.into_iter().chain([base.at]));
        let highest = named.filter(|address| self.is_local(*address)).max()?;
        (!self.frames.is_empty()).then_some((&*self.frames, highest))
    }

    fn is_local(&self, address: u32) -> bool {
        self.stack.has_pointer(address)
    }

    /// Whether a clear number is an address that a pointer may have.
    pub(crate) fn is_pointer(&self, number: u32) -> bool {
        let mut spans = self.segments.iter().chain([&self.stack]);
        spans.any(|span| span.has_pointer(number))
    }

    /// Notes a store into the stack below the stack pointer: a saved register.
    ///
    /// A store at or above it into such a word says that it was none: to save a register that needs
    /// no saving is a short way to make room for local variables.
    #[inline]
    pub(crate) fn stored(&mut self, address: u32, stack_pointer: Option<u32>) {
        if self.stack.contains(address)
            && let Some(sp) = stack_pointer
        {
            if address < sp {
                self.save(address);
            } else if let Ok(place) = self.saved.binary_search_by(|s| (address & !3).cmp(s)) {
                self.saved.remove(place);
            }
        }
    }

    /// Whether an access touches a register that is saved on the stack.
    pub(crate) fn is_saved(&self, address: u32, size: u32) -> bool {
        let overlaps = |saved: &u32| *saved < address.saturating_add(size) && address < saved + 4;
        self.saved.iter().any(overlaps)
    }

    #[cold]
    fn save(&mut self, address: u32) {
        if let Err(place) = self.saved.binary_search_by(|saved| address.cmp(saved)) {
            self.saved.insert(place, address);
        }
    }

    /// Notes that the stack pointer moved: what lies below it is gone.
    #[inline]
    pub(crate) fn stack_moved(&mut self, stack_pointer: Option<u32>) {
        if let Some(sp) = stack_pointer {
            while self.saved.last().is_some_and(|address| *address < sp) {
                self.saved.pop();
            }
        }
    }

    /// The saved words, for a checkpoint.
    pub(crate) fn saved(&self) -> &[u32] {
        &self.saved
    }

    /// Makes these the saved words, from the top down; what is not on the stack is left out.
    pub(crate) fn set_saved(&mut self, mut saved: Vec<u32>) {
        saved.retain(|address| self.stack.contains(*address));
        saved.sort_unstable_by(|a, b| b.cmp(a));
        self.saved = saved;
    }

    /// The object around an address.
    fn at(&self, address: u32, stack_pointer: u32) -> Option<Extent> {
        let around = || self.named.iter().filter(|extent| extent.contains(address));
        let explicit = around().filter(|extent| extent.explicit);
        let innermost = explicit
            .min_by_key(|extent| extent.size)
            .or_else(|| around().min_by_key(|extent| extent.size));
        if let Some(extent) = innermost {
            return Some(extent.clone());
        }
        if self.stack.contains(address) {
            return self.on_stack(address, stack_pointer);
        }
        if let Some(heap) = self.heap.as_ref().filter(|heap| heap.contains(address)) {
            return Some(heap.at(address));
        }
        self.segments.iter().find(|span| span.contains(address))?;
        let next = self.borders.partition_point(|border| *border <= address);
        let start = *self.borders.get(next.checked_sub(1)?)?;
        // A segment's end at 2^32 is the border 0.
        let end = self.borders.get(next).copied().unwrap_or(0);
        let name = match self.labels.get(&start) {
            Some(label) => label.clone(),
            None => format!("data at {start:#010x}"),
        };
        Some(Extent {
            start,
            size: end.wrapping_sub(start),
            name,
            explicit: false,
            scalar: false,
        })
    }

    /// The local variables around an address of the stack.
    fn on_stack(&self, address: u32, stack_pointer: u32) -> Option<Extent> {
        let top = self.stack.end();
        if !(stack_pointer..top).contains(&address) {
            return None;
        }
        let (mut start, mut end) = (stack_pointer, top);
        for &saved in &self.saved {
            if address.wrapping_sub(saved) < 4 {
                return None;
            }
            if saved > address {
                end = end.min(saved);
            } else {
                start = start.max(saved + 4);
            }
        }
        Some(Extent {
            start,
            size: end - start,
            name: format!("stack at {start:#010x}"),
            explicit: false,
            scalar: false,
        })
    }

    /// The local variables next to a place of the stack that holds none, on either side.
    fn neighbours(&self, address: u32, stack_pointer: u32) -> Vec<Extent> {
        let top = self.stack.end();
        let starts = [stack_pointer]
            .into_iter()
            .chain(self.saved.iter().rev().map(|saved| saved + 4))
            .filter(|start| *start < top);
        let regions: Vec<Extent> = starts
            .filter_map(|start| self.on_stack(start, stack_pointer))
            .collect();
        let above = regions.iter().find(|region| region.start > address);
        let below = regions.iter().rev().find(|region| region.start < address);
        above.into_iter().chain(below).cloned().collect()
    }

    /// The object with the lowest start above an address.
    fn above(&self, address: u32, stack_pointer: u32) -> Option<Extent> {
        let next = self.named.partition_point(|extent| extent.start <= address);
        let named = self.named.get(next).map(|extent| extent.start);
        let within = self.stack.contains(address);
        let saved = self.saved.iter().rev().map(|saved| saved + 4);
        let local = [stack_pointer]
            .into_iter()
            .chain(saved)
            .find(|start| within && *start > address);
        let start = named.into_iter().chain(local).min()?;
        self.at(start, stack_pointer)
    }

    /// A base that says the same with less: of pointers into one object the object's start, so that
    /// a pointer that walks over an array has one base.
    pub(super) fn simplified(&self, base: Base, stack: &Stack<'_>) -> Base {
        let home = base
            .anchor
            .and_then(|anchor| self.at(anchor, stack.pointer));
        match home.filter(|home| home.contains(base.at)) {
            // Where one variable of the stack alone is meant, it is that; else it is no longer
            // known which.
            Some(home) if self.is_local(home.start) && !stack.locals.is_empty() => {
                let array = only(&base, stack, &home);
                let start = array.as_ref().map_or(home.start, |array| array.start);
                Base {
                    anchor: Some(start),
                    at: start,
                    down: array.is_none(),
                }
            }
            Some(home) => Base {
                anchor: Some(home.start),
                at: home.start,
                down: false,
            },
            None => base,
        }
    }

    /// Whether an address lies in the heap.
    pub(super) fn is_in_heap(&self, address: u32) -> bool {
        self.heap
            .as_ref()
            .is_some_and(|heap| heap.contains(address))
    }

    /// Of a pointer into the heap, one that may lie in any block; any other as it is.
    pub(super) fn anywhere_in_heap(&self, base: Base) -> Base {
        match (&self.heap, base.anchor) {
            (Some(heap), Some(anchor)) if heap.contains(anchor) => Base {
                anchor: Some(heap.start()),
                at: heap.start(),
                down: false,
            },
            _ => base,
        }
    }

    /// The objects that these very addresses lie in, by address, each once.
    pub(super) fn around(&self, bases: &[Base], stack_pointer: u32) -> Vec<Extent> {
        let found = bases
            .iter()
            .filter_map(|base| self.at(base.at, stack_pointer));
        each_once(found.collect())
    }

    /// The objects that a pointer of these bases may lie in, by address, each once. `unit` is
    /// the distance between two elements, as far as the index shows it.
    pub(super) fn reached(&self, bases: &[Base], unit: u32, stack: &Stack<'_>) -> Vec<Extent> {
        let mut found = Vec::new();
        for base in bases {
            self.reach(base, unit, stack, &mut found);
        }
        each_once(found)
    }

    fn reach(&self, base: &Base, unit: u32, stack: &Stack<'_>, found: &mut Vec<Extent>) {
        let at = base.at;
        let stack_pointer = stack.pointer;
        let here = self.at(at, stack_pointer);
        let home = base
            .anchor
            .and_then(|anchor| self.at(anchor, stack_pointer));
        if let Some(here) = here.clone().filter(|here| here.explicit) {
            return found.push(here);
        }
        // The allocator's own arithmetic: an index into all of the heap.
        if let (Some(heap), Some(anchor)) = (&self.heap, base.anchor)
            && heap.contains(anchor)
            && !heap.has_block(anchor)
        {
            return found.extend(home);
        }
        if self.is_local(base.anchor.unwrap_or(at)) {
            let mut regions: Vec<Extent> = here.into_iter().chain(home).collect();
            if regions.is_empty() {
                regions = self.neighbours(at, stack_pointer);
            }
            return found.extend(narrowed(base, stack, regions));
        }
        // An object by its own address, and an offset to just below it.
        if let (Some(home), Some(anchor)) = (home.clone(), base.anchor)
            && (home.start == anchor || home.explicit)
            && at < home.start
            && home.start - at <= NEAR
        {
            return found.push(home);
        }
        if base.down {
            // From the end of an object downwards.
            let below = at.checked_sub(1).and_then(|at| self.at(at, stack_pointer));
            let is_start = here.as_ref().is_none_or(|here| here.start == at);
            found.extend(below.filter(|_| is_start));
            return found.extend(here);
        }
        // How far above an object's start an index may begin.
        let own = here
            .as_ref()
            .filter(|here| !here.scalar && here.size > unit)
            .map(|here| at - here.start);
        let above = self.above(at, stack_pointer);
        let near = above.filter(|above| {
            let distance = above.start - at;
            distance <= NEAR && own.is_none_or(|own| distance <= own)
        });
        match (here, near) {
            (None, None) => found.extend(home),
            (here, near) => found.extend(here.into_iter().chain(near)),
        }
    }
}

/// By address, without those within others.
fn each_once(mut found: Vec<Extent>) -> Vec<Extent> {
    found.sort_by_key(|extent| (extent.start, std::cmp::Reverse(extent.size)));
    found.dedup_by(|next, kept| next.end() <= kept.end());
    found
}
