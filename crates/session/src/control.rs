//! How long work is done: threads, a way to stop, memory, and somebody who watches.

use std::fmt;
use std::num::NonZeroUsize;
#[cfg(feature = "secret")]
use std::ops::ControlFlow;
use std::sync::Arc;

use circuits::exec::Cancel;

use crate::error::{Error, ErrorKind};

/// Memory of a run, where nobody says how much there is.
const DEFAULT_MEMORY: u64 = 1_000_000_000;

/// How far some work is.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Progress {
    /// Keys are made.
    Keys {
        /// Steps done.
        done: u64,
        /// Of these.
        of: u64,
    },
    /// A key's file is checked.
    Check {
        /// Bytes done.
        done: u64,
        /// Of these.
        of: u64,
    },
    /// Values are encrypted.
    Encryption {
        /// Which batch of rows, from 0.
        batch: u32,
        /// Of these.
        batches: u32,
        /// Bits of a row done in this batch.
        done: u64,
    },
    /// A circuit is evaluated.
    Circuit {
        /// Operations done.
        done: u64,
        /// Of these.
        of: u64,
    },
    /// A program runs.
    Run {
        /// Which batch of rows, from 0.
        batch: u32,
        /// How far its run is.
        progress: processor::Progress,
    },
}

/// Somebody who watches; called often, from several threads.
pub type Observer = Arc<dyn Fn(Progress) + Send + Sync>;

/// Threads, a way to stop, memory, and somebody who watches: the same for keys, encryption and runs
/// of every scheme.
///
/// ```
/// use std::num::NonZeroUsize;
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
///
/// use blindcore_session::{Control, Observer, Progress};
///
/// let steps = Arc::new(AtomicU64::new(0));
/// let seen = Arc::clone(&steps);
/// let observer: Observer = Arc::new(move |progress| {
///     if let Progress::Keys { done, .. } = progress {
///         seen.store(done, Relaxed);
///     }
/// });
/// let control = Control { threads: NonZeroUsize::MIN, observer: Some(Arc::clone(&observer)), ..Control::default() };
/// assert!(!control.cancel.is_cancelled() && control.memory.is_none());
/// // What keys are made with calls it so.
/// observer(Progress::Keys { done: 7, of: 10 });
/// assert_eq!(steps.load(Relaxed), 7);
/// ```
#[derive(Clone)]
pub struct Control {
    /// Worker threads.
    pub threads: NonZeroUsize,
    /// Work ends with [`ErrorKind::Interrupted`](crate::ErrorKind::Interrupted) soon after this is
    /// cancelled.
    pub cancel: Cancel,
    /// Bytes that a run takes at most, key and circuits included: one that needs more is refused
    /// before it begins. `None` keeps below a gigabyte where it can.
    pub memory: Option<u64>,
    /// Who watches.
    pub observer: Option<Observer>,
}

impl Default for Control {
    /// All of the machine's threads, a gigabyte, nobody who watches.
    fn default() -> Self {
        let threads = std::thread::available_parallelism();
        Self {
            threads: threads.unwrap_or(NonZeroUsize::MIN),
            cancel: Cancel::new(),
            memory: None,
            observer: None,
        }
    }
}

impl Control {
    /// What ciphertexts of a run may take that takes `others` for everything else, and whose
    /// ciphertexts need `least`.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if that is more than the run may take.
    pub(crate) fn memory_of_ciphertexts(&self, others: u64, least: u64) -> Result<u64, Error> {
        let needed = others.saturating_add(least);
        match self.memory {
            Some(bound) if needed > bound => Err(Error::new(
                ErrorKind::Limit,
                format!(
                    "the run needs {} of memory at least, and may take {}: give it more, or let it take \
                     fewer operations at once (--window)",
                    megabytes(needed),
                    megabytes(bound)
                ),
            )),
            bound => Ok(bound.unwrap_or(DEFAULT_MEMORY).saturating_sub(others)),
        }
    }

    /// Tells how far the work is.
    pub(crate) fn report(&self, progress: Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }

    /// Tells it, and whether to go on.
    #[cfg(feature = "secret")]
    pub(crate) fn watch(&self, progress: Progress) -> ControlFlow<()> {
        self.report(progress);
        match self.cancel.is_cancelled() {
            true => ControlFlow::Break(()),
            false => ControlFlow::Continue(()),
        }
    }

    /// Bytes of memory to go by where no bound is kept exactly.
    pub(crate) fn memory_to_go_by(&self) -> u64 {
        self.memory.unwrap_or(DEFAULT_MEMORY)
    }

    /// What the processor needs to know of it, to run a batch whose ciphertexts may take so much
    /// memory.
    pub(crate) fn of_run(&self, batch: u32, memory: Option<u64>) -> processor::Control {
        let observer = self.observer.clone().map(|observer| {
            let tell = move |progress| observer(Progress::Run { batch, progress });
            Arc::new(tell) as processor::Observer
        });
        processor::Control {
            threads: self.threads.get(),
            observer,
            cancel: self.cancel.clone(),
            memory,
        }
    }
}

fn megabytes(bytes: u64) -> String {
    format!("{:.1} MB", bytes as f64 / 1e6)
}

impl fmt::Debug for Control {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Control")
            .field("threads", &self.threads)
            .field("cancel", &self.cancel)
            .field("memory", &self.memory)
            .field("observed", &self.observer.is_some())
            .finish()
    }
}
