//! A circuit whose lookups are absorbed by one another: who computes each signal, by which table.

use super::READERS;
use super::compose::{Composition, Pairs};
use super::readers::Readers;
use crate::build::care;
use crate::ir::chosen::{self, Most, Network};
use crate::ir::table::{self, Function, is_negacyclic, normalise, up_to};
use crate::ir::variance::Origin;
use crate::ir::{Bounds, DECRYPTED, Node, Op, Signal, Term};
use crate::passes::goal::Goal;
use crate::{Circuit, LookupProfile, Wire};

/// Bits of which a sum tells all assignments apart.
const FEW_BITS: usize = 4;

/// A node that stands as it was.
const PLAIN: u32 = u32::MAX;

/// A lookup that has absorbed others.
#[derive(Clone, Debug)]
pub(super) struct Fused {
    pub(super) terms: Vec<Term>,
    pub(super) constant: i8,
    pub(super) max: u8,
    pub(super) outputs: Vec<Signal>,
}

pub(super) struct Graph<'a> {
    pub(super) circuit: &'a Circuit,
    lookup: LookupProfile,
    goal: Goal,
    /// By node: its place in `fused`, or [`PLAIN`].
    place: Vec<u32>,
    fused: Vec<Fused>,
    /// By node: what it was absorbed by, itself if by nothing.
    into: Vec<u32>,
    /// By signal: the table by which its owner computes it.
    masks: Vec<u16>,
    /// By node, above those of its operands.
    level: Vec<u32>,
    readers: Readers,
    is_output: Vec<bool>,
    /// Whether lookups may be one that tells all assignments of its bits apart.
    by_bits: bool,
    /// By signal: what a choice can have at most.
    bounds: Bounds,
    buffer: Vec<(u32, Function, i32)>,
    /// Level, owner and weight of a sum's terms.
    sources: Vec<(u32, Node, i32)>,
}

/// A lookup's sum, fused or not.
struct Sum<'a> {
    terms: &'a [Term],
    constant: i8,
    max: u8,
}

impl<'a> Graph<'a> {
    pub(super) fn new(circuit: &'a Circuit, lookup: LookupProfile, goal: Goal) -> Self {
        let mut level = vec![0u32; circuit.len()];
        for node in circuit.nodes() {
            let op = circuit.op(node);
            let mut below = 0;
            for wire in op.operands() {
                if let Some(source) = circuit.source(wire.signal()) {
                    below = below.max(level[source.index()]);
                }
            }
            level[node.index()] =
                below + u32::from(!matches!(op, Op::Input(_) | Op::Disjoint { .. }));
        }
        let mut is_output = vec![false; circuit.signals()];
        for wire in circuit.outputs() {
            is_output[wire.signal().index()] = true;
        }
        let mut masks = vec![0u16; circuit.signals()];
        for node in circuit.nodes() {
            for signal in circuit.signals_of(node) {
                masks[signal.index()] = circuit.mask(signal);
            }
        }
        Self {
            circuit,
            lookup,
            goal,
            place: vec![PLAIN; circuit.len()],
            fused: Vec::new(),
            into: (0..circuit.len() as u32).collect(),
            masks,
            readers: Readers::new(circuit, &level),
            level,
            is_output,
            by_bits: false,
            bounds: crate::passes::noise::bounds(circuit, &lookup.noise),
            buffer: Vec::new(),
            sources: Vec::new(),
        }
    }

    /// The node that stands for a node.
    pub(super) fn owner(&self, node: Node) -> Node {
        let mut at = node.0;
        while self.into[at as usize] != at {
            at = self.into[at as usize];
        }
        Node(at)
    }

    /// The node that computes a signal.
    pub(super) fn source(&self, signal: Signal) -> Option<Node> {
        self.circuit.source(signal).map(|node| self.owner(node))
    }

    pub(super) fn mask(&self, signal: Signal) -> u16 {
        self.masks[signal.index()]
    }

    pub(super) fn fused(&self, node: Node) -> Option<&Fused> {
        self.fused.get(self.place[node.index()] as usize)
    }

    /// The signals that a node reads.
    pub(super) fn operands(&self, node: Node) -> Vec<Signal> {
        match self.fused(node) {
            Some(fused) => fused.terms.iter().map(|term| term.wire.signal()).collect(),
            None => self.circuit.op(node).operands().map(Wire::signal).collect(),
        }
    }

    fn outputs(&self, node: Node) -> Vec<Signal> {
        match self.fused(node) {
            Some(fused) => fused.outputs.clone(),
            None => self.circuit.signals_of(node).collect(),
        }
    }

    fn sum(&self, node: Node) -> Option<Sum<'_>> {
        if let Some(fused) = self.fused(node) {
            return Some(Sum {
                terms: &fused.terms,
                constant: fused.constant,
                max: fused.max,
            });
        }
        match self.circuit.op(node) {
            // Of others no further functions can be had.
            Op::Lookup { sum, .. } if !is_negacyclic(sum.max) => Some(Sum {
                terms: sum.terms,
                constant: sum.constant,
                max: sum.max,
            }),
            _ => None,
        }
    }

    /// Takes into account that a node's operands may have risen.
    pub(super) fn relevel(&mut self, node: Node) {
        if !matches!(self.circuit.op(node), Op::Input(_) | Op::Disjoint { .. }) {
            let level = 1 + self.level_below(self.circuit.op(node).operands().map(Wire::signal));
            self.set_level(node, level);
        }
    }

    fn set_level(&mut self, node: Node, level: u32) {
        let before = std::mem::replace(&mut self.level[node.index()], level);
        self.readers.moved(node, before, level);
    }

    /// Whether every node has a level above those of what it reads, and what is counted of readers is what walking
    /// them would find.
    #[cfg(test)]
    pub(super) fn counts_hold(&self) -> bool {
        let is_above = |node: Node| {
            let is_own = self.owner(node) == node;
            let has_level = !matches!(self.circuit.op(node), Op::Input(_) | Op::Disjoint { .. });
            let below = self.level_below(self.operands(node).into_iter());
            !is_own || !has_level || self.level[node.index()] > below
        };
        self.circuit.nodes().all(|node| {
            is_above(node)
                && self.circuit.signals_of(node).all(|signal| {
                    let Some((number, crowd)) = self.readers.crowd(signal) else {
                        return true;
                    };
                    let of = self
                        .readers
                        .of(signal)
                        .iter()
                        .map(|&reader| self.owner(Node(reader)));
                    let is_sum =
                        |node: &Node| matches!(self.circuit.op(*node), Op::Disjoint { .. });
                    let (sums, mut others): (Vec<Node>, Vec<Node>) = of.partition(is_sum);
                    others.sort_unstable();
                    others.dedup();
                    let level = |node: &Node| self.level[node.index()];
                    let lowest = others.iter().map(level).min();
                    let all = sums.iter().map(level).chain(lowest).min();
                    crowd.lowest_but(None) == lowest
                        && crowd.lowest() == all
                        && others.iter().all(|one| {
                            let rest = others.iter().filter(|other| *other != one).map(level).min();
                            self.readers.is_in(*one, number)
                                && crowd.lowest_but(Some(level(one))) == rest
                        })
                })
        })
    }

    fn level_below(&self, signals: impl Iterator<Item = Signal>) -> u32 {
        let levels = signals.filter_map(|signal| self.source(signal));
        levels
            .map(|source| self.level_of(source))
            .max()
            .unwrap_or(0)
    }

    /// A node's level; that of a sum of disjoint bits is that of its latest bit, wherever it is by
    /// now.
    fn level_of(&self, node: Node) -> u32 {
        match self.circuit.op(node) {
            Op::Disjoint { terms } => self.level_below(terms.iter().map(|term| term.wire.signal())),
            _ => self.level[node.index()],
        }
    }

    /// Whether a signal is read by others than `second`; `None` if one of them would not find it in
    /// time if it had this level, or reads it through a sum that `second` reads, too.
    fn read_beside(&self, signal: Signal, second: Node, level: u32) -> Option<bool> {
        let mut is_read = false;
        for &reader in self.readers.more(signal) {
            let reader = self.owner(reader);
            if reader != second {
                is_read = true;
                if self.level[reader.index()] <= level {
                    return None;
                }
            }
        }
        let Some((number, crowd)) = self.readers.crowd(signal) else {
            for &reader in self.readers.of(signal) {
                let reader = self.owner(Node(reader));
                if reader != second {
                    is_read = true;
                    if !self.comes_after(reader, second, level) {
                        return None;
                    }
                }
            }
            return Some(is_read);
        };
        let own = self.level[second.index()];
        let own = self.readers.is_in(second, number).then_some(own);
        let lowest = crowd.lowest_but(own);
        let in_time = lowest.is_none_or(|lowest| lowest > level)
            && crowd
                .sums
                .iter()
                .all(|sum| self.comes_after(*sum, second, level));
        in_time.then_some(is_read || lowest.is_some() || !crowd.sums.is_empty())
    }

    /// Whether a reader finds its operand in time if that has this level, and is no operand of
    /// `second`, whose level it is. What reads a sum reads its bits.
    fn comes_after(&self, reader: Node, second: Node, level: u32) -> bool {
        let Op::Disjoint { .. } = self.circuit.op(reader) else {
            return self.level[reader.index()] > level;
        };
        let is_late = |reader: &Node| {
            let reader = self.owner(*reader);
            reader != second && self.level[reader.index()] > level
        };
        self.circuit.signals_of(reader).all(|sum| {
            self.readers.more(sum).iter().all(is_late)
                && match self.readers.crowd(sum) {
                    Some((number, crowd)) => {
                        !self.readers.is_in(second, number)
                            && crowd.lowest().is_none_or(|lowest| lowest > level)
                    }
                    None => self.readers.of(sum).iter().all(|&reader| {
                        let reader = self.owner(Node(reader));
                        reader != second && self.level[reader.index()] > level
                    }),
                }
        })
    }

    /// From here on lookups of few bits are fused whatever their sums are: the values of such a sum are used
    /// up, so that other ways come first.
    pub(super) fn allow_by_bits(&mut self) {
        self.by_bits = true;
    }

    /// Takes into account that what a lookup reads by now may have fallen.
    pub(super) fn settle(&mut self, node: Node) {
        if self.sum(node).is_some() {
            let level = 1 + self.level_below(self.operands(node).into_iter());
            self.set_level(node, level);
        }
    }

    /// Fuses a lookup with one whose output it reads, the latest first.
    pub(super) fn fuse_an_operand(&mut self, node: Node) -> bool {
        let mut sources = std::mem::take(&mut self.sources);
        sources.clear();
        if let Some(sum) = self.sum(node) {
            for term in sum.terms {
                if let Some(source) = self.source(term.wire.signal()) {
                    sources.push((self.level_of(source), source, i32::from(term.weight)));
                }
            }
        }
        sources.sort_unstable();
        let mut last = None;
        let mut is_fused = false;
        for at in (0..sources.len()).rev() {
            let (level, first, _) = sources[at];
            if last != Some(first) {
                last = Some(first);
                if self.is_promising(first, node, level, &sources) && self.fuse(first, node) {
                    is_fused = true;
                    break;
                }
            }
        }
        self.sources = sources;
        is_fused
    }

    /// Whether the best that could come of it fits and is a gain: most pairs end here.
    fn is_promising(
        &self,
        first: Node,
        second: Node,
        level: u32,
        sources: &[(u32, Node, i32)],
    ) -> bool {
        let (Some(one), Some(two)) = (self.sum(first), self.sum(second)) else {
            return false;
        };
        let rest = sources.iter().filter(|source| source.1 != first);
        let range: i32 = rest.clone().map(|source| source.2.abs()).sum();
        let level = rest
            .map(|source| source.0 + 1)
            .max()
            .unwrap_or(0)
            .max(level);
        let mut least = i32::from(one.max) + range;
        let is_lower = level < self.level[second.index()];
        let bound = i32::from(self.lookup.max_value.min(15));
        if least > bound
            && let Some(bits) = self.few_bits(&one, &two, first)
        {
            least = (1 << bits.len()) - 1;
        }
        least <= bound
            && (is_gain(one.max, two.max, least as u8, is_lower)
                || is_lower && self.goal == Goal::Depth)
    }

    /// Fuses two lookups, `second` reading `first`, if that is a gain.
    fn fuse(&mut self, first: Node, second: Node) -> bool {
        let with_first_kept = || match self.goal {
            Goal::Rotations => None,
            Goal::Depth => self.plan(first, second, Keep::First),
        };
        let Some(plan) = self
            .plan(first, second, Keep::None)
            .or_else(with_first_kept)
        else {
            return false;
        };
        let before: Vec<u16> = plan.functions.iter().map(|&s| self.mask(s)).collect();
        let mut louder = false;
        for (number, &signal) in plan.functions.iter().enumerate() {
            let mask = plan.masks[number];
            let care = up_to(plan.fused.max) as u16;
            louder |= table::variance(normalise(mask, care, false).0)
                > table::variance(self.mask(signal));
            self.masks[signal.index()] = mask;
        }
        let place = self.fused.len() as u32;
        let old_place = std::mem::replace(&mut self.place[second.index()], place);
        self.fused.push(plan.fused);
        if plan.keep == Keep::None {
            self.into[first.index()] = second.0;
        }
        if self.is_quiet(second) && (!louder || self.readers_are_quiet(second, &plan.functions)) {
            match plan.keep {
                Keep::None => {
                    let levels = [first, second].map(|node| self.level[node.index()]);
                    self.readers
                        .absorbed((first, levels[0]), (second, levels[1]));
                }
                Keep::First => {
                    for signal in self.operands(second) {
                        self.readers.add(signal, second);
                    }
                }
            }
            self.set_level(second, plan.level);
            return true;
        }
        self.fused.pop();
        self.place[second.index()] = old_place;
        self.into[first.index()] = first.0;
        for (signal, mask) in plan.functions.into_iter().zip(before) {
            self.masks[signal.index()] = mask;
        }
        false
    }

    /// What the two would be, noise apart.
    fn plan(&self, first: Node, second: Node, keep: Keep) -> Option<Plan> {
        let (one, two) = (self.sum(first)?, self.sum(second)?);
        let of_first = |term: &&Term| self.source(term.wire.signal()) == Some(first);
        let rest: Vec<Term> = two
            .terms
            .iter()
            .filter(|term| !of_first(term))
            .copied()
            .collect();
        let (mut low, mut high) = (i32::from(two.constant), i32::from(two.constant));
        for term in &rest {
            low += i32::from(term.weight).min(0);
            high += i32::from(term.weight).max(0);
        }
        let bound = i32::from(self.lookup.max_value.min(15));
        let fits = i32::from(one.max) + high - low <= bound;
        let bits = self.few_bits(&one, &two, first);
        if !fits && bits.is_none() {
            return None;
        }
        let level =
            1 + self.level_below(one.terms.iter().chain(&rest).map(|term| term.wire.signal()));
        // What is read of the first by others must be answered, too, and in time.
        let mut functions: Vec<Signal> = Vec::new();
        let outputs = match keep {
            Keep::None => self.outputs(first),
            Keep::First => Vec::new(),
        };
        for signal in outputs {
            if self.read_beside(signal, second, level)? || self.is_output[signal.index()] {
                functions.push(signal);
            }
        }
        let outside = functions.len();
        functions.extend(self.outputs(second));
        if functions.len() > 32 {
            return None;
        }
        let is_lower = level < self.level[second.index()];
        let is_gain = |max: u8| match keep {
            Keep::None => is_gain(one.max, two.max, max, is_lower),
            Keep::First => is_lower,
        };
        let composed = || {
            let pairs = self.pairs(&one, &two, first, (low, high), &functions, outside)?;
            let composition = pairs.compose(bound as u8).filter(|it| is_gain(it.max))?;
            let masks = (0..functions.len()).map(|number| composition.mask(number));
            let fused = composed(&one, &two, &rest, (low, high), &composition, &functions)?;
            Some((fused, masks.collect()))
        };
        let by_bits = || {
            let bits = bits.as_deref().filter(|it| is_gain((1 << it.len()) - 1))?;
            Some(self.of_bits(bits, &one, &two, first, &functions, outside))
        };
        let found = if fits { composed() } else { None };
        let (fused, masks) = found.or_else(by_bits)?;
        Some(Plan {
            fused,
            functions,
            masks,
            level,
            keep,
        })
    }

    /// The bits of two lookups, if they are so few that one sum tells all their values apart: the noisiest
    /// first, which get the least weights.
    fn few_bits(&self, one: &Sum<'_>, two: &Sum<'_>, first: Node) -> Option<Vec<Signal>> {
        if !self.by_bits {
            return None;
        }
        let is_of_first = |term: &&Term| self.source(term.wire.signal()) == Some(first);
        let rest = two.terms.iter().filter(|term| !is_of_first(term));
        let mut bits: Vec<(f64, Signal)> = Vec::with_capacity(FEW_BITS);
        for term in one.terms.iter().chain(rest) {
            let signal = term.wire.signal();
            if !bits.iter().any(|(.., bit)| *bit == signal) {
                // A half counts half of its weight.
                if bits.len() == FEW_BITS || self.circuit.is_half(signal) {
                    return None;
                }
                let alone = [(term.wire, 1)].into_iter();
                let noise = chosen::variance(self, alone, &self.lookup.noise, &mut Vec::new());
                bits.push((noise, signal));
            }
        }
        bits.sort_by(|(a, one), (b, other)| b.total_cmp(a).then(one.cmp(other)));
        let values = 1i32 << bits.len();
        let bits = bits.into_iter().map(|(.., bit)| bit).collect();
        (i32::from(self.lookup.max_value) >= values - 1).then_some(bits)
    }

    /// One lookup of which every assignment of some bits has a value of its own.
    fn of_bits(
        &self,
        bits: &[Signal],
        one: &Sum<'_>,
        two: &Sum<'_>,
        first: Node,
        functions: &[Signal],
        outside: usize,
    ) -> (Fused, Vec<u16>) {
        let mut masks = vec![0u16; functions.len()];
        for assignment in 0..1usize << bits.len() {
            let bit = |wire: Wire| {
                let place = bits.iter().position(|&bit| bit == wire.signal());
                let value = place.is_some_and(|place| assignment >> place & 1 == 1);
                value != wire.is_inverted()
            };
            let of_one = |term: &Term| i32::from(term.weight) * i32::from(bit(term.wire));
            let before = i32::from(one.constant) + one.terms.iter().map(of_one).sum::<i32>();
            let of_two = |term: &Term| {
                let signal = term.wire.signal();
                let value = match self.source(signal) == Some(first) {
                    true => entry(self.mask(signal), before) != term.wire.is_inverted(),
                    false => bit(term.wire),
                };
                i32::from(term.weight) * i32::from(value)
            };
            let after = i32::from(two.constant) + two.terms.iter().map(of_two).sum::<i32>();
            let occurs = |value: i32, max: u8| (0..=i32::from(max)).contains(&value);
            let occurs = occurs(before, one.max) && occurs(after, two.max);
            for (number, (mask, &signal)) in masks.iter_mut().zip(functions).enumerate() {
                let value = match occurs {
                    true => entry(
                        self.mask(signal),
                        if number < outside { before } else { after },
                    ),
                    // What cannot occur has no edge of its own.
                    false => assignment > 0 && *mask >> (assignment - 1) & 1 == 1,
                };
                *mask |= u16::from(value) << assignment;
            }
        }
        let weighted = |(place, &bit): (usize, &Signal)| Term {
            wire: bit.into(),
            weight: 1 << place,
        };
        let fused = Fused {
            terms: bits.iter().enumerate().map(weighted).collect(),
            constant: 0,
            max: (1 << bits.len()) - 1,
            outputs: functions.to_vec(),
        };
        (fused, masks)
    }

    /// What is asked of every pair of values.
    fn pairs(
        &self,
        one: &Sum<'_>,
        two: &Sum<'_>,
        first: Node,
        (low, high): (i32, i32),
        functions: &[Signal],
        outside: usize,
    ) -> Option<Pairs> {
        let mut pairs = Pairs::new(one.max, u8::try_from(high - low).ok()?);
        let occurring = care(one.terms, one.constant, one.max);
        for t in 0..=usize::from(one.max) {
            if occurring >> t & 1 == 0 {
                continue;
            }
            let read: i32 = two
                .terms
                .iter()
                .filter(|term| self.source(term.wire.signal()) == Some(first))
                .map(|term| {
                    i32::from(term.weight) * i32::from(self.mask(term.wire.signal()) >> t & 1)
                })
                .sum();
            let of_first = functions[..outside]
                .iter()
                .enumerate()
                .fold(0, |all, (i, &signal)| {
                    all | u32::from(self.mask(signal) >> t & 1) << i
                });
            for r in low..=high {
                let value = read + r;
                if !(0..=i32::from(two.max)).contains(&value) {
                    continue;
                }
                let answers = functions[outside..].iter().enumerate();
                let answer = answers.fold(of_first, |all, (i, &signal)| {
                    all | u32::from(self.mask(signal) >> value & 1) << (outside + i)
                });
                if !pairs.ask(t, (r - low) as usize, answer) {
                    return None;
                }
            }
        }
        Some(pairs)
    }

    /// Whether a node's sum may be looked up.
    fn is_quiet(&mut self, node: Node) -> bool {
        let mut buffer = std::mem::take(&mut self.buffer);
        let model = &self.lookup.noise;
        let plain = self.circuit.op(node);
        let variance = match self.fused(node) {
            Some(fused) => {
                let terms = fused.terms.iter().map(|term| (term.wire, term.weight));
                chosen::variance(self, terms, model, &mut buffer)
            }
            None => chosen::variance(self, plain.rotation_weights(), model, &mut buffer),
        };
        self.buffer = buffer;
        let share = match plain {
            Op::Linear { .. } => DECRYPTED,
            _ => 1.0,
        };
        share * variance <= self.lookup.noise.limit
    }

    /// Whether all that read some signals of a node are quiet, those that read sums with them too.
    fn readers_are_quiet(&mut self, node: Node, signals: &[Signal]) -> bool {
        let mut readers: Vec<Node> = Vec::new();
        let mut signals = signals.to_vec();
        while let Some(signal) = signals.pop() {
            if self.readers.of(signal).len() > READERS || readers.len() > READERS * READERS {
                return false;
            }
            let more = self.readers.more(signal).iter().copied();
            let readers_of = self.readers.of(signal).iter().map(|&reader| Node(reader));
            for reader in readers_of.chain(more) {
                let reader = self.owner(reader);
                if let Op::Disjoint { .. } | Op::Choose { .. } | Op::Load(_) | Op::Linear { .. } =
                    self.circuit.op(reader)
                {
                    signals.extend(self.circuit.signals_of(reader));
                }
                readers.push(reader);
            }
        }
        readers.sort_unstable();
        readers.dedup();
        readers.len() <= READERS
            && readers
                .into_iter()
                .all(|reader| reader == node || self.is_quiet(reader))
    }
}

impl Network for Graph<'_> {
    fn op_of(&self, signal: Signal) -> Option<Op<'_>> {
        self.circuit
            .source(signal)
            .map(|node| self.circuit.op(node))
    }

    fn origin_of(&self, signal: Signal) -> (Origin, bool) {
        let Some(source) = self.source(signal) else {
            return (Origin::Constant, false);
        };
        match (self.sum(source), self.circuit.op(source)) {
            (Some(sum), _) => {
                let care = up_to(sum.max) as u16;
                let (mask, inverted) = normalise(self.mask(signal), care, false);
                let (node, function) = (source.0, Function::plain(mask));
                (Origin::Rotation { node, function }, inverted)
            }
            (None, Op::Input(_)) => (Origin::Fresh, false),
            (None, Op::Selector { .. }) => (Origin::Constant, false),
            (None, Op::Parity { .. }) => (Origin::Parity, false),
            (None, op) => {
                let function = match op {
                    Op::Lookup { .. } => self.circuit.function(signal),
                    _ => Function::plain(op.rotation_mask()),
                };
                let node = source.0;
                (Origin::Rotation { node, function }, false)
            }
        }
    }

    fn most_of(&self, choice: Signal) -> Most {
        self.bounds.get(choice.index()).copied().unwrap_or_default()
    }

    fn is_half(&self, signal: Signal) -> bool {
        self.circuit.is_half(signal)
    }
}

/// What a lookup of values up to `max` counts: small ones find room beside another.
fn rotations(max: u8) -> f32 {
    match max {
        0..=1 => 0.25,
        2..=3 => 0.5,
        4 => 0.6,
        _ => 1.0,
    }
}

fn entry(mask: u16, value: i32) -> bool {
    (0..16).contains(&value) && mask >> value & 1 == 1
}

/// Whether one sum instead of two is fewer rotations, or as many and less depth.
fn is_gain(one: u8, two: u8, fused: u8, is_lower: bool) -> bool {
    let gain = rotations(one) + rotations(two) - rotations(fused);
    gain > 0.0 || gain == 0.0 && is_lower
}

/// A fused lookup before it is one.
struct Plan {
    fused: Fused,
    /// Its outputs.
    functions: Vec<Signal>,
    /// By function.
    masks: Vec<u16>,
    level: u32,
    keep: Keep,
}

/// What stays beside a fused lookup.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Keep {
    None,
    /// The first, for its other readers.
    First,
}

/// The composed sum over the bits of both.
fn composed(
    one: &Sum<'_>,
    two: &Sum<'_>,
    rest: &[Term],
    (low, high): (i32, i32),
    composition: &Composition,
    functions: &[Signal],
) -> Option<Fused> {
    let (alpha, beta) = (composition.alpha, composition.beta);
    let offset = if beta < 0 { high } else { low };
    let constant = alpha * i32::from(one.constant) + beta * (i32::from(two.constant) - offset);
    let mut terms: Vec<(Wire, i32)> = Vec::with_capacity(one.terms.len() + rest.len());
    for (terms_of, factor) in [(one.terms, alpha), (rest, beta)] {
        terms.extend(
            terms_of
                .iter()
                .map(|term| (term.wire, factor * i32::from(term.weight))),
        );
    }
    terms.sort_unstable();
    terms.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        kept.1 += if same { next.1 } else { 0 };
        same
    });
    terms.retain(|&(_, weight)| weight != 0);
    let narrow = |&(wire, weight): &(Wire, i32)| {
        i8::try_from(weight)
            .ok()
            .map(|weight| Term { wire, weight })
    };
    Some(Fused {
        terms: terms.iter().map(narrow).collect::<Option<_>>()?,
        constant: i8::try_from(constant).ok()?,
        max: composition.max,
        outputs: functions.to_vec(),
    })
}
