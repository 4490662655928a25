//! Placing a circuit on machines: who computes what, and what has to travel.
//!
//! Machines do not share memory. A ciphertext that another machine reads travels once, and takes its
//! bytes on both links and a latency; a lookup takes milliseconds. So what matters is that every
//! machine has something to do at any time, and next that neighbours stay together.
//!
//! Placement is a pure function of circuit, profile and machines: whoever computes it gets the same,
//! so that nobody has to be told ([`Placement::fingerprint`] shows whether it is). Lookups are placed
//! one by one in a simulated run ([`flow`]), as in list scheduling with communication (Topcuoglu,
//! Hariri and Wu, HEFT, 2002, §4; theirs fixes an order first, ours takes what is ready): on the
//! machine where each would end first, or, as far as its slack allows, where the fewest bytes have to
//! be brought; ties go home. Homes are what makes or breaks it ([`homes`]), and what stays together
//! ([`groups`]). Five placements (without slack, with it, in small and in large groups, homes alone) are
//! played through with batches, cores and links as a run has them ([`forecast`]), on all machines and,
//! where a circuit is too narrow for them, on parts of them, the strongest half, a quarter and so on; the
//! fastest is taken. On parts of more than four machines only the way that was best before is tried.
//!
//! Operations that are free are computed by every machine that needs them, unless less has to travel when
//! one machine does it and [sends the sum](sums). Within a machine the order is
//! [the scheduler's](crate::exec), by urgency; a delay there shifts nothing but what waits for it.
//!
//! O(lookups · machines) for each placement, and O(nodes · machines) for what each machine needs.

mod flow;
mod forecast;
mod groups;
mod homes;
mod share;
mod sums;
mod tasks;

pub use forecast::Forecast;
pub use share::Share;

use crate::exec::Graph;
use crate::{Circuit, Profile};
use flow::{Flow, Manner, Together};
use tasks::Tasks;

/// A machine: a pool of workers that share memory.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Machine {
    /// Workers.
    pub cores: usize,
    /// How many times as fast as the profile says.
    pub speed: f64,
}

/// What lies between machines: a switch that is never the bottleneck, one link to each of them.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Network {
    /// Bytes that a link carries in a nanosecond, each way.
    pub bytes_per_nanosecond: f64,
    /// Nanoseconds from the last byte's departure to where it can be read, software included.
    pub latency: f64,
    /// Nanoseconds for which a ciphertext keeps a core busy, at each end.
    pub handling: f64,
    /// Bytes of a ciphertext on the wire.
    pub bytes_per_bit: u64,
}

/// Nanoseconds of a core for each byte that it sends or receives: copies, a checksum, the kernel.
pub const HANDLING: f64 = 2.5;

impl Network {
    /// A network of links of so many bits a second for an engine's ciphertexts, with 0.2 ms of latency
    /// and 0.05 ms of software: cloud machines in one zone.
    #[must_use]
    pub fn of_bits_per_second(bits: f64, profile: &Profile) -> Self {
        Self {
            bytes_per_nanosecond: bits / 8e9,
            latency: 250_000.0,
            handling: HANDLING * profile.bytes_per_bit as f64,
            bytes_per_bit: profile.bytes_per_bit,
        }
    }

    /// Nanoseconds that ciphertexts take on a link.
    fn time(&self, bits: usize) -> f64 {
        (bits as u64 * self.bytes_per_bit) as f64 / self.bytes_per_nanosecond
    }
}

/// Machines and their network.
#[derive(Clone, PartialEq, Debug)]
pub struct Cluster {
    /// At least one.
    pub machines: Vec<Machine>,
    /// What lies between them.
    pub network: Network,
}

impl Cluster {
    /// Machines that are alike, at least one of at least one core.
    #[must_use]
    pub fn alike(machines: usize, cores: usize, network: Network) -> Self {
        let cores = cores.max(1);
        let machine = Machine { cores, speed: 1.0 };
        Self {
            machines: vec![machine; machines.max(1)],
            network,
        }
    }

    /// Workers of all machines.
    #[must_use]
    pub fn cores(&self) -> usize {
        self.machines.iter().map(|machine| machine.cores).sum()
    }

    /// Workers of the profile's speed that would do as much.
    fn strength(&self) -> f64 {
        let machines = self.machines.iter();
        machines
            .map(|machine| machine.cores as f64 * machine.speed)
            .sum()
    }
}

/// By machine and by node: whether the machine has all of the node's results from the start. Inputs are
/// everywhere, and need not be said.
pub type Held = Vec<Vec<bool>>;

/// Who computes what of a circuit.
///
/// ```
/// use blindcore_circuits::place::{Cluster, Forecast, Network, Share, place};
/// use blindcore_circuits::{Builder, Profile, passes};
///
/// let profile = Profile::lookup_simulation();
/// // Eight chains that do not wait for each other.
/// let mut build = Builder::new(&profile);
/// for _ in 0..8 {
///     let mut chain = build.input();
///     for _ in 0..100 {
///         let others = build.inputs(2);
///         let carry = build.and(others[0], others[1]);
///         chain = build.mux(chain, carry, others[0]);
///     }
///     build.output(chain);
/// }
/// let circuit = passes::prepare(&build.finish(), &profile);
///
/// let network = Network { bytes_per_nanosecond: 1000.0, latency: 1.0, handling: 0.0, bytes_per_bit: 8 };
/// let cluster = Cluster::alike(4, 1, network);
/// assert_eq!(cluster.cores(), 4);
/// let placement = place(&circuit, &profile, &cluster, &[]);
/// // Two chains each, of which nothing but the ends travels: to everybody.
/// let shares: &[Share] = placement.shares();
/// assert!(shares.iter().all(|share| share.receives().len() == 6));
/// let forecast: &Forecast = placement.forecast();
/// assert_eq!(forecast.bits_sent, 8 * 3);
/// assert!(forecast.time >= forecast.bound && forecast.time < 1.2 * forecast.bound);
/// // Whoever places it gets the same.
/// assert_eq!(place(&circuit, &profile, &cluster, &[]).fingerprint(), placement.fingerprint());
/// ```
#[derive(Clone, Debug)]
pub struct Placement {
    shares: Vec<Share>,
    forecast: Forecast,
}

impl Placement {
    /// By machine what it does.
    #[must_use]
    pub fn shares(&self) -> &[Share] {
        &self.shares
    }

    /// What comes of it.
    #[must_use]
    pub fn forecast(&self) -> &Forecast {
        &self.forecast
    }

    /// A hash of who computes and who sends what, with which machines can tell whether they agree.
    #[must_use]
    pub fn fingerprint(&self) -> [u8; 32] {
        let mut hasher = blake3::Hasher::new();
        for share in &self.shares {
            share.hash_into(&mut hasher);
        }
        hasher.finalize().into()
    }
}

/// Places a circuit, which should have been prepared for the profile. What machines
/// [hold](Held) already is not computed again; with an empty list that is nothing. Every output will be
/// on every machine.
///
/// # Panics
/// If `held` is neither empty nor a row of the circuit's nodes for each machine.
#[must_use]
pub fn place(
    circuit: &Circuit,
    profile: &Profile,
    cluster: &Cluster,
    held: &[Vec<bool>],
) -> Placement {
    assert!(
        held.is_empty() || held.len() == cluster.machines.len(),
        "what is held, by machine"
    );
    assert!(
        held.iter().all(|nodes| nodes.len() == circuit.len()),
        "what is held, by node"
    );
    let whole = Graph::of(circuit, profile);
    let given = tasks::given(circuit, profile, held);
    let tasks = Tasks::new(circuit, profile, held, &given);
    let flow = Flow::new(&tasks, profile, cluster);
    let played = |machines: &[u32]| {
        let shares = share::shares(
            circuit,
            profile,
            &tasks,
            machines,
            (held, &given),
            cluster.machines.len(),
        );
        let forecast = forecast::forecast(circuit, profile, cluster, &whole, &shares);
        Placement { shares, forecast }
    };
    let mut best = manners(cluster.machines.len())
        .into_iter()
        .map(|manner| (played(&placed(&flow, manner)), manner))
        .reduce(faster)
        .unwrap_or_else(|| unreachable!("there is always one"));
    // A circuit that cannot use all machines is slower on all: what they compute has to travel.
    let fewer = if held.is_empty() {
        fewer(cluster)
    } else {
        Vec::new()
    };
    let mut in_vain = 0;
    for some in fewer {
        let part = Cluster {
            machines: some.iter().map(|&one| cluster.machines[one]).collect(),
            network: cluster.network,
        };
        let [_, work] = tasks.bounds(profile, &part);
        // Fewer still have more to do each.
        if work >= best.0.forecast.time {
            break;
        }
        if some.len() > FEW && in_vain >= IN_VAIN {
            continue;
        }
        let flow = Flow::new(&tasks, profile, &part);
        let manners = match some.len() {
            ..=FEW => manners(some.len()),
            _ => vec![best.1],
        };
        in_vain += 1;
        for manner in manners {
            let placed = placed(&flow, manner);
            let machines = placed.iter().map(|&machine| some[machine as usize] as u32);
            let other = (played(&Vec::from_iter(machines)), manner);
            if other.0.forecast.time < best.0.forecast.time {
                (best, in_vain) = (other, 0);
            }
        }
    }
    best.0.bounded(&tasks, profile, cluster)
}

/// How placements are chosen, of which the fastest is taken; beside them everybody at home.
const MANNERS: [Manner; 4] = [
    Manner {
        slack: 0.0,
        groups: None,
    },
    Manner {
        slack: 1.0,
        groups: None,
    },
    Manner {
        slack: 0.5,
        groups: Some(Together::Small),
    },
    Manner {
        slack: 0.5,
        groups: Some(Together::Large),
    },
];

/// What is tried on so many machines; one has no choice.
fn manners(machines: usize) -> Vec<Option<Manner>> {
    let some = MANNERS.map(Some).into_iter();
    let some = some.filter(|_| machines > 1);
    some.chain([None]).collect()
}

/// Of parts of a cluster with more machines only the manner that was best before is tried.
const FEW: usize = 4;

/// After so many parts that were no faster, of smaller ones only those of few machines are tried.
const IN_VAIN: usize = 2;

/// By task its machine; where there is no manner, everybody is at home.
fn placed(flow: &Flow<'_>, manner: Option<Manner>) -> Vec<u32> {
    match manner {
        Some(manner) => flow.run(manner),
        None => flow.homes().to_vec(),
    }
}

/// The first of those that are as fast.
fn faster<M>(best: (Placement, M), other: (Placement, M)) -> (Placement, M) {
    if other.0.forecast.time < best.0.forecast.time {
        other
    } else {
        best
    }
}

/// The strongest … 4, 2, 1 machines, but not all.
fn fewer(cluster: &Cluster) -> Vec<Vec<usize>> {
    let strength = |&place: &usize| {
        let Machine { cores, speed } = cluster.machines[place];
        -(cores as f64 * speed)
    };
    let mut order: Vec<usize> = (0..cluster.machines.len()).collect();
    // Stable: of those that are alike the first.
    order.sort_by(|one, other| strength(one).total_cmp(&strength(other)));
    let counts = std::iter::successors(Some(1), |count| Some(2 * count));
    let counts: Vec<usize> = counts.take_while(|&count| count < order.len()).collect();
    let counts = counts.into_iter().rev();
    counts.map(|count| order[..count].to_vec()).collect()
}

impl Placement {
    fn bounded(mut self, tasks: &Tasks, profile: &Profile, cluster: &Cluster) -> Self {
        let [chain, work] = tasks.bounds(profile, cluster);
        (self.forecast.chain, self.forecast.bound) = (chain, chain.max(work));
        self
    }
}
