//! Variables that the program reads as if somebody had given them values, and nobody did.
//!
//! C makes every variable without an initial value 0, and programs rely on it: counters, flags,
//! results that are added up. What sets an input apart is that the program reads it and never
//! writes it: a variable that only ever is 0 would not have been worth a name. So these are
//!
//! - visible to the linker, as inputs are (`static` ones have their values from the program),
//! - writable, and 0 as the program brings them,
//! - loaded before the program stored to them, and never stored to,
//! - not reserved for the implementation of C (`__errno`, `_Exit_handlers`).
//!
//! Structures count by their fields. Where a plan ends at a question, only what comes before it is
//! known.

use super::Execution;
use crate::plan::Unset;
use crate::program::Variable;
use crate::task::Input;

impl Execution<'_> {
    /// What was read as 0 so far, in address order.
    pub(crate) fn unset(&self, given: &[Input]) -> Vec<Unset> {
        let mut unset: Vec<Unset> = Vec::new();
        let variables = self.program.variables().iter();
        let candidates = variables.filter(|variable| {
            variable.global && !is_reserved(&variable.name) && !self.program.is_register(variable)
        });
        for leaf in candidates.flat_map(Variable::leaves) {
            let memory = &self.machine.memory;
            let Variable {
                name,
                address,
                size,
                ..
            } = leaf;
            let is_input = memory.was_read_first(*address, *size)
                && !memory.was_written(*address, *size)
                && self.is_zero_at_first(*address, *size);
            // An alias is the same bytes again.
            let known = unset.last().is_some_and(|last| last.address == *address);
            if is_input && !known && !given.iter().any(|input| overlap(&input.variable, leaf)) {
                unset.push(Unset {
                    name: name.clone(),
                    address: *address,
                    size: *size,
                });
            }
        }
        unset
    }

    /// Whether the program brings these bytes as writable zeros.
    fn is_zero_at_first(&self, address: u32, size: u32) -> bool {
        let (from, to) = (u64::from(address), u64::from(address) + u64::from(size));
        let segment = self.program.segments().iter().find(|segment| {
            let start = u64::from(segment.address);
            start <= from && to <= start + u64::from(segment.size)
        });
        segment.is_some_and(|segment| {
            let offset = address.wrapping_sub(segment.address) as usize;
            let bytes = segment.bytes.iter().skip(offset).take(size as usize);
            segment.writable && bytes.copied().all(|byte| byte == 0)
        })
    }
}

fn overlap(a: &Variable, b: &Variable) -> bool {
    let end = |variable: &Variable| u64::from(variable.address) + u64::from(variable.size);
    u64::from(a.address) < end(b) && u64::from(b.address) < end(a)
}

/// Whether C reserves the name for its implementation.
fn is_reserved(name: &str) -> bool {
    let rest = name.strip_prefix('_');
    rest.is_some_and(|rest| rest.starts_with(|c: char| c == '_' || c.is_ascii_uppercase()))
}
