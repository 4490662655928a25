//! The tables that computing with a parameter set takes.

use std::sync::{Arc, OnceLock};

use transforms::InstructionSet;
use transforms::cyclotomic::Plan;

use crate::ciphertext::PackedRows;
use crate::slots::Slots;
use crate::{Error, Level, Parameters};

/// Transforms modulo every prime of a parameter set, and the packing of slots. Made once, shared by
/// keys and evaluators.
pub struct Ring {
    parameters: Parameters,
    plans: Vec<Plan>,
    slots: OnceLock<Slots>,
}

impl Ring {
    /// Makes the tables for the fastest instructions of this machine.
    ///
    /// # Errors
    /// [`Error::Ring`].
    pub fn new(parameters: &Parameters) -> Result<Arc<Self>, Error> {
        Self::with_instructions(parameters, InstructionSet::detect())
    }

    /// Makes the tables for an instruction set.
    ///
    /// # Errors
    /// [`Error::Ring`], also if the machine lacks these instructions.
    pub fn with_instructions(
        parameters: &Parameters,
        set: InstructionSet,
    ) -> Result<Arc<Self>, Error> {
        let primes = parameters.primes().iter();
        let plans: Result<Vec<Plan>, _> = primes
            .map(|&q| Plan::new(parameters.index(), q, set))
            .collect();
        Ok(Arc::new(Self {
            parameters: parameters.clone(),
            plans: plans?,
            slots: OnceLock::new(),
        }))
    }

    /// Of which set.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }

    /// How bits are packed. Made at the first call.
    #[must_use]
    pub fn slots(&self) -> &Slots {
        self.slots
            .get_or_init(|| Slots::new(self.parameters.index()))
    }

    pub(crate) fn plan(&self, number: usize) -> &Plan {
        &self.plans[number]
    }

    pub(crate) fn degree(&self) -> usize {
        self.parameters.degree()
    }

    pub(crate) fn primes_of(&self, level: Level) -> Vec<usize> {
        self.parameters.primes_of(level)
    }

    /// Rows modulo the chosen primes, packed.
    pub(crate) fn pack(&self, chosen: &[usize], rows: &[Vec<u64>]) -> PackedRows {
        let rows = rows.iter().zip(chosen);
        rows.map(|(row, &number)| self.plan(number).pack(row))
            .collect()
    }

    pub(crate) fn zero(&self) -> Vec<u64> {
        vec![0; self.degree()]
    }
}
