//! Evaluations that are not finished: what of a circuit has been computed, to go on from there.
//!
//! A window of a program takes minutes. Cutting it into smaller circuits would cost a refresh for
//! each bit that crosses; what has been computed of it so far costs nothing but the place that it
//! takes. Under the scheduler's lock the values that are still to be read, and the nodes that are
//! done, belong together at any moment, also while workers are at others.

use std::sync::Arc;
use std::time::{Duration, Instant};

use super::{ExecError, Gates};
use crate::ir::{Circuit, Op};

/// How much longer than writing what is kept the time until the next is: a tenth of a run at most.
const PATIENCE: u32 = 10;

/// Where an evaluation begins.
#[derive(Clone, Debug)]
pub enum Begin<B> {
    /// At the circuit's inputs.
    Inputs(Vec<Arc<B>>),
    /// Where an earlier one ended.
    Partial(Partial<B>),
}

/// What of a circuit has been evaluated.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Partial<B> {
    /// By node: whether it is evaluated.
    pub evaluated: Vec<bool>,
    /// Values that are still to be read, inputs among them, by signal in ascending order.
    pub values: Vec<(u32, Arc<B>)>,
}

/// Somebody who keeps what has been evaluated, now and then and when a run is cancelled. Called
/// from the thread that called the run.
pub struct Keeper<'a, B> {
    every: Duration,
    last: Instant,
    pause: Duration,
    keep: &'a mut dyn FnMut(Partial<B>),
}

impl<'a, B> Keeper<'a, B> {
    /// Has `keep` called with what is there, `every` so often; more seldom where it takes long.
    pub fn new(every: Duration, keep: &'a mut dyn FnMut(Partial<B>)) -> Self {
        Self {
            every,
            last: Instant::now(),
            pause: every,
            keep,
        }
    }

    /// Whether it is time.
    pub(super) fn is_due(&self) -> bool {
        self.last.elapsed() >= self.pause
    }

    pub(super) fn keep(&mut self, partial: Partial<B>) {
        let begin = Instant::now();
        (self.keep)(partial);
        self.last = Instant::now();
        self.pause = self.every.max(begin.elapsed().saturating_mul(PATIENCE));
    }
}

/// By node whether it is evaluated, and by signal what is there.
type Values<B> = (Vec<bool>, Vec<Option<Arc<B>>>);

impl<B> Begin<B> {
    /// What is there of a circuit.
    pub(super) fn values<E: std::error::Error>(
        self,
        circuit: &Circuit,
    ) -> Result<Values<B>, ExecError<E>> {
        match self {
            Self::Inputs(inputs) if inputs.len() == circuit.inputs() => {
                Ok((vec![false; circuit.len()], values_of(circuit, inputs)))
            }
            Self::Inputs(inputs) => Err(ExecError::Inputs {
                expected: circuit.inputs(),
                found: inputs.len(),
            }),
            Self::Partial(partial) if partial.fits(circuit) => {
                let mut values = vec![None; circuit.signals()];
                for (signal, bit) in partial.values {
                    values[signal as usize] = Some(bit);
                }
                Ok((partial.evaluated, values))
            }
            Self::Partial(_) => Err(ExecError::Partial),
        }
    }
}

impl<B> Partial<B> {
    /// Whether it can be of this circuit: it has all that is to be read.
    pub(super) fn fits(&self, circuit: &Circuit) -> bool {
        let ascends = self.values.windows(2).all(|pair| pair[0].0 < pair[1].0);
        let last = self.values.last().map_or(0, |(signal, _)| *signal as usize);
        if self.evaluated.len() != circuit.len() || !ascends || last >= circuit.signals() {
            return false;
        }
        let mut there = vec![false; circuit.signals()];
        for (signal, _) in &self.values {
            there[*signal as usize] = true;
        }
        let known = |wire: crate::Wire| match circuit.source(wire.signal()) {
            None => true,
            Some(node) => {
                there[wire.signal().index()]
                    || !self.evaluated[node.index()] && !matches!(circuit.op(node), Op::Input(_))
            }
        };
        let left = circuit.nodes().filter(|node| !self.evaluated[node.index()]);
        let mut read = left.flat_map(|node| circuit.op(node).operands());
        read.all(known) && circuit.outputs().iter().copied().all(known)
    }
}

/// The values of a circuit's inputs, by signal.
pub(super) fn values_of<B>(circuit: &Circuit, inputs: Vec<Arc<B>>) -> Vec<Option<Arc<B>>> {
    let mut values = Vec::new();
    values.resize_with(circuit.signals(), || None);
    let mut inputs: Vec<_> = inputs.into_iter().map(Some).collect();
    for node in circuit.nodes() {
        if let Some(number) = circuit.input_number(node) {
            let signal = circuit.range(node).start;
            values[signal] = inputs.get_mut(number as usize).and_then(Option::take);
        }
    }
    values
}

/// As [`run_owned`](super::run_owned), from wherever `begin` says, for somebody who keeps what has
/// been evaluated.
///
/// ```
/// use std::sync::Arc;
/// use std::time::Duration;
///
/// use blindcore_circuits::exec::{Begin, Keeper, Partial, run_kept};
/// use blindcore_circuits::{Builder, ExecError, Pool, Profile, library, passes, sim::Simulator};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (x, y) = (build.inputs(8), build.inputs(8));
/// library::multiply(&mut build, &x, &y).into_iter().for_each(|bit| build.output(bit));
/// let circuit = passes::prepare(&build.finish(), &profile);
/// let engine = Simulator::new(profile);
/// let bits: Vec<Arc<u64>> = (0..16).map(|at| Arc::new((200 | 50 << 8) >> at & 1)).collect();
///
/// // Somebody cancels it, as soon as something is kept.
/// let pool = Pool::new(1);
/// let cancel = pool.cancel().clone();
/// let mut kept: Option<Partial<u64>> = None;
/// let mut keep = |partial| {
///     kept = Some(partial);
///     cancel.cancel();
/// };
/// let keeper = Keeper::new(Duration::ZERO, &mut keep);
/// let ended = run_kept(&engine, &circuit, Begin::Inputs(bits), &pool, Some(keeper));
/// assert_eq!(ended, Err(ExecError::Cancelled));
///
/// let partial = kept.expect("after the first batch");
/// let product = run_kept(&engine, &circuit, Begin::Partial(partial), &Pool::new(1), None)?;
/// assert_eq!(product.iter().rev().fold(0, |value, bit| 2 * value + (**bit & 1)), 10_000 & 0xff);
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
/// Those of [`run`](super::run()), and [`ExecError::Partial`](super::ExecError::Partial).
pub fn run_kept<G: Gates>(
    gates: &G,
    circuit: &Circuit,
    begin: Begin<G::Bit>,
    pool: &super::Pool,
    keeper: Option<Keeper<'_, G::Bit>>,
) -> Result<Vec<Arc<G::Bit>>, super::ExecError<G::Error>> {
    super::scheduler::run_from(gates, circuit, begin, pool, keeper)
}
