//! How the functions of one cone are made.

use super::division::{Division, Table, best};
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
    tables: Vec<Table>,
    bits: usize,
    /// How the tables are divided: all at once, or each by itself.
    divisions: Vec<(Vec<usize>, Division)>,
    pub(super) lookups: usize,
}

/// What a cone's outputs are, and the distinct tables among them that are no bits; `None` if a promise
/// of its author does not hold for all assignments.
pub(super) fn functions(cone: &Circuit, bits: usize) -> Option<(Vec<Function>, Vec<Table>)> {
    let mut outputs: Vec<Table> = vec![[0; 4]; cone.outputs().len()];
    let lane = |at: usize, block: usize| match at {
        0..6 => (0..64).fold(0u64, |all, lane| all | (lane >> at & 1) << lane),
        _ => 0u64.wrapping_sub((block >> (at - 6) & 1) as u64),
    };
    for block in 0..4 {
        let inputs: Vec<u64> = (0..bits).map(|at| lane(at, block)).collect();
        let found = sim::evaluate(cone, &inputs).ok()?;
        for (table, values) in outputs.iter_mut().zip(found) {
            table[block] = values;
        }
    }
    let inverted = |table: Table| table.map(|values| !values);
    let single = |at: usize| -> Table { std::array::from_fn(|block| lane(at, block)) };
    let mut tables: Vec<Table> = Vec::new();
    let mut function = |table: Table| {
        for (constant, value) in [([0; 4], false), ([u64::MAX; 4], true)] {
            if table == constant {
                return Function::Constant(value);
            }
        }
        for at in 0..bits {
            if table == single(at) || table == inverted(single(at)) {
                return Function::Bit(at, table != single(at));
            }
        }
        let known = tables.iter().position(|&known| known == table);
        Function::Made(known.unwrap_or_else(|| {
            tables.push(table);
            tables.len() - 1
        }))
    };
    let functions = outputs.iter().map(|&table| function(table)).collect();
    Some((functions, tables))
}

/// A plan of the fewest lookups that was found.
pub(super) fn divide(bits: usize, tables: &[Table]) -> Option<Plan> {
    let plan = |divisions: Vec<(Vec<usize>, Division)>| Plan {
        lookups: divisions.iter().map(|(_, it)| it.lookups()).sum(),
        tables: tables.to_vec(),
        bits,
        divisions,
    };
    let all: Vec<usize> = (0..tables.len()).collect();
    if tables.is_empty() {
        return Some(plan(Vec::new()));
    }
    let together = best(bits, tables).map(|division| plan(vec![(all.clone(), division)]));
    let alone = all
        .iter()
        .map(|&at| Some((vec![at], best(bits, &tables[at..=at])?)));
    let alone = alone.collect::<Option<Vec<_>>>().map(plan);
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
        let before = self.tables.len();
        self.lookups += other.lookups;
        self.tables.extend(other.tables);
        self.divisions
            .extend(other.divisions.into_iter().map(|(numbers, division)| {
                let numbers = numbers.into_iter().map(|at| at + before).collect();
                (numbers, division)
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
        debug_assert_eq!(bits.len(), self.bits);
        let mut made = vec![Wire::FALSE; self.tables.len()];
        for (numbers, division) in &self.divisions {
            let tables: Vec<Table> = numbers.iter().map(|&at| self.tables[at]).collect();
            let wires = division.record(b, bits, &tables)?;
            for (&number, wire) in numbers.iter().zip(wires) {
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
