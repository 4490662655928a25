//! What a program's author has marked in the source: which variables are secret, which are wanted,
//! and how often loops go round.
//!
//! Marks are sections, which every compiler and linker passes on. Variables stand in
//! `.blindcore.secret` and `.blindcore.output`. The section `.blindcore.bounds` is not loaded: it
//! holds pairs of words, the address of an instruction in a loop and the loop's bound. Linkers leave
//! the pair of a function that they drop, with an address where no code is; it bounds nothing.

use std::ops::Range;

use object::LittleEndian;
use object::read::elf::SectionHeader;

use super::elf::{plain, sections};
use super::{Segment, Variable};

/// Most marked ranges of a kind: each variable is looked for in all.
const RANGE_LIMIT: usize = 1_024;
/// Most bounds: several sections may be the same bytes of the file.
const BOUND_LIMIT: usize = 65_536;

/// Places in a program that its source marks.
#[derive(Clone, Debug, Default)]
pub(super) struct Marks {
    secret: Vec<Range<u64>>,
    output: Vec<Range<u64>>,
    bounds: Vec<Mark>,
}

/// A bound that stands in the source.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Mark {
    /// An instruction of the loop, or of the function that calls itself.
    pub(crate) address: u32,
    /// How often it goes round at most, or how deep it calls itself.
    pub(crate) rounds: u64,
}

impl Marks {
    /// Those of an ELF file with these segments; a file whose sections cannot be read has none.
    pub(super) fn read(data: &[u8], segments: &[Segment]) -> Self {
        let mut marks = Self::default();
        for (name, section) in sections(data) {
            let address = u64::from(section.sh_addr(LittleEndian));
            let range = address..address + u64::from(section.sh_size(LittleEndian));
            match name {
                ".blindcore.secret" if marks.secret.len() < RANGE_LIMIT => marks.secret.push(range),
                ".blindcore.output" if marks.output.len() < RANGE_LIMIT => marks.output.push(range),
                ".blindcore.bounds" => {
                    let room = BOUND_LIMIT - marks.bounds.len();
                    let data = plain(section, data).unwrap_or_default();
                    marks.bounds.extend(bounds(data).take(room));
                }
                _ => {}
            }
        }
        marks.bounds.retain(|mark| is_code(segments, mark.address));
        marks
    }

    pub(super) fn is_secret(&self, variable: &Variable) -> bool {
        holds(&self.secret, variable)
    }

    pub(super) fn is_output(&self, variable: &Variable) -> bool {
        holds(&self.output, variable)
    }

    pub(super) fn bounds(&self) -> &[Mark] {
        &self.bounds
    }
}

/// Whether an instruction can be there. A dropped function's address is 0, or small: where it was
/// in the function, as lld writes it.
fn is_code(segments: &[Segment], address: u32) -> bool {
    let mut code = segments.iter().filter(|segment| segment.executable);
    let within = |segment: &Segment| {
        let place = address.checked_sub(segment.address);
        place.is_some_and(|place| place < segment.size)
    };
    address != 0 && address.is_multiple_of(4) && code.any(within)
}

fn holds(ranges: &[Range<u64>], variable: &Variable) -> bool {
    let address = u64::from(variable.address);
    ranges.iter().any(|range| range.contains(&address))
}

/// Pairs of words; a bound of no rounds is none.
fn bounds(data: &[u8]) -> impl Iterator<Item = Mark> + '_ {
    let pairs = data.chunks_exact(8).map(|pair| {
        let word =
            |at: usize| u32::from_le_bytes([pair[at], pair[at + 1], pair[at + 2], pair[at + 3]]);
        Mark {
            address: word(0),
            rounds: word(4).into(),
        }
    });
    pairs.filter(|mark| mark.rounds > 0)
}

impl super::Program {
    /// The variables that the source marks as secret (`SECRET` of `blindcore.h`), as they stand in
    /// memory.
    pub fn secret_variables(&self) -> impl Iterator<Item = &Variable> {
        self.variables
            .iter()
            .filter(|variable| self.marks.is_secret(variable))
    }

    /// The variables that the source marks as wanted (`OUTPUT` of `blindcore.h`).
    pub fn output_variables(&self) -> impl Iterator<Item = &Variable> {
        self.variables
            .iter()
            .filter(|variable| self.marks.is_output(variable))
    }

    /// Whether the source bounds loops or recursion (`BLINDCORE_BOUND` of `blindcore.h`).
    #[must_use]
    pub fn has_bounds(&self) -> bool {
        !self.marks.bounds().is_empty()
    }

    /// The bounds that stand in the source, by the address of an instruction.
    pub(crate) fn bounds(&self) -> &[Mark] {
        self.marks.bounds()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What the section holds of a linked program, its dropped functions included, as both linkers
    /// write them.
    #[test]
    fn a_dropped_function_bounds_nothing() {
        let segment = |address, size, executable| Segment {
            address,
            size,
            executable,
            writable: false,
            bytes: Vec::new(),
        };
        let segments = [segment(0x8000, 0x100, true), segment(0x9000, 0x100, false)];
        for address in [0x8000, 0x80fc] {
            assert!(is_code(&segments, address), "{address:#x}");
        }
        for address in [0, 0x1c, 0x7ffc, 0x8002, 0x8100, 0x9000, !3] {
            assert!(!is_code(&segments, address), "{address:#x}");
        }
        assert!(!is_code(&[segment(0, 0x100, true)], 0));
    }
}
