//! Long work: on a thread of its own, while the calling thread attends to Python.
//!
//! The calling thread waits without the interpreter's lock, and takes it every few milliseconds to
//! see whether Ctrl-C was pressed, to tell how far the work is, and to ask what the work wants to
//! know. So Python's code runs on its own thread only, and never on one of ours. An exception
//! there cancels the work and is raised at once: the thread ends by itself as soon as it notices,
//! and owns all that it works on. Work that keeps a checkpoint is waited for, since the file is
//! what it was asked for; a second exception leaves it, too.

use std::mem::{Discriminant, discriminant};
use std::num::NonZeroUsize;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use blindcore::{Control, Error, ErrorKind, Progress};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{OrRaise, usage};

/// How often signals are looked at: Ctrl-C is to end a call within a tenth of a second.
const TICK: Duration = Duration::from_millis(20);
/// How often Python is told how far the work is.
const REPORT: Duration = Duration::from_millis(50);
/// How long cancelled work is waited for, so that most of it leaves no thread behind.
const LEAVE: Duration = Duration::from_millis(30);
/// More threads than any machine has cores for.
const MOST_THREADS: i64 = 1024;

/// How some work is done, as Python says it.
#[derive(Default)]
pub(crate) struct Manner {
    /// Threads; all that the machine has if nobody says.
    pub(crate) threads: Option<NonZeroUsize>,
    /// Bytes of memory; the library's default if nobody says.
    pub(crate) memory: Option<u64>,
    /// Called with a `Progress`.
    pub(crate) progress: Option<Py<PyAny>>,
    /// Called with what a question is about; true answers it.
    pub(crate) decide: Option<Py<PyAny>>,
    /// Whether cancelled work is waited for.
    pub(crate) patient: bool,
}

impl Manner {
    /// With this number of threads, if it is one.
    pub(crate) fn of(
        py: Python<'_>,
        threads: Option<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Self> {
        let threads = threads.map(|count| {
            let threads = match count {
                1..=MOST_THREADS => usize::try_from(count).ok().and_then(NonZeroUsize::new),
                _ => None,
            };
            let message = format!("threads={count}: there can be 1 to {MOST_THREADS}");
            threads.ok_or_else(|| usage(py, &message))
        });
        if let Some(progress) = &progress
            && !progress.bind(py).is_callable()
        {
            return Err(usage(py, "progress: it takes something that can be called"));
        }
        Ok(Self {
            threads: threads.transpose()?,
            progress,
            ..Self::default()
        })
    }
}

/// What a question is about, in the words of `Question` of the package.
pub(crate) struct Asking {
    pub(crate) site: String,
    pub(crate) symbol: Option<String>,
    pub(crate) file: Option<String>,
    pub(crate) line: Option<u32>,
    pub(crate) instruction: String,
    pub(crate) asks: &'static str,
    pub(crate) bits: u64,
}

/// A question, and where the answer goes.
struct Asked {
    asking: Asking,
    answer: Sender<bool>,
}

/// What the work has: the way it is done, and somebody to ask.
pub(crate) struct Work {
    /// Threads, memory, progress, cancellation.
    pub(crate) control: Control,
    questions: Sender<Asked>,
}

impl Work {
    /// Somebody who decides about questions: whoever called, on their thread.
    pub(crate) fn decider(&self) -> impl FnMut(Asking) -> bool + Send + use<> {
        let questions = self.questions.clone();
        move |asking| {
            let (answer, answered) = channel();
            let sent = questions.send(Asked { asking, answer });
            // Whoever does not wait any more does not allow anything.
            sent.is_ok() && answered.recv().unwrap_or(false)
        }
    }
}

/// Does some work, and gives what it comes to.
pub(crate) fn attend<T: Send + 'static>(
    py: Python<'_>,
    manner: Manner,
    work: impl FnOnce(&Work) -> Result<T, Error> + Send + 'static,
) -> PyResult<T> {
    let mut control = Control::default();
    if let Some(threads) = manner.threads {
        control.threads = threads;
    }
    control.memory = manner.memory;
    let latest = Arc::new(Mutex::new(Latest::default()));
    if manner.progress.is_some() {
        let latest = Arc::clone(&latest);
        control.observer = Some(Arc::new(move |progress| {
            let mut latest = latest.lock().unwrap_or_else(PoisonError::into_inner);
            latest.take_in(progress);
        }));
    }
    let cancel = control.cancel.clone();
    let (questions, asked) = channel();
    let asked = Mutex::new(asked);
    let job = Work { control, questions };
    let started = thread::Builder::new()
        .name("blindcore".to_owned())
        .spawn(move || work(&job));
    let thread = started
        .map_err(|error| Error::new(ErrorKind::Io, format!("no thread can be started: {error}")))
        .or_raise(py)?;

    // The thread's end closes the channel.
    let mut wait = Wait {
        manner: &manner,
        asked: &asked,
        latest: &latest,
        reported: Instant::now(),
    };
    if let Err(exception) = wait.until_done(py) {
        cancel.cancel();
        let patient = manner.patient;
        let left = Instant::now() + LEAVE;
        loop {
            match py.detach(|| next(&asked)) {
                Err(RecvTimeoutError::Disconnected) => break,
                Ok(Asked { answer, .. }) => drop(answer),
                Err(RecvTimeoutError::Timeout) => {}
            }
            if patient {
                py.check_signals()?;
            } else if Instant::now() > left {
                break;
            }
        }
        return Err(exception);
    }
    let defect = |_| Error::internal("a thread broke off");
    let result = py
        .detach(|| thread.join())
        .map_err(defect)
        .flatten()
        .or_raise(py)?;
    // The last word, so that a display can end.
    wait.report(py)?;
    Ok(result)
}

/// The furthest that several threads have told, of which the later one may be the earlier.
#[derive(Default)]
struct Latest {
    progress: Option<Progress>,
    reached: Option<(Discriminant<Progress>, u32, u64)>,
}

impl Latest {
    fn take_in(&mut self, progress: Progress) {
        let (batch, done) = match progress {
            Progress::Keys { done, .. }
            | Progress::Check { done, .. }
            | Progress::Circuit { done, .. } => (0, done),
            Progress::Encryption { batch, done, .. } => (batch, done),
            Progress::Run { batch, progress } => (batch, progress.nodes as u64),
            _ => (0, 0),
        };
        let stage = discriminant(&progress);
        let behind =
            |&(other, at, reached): &(_, u32, u64)| other == stage && (batch, done) < (at, reached);
        if !self.reached.as_ref().is_some_and(behind) {
            self.reached = Some((stage, batch, done));
            self.progress = Some(progress);
        }
    }
}

/// The next question, if there is one soon.
fn next(asked: &Mutex<Receiver<Asked>>) -> Result<Asked, RecvTimeoutError> {
    let asked = asked.lock().unwrap_or_else(PoisonError::into_inner);
    asked.recv_timeout(TICK)
}

struct Wait<'a> {
    manner: &'a Manner,
    asked: &'a Mutex<Receiver<Asked>>,
    latest: &'a Mutex<Latest>,
    reported: Instant,
}

impl Wait<'_> {
    /// Until the work is done.
    fn until_done(&mut self, py: Python<'_>) -> PyResult<()> {
        loop {
            match py.detach(|| next(self.asked)) {
                Err(RecvTimeoutError::Disconnected) => return Ok(()),
                Ok(Asked { asking, answer }) => {
                    let allowed = self.decide(py, asking)?;
                    // Work that has ended does not need it.
                    let _ = answer.send(allowed);
                }
                Err(RecvTimeoutError::Timeout) => {}
            }
            py.check_signals()?;
            if self.reported.elapsed() >= REPORT {
                self.report(py)?;
            }
        }
    }

    fn decide(&self, py: Python<'_>, asking: Asking) -> PyResult<bool> {
        let Some(decide) = &self.manner.decide else {
            return Ok(false);
        };
        let question = Py::new(py, crate::running::Question(asking))?;
        decide.call1(py, (question,))?.is_truthy(py)
    }

    fn report(&mut self, py: Python<'_>) -> PyResult<()> {
        self.reported = Instant::now();
        let latest = self
            .latest
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .progress
            .take();
        if let (Some(function), Some(progress)) = (&self.manner.progress, latest) {
            function.call1(py, (shown(py, progress)?,))?;
        }
        Ok(())
    }
}

/// A `Progress` of the package.
fn shown<'py>(py: Python<'py>, progress: Progress) -> PyResult<Bound<'py, PyAny>> {
    let (mut batch, mut window, mut windows, mut instructions) = (0, 0, 1, 0);
    let (stage, done, total) = match progress {
        Progress::Keys { done, of } => ("keys", done, of),
        Progress::Check { done, of } => ("check", done, of),
        Progress::Encryption { batch, batches, .. } => {
            ("encryption", u64::from(batch), u64::from(batches))
        }
        Progress::Circuit { done, of } => ("circuit", done, of),
        Progress::Run {
            batch: row,
            progress,
        } => {
            batch = row;
            (window, windows) = (progress.window, progress.windows);
            instructions = progress.instructions;
            ("run", progress.nodes as u64, progress.nodes_planned as u64)
        }
        _ => ("work", 0, 0),
    };
    let named = PyDict::new(py);
    named.set_item("stage", stage)?;
    named.set_item("done", done)?;
    named.set_item("total", total)?;
    named.set_item("batch", batch)?;
    named.set_item("window", window)?;
    named.set_item("windows", windows)?;
    named.set_item("instructions", instructions)?;
    PyModule::import(py, "blindcore._progress")?
        .getattr("Progress")?
        .call((), Some(&named))
}
