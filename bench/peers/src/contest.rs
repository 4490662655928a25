//! Two sides, one clock: rounds are interleaved, and every answer is compared with the
//! clear one before its time counts.

use std::time::{Duration, Instant};

use clock::{Failure, Side, Times};

use crate::operation::{Operands, Operation};

/// What a side promises, printed beside its times.
#[derive(Clone, Debug)]
pub struct Promise {
    /// Library and parameter set.
    pub set: String,
    /// Dimension of the small key, n: the number of bits that a rotation runs through.
    pub small_dimension: usize,
    /// Degree of the ring, N.
    pub ring_degree: usize,
    /// Dimension of the big key, k·N.
    pub big_dimension: usize,
    /// Bits, by the lattice estimator, smallest of primal and dual-hybrid attacks; or what
    /// the library claims.
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
    /// Bits, in words of 32; a truth value is one bit.
    fn reveal(&self, operation: Operation, output: &Self::Output) -> Result<Vec<u32>, Failure>;
}

/// One finished row.
#[derive(Clone, Debug)]
pub struct Row {
    pub operation: Operation,
    pub threads: usize,
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
        self.peer_times.over(&self.our_times)
    }
}

/// How a contest runs.
#[derive(Clone, Copy, Debug)]
pub struct Terms {
    /// On either side.
    pub threads: usize,
    /// Counted rounds of whatever takes long.
    pub rounds: u64,
}

impl Terms {
    /// A gate is too short for a handful of rounds to say much.
    pub fn rounds_of(self, row: Operation) -> u64 {
        match row {
            Operation::Nand | Operation::TwoNands => 3 * self.rounds,
            _ => self.rounds,
        }
    }
}

/// Runs and prints rows.
pub fn contest<P: Contestant, O: Contestant>(
    operations: &[Operation],
    terms: Terms,
    peer: &P,
    ours: &O,
) -> Result<Vec<Row>, Failure> {
    for side in [peer.promise(), ours.promise()] {
        println!(
            "  {}: n = {}, N = {}, kN = {}, {} bits, p_fail = 2^{:.1} per bootstrap at most",
            side.set,
            side.small_dimension,
            side.ring_degree,
            side.big_dimension,
            side.security,
            side.log2_failure,
        );
    }
    println!(
        "  {:<10} {:>33} {:>33} {:>8} {:>10}",
        "row", "peer, ms", "ours, ms", "ratio", "bootstraps"
    );
    let mut rows = Vec::new();
    for &operation in operations {
        let row = one_row(operation, terms, peer, ours)?;
        println!(
            "  {:<10} {:>33} {:>33} {:>7.2}x {:>10}",
            operation.name(),
            row.peer_times,
            row.our_times,
            row.ratio(),
            row.our_bootstraps
                .map_or(String::new(), |count| count.to_string()),
        );
        rows.push(row);
    }
    Ok(rows)
}

fn one_row<P: Contestant, O: Contestant>(
    operation: Operation,
    terms: Terms,
    peer: &P,
    ours: &O,
) -> Result<Row, Failure> {
    let rounds = terms.rounds_of(operation);
    let mut sides: [Side<'_>; 2] = [
        Box::new(|round| one_round(operation, round, peer)),
        Box::new(|round| one_round(operation, round, ours)),
    ];
    let [peer_times, our_times] = clock::interleave(rounds, &mut sides)?[..] else {
        return Err("two sides have two times".into());
    };
    drop(sides);
    Ok(Row {
        operation,
        threads: terms.threads,
        rounds,
        peer: peer.promise(),
        peer_times,
        ours: ours.promise(),
        our_times,
        our_bootstraps: ours.bootstraps(operation),
    })
}

/// How often a round evaluates its row, back to back. A gate alone would mostly wait for its key,
/// which the other side's has just driven out of the caches; gates come in circuits.
pub const fn repeats(row: Operation) -> u32 {
    match row {
        Operation::Nand | Operation::TwoNands => 8,
        _ => 1,
    }
}

/// Evaluations in a row, every answer checked; the time of one.
pub fn one_round<C: Contestant>(
    operation: Operation,
    round: u64,
    side: &C,
) -> Result<Duration, Failure> {
    let values = Operands::of_round(operation, round);
    let inputs = side.encrypt(operation, values)?;
    let start = Instant::now();
    let outputs = (0..repeats(operation))
        .map(|_| side.evaluate(operation, &inputs))
        .collect::<Result<Vec<_>, _>>()?;
    let time = start.elapsed() / repeats(operation);

    let expected = operation.expected(values);
    for output in &outputs {
        let answer = side.reveal(operation, output)?;
        if answer != expected {
            return Err(format!(
                "{} answers {answer:x?} to {} of {values:x?}; right is {expected:x?}",
                side.promise().set,
                operation.name(),
            )
            .into());
        }
    }
    Ok(time)
}
