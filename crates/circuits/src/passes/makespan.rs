//! How long a circuit takes on the profile's cores: the scheduler replayed on the profile's costs.
//!
//! Idle workers take their share of what is ready, most urgent first, up to a batch (see
//! [`exec`](crate::run)), and a batch takes what [`Profile::batch_time`] says. Units of the library
//! that trade lookups for depth choose by this number; O(nodes · log nodes).

use std::collections::BinaryHeap;

use crate::ir::Op;
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
    // By node: the steps after which its bits are there; several for a sum of bits, which takes
    // no time.
    let mut after: Vec<Vec<usize>> = vec![Vec::new(); circuit.len()];
    let mut steps = Vec::with_capacity(circuit.len());
    for node in circuit.nodes() {
        let op = circuit.op(node);
        if let Op::Input(_) = op {
            continue;
        }
        let sources = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let mut reads: Vec<usize> = sources
            .flat_map(|source| after[source.index()].iter().copied())
            .collect();
        reads.sort_unstable();
        reads.dedup();
        if let (Op::Disjoint { .. }, Some(_)) = (op, profile.lookup) {
            after[node.index()] = reads;
            continue;
        }
        after[node.index()].push(steps.len());
        steps.push(Step {
            reads,
            earliest: 0.0,
            cost: profile.time(&op),
        });
    }
    of_steps(&steps, profile)
}

/// The same for steps that are not a circuit yet.
pub(crate) fn of_steps(steps: &[Step], profile: &Profile) -> f64 {
    let alone = match profile.lookup {
        Some(_) => profile.cost.lookup_alone,
        None => 0.0,
    };
    let mut readers: Vec<Vec<usize>> = vec![Vec::new(); steps.len()];
    let mut waiting: Vec<usize> = Vec::with_capacity(steps.len());
    for (number, step) in steps.iter().enumerate() {
        waiting.push(step.reads.len());
        for &read in &step.reads {
            readers[read].push(number);
        }
    }
    // The longest way to the end, in steps.
    let mut urgency = vec![1u32; steps.len()];
    for number in (0..steps.len()).rev() {
        let after = readers[number].iter().map(|&reader| urgency[reader]).max();
        urgency[number] += after.unwrap_or(0);
    }

    let cores = profile.cores.max(1);
    let mut ready: BinaryHeap<(u32, std::cmp::Reverse<usize>)> = BinaryHeap::new();
    // Steps whose operands are there, but not their time.
    let mut early: Vec<usize> = Vec::new();
    let mut running: Vec<(f64, Vec<usize>)> = Vec::new();
    let mut now = 0.0f64;
    early.extend((0..steps.len()).filter(|&number| waiting[number] == 0));
    loop {
        early.retain(|&number| {
            let wait = steps[number].earliest > now;
            if !wait {
                ready.push((urgency[number], std::cmp::Reverse(number)));
            }
            wait
        });
        while running.len() < cores && !ready.is_empty() {
            let share = ready.len().div_ceil(cores).min(profile.batch.max(1));
            let batch: Vec<usize> = (0..share)
                .filter_map(|_| ready.pop())
                .map(|(_, std::cmp::Reverse(number))| number)
                .collect();
            let cost: f64 = batch.iter().map(|&number| steps[number].cost).sum();
            running.push((now + cost.max(alone), batch));
        }
        let ends = running.iter().map(|(end, _)| *end);
        let starts = early.iter().map(|&number| steps[number].earliest);
        let Some(next) = ends.chain(starts).min_by(f64::total_cmp) else {
            return now;
        };
        now = next;
        let mut at = 0;
        while at < running.len() {
            if running[at].0 > now {
                at += 1;
                continue;
            }
            for number in running.swap_remove(at).1 {
                for &reader in &readers[number] {
                    waiting[reader] -= 1;
                    if waiting[reader] == 0 {
                        early.push(reader);
                    }
                }
            }
        }
    }
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
