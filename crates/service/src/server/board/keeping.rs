//! How long what has ended is kept.
//!
//! Clocks jump: by a battery that is flat, a time server that is wrong, a machine that was copied.
//! So no date says how old something is, but a *meter*: the time that servers of this directory
//! have run, counted by the system's monotonic clock and stored at every look. It stands still
//! while no server runs, so that a server that was away for a year finds everything as it left it,
//! and between two looks it goes on by an hour at most, whatever the clock says. What a look finds
//! ended, or unused, for the first time is as old as the meter's difference from then on.
//!
//! Outputs that nobody has fetched are removed by a second look only: where the first finds them
//! old it says so in the log and writes it down, and they stay as long again. Whenever outputs are
//! fetched their time begins anew.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use super::Board;
use super::jobs::BlobName;
use crate::server::store::{BlobRecord, JobRecord, Rest, StoreError};

/// Most by which the meter goes on between two readings: looks are ten minutes apart.
const STEP_MOST: Duration = Duration::from_secs(3600);
/// Most jobs, or blobs, of which something is written down under one lock: in one transaction.
const NOTED: usize = 256;
/// Most that are removed under one lock: each is a transaction.
const REMOVED: usize = 4;
/// Time for others to get the lock in between.
const PAUSE: Duration = Duration::from_millis(1);

/// Tells a time that only grows.
pub(crate) type Clock = Box<dyn Fn() -> Duration + Send + Sync>;

/// The system's monotonic clock, from now on.
pub(crate) fn monotonic() -> Clock {
    let begin = Instant::now();
    Box::new(move || begin.elapsed())
}

/// Milliseconds that servers of this directory have run.
pub(super) struct Meter {
    clock: Clock,
    /// What it showed when the clock was last read, and what the clock did.
    read: Mutex<(u64, Duration)>,
}

impl Meter {
    /// Goes on from what was stored.
    pub(super) fn new(stored: u64, clock: Clock) -> Self {
        let read = Mutex::new((stored, clock()));
        Self { clock, read }
    }

    pub(super) fn now(&self) -> u64 {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        let now = (self.clock)();
        let step = now.saturating_sub(read.1).min(STEP_MOST);
        *read = (read.0.saturating_add(step.as_millis() as u64), now);
        read.0
    }
}

/// What a look finds of a job that has ended.
#[derive(Debug, PartialEq)]
enum Found {
    /// It is not old.
    Young,
    /// Its time begins.
    New,
    /// It is old, but nobody has fetched its outputs: its time goes on, once.
    Unfetched,
    /// It is to be removed.
    Old(&'static str),
}

impl JobRecord {
    /// Whether it has outputs that nobody has.
    fn is_unfetched(&self) -> bool {
        self.rest == Rest::Done && !self.fetched
    }

    fn look(&self, now: u64, keep: u64) -> Found {
        let is_old = |from: u64| now.saturating_sub(from) >= keep;
        match (self.kept_from, self.unfetched_from) {
            (None, _) => Found::New,
            (Some(from), _) if !is_old(from) => Found::Young,
            (Some(_), _) if !self.is_unfetched() => Found::Old("it ended so long ago"),
            (Some(_), None) => Found::Unfetched,
            (Some(_), Some(from)) if is_old(from) => {
                Found::Old("nobody has fetched its outputs in twice the time")
            }
            (Some(_), Some(_)) => Found::Young,
        }
    }
}

impl Board {
    /// Removes what has ended long ago, and writes down how late it is. To be called every few
    /// minutes.
    pub(crate) fn forget_old(&self) -> Result<(), StoreError> {
        let looked = self.look();
        self.note_time();
        looked
    }

    fn look(&self) -> Result<(), StoreError> {
        let Some(keep) = self.settings.keep else {
            return Ok(());
        };
        let now = self.meter.now();
        let keep = u64::try_from(keep.as_millis()).unwrap_or(u64::MAX);
        // Removing comes first: it is what makes room where nothing more can be written.
        repeat(|| self.remove_jobs(now, keep))?;
        repeat(|| self.remove_blobs(now, keep))?;
        repeat(|| self.note_jobs(now, keep))?;
        repeat(|| self.note_blobs(now))
    }

    /// Removes some of the jobs that are old; whether there may be more.
    fn remove_jobs(&self, now: u64, keep: u64) -> Result<bool, StoreError> {
        let mut state = self.lock();
        let old = |record: &JobRecord| match record.look(now, keep) {
            Found::Old(reason) => Some((record.clone(), reason)),
            _ => None,
        };
        let due = state.jobs.due(now, keep);
        let old: Vec<_> = due.filter_map(old).take(REMOVED).collect();
        let more = old.len() == REMOVED;
        for (record, reason) in old {
            self.store.remove_job(&record)?;
            state.jobs.remove(&record.id);
            tracing::info!(
                job = %record.id, client = %record.client_name, state = ?record.rest,
                fetched = record.fetched, days = days(keep), reason, "job removed"
            );
        }
        Ok(more)
    }

    /// Writes down of some jobs that they were found ended, or old and unfetched.
    fn note_jobs(&self, now: u64, keep: u64) -> Result<bool, StoreError> {
        let mut state = self.lock();
        let noted = |record: &JobRecord| match record.look(now, keep) {
            Found::New => Some(JobRecord {
                kept_from: Some(now),
                ..record.clone()
            }),
            Found::Unfetched => Some(JobRecord {
                unfetched_from: Some(now),
                ..record.clone()
            }),
            Found::Young | Found::Old(_) => None,
        };
        let met = state.jobs.unmet().chain(state.jobs.due(now, keep));
        let changed: Vec<JobRecord> = met.filter_map(noted).take(NOTED).collect();
        self.store.put_jobs(&changed)?;
        let more = changed.len() == NOTED;
        for record in changed {
            if record.unfetched_from.is_some() {
                tracing::warn!(
                    job = %record.id, client = %record.client_name, days = days(keep),
                    "nobody has fetched the outputs of this job: it stays for as long again"
                );
            }
            state.jobs.put(record);
        }
        Ok(more)
    }

    /// Removes some of the blobs that are old; whether there may be more.
    fn remove_blobs(&self, now: u64, keep: u64) -> Result<bool, StoreError> {
        let mut state = self.lock();
        // One that was in use after that is noted anew.
        let unused = |name: &&BlobName| !state.jobs.uses(name) && !state.jobs.is_freed(name);
        let old = state.blobs.old(now, keep).filter(unused);
        let old: Vec<BlobName> = old.take(REMOVED).cloned().collect();
        let more = old.len() == REMOVED;
        for name in old {
            let (client, hash) = &name;
            self.store.remove_blob(client, hash)?;
            tracing::info!(
                client, blob = %hash, days = days(keep),
                reason = "no job has used it for so long", "blob removed"
            );
            state.blobs.remove(&name);
        }
        Ok(more)
    }

    /// Writes down of some blobs that they were found unused. Those in use are looked at again once
    /// they are not.
    fn note_blobs(&self, now: u64) -> Result<bool, StoreError> {
        let mut state = self.lock();
        let met = state.blobs.fresh().chain(state.jobs.freed());
        let met: BTreeSet<BlobName> = met.take(NOTED).cloned().collect();
        let unused = met.iter().filter(|name| !state.jobs.uses(name));
        let changed = unused.filter_map(|name| {
            let record = BlobRecord {
                kept_from: Some(now),
                ..state.blobs.get(name)?.clone()
            };
            Some((name.clone(), record))
        });
        let changed: Vec<_> = changed.collect();
        self.store.put_blobs(&changed)?;
        for (name, record) in changed {
            state.blobs.insert(name, record);
        }
        for name in &met {
            state.blobs.settle(name);
            state.jobs.settle(name);
        }
        Ok(!met.is_empty())
    }

    /// Notes that all of a job's outputs were sent to its client.
    pub(crate) fn fetched(&self, id: &str) {
        let now = self.meter.now();
        let mut state = self.lock();
        let Some(entry) = state.jobs.get(id) else {
            return;
        };
        let mut record = entry.record.clone();
        record.fetched = true;
        record.kept_from = Some(now);
        record.unfetched_from = None;
        match self.store.put_job(&record) {
            Ok(()) => state.jobs.put(record),
            // It stays for longer than it must.
            Err(error) => {
                tracing::error!(job = id, %error, "cannot note that outputs were fetched")
            }
        }
    }

    /// Stores how long servers have run.
    pub(crate) fn note_time(&self) {
        if let Err(error) = self.store.put_meter(self.meter.now()) {
            tracing::error!(%error, "cannot note how long the server has run");
        }
    }
}

/// Does something a few at a time, as long as it says that there may be more.
fn repeat(some: impl Fn() -> Result<bool, StoreError>) -> Result<(), StoreError> {
    while some()? {
        std::thread::sleep(PAUSE);
    }
    Ok(())
}

/// For messages.
fn days(milliseconds: u64) -> u64 {
    milliseconds / 86_400_000
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;
    use std::path::Path;
    use std::sync::Arc;
    use std::sync::atomic::{AtomicU64, Ordering};

    use super::*;
    use crate::server::board::Settings;
    use crate::server::metrics::Metrics;
    use crate::server::policy::Policy;
    use crate::server::quota::Quotas;
    use crate::server::store::Store;

    const HOUR: u64 = 3600;
    /// What is kept for ten hours, in looks an hour apart.
    const KEEP: u64 = 10;

    /// A server whose monotonic clock shows what it is told.
    struct Server {
        board: Board,
        seconds: Arc<AtomicU64>,
    }

    impl Server {
        fn start(root: &Path) -> Self {
            let settings = Settings {
                jobs: NonZeroUsize::MIN,
                threads: NonZeroUsize::MIN,
                slice: Duration::ZERO,
                turn: Duration::ZERO,
                grace: Duration::ZERO,
                keep: Some(Duration::from_secs(KEEP * HOUR)),
                spare: 0,
                memory: u64::MAX,
                policy: Policy::new(Quotas::default()),
            };
            let seconds = Arc::new(AtomicU64::new(0));
            let shown = Arc::clone(&seconds);
            let clock = Box::new(move || Duration::from_secs(shown.load(Ordering::Relaxed)));
            let store = Store::open(root).unwrap();
            let board = Board::open_by(store, settings, Metrics::default(), clock, None).unwrap();
            Self { board, seconds }
        }

        /// Looks once an hour.
        fn run(&self, hours: u64) {
            for _ in 0..hours {
                self.look_after(HOUR);
            }
        }

        fn look_after(&self, seconds: u64) {
            self.seconds.fetch_add(seconds, Ordering::Relaxed);
            self.board.forget_old().unwrap();
        }

        fn jobs(&self) -> Vec<String> {
            let state = self.board.lock();
            let mut jobs: Vec<String> = state
                .jobs
                .values()
                .map(|job| job.record.id.clone())
                .collect();
            jobs.sort();
            jobs
        }
    }

    /// A job that ended at a date.
    fn ended(id: &str, rest: Rest, ended_at: u64) -> JobRecord {
        let text = format!(
            r#"{{"id":"{id}","client":"c","client_name":"alice","request_id":"{id}","name":"n",
            "program":"p","inputs":"i","key":"k","threads":0,"rest":"done","cancelled":false,
            "checkpoint":null,"open_question":null,"questions":0,"error":null,"accepted_at":1,
            "started_at":1,"ended_at":{ended_at},"run_ms":0,"recoveries":0,"instructions":0,
            "nodes":0,"outputs_length":0,"written_length":0}}"#
        );
        let record: JobRecord = serde_json::from_str(&text).unwrap();
        JobRecord { rest, ..record }
    }

    fn with_jobs(root: &Path, jobs: &[JobRecord]) {
        let store = Store::open(root).unwrap();
        for job in jobs {
            store.add_job(job, &Default::default()).unwrap();
        }
    }

    /// Dates of 1970 and of the far future are those of a wall clock that jumped either way.
    #[test]
    fn no_date_ages_a_job() {
        let root = tempfile::tempdir().unwrap();
        let jobs = [
            ended("1", Rest::Failed, 1),
            ended("2", Rest::Cancelled, u64::MAX),
        ];
        with_jobs(root.path(), &jobs);
        let server = Server::start(root.path());
        server.run(KEEP);
        assert_eq!(server.jobs(), ["1", "2"]);
        server.run(1);
        assert_eq!(server.jobs(), [""; 0]);
        assert_eq!(server.board.store.jobs().unwrap(), []);
    }

    #[test]
    fn a_step_of_the_clock_counts_as_an_hour_at_most() {
        let root = tempfile::tempdir().unwrap();
        with_jobs(root.path(), &[ended("1", Rest::Failed, 1)]);
        let server = Server::start(root.path());
        for _ in 0..KEEP {
            server.look_after(1_000_000 * HOUR);
        }
        assert_eq!(server.jobs(), ["1"]);
        // Backwards it does not go, and where it would nothing is counted.
        server.seconds.store(0, Ordering::Relaxed);
        server.board.forget_old().unwrap();
        assert_eq!(server.jobs(), ["1"]);
        server.run(1);
        assert_eq!(server.jobs(), [""; 0]);
    }

    /// Each server's clock begins at zero, and what was counted goes on.
    #[test]
    fn time_goes_on_with_the_next_server() {
        let root = tempfile::tempdir().unwrap();
        with_jobs(root.path(), &[ended("1", Rest::Failed, 1)]);
        for _ in 0..KEEP {
            let server = Server::start(root.path());
            server.run(1);
            assert_eq!(server.jobs(), ["1"]);
        }
        let server = Server::start(root.path());
        assert_eq!(server.jobs(), ["1"]);
        // Half an hour that no look has written down is noted at the end.
        server.seconds.fetch_add(HOUR / 2, Ordering::Relaxed);
        server.board.note_time();
        drop(server);
        let server = Server::start(root.path());
        server.look_after(HOUR / 2);
        assert_eq!(server.jobs(), [""; 0]);
    }

    #[test]
    fn what_nobody_fetched_gets_a_second_look() {
        let root = tempfile::tempdir().unwrap();
        with_jobs(root.path(), &[ended("1", Rest::Done, 1)]);
        let server = Server::start(root.path());
        server.run(1 + KEEP);
        let record = |server: &Server| server.board.store.jobs().unwrap().pop().unwrap();
        assert!(record(&server).unfetched_from.is_some());
        drop(server);
        let server = Server::start(root.path());
        server.run(KEEP - 1);
        assert_eq!(server.jobs(), ["1"]);
        server.run(1);
        assert_eq!(server.jobs(), [""; 0]);
    }

    #[test]
    fn the_time_of_what_was_fetched_begins_anew() {
        let root = tempfile::tempdir().unwrap();
        with_jobs(root.path(), &[ended("1", Rest::Done, 1)]);
        let server = Server::start(root.path());
        server.run(1 + KEEP + KEEP / 2);
        server.board.fetched("1");
        let record = server.board.store.jobs().unwrap().pop().unwrap();
        assert!(record.fetched && record.unfetched_from.is_none());
        server.run(KEEP - 1);
        assert_eq!(server.jobs(), ["1"]);
        server.run(1);
        assert_eq!(server.jobs(), [""; 0]);
    }

    #[test]
    fn a_blob_is_as_old_as_its_last_use() {
        let root = tempfile::tempdir().unwrap();
        let going = ended("1", Rest::Waiting, 0);
        with_jobs(root.path(), std::slice::from_ref(&going));
        let blob: BlobRecord =
            serde_json::from_str(r#"{"kind":1,"length":1,"used_at":1}"#).unwrap();
        let store = Store::open(root.path()).unwrap();
        for hash in ["p", "unused"] {
            store.put_blob("c", hash, &blob).unwrap();
        }
        drop(store);
        let server = Server::start(root.path());
        let there = || ["p", "unused"].map(|hash| server.board.blob("c", hash).is_some());
        server.run(KEEP);
        assert_eq!(there(), [true, true]);
        server.run(1);
        assert_eq!(there(), [true, false]);
        // The job ends: the program's time begins.
        server.board.lock().jobs.remove("1");
        server.run(KEEP);
        assert_eq!(there(), [true, false]);
        server.run(2);
        assert_eq!(there(), [false, false]);
    }

    /// A job that was there when the server started, and ended between two looks.
    #[test]
    fn what_was_in_use_since_the_last_look_is_not_old() {
        let root = tempfile::tempdir().unwrap();
        let going = ended("1", Rest::Waiting, 0);
        with_jobs(root.path(), std::slice::from_ref(&going));
        let blob: BlobRecord =
            serde_json::from_str(r#"{"kind":1,"length":1,"used_at":1,"kept_from":0}"#).unwrap();
        let store = Store::open(root.path()).unwrap();
        store.put_blob("c", "p", &blob).unwrap();
        drop(store);
        let server = Server::start(root.path());
        server.run(KEEP + 1);
        assert!(server.board.blob("c", "p").is_some());
        server.board.lock().jobs.remove("1");
        server.run(KEEP);
        assert!(server.board.blob("c", "p").is_some());
        server.run(1);
        assert!(server.board.blob("c", "p").is_none());
    }

    /// More than are looked at under one lock.
    #[test]
    fn all_that_is_old_goes() {
        let root = tempfile::tempdir().unwrap();
        let jobs: Vec<JobRecord> = (0..2 * REMOVED + 1)
            .map(|id| ended(&format!("{id}"), Rest::Failed, 1))
            .collect();
        with_jobs(root.path(), &jobs);
        let server = Server::start(root.path());
        server.run(KEEP + 1);
        assert_eq!(server.jobs(), [""; 0]);
        assert_eq!(server.board.store.jobs().unwrap(), []);
    }
}
