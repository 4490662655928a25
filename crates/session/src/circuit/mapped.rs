//! A circuit as an engine evaluates it.

use std::sync::Arc;

use circuits::formats::Netlist;
use circuits::passes::{self, Cost};
use circuits::{Circuit, ExecError, Gates, Pool, Profile, sim};
use processor::Bit;

use crate::control::{Control, Progress};
use crate::error::Error;

/// A circuit in the operations of a target, and what it costs there.
#[derive(Clone, Debug)]
pub struct Mapped {
    /// The circuit.
    pub circuit: Circuit,
    /// What it costs.
    pub cost: Cost,
    /// Whether it consists of lookups, or of gates and refreshes.
    lookups: bool,
}

impl Mapped {
    /// Maps a netlist into the operations of a target.
    #[must_use]
    pub fn new(netlist: &Netlist, profile: &Profile) -> Self {
        Self::of(&netlist.circuit(profile), profile)
    }

    /// Maps a circuit that was drawn for this target.
    #[must_use]
    pub fn of(drawn: &Circuit, profile: &Profile) -> Self {
        let circuit = passes::prepare(drawn, profile);
        Self {
            cost: passes::cost(&circuit, profile),
            circuit,
            lookups: profile.lookup.is_some(),
        }
    }

    /// `64 lookups, depth 22`, or where there are none `64 ANDs, 2 refreshes, depth 22`.
    #[must_use]
    pub fn summary(&self) -> String {
        let Cost {
            bootstraps,
            and,
            refresh,
            depth,
            ..
        } = self.cost;
        match self.lookups {
            true if bootstraps == 1 => format!("1 lookup, depth {depth}"),
            true => format!("{bootstraps} lookups, depth {depth}"),
            false => format!("{and} ANDs, {refresh} refreshes, depth {depth}"),
        }
    }

    /// The outputs in the clear.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal) for another number of inputs than the
    /// circuit has.
    pub fn simulate(&self, inputs: &[bool]) -> Result<Vec<bool>, Error> {
        let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
        let outputs = sim::evaluate(&self.circuit, &lanes).map_err(Error::internal)?;
        Ok(outputs.into_iter().map(|lanes| lanes & 1 == 1).collect())
    }

    /// The outputs as ciphertexts, or as bits where they are constant.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted); others are defects.
    pub fn evaluate<G: Gates>(
        &self,
        engine: &G,
        inputs: &[Arc<G::Bit>],
        control: &Control,
    ) -> Result<Vec<Bit<G::Bit>>, Error> {
        let of = (self.circuit.len() - self.circuit.inputs()) as u64;
        let observer = control.clone();
        let pool = Pool::new(control.threads.get())
            .with_cancel(control.cancel.clone())
            .with_progress(move |progress| {
                let done = progress.done as u64;
                observer.report(Progress::Circuit { done, of });
            });
        let outputs = circuits::run(engine, &self.circuit, inputs, &pool);
        let outputs = outputs.map_err(|error: ExecError<G::Error>| match error {
            ExecError::Cancelled => Error::interrupted(),
            other => Error::internal(with_source(&other)),
        })?;
        let wires = self.circuit.outputs().iter();
        let bits = wires
            .zip(outputs)
            .map(|(wire, bit)| match wire.as_constant() {
                Some(value) => Bit::Clear(value),
                None => Bit::Secret(bit),
            });
        Ok(bits.collect())
    }
}

fn with_source(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}
