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
//! Exact: the tables are those of all 256 assignments. Time is linear in the circuit, but for cones that
//! were not met before.

mod cones;
mod division;
mod plan;

use std::collections::HashMap;

use super::map::map_to_lookups;
use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::{Builder, Circuit, Profile, Wire};
use cones::{Cones, Support};
use division::Table;
use plan::{Function, Plan, divide, functions};

/// Lookups below which nobody searches, gates that about make one, and how many must be saved: what is
/// next to a cone may have been looked up with it.
const WORTHWHILE: usize = 5;
const GATES: usize = 3;
const GAIN: usize = 2;
/// Nodes of circuits that are looked at: more are arrays of megabytes, of which nothing is a function of
/// few bits.
const NODES: usize = 1 << 20;

/// The circuit with such functions in as few lookups as were found; `None` where nothing gains.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    if profile.max_value() != Some(crate::ir::table::LARGEST) || circuit.len() > NODES {
        return None;
    }
    let cones = Cones::of(circuit);
    if cones.groups.is_empty() {
        return None;
    }
    let mut search = Search {
        circuit,
        cones: &cones,
        scratch: Rebuild::new(circuit, profile),
        costs: HashMap::new(),
        plans: HashMap::new(),
    };
    let mut found: Vec<(Node, &Support, Known, Plan)> = Vec::new();
    for (support, targets) in &cones.groups {
        let first = targets.iter().filter_map(|&target| circuit.source(target));
        if let (Some(first), Some((functions, plan))) =
            (first.min(), search.plan(support, targets, profile))
        {
            found.push((first, support, functions, plan));
        }
    }
    if found.is_empty() {
        return None;
    }
    found.sort_by_key(|(first, ..)| *first);
    let mut found = found.into_iter().peekable();
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut instead: HashMap<Signal, Wire> = HashMap::new();
    for node in circuit.nodes() {
        while let Some((_, support, functions, plan)) = found.next_if(|(first, ..)| *first == node)
        {
            rebuild.stand_for(node);
            let bits: Vec<Wire> = support
                .iter()
                .map(|&bit| rebuild.wire(bit.into()))
                .collect();
            let is_half = |&bit: &Wire| rebuild.build.is_half(bit);
            if bits.iter().any(is_half) {
                continue;
            }
            if let Some(made) = plan.record(&mut rebuild.build, &bits, &functions) {
                instead.extend(functions.iter().map(|(signal, _)| *signal).zip(made));
            }
        }
        rebuild.copy(node);
        for signal in circuit.signals_of(node) {
            if let Some(&wire) = instead.get(&signal) {
                rebuild.set(signal, wire);
            }
        }
    }
    (!instead.is_empty()).then(|| rebuild.finish())
}

/// Signals and what they turned out to be.
type Known = Vec<(Signal, Function)>;

struct Search<'a> {
    circuit: &'a Circuit,
    cones: &'a Cones,
    scratch: Rebuild<'a>,
    /// Lookups of cones, by their fingerprints.
    costs: HashMap<[u8; 32], usize>,
    plans: HashMap<(usize, Vec<Table>), Option<Plan>>,
}

impl Search<'_> {
    /// What the targets are, and a plan that takes fewer lookups than are saved.
    fn plan(
        &mut self,
        support: &Support,
        targets: &[Signal],
        profile: &Profile,
    ) -> Option<(Known, Plan)> {
        let nodes = self.cone(targets);
        let weight = |&node: &Node| match self.circuit.op(node) {
            Op::Lookup { .. } => GATES,
            _ => 1,
        };
        if nodes.iter().map(weight).sum::<usize>() < GATES * WORTHWHILE {
            return None;
        }
        let all = self.extract(support, &nodes, targets, profile);
        let before = self.cost(&all, profile);
        if before < WORTHWHILE {
            return None;
        }
        // What others read stays.
        let cones = self.cones;
        let stays = |node: Node| {
            let outside = |reader: &Node| nodes.binary_search(reader).is_err();
            cones.readers[node.index()].iter().any(outside)
        };
        let mut kept: Vec<Signal> = Vec::new();
        for &node in &nodes {
            let is_read = stays(node);
            let signals = self.circuit.signals_of(node);
            let stay = signals.filter(|it| is_read || cones.is_output[it.index()]);
            kept.extend(stay.filter(|signal| !targets.contains(signal)));
        }
        let after = match kept.is_empty() {
            true => 0,
            false => {
                let rest = self.extract(support, &nodes, &kept, profile);
                self.cost(&rest, profile)
            }
        };
        let saved = before.saturating_sub(after);
        let (functions, tables) = functions(&all, support.len())?;
        let key = (support.len(), tables);
        let plan = (self.plans.entry(key.clone())).or_insert_with(|| divide(key.0, &key.1));
        if let Some(plan) = plan.clone().filter(|plan| plan.lookups + GAIN <= saved) {
            return Some((targets.iter().copied().zip(functions).collect(), plan));
        }
        // Some of them alone may gain.
        let mut some: Option<(Known, Plan)> = None;
        for target in targets.iter().filter(|_| targets.len() > 1) {
            let Some((functions, plan)) = self.plan(support, &[*target], profile) else {
                continue;
            };
            match &mut some {
                Some((all, known)) => known.join(all, plan, &functions),
                None => some = Some((functions, plan)),
            }
        }
        some
    }

    /// The nodes between the support and the targets, ascending.
    fn cone(&self, targets: &[Signal]) -> Vec<Node> {
        let (mut nodes, mut left) = (Vec::new(), targets.to_vec());
        while let Some(signal) = left.pop() {
            let Some(node) = self.circuit.source(signal) else {
                continue;
            };
            if self.cones.supports[node.index()].is_some() && !nodes.contains(&node) {
                nodes.push(node);
                left.extend(self.circuit.op(node).operands().map(Wire::signal));
            }
        }
        nodes.sort_unstable();
        nodes
    }

    /// A circuit of these nodes alone.
    fn extract(
        &mut self,
        support: &Support,
        nodes: &[Node],
        outputs: &[Signal],
        profile: &Profile,
    ) -> Circuit {
        self.scratch.build = Builder::new(profile);
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
        std::mem::replace(&mut self.scratch.build, Builder::new(profile)).finish()
    }

    fn cost(&mut self, cone: &Circuit, profile: &Profile) -> usize {
        let known = self.costs.entry(cone.fingerprint());
        *known.or_insert_with(|| super::cost(&map_to_lookups(cone, profile), profile).bootstraps)
    }
}
