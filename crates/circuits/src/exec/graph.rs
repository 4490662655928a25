//! What a scheduler knows before it starts: who waits for whom, how far each task is from the end,
//! and how much of a batch it fills. A few words for each task, all in flat arrays.

use crate::Profile;
use crate::ir::{Circuit, Node, Op};
use crate::place::Share;

/// What key a rotation reads: those of one batch read the same.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Stream {
    /// That of lookups.
    Lookups,
    /// That of selectors, which is several times as long.
    Selectors,
}

impl Stream {
    /// How much longer a rotation takes than a lookup's.
    pub(super) fn length(self, profile: &Profile) -> f64 {
        match (self, profile.selectors) {
            (Self::Selectors, Some(selectors)) => selectors.rotation / profile.cost.lookup,
            _ => 1.0,
        }
    }
}

/// What a task costs.
pub(super) struct Price {
    /// Nanoseconds.
    pub(super) cost: f64,
    pub(super) places: usize,
    pub(super) stream: Stream,
    /// Whether progress counts it.
    pub(super) counted: bool,
}

impl Price {
    /// Of what comes from elsewhere.
    const NONE: Self = Self {
        cost: 0.0,
        places: 0,
        stream: Stream::Lookups,
        counted: false,
    };
}

/// What a task asks of a worker.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Load {
    pub(super) stream: Stream,
    /// Whether progress counts it.
    pub(super) counted: bool,
    /// Places in a batch: see [`Profile::rotations`].
    pub(super) places: u32,
    /// Nanoseconds beside what its places take: times of lookups by the stream's
    /// [length](Stream::length).
    pub(super) beside: f32,
}

impl Load {
    /// Whether it takes time, but no place.
    pub(super) fn is_light(self) -> bool {
        self.places == 0 && self.beside > 0.0
    }

    /// Whether the target charges for it.
    pub(super) fn takes_time(self) -> bool {
        self.places > 0 || self.beside > 0.0
    }
}

/// Tasks, each of which comes after those that it reads.
pub(crate) struct Graph {
    /// By task: how many results are still to be computed, counted as often as they are read.
    pub(super) waiting: Vec<u32>,
    /// By task: time from its start to the end, in thousandths of a nanosecond; 0 for what is there.
    pub(super) urgency: Vec<u64>,
    /// By task; `None` for what is there from the start.
    pub(super) loads: Vec<Option<Load>>,
    /// The tasks that are not there from the start.
    pub(super) computed: Vec<u32>,
    /// Readers of task `t`: `readers[first[t]..first[t + 1]]`.
    first: Vec<u32>,
    readers: Vec<u32>,
}

impl Graph {
    /// Tasks by their prices, in an order in which each comes after those that it reads; `None` for
    /// what is there from the start, of which nobody asks what it reads.
    pub(super) fn new<R: Iterator<Item = usize>>(
        prices: impl ExactSizeIterator<Item = Option<Price>>,
        reads: impl Fn(usize) -> R,
        profile: &Profile,
    ) -> Self {
        let count = prices.len();
        let mut loads = vec![None; count];
        // What each takes by itself; later, with all that comes after it.
        let mut urgency = vec![0; count];
        let mut computed = Vec::new();
        for (task, price) in prices.enumerate() {
            let Some(price) = price else { continue };
            let Price {
                cost,
                places,
                stream,
                counted,
            } = price;
            computed.push(task as u32);
            urgency[task] = thousandths(cost);
            let beside = match stream {
                Stream::Lookups => profile.beside(cost, places),
                Stream::Selectors => 0.0,
            };
            loads[task] = Some(Load {
                stream,
                counted,
                places: places as u32,
                beside: beside as f32,
            });
        }
        let of_computed = |task: u32| {
            let loads = &loads;
            reads(task as usize).filter(move |&read| loads[read].is_some())
        };
        let mut waiting = vec![0u32; count];
        let mut first = vec![0u32; count + 2];
        for &task in &computed {
            for read in of_computed(task) {
                waiting[task as usize] += 1;
                first[read + 2] += 1;
            }
        }
        for at in 2..first.len() {
            first[at] += first[at - 1];
        }
        // `first[t + 1]` is where the next reader of `t` goes; in the end it is where they stop.
        let mut readers = vec![0u32; first[count + 1] as usize];
        for &task in &computed {
            for read in of_computed(task) {
                let place = &mut first[read + 1];
                readers[*place as usize] = task;
                *place += 1;
            }
        }
        first.pop();
        let mut graph = Self {
            waiting,
            urgency,
            loads,
            computed,
            first,
            readers,
        };
        for at in (0..graph.computed.len()).rev() {
            let task = graph.computed[at] as usize;
            let after = graph.readers(task).iter();
            let after = after.map(|&reader| graph.urgency[reader as usize]).max();
            graph.urgency[task] = graph.urgency[task].saturating_add(after.unwrap_or(0));
        }
        graph
    }

    /// A circuit's nodes as tasks of the same numbers.
    pub(crate) fn of(circuit: &Circuit, profile: &Profile) -> Self {
        Self::without(circuit, profile, &|_| false)
    }

    /// The same without those that are there already.
    pub(super) fn without(
        circuit: &Circuit,
        profile: &Profile,
        is_there: &dyn Fn(Node) -> bool,
    ) -> Self {
        let prices = circuit.nodes().map(|node| {
            let is_there = circuit.input_number(node).is_some() || is_there(node);
            (!is_there).then(|| price(circuit, profile, node))
        });
        Self::new(prices, |task| sources(circuit, task), profile)
    }

    /// One machine's share of a circuit: what it computes and what it receives, without what is there.
    /// Received nodes wait for [whoever finishes](super::queue::Queue::finish) them. Urgencies are those
    /// of the `whole`, since what others do with a result makes it urgent.
    pub(crate) fn of_share(
        circuit: &Circuit,
        profile: &Profile,
        whole: &Self,
        share: &Share,
        is_there: &dyn Fn(Node) -> bool,
    ) -> Self {
        let received = share.received_nodes(circuit);
        let is_received = |task: usize| received.binary_search(&(task as u32)).is_ok();
        let prices = circuit.nodes().map(|node| {
            if is_there(node) {
                return None;
            }
            if is_received(node.index()) {
                return Some(Price::NONE);
            }
            share.computes()[node.index()].then(|| price(circuit, profile, node))
        });
        let reads = |task: usize| sources(circuit, task).filter(move |_| !is_received(task));
        let mut graph = Self::new(prices, reads, profile);
        for &task in received
            .iter()
            .filter(|&&task| graph.loads[task as usize].is_some())
        {
            graph.waiting[task as usize] = 1;
        }
        graph.urgency.clone_from(&whole.urgency);
        graph
    }

    /// The same with numbers of its own, of what this machine computes and receives alone: for whoever has
    /// the graphs of many machines at once. Beside it the nodes by these numbers, ascending. `numbers` is
    /// a place for each node to work in, of which nothing is asked.
    pub(crate) fn of_share_alone(
        circuit: &Circuit,
        profile: &Profile,
        whole: &Self,
        share: &Share,
        numbers: &mut [u32],
    ) -> (Self, Vec<u32>) {
        /// A node that is neither computed nor received.
        const ELSEWHERE: u32 = u32::MAX;
        numbers.fill(ELSEWHERE);
        let received = share.received_nodes(circuit);
        let mut own: Vec<u32> = (0..)
            .zip(share.computes())
            .filter(|(_, computed)| **computed)
            .map(|(node, _)| node)
            .chain(received.iter().copied())
            .collect();
        own.sort_unstable();
        for (number, &node) in (0..).zip(&own) {
            numbers[node as usize] = number;
        }
        let is_received = |node: u32| !share.computes()[node as usize];
        let prices = own.iter().map(|&node| {
            Some(match is_received(node) {
                true => Price::NONE,
                false => price(circuit, profile, Node(node)),
            })
        });
        let reads = |task: usize| {
            let node = own[task];
            let read = sources(circuit, node as usize).map(|source| numbers[source]);
            read.filter(move |&number| number != ELSEWHERE && !is_received(node))
                .map(|number| number as usize)
        };
        let mut graph = Self::new(prices, reads, profile);
        for &node in &received {
            graph.waiting[numbers[node as usize] as usize] = 1;
        }
        for (urgency, &node) in graph.urgency.iter_mut().zip(&own) {
            *urgency = whole.urgency[node as usize];
        }
        (graph, own)
    }

    /// How many tasks take time.
    pub(super) fn taking_time(&self) -> usize {
        let loads = self.loads.iter().flatten();
        loads.filter(|load| load.takes_time()).count()
    }

    /// The tasks that read a task's results, as often as they do.
    pub(super) fn readers(&self, task: usize) -> &[u32] {
        let range = self.first[task] as usize..self.first[task + 1] as usize;
        &self.readers[range]
    }
}

/// At least one, so that order shows.
fn thousandths(nanoseconds: f64) -> u64 {
    ((nanoseconds * 1000.0) as u64).clamp(1, 1 << 40)
}

/// What a node costs.
fn price(circuit: &Circuit, profile: &Profile, node: Node) -> Price {
    let op = circuit.op(node);
    let stream = match op {
        Op::Selector { .. } if profile.selectors.is_some() => Stream::Selectors,
        _ => Stream::Lookups,
    };
    Price {
        cost: profile.time(&op),
        places: profile.rotations(&op),
        stream,
        counted: profile.is_counted(&op),
    }
}

/// The nodes that a node reads, as often as it does.
fn sources(circuit: &Circuit, node: usize) -> impl Iterator<Item = usize> + '_ {
    let wires = circuit.op(Node(node as u32)).operands();
    wires.filter_map(|wire| Some(circuit.source(wire.signal())?.index()))
}
