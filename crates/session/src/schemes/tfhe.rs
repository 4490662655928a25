//! TFHE: a bit is a ciphertext, a lookup a bootstrap, and a run may be as long as it likes.

mod key;

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::path::Path;
use std::sync::Arc;
use std::thread;

use circuits::exec::Cancel;
use circuits::{Circuit, Profile};
use engines::tfhe_lookup::{self, TfheLookup};
use processor::{Outcome, Plan, RunError, Task};
use wire::{Containers, Inputs, Kind, Outputs, TableRows, Variable, WireError};

use super::{Adapter, Bits, Scheme, Source, match_key};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::evaluator::{self, EvaluationError, Given, Planned, Target, memory};
use crate::program::Program;
use ::tfhe::{Fft, LweCiphertext, PackedInputs, Parameters, SeededServerKey, ServerKey};

pub use key::{ExpandedKey, Selectors, expand_selectors, read_selectors};

/// The scheme that programs run on unless another one is named.
#[derive(Clone, Copy, Debug)]
pub struct Tfhe;

impl Adapter for Tfhe {
    type Content = PackedInputs;
    type Later = LaterRows;
    type Engine = TfheLookup;
    type Outputs = Outputs;
    type Key = ExpandedKey;

    const SCHEME: Scheme = Scheme::Tfhe;
    const OPERATION: &'static str = "bootstrap";
    const UNANSWERED: &'static str = ": answer with --answer-with NAME.secret and --allow SITE, or let --branches both \
                                      execute both paths where they rejoin";

    fn read(source: Source, length: Option<u64>) -> Result<(Inputs, LaterRows), WireError> {
        let mut source = Containers::new(source);
        let first = source.next_of(&[Kind::INPUTS, Kind::INPUT_TABLE])?;
        if first.0.kind == Kind::INPUTS {
            source.end()?;
            return Ok((wire::decode_payload(&first.0, &first.1)?, LaterRows(None)));
        }
        let mut rows = TableRows::of(&first, source)?;
        if let Some(length) = length {
            rows.check(length)?;
        }
        let row = rows.next().unwrap_or(Err(WireError::NotOurs))?;
        Ok((row, LaterRows(Some(rows))))
    }

    fn batches(inputs: &Inputs, later: &LaterRows) -> u32 {
        Self::rows(inputs, later).unwrap_or(1)
    }

    fn rows(_: &Inputs, later: &LaterRows) -> Option<u32> {
        later.0.as_ref().map(|rows| rows.head().rows())
    }

    fn join(files: &[&Inputs]) -> Result<Vec<usize>, WireError> {
        wire::join(files)
    }

    fn plan(
        program: &Program,
        task: &Task,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<Planned, Error> {
        let parameters = *wire::Record::parameters(given.first()?.1);
        plan_until(program.image(), task, &parameters, target, &control.cancel)
            .map_err(|error| program.error(&error))
    }

    fn read_key(
        path: &Path,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<ExpandedKey, Error> {
        let (name, inputs) = given.first()?;
        let seeded: SeededServerKey =
            files::read(path).map_err(|error| Error::file(path, &error))?;
        match_key(name, inputs, seeded.parameters(), seeded.key_id())?;
        let lookups = expand(&seeded, target.fft, control.threads)
            .map_err(|error| Error::new(ErrorKind::Internal, error.to_string()))?;
        drop(seeded);
        ExpandedKey::from(lookups).with_selectors(path, &target.selectors, control.threads)
    }

    fn profile(inputs: &Inputs, target: &Target) -> Profile {
        narrow_profile(wire::Record::parameters(inputs), target)
    }

    fn engine(profile: Profile, key: ExpandedKey, _: &Control) -> Result<TfheLookup, Error> {
        Ok(engine(profile, key))
    }

    fn bits(_: &TfheLookup, given: &Given<Self>) -> Result<Bits<Self>, Error> {
        let bits = given.iter().flat_map(|(_, file)| file.bits().unpack());
        Ok(bits.map(Arc::new).collect())
    }

    fn memory(engine: &TfheLookup, plan: &Plan, control: &Control) -> Result<Option<u64>, Error> {
        let parameters = engine.key().parameters();
        let others = memory::beside_ciphertexts(parameters, plan);
        let least = memory::of_ciphertexts_in_order(parameters, plan);
        control.memory_of_ciphertexts(others, least).map(Some)
    }

    fn outputs(
        engine: &TfheLookup,
        _: &Given<Self>,
        outcome: &Outcome<LweCiphertext>,
    ) -> Result<Outputs, Error> {
        evaluator::outputs(engine, outcome).map_err(Error::internal)
    }

    fn variables(outputs: &Outputs) -> &[Variable] {
        outputs.variables()
    }
}

/// The rows of a table after its first; of a file of one row there are none.
pub struct LaterRows(Option<TableRows<Inputs, Source>>);

impl Iterator for LaterRows {
    type Item = Result<Inputs, WireError>;

    fn next(&mut self) -> Option<Self::Item> {
        self.0.as_mut()?.next()
    }
}

/// Makes a stored key ready to compute, on `threads` threads; `fft` is this machine's fastest if
/// none is named. Takes about a second of one core for P16 and 60 MB.
///
/// # Errors
/// [`EvaluationError::Scheme`] if this machine cannot run the processor.
pub fn expand(
    seeded: &SeededServerKey,
    fft: Option<Fft>,
    threads: NonZeroUsize,
) -> Result<Arc<ServerKey>, EvaluationError> {
    let fft = fft.unwrap_or_else(Fft::detect);
    let key = ServerKey::expand_for(seeded, fft, threads.get(), &|_, _| {})?;
    Ok(Arc::new(key))
}

impl Planned {
    /// An engine on an expanded key, which records as the plan did.
    #[must_use]
    pub fn engine(&self, key: impl Into<ExpandedKey>) -> TfheLookup {
        engine(self.profile.clone(), key.into())
    }
}

/// The one place where a key becomes an engine.
fn engine(profile: Profile, key: ExpandedKey) -> TfheLookup {
    let engine = TfheLookup::new(key.lookups, profile);
    match key.selectors {
        Some(selectors) => engine.with_leveled(selectors),
        None => engine,
    }
}

/// A target that records every instruction as if it were alone.
fn narrow_profile(parameters: &Parameters, target: &Target) -> Profile {
    let profile = match target.selectors {
        Selectors::Unused => tfhe_lookup::profile(parameters),
        _ => tfhe_lookup::with_selectors(tfhe_lookup::profile(parameters), parameters),
    };
    profile
        .with_cores(target.threads.get())
        .with_architectures(target.architectures)
}

/// Plans a run both ways, at once where there are threads for it: every instruction as if it were
/// alone, in short chains if the threads are there; and every instruction with the fewest lookups,
/// whose neighbours fill the threads. Takes the one that is faster on the target's threads.
///
/// # Errors
/// See [`processor::plan`].
pub fn plan(
    program: &processor::Program,
    task: &Task,
    parameters: &Parameters,
    target: &Target,
) -> Result<Planned, RunError> {
    plan_until(program, task, parameters, target, &Cancel::new())
}

/// As [`plan`], until somebody cancels.
///
/// # Errors
/// As for [`plan`], and [`RunError::Cancelled`].
pub fn plan_until(
    program: &processor::Program,
    task: &Task,
    parameters: &Parameters,
    target: &Target,
    cancel: &Cancel,
) -> Result<Planned, RunError> {
    plan_observed(program, task, parameters, target, cancel, &|_| {})
}

/// As [`plan_until`], with a look at each circuit that is recorded, from two threads at once where
/// there are so many.
///
/// # Errors
/// As there.
pub fn plan_observed(
    program: &processor::Program,
    task: &Task,
    parameters: &Parameters,
    target: &Target,
    cancel: &Cancel,
    observe: &(dyn Fn(&Circuit) + Sync),
) -> Result<Planned, RunError> {
    let threads = target.threads;
    let for_narrow = narrow_profile(parameters, target);
    let for_wide = for_narrow.clone().for_wide_circuits();
    let plan_for = |profile: &Profile| {
        processor::plan_observed(program, task, profile, cancel, &mut |circuit| {
            observe(circuit)
        })
    };
    let (narrow, wide) = if threads.get() > 1 {
        thread::scope(|scope| {
            let wide = scope.spawn(|| plan_for(&for_wide));
            let narrow = plan_for(&for_narrow);
            // A panic in there is this thread's own.
            let wide = wide.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok::<_, RunError>((narrow?, wide?))
        })?
    } else {
        (plan_for(&for_narrow)?, plan_for(&for_wide)?)
    };
    let time = |plan: &Plan| modelled_time(plan, &for_narrow, threads);
    let is_wide = time(&wide) <= time(&narrow);
    let (plan, profile) = match is_wide {
        true => (wide, for_wide),
        false => (narrow, for_narrow),
    };
    Ok(Planned {
        plan,
        profile,
        is_wide,
    })
}

/// As [`Planned::engine`], for those who kept of a plan only whether it [was wide](Planned::is_wide).
#[must_use]
pub fn engine_again(
    is_wide: bool,
    parameters: &Parameters,
    target: &Target,
    key: impl Into<ExpandedKey>,
) -> TfheLookup {
    let narrow = narrow_profile(parameters, target);
    let profile = match is_wide {
        true => narrow.for_wide_circuits(),
        false => narrow,
    };
    engine(profile, key.into())
}

/// No schedule is shorter than its longest chain, or than an even share of the work.
fn modelled_time(plan: &Plan, profile: &Profile, threads: NonZeroUsize) -> f64 {
    let windows = plan.windows.iter().map(|window| {
        let path = window.cost.depth as f64 * profile.cost.lookup_alone;
        let lookups = window.cost.bootstraps as f64 + window.cost.beside_lookups(profile);
        let work = lookups * profile.cost.lookup;
        path.max(work / threads.get() as f64)
    });
    windows.sum()
}
