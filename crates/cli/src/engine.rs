//! The engine that commands compute with, and what they need to know of it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use circuits::library::Architectures;
use engines::tfhe_lookup::{self, Calibration, TfheLookup};
use processor::{Plan, Program, RunError, Task};
use tfhe::{Fft, Parameters, SeededServerKey, ServerKey};
use wire::{Inputs, WireError};

use crate::commands::same_key;
use crate::failure::{Code, Failure};

/// Reads the server key that inputs belong to and makes it ready to compute, by the processor that
/// was asked for.
pub(crate) fn load(
    path: &Path,
    (inputs_path, inputs): (&Path, &Inputs),
    threads: NonZeroUsize,
    recording: Recording,
    architectures: Architectures,
    fft: Option<Fft>,
) -> Result<TfheLookup, Failure> {
    let seeded: SeededServerKey =
        wire::read(path).map_err(|error: WireError| Failure::file(path, &error))?;
    same_key(inputs_path, inputs, &seeded)?;
    let key = ServerKey::expand_for(&seeded, chosen(fft), threads.get(), &|_, _| {})
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    let engine = TfheLookup::new(Arc::new(key)).with_cores(threads.get());
    let engine = engine.with_architectures(architectures);
    Ok(match recording {
        Recording::Narrow => engine,
        Recording::Wide => engine.for_wide_circuits(),
    })
}

/// How the circuits of a run are recorded.
#[derive(Clone, Copy)]
pub(crate) enum Recording {
    /// Every instruction as if it were alone: short chains, if the threads are there.
    Narrow,
    /// Every instruction with the fewest lookups: its neighbours fill the threads.
    Wide,
}

/// Plans a run both ways, and takes the one that is faster on so many threads.
pub(crate) fn plan(
    program: &Program,
    task: &Task,
    parameters: &Parameters,
    threads: NonZeroUsize,
    architectures: Architectures,
) -> Result<(Plan, Recording), RunError> {
    let mut profile = tfhe_lookup::profile(parameters);
    profile.architectures = architectures;
    profile.cores = threads.get();
    let narrow = processor::plan(program, task, &profile)?;
    let wide = processor::plan(program, task, &profile.clone().for_wide_circuits())?;
    // No schedule is shorter than its longest chain, or than an even share of the work.
    let time = |plan: &Plan| -> f64 {
        let windows = plan.windows.iter().map(|window| {
            let path = window.cost.depth as f64 * profile.cost.lookup_alone;
            let work = window.cost.bootstraps as f64 * profile.cost.lookup;
            path.max(work / threads.get() as f64)
        });
        windows.sum()
    };
    Ok(if time(&wide) <= time(&narrow) {
        (wide, Recording::Wide)
    } else {
        (narrow, Recording::Narrow)
    })
}

/// This machine's times, measured without a key.
pub(crate) fn calibration(
    parameters: &Parameters,
    fft: Option<Fft>,
) -> Result<Calibration, Failure> {
    tfhe_lookup::calibrate_on(parameters, chosen(fft))
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}

fn chosen(fft: Option<Fft>) -> Fft {
    fft.unwrap_or_else(Fft::detect)
}
