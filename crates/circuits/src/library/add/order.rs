//! The carry out of an addition whose sum nobody reads: a comparison.
//!
//! A chain of d lookups takes a carry and k digits in each, four where the whole torus can be read
//! and noise allows it, else three; a digit is a column as it is, or the state of a tree of columns
//! ([`states`](super::states)). Each node of those trees turns k digits into one, so that n columns
//! take `d + ⌈(n − kd)/(k − 1)⌉` lookups: from the chain of ⌈n/k⌉ to depth 1 + logₖn at 10 lookups (15
//! by three) for 32 bits (depth 3), with everything between. A column with a clear bit takes half the
//! range: four of them make one state. The profile's cores decide by modelled time.

use super::states::{DIGITS, Digit, WIDE, carry_out, join, split, weigh};
use crate::library::weighted::{has_negacyclic, is_quiet_at_large_weights};
use crate::passes::makespan::{Step, of_steps};
use crate::{Builder, Profile, Wire};

/// A digit: a column, or the state of up to three digits (or four columns).
enum Unit {
    Column(usize),
    Joined(Vec<Unit>),
}

/// By lookup of the chain: what it adds to the carry.
type Chain = Vec<Vec<Unit>>;

/// Depths of trees that a chain's lookup may read beside each other.
const TREES: [u32; 3] = [1, 2, 3];
/// Columns with a clear bit in one state.
const HALF_CLEAR: usize = 4;

/// The carry out of `x + y + carry` where that is faster than by the adder; `None` where it is not.
pub(crate) fn carry(b: &mut Builder, x: &[Wire], y: &[Wire], carry: Wire) -> Option<Wire> {
    let digits: Vec<Digit> = x.iter().zip(y).map(|(&x, &y)| Digit([x, y])).collect();
    let is_quiet = |group: &[Digit]| is_quiet_at_large_weights(b, &weigh(group));
    // Columns with clear bits are half as wide: passes join more of them than this chain would.
    let is_wide = has_negacyclic(b) && !is_half_clear(x, y);
    let most = match is_wide && digits.chunks(WIDE).all(is_quiet) {
        true => WIDE,
        false => DIGITS,
    };
    let plan = best(x, y, most, b.profile())?;
    let mut carry = carry;
    for units in &plan {
        let read: Vec<Digit> = units.iter().map(|unit| unit.make(b, &digits)).collect();
        carry = carry_out(b, carry, &read);
    }
    Some(carry)
}

/// Whether all columns have a clear bit.
pub(in crate::library) fn is_half_clear(x: &[Wire], y: &[Wire]) -> bool {
    let clear = |wire: &Wire| wire.as_constant().is_some();
    x.iter().zip(y).all(|(x, y)| clear(x) || clear(y))
}

/// The fastest plan of up to so many digits in a lookup, if it beats the adder's chain.
fn best(x: &[Wire], y: &[Wire], digits: usize, profile: &Profile) -> Option<Chain> {
    let n = x.len();
    let leaf = match is_half_clear(x, y) {
        true => HALF_CLEAR,
        false => 1,
    };
    let leaves = n.div_ceil(leaf);
    let mut fastest = n.div_ceil(DIGITS) as f64 * profile.batch_time(1);
    let mut best = None;
    for depth in 1..=leaves.div_ceil(digits) {
        for tree in TREES {
            let tree = digits.pow(tree);
            let Some(sizes) = sizes(leaves, depth, tree, digits) else {
                continue;
            };
            let plan = Columns {
                count: n,
                leaf,
                digits,
            }
            .chain(&sizes);
            let mut steps = Vec::new();
            let mut before = None;
            for units in &plan {
                let mut reads: Vec<usize> = Vec::from_iter(before);
                reads.extend(units.iter().filter_map(|unit| unit.record(&mut steps)));
                before = Some(push(&mut steps, reads));
            }
            let work = steps.len() as f64 * profile.cost.lookup;
            if work / profile.cores.max(1) as f64 >= fastest {
                continue;
            }
            let steps: Vec<Step> = steps
                .into_iter()
                .map(|reads| Step {
                    reads,
                    earliest: 0.0,
                    cost: profile.cost.lookup,
                })
                .collect();
            let time = of_steps(&steps, profile);
            if time < fastest {
                (fastest, best) = (time, Some(plan));
            }
        }
    }
    best
}

/// Leaves for each digit of a chain of `depth` lookups, lowest first: large trees last, since
/// they take longest. `None` if there is no such plan.
fn sizes(leaves: usize, depth: usize, tree: usize, digits: usize) -> Option<Vec<usize>> {
    let slots = (digits * depth).min(leaves);
    let mut left = leaves;
    let mut sizes = vec![1; slots];
    for at in (0..slots).rev() {
        // Lookups of the chain before this one: as deep may a tree be.
        let before = (at / digits).min(4) as u32;
        let most = tree.min(digits.pow(before));
        sizes[at] = most.min(left - at);
        left -= sizes[at];
    }
    (left == 0).then_some(sizes)
}

/// What is compared, and how.
#[derive(Clone, Copy)]
struct Columns {
    count: usize,
    /// Columns of a leaf, but the last.
    leaf: usize,
    /// The most digits that a lookup joins.
    digits: usize,
}

impl Columns {
    /// The chain of digits of so many leaves.
    fn chain(self, sizes: &[usize]) -> Chain {
        let mut at = 0;
        let units: Vec<Unit> = sizes
            .iter()
            .map(|&size| {
                at += size;
                self.unit(at - size, size)
            })
            .collect();
        let mut units = units.into_iter().peekable();
        let mut chain = Vec::new();
        while units.peek().is_some() {
            chain.push(units.by_ref().take(self.digits).collect());
        }
        chain
    }

    /// The digit of leaves from `first` on.
    fn unit(self, first: usize, count: usize) -> Unit {
        if count == 1 {
            let from = first * self.leaf;
            let mut columns: Vec<Unit> = (from..self.count.min(from + self.leaf))
                .map(Unit::Column)
                .collect();
            return match columns.len() {
                1 => columns.swap_remove(0),
                _ => Unit::Joined(columns),
            };
        }
        let mut at = first;
        let part = |size| {
            at += size;
            self.unit(at - size, size)
        };
        Unit::Joined(split(count, self.digits).into_iter().map(part).collect())
    }
}

fn push(steps: &mut Vec<Vec<usize>>, reads: Vec<usize>) -> usize {
    steps.push(reads);
    steps.len() - 1
}

impl Unit {
    /// Its lookups, the last of them being its own; `None` for a column.
    fn record(&self, steps: &mut Vec<Vec<usize>>) -> Option<usize> {
        let Self::Joined(units) = self else {
            return None;
        };
        let reads = units.iter().filter_map(|unit| unit.record(steps)).collect();
        Some(push(steps, reads))
    }

    fn make(&self, b: &mut Builder, columns: &[Digit]) -> Digit {
        match self {
            &Self::Column(at) => columns[at],
            Self::Joined(units) => {
                let digits: Vec<Digit> = units.iter().map(|unit| unit.make(b, columns)).collect();
                join(b, &digits)
            }
        }
    }
}
