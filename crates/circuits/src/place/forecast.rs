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
    /// Ciphertexts that the machine with the most of them has in the end, inputs among them: nothing is
    /// freed before, so that what a lost machine had need not all be computed again.
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
    let mut links = vec![Link::default(); shares.len()];
    // When batches end, by machine; entries of batches whose end has moved are passed over.
    let mut ends: BinaryHeap<Reverse<(Time, usize)>> = BinaryHeap::new();
    let mut arrivals: BinaryHeap<Reverse<(Time, u32, usize)>> = BinaryHeap::new();
    for (from, share) in shares.iter().enumerate() {
        for node in held_and_sent(circuit, share) {
            for (to, bits) in readers_of(circuit, share, node) {
                let arrival = send(&mut links, cluster, (from, to), bits, 0.0);
                arrivals.push(Reverse((Time(arrival), node, to)));
            }
        }
    }
    let mut now = 0.0;
    for (machine, pool) in pools.iter_mut().enumerate() {
        pool.start(now, &mut |_: Done<'_>| {});
        ends.extend(pool.next_end().map(|end| Reverse((Time(end), machine))));
    }
    loop {
        let end = ends.peek().map(|Reverse((time, _))| *time);
        let arrival = arrivals.peek().map(|Reverse((time, ..))| *time);
        let machine = match (end, arrival) {
            (None, None) => break,
            (end, Some(time)) if end.is_none_or(|end| time <= end) => {
                let Some(Reverse((_, node, to))) = arrivals.pop() else {
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
                for &task in &ended.tasks {
                    let node = graphs[machine].1[task as usize];
                    for (to, bits) in readers_of(circuit, &shares[machine], node) {
                        let arrival = send(&mut links, cluster, (machine, to), bits, now);
                        arrivals.push(Reverse((Time(arrival), node, to)));
                    }
                }
                machine
            }
        };
        pools[machine].start(now, &mut |_: Done<'_>| {});
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
    let own = |share: &Share| {
        let computed = circuit
            .nodes()
            .filter(|node| share.computes()[node.index()]);
        computed
            .map(|node| circuit.range(node).len())
            .sum::<usize>()
    };
    let kept = shares
        .iter()
        .map(|share| own(share) + share.receives().len());
    let busiest = links
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

/// Sends ciphertexts on the links of both ends, which take turns; when they are there.
fn send(
    links: &mut [Link],
    cluster: &Cluster,
    (from, to): (usize, usize),
    bits: usize,
    now: f64,
) -> f64 {
    let wire = cluster.network.time(bits);
    links[from].sending = links[from].sending.max(now) + wire;
    links[from].sent += wire;
    let sent = links[from].sending;
    links[to].receiving = sent.max(links[to].receiving + wire);
    links[to].received += wire;
    links[to].receiving + cluster.network.latency
}
