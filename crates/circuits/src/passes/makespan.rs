//! How long a circuit takes on the profile's cores: the scheduler replayed on the profile's costs
//! ([`exec::replay`](crate::exec::replay())), and only the time kept.
//!
//! Units of the library that trade lookups for depth choose by this number; O(nodes · log nodes).

use crate::exec::{time, time_of_steps};
use crate::{Circuit, Profile};

/// One operation: what it waits for, when it may start at the earliest, and its time in a batch.
pub(crate) struct Step {
    /// Numbers of earlier steps.
    pub(crate) reads: Vec<usize>,
    /// Nanoseconds.
    pub(crate) earliest: f64,
    /// Nanoseconds.
    pub(crate) cost: f64,
}

/// The modelled time in nanoseconds from the first operation to the last.
#[must_use]
pub fn makespan(circuit: &Circuit, profile: &Profile) -> f64 {
    time(circuit, profile)
}

/// The same for steps that are not a circuit yet.
pub(crate) fn of_steps(steps: &[Step], profile: &Profile) -> f64 {
    time_of_steps(steps, profile)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Builder, library};

    fn profile(cores: usize, alone: f64) -> Profile {
        let mut profile = Profile::lookup_simulation();
        profile.cores = cores;
        profile.batch = 8;
        profile.cost.lookup_alone = alone;
        profile
    }

    /// `count` chains of `length` steps.
    fn chains(count: usize, length: usize) -> Vec<Step> {
        let step = |number: usize| Step {
            reads: number.checked_sub(count).into_iter().collect(),
            earliest: 0.0,
            cost: 1.0,
        };
        (0..count * length).map(step).collect()
    }

    #[test]
    fn batches_and_cores() {
        // Alone each step takes 1.5, together 1.
        for (cores, count, expected) in [
            (1, 1, 6.0),
            (1, 2, 8.0),
            (1, 8, 32.0),
            (2, 2, 6.0),
            (8, 2, 6.0),
            (16, 16, 6.0),
        ] {
            let time = of_steps(&chains(count, 4), &profile(cores, 1.5));
            assert_eq!(time, expected, "{count} chains on {cores} cores");
        }
    }

    #[test]
    fn steps_wait_for_their_time() {
        let mut steps = chains(1, 2);
        steps[0].earliest = 10.0;
        assert_eq!(of_steps(&steps, &profile(1, 1.0)), 12.0);
        assert_eq!(of_steps(&[], &profile(1, 1.0)), 0.0);
    }

    #[test]
    fn circuits_are_steps() {
        let profile = profile(1, 1.0);
        let mut b = Builder::new(&profile);
        let (x, y) = (b.inputs(32), b.inputs(32));
        for wire in library::xor(&mut b, &x, &y) {
            b.output(wire);
        }
        assert_eq!(makespan(&b.finish(), &profile), 32.0);
    }
}
