//! Which tasks a worker gets: the one rule that [`run`](super::run()) follows on threads and
//! [`replay`](super::replay()) in the model.
//!
//! Of the tasks that wait for nothing, the one with the longest way to the end goes first, in
//! program order among equals (list scheduling by critical path, Graham 1966; with batches of one a
//! factor of at most `2 − 1/workers` from the optimum). Batches are cheaper for each task, so a
//! worker takes as many as a batch holds, unless others could help: of what is ready it takes the
//! least share with which, if the others do what they can from when they are free, all of it is
//! done when its own batch is. That needs the time at which each worker will be free, which follows
//! from the profile's times of batches and from how long those of this run really took.
//!
//! A share of ⌈ready/workers⌉ would be simpler, and wrong where it matters: at the end of a wide
//! layer a worker that is to be free in a whole batch's time is no reason to leave anything for it,
//! and halves of halves are taken in batches that become smaller and smaller.
//!
//! Rotations that make selectors read a longer key than lookups do, and batches are of one kind: as
//! many as are ready of the most urgent task's.
//!
//! Free tasks fill no place: they are handed out at once, apart from all others. Light ones, which
//! take microseconds, fill none either: they go before the others, since they make some of these
//! ready, which fill batches then; a worker takes its share of them, and not all that there are.
//!
//! Urgency goes wide: of a thousand equal chains it takes every first step before a second one, and
//! all that was computed ahead has to be kept. While a [frugal](Queue::set_frugal) queue is told
//! that too much is kept, it hands out what comes first in the order of the circuit, and nothing
//! far from the earliest task that is not done: see [`order`](super::order).

use std::collections::BinaryHeap;

use super::graph::{Graph, Load, Stream};
use super::order::Order;
use super::pool::Progress;
use crate::Profile;

/// The tasks of a run that are ready, and the workers that take them.
pub(super) struct Queue<'a> {
    graph: &'a Graph,
    /// By task: results that are still to be computed.
    waiting: Vec<u32>,
    /// By what they read, and by urgency; the complement of the task's number, so that earlier tasks
    /// go first.
    ready: [BinaryHeap<(u64, u32)>; 2],
    /// Places that the ready tasks fill, likewise.
    places: [usize; 2],
    free: Vec<u32>,
    /// As `ready`, of light tasks.
    light: BinaryHeap<(u64, u32)>,
    /// How many of them are ready.
    lights: usize,
    batch: usize,
    /// Time of a batch of one place, two and so on while all workers are busy.
    times: Vec<f64>,
    /// By what a batch reads: how much longer it takes than one of lookups.
    lengths: [f64; 2],
    workers: Vec<Worker>,
    /// How much longer batches took than they should have.
    pace: f64,
    /// The other order, if it may be asked for.
    order: Option<Order>,
    /// Whether it is in force.
    frugal: bool,
    /// Tasks that are done.
    pub(super) done: usize,
    /// Tasks in all.
    pub(super) total: usize,
    /// Of those that are done, and of all, how many progress counts.
    counted: [usize; 2],
}

/// What a worker is at.
#[derive(Clone, Copy, Default)]
struct Worker {
    started: f64,
    /// What its batch takes by the profile; 0 while it has none.
    expected: f64,
}

/// Light tasks that a worker takes at once, at most: less than a millisecond.
const LIGHT: usize = 64;

/// How fast the pace follows: a quarter of the last batch's, so that one interruption is forgotten
/// after a few.
const PACE: f64 = 0.25;

impl<'a> Queue<'a> {
    pub(super) fn new(graph: &'a Graph, profile: &Profile, workers: usize) -> Self {
        let workers = workers.max(1);
        let batch = profile.batch.max(1);
        let mut queue = Self {
            graph,
            waiting: graph.waiting.clone(),
            ready: [BinaryHeap::new(), BinaryHeap::new()],
            places: [0; 2],
            free: Vec::new(),
            light: BinaryHeap::new(),
            lights: 0,
            batch,
            times: (1..=batch)
                .map(|places| profile.batch_time_beside(places, workers))
                .collect(),
            lengths: [Stream::Lookups, Stream::Selectors].map(|stream| stream.length(profile)),
            workers: vec![Worker::default(); workers],
            pace: 1.0,
            order: None,
            frugal: false,
            done: 0,
            total: 0,
            counted: [0; 2],
        };
        queue.total = graph.computed.len();
        for &task in &graph.computed {
            let load = graph.loads[task as usize];
            queue.counted[1] += usize::from(load.is_some_and(|load| load.counted));
            if graph.waiting[task as usize] == 0 {
                queue.push(task);
            }
        }
        queue
    }

    /// The same queue, ready to go by the circuit's order when it is [told](Self::set_frugal) to.
    /// To be called before anything was taken.
    pub(super) fn with_order(mut self) -> Self {
        let done = self.graph.loads.iter().map(Option::is_none);
        let reach = 4 * self.batch * self.workers.len();
        let mut order = Order::new(done.collect(), reach);
        for &(_, task) in self.ready.iter().flatten().chain(&self.light) {
            order.push(!task);
        }
        self.order = Some(order);
        self
    }

    /// Whether tasks go by the circuit's order from here on, or by urgency. Without
    /// [`with_order`](Self::with_order) they always go by urgency.
    pub(super) fn set_frugal(&mut self, frugal: bool) {
        self.frugal = frugal && self.order.is_some();
    }

    /// One more thing for which a task has to wait, before anything was taken.
    pub(super) fn hold(&mut self, task: usize) {
        self.waiting[task] += 1;
        if self.waiting[task] == 1 {
            self.free.retain(|&other| other as usize != task);
            let own = self.places_of(task);
            for (ready, places) in self.ready.iter_mut().zip(&mut self.places) {
                let before = ready.len();
                ready.retain(|&(_, other)| !other as usize != task);
                if ready.len() < before {
                    *places -= own;
                }
            }
            self.light.retain(|&(_, other)| !other as usize != task);
            self.lights = self.light.len();
        }
    }

    /// One thing less.
    pub(super) fn release(&mut self, task: usize) {
        self.waiting[task] -= 1;
        if self.waiting[task] == 0 {
            self.push(task as u32);
        }
    }

    /// A task is done: its readers have one thing less to wait for.
    pub(super) fn finish(&mut self, task: usize) {
        self.done += 1;
        let load = self.graph.loads[task];
        self.counted[0] += usize::from(load.is_some_and(|load| load.counted));
        if let Some(order) = &mut self.order {
            order.finish(task);
        }
        let graph = self.graph;
        for &reader in graph.readers(task) {
            self.release(reader as usize);
        }
    }

    /// How far this is, in [those](Profile::is_counted) that progress counts.
    pub(super) fn progress(&self) -> Progress {
        let [done, total] = self.counted;
        Progress { done, total }
    }

    /// Whether there is anything to take.
    pub(super) fn is_empty(&mut self) -> bool {
        let paid = match &mut self.order {
            Some(order) if self.frugal => order.first().is_some(),
            _ => self.places != [0; 2] || self.lights > 0,
        };
        !paid && self.free.is_empty()
    }

    /// Whether there is more than what one worker who asks now leaves for others.
    pub(super) fn has_several(&mut self) -> bool {
        let tasks = self.places.iter().sum::<usize>() + self.lights + self.free.len();
        tasks > 1 || self.frugal && !self.is_empty()
    }

    /// Whether there is nothing for another worker but to share this batch, or to wait for it: it fills that
    /// many places, one at most, and nothing else is ready.
    pub(super) fn alone(&mut self, tasks: &[u32]) -> Option<usize> {
        let places = tasks
            .iter()
            .map(|&task| self.places_of(task as usize))
            .sum();
        (places <= 1 && self.is_empty()).then_some(places)
    }

    /// Ready tasks that are free, if there are any.
    pub(super) fn take_free(&mut self) -> Vec<u32> {
        std::mem::take(&mut self.free)
    }

    /// A worker's next batch, at a time in nanoseconds. It has finished the one before.
    pub(super) fn take(&mut self, worker: usize, now: f64) -> Vec<u32> {
        self.returned(worker, now);
        let light = self.take_light();
        if !light.is_empty() {
            return light;
        }
        let Some(stream) = self.next_stream() else {
            return Vec::new();
        };
        let share = self.share(worker, stream, now);
        let mut taken = Vec::with_capacity(share);
        let (mut places, mut beside) = (0, 0.0);
        while places < share
            && let Some(task) = self.first(stream)
        {
            let own = self.places_of(task as usize);
            if places > 0 && places + own > self.batch {
                break;
            }
            match &mut self.order {
                Some(order) => order.take(task),
                None => drop(self.ready[stream].pop()),
            }
            taken.push(task);
            places += own;
            beside += self.beside_of(task as usize);
        }
        self.places[stream] -= places;
        if places > 0 {
            self.workers[worker] = Worker {
                started: now,
                expected: (self.time(places) * self.lengths[stream] + beside).max(0.0),
            };
        }
        taken
    }

    /// Light tasks for one worker, if they are what comes next.
    fn take_light(&mut self) -> Vec<u32> {
        let share = self.lights.div_ceil(self.workers.len()).min(LIGHT);
        let mut taken = Vec::with_capacity(share);
        while taken.len() < share {
            let next = match &mut self.order {
                Some(order) if self.frugal => order.first(),
                order => first(&mut self.light, order.as_ref()),
            };
            let Some(task) = next.filter(|&task| self.is_light(task as usize)) else {
                break;
            };
            match &mut self.order {
                Some(order) => order.take(task),
                None => drop(self.light.pop()),
            }
            taken.push(task);
        }
        self.lights -= taken.len();
        taken
    }

    /// What the next task by the order in force reads.
    fn next_stream(&mut self) -> Option<usize> {
        if let (Some(order), true) = (&mut self.order, self.frugal) {
            let task = order.first()?;
            return Some(self.stream_of(task as usize));
        }
        let heads = [0, 1].map(|stream| {
            first(&mut self.ready[stream], self.order.as_ref())?;
            self.ready[stream].peek().copied()
        });
        let next = (0..)
            .zip(heads)
            .filter_map(|(stream, head)| Some((head?, stream)));
        next.max().map(|(_, stream)| stream)
    }

    /// The next task by the order in force, if it reads this; it stays where it is.
    fn first(&mut self, stream: usize) -> Option<u32> {
        match &mut self.order {
            Some(order) if self.frugal => {
                let task = order.first()?;
                let is_same =
                    self.places_of(task as usize) > 0 && self.stream_of(task as usize) == stream;
                is_same.then_some(task)
            }
            order => first(&mut self.ready[stream], order.as_ref()),
        }
    }

    /// A worker has nothing in hand.
    pub(super) fn returned(&mut self, worker: usize, now: f64) {
        let Worker { started, expected } = std::mem::take(&mut self.workers[worker]);
        if expected > 0.0 {
            let pace = ((now - started) / expected).clamp(0.1, 10.0);
            self.pace += (pace - self.pace) * PACE;
        }
    }

    fn push(&mut self, task: u32) {
        let places = self.places_of(task as usize);
        let entry = (self.graph.urgency[task as usize], !task);
        if places > 0 {
            let stream = self.stream_of(task as usize);
            self.places[stream] += places;
            self.ready[stream].push(entry);
        } else if self.is_light(task as usize) {
            self.lights += 1;
            self.light.push(entry);
        } else {
            self.free.push(task);
            return;
        }
        if let Some(order) = &mut self.order {
            order.push(task);
        }
    }

    fn stream_of(&self, task: usize) -> usize {
        self.graph.loads[task].map_or(0, |load| load.stream as usize)
    }

    fn is_light(&self, task: usize) -> bool {
        self.graph.loads[task].is_some_and(Load::is_light)
    }

    fn places_of(&self, task: usize) -> usize {
        self.graph.loads[task].map_or(0, |load| load.places as usize)
    }

    fn beside_of(&self, task: usize) -> f64 {
        self.graph.loads[task].map_or(0.0, |load| f64::from(load.beside))
    }

    /// Batches of more places than there are come one after the other.
    fn time(&self, places: usize) -> f64 {
        let whole = (places / self.batch) as f64 * self.times[self.batch - 1];
        match places % self.batch {
            0 => whole,
            rest => whole + self.times[rest - 1],
        }
    }

    /// How many places of what is ready and reads this a worker takes.
    fn share(&self, worker: usize, stream: usize, now: f64) -> usize {
        let places = self.places[stream];
        let most = self.batch.min(places);
        if places >= self.batch * self.workers.len() {
            return most;
        }
        let length = self.lengths[stream];
        let time = |places: usize| self.times[places - 1] * length;
        // One place more for the others is as good: who takes the smaller half comes back sooner,
        // for what is more urgent by then.
        let slack = (time(self.batch) - time(1)) / (self.batch - 1).max(1) as f64;
        // The time that each other still has to work, if the pace were the profile's.
        let others = self.workers.iter().enumerate();
        let others: Vec<f64> = others
            .filter(|&(other, _)| other != worker)
            .map(|(_, other)| {
                let elapsed = (now - other.started) / self.pace;
                (other.expected - elapsed).max(0.0)
            })
            .collect();
        let enough = |&share: &usize| {
            let end = time(share) + slack;
            let done_by = |wait: &f64| {
                self.times
                    .partition_point(|&time| wait + time * length <= end)
            };
            share + others.iter().map(done_by).sum::<usize>() >= places
        };
        (1..most).find(enough).unwrap_or(most)
    }
}

/// The most urgent task; it stays where it is. With another order some were taken in that, and are
/// still here.
fn first(ready: &mut BinaryHeap<(u64, u32)>, order: Option<&Order>) -> Option<u32> {
    while let Some(&(_, task)) = ready.peek() {
        if order.is_none_or(|order| order.holds(!task)) {
            return Some(!task);
        }
        ready.pop();
    }
    None
}
