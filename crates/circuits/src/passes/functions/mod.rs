//! Functions of few bits, whatever they were written as.
//!
//! A program asks whether a letter is small by a subtraction and a comparison, and makes it a capital by
//! another subtraction: twelve lookups for what are functions of eight bits. Here every signal that depends
//! on few is looked at as its truth table. Of some of the bits only matters to which class their values
//! belong, two being of one class if the functions are the same for both whatever the other bits are. One
//! lookup says the class of up to sixteen values, and that number takes the bits' place, until one more says
//! all functions: three lookups for letters. That is R. L. Ashenhurst's simple disjoint decomposition (The
//! decomposition of switching functions, 1957), of several functions at once and with numbers of any range
//! as J. P. Roth and R. M. Karp have it (Minimization over Boolean graphs, 1962).
//!
//! There are two reaches. The near one follows functions down to eight bits at most, as they were recorded.
//! The far one follows those of lookups to twelve, and where a signal depends on more, bits that are computed
//! stand for what they depend on: the state of a machine beside the letter it reads.
//!
//! Exact: the tables are those of all assignments. Time is bounded: cones that are looked at have at most
//! twice the circuit's nodes together, and some more, and so many values of tables are compared.

mod cones;
mod decomposition;
mod known;
mod marks;
mod plan;

use std::collections::HashMap;

use super::map::map_to_lookups;
use super::rebuild::Rebuild;
use crate::ir::table::LARGEST;
use crate::ir::{Node, Op, Signal};
use crate::{Builder, Circuit, Profile, Wire};
use cones::{Cones, Support};
use decomposition::{Table, fewest};
use known::Target;
use marks::Marks;
use plan::{Function, Plan, divide, functions};

/// Lookups that a cone has at least in the near reach, where its price is asked by mapping it alone.
const WORTHWHILE: usize = 4;
/// Nodes of circuits that are looked at: more are arrays of megabytes, of which nothing is a function of
/// few bits.
const NODES: usize = 1 << 20;
/// Nodes of cones, beside twice those of the circuit.
const EFFORT: usize = 1 << 14;
/// Values of tables that are compared, for one set of functions and for all, which is a tenth of a second.
const COMPARED: usize = 1 << 20;
const ALL_COMPARED: usize = 1 << 26;

/// How far functions are followed.
#[derive(Clone, Copy)]
pub(super) struct Reach {
    /// Bits that a function may depend on.
    bits: usize,
    /// Whether a bit that depends on others may stand for them where these are too many: the state of
    /// a machine, say, beside the letter that it reads. Then nearly everything is a function of few bits,
    /// and what it costs is not asked by mapping it: the circuit has to be mapped.
    cuts: bool,
}

/// For circuits as they were recorded.
pub(super) const NEAR: Reach = Reach {
    bits: 8,
    cuts: false,
};
/// For circuits of lookups.
pub(super) const FAR: Reach = Reach {
    bits: 12,
    cuts: true,
};

/// Functions of few bits that would take fewer lookups.
pub(super) struct Found<'a> {
    circuit: &'a Circuit,
    profile: &'a Profile,
    /// By the first node whose signals they are.
    plans: Vec<(Node, Support, Made)>,
}

/// What a cone's functions are made by.
struct Made {
    known: Known,
    plan: Plan,
    /// Lookups that this saves in the cone alone.
    gain: usize,
}

/// What was found of cones before, by bits and tables, up to so many lookups: forms of a circuit have most
/// of them in common.
#[derive(Default)]
pub(super) struct Memory {
    plans: HashMap<(usize, Vec<Table>), (usize, Option<Plan>)>,
}

/// Such functions; `None` where nothing gains.
pub(super) fn find<'a>(
    circuit: &'a Circuit,
    profile: &'a Profile,
    reach: Reach,
    memory: &mut Memory,
) -> Option<Found<'a>> {
    if profile.max_value() != Some(LARGEST) || circuit.len() > NODES {
        return None;
    }
    let cones = Cones::of(circuit, reach);
    if cones.groups.is_empty() {
        return None;
    }
    let mut search = Search {
        circuit,
        profile,
        target: Target::of(profile),
        cones: &cones,
        scratch: Rebuild::new(circuit, profile),
        reach,
        seen: Marks::new(circuit.len()),
        own: vec![0; circuit.signals()],
        left: 2 * circuit.len() + EFFORT,
        compared: ALL_COMPARED,
        memory,
    };
    let mut plans: Vec<(Node, Support, Made)> = Vec::new();
    for (support, targets) in &cones.groups {
        let sources = targets.iter().filter_map(|&target| circuit.source(target));
        if let (Some(first), Some(made)) = (sources.min(), search.plan(support, targets)) {
            plans.push((first, support.clone(), made));
        }
    }
    plans.sort_by_key(|(first, ..)| *first);
    (!plans.is_empty()).then_some(Found {
        circuit,
        profile,
        plans,
    })
}

impl Found<'_> {
    /// How many cones save so many lookups at least.
    pub(super) fn count(&self, gain: usize) -> usize {
        let gains = self.plans.iter().map(|(.., made)| made.gain);
        gains.filter(|&it| it >= gain).count()
    }

    /// The circuit with those that save so many lookups in as few as were found; `None` where there are none.
    pub(super) fn settle(&self, gain: usize) -> Option<Circuit> {
        let mut left = (self.plans.iter())
            .filter(|(.., made)| made.gain >= gain)
            .peekable();
        left.peek()?;
        Rebuild::replacing(self.circuit, self.profile, |rebuild, node| {
            let mut instead = Vec::new();
            while let Some((_, support, made)) = left.next_if(|(first, ..)| *first == node) {
                let bits = support.iter().map(|&bit| rebuild.wire(bit.into()));
                let bits: Vec<Wire> = bits.collect();
                let is_half = |&bit: &Wire| rebuild.build.is_half(bit);
                let Made { known, plan, .. } = made;
                if !bits.iter().any(is_half)
                    && let Some(wires) = plan.record(&mut rebuild.build, &bits, known)
                {
                    instead.extend(known.iter().map(|(signal, _)| *signal).zip(wires));
                }
            }
            instead
        })
        .map(Rebuild::finish)
    }
}

/// Signals and what they turned out to be.
type Known = Vec<(Signal, Function)>;

impl Made {
    fn join(&mut self, other: Self) {
        self.plan.join(&mut self.known, other.plan, &other.known);
        self.gain += other.gain;
    }
}

struct Search<'a> {
    circuit: &'a Circuit,
    profile: &'a Profile,
    target: Target,
    cones: &'a Cones<'a>,
    reach: Reach,
    scratch: Rebuild<'a>,
    /// Nodes that a walk has met.
    seen: Marks,
    /// By signal: how often a cone reads it itself, while that is counted.
    own: Vec<u32>,
    /// Nodes of cones that may yet be looked at.
    left: usize,
    /// Values that may yet be compared.
    compared: usize,
    memory: &'a mut Memory,
}

impl Search<'_> {
    /// What the targets are, and a plan that takes fewer lookups than are saved: of all of them, or of those
    /// that gain by themselves.
    fn plan(&mut self, support: &Support, targets: &[Signal]) -> Option<Made> {
        let Some(nodes) = self
            .cones
            .between(support, targets, self.left, &mut self.seen)
        else {
            self.left = self.left.saturating_sub(cones::NODES);
            return None;
        };
        let most = self.most(support, &nodes, targets)?;
        self.left = self.left.checked_sub(nodes.len())?;
        let cone = self.extract(support, &nodes, targets);
        let mut all: Option<Made> = None;
        if let Some((functions, tables)) = functions(&cone, support.len())
            && let Some(plan) = self.divided(support.len(), tables, most)
        {
            // In the far reach a plan may take one less than it saves.
            let saved = match self.reach.cuts {
                true => most + 1,
                false => self.saved(support, &nodes, targets, &cone),
            };
            if plan.lookups < saved {
                let known = targets.iter().copied().zip(functions).collect();
                let gain = saved - plan.lookups;
                all = Some(Made { known, plan, gain });
            }
        }
        // One of them by itself may gain more than all, if these gain little.
        if targets.len() < 2 || all.as_ref().is_some_and(|made| made.gain > 1) {
            return all;
        }
        let mut some: Option<Made> = None;
        for target in targets {
            let Some(made) = self.plan(support, &[*target]) else {
                continue;
            };
            match &mut some {
                Some(some) => some.join(made),
                None => some = Some(made),
            }
        }
        let gain = |made: &Option<Made>| made.as_ref().map_or(0, |made| made.gain);
        if gain(&some) > gain(&all) { some } else { all }
    }

    /// Lookups that a plan may take: of a circuit of lookups so that it gains, else perhaps. `None` where
    /// nothing can gain, nor with fewer targets.
    fn most(&mut self, support: &Support, nodes: &[Node], targets: &[Signal]) -> Option<usize> {
        if self.reach.cuts {
            let fewest = fewest(support.len());
            // Most cones have too few for that, whatever others need of them.
            if self.bootstraps(nodes, |_| true) <= fewest {
                return None;
            }
            let gains = self.counted(nodes, targets).checked_sub(1)?;
            return (gains >= fewest).then_some(gains);
        }
        let may_be_lookup = |node: &&Node| {
            !matches!(
                self.circuit.op(**node),
                Op::Xor(..) | Op::Disjoint { .. } | Op::Linear { .. }
            )
        };
        let perhaps = nodes.iter().filter(may_be_lookup).count();
        (perhaps >= WORTHWHILE).then_some(perhaps)
    }

    /// Bootstraps of these nodes that nobody needs once the targets are made otherwise.
    fn counted(&mut self, nodes: &[Node], targets: &[Signal]) -> usize {
        let mut stays = self.cones.read_beside(nodes, &mut self.own);
        stays.retain(|signal| !targets.contains(signal));
        let needed = &mut self.seen;
        needed.clear();
        while let Some(signal) = stays.pop() {
            if let Some(node) = self.circuit.source(signal)
                && nodes.binary_search(&node).is_ok()
                && needed.insert(node.index())
            {
                stays.extend(self.circuit.op(node).operands().map(|wire| wire.signal()));
            }
        }
        let needed = &self.seen;
        self.bootstraps(nodes, |node| !needed.contains(node.index()))
    }

    fn bootstraps(&self, nodes: &[Node], counts: impl Fn(Node) -> bool) -> usize {
        let is_bootstrap = |node: &&Node| self.circuit.op(**node).is_bootstrap(self.profile);
        let them = nodes.iter().filter(is_bootstrap);
        them.filter(|node| counts(**node)).count()
    }

    /// A plan of at most so many lookups for these tables, as long as few were compared.
    fn divided(&mut self, bits: usize, tables: Vec<Table>, most: usize) -> Option<Plan> {
        let key = (bits, tables);
        let is_few = |plan: &Plan| plan.lookups <= most;
        match self.memory.plans.get(&key) {
            Some((_, Some(plan))) => return Some(plan.clone()).filter(is_few),
            Some((tried, None)) if *tried >= most => return None,
            _ => {}
        }
        let effort = COMPARED.min(self.compared);
        if effort == 0 {
            return None;
        }
        let (plan, compared) = match effort {
            COMPARED => known::divide(bits, &key.1, most),
            _ => divide(bits, &key.1, most, effort),
        };
        self.compared -= compared;
        self.memory.plans.insert(key, (most, plan.clone()));
        plan.filter(is_few)
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
        let mut stays = self.cones.read_beside(nodes, &mut self.own);
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

    /// Lookups of a cone by itself.
    fn cost(&self, cone: &Circuit) -> usize {
        known::lookups(&self.target, cone, || {
            super::work(&map_to_lookups(cone, self.profile), self.profile).bootstraps
        })
    }
}
