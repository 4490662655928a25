//! A placement played through: machines with their workers, batches and queues as runs have them, and links
//! on which ciphertexts take turns. A result leaves as soon as it is there.

use std::cmp::Reverse;
use std::collections::{BTreeSet, BinaryHeap};

use super::flow::Time;
use super::{Cluster, Share};
use crate::exec::{Done, Graph, SimulatedPool};
use crate::ir::{Node, Signal};
use crate::{Circuit, Profile};

/// What comes of a placement.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Forecast {
    /// Until every machine has every output, in nanoseconds.
    pub time: f64,
    /// The longest chain of operations that wait for each other, in nanoseconds.
    pub chain: f64,
    /// No placement on these machines could be faster: the longest chain, or an even share of the work.
    pub bound: f64,
    /// Time that workers are busy, summed over all machines, in nanoseconds.
    pub busy: f64,
    /// Workers of all machines.
    pub cores: usize,
    /// Places that were filled in batches, on all machines.
    pub rotations: usize,
    /// Ciphertexts that travel, counted once for each machine that they go to.
    pub bits_sent: usize,
    /// Bytes of them.
    pub bytes_sent: u64,
    /// The share of the time that the busiest link carries something, 0 to 1.
    pub busiest_link: f64,
    /// Ciphertexts that the machine with the most of them has at a time, inputs among them. What came from
    /// others or went to them stays to the end, so that what a lost machine had need not all be computed
    /// again; the rest goes after its last use.
    pub most_bits: usize,
}

impl Forecast {
    /// The share of their time that workers are busy, 0 to 1; 1 where nothing takes time.
    #[must_use]
    pub fn busy_share(&self) -> f64 {
        match self.time > 0.0 {
            true => self.busy / (self.time * self.cores as f64),
            false => 1.0,
        }
    }

    /// The two one after the other; bounds add up, and so do links' shares by their times.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let time = self.time + next.time;
        let carried = self.busiest_link * self.time + next.busiest_link * next.time;
        Self {
            time,
            chain: self.chain + next.chain,
            bound: self.bound + next.bound,
            busy: self.busy + next.busy,
            cores: self.cores.max(next.cores),
            rotations: self.rotations + next.rotations,
            bits_sent: self.bits_sent + next.bits_sent,
            bytes_sent: self.bytes_sent + next.bytes_sent,
            busiest_link: if time > 0.0 { carried / time } else { 0.0 },
            most_bits: self.most_bits.max(next.most_bits),
        }
    }
}

/// One link, both ways.
#[derive(Clone, Copy, Default)]
struct Link {
    /// Until when what it was given keeps it busy.
    sending: f64,
    receiving: f64,
    /// For how long it carries something in all.
    sent: f64,
    received: f64,
}

pub(super) fn forecast(
    circuit: &Circuit,
    profile: &Profile,
    cluster: &Cluster,
    whole: &Graph,
    shares: &[Share],
) -> Forecast {
    // Numbers of their own: otherwise there would be a place for every node on every machine.
    let mut numbers = vec![0; circuit.len()];
    let graphs: Vec<(Graph, Vec<u32>)> = shares
        .iter()
        .map(|share| Graph::of_share_alone(circuit, profile, whole, share, &mut numbers))
        .collect();
    let machines = graphs.iter().zip(&cluster.machines);
    let mut pools: Vec<SimulatedPool<'_>> = machines
        .map(|((graph, _), machine)| {
            SimulatedPool::new(graph, profile, machine.cores, machine.speed)
        })
        .collect();
    // When batches end, by machine; entries of batches whose end has moved are passed over.
    let mut ends: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
    let mut post = Post {
        circuit,
        cluster,
        shares,
        links: vec![Link::default(); shares.len()],
        arrivals: BinaryHeap::new(),
        kept: graphs
            .iter()
            .zip(shares)
            .map(|((_, nodes), share)| Kept::new(circuit, share, nodes))
            .collect(),
    };
    for (from, share) in shares.iter().enumerate() {
        for node in held_and_sent(circuit, share) {
            post.send_results(from, node, 0.0);
        }
    }
    let mut now = 0.0;
    for (machine, pool) in pools.iter_mut().enumerate() {
        pool.start(now, &mut post.of(machine, &graphs[machine].1, now));
        ends.extend(pool.next_end().map(|end| Reverse((Time(end), machine))));
    }
    loop {
        let end = ends.peek().map(|Reverse((time, _))| *time);
        let arrival = post.arrivals.peek().map(|Reverse((time, ..))| *time);
        let machine = match (end, arrival) {
            (None, None) => break,
            (end, Some(time)) if end.is_none_or(|end| time <= end) => {
                let Some(Reverse((_, node, to))) = post.arrivals.pop() else {
                    break;
                };
                now = time.0;
                if let Ok(number) = graphs[to].1.binary_search(&node) {
                    pools[to].arrived(number);
                }
                to
            }
            _ => {
                let Some(Reverse((time, machine))) = ends.pop() else {
                    break;
                };
                if pools[machine].next_end() != Some(time.0) {
                    continue;
                }
                now = time.0;
                let Some(ended) = pools[machine].end() else {
                    continue;
                };
                post.of(machine, &graphs[machine].1, now)(Done::Batch(&ended));
                machine
            }
        };
        pools[machine].start(now, &mut post.of(machine, &graphs[machine].1, now));
        ends.extend(
            pools[machine]
                .next_end()
                .map(|end| Reverse((Time(end), machine))),
        );
    }
    debug_assert!(
        pools.iter().all(SimulatedPool::is_done),
        "a placement that comes to its end"
    );
    let bits_sent = shares.iter().map(|share| share.receives().len()).sum();
    // A core that is at a ciphertext's way is not at a lookup, unless it would have been idle.
    let handled = shares.iter().zip(&pools).zip(&cluster.machines);
    let handled = handled.map(|((share, pool), machine)| {
        let sent: usize = share.sends().iter().map(|(_, to)| to.len()).sum();
        let time = (sent + share.receives().len()) as f64 * cluster.network.handling;
        let cores = machine.cores.max(1) as f64;
        time / cores * (pool.busy / (now.max(f64::MIN_POSITIVE) * cores)).min(1.0)
    });
    let now = now + handled.fold(0.0, f64::max);
    let kept = post.kept.iter().map(|kept| kept.most);
    let busiest = post
        .links
        .iter()
        .map(|link| link.sent.max(link.received))
        .fold(0.0, f64::max);
    Forecast {
        time: now,
        chain: 0.0,
        bound: 0.0,
        busy: pools.iter().map(|pool| pool.busy).sum(),
        cores: cluster.cores(),
        rotations: pools.iter().map(|pool| pool.rotations).sum(),
        bits_sent,
        bytes_sent: bits_sent as u64 * cluster.network.bytes_per_bit,
        busiest_link: if now > 0.0 { busiest / now } else { 0.0 },
        most_bits: circuit.inputs() + kept.max().unwrap_or(0),
    }
}

/// Nodes that a machine has from the start and that others need.
fn held_and_sent(circuit: &Circuit, share: &Share) -> BTreeSet<u32> {
    let signals = share.sends().iter().map(|&(signal, _)| Signal(signal));
    let nodes = signals.filter_map(|signal| circuit.source(signal));
    let held = nodes.filter(|node| !share.computes()[node.index()]);
    held.map(|node| node.0).collect()
}

/// The machines that need results of a node, and how many of them.
fn readers_of(circuit: &Circuit, share: &Share, node: u32) -> Vec<(usize, usize)> {
    let mut readers: Vec<(usize, usize)> = Vec::new();
    for signal in circuit.range(Node(node)) {
        for &to in share.readers_of(signal as u32) {
            match readers
                .iter_mut()
                .find(|(machine, _)| *machine == to as usize)
            {
                Some((_, bits)) => *bits += 1,
                None => readers.push((to as usize, 1)),
            }
        }
    }
    readers
}

/// What travels.
struct Post<'a> {
    circuit: &'a Circuit,
    cluster: &'a Cluster,
    shares: &'a [Share],
    links: Vec<Link>,
    /// When results of a node are there, and where.
    arrivals: BinaryHeap<Reverse<(Time, u32, usize)>>,
    /// By machine.
    kept: Vec<Kept>,
}

/// What a machine keeps.
struct Kept {
    /// By its own numbers of nodes: how often it still reads them.
    left: Vec<u32>,
    now: usize,
    most: usize,
}

impl Kept {
    /// Received ciphertexts are counted from the start.
    fn new(circuit: &Circuit, share: &Share, nodes: &[u32]) -> Self {
        let mut kept = Self {
            left: vec![0; nodes.len()],
            now: share.receives().len(),
            most: share.receives().len(),
        };
        for &node in nodes
            .iter()
            .filter(|&&node| share.computes()[node as usize])
        {
            for number in numbers(circuit, node, nodes) {
                kept.left[number] = kept.left[number].saturating_add(1);
            }
        }
        let sent = share.sends().iter().map(|&(signal, _)| Signal(signal));
        let outputs = circuit.outputs().iter().map(|wire| wire.signal());
        for node in sent
            .chain(outputs)
            .filter_map(|signal| circuit.source(signal))
        {
            if let Ok(number) = nodes.binary_search(&node.0) {
                kept.left[number] = u32::MAX;
            }
        }
        for (number, &node) in nodes.iter().enumerate() {
            if !share.computes()[node as usize] {
                kept.left[number] = u32::MAX;
            }
        }
        kept
    }

    fn done(&mut self, circuit: &Circuit, nodes: &[u32], task: u32) {
        let node = nodes[task as usize];
        self.now += circuit.range(Node(node)).len();
        self.most = self.most.max(self.now);
        for number in numbers(circuit, node, nodes) {
            let left = &mut self.left[number];
            if *left == u32::MAX {
                continue;
            }
            *left -= 1;
            if *left == 0 {
                self.now -= circuit.range(Node(nodes[number])).len();
            }
        }
    }
}

/// What a node reads of a machine's own, by the machine's numbers and as often as it does.
fn numbers<'a>(
    circuit: &'a Circuit,
    node: u32,
    nodes: &'a [u32],
) -> impl Iterator<Item = usize> + 'a {
    let wires = circuit.op(Node(node)).operands();
    let sources = wires.filter_map(|wire| circuit.source(wire.signal()));
    sources.filter_map(|source| nodes.binary_search(&source.0).ok())
}

impl Post<'_> {
    /// Sends what others need of what a machine has done, of which `nodes` has the nodes.
    fn of<'b>(
        &'b mut self,
        machine: usize,
        nodes: &'b [u32],
        now: f64,
    ) -> impl FnMut(Done<'_>) + 'b {
        move |done| match done {
            Done::Free(task) => self.done(machine, nodes, task, now),
            Done::Batch(ended) => {
                let tasks = ended.tasks.iter();
                tasks.for_each(|&task| self.done(machine, nodes, task, now));
            }
        }
    }

    fn done(&mut self, machine: usize, nodes: &[u32], task: u32, now: f64) {
        self.kept[machine].done(self.circuit, nodes, task);
        self.send_results(machine, nodes[task as usize], now);
    }

    fn send_results(&mut self, from: usize, node: u32, now: f64) {
        for (to, bits) in readers_of(self.circuit, &self.shares[from], node) {
            let arrival = self.send((from, to), bits, now);
            self.arrivals.push(Reverse((Time(arrival), node, to)));
        }
    }

    /// Sends ciphertexts on the links of both ends, which take turns; when they are there.
    fn send(&mut self, (from, to): (usize, usize), bits: usize, now: f64) -> f64 {
        let wire = self.cluster.network.time(bits);
        let links = &mut self.links;
        links[from].sending = links[from].sending.max(now) + wire;
        links[from].sent += wire;
        let sent = links[from].sending;
        links[to].receiving = sent.max(links[to].receiving + wire);
        links[to].received += wire;
        links[to].receiving + self.cluster.network.latency
    }
}
