//! Circuits on the lookup engine: mapped for a parameter set, evaluated on ciphertexts.

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::Instant;

use circuits::formats::Netlist;
use circuits::passes::{self, Cost};
use circuits::{Circuit, ExecError, Gates, Op, Pool, Profile, sim};
use engines::tfhe_lookup::{self, TfheLookup};
use random::Generator;
use tfhe::{Fft, Parameters, SecretKey, SeededServerKey, ServerKey};

use super::super::internal;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use crate::progress::Steps;

/// A circuit as it is evaluated, and what it costs.
pub(super) struct Mapped {
    pub(super) circuit: Circuit,
    pub(super) cost: Cost,
    /// Whether it consists of lookups, or of gates and refreshes.
    lookups: bool,
}

impl Mapped {
    /// Maps a netlist into the operations of a target.
    pub(super) fn new(netlist: &Netlist, profile: &Profile) -> Mapped {
        let circuit = passes::prepare(&netlist.circuit(profile), profile);
        let cost = passes::cost(&circuit, profile);
        let lookups = profile.lookup.is_some();
        Mapped {
            circuit,
            cost,
            lookups,
        }
    }

    /// `64 lookups, depth 22`, or where there are none `64 ANDs, 2 refreshes, depth 22`.
    pub(super) fn summary(&self) -> String {
        let Cost {
            bootstraps,
            and,
            refresh,
            depth,
            ..
        } = self.cost;
        match self.lookups {
            true => format!("{bootstraps} lookups, depth {depth}"),
            false => format!("{and} ANDs, {refresh} refreshes, depth {depth}"),
        }
    }

    /// The outputs in the clear.
    pub(super) fn simulate(&self, inputs: &[bool]) -> Result<Vec<bool>, Failure> {
        let lanes: Vec<u64> = inputs.iter().map(|&bit| u64::from(bit)).collect();
        let outputs = sim::evaluate(&self.circuit, &lanes).map_err(internal)?;
        Ok(outputs.into_iter().map(|lanes| lanes & 1 == 1).collect())
    }

    /// The outputs as ciphertexts; `None` where a bit is constant.
    pub(super) fn evaluate<G: Gates>(
        &self,
        engine: &G,
        inputs: &[Arc<G::Bit>],
        (threads, quiet): (NonZeroUsize, bool),
        interrupt: &Interrupt,
    ) -> Result<Vec<Option<Arc<G::Bit>>>, Failure> {
        let total = self.circuit.len() - self.circuit.inputs();
        let steps = Arc::new(Steps::new(quiet, total as u64));
        steps.begin(self.summary());
        let observer = Arc::clone(&steps);
        let pool = Pool::new(threads.get())
            .with_cancel(interrupt.cancel())
            .with_progress(move |progress| observer.reach(progress.done as u64));
        let outputs = circuits::run(engine, &self.circuit, inputs, &pool);
        steps.finish();
        let outputs = outputs.map_err(|error: ExecError<G::Error>| match error {
            ExecError::Cancelled => Failure::new(Code::Interrupted, "interrupted"),
            other => internal(with_source(&other)),
        })?;
        let wires = self.circuit.outputs().iter();
        let secret = wires
            .zip(outputs)
            .map(|(wire, bit)| match wire.as_constant() {
                Some(_) => None,
                None => Some(bit),
            });
        Ok(secret.collect())
    }
}

fn with_source(error: &dyn std::error::Error) -> String {
    match error.source() {
        Some(source) => format!("{error}: {source}"),
        None => error.to_string(),
    }
}

/// What a parameter set's engine is like on so many threads.
pub(super) fn profile(parameters: &Parameters, threads: NonZeroUsize) -> Profile {
    let mut profile = tfhe_lookup::profile(parameters);
    profile.cores = threads.get();
    profile
}

/// Gates on the longest path of a circuit, whatever they are.
pub(super) fn gate_depth(circuit: &Circuit) -> u32 {
    let mut levels = vec![0u32; circuit.len()];
    let mut deepest = 0;
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let operands = op
            .operands()
            .filter_map(|wire| circuit.source(wire.signal()));
        let below = operands.map(|source| levels[source.index()]).max();
        let own = u32::from(!matches!(op, Op::Input(_)));
        levels[node.index()] = below.unwrap_or(0) + own;
        deepest = deepest.max(levels[node.index()]);
    }
    deepest
}

/// An evaluation with a key pair that lives as long as it.
pub(super) struct Encrypted {
    pub(super) outputs: Vec<bool>,
    /// Of the evaluation alone.
    pub(super) seconds: f64,
}

/// Generates keys, encrypts, evaluates, decrypts.
pub(super) fn encrypted(
    netlist: &Netlist,
    inputs: &[bool],
    (parameters, fft): (Parameters, Option<Fft>),
    (threads, quiet): (NonZeroUsize, bool),
    interrupt: &Interrupt,
) -> Result<Encrypted, Failure> {
    let mut generator = Generator::from_entropy().map_err(internal)?;
    let secret = SecretKey::generate(parameters, &mut generator).map_err(internal)?;
    let seeded = SeededServerKey::generate(&secret, &mut generator, threads.get(), &|_, _| {})
        .map_err(internal)?;
    interrupt.check()?;
    let fft = fft.unwrap_or_else(Fft::detect);
    let key = ServerKey::expand_for(&seeded, fft, threads.get(), &|_, _| {}).map_err(internal)?;
    let profile = tfhe_lookup::profile(key.parameters()).with_cores(threads.get());
    let engine = TfheLookup::new(Arc::new(key), profile);
    let mapped = Mapped::new(netlist, engine.profile());
    let bits = secret.encrypt(inputs, &mut generator).unpack();
    let bits: Vec<_> = bits.into_iter().map(Arc::new).collect();
    interrupt.check()?;
    let begin = Instant::now();
    let outputs = mapped.evaluate(&engine, &bits, (threads, quiet), interrupt)?;
    let seconds = begin.elapsed().as_secs_f64();
    let wires = mapped.circuit.outputs().iter();
    let values = wires.zip(&outputs).map(|(wire, bit)| match bit {
        Some(bit) => secret.decrypt(bit),
        None => Ok(wire.as_constant() == Some(true)),
    });
    let outputs = values.collect::<Result<_, _>>().map_err(internal)?;
    Ok(Encrypted { outputs, seconds })
}
