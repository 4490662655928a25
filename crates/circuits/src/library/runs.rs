//! Runs of bits as digits: of each run it matters whether any of its bits is 1.
//!
//! How many bits of a run are 1 is a digit, and a lookup's sum of sixteen values takes as many digits as fit:
//!
//! ```text
//! t = d₀ + (n₀ + 1)·d₁ + (n₀ + 1)(n₁ + 1)·d₂ + …,   0 ≤ dᵢ ≤ nᵢ
//! ```
//!
//! What a lookup gives is one more bit of the next one's first digit. A run may be divided among lookups, and
//! fifteen bits of a long one are one bit by a lookup beside these.

use super::weighted::capacity;
use crate::{Builder, Wire};

/// Values of a lookup's sum.
pub(super) const VALUES: usize = 16;
/// Runs that are planned at once.
pub(super) const MOST: usize = 64;
/// Bits of which one lookup says whether any is 1.
const WIDEST: usize = VALUES - 1;

/// Whether the target has lookups of such sums.
pub(super) fn are_digits(b: &Builder) -> bool {
    capacity(b).is_some_and(|most| most as usize + 1 >= VALUES)
}

/// What one lookup reads of a run.
pub(super) struct Digit {
    pub(super) run: usize,
    pub(super) bits: Vec<Wire>,
}

/// How runs are divided among lookups.
#[derive(Clone)]
pub(super) struct Plan {
    /// By run: how often fifteen of its bits are made one.
    reduced: Vec<usize>,
    /// By run: how many of its bits are left for each lookup, from the one on in which the run before ended.
    taken: Vec<Vec<usize>>,
    last: Room,
    /// Lookups one after the other.
    pub(super) depth: usize,
}

/// What a lookup's sum has.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Room {
    values: usize,
    /// What the lookup before gave, as long as it is not part of a digit.
    carry: bool,
}

impl Plan {
    /// The plan of the fewest lookups for runs of these lengths, and of those one with the least depth.
    /// Quadratic in the number of runs, which is at most [`MOST`] wherever this is asked.
    pub(super) fn best(lengths: &[usize], is_carry_secret: bool) -> Self {
        let start = Self {
            reduced: Vec::new(),
            taken: Vec::new(),
            last: Room {
                values: 1,
                carry: is_carry_secret,
            },
            depth: 1,
        };
        // By what the last sum has room for, the best so far.
        let mut plans = vec![start.clone()];
        for &length in lengths {
            let mut longer: Vec<Self> = Vec::new();
            for plan in &plans {
                let choices =
                    (0..=length.div_ceil(WIDEST)).flat_map(|it| [(it, false), (it, true)]);
                for (reduced, is_apart) in choices {
                    let plan = plan.with(length, reduced, is_apart);
                    match longer.iter_mut().find(|known| known.last == plan.last) {
                        Some(known) if plan.cost() < known.cost() => *known = plan,
                        Some(_) => {}
                        None => longer.push(plan),
                    }
                }
            }
            plans = longer;
        }
        plans.into_iter().min_by_key(Self::cost).unwrap_or(start)
    }

    pub(super) fn lookups(&self) -> usize {
        self.depth + self.reduced.iter().sum::<usize>()
    }

    /// Of runs that are not divided two lookups may be one sum of the whole torus.
    fn cost(&self) -> (usize, usize, usize) {
        let pieces = self.taken.iter().flatten().filter(|&&count| count > 0);
        (self.lookups(), self.depth, pieces.count())
    }

    /// With another run, of which so many lookups make one bit each of fifteen; in a lookup apart from the
    /// runs before, or as far as there is room beside them.
    fn with(&self, length: usize, reduced: usize, is_apart: bool) -> Self {
        let mut plan = self.clone();
        let mut left = length - (reduced * WIDEST).min(length) + reduced;
        let mut taken = Vec::new();
        loop {
            let digit = match is_apart && taken.is_empty() {
                true => 0,
                false => plan.last.take(left),
            };
            taken.push(digit);
            left -= digit;
            if left == 0 {
                break;
            }
            plan.depth += 1;
            plan.last = Room {
                values: 1,
                carry: true,
            };
        }
        plan.reduced.push(reduced);
        plan.taken.push(taken);
        plan
    }

    /// By lookup the digits that it reads, none of them empty. A carry from the lookup before is beside them.
    pub(super) fn digits(&self, b: &mut Builder, runs: &[Vec<Wire>]) -> Vec<Vec<Digit>> {
        let mut lookups = vec![Vec::new()];
        for (run, bits) in runs.iter().enumerate() {
            let together = bits.len().min(self.reduced[run] * WIDEST);
            let (together, alone) = bits.split_at(together);
            let mut bits = alone.to_vec();
            // What is made of many comes last, and so may be made late.
            bits.extend(together.chunks(WIDEST).map(|bits| b.any(bits)));
            let mut bits = bits.into_iter();
            for (at, &count) in self.taken[run].iter().enumerate() {
                if at > 0 {
                    lookups.push(Vec::new());
                }
                let bits: Vec<Wire> = bits.by_ref().take(count).collect();
                if let (Some(lookup), false) = (lookups.last_mut(), bits.is_empty()) {
                    lookup.push(Digit { run, bits });
                }
            }
        }
        lookups
    }
}

impl Room {
    /// Takes a digit of at most so many bits; returns how many it took.
    fn take(&mut self, most: usize) -> usize {
        let carry = usize::from(self.carry);
        let taken = most.min((VALUES / self.values).saturating_sub(1 + carry));
        if taken > 0 {
            self.values *= 1 + carry + taken;
            self.carry = false;
        }
        taken
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Profile;

    #[test]
    fn every_bit_is_read_once_and_no_sum_is_too_large() {
        let profile = Profile::lookup_simulation();
        let lengths = [
            vec![1],
            vec![31],
            vec![64, 1],
            vec![1; 32],
            vec![3, 14, 15, 16, 2],
            vec![28, 1, 1, 1],
        ];
        for lengths in lengths {
            for carry in [false, true] {
                let mut b = Builder::new(&profile);
                let runs: Vec<Vec<Wire>> = lengths.iter().map(|&count| b.inputs(count)).collect();
                let plan = Plan::best(&lengths, carry);
                let digits = plan.digits(&mut b, &runs);
                assert_eq!(digits.len(), plan.depth, "{lengths:?}");
                let read: usize = digits.iter().flatten().map(|digit| digit.bits.len()).sum();
                let reduced: usize = plan.reduced.iter().sum();
                let all: usize = lengths.iter().sum();
                assert!(
                    read <= all && all <= read + reduced * (WIDEST - 1),
                    "{lengths:?}"
                );
                for (at, lookup) in digits.iter().enumerate() {
                    let own = |(place, digit): (usize, &Digit)| {
                        digit.bits.len() + 1 + usize::from(place == 0 && (at > 0 || carry))
                    };
                    let values: usize = lookup.iter().enumerate().map(own).product();
                    assert!((2..=VALUES).contains(&values), "{lengths:?}");
                }
            }
        }
    }

    #[test]
    fn long_runs_are_read_beside_each_other() {
        for (lengths, lookups) in [
            (vec![15], 1),
            (vec![16], 2),
            (vec![31], 3),
            (vec![1; 4], 1),
            (vec![1, 1, 1, 28], 3),
            (vec![1; 31], 10),
        ] {
            assert_eq!(
                Plan::best(&lengths, false).lookups(),
                lookups,
                "{lengths:?}"
            );
        }
    }
}
