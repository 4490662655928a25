//! A pool of workers in the model: what they take, how long it takes them while so many are busy, and what is
//! done when a batch ends. Whoever plays it through keeps the time.

use super::graph::{Graph, Stream};
use super::queue::Queue;
use crate::Profile;

/// A batch that a worker is at.
pub(crate) struct Running {
    pub(super) worker: usize,
    /// Who helps with it.
    partner: Option<usize>,
    pub(super) start: f64,
    /// At the present number of busy workers.
    pub(super) end: f64,
    pub(crate) tasks: Vec<u32>,
    stream: Stream,
    places: usize,
    beside: f64,
}

/// What is done at some time of the simulation.
pub(crate) enum Done<'a> {
    Batch(&'a Running),
    /// A task that takes no time.
    Free(u32),
}

/// Workers that share a queue.
pub(crate) struct SimulatedPool<'a> {
    graph: &'a Graph,
    profile: &'a Profile,
    pub(super) queue: Queue<'a>,
    running: Vec<Running>,
    /// The last has finished last, and goes first.
    idle: Vec<usize>,
    /// How many times as fast as the profile says.
    speed: f64,
    /// Time that workers were busy, summed over all, in nanoseconds.
    pub(crate) busy: f64,
    /// Places that were filled.
    pub(crate) rotations: usize,
    /// Batches of operations that rotate.
    pub(crate) batches: usize,
}

impl<'a> SimulatedPool<'a> {
    pub(crate) fn new(graph: &'a Graph, profile: &'a Profile, workers: usize, speed: f64) -> Self {
        // As many as `run` starts.
        let workers = workers.max(1).min(graph.loads.len().max(1));
        Self {
            graph,
            profile,
            queue: Queue::new(graph, profile, workers),
            running: Vec::new(),
            idle: (0..workers).rev().collect(),
            speed,
            busy: 0.0,
            rotations: 0,
            batches: 0,
        }
    }

    /// Whether everything is done.
    pub(crate) fn is_done(&self) -> bool {
        self.queue.done == self.queue.total
    }

    /// What somebody else computes is there.
    pub(crate) fn arrived(&mut self, task: usize) {
        self.queue.finish(task);
    }

    /// Workers that have nothing to do take what is ready.
    pub(crate) fn start(&mut self, now: f64, observer: &mut dyn FnMut(Done<'_>)) {
        finish_free(&mut self.queue, observer);
        let busy = self.running.len();
        while let Some(&worker) = self.idle.last() {
            let tasks = self.queue.take(worker, now);
            if tasks.is_empty() {
                break;
            }
            self.idle.pop();
            let partner = match (self.profile.shared, self.queue.alone(&tasks)) {
                (Some(_), Some(1)) => self.idle.pop(),
                _ => None,
            };
            let loads = tasks
                .iter()
                .filter_map(|&task| self.graph.loads[task as usize]);
            let stream = loads
                .clone()
                .next()
                .map_or(Stream::Lookups, |load| load.stream);
            let (places, beside) = loads.fold((0, 0.0), |(places, beside), load| {
                let beside = beside + f64::from(load.beside);
                (places + load.places as usize, beside)
            });
            self.rotations += places;
            self.batches += usize::from(places > 0);
            self.running.push(Running {
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
        let together = self.running.len();
        let (profile, speed) = (self.profile, self.speed);
        for (at, batch) in self.running.iter_mut().enumerate() {
            let time = |busy| batch.time(profile, busy) / speed;
            if at >= busy {
                batch.end = now + time(together);
            } else {
                batch.end = batch.continued(now, time(busy), time(together));
            }
        }
    }

    /// The batch that ends first.
    fn first(&self) -> Option<usize> {
        let running = self.running.iter().enumerate();
        let first =
            running.min_by(|(_, a), (_, b)| a.end.total_cmp(&b.end).then(a.worker.cmp(&b.worker)));
        first.map(|(at, _)| at)
    }

    /// When that is.
    pub(crate) fn next_end(&self) -> Option<f64> {
        self.first().map(|at| self.running[at].end)
    }

    /// Ends it.
    pub(crate) fn end(&mut self) -> Option<Running> {
        let ended = self.running.remove(self.first()?);
        let now = ended.end;
        self.queue.returned(ended.worker, now);
        let workers = 1 + usize::from(ended.partner.is_some());
        self.busy += workers as f64 * (now - ended.start);
        self.idle.extend(ended.partner);
        self.idle.push(ended.worker);
        for &task in &ended.tasks {
            self.queue.finish(task as usize);
        }
        let (before, after) = (self.running.len() + 1, self.running.len());
        let profile = self.profile;
        for batch in &mut self.running {
            // Quotients of times: a speed would make no difference.
            let time = |busy| batch.time(profile, busy);
            batch.end = batch.continued(now, time(before), time(after));
        }
        Some(ended)
    }
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
