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
mod plan;

use std::collections::{BTreeSet, HashMap};

use super::map::map_to_lookups;
use super::rebuild::Rebuild;
use crate::ir::table::LARGEST;
use crate::ir::{Node, Op, Signal};
use crate::{Builder, Circuit, Profile, Wire};
use cones::{Cones, Support};
use decomposition::{Table, fewest};
use plan::{Function, Plan, divide, functions};

/// Lookups that a cone has at least in the near reach, where its price is asked by mapping it alone: what is
/// next to it may have been looked up with parts of it.
const WORTHWHILE: usize = 5;
/// Lookups that are saved at least there. In the far reach they are counted, and one is a gain.
const GAIN: usize = 2;
/// Gates that make about one lookup.
const GATES: usize = 3;
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

/// The circuit with such functions in as few lookups as were found; `None` where nothing gains.
pub(super) fn settle(circuit: &Circuit, profile: &Profile, reach: Reach) -> Option<Circuit> {
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
        cones: &cones,
        scratch: Rebuild::new(circuit, profile),
        reach,
        left: 2 * circuit.len() + EFFORT,
        compared: ALL_COMPARED,
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
    reach: Reach,
    scratch: Rebuild<'a>,
    /// Nodes of cones that may yet be looked at.
    left: usize,
    /// Values that may yet be compared.
    compared: usize,
    /// Lookups of cones, by their fingerprints.
    costs: HashMap<[u8; 32], usize>,
    /// By bits and tables, up to so many lookups.
    plans: HashMap<(usize, Vec<Table>), (usize, Option<Plan>)>,
}

impl Search<'_> {
    /// What the targets are, and a plan that takes fewer lookups than are saved: of all of them, or of those
    /// that gain by themselves.
    fn plan(&mut self, support: &Support, targets: &[Signal]) -> Option<(Known, Plan)> {
        let Some(nodes) = self.cones.between(support, targets, self.left) else {
            self.left = self.left.saturating_sub(cones::NODES);
            return None;
        };
        let most = self.most(support, &nodes, targets)?;
        self.left = self.left.checked_sub(nodes.len())?;
        let cone = self.extract(support, &nodes, targets);
        if let Some((functions, tables)) = functions(&cone, support.len())
            && let Some(plan) = self.divided(support.len(), tables, most)
            && (self.reach.cuts
                || plan.lookups + GAIN <= self.saved(support, &nodes, targets, &cone))
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

    /// Lookups that a plan may take: of a circuit of lookups so that it gains, else perhaps. `None` where
    /// nothing can gain, nor with fewer targets.
    fn most(&self, support: &Support, nodes: &[Node], targets: &[Signal]) -> Option<usize> {
        if self.reach.cuts {
            let gains = self.counted(nodes, targets).checked_sub(1)?;
            return (gains >= fewest(support.len())).then_some(gains);
        }
        let weight = |&node: &Node| match self.circuit.op(node) {
            Op::Lookup { .. } => GATES,
            _ => 1,
        };
        let perhaps = nodes.iter().map(weight).sum::<usize>() / GATES;
        (perhaps >= WORTHWHILE).then_some(perhaps)
    }

    /// Bootstraps of these nodes that nobody needs once the targets are made otherwise.
    fn counted(&self, nodes: &[Node], targets: &[Signal]) -> usize {
        let mut stays = self.cones.read_beside(nodes);
        stays.retain(|signal| !targets.contains(signal));
        let mut needed: BTreeSet<Node> = BTreeSet::new();
        while let Some(signal) = stays.pop() {
            if let Some(node) = self.circuit.source(signal)
                && nodes.binary_search(&node).is_ok()
                && needed.insert(node)
            {
                stays.extend(self.circuit.op(node).operands().map(|wire| wire.signal()));
            }
        }
        let is_saved = |node: &&Node| {
            self.circuit.op(**node).is_bootstrap(self.profile) && !needed.contains(node)
        };
        nodes.iter().filter(is_saved).count()
    }

    /// A plan of at most so many lookups for these tables, as long as few were compared.
    fn divided(&mut self, bits: usize, tables: Vec<Table>, most: usize) -> Option<Plan> {
        let key = (bits, tables);
        let is_few = |plan: &Plan| plan.lookups <= most;
        match self.plans.get(&key) {
            Some((_, Some(plan))) => return Some(plan.clone()).filter(is_few),
            Some((tried, None)) if *tried >= most => return None,
            _ => {}
        }
        let effort = COMPARED.min(self.compared);
        if effort == 0 {
            return None;
        }
        let mut left = effort;
        let plan = divide(bits, &key.1, most, &mut left);
        self.compared -= effort - left;
        self.plans.insert(key, (most, plan.clone()));
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
