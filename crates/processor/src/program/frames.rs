//! The local variables of functions on the stack, as DWARF describes them.
//!
//! A compiler that writes debugging information says where each variable of a call lies: some
//! bytes from the frame's base (`DW_OP_fbreg`) or from a register (`DW_OP_breg13`), in some part of
//! the function's code. Where the frame's base is the canonical frame address, `.debug_frame` gives
//! it, and the same table leads to the frames of the callers, whose arrays a function may be given.
//!
//! What has no name in the source (compound literals, registers that are spilled, arguments of
//! calls) is not described. Variables that a compiler split up, or whose size the program computes,
//! are left out.

use std::sync::Arc;

use super::elf::Sections;
use super::unwind::{Registers, UnwindTable};

/// The most frames that are looked through.
const DEPTH_LIMIT: usize = 64;

/// What a variable's place is counted from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FrameBase {
    /// The canonical frame address.
    FrameAddress,
    /// A register's value and this number.
    Register(u8, i32),
}

/// A local variable as long as one part of the code is executed.
#[derive(Clone, Debug)]
pub(super) struct Described {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) base: FrameBase,
    pub(super) offset: i32,
    pub(super) name: Arc<str>,
    pub(super) size: u32,
    pub(super) elements: Option<Elements>,
}

/// The code of a function, and where its variables are among all.
#[derive(Clone, Debug)]
pub(super) struct Scope {
    pub(super) start: u32,
    pub(super) end: u32,
    pub(super) variables: std::ops::Range<usize>,
}

/// What a program's debugging information says about its functions' frames.
#[derive(Clone, Debug, Default)]
pub(crate) struct Frames {
    /// By start.
    functions: Vec<Scope>,
    variables: Vec<Described>,
    unwinding: UnwindTable,
}

/// A local variable in memory.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Local {
    pub(crate) name: Arc<str>,
    pub(crate) start: u32,
    pub(crate) size: u32,
    /// `None` for a number, which nobody indexes.
    pub(crate) elements: Option<Elements>,
}

/// What an array consists of; a structure is one element.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Elements {
    /// The size of what the first index counts: of several dimensions, a row.
    pub(crate) outer: u32,
    /// The size of what the last index counts.
    pub(crate) inner: u32,
}

impl Frames {
    pub(super) fn new(
        mut functions: Vec<Scope>,
        variables: Vec<Described>,
        sections: &Sections<'_>,
    ) -> Self {
        if variables.is_empty() {
            return Self::default();
        }
        functions.sort_by_key(|function| function.start);
        Self {
            functions,
            variables,
            unwinding: UnwindTable::read(sections),
        }
    }

    /// Whether nothing is told.
    pub(crate) fn is_empty(&self) -> bool {
        self.variables.is_empty()
    }

    /// The local variables of the frame that executes the instruction at `pc`, of its caller, and
    /// so on up to the frame that `address` lies in, as far as that can be told.
    pub(crate) fn locals(
        &self,
        mut pc: u32,
        mut registers: Registers,
        address: u32,
        load: impl Fn(u32) -> Option<u32>,
    ) -> Vec<Local> {
        let mut found = Vec::new();
        for _ in 0..DEPTH_LIMIT {
            let top = self.unwinding.frame_address(pc, &registers);
            self.add(pc, top, &registers, &mut found);
            if top.is_none_or(|top| address < top) {
                break;
            }
            match self.unwinding.caller(pc, &registers, &load) {
                Some(caller) => (pc, registers) = caller,
                None => break,
            }
        }
        found
    }

    /// Adds the variables of one frame.
    fn add(&self, pc: u32, top: Option<u32>, registers: &Registers, found: &mut Vec<Local>) {
        let next = self.functions.partition_point(|scope| scope.start <= pc);
        let function = next.checked_sub(1).and_then(|at| self.functions.get(at));
        let Some(function) = function.filter(|function| pc < function.end) else {
            return;
        };
        let variables = self.variables.get(function.variables.clone());
        for variable in variables.unwrap_or_default() {
            if !(variable.start..variable.end).contains(&pc) {
                continue;
            }
            let base = match variable.base {
                FrameBase::FrameAddress => top,
                FrameBase::Register(number, offset) => {
                    let value = registers.get(usize::from(number)).copied().flatten();
                    value.map(|value| value.wrapping_add_signed(offset))
                }
            };
            found.extend(base.map(|base| Local {
                name: Arc::clone(&variable.name),
                start: base.wrapping_add_signed(variable.offset),
                size: variable.size,
                elements: variable.elements,
            }));
        }
    }
}
