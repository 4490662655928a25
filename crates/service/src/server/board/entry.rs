//! A job on the board: its record, and what is known only while it runs.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use processor::Progress;

use crate::proto::ErrorCode;
use crate::server::store::JobRecord;

/// A job.
pub(super) struct Entry {
    pub(super) record: JobRecord,
    /// While a worker has it.
    pub(super) live: Option<Live>,
    /// What the last run knew of the end, for showing it meanwhile.
    pub(super) plan: Planned,
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
        }
    }
}

/// A job while it runs.
pub(crate) struct Live {
    pub(super) cancel: Cancel,
    pub(super) stop: Option<Stop>,
    pub(super) begun: Instant,
    pub(super) threads: u32,
    /// The client's quota when the run began; 0 is none.
    pub(super) wall_seconds: u64,
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
    /// The client wants it.
    Client,
    /// A quota is used up.
    Quota(String),
    /// The server stops; the job goes on in the next one.
    Drain,
}

impl Live {
    pub(super) fn new(threads: u32, wall_seconds: u64) -> Self {
        let begun = Instant::now();
        Self {
            cancel: Cancel::new(),
            stop: None,
            begun,
            threads,
            wall_seconds,
            reached: Arc::default(),
            rate: 0.0,
            measured: Measured {
                at: begun,
                nodes: 0,
            },
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
