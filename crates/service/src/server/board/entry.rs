//! A job on the board: its record, and what is known only while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use processor::Progress;

use crate::proto::ErrorCode;
use crate::server::quota::{Quota, exceeds};
use crate::server::store::{JobRecord, Rest};

/// A job.
pub(super) struct Entry {
    pub(super) record: JobRecord,
    /// While a worker has it.
    pub(super) live: Option<Live>,
    /// What the last run knew of the end, for showing it meanwhile.
    pub(super) plan: Planned,
    /// Since the disk failed it.
    pub(super) postponed: Option<Postponed>,
}

/// When a job is tried again that the disk failed.
#[derive(Clone, Copy, Debug)]
pub(super) struct Postponed {
    pub(super) until: Instant,
    pause: Duration,
}

impl Postponed {
    /// Longer after each failure, up to a minute.
    pub(super) fn after(before: Option<Self>) -> Self {
        const FIRST: Duration = Duration::from_secs(1);
        const LONGEST: Duration = Duration::from_secs(60);
        let pause = before.map_or(FIRST, |before| (before.pause * 2).min(LONGEST));
        Self {
            until: Instant::now() + pause,
            pause,
        }
    }
}

/// How much there will be.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Planned {
    pub(super) instructions: u64,
    pub(super) nodes: u64,
    pub(super) windows: u32,
    pub(super) end_known: bool,
}

impl Entry {
    pub(super) fn new(record: JobRecord) -> Self {
        Self {
            record,
            live: None,
            plan: Planned::default(),
            postponed: None,
        }
    }

    /// Whether it could run now.
    pub(super) fn is_runnable(&self) -> bool {
        let is_due = |postponed: &Postponed| postponed.until <= Instant::now();
        self.live.is_none()
            && self.record.rest == Rest::Queued
            && !self.record.cancelled
            && self.postponed.as_ref().is_none_or(is_due)
    }
}

/// A job while it runs.
pub(crate) struct Live {
    pub(super) cancel: Cancel,
    pub(super) stop: Option<Stop>,
    /// Since when it holds its place; `None` while it rests.
    active: Option<Instant>,
    /// What it ran before that.
    ran: Duration,
    /// What of it its client has paid for.
    charged: Duration,
    /// Whether its circuits are being recorded ahead, for the plan.
    pub(super) is_planning: bool,
    pub(super) threads: u32,
    /// The client's quota when the run began.
    quota: Quota,
    pub(super) reached: Arc<Reached>,
    /// Nodes per second of late.
    pub(super) rate: f64,
    measured: Measured,
}

/// How many nodes a run had evaluated at a moment.
struct Measured {
    at: Instant,
    nodes: u64,
}

/// Why a run is to end before its end. The first reason counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Stop {
    /// The client wants it, or an administrator.
    Cancelled,
    /// A quota is used up.
    Quota(String),
    /// The server stops; the job goes on in the next one.
    Drain,
}

impl Live {
    pub(super) fn new(threads: u32, quota: Quota) -> Self {
        let begun = Instant::now();
        Self {
            cancel: Cancel::new(),
            stop: None,
            active: Some(begun),
            ran: Duration::ZERO,
            charged: Duration::ZERO,
            is_planning: false,
            threads,
            quota,
            reached: Arc::default(),
            rate: 0.0,
            measured: Measured {
                at: begun,
                nodes: 0,
            },
        }
    }

    /// How long it has run, resting not counted.
    pub(super) fn ran(&self) -> Duration {
        self.ran + self.turn()
    }

    /// Seconds of threads that its client has not paid for.
    pub(super) fn uncharged(&self) -> f64 {
        let ran = self.ran().saturating_sub(self.charged);
        ran.as_secs_f64() * f64::from(self.threads)
    }

    /// The same, paid now.
    pub(super) fn charge(&mut self) -> f64 {
        let ran = self.ran();
        let due = ran.saturating_sub(self.charged);
        self.charged = ran;
        due.as_secs_f64() * f64::from(self.threads)
    }

    /// How long it has held its place this time.
    pub(super) fn turn(&self) -> Duration {
        self.active.map_or(Duration::ZERO, |since| since.elapsed())
    }

    /// Whether it holds a place.
    pub(super) fn is_active(&self) -> bool {
        self.active.is_some()
    }

    /// Gives its place to others.
    pub(super) fn give_way(&mut self) {
        self.ran = self.ran();
        self.active = None;
    }

    /// Nobody waits for its place any more.
    pub(super) fn forget_turn(&self) {
        self.reached.should_rest.store(false, Ordering::Relaxed);
    }

    /// Has a place again.
    pub(super) fn take_turn(&mut self) {
        self.active.get_or_insert_with(Instant::now);
        self.forget_turn();
    }

    /// Which quota a run exceeds that has taken so many seconds, and what to do about it.
    pub(super) fn exceeded(&self, seconds: u64) -> Option<String> {
        let quota = &self.quota;
        let recorded = self.reached.recorded.load(Ordering::Relaxed);
        // Behind a question nobody has planned: there what is computed counts.
        let computed = self.reached.nodes.load(Ordering::Relaxed);
        let planned = if self.is_planning {
            self.ran().as_secs()
        } else {
            0
        };
        if exceeds(seconds, quota.wall_seconds) {
            Some(format!(
                "the job has run for {seconds} s, the client's quota is {} s: split the job, or ask \
                 the server's operator",
                quota.wall_seconds
            ))
        } else if exceeds(planned, quota.planning_seconds) {
            Some(format!(
                "the job has been planned for {planned} s, the client's quota is {} s: split the \
                 job, or ask the server's operator",
                quota.planning_seconds
            ))
        } else if exceeds(recorded.max(computed), quota.operations) {
            Some(format!(
                "the program records more than {} operations, the client's quota is {}: \
                 split the job, or ask the server's operator",
                quota.operations, quota.operations
            ))
        } else if exceeds(computed, quota.bootstraps) {
            Some(format!(
                "the job has taken {computed} bootstraps, the client's quota is {}: split the job, \
                 or ask the server's operator",
                quota.bootstraps
            ))
        } else {
            None
        }
    }

    /// Has the run end within a second.
    pub(super) fn end(&mut self, why: Stop) {
        self.stop.get_or_insert(why);
        self.cancel.cancel();
    }

    /// Updates the rate: a mean whose weights fall to a third in four seconds, so that batches do
    /// not show and changes soon do.
    pub(super) fn measure(&mut self) {
        let nodes = self.reached.nodes.load(Ordering::Relaxed);
        let before = self.measured.nodes;
        let elapsed = self.measured.at.elapsed().as_secs_f64();
        if elapsed < 0.2 {
            return;
        }
        self.measured = Measured {
            at: Instant::now(),
            nodes,
        };
        if before == 0 {
            // The first count includes what a checkpoint brought.
            return;
        }
        let late = nodes.saturating_sub(before) as f64 / elapsed;
        let weight = 1.0 - (-elapsed / 4.0).exp();
        self.rate = match self.rate {
            0.0 => late,
            rate => rate + weight * (late - rate),
        };
    }
}

/// How far a run is, written by whichever thread just finished something.
#[derive(Debug, Default)]
pub(crate) struct Reached {
    pub(super) instructions: AtomicU64,
    pub(super) instructions_planned: AtomicU64,
    pub(super) nodes: AtomicU64,
    pub(super) nodes_planned: AtomicU64,
    pub(super) window: AtomicUsize,
    pub(super) windows: AtomicUsize,
    pub(super) end_known: AtomicUsize,
    /// Operations recorded for the plan.
    pub(crate) recorded: AtomicU64,
    /// Whether others should have its place, if it can rest.
    pub(super) should_rest: AtomicBool,
}

impl Reached {
    /// Takes note of progress.
    pub(crate) fn update(&self, progress: &Progress) {
        let relaxed = Ordering::Relaxed;
        self.instructions.fetch_max(progress.instructions, relaxed);
        self.nodes.fetch_max(progress.nodes as u64, relaxed);
        self.window.fetch_max(progress.window, relaxed);
        self.instructions_planned
            .store(progress.instructions_planned, relaxed);
        self.nodes_planned
            .store(progress.nodes_planned as u64, relaxed);
        self.windows.store(progress.windows, relaxed);
        self.end_known
            .store(usize::from(progress.end_known), relaxed);
    }

    /// Whether others should have its place.
    pub(crate) fn should_rest(&self) -> bool {
        self.should_rest.load(Ordering::Relaxed)
    }

    pub(super) fn planned(&self) -> Planned {
        let relaxed = Ordering::Relaxed;
        Planned {
            instructions: self.instructions_planned.load(relaxed),
            nodes: self.nodes_planned.load(relaxed),
            windows: self.windows.load(relaxed) as u32,
            end_known: self.end_known.load(relaxed) == 1,
        }
    }
}

/// How a worker's run of a job ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum End {
    /// The outputs are stored.
    Done {
        outputs_length: u64,
        instructions: u64,
    },
    /// It goes on later from its checkpoint.
    Paused(Pause),
    /// The disk failed; it goes on when that is over.
    Postponed(String),
    /// It cannot be run.
    Failed(ErrorCode, String),
    /// Its [`Live`] was told to end.
    Stopped,
}

/// Why a job is set aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Pause {
    /// An answer is missing.
    Parked,
    /// Others have their turn.
    Yielded,
    /// The server stops.
    Drained,
}

/// A duration as milliseconds.
pub(super) fn milliseconds(duration: Duration) -> u64 {
    duration.as_millis() as u64
}
