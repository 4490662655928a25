//! The simulator as an engine, for tests of whatever drives engines.

use super::{SimulationError, lanes, one_of};
use crate::Profile;
use crate::exec::{Gates, LookupJob};

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

    fn and(&self, (): &mut (), a: &u64, b: &u64) -> Result<u64, SimulationError> {
        Ok(a & b)
    }

    fn xor(&self, (): &mut (), a: &u64, b: &u64) -> Result<u64, SimulationError> {
        Ok(a ^ b)
    }

    fn refresh(&self, (): &mut (), a: &u64) -> Result<u64, SimulationError> {
        Ok(*a)
    }

    fn disjoint(&self, (): &mut (), bits: &[&u64]) -> Result<u64, SimulationError> {
        one_of(bits.iter().map(|&&bit| bit), None)
    }

    fn lookup(&self, (): &mut (), job: &LookupJob<'_, u64>) -> Result<Vec<u64>, SimulationError> {
        let terms: Vec<(u64, i8)> = job
            .terms
            .iter()
            .map(|&(&bit, weight)| (bit, weight))
            .collect();
        let minterms = lanes::minterms(&terms, job.constant, job.max)
            .map_err(|found| found.at(None, job.max))?;
        Ok(job
            .tables
            .masks()
            .iter()
            .map(|&mask| lanes::select(&minterms, mask))
            .collect())
    }
}
