//! How the functions of one cone are made.

use super::decomposition::{Decomposition, Table, decompose};
use crate::ir::Signal;
use crate::{Builder, Circuit, Wire, sim};

/// What a signal turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Function {
    Constant(bool),
    /// One of the bits, perhaps inverted.
    Bit(usize, bool),
    /// One of the plan's functions.
    Made(usize),
}

/// How functions are made.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    /// How many there are.
    made: usize,
    /// How they are decomposed, by their numbers: all at once, or each by itself.
    parts: Vec<(Vec<usize>, Decomposition)>,
    pub(super) lookups: usize,
}

/// What a cone's outputs are, and the distinct tables among them that are no bits; `None` if a promise
/// of its author does not hold for all assignments.
pub(super) fn functions(cone: &Circuit, bits: usize) -> Option<(Vec<Function>, Vec<Table>)> {
    let blocks = 1usize << bits.saturating_sub(6);
    let mut outputs: Vec<Table> = vec![vec![0; blocks]; cone.outputs().len()];
    let lane = |at: usize, block: usize| match at {
        0..6 => (0..64).fold(0u64, |all, lane| all | (lane >> at & 1) << lane),
        _ => 0u64.wrapping_sub((block >> (at - 6) & 1) as u64),
    };
    for block in 0..blocks {
        let inputs: Vec<u64> = (0..bits).map(|at| lane(at, block)).collect();
        let found = sim::evaluate(cone, &inputs).ok()?;
        for (table, values) in outputs.iter_mut().zip(found) {
            table[block] = values;
        }
    }
    let inverted = |table: &Table| -> Table { table.iter().map(|values| !values).collect() };
    let single = |at: usize| -> Table { (0..blocks).map(|block| lane(at, block)).collect() };
    let mut tables: Vec<Table> = Vec::new();
    let mut function = |table: &Table| {
        for (constant, value) in [(0, false), (u64::MAX, true)] {
            if table.iter().all(|&values| values == constant) {
                return Function::Constant(value);
            }
        }
        for at in 0..bits {
            let single = single(at);
            if *table == single || *table == inverted(&single) {
                return Function::Bit(at, *table != single);
            }
        }
        let known = tables.iter().position(|known| known == table);
        Function::Made(known.unwrap_or_else(|| {
            tables.push(table.clone());
            tables.len() - 1
        }))
    };
    let functions = outputs.iter().map(&mut function).collect();
    Some((functions, tables))
}

/// A plan of the fewest lookups that was found, `most` for all functions together, within `effort`:
/// half of it is for all of them at once. Also how much of the effort that took.
pub(super) fn divide(
    bits: usize,
    tables: &[Table],
    most: usize,
    effort: usize,
) -> (Option<Plan>, usize) {
    let mut left = effort;
    let plan = divide_within(bits, tables, most, &mut left);
    (plan, effort - left)
}

fn divide_within(bits: usize, tables: &[Table], most: usize, effort: &mut usize) -> Option<Plan> {
    let plan = |parts: Vec<(Vec<usize>, Decomposition)>| Plan {
        made: tables.len(),
        lookups: parts.iter().map(|(_, it)| it.lookups()).sum(),
        parts,
    };
    if tables.is_empty() {
        return Some(plan(Vec::new()));
    }
    let share = *effort / 2;
    *effort -= share;
    let all = (0..tables.len()).collect();
    let together = decompose(bits, tables, most, effort).map(|it| plan(vec![(all, it)]));
    *effort += share;
    // Each by itself takes one at least.
    let fewest = together.as_ref().map_or(most + 1, |plan| plan.lookups);
    let alone = match tables.len() {
        2.. if tables.len() < fewest => (0..tables.len())
            .map(|at| Some((vec![at], decompose(bits, &tables[at..=at], most, effort)?)))
            .collect::<Option<Vec<_>>>()
            .map(plan),
        _ => None,
    };
    [together, alone]
        .into_iter()
        .flatten()
        .min_by_key(|plan| plan.lookups)
}

impl Plan {
    /// Takes another plan's functions, too.
    pub(super) fn join(
        &mut self,
        functions: &mut Vec<(Signal, Function)>,
        other: Self,
        more: &[(Signal, Function)],
    ) {
        let before = self.made;
        self.made += other.made;
        self.lookups += other.lookups;
        self.parts
            .extend(other.parts.into_iter().map(|(numbers, part)| {
                let numbers = numbers.into_iter().map(|at| at + before).collect();
                (numbers, part)
            }));
        functions.extend(more.iter().map(|&(signal, function)| match function {
            Function::Made(at) => (signal, Function::Made(at + before)),
            other => (signal, other),
        }));
    }

    /// The wires of the functions; `None` where some sum would be too noisy.
    pub(super) fn record(
        &self,
        b: &mut Builder,
        bits: &[Wire],
        functions: &[(Signal, Function)],
    ) -> Option<Vec<Wire>> {
        let mut made = vec![Wire::FALSE; self.made];
        for (numbers, part) in &self.parts {
            for (&number, wire) in numbers.iter().zip(part.record(b, bits)?) {
                made[number] = wire;
            }
        }
        let wire = |function: &Function| match *function {
            Function::Constant(value) => Wire::constant(value),
            Function::Bit(at, inverted) => bits[at].invert_if(inverted),
            Function::Made(number) => made[number],
        };
        Some(
            functions
                .iter()
                .map(|(_, function)| wire(function))
                .collect(),
        )
    }
}
