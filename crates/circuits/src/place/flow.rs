//! A machine for each task, chosen in a simulated run.
//!
//! A task is placed when the last of what it waits for ends: on the machine where it would end first by
//! the machine's backlog and by when its operands would be there, links counted; or on one of those that
//! are as good but for the task's slack, where the fewest bytes must be brought. Slack is the distance
//! from the longest chain, and at most 3 % of the whole, so that many small delays do not become a long one.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::homes::homes;
use super::tasks::Tasks;
use super::{Cluster, Machine};
use crate::Profile;

/// The share of the whole by which a task may end later than it could.
const SLACK: f64 = 0.03;

/// Signals of a task that travel are seldom more than this: it is not known yet which are read where.
const TRAVELLING: u32 = 2;

/// Tasks and machines, and what does not change between placements.
pub(super) struct Flow<'a> {
    tasks: &'a Tasks,
    cluster: &'a Cluster,
    /// By task: nanoseconds in a full batch.
    times: Vec<f64>,
    /// By task: nanoseconds from its start to the end.
    urgency: Vec<f64>,
    slack: Vec<f64>,
    homes: Vec<u32>,
}

/// A time, in an order.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Time(pub(super) f64);

impl Eq for Time {}

impl PartialOrd for Time {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Time {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        self.0.total_cmp(&other.0)
    }
}

/// What happens.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Event {
    /// A task's operands are there.
    Arrival(u32),
    /// It ends.
    End(u32),
}

impl<'a> Flow<'a> {
    pub(super) fn new(tasks: &'a Tasks, profile: &Profile, cluster: &'a Cluster) -> Self {
        let count = tasks.len();
        let times: Vec<f64> = (0..count).map(|task| tasks.time(task, profile)).collect();
        let mut ends = vec![0.0f64; count];
        for task in 0..count {
            let begin = tasks
                .waits_for(task)
                .map(|read| ends[read])
                .fold(0.0, f64::max);
            ends[task] = begin + times[task];
        }
        let mut urgency = vec![0.0f64; count];
        for task in (0..count).rev() {
            let after = tasks.readers.of(task).iter();
            let after = after.map(|&reader| urgency[reader as usize]);
            urgency[task] = times[task] + after.fold(0.0, f64::max);
        }
        let longest = ends.iter().copied().fold(0.0, f64::max);
        let whole = longest.max(times.iter().sum::<f64>() / cluster.strength());
        let slack = (0..count).map(|task| {
            let distance = whole - (ends[task] + urgency[task] - times[task]);
            (distance / 2.0).clamp(0.0, SLACK * whole)
        });
        let strength = |machine: &Machine| machine.cores as f64 * machine.speed;
        let strengths: Vec<f64> = cluster.machines.iter().map(strength).collect();
        Self {
            slack: slack.collect(),
            homes: homes(tasks, &strengths),
            tasks,
            cluster,
            times,
            urgency,
        }
    }

    /// Everybody at home.
    pub(super) fn homes(&self) -> &[u32] {
        &self.homes
    }

    /// By task its machine; of each task's slack that share is used.
    pub(super) fn run(&self, share: f64) -> Vec<u32> {
        let mut run = Run::new(self, share);
        for task in 0..self.tasks.len() {
            if run.missing[task] == 0 {
                run.place(task);
            }
        }
        for machine in 0..self.cluster.machines.len() {
            run.start(machine);
        }
        while let Some(Reverse((Time(now), event))) = run.events.pop() {
            run.now = now;
            match event {
                Event::Arrival(task) => {
                    let machine = run.machines[task as usize] as usize;
                    run.queue(machine, task);
                    run.start(machine);
                }
                Event::End(task) => run.end(task as usize),
            }
        }
        run.machines
    }
}

/// A simulated run.
struct Run<'a> {
    flow: &'a Flow<'a>,
    share: f64,
    now: f64,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// By task: how many of those that it waits for are not done.
    missing: Vec<u32>,
    machines: Vec<u32>,
    /// By task and by what is held: on which machines its results are, and from when.
    there: Vec<Vec<(u32, f64)>>,
    /// By machine: tasks that were placed there and are not done; cores that have none; tasks that could
    /// start; when links have carried what they were given.
    backlog: Vec<usize>,
    idle: Vec<usize>,
    ready: Vec<BinaryHeap<(Time, Reverse<u32>)>>,
    sending: Vec<f64>,
    receiving: Vec<f64>,
}

impl<'a> Run<'a> {
    fn new(flow: &'a Flow<'a>, share: f64) -> Self {
        let tasks = flow.tasks;
        let count = flow.cluster.machines.len();
        let mut there = vec![Vec::new(); tasks.len()];
        let holders = tasks.holders.iter();
        there.extend(
            holders.map(|machines| machines.iter().map(|&machine| (machine, 0.0)).collect()),
        );
        Self {
            flow,
            share,
            now: 0.0,
            events: BinaryHeap::new(),
            missing: (0..tasks.len())
                .map(|task| tasks.waits_for(task).count() as u32)
                .collect(),
            machines: vec![0; tasks.len()],
            there,
            backlog: vec![0; count],
            idle: flow
                .cluster
                .machines
                .iter()
                .map(|machine| machine.cores)
                .collect(),
            ready: vec![BinaryHeap::new(); count],
            sending: vec![0.0; count],
            receiving: vec![0.0; count],
        }
    }

    /// Nanoseconds that a task's results take on a link.
    fn wire(&self, task: usize) -> f64 {
        let results = self.flow.tasks.results[task].clamp(1, TRAVELLING);
        self.flow.cluster.network.time(results as usize)
    }

    /// Gives a task that waits for nothing a machine, and has its operands sent there.
    fn place(&mut self, task: usize) {
        let tasks = self.flow.tasks;
        let machine = self.choose(task);
        self.machines[task] = machine as u32;
        self.backlog[machine] += 1;
        let mut arrival = self.now;
        for &read in tasks.reads.of(task) {
            arrival = arrival.max(self.bring(read as usize, machine));
        }
        if arrival > self.now {
            let event = Event::Arrival(task as u32);
            self.events.push(Reverse((Time(arrival), event)));
        } else {
            self.queue(machine, task as u32);
        }
    }

    fn choose(&self, task: usize) -> usize {
        let reads = self.flow.tasks.reads.of(task);
        let home = self.flow.homes[task] as usize;
        if reads.is_empty() {
            return home;
        }
        let cluster = self.flow.cluster;
        let latency = cluster.network.latency;
        // When it could start, by the cores, and what would have to travel.
        let mut options: Vec<(f64, f64)> = cluster
            .machines
            .iter()
            .zip(&self.backlog)
            .map(|(machine, &backlog)| {
                let waits = (backlog as f64 - machine.cores as f64 + 1.0).max(0.0);
                let time = self.flow.times[task] / machine.speed;
                (self.now + waits / machine.cores as f64 * time, 0.0)
            })
            .collect();
        let mut known = vec![None; options.len()];
        for &read in reads {
            let there = &self.there[read as usize];
            let wire = self.wire(read as usize);
            let sent = match there.first() {
                Some(&(from, _)) => self.now.max(self.sending[from as usize]) + wire,
                None => self.now,
            };
            known.fill(None);
            for &(machine, arrival) in there {
                known[machine as usize] = Some(arrival);
            }
            let machines = options.iter_mut().zip(&known).zip(&self.receiving);
            for ((option, known), receiving) in machines {
                let (arrival, bytes) = match *known {
                    Some(arrival) => (arrival, 0.0),
                    None => (sent.max(receiving + wire) + latency, wire),
                };
                option.0 = option.0.max(arrival);
                option.1 += bytes;
            }
        }
        let end = |machine: usize| {
            options[machine].0 + self.flow.times[task] / cluster.machines[machine].speed
        };
        let earliest = (0..options.len()).map(end).fold(f64::INFINITY, f64::min);
        let limit = earliest + self.share * self.flow.slack[task];
        let good = (0..options.len()).filter(|&machine| end(machine) <= limit);
        let best = good.min_by(|&a, &b| {
            let bytes = options[a].1.total_cmp(&options[b].1);
            let at_home = (a != home).cmp(&(b != home));
            bytes.then(at_home).then(end(a).total_cmp(&end(b)))
        });
        best.unwrap_or(home)
    }

    /// When results are on a machine; they are sent if they are not. Links of both ends take turns; what
    /// waits for the receiver's does not hold the sender's.
    fn bring(&mut self, task: usize, machine: usize) -> f64 {
        let known = self.there[task]
            .iter()
            .find(|(at, _)| *at as usize == machine);
        if let Some(&(_, arrival)) = known {
            return arrival;
        }
        let Some(&(from, _)) = self.there[task].first() else {
            return self.now;
        };
        let wire = self.wire(task);
        let sent = self.now.max(self.sending[from as usize]) + wire;
        let received = sent.max(self.receiving[machine] + wire);
        self.sending[from as usize] = sent;
        self.receiving[machine] = received;
        let arrival = received + self.flow.cluster.network.latency;
        self.there[task].push((machine as u32, arrival));
        arrival
    }

    fn queue(&mut self, machine: usize, task: u32) {
        let urgency = self.flow.urgency[task as usize];
        self.ready[machine].push((Time(urgency), Reverse(task)));
    }

    /// Cores that are idle take what is ready.
    fn start(&mut self, machine: usize) {
        while self.idle[machine] > 0
            && let Some((_, Reverse(task))) = self.ready[machine].pop()
        {
            self.idle[machine] -= 1;
            let speed = self.flow.cluster.machines[machine].speed;
            let end = self.now + self.flow.times[task as usize] / speed;
            self.events.push(Reverse((Time(end), Event::End(task))));
        }
    }

    fn end(&mut self, task: usize) {
        let machine = self.machines[task];
        self.idle[machine as usize] += 1;
        self.backlog[machine as usize] -= 1;
        self.there[task].push((machine, self.now));
        let mut touched = vec![machine as usize];
        for &reader in self.flow.tasks.readers.of(task) {
            let missing = &mut self.missing[reader as usize];
            *missing -= 1;
            if *missing == 0 {
                self.place(reader as usize);
                touched.push(self.machines[reader as usize] as usize);
            }
        }
        touched.sort_unstable();
        touched.dedup();
        for machine in touched {
            self.start(machine);
        }
    }
}
