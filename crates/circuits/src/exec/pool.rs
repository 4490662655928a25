//! How a circuit is run: on how many threads, who watches, and how it is stopped.

use std::fmt;
use std::num::NonZeroUsize;
use std::panic::AssertUnwindSafe;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What is called where a run can wait.
type Rest = Box<dyn Fn() + Send + Sync>;

/// Stops runs from another thread or a signal handler. Clones are the same token.
///
/// Who shares a machine among runs may also have one [rest](Self::resting): where it holds nothing
/// that others wait for, while it records, and between operations.
#[derive(Clone, Default)]
pub struct Cancel {
    cancelled: Arc<AtomicBool>,
    /// It touches nothing of a run, so that a run's panic leaves it as it was.
    rest: Option<Arc<AssertUnwindSafe<Rest>>>,
}

impl Cancel {
    /// A token that nobody has used yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same token; who [rests](Self::rest) at it calls `rest`, which may take as long as it
    /// likes. It is called thousands of times a second, maybe by several threads at once.
    ///
    /// ```
    /// use std::sync::Arc;
    /// use std::sync::atomic::{AtomicUsize, Ordering};
    ///
    /// use blindcore_circuits::exec::Cancel;
    ///
    /// let (cancel, rests) = (Cancel::new(), Arc::new(AtomicUsize::new(0)));
    /// let counted = Arc::clone(&rests);
    /// let resting = cancel.clone().resting(move || drop(counted.fetch_add(1, Ordering::Relaxed)));
    /// resting.rest();
    /// cancel.rest();
    /// assert!(resting.may_rest() && !cancel.may_rest());
    /// assert_eq!(rests.load(Ordering::Relaxed), 1);
    /// cancel.cancel();
    /// assert!(resting.is_cancelled());
    /// ```
    #[must_use]
    pub fn resting(mut self, rest: impl Fn() + Send + Sync + 'static) -> Self {
        self.rest = Some(Arc::new(AssertUnwindSafe(Box::new(rest))));
        self
    }

    /// Stops every run that holds this token, as soon as its workers finish what they are at.
    pub fn cancel(&self) {
        self.cancelled.store(true, Ordering::Release);
    }

    /// Whether somebody has.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.cancelled.load(Ordering::Acquire)
    }

    /// Whether who [rests](Self::rest) at it may be made to wait.
    #[must_use]
    pub fn may_rest(&self) -> bool {
        self.rest.is_some()
    }

    /// Waits if others have their turn. For callers that hold no lock and keep no worker waiting.
    pub fn rest(&self) {
        if let Some(rest) = &self.rest {
            (rest.0)();
        }
    }
}

impl fmt::Debug for Cancel {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Cancel")
            .field("cancelled", &self.is_cancelled())
            .field("rests", &self.rest.is_some())
            .finish()
    }
}

/// How far a run is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Progress {
    /// Operations evaluated so far, of [those](crate::Profile::is_counted) that progress counts.
    pub done: usize,
    /// Operations to evaluate in all.
    pub total: usize,
}

type Observer = Arc<dyn Fn(Progress) + Send + Sync>;

/// Threads, observer and cancellation for [`run`](super::run). Threads live as long as one run.
///
/// ```
/// use std::sync::Arc;
/// use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
///
/// use blindcore_circuits::exec::{Cancel, Progress, run_owned};
/// use blindcore_circuits::{Builder, ExecError, Pool, Profile, library, passes, run, sim::Simulator};
///
/// let profile = Profile::lookup_simulation();
/// let mut build = Builder::new(&profile);
/// let (x, y) = (build.inputs(8), build.inputs(8));
/// library::add(&mut build, &x, &y).into_iter().for_each(|bit| build.output(bit));
/// let circuit = passes::prepare(&build.finish(), &profile);
/// let engine = Simulator::new(profile);
/// // 200 and 50, as the first of the simulator's sixty-four lanes.
/// let bits: Vec<Arc<u64>> = (0..16).map(|at| Arc::new((200 | 50 << 8) >> at & 1)).collect();
///
/// let (cancel, left) = (Cancel::new(), Arc::new(AtomicUsize::new(usize::MAX)));
/// let observed = Arc::clone(&left);
/// let observer = move |Progress { done, total }| {
///     observed.fetch_min(total - done, Relaxed);
/// };
/// let pool = Pool::new(2).with_cancel(cancel.clone()).with_progress(observer);
/// let sum = run(&engine, &circuit, &bits, &pool).unwrap();
/// assert_eq!(sum.iter().rev().fold(0, |value, bit| 2 * value + (**bit & 1)), 250);
/// assert_eq!((pool.threads(), left.load(Relaxed)), (2, 0));
///
/// // Two threads that keep little: inputs are freed at their last use.
/// assert_eq!(run_owned(&engine, &circuit, bits.clone(), &Pool::new(2).with_bit_limit(64)).unwrap(), sum);
///
/// cancel.cancel();
/// assert!(pool.cancel().is_cancelled());
/// assert_eq!(run(&engine, &circuit, &bits, &pool), Err(ExecError::Cancelled));
/// ```
#[derive(Clone)]
pub struct Pool {
    threads: NonZeroUsize,
    cancel: Cancel,
    observer: Option<Observer>,
    bit_limit: Option<usize>,
}

impl Pool {
    /// A pool of `threads` workers; 0 means as many as the machine runs at once.
    #[must_use]
    pub fn new(threads: usize) -> Self {
        let available = || std::thread::available_parallelism().unwrap_or(NonZeroUsize::MIN);
        let threads = NonZeroUsize::new(threads).unwrap_or_else(available);
        Self {
            threads,
            cancel: Cancel::new(),
            observer: None,
            bit_limit: None,
        }
    }

    /// While more than `bits` results and inputs are kept, operations go by the circuit's order
    /// instead of by urgency. What a run keeps then never exceeds `bits`,
    /// [`peak_bits`](crate::passes::peak_bits) of the circuit, and the results of a thousand
    /// operations (of four batches for each worker, if that is more), all together. Without this a
    /// run keeps whatever its parallelism brings, at worst every result of a wide circuit.
    #[must_use]
    pub fn with_bit_limit(mut self, bits: usize) -> Self {
        self.bit_limit = Some(bits);
        self
    }

    /// Runs stop when `cancel` says so.
    #[must_use]
    pub fn with_cancel(mut self, cancel: Cancel) -> Self {
        self.cancel = cancel;
        self
    }

    /// Calls `observer` after every batch, from the worker that finished it. With several workers
    /// two calls may come in either order.
    #[must_use]
    pub fn with_progress(mut self, observer: impl Fn(Progress) + Send + Sync + 'static) -> Self {
        self.observer = Some(Arc::new(observer));
        self
    }

    /// The number of workers.
    #[must_use]
    pub fn threads(&self) -> usize {
        self.threads.get()
    }

    /// The token that stops runs on this pool.
    #[must_use]
    pub fn cancel(&self) -> &Cancel {
        &self.cancel
    }

    /// What [`keeping`](Self::keeping) was told.
    pub(super) fn bit_limit(&self) -> Option<usize> {
        self.bit_limit
    }

    pub(super) fn observe(&self, progress: Progress) {
        if let Some(observer) = &self.observer {
            observer(progress);
        }
    }
}

impl fmt::Debug for Pool {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Pool")
            .field("threads", &self.threads)
            .field("cancel", &self.cancel)
            .field("observed", &self.observer.is_some())
            .field("bit_limit", &self.bit_limit)
            .finish()
    }
}
