//! Runs.

use std::ffi::{CString, c_char, c_int, c_void};
use std::num::NonZeroUsize;
use std::sync::Mutex;
use std::sync::PoisonError;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::thread;
use std::time::Duration;

use blindcore::processor::Asked;
use blindcore::{Cancel, Error, ErrorKind, Progress, Rules};

use crate::ciphertexts::{Inputs, Outputs};
use crate::keys::{SecretKey, ServerKey};
use crate::pointers::{Place, null, optional_text, read, text};
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

/// Whether a question about a secret is answered: anything but 0 allows it. `site` says where the program
/// asks, `asks` is "condition", "operands" or "target", `bits` is how many bits an answer reveals to the
/// computer that runs the program. It is called on a thread of the run, once at a time; the texts are
/// there during the call.
pub type DecideFunction = Option<
    unsafe extern "C" fn(
        context: *mut c_void,
        site: *const c_char,
        asks: *const c_char,
        bits: u64,
    ) -> c_int,
>;

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
    /// What that function and `decide` get.
    pub context: *mut c_void,
    /// A secret key that answers what a program of `blindcore_program_ask` asks, or null: for tests and
    /// demonstrations, where one process plays both parts. TFHE only.
    pub answer_with: *const SecretKey,
    /// Who decides about each question; with `answer_with` it must be there.
    pub decide: DecideFunction,
    /// A file that counts what answers revealed, over all runs; with `answer_with` it must be there.
    pub ledger: *const c_char,
    /// Bits that the answers of this run reveal at most; 0 for 256.
    pub max_bits: u64,
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
        if !options.answer_with.is_null() {
            let key = read(options.answer_with, "answer_with")?;
            let ledger = text(options.ledger, "ledger")?;
            let decide = options.decide.ok_or_else(|| null("decide"))?;
            let context = Context(options.context);
            let rules = Rules {
                max_bits: (options.max_bits > 0).then_some(options.max_bits),
                ..Rules::default()
            };
            run = run.deciding(&key.0, rules, ledger, move |site, asked, bits| {
                let context = &context;
                let asks = match asked {
                    Asked::Condition(_) => c"condition",
                    Asked::Operands { .. } => c"operands",
                    Asked::Target => c"target",
                };
                let site = CString::new(site.to_string()).unwrap_or_default();
                // SAFETY: the caller's own function, with what they gave for it.
                unsafe { decide(context.0, site.as_ptr(), asks.as_ptr(), bits) != 0 }
            });
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

/// What the caller's function gets, on another thread than the caller's, which waits.
struct Context(*mut c_void);

// SAFETY: the pointer is only handed back to the caller's function, whose documentation says that it is
// called on a thread of the run.
unsafe impl Send for Context {}

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
