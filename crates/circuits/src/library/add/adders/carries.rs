//! Which carries of an adder are computed ahead, for a number of cores.
//!
//! The plain adder is a chain: the lookup of a slice needs the carry of the one below. Here the
//! states of some slices ([`states`](crate::library::add::states)) are found at once, side by side,
//! and a lookup of a carry and three states jumps over three slices; the slices between follow from
//! the carry below them, and no sum bit is computed twice. A jump over three slices costs four
//! lookups and shortens the chain by two; groups of three states, joined once more, shorten it
//! further.
//!
//! Two families of plans are tried:
//! * *jumps*: after `r` slices of the chain, one jump after the other over `q` slices, then the
//!   chain again: few lookups for two to four cores;
//! * *deadlines*: every carry that the chain delivers too late for a total depth D is computed from
//!   the nearest carries and groups that exist, or that are cheapest to make: least depth for many
//!   cores (32 bits: depth 4 to 5 instead of 11).
//!
//! That with the least modelled time ([`makespan`](crate::passes::makespan)) wins; the chain, if
//! nothing is better. On one core that is bound by arithmetic nothing can be: a plan's lookups
//! divided by the cores are a bound for its time, and exclude most without a look.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use crate::Profile;
use crate::library::add::states::{DIGITS, split};
use crate::passes::makespan::{Step, of_steps};

/// One lookup of a plan. Numbers of `units` are positions in the plan.
#[derive(Clone, Debug)]
pub(super) enum Node {
    /// The sum bits of a slice, from the carry into it, and the carry out of it.
    Slice(usize),
    /// The state of a slice.
    State(usize),
    /// The state of two or three states.
    Group(Vec<usize>),
    /// The carry into slice `into` from that into slice `from` and the states between.
    Carry {
        from: usize,
        into: usize,
        units: Vec<usize>,
    },
}

/// Lookups in an order in which they can be made; each slice comes once.
pub(super) type Plan = Vec<Node>;

/// Plans by deadline are tried for smaller depths than this.
const DEADLINES: u32 = 12;
/// Slices of the chain before the first jump.
const BEFORE_JUMPS: [usize; 6] = [1, 2, 3, 4, 6, 8];

/// All that a plan depends on: slices, cores, batch, and the bits of the times of lookups.
type Question = (usize, usize, usize, Vec<u64>);

/// Plans found so far: a program asks for the same few again and again, and a search takes up to
/// milliseconds. A lock that a panic left behind only costs the search.
static FOUND: Mutex<BTreeMap<Question, Arc<Plan>>> = Mutex::new(BTreeMap::new());

/// The plan for `slices` slices that is fastest on the profile's cores.
pub(super) fn plan(slices: usize, profile: &Profile) -> Arc<Plan> {
    let cost = &profile.cost;
    let rows = profile.timing.iter().flat_map(|timing| timing.rows());
    let times = [cost.lookup, cost.lookup_alone].into_iter();
    let times = times.chain(rows.flatten().copied()).map(f64::to_bits);
    let question = (slices, profile.cores, profile.batch, times.collect());
    if let Ok(found) = FOUND.lock()
        && let Some(plan) = found.get(&question)
    {
        return Arc::clone(plan);
    }
    let plan = Arc::new(search(slices, profile));
    if let Ok(mut found) = FOUND.lock() {
        found.insert(question, Arc::clone(&plan));
    }
    plan
}

fn search(slices: usize, profile: &Profile) -> Plan {
    let chain = Maker::new(slices);
    let Some(chain) = chain.finish(u32::MAX) else {
        return Plan::new();
    };
    let mut best = (chain.time(profile), chain.nodes);
    let mut offer = |made: Option<Made>| {
        if let Some(made) = made
            && made.bound(profile) < best.0
        {
            let time = made.time(profile);
            if time < best.0 {
                best = (time, made.nodes);
            }
        }
    };
    // One jump over one slice, the least that any other plan costs.
    let least = (slices + 2) as f64 * profile.cost.lookup / profile.cores.max(1) as f64;
    if least < slices as f64 * profile.batch_time(1) {
        for before in BEFORE_JUMPS {
            let end = slices.saturating_sub(before + 1);
            for over in (DIGITS..end).step_by(DIGITS).chain([end]) {
                offer(Maker::new(slices).jumps(before, over).finish(u32::MAX));
            }
        }
        for depth in 2..(slices as u32).min(DEADLINES) {
            for over in [0, 1, 2].map(|jumps| jumps * DIGITS) {
                offer(Maker::new(slices).jumps(1, over).finish(depth));
            }
        }
    }
    best.1
}

/// A finished plan and what each lookup waits for.
struct Made {
    nodes: Plan,
    reads: Vec<Vec<usize>>,
    depth: u32,
}

impl Made {
    /// No schedule is faster.
    fn bound(&self, profile: &Profile) -> f64 {
        let work = self.nodes.len() as f64 * profile.cost.lookup / profile.cores.max(1) as f64;
        work.max(f64::from(self.depth) * profile.batch_time(1))
    }

    fn time(&self, profile: &Profile) -> f64 {
        let step = |reads: &Vec<usize>| Step {
            reads: reads.clone(),
            earliest: 0.0,
            cost: profile.cost.lookup,
        };
        let steps: Vec<Step> = self.reads.iter().map(step).collect();
        of_steps(&steps, profile)
    }
}

/// Slices from one to before another.
type Range = (usize, usize);

/// A node and its depth; `None` for what is there from the start.
type Known = (Option<usize>, u32);

/// A plan in the making.
struct Maker {
    slices: usize,
    nodes: Plan,
    reads: Vec<Vec<usize>>,
    /// By slice: the carry into it.
    carries: Vec<Option<Known>>,
    /// Slices that are already in the plan.
    made: usize,
    /// States of ranges of slices.
    units: BTreeMap<Range, (usize, u32)>,
    depth: u32,
}

impl Maker {
    fn new(slices: usize) -> Self {
        let mut carries = vec![None; slices + 1];
        carries[0] = Some((None, 0));
        Self {
            slices,
            nodes: Vec::new(),
            reads: Vec::new(),
            carries,
            made: 0,
            units: BTreeMap::new(),
            depth: 0,
        }
    }

    fn push(&mut self, node: Node, reads: Vec<usize>) -> usize {
        self.nodes.push(node);
        self.reads.push(reads);
        self.nodes.len() - 1
    }

    /// Makes the next slice, and its carry where none is known.
    fn slice(&mut self) -> Option<()> {
        let (carry, level) = self.carries[self.made]?;
        let node = self.push(Node::Slice(self.made), carry.into_iter().collect());
        self.depth = self.depth.max(level + 1);
        self.made += 1;
        self.carries[self.made].get_or_insert((Some(node), level + 1));
        Some(())
    }

    /// The chain up to a slice, then jumps over the given number of slices.
    fn jumps(mut self, before: usize, over: usize) -> Self {
        while self.made < before.min(self.slices) {
            if self.slice().is_none() {
                return self;
            }
        }
        let mut from = before;
        let end = before + over;
        while from < end && end < self.slices {
            let into = (from + DIGITS).min(end);
            let units: Vec<Range> = (from..into).map(|at| (at, at + 1)).collect();
            if self.jump(from, into, &units).is_none() {
                break;
            }
            from = into;
        }
        self
    }

    /// The carry into a slice from another and the units between them.
    fn jump(&mut self, from: usize, into: usize, units: &[Range]) -> Option<()> {
        let (carry, mut level) = self.carries[from]?;
        let mut reads: Vec<usize> = carry.into_iter().collect();
        let mut numbers = Vec::with_capacity(units.len());
        for &(low, high) in units {
            let (unit, depth) = self.unit(low, high);
            level = level.max(depth);
            numbers.push(unit);
        }
        reads.extend(&numbers);
        let units = numbers;
        let node = self.push(Node::Carry { from, into, units }, reads);
        self.carries[into] = Some((Some(node), level + 1));
        Some(())
    }

    /// The state of a range of slices.
    fn unit(&mut self, low: usize, high: usize) -> (usize, u32) {
        if let Some(&unit) = self.units.get(&(low, high)) {
            return unit;
        }
        let made = if high == low + 1 {
            (self.push(Node::State(low), Vec::new()), 1)
        } else {
            let (mut at, mut level) = (low, 0);
            let mut parts = Vec::with_capacity(DIGITS);
            for length in split(high - low, DIGITS) {
                let (part, depth) = self.unit(at, at + length);
                level = level.max(depth);
                parts.push(part);
                at += length;
            }
            let node = Node::Group(parts.clone());
            (self.push(node, parts), level + 1)
        };
        self.units.insert((low, high), made);
        made
    }

    /// All slices such that none is deeper than `depth`; `None` if that cannot be.
    fn finish(mut self, depth: u32) -> Option<Made> {
        for at in 0..self.slices {
            if self.carries[at].is_none_or(|(_, level)| level >= depth) {
                self.ahead(at, depth - 1)?;
            }
            if at == self.made {
                self.slice()?;
            }
        }
        Some(Made {
            nodes: self.nodes,
            reads: self.reads,
            depth: self.depth,
        })
    }

    /// The carry into a slice at a level, by the fewest new lookups.
    fn ahead(&mut self, into: usize, level: u32) -> Option<()> {
        let below = level.checked_sub(1)?;
        let mut best: Option<(usize, usize, Vec<Range>)> = None;
        for from in (0..into).rev() {
            if self.carries[from].is_none_or(|(_, level)| level > below) {
                continue;
            }
            if let Some((cost, units)) = self.cover(from, into, below, DIGITS)
                && best.as_ref().is_none_or(|(least, ..)| cost < *least)
            {
                best = Some((cost, from, units));
            }
        }
        let (_, from, units) = best?;
        self.jump(from, into, &units)
    }

    /// The cheapest way to cover a range with a limited number of units of each level.
    fn cover(
        &self,
        low: usize,
        high: usize,
        level: u32,
        count: usize,
    ) -> Option<(usize, Vec<Range>)> {
        if low == high {
            return Some((0, Vec::new()));
        }
        if count == 0 || level == 0 {
            return None;
        }
        let most = DIGITS.saturating_pow((level - 1).min(4));
        if high - low > most.saturating_mul(count) {
            return None;
        }
        let mut best: Option<(usize, Vec<Range>)> = None;
        // What is there, whole trees, or all that is left.
        let there = self
            .units
            .range((low, 0)..(low + 1, 0))
            .map(|(range, _)| range.1);
        let whole = std::iter::successors(Some(1), |size| Some(size * DIGITS));
        let whole = whole
            .take_while(|&size| size <= most)
            .map(|size| low + size);
        let mut ends: Vec<usize> = there.chain(whole).chain([high]).collect();
        ends.retain(|&end| end <= high && end - low <= most);
        ends.sort_unstable();
        ends.dedup();
        for end in ends.into_iter().rev() {
            let own = self.unit_cost(low, end);
            if let Some((cost, mut units)) = self.cover(end, high, level, count - 1)
                && best.as_ref().is_none_or(|(least, _)| own + cost < *least)
            {
                units.insert(0, (low, end));
                best = Some((own + cost, units));
            }
        }
        best
    }

    /// New lookups for the state of a range.
    fn unit_cost(&self, low: usize, high: usize) -> usize {
        if self.units.contains_key(&(low, high)) {
            return 0;
        }
        if high == low + 1 {
            return 1;
        }
        let mut at = low;
        let parts = split(high - low, DIGITS).into_iter().map(|length| {
            at += length;
            self.unit_cost(at - length, at)
        });
        1 + parts.sum::<usize>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn profile(cores: usize, alone: f64) -> Profile {
        let mut profile = Profile::lookup_simulation();
        profile.cores = cores;
        profile.batch = 8;
        profile.cost.lookup_alone = alone;
        profile
    }

    #[test]
    fn one_busy_core_takes_the_chain() {
        for slices in 1..=22 {
            assert_eq!(plan(slices, &profile(1, 1.25)).len(), slices);
        }
    }

    #[test]
    fn more_cores_take_more_lookups() {
        let counts = [1, 2, 4, 64].map(|cores| plan(11, &profile(cores, 1.25)).len());
        assert!(counts.is_sorted_by(|a, b| a < b), "{counts:?}");
    }

    #[test]
    fn jumps_cost_four_lookups_and_save_two_levels() {
        let made = Maker::new(11).jumps(1, 6).finish(u32::MAX).unwrap();
        assert_eq!((made.nodes.len(), made.depth), (19, 7));
    }

    #[test]
    fn deadlines_are_met() {
        for slices in 2..=22 {
            for depth in 2..slices as u32 {
                if let Some(made) = Maker::new(slices).finish(depth) {
                    assert!(made.depth <= depth);
                    // Every slice once.
                    let sums = made.nodes.iter().filter(|n| matches!(n, Node::Slice(_)));
                    assert_eq!(sums.count(), slices);
                }
            }
        }
        let made = Maker::new(11).finish(4).unwrap();
        assert!(made.nodes.len() <= 30, "{}", made.nodes.len());
    }
}
