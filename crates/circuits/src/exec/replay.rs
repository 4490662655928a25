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
use super::queue::Queue;
use crate::Profile;
use crate::ir::{Circuit, Node, Op};
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
    let graph = graph(circuit, profile);
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
    let graph = graph(circuit, profile);
    let mut each = |done: Done<'_>| match done {
        Done::Free(task) => visit(Node(task)),
        Done::Batch(ended) => ended.tasks.iter().for_each(|&task| visit(Node(task))),
    };
    simulate(&graph, profile, profile.cores, Vec::new(), &mut each);
}

/// The time alone, of a circuit on the profile's cores.
pub(crate) fn time(circuit: &Circuit, profile: &Profile) -> f64 {
    let graph = graph(circuit, profile);
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

/// A circuit's nodes as tasks of the same numbers.
pub(super) fn graph(circuit: &Circuit, profile: &Profile) -> Graph {
    graph_without(circuit, profile, &|_| false)
}

/// The same without those that are there already.
pub(super) fn graph_without(
    circuit: &Circuit,
    profile: &Profile,
    is_there: &dyn Fn(Node) -> bool,
) -> Graph {
    let prices = circuit.nodes().map(|node| {
        if circuit.input_number(node).is_some() || is_there(node) {
            return None;
        }
        let op = circuit.op(node);
        let stream = match op {
            Op::Selector { .. } if profile.selectors.is_some() => Stream::Selectors,
            _ => Stream::Lookups,
        };
        Some(Price {
            cost: profile.time(&op),
            places: profile.rotations(&op),
            stream,
            counted: profile.is_counted(&op),
        })
    });
    let sources = |node: usize| {
        let wires = circuit.op(Node(node as u32)).operands();
        wires.filter_map(|wire| Some(circuit.source(wire.signal())?.index()))
    };
    Graph::new(prices, sources, profile)
}

/// A batch that a worker is at.
struct Running {
    worker: usize,
    /// Who helps with it.
    partner: Option<usize>,
    start: f64,
    /// At the present number of busy workers.
    end: f64,
    tasks: Vec<u32>,
    stream: Stream,
    places: usize,
    beside: f64,
}

/// What is done at some time of the simulation.
enum Done<'a> {
    Batch(&'a Running),
    /// A task that takes no time.
    Free(u32),
}

/// The simulation. `arrivals` are times before which tasks may not start.
fn simulate(
    graph: &Graph,
    profile: &Profile,
    workers: usize,
    mut arrivals: Vec<(f64, usize)>,
    observer: &mut dyn FnMut(Done<'_>),
) -> Schedule {
    let workers = workers.max(1);
    // As many as `run` starts.
    let mut queue = Queue::new(graph, profile, workers.min(graph.loads.len().max(1)));
    let mut schedule = Schedule {
        workers,
        time: 0.0,
        time_of_one: 0.0,
        busy: 0.0,
        jobs: queue.total,
        rotations: 0,
        batches: 0,
    };
    arrivals.sort_by(|a, b| b.0.total_cmp(&a.0));
    for &(_, task) in &arrivals {
        queue.hold(task);
    }
    let mut now = 0.0f64;
    let mut running: Vec<Running> = Vec::new();
    // The last has finished last, and goes first.
    let mut idle: Vec<usize> = (0..workers.min(graph.loads.len().max(1))).rev().collect();
    loop {
        finish_free(&mut queue, observer);
        let busy = running.len();
        while let Some(&worker) = idle.last() {
            let tasks = queue.take(worker, now);
            if tasks.is_empty() {
                break;
            }
            idle.pop();
            let partner = match (profile.shared, queue.alone(&tasks)) {
                (Some(_), Some(1)) => idle.pop(),
                _ => None,
            };
            let loads = tasks.iter().filter_map(|&task| graph.loads[task as usize]);
            let stream = loads
                .clone()
                .next()
                .map_or(Stream::Lookups, |load| load.stream);
            let (places, beside) = loads.fold((0, 0.0), |(places, beside), load| {
                let beside = beside + f64::from(load.beside);
                (places + load.places as usize, beside)
            });
            schedule.rotations += places;
            schedule.batches += usize::from(places > 0);
            running.push(Running {
                worker,
                partner,
                start: now,
                end: now,
                tasks,
                stream,
                places,
                beside,
            });
        }
        let together = running.len();
        for (at, batch) in running.iter_mut().enumerate() {
            let time = |busy| batch.time(profile, busy);
            if at >= busy {
                batch.end = now + time(together);
            } else {
                batch.end = batch.continued(now, time(busy), time(together));
            }
        }
        let first = running
            .iter()
            .enumerate()
            .min_by(|(_, a), (_, b)| a.end.total_cmp(&b.end).then(a.worker.cmp(&b.worker)));
        let arrival = arrivals.last().copied();
        match (first, arrival) {
            (None, None) => break,
            (first, Some((at, task))) if first.is_none_or(|(_, batch)| at < batch.end) => {
                now = now.max(at);
                arrivals.pop();
                queue.release(task);
            }
            (None, Some(_)) => break,
            (Some((at, _)), _) => {
                let ended = running.remove(at);
                now = ended.end;
                queue.returned(ended.worker, now);
                let workers = 1 + usize::from(ended.partner.is_some());
                schedule.busy += workers as f64 * (now - ended.start);
                idle.extend(ended.partner);
                idle.push(ended.worker);
                for &task in &ended.tasks {
                    queue.finish(task as usize);
                }
                let (before, after) = (running.len() + 1, running.len());
                for batch in &mut running {
                    let time = |busy| batch.time(profile, busy);
                    batch.end = batch.continued(now, time(before), time(after));
                }
                observer(Done::Batch(&ended));
            }
        }
    }
    schedule.time = now;
    schedule.time_of_one = now;
    schedule
}

impl Running {
    fn time(&self, profile: &Profile, busy: usize) -> f64 {
        let rotations = profile.batch_time_beside(self.places, busy);
        let share = match self.partner {
            Some(_) => profile.shared.unwrap_or(1.0),
            None => 1.0,
        };
        let time = share * rotations * self.stream.length(profile) + self.beside;
        // A task that takes no time would never let time go on.
        time.max(0.0)
    }

    /// The end if what is left takes as much longer as the whole batch would.
    fn continued(&self, now: f64, before: f64, after: f64) -> f64 {
        if before == after || before == 0.0 {
            self.end
        } else {
            now + (self.end - now) * (after / before)
        }
    }
}

/// Free tasks take no time: all that are ready are done, and those that they make ready.
fn finish_free(queue: &mut Queue<'_>, observer: &mut dyn FnMut(Done<'_>)) {
    loop {
        let free = queue.take_free();
        if free.is_empty() {
            return;
        }
        for task in free {
            observer(Done::Free(task));
            queue.finish(task as usize);
        }
    }
}
