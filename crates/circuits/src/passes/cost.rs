//! What a circuit costs on a target: operations by kind, depth, time on one thread and on
//! unlimited ones, memory. A static count, exact but for the times, which are as good as the
//! profile's.

use std::fmt;

use super::memory::{peak_bits, peak_bytes};
use crate::ir::Op;
use crate::{Circuit, Profile};

/// The cost of a circuit. Its `Display` form is made for snapshots: one line of counts, no times.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Cost {
    /// Inputs.
    pub inputs: usize,
    /// Outputs.
    pub outputs: usize,
    /// AND gates.
    pub and: usize,
    /// XOR gates.
    pub xor: usize,
    /// Selections.
    pub mux: usize,
    /// Lookups.
    pub lookup: usize,
    /// Outputs of lookups.
    pub lookup_outputs: usize,
    /// Parities of more than two bits.
    pub parity: usize,
    /// Sums of disjoint bits, which cost nothing where ciphertexts can be added.
    pub disjoint: usize,
    /// Refreshes.
    pub refresh: usize,
    /// Rotations that make selectors.
    pub selector: usize,
    /// Choices by them.
    pub choice: usize,
    /// Loads from arrays by them.
    pub load: usize,
    /// Stores to arrays by them.
    pub store: usize,
    /// Choices between rows that loads and stores make.
    pub row_choice: usize,
    /// XORs as sums at scale 1/2, which cost nothing.
    pub linear: usize,
    /// Bootstraps: every operation but sums, choices and loads where lookups are native, elsewhere
    /// the refreshes.
    pub bootstraps: usize,
    /// The longest path, in bootstraps where lookups are native, elsewhere in ANDs and selections.
    pub depth: usize,
    /// Estimated time on one thread, in nanoseconds.
    pub serial_ns: f64,
    /// Estimated time of the longest path, in nanoseconds: no number of threads is faster.
    pub critical_ns: f64,
    /// The most bits that live at once when nodes are evaluated in order.
    pub peak_bits: usize,
    /// Their memory, in bytes.
    pub peak_bytes: u64,
}

/// Counts what a circuit costs on a target. Linear but for the memory, which is that of
/// [`peak_bytes`].
#[must_use]
pub fn cost(circuit: &Circuit, profile: &Profile) -> Cost {
    Cost {
        peak_bits: peak_bits(circuit),
        peak_bytes: peak_bytes(circuit, profile),
        ..work(circuit, profile)
    }
}

/// All of it but memory, which is 0. Linear.
pub(crate) fn work(circuit: &Circuit, profile: &Profile) -> Cost {
    let mut cost = Cost {
        inputs: circuit.inputs(),
        outputs: circuit.outputs().len(),
        ..Cost::default()
    };
    let native = profile.lookup.is_some();
    // By node: depth, and time until it is evaluated.
    let mut reached: Vec<(u32, f64)> = Vec::with_capacity(circuit.len());
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let levels = match op {
            Op::Input(_) => 0,
            Op::And(..) => {
                cost.and += 1;
                1
            }
            Op::Xor(..) => {
                cost.xor += 1;
                u32::from(native)
            }
            Op::Mux { .. } => {
                cost.mux += 1;
                1
            }
            Op::Lookup { tables, .. } => {
                cost.lookup += 1;
                cost.lookup_outputs += tables.len();
                1
            }
            Op::Parity { .. } => {
                cost.parity += 1;
                u32::from(native)
            }
            Op::Disjoint { .. } => {
                cost.disjoint += 1;
                0
            }
            // It is counted as what it is part of.
            Op::Subtotal { .. } => 0,
            Op::Refresh(_) => {
                cost.refresh += 1;
                u32::from(native)
            }
            Op::Selector { .. } => {
                cost.selector += 1;
                1
            }
            Op::Choose { .. } => {
                cost.choice += 1;
                0
            }
            Op::Load(load) => {
                cost.load += 1;
                let row = profile.selectors.map(|selectors| selectors.row);
                let choices = row.map_or(0, |row| row.choices(load.index().len(), load.width()));
                cost.row_choice += choices;
                u32::from(!native) * load.index().len() as u32
            }
            Op::Store(store) => {
                cost.store += 1;
                let row = profile.selectors.map(|selectors| selectors.row);
                cost.row_choice += row.map_or(0, |row| row.store_choices(&store));
                u32::from(!native) * store.conditions().len() as u32
            }
            Op::Linear { .. } => {
                cost.linear += 1;
                0
            }
        };
        cost.bootstraps += usize::from(op.is_bootstrap(profile));
        let time = profile.time(&op);
        let operands = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let (depth, before) = operands.map(|source| reached[source.index()]).fold(
            (0, 0.0_f64),
            |(depth, time), (other_depth, other_time)| {
                (depth.max(other_depth), time.max(other_time))
            },
        );
        cost.serial_ns += time;
        reached.push((depth + levels, before + time));
        cost.depth = cost.depth.max((depth + levels) as usize);
        cost.critical_ns = cost.critical_ns.max(before + time);
    }
    cost
}

impl Cost {
    /// What selectors and choices take beside the bootstraps that are counted, in lookups of a
    /// target.
    #[must_use]
    pub fn beside_lookups(&self, profile: &Profile) -> f64 {
        let Some(selectors) = profile.selectors else {
            return 0.0;
        };
        let made = self.selector as f64 * (selectors.rotation / profile.cost.lookup - 1.0);
        let choices = self.choice as f64 * selectors.choice;
        let rows = self.row_choice as f64 * selectors.row.choice;
        made + (choices + rows) / profile.cost.lookup
    }
}

impl fmt::Display for Cost {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            inputs,
            outputs,
            depth,
            bootstraps,
            peak_bits,
            ..
        } = self;
        write!(f, "{inputs} in, {outputs} out")?;
        let kinds = [
            ("and", self.and),
            ("xor", self.xor),
            ("mux", self.mux),
            ("lookup", self.lookup),
            ("parity", self.parity),
            ("disjoint", self.disjoint),
            ("refresh", self.refresh),
            ("selector", self.selector),
            ("choice", self.choice),
            ("load", self.load),
            ("store", self.store),
            ("linear", self.linear),
        ];
        for (kind, count) in kinds {
            if count > 0 {
                write!(f, ", {count} {kind}")?;
            }
        }
        if self.lookup > 0 {
            write!(f, " ({} tables)", self.lookup_outputs)?;
        }
        write!(
            f,
            "; {bootstraps} bootstraps, depth {depth}, {peak_bits} bits live"
        )
    }
}
