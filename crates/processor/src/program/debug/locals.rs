//! Where local variables lie in the frames of their functions.
//!
//! Taken are variables and parameters that lie in memory as a whole, at a constant offset from the
//! frame's base or from a register, each for the instructions of its scope, or of the part of a
//! location list that says so. A file may name one list of ranges for every variable, so what is
//! read of such lists is counted.

use std::ops::Range;
use std::rc::Rc;
use std::sync::Arc;

use gimli::Operation;

use super::{Entry, Reader, Shape, UnitReader};
use crate::program::frames::{Described, Elements, FrameBase, Scope};

/// The most variables of one function.
const VARIABLE_LIMIT: usize = 1024;
/// The most entries of lists that are read for all variables.
const VISIT_LIMIT: usize = 1 << 18;

/// A function, or a block in one, that is being read.
struct Block {
    depth: isize,
    ranges: Rc<[Range<u32>]>,
    frame_base: Option<FrameBase>,
    /// For a function: where its variables begin.
    function: Option<usize>,
}

/// The variables found so far.
#[derive(Default)]
pub(in crate::program) struct Locals {
    pub(in crate::program) functions: Vec<Scope>,
    pub(in crate::program) variables: Vec<Described>,
    blocks: Vec<Block>,
    visits: usize,
}

impl Locals {
    /// Takes what an entry says; entries come in the order of the tree.
    pub(super) fn visit<'data>(
        &mut self,
        reader: &mut UnitReader<'_, 'data>,
        entry: &Entry<'data>,
    ) {
        self.leave(entry.depth());
        match entry.tag() {
            gimli::DW_TAG_subprogram => {
                let base = entry.attr_value(gimli::DW_AT_frame_base);
                let base = base.and_then(|base| base.exprloc_value());
                let frame_base = base.and_then(|base| frame_base(reader, base));
                self.open(reader, entry, frame_base, true);
            }
            gimli::DW_TAG_lexical_block | gimli::DW_TAG_inlined_subroutine => {
                let frame_base = self.blocks.last().and_then(|block| block.frame_base);
                self.open(reader, entry, frame_base, false);
            }
            // Without code there is nothing to know.
            gimli::DW_TAG_variable | gimli::DW_TAG_formal_parameter
                if self.blocks.last().is_some_and(|b| !b.ranges.is_empty()) =>
            {
                let _ = self.variable(reader, entry);
            }
            _ => {}
        }
    }

    /// Ends the functions and blocks that an entry of this depth is not in.
    pub(super) fn leave(&mut self, depth: isize) {
        while let Some(block) = self.blocks.pop_if(|block| block.depth >= depth) {
            let Some(first) = block.function.filter(|at| *at < self.variables.len()) else {
                continue;
            };
            let last = self.variables.len().min(first + VARIABLE_LIMIT);
            self.functions
                .extend(block.ranges.iter().map(|range| Scope {
                    start: range.start,
                    end: range.end,
                    variables: first..last,
                }));
        }
    }

    fn open<'data>(
        &mut self,
        reader: &UnitReader<'_, 'data>,
        entry: &Entry<'data>,
        frame_base: Option<FrameBase>,
        is_function: bool,
    ) {
        let mut ranges = Vec::new();
        if let Ok(mut found) = reader.dwarf.die_ranges(reader.unit, entry) {
            while self.visits < VISIT_LIMIT
                && let Ok(Some(range)) = found.next()
            {
                self.visits += 1;
                ranges.extend(range_of(range));
            }
        }
        self.blocks.push(Block {
            depth: entry.depth(),
            ranges: ranges.into(),
            frame_base,
            function: is_function.then_some(self.variables.len()),
        });
    }

    fn variable<'data>(
        &mut self,
        reader: &mut UnitReader<'_, 'data>,
        entry: &Entry<'data>,
    ) -> Option<()> {
        let block = self.blocks.last()?;
        let base = block.frame_base;
        let location = entry.attr_value(gimli::DW_AT_location)?;
        let mut places: Vec<(Range<u32>, FrameBase, i32)> = Vec::new();
        if let Some(expression) = location.exprloc_value() {
            let (base, offset) = place(reader, expression, base)?;
            self.visits += block.ranges.len();
            places.extend(
                block
                    .ranges
                    .iter()
                    .map(|range| (range.clone(), base, offset)),
            );
        } else {
            let list = reader.dwarf.attr_locations(reader.unit, location);
            let mut list = list.ok().flatten()?;
            while self.visits < VISIT_LIMIT
                && let Ok(Some(part)) = list.next()
            {
                self.visits += 1;
                if let Some(range) = range_of(part.range)
                    && let Some((base, offset)) = place(reader, part.data, base)
                {
                    places.push((range, base, offset));
                }
            }
        }
        if places.is_empty() || self.visits >= VISIT_LIMIT {
            return None;
        }
        let ty = reader.through_origin(entry, gimli::DW_AT_type)?;
        let shape = reader.shape_of(&ty, 0)?;
        let size = shape.size().filter(|size| *size > 0)?;
        let elements = elements(&shape);
        let name = reader
            .through_origin(entry, gimli::DW_AT_name)
            .and_then(|name| reader.string(name));
        let name: Arc<str> = name.unwrap_or_else(|| "?".to_owned()).into();
        self.variables
            .extend(places.into_iter().map(|(range, base, offset)| Described {
                start: range.start,
                end: range.end,
                base,
                offset,
                name: Arc::clone(&name),
                size,
                elements,
            }));
        Some(())
    }
}

fn elements(shape: &Shape) -> Option<Elements> {
    let outer = match shape {
        Shape::Array { of, .. } => of.size()?,
        Shape::Structure { size, .. } | Shape::Opaque { size, .. } => *size,
        Shape::Element(_)
        | Shape::Character { .. }
        | Shape::Named { .. }
        | Shape::BitField { .. } => return None,
    };
    let mut shape = shape;
    while let Shape::Array { of, .. } = shape {
        shape = of;
    }
    let inner = shape.size()?;
    Some(Elements { outer, inner })
}

fn range_of(range: gimli::Range) -> Option<Range<u32>> {
    let (start, end) = (
        u32::try_from(range.begin).ok()?,
        u32::try_from(range.end).ok()?,
    );
    (start < end).then_some(start..end)
}

/// The only operation of an expression.
fn only<'data>(
    reader: &UnitReader<'_, 'data>,
    expression: gimli::Expression<Reader<'data>>,
) -> Option<Operation<Reader<'data>>> {
    let mut operations = expression.operations(reader.unit.encoding());
    let operation = operations.next().ok()??;
    operations.next().ok()?.is_none().then_some(operation)
}

fn frame_base<'data>(
    reader: &UnitReader<'_, 'data>,
    expression: gimli::Expression<Reader<'data>>,
) -> Option<FrameBase> {
    match only(reader, expression)? {
        Operation::CallFrameCFA => Some(FrameBase::FrameAddress),
        Operation::Register { register } => {
            Some(FrameBase::Register(u8::try_from(register.0).ok()?, 0))
        }
        Operation::RegisterOffset {
            register, offset, ..
        } => Some(FrameBase::Register(
            u8::try_from(register.0).ok()?,
            i32::try_from(offset).ok()?,
        )),
        _ => None,
    }
}

fn place<'data>(
    reader: &UnitReader<'_, 'data>,
    expression: gimli::Expression<Reader<'data>>,
    frame_base: Option<FrameBase>,
) -> Option<(FrameBase, i32)> {
    match only(reader, expression)? {
        Operation::FrameOffset { offset } => Some((frame_base?, i32::try_from(offset).ok()?)),
        Operation::RegisterOffset {
            register, offset, ..
        } => {
            let base = FrameBase::Register(u8::try_from(register.0).ok()?, 0);
            Some((base, i32::try_from(offset).ok()?))
        }
        _ => None,
    }
}
