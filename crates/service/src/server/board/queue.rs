//! Who runs next, and how runs end.
//!
//! Among the clients that have something to run, the one that has used the least time of threads
//! goes first, and of its jobs the oldest. Who comes (back) begins with what the least of the
//! others has used: idleness saves nothing up. A job that has run for a slice makes room at its
//! next checkpoint if somebody who has used less waits. So a client with a thousand jobs delays
//! another's one by a slice at most, or by a window where windows are longer.

use std::collections::HashMap;
use std::sync::Arc;

use circuits::exec::Cancel;

use super::entry::{End, Live, Pause, Reached, Stop, milliseconds};
use super::{Board, State, now};
use crate::proto::ErrorCode;
use crate::server::store::{CheckpointRecord, JobRecord, Rest, StoreError};

/// A job for a worker.
#[derive(Clone)]
pub(crate) struct Assignment {
    pub(crate) record: JobRecord,
    pub(crate) cancel: Cancel,
    pub(crate) reached: Arc<Reached>,
    pub(crate) threads: std::num::NonZeroUsize,
}

impl Board {
    /// Waits for a job to run; `None` when the server stops.
    pub(crate) fn next(&self) -> Option<Assignment> {
        let mut state = self.lock();
        loop {
            if state.draining {
                return None;
            }
            if let Some(id) = state.first() {
                let share = (self.settings.threads.get() / self.settings.jobs.get()).max(1);
                return state.begin(&id, share, self);
            }
            state = self
                .changed
                .wait(state)
                .unwrap_or_else(std::sync::PoisonError::into_inner);
        }
    }

    /// Whether a running job should make room at this checkpoint.
    pub(crate) fn makes_room(&self, id: &str) -> Option<Pause> {
        let state = self.lock();
        if state.draining {
            return Some(Pause::Drained);
        }
        let entry = state.jobs.get(id)?;
        let live = entry.live.as_ref()?;
        if live.begun.elapsed() < self.settings.slice {
            return None;
        }
        let other = state.first()?;
        let other = &state.jobs.get(&other)?.record.client;
        let times = state.times();
        let used = |client: &str| times.get(client).copied().unwrap_or(0.0);
        let waits = *other != entry.record.client && used(other) < used(&entry.record.client);
        waits.then_some(Pause::Yielded)
    }

    /// A run has ended.
    pub(crate) fn finish(&self, id: &str, end: End) {
        let mut state = self.lock();
        let Some(entry) = state.jobs.get_mut(id) else {
            return;
        };
        let Some(live) = entry.live.take() else {
            return;
        };
        let record = &mut entry.record;
        let run = live.begun.elapsed();
        record.run_ms += milliseconds(run);
        entry.plan = live.reached.planned();
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        record.nodes = record.nodes.max(live.reached.nodes.load(relaxed));
        let reached = live.reached.instructions.load(relaxed);
        record.instructions = record.instructions.max(reached);
        let failed =
            |code: ErrorCode, message: String| (Rest::Failed, Some((code as i32, message)));
        // What the client or the quota wanted counts even if the run came to a pause first.
        let end = match (&live.stop, end) {
            (Some(Stop::Client), End::Paused(_)) => End::Stopped,
            (Some(Stop::Quota(_)), End::Paused(_)) => End::Stopped,
            (_, end) => end,
        };
        let (rest, error) = match end {
            End::Done {
                outputs_length,
                instructions,
            } => {
                record.outputs_length = outputs_length;
                record.instructions = instructions;
                (Rest::Done, None)
            }
            End::Paused(Pause::Parked) if record.open_question.is_some() => (Rest::Waiting, None),
            // The answer came while it was being parked, or others have their turn.
            End::Paused(_) => (Rest::Queued, None),
            End::Failed(code, message) => failed(code, message),
            End::Stopped => match live.stop {
                Some(Stop::Client) => (Rest::Cancelled, None),
                Some(Stop::Quota(message)) => failed(ErrorCode::Quota, message),
                Some(Stop::Drain) => (Rest::Queued, None),
                None => failed(
                    ErrorCode::Internal,
                    "the run ended without a reason: please report it".to_owned(),
                ),
            },
        };
        record.running = false;
        record.rest = rest;
        record.error = error;
        let checkpoint = if rest.is_end() {
            record.ended_at = now();
            record.open_question = None;
            record.checkpoint.take()
        } else {
            None
        };
        tracing::info!(
            job = %record.id,
            state = ?rest,
            run_ms = record.run_ms,
            instructions = record.instructions,
            nodes = record.nodes,
            code = ?record.error.as_ref().map(|(code, _)| *code),
            "job rests"
        );
        let record = record.clone();
        *state.used.entry(record.client.clone()).or_default() +=
            run.as_secs_f64() * f64::from(live.threads);
        let kept = self.store.put_job(&record).and_then(|()| match checkpoint {
            Some(checkpoint) => self.remove_checkpoint(id, checkpoint.number),
            None => Ok(()),
        });
        if let Err(error) = kept {
            // In memory it is as it is; after a restart it would be run again from its checkpoint.
            tracing::error!(job = %id, %error, "cannot keep how a job ended");
        }
        if rest.is_end() {
            self.metrics.ended(rest);
        }
        drop(state);
        self.announce();
    }

    /// A checkpoint's file is complete: from here on the job goes on from it.
    pub(crate) fn checkpointed(
        &self,
        id: &str,
        checkpoint: &CheckpointRecord,
    ) -> Result<(), StoreError> {
        let mut state = self.lock();
        if let Some(entry) = state.jobs.get_mut(id) {
            let mut record = entry.record.clone();
            record.checkpoint = Some(checkpoint.clone());
            record.crashes = 0;
            record.written_length = checkpoint.written;
            record.instructions = checkpoint.instructions;
            record.nodes = checkpoint.nodes;
            self.store.put_job(&record)?;
            entry.record = record;
            self.metrics.checkpointed();
        }
        Ok(())
    }

    /// A run that is about to end has written so much; kept with its end.
    pub(crate) fn wrote(&self, id: &str, length: u64) {
        if let Some(entry) = self.lock().jobs.get_mut(id) {
            entry.record.written_length = length;
        }
    }

    fn remove_checkpoint(&self, id: &str, number: u64) -> Result<(), StoreError> {
        let name = crate::server::store::checkpoint_file(number);
        self.store.remove_file(&self.store.job_path(id, &name))
    }
}

impl State {
    /// The job that should run next.
    pub(super) fn first(&self) -> Option<String> {
        let times = self.times();
        let time = |job: &JobRecord| times.get(job.client.as_str()).copied().unwrap_or(0.0);
        let runnable = self.jobs.values().filter(|entry| {
            entry.live.is_none() && entry.record.rest == Rest::Queued && !entry.record.cancelled
        });
        let first = runnable.map(|entry| &entry.record).min_by(|a, b| {
            time(a)
                .total_cmp(&time(b))
                .then(a.accepted_at.cmp(&b.accepted_at))
                .then(a.id.cmp(&b.id))
        });
        first.map(|record| record.id.clone())
    }

    /// Seconds of threads that each client has used, those of running jobs included.
    pub(super) fn times(&self) -> HashMap<&str, f64> {
        let used = self.used.iter();
        let mut times: HashMap<&str, f64> =
            used.map(|(name, used)| (name.as_str(), *used)).collect();
        for entry in self.jobs.values() {
            if let Some(live) = &entry.live {
                *times.entry(&entry.record.client).or_default() +=
                    live.begun.elapsed().as_secs_f64() * f64::from(live.threads);
            }
        }
        times
    }

    /// A client that had nothing to do has saved nothing up.
    pub(super) fn level(&mut self, client: &str) {
        let times = self.times();
        let mut least = f64::INFINITY;
        for entry in self.jobs.values() {
            if entry.live.is_none() && entry.record.rest != Rest::Queued {
                continue;
            }
            if entry.record.client == client {
                return;
            }
            let used = times.get(entry.record.client.as_str());
            least = least.min(used.copied().unwrap_or(0.0));
        }
        if !least.is_finite() {
            return;
        }
        let used = self.used.entry(client.to_owned()).or_default();
        *used = used.max(least);
    }

    fn begin(&mut self, id: &str, share: usize, board: &Board) -> Option<Assignment> {
        let entry = self.jobs.get_mut(id)?;
        let record = &mut entry.record;
        let threads = match record.threads as usize {
            0 => share,
            wish => wish.min(share),
        };
        let threads = std::num::NonZeroUsize::new(threads)?;
        if record.started_at == 0 {
            record.started_at = now();
        }
        record.running = true;
        if let Err(error) = board.store.put_job(record) {
            // It runs all the same; only the moment, or a crash, may be forgotten.
            tracing::error!(job = %id, %error, "cannot keep that a job began");
        }
        let quota = board
            .settings
            .quotas
            .of(&record.client_name, &record.client);
        let wall_seconds = quota.unwrap_or_default().wall_seconds;
        let live = Live::new(threads.get() as u32, wall_seconds);
        let assignment = Assignment {
            record: record.clone(),
            cancel: live.cancel.clone(),
            reached: Arc::clone(&live.reached),
            threads,
        };
        entry.live = Some(live);
        tracing::info!(job = %id, client = %assignment.record.client_name, threads, "job runs");
        Some(assignment)
    }
}
