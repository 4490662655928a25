//! Threads that run jobs.
//!
//! A run that panics is a defect; it ends that job, and is caught here so that it ends nothing
//! else.

mod crew;
mod distant;
mod files;
mod host;
mod job;
mod keys;
pub(in crate::server) mod plan;
mod warm;

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::board::{Assignment, Board, End, RESTING};
use crate::proto::ErrorCode;

pub(super) use crew::Crew;
pub(super) use host::Halt;
pub(crate) use keys::Keys;
pub(super) use plan::Subject;
pub(super) use warm::start as warm;

/// What runs a job.
pub(crate) type Run = dyn Fn(&Assignment) -> End + Send + Sync;

/// The way jobs are run in earnest, on this machine, or on workers if there are any.
pub(crate) fn runner(board: &Arc<Board>, keys: &Arc<Keys>, crew: Option<Arc<Crew>>) -> Arc<Run> {
    let (board, keys) = (Arc::clone(board), Arc::clone(keys));
    Arc::new(move |assignment| job::run(&board, &keys, crew.as_deref(), assignment))
}

/// Starts as many threads as jobs run or rest at once. They end when the board drains.
pub(crate) fn start(board: &Arc<Board>, run: &Arc<Run>) -> std::io::Result<Vec<JoinHandle<()>>> {
    let count = board.settings.jobs.get() + RESTING;
    (0..count)
        .map(|number| {
            let (board, run) = (Arc::clone(board), Arc::clone(run));
            thread::Builder::new()
                .name(format!("job-{number}"))
                .spawn(move || work(&board, &run))
        })
        .collect()
}

fn work(board: &Board, run: &Arc<Run>) {
    while let Some(assignment) = board.next() {
        let id = assignment.record.id.clone();
        // At this level whatever is logged at all.
        let span = tracing::error_span!("job", id, threads = assignment.threads.get());
        let run = || span.in_scope(|| run(&assignment));
        let end = catch_unwind(AssertUnwindSafe(run)).unwrap_or_else(|_| {
            board.metrics.defect();
            tracing::error!(job = %id, "a run panicked: this is a defect");
            End::Failed(
                ErrorCode::Internal,
                "the server found a defect of its own in this run: please report it".to_owned(),
            )
        });
        board.finish(&id, end);
    }
}

#[cfg(test)]
mod tests;
