//! How long a run takes on workers that need not exist: the scheduler played through in the model.
//!
//! Tasks are handed out by the very [queue](super::queue) that hands them to threads, and a batch
//! takes what the profile says for its rotations and for the number of workers that are busy; if
//! that number changes, what is left of a batch goes on at the other speed. Where a worker has one
//! rotation and another has nothing to do, they share it. What the model leaves
//! out are the microseconds of the scheduler's lock against milliseconds of a batch, and whatever
//! else the machine does.
//!
//! The times of batches are measured for as many busy workers as the machine has, and taken to be
//! the last of these for more (see [`Timing`](crate::Timing)): with more workers than cores the
//! result is a prediction under that assumption.
//! O(nodes · log nodes + batches · workers).

use super::graph::{Graph, Price, Stream};
use super::simulated::{Done, SimulatedPool};
use crate::Profile;
use crate::ir::{Circuit, Node};
use crate::passes::makespan::Step;

/// What a replay found.
///
/// ```
/// use blindcore_circuits::exec::{Batch, Schedule, replay, replay_with};
/// use blindcore_circuits::{Builder, Profile, passes};
///
/// let mut profile = Profile::lookup_simulation();
/// profile.batch = 1;
/// // Four parities of four bits that do not wait for each other.
/// let mut build = Builder::new(&profile);
/// for _ in 0..4 {
///     let bits = build.inputs(4);
///     let parity = build.parity(&bits);
///     build.output(parity);
/// }
/// let circuit = passes::prepare(&build.finish(), &profile);
///
/// let schedule: Schedule = replay(&circuit, &profile, 2);
/// assert_eq!((schedule.time, schedule.time_of_one), (2.0, 4.0));
/// assert_eq!((schedule.speedup(), schedule.efficiency()), (2.0, 1.0));
/// assert_eq!((schedule.busy_share(), schedule.mean_batch()), (1.0, 1.0));
///
/// let mut chart = Vec::new();
/// replay_with(&circuit, &profile, 2, &mut |batch: &Batch| chart.push((batch.worker, batch.end)));
/// assert_eq!(chart, [(0, 1.0), (1, 1.0), (0, 2.0), (1, 2.0)]);
/// ```
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Schedule {
    /// Workers that there were.
    pub workers: usize,
    /// From the first operation to the last, in nanoseconds.
    pub time: f64,
    /// The same on one worker.
    pub time_of_one: f64,
    /// Time that workers were busy, summed over all, in nanoseconds.
    pub busy: f64,
    /// Operations, free ones included.
    pub jobs: usize,
    /// Places that they filled in batches: see [`Profile::rotations`].
    pub rotations: usize,
    /// Batches of operations that rotate.
    pub batches: usize,
}

impl Schedule {
    /// How much faster than one worker; 1 where nothing takes time.
    #[must_use]
    pub fn speedup(&self) -> f64 {
        if self.time > 0.0 {
            self.time_of_one / self.time
        } else {
            1.0
        }
    }

    /// Speedup for each worker.
    #[must_use]
    pub fn efficiency(&self) -> f64 {
        self.speedup() / self.workers as f64
    }

    /// The share of their time that workers are busy, 0 to 1; 1 where nothing takes time.
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        if self.time > 0.0 {
            self.busy / (self.time * self.workers as f64)
        } else {
            1.0
        }
    }

    /// Rotations in a batch, on average.
    #[must_use]
    pub fn mean_batch(&self) -> f64 {
        self.rotations as f64 / self.batches.max(1) as f64
    }
}

/// A batch as it was evaluated.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Batch<'a> {
    /// By whom, from 0.
    pub worker: usize,
    /// From when, in nanoseconds from the start.
    pub start: f64,
    /// Until when.
    pub end: f64,
    /// What was in it.
    pub nodes: &'a [Node],
}

/// Replays a run of a circuit on `workers` workers; 0 counts as 1. The circuit should have been
/// prepared for the profile, as for [`run`](super::run()).
#[must_use]
pub fn replay(circuit: &Circuit, profile: &Profile, workers: usize) -> Schedule {
    replay_with(circuit, profile, workers, &mut |_| {})
}

/// The same, and every batch as it ends, for a chart; free operations are in none.
pub fn replay_with(
    circuit: &Circuit,
    profile: &Profile,
    workers: usize,
    observer: &mut dyn FnMut(&Batch<'_>),
) -> Schedule {
    let graph = Graph::of(circuit, profile);
    let workers = workers.max(1);
    let mut nodes = Vec::new();
    let mut schedule = simulate(&graph, profile, workers, Vec::new(), &mut |done| {
        let Done::Batch(ended) = done else {
            return;
        };
        nodes.clear();
        nodes.extend(ended.tasks.iter().map(|&task| Node(task)));
        observer(&Batch {
            worker: ended.worker,
            start: ended.start,
            end: ended.end,
            nodes: &nodes,
        });
    });
    if workers > 1 {
        schedule.time_of_one = simulate(&graph, profile, 1, Vec::new(), &mut |_| {}).time;
    }
    schedule
}

/// Calls on every node of a circuit but its inputs, in an order in which the profile's cores may
/// compute them.
pub(crate) fn in_turn(circuit: &Circuit, profile: &Profile, visit: &mut dyn FnMut(Node)) {
    let graph = Graph::of(circuit, profile);
    let mut each = |done: Done<'_>| match done {
        Done::Free(task) => visit(Node(task)),
        Done::Batch(ended) => ended.tasks.iter().for_each(|&task| visit(Node(task))),
    };
    simulate(&graph, profile, profile.cores, Vec::new(), &mut each);
}

/// The time alone, of a circuit on the profile's cores.
pub(crate) fn time(circuit: &Circuit, profile: &Profile) -> f64 {
    let graph = Graph::of(circuit, profile);
    simulate(&graph, profile, profile.cores, Vec::new(), &mut |_| {}).time
}

/// The same for steps that are not a circuit yet.
pub(crate) fn time_of_steps(steps: &[Step], profile: &Profile) -> f64 {
    let price = |step: &Step| {
        Some(Price {
            cost: step.cost,
            places: profile.places(step.cost),
            stream: Stream::Lookups,
            counted: true,
        })
    };
    let prices = steps.iter().map(price);
    let graph = Graph::new(prices, |step| steps[step].reads.iter().copied(), profile);
    let early = steps.iter().enumerate();
    let arrivals = early.filter(|(_, step)| step.earliest > 0.0);
    let arrivals = arrivals.map(|(number, step)| (step.earliest, number));
    let cores = profile.cores;
    simulate(&graph, profile, cores, arrivals.collect(), &mut |_| {}).time
}

/// The simulation. `arrivals` are times before which tasks may not start.
fn simulate(
    graph: &Graph,
    profile: &Profile,
    workers: usize,
    mut arrivals: Vec<(f64, usize)>,
    observer: &mut dyn FnMut(Done<'_>),
) -> Schedule {
    let mut pool = SimulatedPool::new(graph, profile, workers, 1.0);
    arrivals.sort_by(|a, b| b.0.total_cmp(&a.0));
    for &(_, task) in &arrivals {
        pool.queue.hold(task);
    }
    let mut now = 0.0f64;
    loop {
        pool.start(now, observer);
        match (pool.next_end(), arrivals.last().copied()) {
            (None, None) => break,
            (end, Some((at, task))) if end.is_none_or(|end| at < end) => {
                now = now.max(at);
                arrivals.pop();
                pool.queue.release(task);
            }
            (None, Some(_)) => break,
            (Some(end), _) => {
                now = end;
                if let Some(ended) = pool.end() {
                    observer(Done::Batch(&ended));
                }
            }
        }
    }
    Schedule {
        workers: workers.max(1),
        time: now,
        time_of_one: now,
        busy: pool.busy,
        jobs: pool.queue.total,
        rotations: pool.rotations,
        batches: pool.batches,
    }
}
