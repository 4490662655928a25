//! Runs.

use std::ffi::{c_char, c_int, c_void};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use blindcore::{Cancel, Error, ErrorKind, Progress};

use crate::ciphertexts::{Inputs, Outputs};
use crate::keys::ServerKey;
use crate::pointers::{Place, optional_text, read};
use crate::program::Program;
use crate::status::{Status, call};

/// How often the caller is told how far a run is.
const REPORT: Duration = Duration::from_millis(50);
/// More threads than any machine has cores for.
const MOST_THREADS: usize = 1024;

/// How far a run is: `done` of `total` operations of its circuits, of which a table has as many for every batch of
/// rows. Returns 0 to go on, anything else to end the run. It is called on the caller's thread, about
/// twenty times a second.
pub type ProgressFunction =
    Option<unsafe extern "C" fn(context: *mut c_void, done: u64, total: u64) -> c_int>;

/// How to run. With all of it zero: on all threads, within a gigabyte, silently.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct RunOptions {
    /// Threads; 0 for all that the machine has.
    pub threads: usize,
    /// Bytes of memory that the run takes at most: one that needs more is refused. With 0 it keeps
    /// below a gigabyte where it can.
    pub memory: u64,
    /// A file in which to keep how far the run is, or null. A run of the same program on the same
    /// inputs that finds one there goes on from it; it is removed at the end. TFHE only.
    pub checkpoint: *const c_char,
    /// Who is told, or null.
    pub progress: ProgressFunction,
    /// What that function gets.
    pub context: *mut c_void,
}

/// As many threads as are asked for, within reason.
pub(crate) fn threads_of(asked: usize, all: NonZeroUsize) -> NonZeroUsize {
    NonZeroUsize::new(asked.min(MOST_THREADS)).unwrap_or(all)
}

/// Runs a program on encrypted inputs, and needs nothing secret for it. `options` may be null. Free
/// the outputs with `blindcore_outputs_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn blindcore_program_run(
    program: *const Program,
    key: *const ServerKey,
    inputs: *const Inputs,
    options: *const RunOptions,
    outputs: *mut *mut Outputs,
) -> Status {
    call(|| {
        let place = Place::new(outputs, "outputs")?;
        let program = &read(program, "program")?.program;
        let (key, inputs) = (&read(key, "key")?.0, &read(inputs, "inputs")?.0);
        let mut run = program.runner(key);
        let Some(options) = read(options, "options").ok() else {
            place.give(Outputs(run.run(inputs)?));
            return Ok(());
        };
        if options.threads > 0 {
            run = run.threads(options.threads.min(MOST_THREADS));
        }
        if options.memory > 0 {
            run = run.memory(options.memory);
        }
        if let Some(path) = optional_text(options.checkpoint, "checkpoint")? {
            run = run.checkpoint(path);
        }
        let done = match options.progress {
            None => run.run(inputs)?,
            Some(progress) => watched(run, inputs, |done, total| {
                // SAFETY: the caller's own function, with what they gave for it.
                unsafe { progress(options.context, done, total) == 0 }
            })?,
        };
        place.give(Outputs(done));
        Ok(())
    })
}

/// Runs on a thread of its own, while this one tells the caller how far it is, until the caller says
/// that it is to end.
fn watched(
    run: blindcore::Run<'_>,
    inputs: &blindcore::Inputs,
    mut go_on: impl FnMut(u64, u64) -> bool,
) -> Result<blindcore::Outputs, Error> {
    // Of several threads the later one may tell the earlier number.
    let latest = std::sync::Arc::new(Mutex::new((0, 0, 0)));
    let told = std::sync::Arc::clone(&latest);
    let cancel = Cancel::new();
    let run = run.cancel(cancel.clone()).progress(move |progress| {
        if let Progress::Run { batch, progress } = progress {
            let now = (batch, progress.nodes as u64, progress.nodes_planned as u64);
            let mut latest = told.lock().unwrap_or_else(PoisonError::into_inner);
            *latest = now.max(*latest);
        }
    });
    thread::scope(|scope| {
        let (end, ended) = channel::<()>();
        let thread = thread::Builder::new().name("blindcore".to_owned());
        let work = move || {
            let _end = end;
            run.run(inputs)
        };
        let started = thread.spawn_scoped(scope, work).map_err(|error| {
            let message = format!("no thread can be started: {error}");
            Error::new(ErrorKind::Io, message)
        })?;
        while let Err(RecvTimeoutError::Timeout) = ended.recv_timeout(REPORT) {
            let (_, done, total) = *latest.lock().unwrap_or_else(PoisonError::into_inner);
            if !cancel.is_cancelled() && !go_on(done, total) {
                cancel.cancel();
            }
        }
        let broke_off = |_| Error::internal("a thread broke off");
        started.join().map_err(broke_off).flatten()
    })
}
