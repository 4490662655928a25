//! Functions of few bits, whatever they were written as.
//!
//! A program asks whether a letter is small by a subtraction and a comparison, and makes it a capital by
//! another subtraction: twelve lookups for what are functions of eight bits. Here every signal that depends
//! on at most eight is looked at as its truth table. The bits are divided in two; of each part only matters
//! to which class it belongs, two values being of one class if the functions are the same for both whatever
//! the other part is. One lookup says the class of a part, and where both classes together take at most
//! sixteen values, one more says all functions: three lookups for letters. That is R. L. Ashenhurst's simple
//! disjoint decomposition (The decomposition of switching functions, 1957) on both sides, with several
//! functions at once; all divisions are tried, so that what is found depends on the functions alone.
//!
//! Exact: the tables are those of all 256 assignments. Time is bounded: cones that are looked at have at most
//! so many nodes together as the circuit has, and a number of different tables is divided.

mod cones;
mod division;
mod plan;

use std::collections::HashMap;

use super::map::map_to_lookups;
use super::rebuild::Rebuild;
use crate::ir::table::LARGEST;
use crate::ir::{Node, Op, Signal};
use crate::{Builder, Circuit, Profile, Wire};
use cones::{Cones, Support};
use division::Table;
use plan::{Function, Plan, divide, functions};

/// Lookups that a cone has at least, and that are saved at least: what is next to it may have been looked
/// up with parts of it.
const WORTHWHILE: usize = 5;
const GAIN: usize = 2;
/// Gates that make about one lookup.
const GATES: usize = 3;
/// Nodes of circuits that are looked at: more are arrays of megabytes, of which nothing is a function of
/// few bits.
const NODES: usize = 1 << 20;
/// Nodes of cones, beside twice those of the circuit.
const EFFORT: usize = 1 << 14;
/// Sets of tables that are divided, a few milliseconds each.
const DIVISIONS: usize = 256;

/// The circuit with such functions in as few lookups as were found; `None` where nothing gains.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    if profile.max_value() != Some(LARGEST) || circuit.len() > NODES {
        return None;
    }
    let cones = Cones::of(circuit);
    if cones.groups.is_empty() {
        return None;
    }
    let mut search = Search {
        circuit,
        profile,
        cones: &cones,
        scratch: Rebuild::new(circuit, profile),
        left: 2 * circuit.len() + EFFORT,
        costs: HashMap::new(),
        plans: HashMap::new(),
    };
    let mut found: Vec<(Node, &Support, Known, Plan)> = Vec::new();
    for (support, targets) in &cones.groups {
        let sources = targets.iter().filter_map(|&target| circuit.source(target));
        if let (Some(first), Some((known, plan))) = (sources.min(), search.plan(support, targets)) {
            found.push((first, support, known, plan));
        }
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|(first, ..)| *first);
    let mut found = found.into_iter().peekable();
    Rebuild::replacing(circuit, profile, |rebuild, node| {
        let mut instead = Vec::new();
        while let Some((_, support, known, plan)) = found.next_if(|(first, ..)| *first == node) {
            let bits = support.iter().map(|&bit| rebuild.wire(bit.into()));
            let bits: Vec<Wire> = bits.collect();
            let is_half = |&bit: &Wire| rebuild.build.is_half(bit);
            if !bits.iter().any(is_half)
                && let Some(made) = plan.record(&mut rebuild.build, &bits, &known)
            {
                instead.extend(known.iter().map(|(signal, _)| *signal).zip(made));
            }
        }
        instead
    })
    .map(Rebuild::finish)
}

/// Signals and what they turned out to be.
type Known = Vec<(Signal, Function)>;

struct Search<'a> {
    circuit: &'a Circuit,
    profile: &'a Profile,
    cones: &'a Cones<'a>,
    scratch: Rebuild<'a>,
    /// Nodes of cones that may yet be looked at.
    left: usize,
    /// Lookups of cones, by their fingerprints.
    costs: HashMap<[u8; 32], usize>,
    plans: HashMap<(usize, Vec<Table>), Option<Plan>>,
}

impl Search<'_> {
    /// What the targets are, and a plan that takes fewer lookups than are saved: of all of them, or of those
    /// that gain by themselves.
    fn plan(&mut self, support: &Support, targets: &[Signal]) -> Option<(Known, Plan)> {
        let nodes = self.cones.between(targets)?;
        let weight = |&node: &Node| match self.circuit.op(node) {
            Op::Lookup { .. } => GATES,
            _ => 1,
        };
        if nodes.iter().map(weight).sum::<usize>() < GATES * WORTHWHILE {
            return None;
        }
        self.left = self.left.checked_sub(nodes.len())?;
        let cone = self.extract(support, &nodes, targets);
        let (functions, tables) = functions(&cone, support.len())?;
        if let Some(plan) = self.divided(support.len(), tables)
            && plan.lookups + GAIN <= self.saved(support, &nodes, targets, &cone)
        {
            return Some((targets.iter().copied().zip(functions).collect(), plan));
        }
        let mut some: Option<(Known, Plan)> = None;
        for target in targets.iter().filter(|_| targets.len() > 1) {
            let Some((known, plan)) = self.plan(support, &[*target]) else {
                continue;
            };
            match &mut some {
                Some((all, whole)) => whole.join(all, plan, &known),
                None => some = Some((known, plan)),
            }
        }
        some
    }

    /// A plan for these tables, as long as few were asked for.
    fn divided(&mut self, bits: usize, tables: Vec<Table>) -> Option<Plan> {
        let is_full = self.plans.len() >= DIVISIONS;
        let key = (bits, tables);
        if let Some(known) = self.plans.get(&key) {
            return known.clone();
        }
        if is_full {
            return None;
        }
        let plan = divide(bits, &key.1);
        self.plans.insert(key, plan.clone());
        plan
    }

    /// Lookups that nobody needs any more once the targets are made otherwise.
    fn saved(
        &mut self,
        support: &Support,
        nodes: &[Node],
        targets: &[Signal],
        cone: &Circuit,
    ) -> usize {
        let before = self.cost(cone);
        if before < WORTHWHILE {
            return 0;
        }
        let mut stays = self.cones.read_beside(nodes);
        stays.retain(|signal| !targets.contains(signal));
        let after = match stays.is_empty() {
            true => 0,
            false => {
                let rest = self.extract(support, nodes, &stays);
                self.cost(&rest)
            }
        };
        before.saturating_sub(after)
    }

    /// A circuit of these nodes alone.
    fn extract(&mut self, support: &Support, nodes: &[Node], outputs: &[Signal]) -> Circuit {
        self.scratch.build = Builder::new(self.profile);
        for &bit in support {
            let input = self.scratch.build.input();
            self.scratch.set(bit, input);
        }
        for &node in nodes {
            self.scratch.copy(node);
        }
        for &signal in outputs {
            let wire = self.scratch.wire(signal.into());
            self.scratch.build.output(wire);
        }
        std::mem::replace(&mut self.scratch.build, Builder::new(self.profile)).finish()
    }

    fn cost(&mut self, cone: &Circuit) -> usize {
        let known = self.costs.entry(cone.fingerprint());
        *known.or_insert_with(|| {
            super::work(&map_to_lookups(cone, self.profile), self.profile).bootstraps
        })
    }
}
