//! The simulator as an engine, for tests of whatever drives engines.

use super::{SimulationError, lanes, one_of};
use crate::Profile;
use crate::exec::{Gates, Job, LookupJob};

/// Sixty-four clear evaluations at a time, behind the contract of engines.
#[derive(Clone, Debug)]
pub struct Simulator {
    profile: Profile,
}

impl Simulator {
    /// A simulator that claims to be a certain target. It evaluates lookups whatever it claims.
    #[must_use]
    pub fn new(profile: Profile) -> Self {
        Self { profile }
    }
}

impl Gates for Simulator {
    type Bit = u64;
    type Scratch = ();
    type Error = SimulationError;

    fn profile(&self) -> &Profile {
        &self.profile
    }

    fn scratch(&self) {}

    fn constant(&self, value: bool) -> u64 {
        if value { u64::MAX } else { 0 }
    }

    fn not(&self, a: &u64) -> u64 {
        !a
    }

    fn apply_many(
        &self,
        (): &mut (),
        jobs: &[Job<'_, u64>],
    ) -> Vec<Result<Vec<u64>, SimulationError>> {
        jobs.iter().map(evaluate).collect()
    }
}

fn evaluate(job: &Job<'_, u64>) -> Result<Vec<u64>, SimulationError> {
    Ok(vec![match job {
        Job::And(a, b) => *a & *b,
        Job::Xor(a, b) => *a ^ *b,
        Job::Mux {
            select,
            then,
            otherwise,
        } => *select & *then | !*select & *otherwise,
        Job::Lookup(job) => return lookup(job),
        Job::Parity(bits) | Job::Subtotal(bits) | Job::Linear(bits) => {
            bits.iter().fold(0, |odd, &&bit| odd ^ bit)
        }
        Job::Disjoint(bits) => one_of(bits.iter().map(|&&bit| bit), None)?,
        Job::Refresh(a) => **a,
    }])
}

fn lookup(job: &LookupJob<'_, u64>) -> Result<Vec<u64>, SimulationError> {
    let terms: Vec<(u64, i8)> = job
        .terms
        .iter()
        .map(|&(&bit, weight)| (bit, weight))
        .collect();
    let minterms =
        lanes::minterms(&terms, job.constant, job.max).map_err(|found| found.at(None, job.max))?;
    let masks = job.tables.masks().iter();
    Ok(masks.map(|&mask| minterms.select(mask)).collect())
}
