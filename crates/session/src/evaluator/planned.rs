//! The plan of a run, and the engine that carries it out as it was planned.

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

/// What a run is planned for.
#[derive(Clone, Copy, Debug)]
pub struct Target<'a> {
    /// The key's parameters.
    pub parameters: &'a Parameters,
    /// Threads of the run.
    pub threads: NonZeroUsize,
    /// Forms of functional units that are asked for.
    pub architectures: Architectures,
}

impl Target<'_> {
    /// What circuits have to know of a run that records every instruction as if it were alone.
    fn profile(&self) -> Profile {
        tfhe_lookup::profile(self.parameters)
            .with_cores(self.threads.get())
            .with_architectures(self.architectures)
    }
}

/// A plan, and how the circuits of its run are recorded: what the engine must know of it.
#[derive(Clone, Debug)]
pub struct Planned {
    /// The plan.
    pub plan: Plan,
    profile: Profile,
    threads: NonZeroUsize,
}

impl Planned {
    /// An engine on an expanded key, which records as the plan did.
    #[must_use]
    pub fn engine(&self, key: Arc<ServerKey>) -> TfheLookup {
        TfheLookup::new(key, self.profile.clone())
    }

    /// Threads of the run.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }
}

/// Plans a run both ways, at once where there are threads for it: every instruction as if it were alone, in short
/// chains if the threads are there; and every instruction with the fewest lookups, whose neighbours fill the threads.
/// Takes the one that is faster on the target's threads.
///
/// # Errors
/// See [`processor::plan`].
pub fn plan(program: &Program, task: &Task, target: &Target<'_>) -> Result<Planned, RunError> {
    plan_until(program, task, target, &Cancel::new())
}

/// As [`plan`], until somebody cancels.
///
/// # Errors
/// As for [`plan`], and [`RunError::Cancelled`].
pub fn plan_until(
    program: &Program,
    task: &Task,
    target: &Target<'_>,
    cancel: &Cancel,
) -> Result<Planned, RunError> {
    let threads = target.threads;
    let for_narrow = target.profile();
    let for_wide = for_narrow.clone().for_wide_circuits();
    let plan_for = |profile: &Profile| processor::plan_until(program, task, profile, cancel);
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
    let (plan, profile) = match time(&wide) <= time(&narrow) {
        true => (wide, for_wide),
        false => (narrow, for_narrow),
    };
    Ok(Planned {
        plan,
        profile,
        threads,
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
