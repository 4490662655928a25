//! Two sides, one clock: rounds are interleaved, so that whatever else the machine does
//! falls on both, and every answer is compared with the clear one.

use std::error::Error;
use std::fmt;
use std::time::{Duration, Instant};

use crate::operation::{Operands, Operation};

/// What a side promises, printed beside its times.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Library and parameter set.
    pub set: String,
    /// Dimension of the small key: the number of bits that a rotation runs through.
    pub small_dimension: usize,
    /// Dimension of the big key, k·N.
    pub big_dimension: usize,
    /// Bits, by the lattice estimator, smallest of primal and dual-hybrid attacks.
    pub security: f64,
    /// Base-2 logarithm of the probability that one bootstrap decodes wrongly.
    pub log2_failure: f64,
}

/// A library that takes part.
pub trait Contestant {
    type Inputs;
    type Output;

    fn promise(&self) -> Promise;
    /// How many bootstraps a row takes, where the library says.
    fn bootstraps(&self, _: Operation) -> Option<usize> {
        None
    }
    fn encrypt(&self, operation: Operation, values: Operands) -> Result<Self::Inputs, Failure>;
    /// The only thing that the clock sees.
    fn evaluate(
        &self,
        operation: Operation,
        inputs: &Self::Inputs,
    ) -> Result<Self::Output, Failure>;
    fn reveal(&self, operation: Operation, output: &Self::Output) -> Result<u32, Failure>;
}

pub type Failure = Box<dyn Error>;

/// Median and extremes of the rounds.
#[derive(Clone, Copy, Debug)]
pub struct Times {
    pub median: Duration,
    pub least: Duration,
    pub most: Duration,
}

impl Times {
    pub fn of(mut rounds: Vec<Duration>) -> Self {
        rounds.sort_unstable();
        let zero = Duration::ZERO;
        Self {
            median: rounds.get(rounds.len() / 2).copied().unwrap_or(zero),
            least: rounds.first().copied().unwrap_or(zero),
            most: rounds.last().copied().unwrap_or(zero),
        }
    }
}

/// `median [least … most]` in milliseconds.
impl fmt::Display for Times {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        write!(
            f,
            "{:.2} [{:.2} … {:.2}]",
            ms(self.median),
            ms(self.least),
            ms(self.most)
        )
    }
}

/// One finished row.
#[derive(Clone, Debug)]
pub struct Row {
    pub operation: Operation,
    pub rounds: u64,
    pub peer: Promise,
    pub peer_times: Times,
    pub ours: Promise,
    pub our_times: Times,
    pub our_bootstraps: Option<usize>,
}

impl Row {
    /// Peer's time over ours: above 1, we are faster.
    pub fn ratio(&self) -> f64 {
        self.peer_times.median.as_secs_f64() / self.our_times.median.as_secs_f64()
    }
}

/// Peer, ours, peer, ours, …; after one round of each whose answers are checked untimed.
pub fn interleave<P: Contestant, O: Contestant>(
    operation: Operation,
    rounds: u64,
    peer: &P,
    ours: &O,
) -> Result<Row, Failure> {
    let mut peer_rounds = Vec::new();
    let mut our_rounds = Vec::new();
    for round in 0..=rounds {
        let values = Operands::of_round(operation, round);
        let peer_time = one_round(operation, values, peer)?;
        let our_time = one_round(operation, values, ours)?;
        if round > 0 {
            peer_rounds.push(peer_time);
            our_rounds.push(our_time);
        }
    }
    Ok(Row {
        operation,
        rounds,
        peer: peer.promise(),
        peer_times: Times::of(peer_rounds),
        ours: ours.promise(),
        our_times: Times::of(our_rounds),
        our_bootstraps: ours.bootstraps(operation),
    })
}

fn one_round<C: Contestant>(
    operation: Operation,
    values: Operands,
    side: &C,
) -> Result<Duration, Failure> {
    let inputs = side.encrypt(operation, values)?;
    let start = Instant::now();
    let output = side.evaluate(operation, &inputs)?;
    let time = start.elapsed();

    let answer = side.reveal(operation, &output)?;
    let expected = operation.expected(values);
    if answer == expected {
        Ok(time)
    } else {
        Err(format!(
            "{} answers {answer:#x} to {} of {values:x?}; right is {expected:#x}",
            side.promise().set,
            operation.name(),
        )
        .into())
    }
}
