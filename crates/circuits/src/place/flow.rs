//! A machine for each task, chosen in a simulated run.
//!
//! A task is placed when the last of what it waits for ends: on the machine where it would end first by
//! the machine's backlog and by when its operands would be there, links counted; or on one of those that
//! are as good but for the task's slack, where the fewest bytes must be brought. Slack is the distance
//! from the longest chain, and at most 3 % of the whole, so that many small delays do not become a long one.
//!
//! Where [groups](super::groups) are kept together, the first task of a group is placed by what all machines
//! have before them, whole groups counted, and the others follow it as far as their slack allows.
//!
//! What is free is gathered where the fewest of its operands have to be brought, and is then on every other
//! machine that has all of them, too.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap, HashMap};

use super::groups::Groups;
use super::homes::homes;
use super::tasks::Tasks;
use super::{Cluster, Machine};
use crate::Profile;

/// The share of the whole by which a task may end later than it could.
const SLACK: f64 = 0.03;

/// By how much more a task may end later that stays with its group.
const FOLLOWING: f64 = 1.5;

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
    groups: [Groups; 2],
}

/// How large groups are.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Together {
    /// As large as slack is.
    Small,
    /// Some times larger, for circuits of few operations.
    Large,
}

/// How many times.
const LARGE: f64 = 4.0;

/// How a simulated run chooses.
#[derive(Clone, Copy, PartialEq)]
pub(super) struct Manner {
    /// The share of a task's slack that is used.
    pub(super) slack: f64,
    /// Groups that stay together, if any.
    pub(super) groups: Option<Together>,
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
            groups: [1.0, LARGE].map(|times| {
                let share = times * SLACK / cluster.machines.len().max(1) as f64;
                Groups::new(tasks, share)
            }),
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

    /// By task its machine.
    pub(super) fn run(&self, manner: Manner) -> Vec<u32> {
        let mut run = Run::new(self, manner);
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
    manner: Manner,
    now: f64,
    events: BinaryHeap<Reverse<(Time, Event)>>,
    /// By task: how many of those that it waits for are not done.
    missing: Vec<u32>,
    machines: Vec<u32>,
    /// By task and by what is held: on which machines all its results are, and from when.
    there: Vec<Vec<(u32, f64)>>,
    /// By signal where else it is.
    copies: HashMap<u32, Vec<(u32, f64)>>,
    /// By group the machine of its first task.
    of_groups: HashMap<u32, u32>,
    /// By machine: tasks that were placed there and are not done, and those of its groups that are still to
    /// come; cores that have none; tasks that could start; when links have carried what they were given.
    backlog: Vec<usize>,
    idle: Vec<usize>,
    ready: Vec<BinaryHeap<(Time, Reverse<u32>)>>,
    sending: Vec<f64>,
    receiving: Vec<f64>,
}

impl<'a> Run<'a> {
    fn new(flow: &'a Flow<'a>, manner: Manner) -> Self {
        let tasks = flow.tasks;
        let count = flow.cluster.machines.len();
        let mut there = vec![Vec::new(); tasks.len()];
        let holders = tasks.holders.iter();
        there.extend(
            holders.map(|machines| machines.iter().map(|&machine| (machine, 0.0)).collect()),
        );
        Self {
            flow,
            manner,
            now: 0.0,
            events: BinaryHeap::new(),
            missing: (0..tasks.len())
                .map(|task| tasks.waits_for(task).count() as u32)
                .collect(),
            machines: vec![0; tasks.len()],
            there,
            copies: HashMap::new(),
            of_groups: HashMap::new(),
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

    /// Where a signal is, and from when.
    fn locations(&self, signal: u32) -> impl Iterator<Item = (u32, f64)> + '_ {
        let own = self.there[self.flow.tasks.owner(signal)].iter();
        own.chain(self.copies.get(&signal).into_iter().flatten())
            .copied()
    }

    /// Gives a task that waits for nothing a machine, and has its operands sent there.
    fn place(&mut self, task: usize) {
        let tasks = self.flow.tasks;
        let machine = self.choose(task);
        self.machines[task] = machine as u32;
        let mut arrival = self.now;
        for &signal in tasks.reads.of(task) {
            arrival = arrival.max(self.bring(signal, machine));
        }
        if tasks.is_free(task) {
            let event = Event::End(task as u32);
            return self.events.push(Reverse((Time(arrival), event)));
        }
        self.count(task, machine);
        if arrival > self.now {
            let event = Event::Arrival(task as u32);
            self.events.push(Reverse((Time(arrival), event)));
        } else {
            self.queue(machine, task as u32);
        }
    }

    /// What stays together.
    fn groups(&self) -> Option<&'a Groups> {
        let [small, large] = &self.flow.groups;
        self.manner.groups.map(|groups| match groups {
            Together::Small => small,
            Together::Large => large,
        })
    }

    /// A task that takes time is on a machine.
    fn count(&mut self, task: usize, machine: usize) {
        let Some(groups) = self.groups() else {
            self.backlog[machine] += 1;
            return;
        };
        let group = groups.of[task];
        match self.of_groups.get(&group) {
            // It was counted with the first.
            Some(&of_group) if of_group as usize == machine => {}
            Some(&of_group) => {
                self.backlog[of_group as usize] -= 1;
                self.backlog[machine] += 1;
            }
            None => {
                self.of_groups.insert(group, machine as u32);
                self.backlog[machine] += groups.sizes[group as usize] as usize;
            }
        }
    }

    fn choose(&self, task: usize) -> usize {
        let reads = self.flow.tasks.reads.of(task);
        let groups = self.groups();
        let group = groups.and_then(|groups| self.of_groups.get(&groups.of[task]));
        let home = *group.unwrap_or(&self.flow.homes[task]) as usize;
        if reads.is_empty() && (groups.is_none() || group.is_some()) {
            return home;
        }
        let cluster = self.flow.cluster;
        let latency = cluster.network.latency;
        let wire = cluster.network.time(1);
        let is_free = self.flow.tasks.is_free(task);
        // When it could start, by the cores, and what would have to travel.
        let mut options: Vec<(f64, f64)> = cluster
            .machines
            .iter()
            .zip(&self.backlog)
            .map(|(machine, &backlog)| {
                if is_free {
                    return (self.now, 0.0);
                }
                let waits = (backlog as f64 - machine.cores as f64 + 1.0).max(0.0);
                let time = self.flow.times[task] / machine.speed;
                (self.now + waits / machine.cores as f64 * time, 0.0)
            })
            .collect();
        // By machine that has some of what is read: how much of it, and from when.
        let mut having: BTreeMap<u32, (usize, f64)> = BTreeMap::new();
        let mut senders: Vec<u32> = Vec::new();
        for &signal in reads {
            for (place, (machine, arrival)) in self.locations(signal).enumerate() {
                if place == 0 && !senders.contains(&machine) {
                    senders.push(machine);
                }
                let (count, there) = having.entry(machine).or_insert((0, self.now));
                *count += 1;
                *there = there.max(arrival);
            }
        }
        for (machine, option) in options.iter_mut().enumerate() {
            let (count, there) = having
                .get(&(machine as u32))
                .copied()
                .unwrap_or((0, self.now));
            option.0 = option.0.max(there);
            if count < reads.len() {
                let others = senders.iter().map(|&sender| sender as usize);
                let begin = others
                    .filter(|&sender| sender != machine)
                    .map(|sender| self.sending[sender])
                    .fold(self.now.max(self.receiving[machine]), f64::max);
                option.0 = option.0.max(begin + wire + latency);
                option.1 = (reads.len() - count) as f64 * wire;
            }
        }
        let end = |machine: usize| {
            options[machine].0 + self.flow.times[task] / cluster.machines[machine].speed
        };
        let earliest = (0..options.len()).map(end).fold(f64::INFINITY, f64::min);
        let limit = match is_free {
            true => f64::INFINITY,
            false => earliest + self.manner.slack * self.flow.slack[task],
        };
        // What follows its group has the time of a whole group beside its own slack.
        let following = match self.manner.groups {
            Some(Together::Large) => LARGE * FOLLOWING,
            _ => FOLLOWING,
        };
        if group.is_some() && end(home) <= limit + following * self.flow.slack[task] {
            return home;
        }
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
    fn bring(&mut self, signal: u32, machine: usize) -> f64 {
        let mut locations = self.locations(signal);
        let Some(first @ (from, _)) = locations.next() else {
            return self.now;
        };
        let known = std::iter::once(first)
            .chain(locations)
            .find(|(at, _)| *at as usize == machine);
        if let Some((_, arrival)) = known {
            return arrival;
        }
        let wire = self.flow.cluster.network.time(1);
        let sent = self.now.max(self.sending[from as usize]) + wire;
        let received = sent.max(self.receiving[machine] + wire);
        self.sending[from as usize] = sent;
        self.receiving[machine] = received;
        let arrival = received + self.flow.cluster.network.latency;
        let copies = self.copies.entry(signal).or_default();
        copies.push((machine as u32, arrival));
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
        self.there[task].push((machine, self.now));
        match self.flow.tasks.is_free(task) {
            true => self.is_there_too(task),
            false => {
                self.idle[machine as usize] += 1;
                self.backlog[machine as usize] -= 1;
            }
        }
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

    /// What is free is on every machine that has all that it reads.
    fn is_there_too(&mut self, task: usize) {
        let mut reads = self.flow.tasks.reads.of(task).iter();
        let Some(&first) = reads.next() else {
            return;
        };
        let own = self.machines[task];
        let mut common: Vec<(u32, f64)> = self
            .locations(first)
            .filter(|(machine, _)| *machine != own)
            .collect();
        for &signal in reads {
            common.retain_mut(|(machine, arrival)| {
                let there = self.locations(signal).find(|(at, _)| at == machine);
                there.is_some_and(|(_, other)| {
                    *arrival = arrival.max(other);
                    true
                })
            });
        }
        common.sort_unstable_by_key(|(machine, _)| *machine);
        common.dedup_by_key(|(machine, _)| *machine);
        self.there[task].extend(common);
    }
}
