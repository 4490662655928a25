//! Products side by side: contestants in turn, round by round, every answer compared before its
//! time counts.

use std::num::NonZeroUsize;
use std::time::Instant;

use bignum::{Multiplier, Options, Route};
use serde::Serialize;
use transforms::InstructionSet;
use transforms::integers::goldilocks_cyclic as paper_algorithm;

use super::super::bench::{Session, Times};
use super::peers::Peers;
use crate::error::{PapersError, internal};

/// What is computed of two numbers of one length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Task {
    /// `a·b`.
    Product,
    /// `a²`.
    Square,
    /// `a·b mod d`.
    Residue,
}

/// Who computes it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(super) enum Side {
    Gmp,
    Flint,
    Ours,
}

/// Computations `out = f(a, b)`, one after another.
pub(super) type Compute<'a> =
    Box<dyn FnMut(&mut [u64], &[u64], &[u64], u32) -> Result<(), PapersError> + 'a>;

/// Somebody who computes the task.
pub(super) struct Contestant<'a> {
    pub(super) side: Side,
    pub(super) name: String,
    pub(super) threads: usize,
    pub(super) compute: Compute<'a>,
}

/// How somebody did.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Standing {
    pub(super) side: Side,
    pub(super) name: String,
    pub(super) threads: usize,
    /// Seconds of one computation.
    pub(super) times: Times,
    /// In each round, the best GMP time on one thread over this one.
    pub(super) of_gmp: Option<Times>,
    /// In each round, the best FLINT time on as many threads over this one.
    pub(super) of_flint: Option<Times>,
}

/// The threads of one contestant of ours; one is the caller's.
pub(super) struct Pool(Option<rayon::ThreadPool>);

impl Pool {
    pub(super) fn new(threads: NonZeroUsize) -> Result<Self, PapersError> {
        if threads.get() == 1 {
            return Ok(Self(None));
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads.get());
        Ok(Self(Some(pool.build().map_err(internal)?)))
    }

    /// Does something `times` times, on one of the threads, beside which the others stand ready.
    pub(super) fn run(
        &self,
        times: u32,
        mut work: impl FnMut() -> Result<(), PapersError> + Send,
    ) -> Result<(), PapersError> {
        let mut all = || (0..times).try_for_each(|_| work());
        match &self.0 {
            Some(pool) => pool.install(all),
            None => all(),
        }
    }
}

/// How long a turn should take at least, in seconds: then neither the clock's grain matters nor how
/// long a second thread takes to wake up.
const TURN: f64 = 1e-2;

/// What everybody computes with.
#[derive(Clone, Copy)]
pub(super) struct Operands<'a> {
    pub(super) a: &'a [u64],
    pub(super) b: &'a [u64],
    /// The right answer.
    pub(super) expected: &'a [u64],
}

/// Times of all, in rounds: each computes in turn. An interrupted measurement, or one that a wrong
/// answer ended, has the rounds until then.
pub(super) fn measure(
    session: &Session<'_>,
    what: &str,
    contestants: &mut [Contestant<'_>],
    operands: &Operands<'_>,
    rounds: usize,
) -> (Vec<Standing>, Result<(), PapersError>) {
    let mut seconds = vec![Vec::with_capacity(rounds); contestants.len()];
    let ended = take_turns(session, what, contestants, operands, &mut seconds, rounds);
    let whole = seconds.iter().map(Vec::len).min().unwrap_or(0);
    seconds
        .iter_mut()
        .for_each(|seconds| seconds.truncate(whole));
    (standings(contestants, &seconds), ended)
}

/// Appends each contestant's seconds, round by round.
fn take_turns(
    session: &Session<'_>,
    what: &str,
    contestants: &mut [Contestant<'_>],
    operands: &Operands<'_>,
    seconds: &mut [Vec<f64>],
    rounds: usize,
) -> Result<(), PapersError> {
    let Operands { a, b, expected } = *operands;
    let mut out = vec![0; expected.len()];
    let mut often = Vec::with_capacity(contestants.len());
    for contestant in contestants.iter_mut() {
        session.begin(format!("{what}: {}", contestant.name))?;
        // The first fills caches and tables.
        (contestant.compute)(&mut out, a, b, 1)?;
        check(contestant, &out, expected)?;
        let began = Instant::now();
        (contestant.compute)(&mut out, a, b, 1)?;
        let once = began.elapsed().as_secs_f64();
        often.push((TURN / once).ceil().clamp(1.0, 1e5) as u32);
    }
    for _ in 0..rounds {
        for (number, contestant) in contestants.iter_mut().enumerate() {
            session.begin(format!("{what}: {}", contestant.name))?;
            out.fill(0);
            let began = Instant::now();
            (contestant.compute)(&mut out, a, b, often[number])?;
            let time = began.elapsed().as_secs_f64() / f64::from(often[number]);
            check(contestant, &out, expected)?;
            seconds[number].push(time);
        }
        session.reach(1);
    }
    Ok(())
}

/// How everybody did, of those who took a turn.
fn standings(contestants: &[Contestant<'_>], seconds: &[Vec<f64>]) -> Vec<Standing> {
    let best = |side: Side, threads: usize, round: usize| {
        let of = contestants.iter().zip(seconds);
        of.filter(|(of, _)| of.side == side && of.threads == threads)
            .map(|(_, seconds)| seconds[round])
            .min_by(f64::total_cmp)
    };
    let ratios = |side: Side, threads: usize, mine: &[f64]| {
        let ratio = |(round, mine): (usize, &f64)| Some(best(side, threads, round)? / mine);
        Times::of(mine.iter().enumerate().filter_map(ratio).collect())
    };
    let all = contestants.iter().zip(seconds).map(|(of, seconds)| {
        Some(Standing {
            side: of.side,
            name: of.name.clone(),
            threads: of.threads,
            of_gmp: ratios(Side::Gmp, 1, seconds),
            of_flint: ratios(Side::Flint, of.threads, seconds),
            times: Times::of(seconds.clone())?,
        })
    });
    all.flatten().collect()
}

fn check(contestant: &Contestant<'_>, found: &[u64], expected: &[u64]) -> Result<(), PapersError> {
    if found == expected {
        return Ok(());
    }
    Err(PapersError::WrongAnswer {
        name: contestant.name.to_string(),
    })
}

/// Everybody who multiplies or squares operands of `limbs` limbs, on each number of threads.
pub(super) fn multipliers<'a>(
    peers: Peers<'a>,
    task: Task,
    limbs: usize,
    threads: &[usize],
) -> Result<Vec<Contestant<'a>>, PapersError> {
    let Peers { gmp, flint } = peers;
    let mut all = Vec::new();
    if let Some(gmp) = gmp {
        all.push(Contestant {
            side: Side::Gmp,
            name: format!("GMP {}", gmp.version),
            threads: 1,
            compute: Box::new(move |out, a, b, times| {
                for _ in 0..times {
                    match task {
                        Task::Square => gmp.square(out, a),
                        _ => gmp.multiply(out, a, b),
                    }
                }
                Ok(())
            }),
        });
    }
    for &count in threads {
        if let Some(flint) = flint.filter(|flint| flint.set_threads(count)) {
            all.push(Contestant {
                side: Side::Flint,
                name: format!("FLINT {}", flint.version),
                threads: count,
                compute: Box::new(move |out, a, b, times| {
                    flint.set_threads(count);
                    for _ in 0..times {
                        match task {
                            Task::Square => flint.square(out, a),
                            _ => flint.multiply(out, a, b),
                        }
                    }
                    Ok(())
                }),
            });
        }
        let count = NonZeroUsize::new(count).unwrap_or(NonZeroUsize::MIN);
        if limbs <= paper_algorithm::OPERAND_LIMBS {
            all.push(paper_contestant(task, count)?);
        }
        for &route in Route::ALL {
            all.extend(ours(route, task, limbs, count)?);
        }
    }
    Ok(all)
}

/// The paper's algorithm.
fn paper_contestant<'a>(task: Task, threads: NonZeroUsize) -> Result<Contestant<'a>, PapersError> {
    let set = InstructionSet::detect();
    let plan = paper_algorithm::Plan::new(set, threads);
    let mut work = [plan.spectrum(), plan.spectrum()];
    let pool = Pool::new(threads)?;
    Ok(Contestant {
        side: Side::Ours,
        name: PAPERS_ALGORITHM.to_owned(),
        threads: threads.get(),
        compute: Box::new(move |out, a, b, times| {
            pool.run(times, || {
                match task {
                    Task::Square => plan.square(out, a, &mut work[0]),
                    _ => plan.multiply(out, a, b, &mut work),
                }
                .map_err(internal)
            })
        }),
    })
}

/// What the row of that is called.
pub(super) const PAPERS_ALGORITHM: &str = "the paper's algorithm";

/// One of our routes, if it is one by transforms or the choice of the fastest, and has a plan for
/// the size.
fn ours<'a>(
    route: Route,
    task: Task,
    limbs: usize,
    threads: NonZeroUsize,
) -> Result<Option<Contestant<'a>>, PapersError> {
    let by_transforms = ["automatic", "float", "exact"].contains(&route.name());
    let options = Options {
        route,
        threads,
        sums: 1,
    };
    let plan = match Multiplier::new(2 * limbs, options) {
        _ if !by_transforms => return Ok(None),
        Ok(plan) => plan,
        Err(bignum::Error::Oversize { .. } | bignum::Error::Unavailable { .. }) => return Ok(None),
        Err(error) => return Err(internal(error)),
    };
    let pool = Pool::new(threads)?;
    Ok(Some(Contestant {
        side: Side::Ours,
        name: described(route),
        threads: threads.get(),
        compute: Box::new(move |out, a, b, times| {
            pool.run(times, || {
                match task {
                    Task::Square => plan.square(out, a),
                    _ => plan.multiply(out, a, b),
                }
                .map_err(internal)
            })
        }),
    }))
}

/// A route in the report's words.
pub(super) fn described(route: Route) -> String {
    match route.name() {
        "automatic" => AUTOMATIC.to_owned(),
        "float" => "double precision, certified".to_owned(),
        "exact" => "modulo three primes".to_owned(),
        name => name.to_owned(),
    }
}

/// What the row of the fastest route is called.
pub(super) const AUTOMATIC: &str = "ours, the fastest for the size";
