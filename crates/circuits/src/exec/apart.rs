//! A share of a circuit: what one machine computes while others compute the rest.
//!
//! The scheduler is the one that runs whole circuits. Results that come from others are tasks that it waits
//! for and does not compute; what others need is handed out as soon as it is there, and kept to the end: when
//! a machine is lost, [what the others have](Apart::partial) need not be computed again. What nobody else
//! reads is freed after its last use, as in a run of the whole.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use super::graph::Graph;
use super::partial::{Begin, Partial};
use super::queue::Queue;
use super::scheduler::{Run, StopOnPanic, counted};
use super::state::State;
use super::{ExecError, Gates, Pool};
use crate::ir::{Circuit, Node, Signal};
use crate::place::Share;

/// The other machines, as a scheduler sees them.
pub trait Peers<B>: Sync {
    /// Hands over a result for the machines that need it, by their numbers in the placement. Called by
    /// workers between operations: it must not wait for a network.
    fn send(&self, signal: u32, bit: &Arc<B>, to: &[u32]);

    /// Waits for what comes next; for a tenth of a second at most, so that a run can be cancelled that
    /// waits for others.
    fn receive(&self) -> Received<B>;

    /// The run is over: whoever waits in [`receive`](Self::receive) is to come back, or who comes there next.
    fn end(&self);
}

/// What comes from others.
#[derive(Clone, Debug)]
pub enum Received<B> {
    /// Results, by signal. What is there already, or not wanted, does no harm.
    Bits(Vec<(u32, Arc<B>)>),
    /// The run is not to go on, since a machine was lost or has come.
    Interrupted,
    /// Nothing.
    Nothing,
}

/// What a share's run leaves.
#[derive(Clone, Debug)]
pub struct Apart<B> {
    /// The circuit's outputs; `None` where the run was interrupted.
    pub outputs: Option<Vec<Arc<B>>>,
    /// All that there is.
    pub partial: Partial<B>,
}

/// Runs one machine's share of a circuit. `begin` may hold more than the inputs: where this machine was
/// before the machines changed; the placement has to know it then (see [`place`](crate::place::place)).
///
/// ```
/// use std::sync::mpsc::{Receiver, Sender, channel};
/// use std::sync::{Arc, Mutex};
/// use std::thread;
///
/// use blindcore_circuits::exec::{Begin, Peers, Received, run_share};
/// use blindcore_circuits::place::{Cluster, Network, place};
/// use blindcore_circuits::{Builder, Pool, Profile, library, passes, sim::Simulator};
///
/// /// One of two machines, which are threads here.
/// struct Other {
///     to: Sender<Option<(u32, Arc<u64>)>>,
///     own: Sender<Option<(u32, Arc<u64>)>>,
///     from: Mutex<Receiver<Option<(u32, Arc<u64>)>>>,
/// }
///
/// impl Peers<u64> for Other {
///     fn send(&self, signal: u32, bit: &Arc<u64>, _: &[u32]) {
///         // It may be gone, if it needs nothing more.
///         let _ = self.to.send(Some((signal, Arc::clone(bit))));
///     }
///     fn receive(&self) -> Received<u64> {
///         match self.from.lock().unwrap().recv() {
///             Ok(Some(bit)) => Received::Bits(vec![bit]),
///             _ => Received::Nothing,
///         }
///     }
///     fn end(&self) {
///         let _ = self.own.send(None);
///     }
/// }
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (x, y) = (build.inputs(16), build.inputs(16));
/// library::multiply(&mut build, &x, &y).into_iter().for_each(|bit| build.output(bit));
/// let circuit = passes::prepare(&build.finish(), &profile);
/// let network = Network { bytes_per_nanosecond: 1000.0, latency: 0.1, handling: 0.0, bytes_per_bit: 8 };
/// let placement = place(&circuit, &profile, &Cluster::alike(2, 1, network), &[]);
///
/// let engine = Simulator::new(profile);
/// let bits: Vec<Arc<u64>> = (0..32).map(|at| Arc::new((1234 | 56789 << 16) >> at & 1)).collect();
/// let (channels, ends): (Vec<_>, Vec<_>) = (0..2).map(|_| channel()).unzip();
/// let products = thread::scope(|scope| {
///     let machines: Vec<_> = placement.shares().iter().zip(ends).enumerate().map(|(own, (share, from))| {
///         let other = Other { to: channels[1 - own].clone(), own: channels[own].clone(), from: Mutex::new(from) };
///         let (engine, circuit, begin) = (&engine, &circuit, Begin::Inputs(bits.clone()));
///         scope.spawn(move || run_share(engine, circuit, begin, &Pool::new(1), share, &other))
///     }).collect();
///     machines.into_iter().map(|machine| machine.join().unwrap()).collect::<Vec<_>>()
/// });
/// for product in products {
///     let product = product?.outputs.expect("nobody was lost");
///     assert_eq!(product.iter().rev().fold(0, |value, bit| 2 * value + (**bit & 1)), 1234 * 56789 & 0xffff);
/// }
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`run`](super::run()), and [`ExecError::Partial`].
pub fn run_share<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    begin: Begin<G::Bit>,
    pool: &Pool,
    share: &Share,
    peers: &dyn Peers<G::Bit>,
) -> Result<Apart<G::Bit>, ExecError<G::Error>> {
    let (evaluated, values) = begin.values(circuit)?;
    let profile = gates.profile();
    let whole = Graph::of(circuit, profile);
    let is_there = |node: Node| evaluated[node.index()];
    let graph = Graph::of_share(circuit, profile, &whole, share, &is_there);
    let (awaited, there) = Awaited::new(circuit, share, &evaluated, &values);
    let mut queue = Queue::new(&graph, profile, pool.threads());
    for node in there {
        queue.finish(node.index());
    }
    let before = counted(circuit, profile, &evaluated);
    let state = State::of_share(circuit, share, evaluated, values, queue);
    let mut run = Run::new(gates, circuit, pool, state, before);
    run.others = Some(Others {
        share,
        peers,
        awaited: Mutex::new(awaited),
    });
    run.send_what_is_there();
    std::thread::scope(|scope| {
        // However it ends, whoever receives must not wait for ever.
        let _end = EndOnDrop(peers);
        scope.spawn(|| run.receive(peers));
        for _ in 1..pool.threads() {
            scope.spawn(|| run.work(None));
        }
        run.work(None);
    });
    let state = run.into_state();
    let partial = State::<G>::partial(&state.evaluated, &state.values);
    let outputs = match state.error {
        Some(error) => return Err(error),
        None if state.queue.done < state.queue.total => None,
        None => Some(state.outputs(gates, circuit).ok_or(ExecError::Partial)?),
    };
    Ok(Apart { outputs, partial })
}

/// A share, the others, and what is to come from them.
pub(super) struct Others<'a, B> {
    share: &'a Share,
    peers: &'a dyn Peers<B>,
    awaited: Mutex<Awaited>,
}

/// Signals that a run waits for.
#[derive(Default)]
pub(super) struct Awaited {
    /// By node: how many of its signals have not come.
    left: HashMap<u32, u32>,
}

impl Awaited {
    /// What a share waits for beyond what is there, and the nodes of which nothing is missing.
    fn new<B>(
        circuit: &Circuit,
        share: &Share,
        evaluated: &[bool],
        values: &[Option<Arc<B>>],
    ) -> (Self, Vec<Node>) {
        let mut left = HashMap::new();
        for &(signal, _) in share.receives() {
            let Some(node) = circuit.source(Signal(signal)) else {
                continue;
            };
            if !evaluated[node.index()] {
                *left.entry(node.0).or_default() += u32::from(values[signal as usize].is_none());
            }
        }
        let there = left.iter().filter(|(_, left)| **left == 0);
        let mut there: Vec<Node> = there.map(|(&node, _)| Node(node)).collect();
        there.sort_unstable();
        for node in &there {
            left.remove(&node.0);
        }
        (Self { left }, there)
    }

    /// One signal of a node has come: whether it is awaited, and whether it was the last.
    fn arrived(&mut self, node: Node) -> Option<bool> {
        let left = self.left.get_mut(&node.0)?;
        *left -= 1;
        let is_last = *left == 0;
        if is_last {
            self.left.remove(&node.0);
        }
        Some(is_last)
    }
}

/// Ends the receiver's wait however the run ends.
struct EndOnDrop<'a, B>(&'a dyn Peers<B>);

impl<B> Drop for EndOnDrop<'_, B> {
    fn drop(&mut self) {
        self.0.end();
    }
}

impl<'a, G: Gates> Run<'a, G> {
    /// Hands a result to the machines that need it.
    pub(super) fn send(&self, signal: u32, bit: &Arc<G::Bit>) {
        if let Some(others) = &self.others {
            let readers = others.share.readers_of(signal);
            if !readers.is_empty() {
                others.peers.send(signal, bit, readers);
            }
        }
    }

    /// What others need and was there before.
    fn send_what_is_there(&self) {
        let Some(others) = &self.others else {
            return;
        };
        for (signal, _) in others.share.sends() {
            let state = self.lock();
            let source = self.circuit.source(Signal(*signal));
            let is_held = source.is_some_and(|node| state.evaluated[node.index()]);
            let bit = state.values[*signal as usize].clone();
            drop(state);
            if let Some(bit) = bit.filter(|_| is_held) {
                self.send(*signal, &bit);
            }
        }
    }

    /// Takes what comes from others until the run is over.
    fn receive(&self, peers: &dyn Peers<G::Bit>) {
        let _guard = StopOnPanic(self);
        loop {
            let received = peers.receive();
            let mut state = self.lock();
            match received {
                Received::Bits(bits) => bits
                    .into_iter()
                    .for_each(|(signal, bit)| self.arrived(&mut state, signal, bit)),
                Received::Interrupted => state.stopped = true,
                Received::Nothing => {}
            }
            let is_over = state.stopped || state.queue.done == state.queue.total;
            self.notify_all();
            drop(state);
            if is_over {
                return;
            }
        }
    }

    fn arrived(&self, state: &mut State<'a, G>, signal: u32, bit: Arc<G::Bit>) {
        let is_new = state
            .values
            .get(signal as usize)
            .is_some_and(Option::is_none);
        // A number that is no signal's has no place among the values.
        let source = match is_new {
            true => self.circuit.source(Signal(signal)),
            false => None,
        };
        let (Some(Others { awaited, share, .. }), Some(node)) = (&self.others, source) else {
            return;
        };
        if !share.receives_signal(signal) {
            return;
        }
        let mut awaited = awaited.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(is_last) = awaited.arrived(node) else {
            return;
        };
        state.values[signal as usize] = Some(bit);
        state.kept += 1;
        if is_last {
            state.queue.finish(node.index());
            let mut signals = self.circuit.range(node);
            state.evaluated[node.index()] = signals.all(|signal| state.values[signal].is_some());
        }
    }
}
