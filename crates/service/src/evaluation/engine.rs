//! The engine that a run computes with, and the plan that decides how its circuits are recorded.

use std::num::NonZeroUsize;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread;

use circuits::Profile;
use circuits::exec::Cancel;
use circuits::library::Architectures;
use engines::tfhe_lookup::{self, TfheLookup};
use processor::{Plan, Program, RunError, Task};
use tfhe::{Fft, Parameters, SeededServerKey, ServerKey};

use super::EvaluationError;

/// How the circuits of a run are recorded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Recording {
    /// Every instruction as if it were alone: short chains, if the threads are there.
    Narrow,
    /// Every instruction with the fewest lookups: its neighbours fill the threads.
    Wide,
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

/// An engine on an expanded key, which records as [`plan`] chose for the same threads and
/// architectures.
#[must_use]
pub fn engine(
    key: Arc<ServerKey>,
    threads: NonZeroUsize,
    recording: Recording,
    architectures: Architectures,
) -> TfheLookup {
    let narrow = profile(key.parameters(), threads, architectures);
    let profile = match recording {
        Recording::Narrow => narrow,
        Recording::Wide => narrow.for_wide_circuits(),
    };
    TfheLookup::new(key, profile)
}

/// What circuits have to know of a run that records every instruction as if it were alone.
fn profile(
    parameters: &Parameters,
    threads: NonZeroUsize,
    architectures: Architectures,
) -> Profile {
    tfhe_lookup::profile(parameters)
        .with_cores(threads.get())
        .with_architectures(architectures)
}

/// Plans a run both ways, at once where there are threads for it, and takes the one that is faster
/// on so many threads.
///
/// # Errors
/// See [`processor::plan`].
pub fn plan(
    program: &Program,
    task: &Task,
    parameters: &Parameters,
    threads: NonZeroUsize,
    architectures: Architectures,
) -> Result<(Plan, Recording), RunError> {
    let never = Cancel::new();
    plan_until(program, task, parameters, threads, architectures, &never)
}

/// As [`plan`], until somebody cancels.
///
/// # Errors
/// As for [`plan`], and [`RunError::Cancelled`].
pub fn plan_until(
    program: &Program,
    task: &Task,
    parameters: &Parameters,
    threads: NonZeroUsize,
    architectures: Architectures,
    cancel: &Cancel,
) -> Result<(Plan, Recording), RunError> {
    let profile = profile(parameters, threads, architectures);
    let for_wide = profile.clone().for_wide_circuits();
    let plan_for = |profile: &Profile| processor::plan_until(program, task, profile, cancel);
    let (narrow, wide) = if threads.get() > 1 {
        thread::scope(|scope| {
            let wide = scope.spawn(|| plan_for(&for_wide));
            let narrow = plan_for(&profile);
            // A panic in there is this thread's own.
            let wide = wide.join().unwrap_or_else(|panic| resume_unwind(panic));
            Ok::<_, RunError>((narrow?, wide?))
        })?
    } else {
        (plan_for(&profile)?, plan_for(&for_wide)?)
    };
    let time = |plan: &Plan| modelled_time(plan, &profile, threads);
    Ok(if time(&wide) <= time(&narrow) {
        (wide, Recording::Wide)
    } else {
        (narrow, Recording::Narrow)
    })
}

/// No schedule is shorter than its longest chain, or than an even share of the work.
fn modelled_time(plan: &Plan, profile: &Profile, threads: NonZeroUsize) -> f64 {
    let windows = plan.windows.iter().map(|window| {
        let path = window.cost.depth as f64 * profile.cost.lookup_alone;
        let work = window.cost.bootstraps as f64 * profile.cost.lookup;
        path.max(work / threads.get() as f64)
    });
    windows.sum()
}
