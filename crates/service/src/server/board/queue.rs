//! Who runs next, and how runs end.
//!
//! Among the clients that have something to run, the one that has used the least time of threads
//! of late goes first ([`super::shares`]), and of its jobs the oldest. A job that has run for a slice makes room at its
//! next checkpoint if somebody who has used less waits. So a client with a thousand jobs delays
//! another's one by a slice at most, or by a window where windows are longer.
//!
//! Between checkpoints a run can rest wherever it records, and between the operations of a window:
//! its threads wait, its place is free. A program may execute a billion clear instructions before
//! the first checkpoint, or a million multiplications, and cost nobody else more than a turn
//! ([`Settings::turn`](super::Settings)).
//!
//! Whoever rests keeps its memory. So no more runs are begun than may run and rest together, and the
//! last of these places in memory is for a short job, which keeps its turn there until it ends:
//! however many long ones have begun, a short one whose turn it is waits for short ones only.

use std::collections::HashMap;
use std::sync::{Arc, PoisonError};

use circuits::exec::Cancel;

use super::entry::{End, Entry, Live, Pause, Postponed, Reached, Stop, milliseconds};
use super::submission::by_administrator;
use super::{Board, State, now};
use crate::proto::ErrorCode;
use crate::server::store::{CheckpointRecord, JobRecord, Rest, StoreError, checkpoint_file};

/// Who has used less of late than this part of what a run's client has...
const LITTLE: f64 = 0.5;
/// ...waits for so small a part of a turn.
const LIGHT: u32 = 5;
/// Most runs that rest at once: each keeps the memory that it has.
pub(crate) const RESTING: usize = 4;

/// A job for a worker.
#[derive(Clone)]
pub(crate) struct Assignment {
    pub(crate) record: JobRecord,
    pub(crate) cancel: Cancel,
    pub(crate) reached: Arc<Reached>,
    pub(crate) threads: std::num::NonZeroUsize,
}

/// Jobs that may begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Beginners {
    All,
    Short,
    None,
}

impl Beginners {
    fn has(self, entry: &Entry) -> bool {
        match self {
            Self::All => true,
            Self::Short => entry.record.short,
            Self::None => false,
        }
    }
}

impl Board {
    /// Waits for a job to run; `None` when the server stops.
    pub(crate) fn next(&self) -> Option<Assignment> {
        let mut state = self.lock();
        loop {
            if state.ending {
                return None;
            }
            // One that rests is woken by the same news, and takes its place itself.
            if !state.draining
                && state.has_place(self)
                && let Some(id) = state.first(self)
                && state
                    .jobs
                    .get(&id)
                    .is_some_and(|entry| entry.live.is_none())
            {
                // What it would compute could not be kept.
                if state.is_postponed(&id) && self.full_disk().is_some() {
                    state.postpone(&id);
                    continue;
                }
                return state.begin(&id, self);
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until a place is free that no job could take; false when the server stops.
    pub(crate) fn until_idle(&self) -> bool {
        let mut state = self.lock();
        while !state.ending {
            if !state.draining && state.has_place(self) && state.first(self).is_none() {
                return true;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        false
    }

    /// Lets others have the place of a run, and waits until it is its turn again. To
    /// be called where a run can wait for as long as it takes: it holds no lock there.
    pub(crate) fn rest(&self, id: &str) {
        let mut state = self.lock();
        let is_over = |state: &State| {
            let live = state.jobs.get(id).and_then(|entry| entry.live.as_ref());
            state.draining || live.is_none_or(|live| live.stop.is_some())
        };
        let active = |state: &State| {
            let live = state.jobs.get(id).and_then(|entry| entry.live.as_ref());
            live.is_some_and(Live::is_active)
        };
        if is_over(&state) || (active(&state) && !state.should_rest(id, self)) {
            // Asked again at the next tick; until then it costs nothing.
            if let Some(live) = state.live(id) {
                live.forget_turn();
            }
            return;
        }
        if let Some(live) = state.live(id) {
            live.give_way();
        }
        self.changed.notify_all();
        // A run has several threads: the second finds the place taken again.
        while !is_over(&state) && !active(&state) {
            if state.has_place(self) && state.first(self).as_deref() == Some(id) {
                break;
            }
            let waited = self.changed.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(live) = state.live(id) {
            live.take_turn();
        }
        drop(state);
        // Who saw this one as the next may find another place free.
        self.changed.notify_all();
    }

    /// The run of a job begins to record for its plan, or ends that.
    pub(crate) fn planning(&self, id: &str, is_planning: bool) {
        if let Some(live) = self.lock().live(id) {
            live.is_planning = is_planning;
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
        let first = state.first_of(Beginners::All)?;
        // Its turns are short while it shares its place with those that rest: who waits for memory
        // would wait for ever.
        let ran = match first.live.is_some() || state.beginners(self).has(first) {
            true => live.turn(),
            false => live.ran(),
        };
        let waits = ran >= self.settings.slice && state.is_before(first, entry).is_some();
        waits.then_some(Pause::Yielded)
    }

    /// A run has ended.
    pub(crate) fn finish(&self, id: &str, end: End) {
        let mut state = self.lock();
        let Some(mut changing) = state.jobs.get_mut(id) else {
            return;
        };
        let entry: &mut Entry = &mut changing;
        let Some(mut live) = entry.live.take() else {
            return;
        };
        let record = &mut entry.record;
        let (run, due) = (live.ran(), live.charge());
        // What the disk cost does not count against the client's time.
        if !matches!(end, End::Postponed(_)) {
            record.run_ms += milliseconds(run);
        }
        entry.plan = live.reached.planned();
        let relaxed = std::sync::atomic::Ordering::Relaxed;
        record.nodes = record.nodes.max(live.reached.nodes.load(relaxed));
        let reached = live.reached.instructions.load(relaxed);
        record.instructions = record.instructions.max(reached);
        let failed =
            |code: ErrorCode, message: String| (Rest::Failed, Some((code as i32, message)));
        // What the client, an administrator or the quota wanted counts even if the run came to a pause first.
        let end = match (&live.stop, end) {
            (Some(Stop::Cancelled | Stop::Quota(_)), End::Paused(_) | End::Postponed(_)) => {
                End::Stopped
            }
            (_, end) => end,
        };
        entry.postponed = match &end {
            End::Postponed(reason) => {
                tracing::warn!(job = %id, %reason, "the job is set aside and tried again later");
                self.metrics.postponed();
                Some(Postponed::after(entry.postponed))
            }
            _ => None,
        };
        let (rest, error) = match end {
            End::Postponed(_) => (Rest::Queued, None),
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
                Some(Stop::Cancelled) => (Rest::Cancelled, None),
                Some(Stop::Quota(message)) => failed(ErrorCode::Quota, message),
                Some(Stop::Drain) => (Rest::Queued, None),
                None => failed(
                    ErrorCode::Internal,
                    "the run ended without a reason: please report it".to_owned(),
                ),
            },
        };
        // Whatever ended the run first, nobody would run the job again.
        let (rest, error) = match record.cancelled && !rest.is_end() {
            true => (Rest::Cancelled, None),
            false => (rest, error),
        };
        record.running = false;
        record.rest = rest;
        record.error = error.or_else(|| by_administrator(record));
        let files = match rest.is_end() {
            true => {
                record.ended_at = now();
                record.open_question = None;
                record.is_kept_anew();
                record.drop_checkpoints()
            }
            false => Vec::new(),
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
        drop(changing);
        state.shares.charge(&record.client, due);
        match self.store.put_job(&record) {
            Ok(()) => self.remove_files(id, &files),
            Err(error) => {
                // In memory it is as it is. Until the disk takes it, a restart would run the job
                // again from its checkpoint: its files stay, and go at the next start.
                tracing::error!(job = %id, %error, "cannot keep how a job ended yet");
                state.unsaved.insert(id.to_owned());
            }
        }
        if rest.is_end() {
            self.metrics.ended(rest);
        }
        drop(state);
        self.announce();
    }

    /// A checkpoint's file is complete: from here on the job goes on from it. The one before stays
    /// in case that one is damaged; the one before that goes.
    pub(crate) fn checkpointed(
        &self,
        id: &str,
        checkpoint: &CheckpointRecord,
    ) -> Result<(), StoreError> {
        let mut state = self.lock();
        let Some(mut entry) = state.jobs.get_mut(id) else {
            return Ok(());
        };
        let mut record = entry.record.clone();
        let last = record.checkpoint.replace(checkpoint.clone());
        let old = std::mem::replace(&mut record.earlier_checkpoint, last);
        (record.crashes, record.kills_met) = (0, 0);
        record.written_length = checkpoint.written;
        record.instructions = checkpoint.instructions;
        record.nodes = checkpoint.nodes;
        self.store.put_job(&record)?;
        entry.record = record;
        entry.postponed = None;
        self.metrics.checkpointed();
        drop(entry);
        drop(state);
        if let Some(old) = old {
            self.remove_files(id, &[checkpoint_file(old.number)]);
        }
        Ok(())
    }

    /// The last checkpoint of a job, if it has one.
    pub(crate) fn checkpoint_of(&self, id: &str) -> Option<CheckpointRecord> {
        self.lock().jobs.get(id)?.record.checkpoint.clone()
    }

    /// The last checkpoint is damaged: the one before counts, or the beginning.
    pub(crate) fn fall_back(&self, id: &str) -> Result<Option<CheckpointRecord>, StoreError> {
        let mut state = self.lock();
        let Some(mut entry) = state.jobs.get_mut(id) else {
            return Ok(None);
        };
        let mut record = entry.record.clone();
        let earlier = record.earlier_checkpoint.take();
        let damaged = std::mem::replace(&mut record.checkpoint, earlier.clone());
        record.written_length = earlier.as_ref().map_or(0, |checkpoint| checkpoint.written);
        self.store.put_job(&record)?;
        entry.record = record;
        drop(entry);
        drop(state);
        if let Some(damaged) = damaged {
            self.remove_files(id, &[checkpoint_file(damaged.number)]);
        }
        Ok(earlier)
    }

    /// A run that is about to end has written so much; kept with its end.
    pub(crate) fn wrote(&self, id: &str, length: u64) {
        if let Some(mut entry) = self.lock().jobs.get_mut(id) {
            entry.record.written_length = length;
        }
    }

    /// Removes files that no record names any more. One that stays goes at the next start.
    pub(super) fn remove_files(&self, id: &str, names: &[String]) {
        for name in names {
            if let Err(error) = self.store.remove_file(&self.store.job_path(id, name)) {
                tracing::warn!(job = %id, %error, "a file stays until the next start");
            }
        }
    }

    /// Keeps, now that the disk may take it, how jobs rest that it did not take before.
    pub(super) fn save_again(&self, state: &mut State) {
        while let Some(id) = state.unsaved.iter().next().cloned() {
            if let Some(entry) = state.jobs.get(&id)
                && let Err(error) = self.store.put_job(&entry.record)
            {
                tracing::debug!(job = %id, %error, "cannot keep how a job rests yet");
                return;
            }
            state.unsaved.remove(&id);
        }
    }
}

impl State {
    pub(super) fn live(&mut self, id: &str) -> Option<&mut Live> {
        self.jobs.live_mut(id)
    }

    fn is_postponed(&self, id: &str) -> bool {
        self.jobs
            .get(id)
            .is_some_and(|entry| entry.postponed.is_some())
    }

    fn postpone(&mut self, id: &str) {
        if let Some(mut entry) = self.jobs.get_mut(id) {
            entry.postponed = Some(Postponed::after(entry.postponed));
        }
    }

    /// Whether fewer jobs run than may.
    fn has_place(&self, board: &Board) -> bool {
        let active = self.jobs.lives().filter(|(_, live)| live.is_active());
        active.count() < board.settings.jobs.get()
    }

    /// Whether somebody could have a place now.
    pub(super) fn is_waited_for(&self, board: &Board) -> bool {
        self.has_place(board) && self.first(board).is_some()
    }

    /// Whether a job is of another client than a run, one that has used less: how much of it.
    fn is_before(&self, first: &Entry, run: &Entry) -> Option<f64> {
        let (other, client) = (&*first.record.client, &*run.record.client);
        let of = self.used();
        (other != client && of(other) < of(client)).then(|| of(other) / of(client))
    }

    /// Whether a run should rest, if it can.
    fn should_rest(&self, id: &str, board: &Board) -> bool {
        let Some(entry) = self.jobs.get(id) else {
            return false;
        };
        let Some(live) = entry.live.as_ref().filter(|live| live.is_active()) else {
            return false;
        };
        // Before it asks who waits, which takes longer.
        let turn = board.settings.turn;
        if live.turn() < turn / LIGHT || self.has_place(board) {
            return false;
        }
        // The last place in memory is free again sooner than anybody's turn would come.
        if entry.record.short && self.jobs.begun() >= most_begun(board) {
            return false;
        }
        let first = self.first(board).and_then(|id| self.jobs.get(&id));
        match first.and_then(|first| self.is_before(first, entry)) {
            Some(part) => part < LITTLE || live.turn() >= turn,
            None => false,
        }
    }

    /// Tells runs that should rest.
    pub(super) fn call_turns(&self, board: &Board) {
        for (entry, live) in self.jobs.lives() {
            if self.should_rest(&entry.record.id, board) {
                let relaxed = std::sync::atomic::Ordering::Relaxed;
                live.reached.should_rest.store(true, relaxed);
            }
        }
    }

    /// The job that should have the next place: one that rests, or one that may begin.
    pub(super) fn first(&self, board: &Board) -> Option<String> {
        let first = self.first_of(self.beginners(board));
        first.map(|entry| entry.record.id.clone())
    }

    /// The first of those that rest and of those that wait, as far as these are meant.
    fn first_of(&self, beginners: Beginners) -> Option<&Entry> {
        let used = self.used();
        let resting = self.jobs.lives();
        let resting = resting.filter(|(_, live)| !live.is_active() && live.stop.is_none());
        let resting = resting.map(|(entry, _)| entry);
        let fronts = match beginners {
            Beginners::All => Some(false),
            Beginners::Short => Some(true),
            Beginners::None => None,
        };
        let fronts = fronts.map(|only_short| self.jobs.fronts(only_short));
        let waiting = resting.chain(fronts.into_iter().flatten());
        waiting.min_by(|a, b| {
            let (a, b) = (&a.record, &b.record);
            used(&a.client)
                .total_cmp(&used(&b.client))
                .then(a.accepted_at.cmp(&b.accepted_at))
                .then(a.id.cmp(&b.id))
        })
    }

    /// For which jobs there is memory, if they have not begun.
    fn beginners(&self, board: &Board) -> Beginners {
        match most_begun(board).saturating_sub(self.jobs.begun()) {
            0 => Beginners::None,
            1 => Beginners::Short,
            _ => Beginners::All,
        }
    }

    /// Seconds of threads that a client has used lately, up to this moment.
    fn used(&self) -> impl Fn(&str) -> f64 {
        let mut uncharged: HashMap<&str, f64> = HashMap::new();
        for (entry, live) in self.jobs.lives() {
            *uncharged.entry(&entry.record.client).or_default() += live.uncharged();
        }
        move |client| {
            let uncharged = uncharged.get(client).copied().unwrap_or(0.0);
            self.shares.of(client) + uncharged
        }
    }

    /// Has clients pay for what their jobs ran.
    pub(super) fn charge(&mut self, now: std::time::Instant) {
        self.shares.fade(now);
        let shares = &mut self.shares;
        let charge = |record: &JobRecord, live: &mut Live| {
            shares.charge(&record.client, live.charge());
        };
        self.jobs.each_live(charge);
    }

    fn begin(&mut self, id: &str, board: &Board) -> Option<Assignment> {
        let mut changing = self.jobs.get_mut(id)?;
        let entry: &mut Entry = &mut changing;
        let record = &mut entry.record;
        let threads = board.settings.share(record.threads);
        if record.started_at == 0 {
            record.started_at = now();
        }
        record.running = true;
        record.kills = super::machine::kills();
        if let Err(error) = board.store.put_job(record) {
            // It runs all the same; only the moment, or a crash, may be forgotten.
            tracing::error!(job = %id, %error, "cannot keep that a job began");
        }
        let quotas = board.settings.policy.now();
        let quota = quotas.limits(&record.client_name, &record.client);
        let live = Live::new(threads.get() as u32, quota);
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

/// Most runs in memory: each has a worker.
fn most_begun(board: &Board) -> usize {
    board.settings.jobs.get() + RESTING
}

#[cfg(test)]
mod tests;
