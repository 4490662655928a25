//! The board: every job and blob, in memory as on disk. All changes of state go through it, and
//! each is in the database before anybody hears of it.
//!
//! One lock guards the picture in memory and the order of transactions; it is held while a
//! transaction is synchronised, some milliseconds. Threads that run jobs wait on it for work and
//! for answers; who serves clients follows [`Board::events`].

mod administration;
mod blobs;
mod entry;
mod jobs;
pub(in crate::server) mod keeping;
mod kept;
mod machine;
mod plans;
mod questions;
mod queue;
mod shares;
mod submission;
mod view;

pub(crate) use administration::JobFilter;
pub(crate) use blobs::{NoRoom, lacking};
pub(crate) use entry::{End, Pause, Reached};
pub(super) use machine::memory as machine_memory;
pub(crate) use plans::Plans;
pub(crate) use questions::{Ask, refusal};
pub(crate) use queue::{Assignment, RESTING};
pub(crate) use submission::{RETRY, Submission, hash, hexadecimal, passing};
pub(crate) use view::is_end;

use std::collections::{HashMap, HashSet};
use std::num::NonZeroUsize;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use tokio::sync::watch;
use tonic::Status;

use super::metrics::Metrics;
use super::policy::Policy;
use super::store::{JobRecord, Rest, Store, StoreError};
use crate::proto::ErrorCode;
use entry::{Entry, Stop};
use jobs::{BlobName, Jobs};
use keeping::Meter;
use kept::Blobs;
use shares::Shares;

/// How often a server may end without knowing it while it runs a job, with no checkpoint between:
/// the job might be what ends it.
pub(crate) const CRASHES_MOST: u32 = 10;
/// How often, if the system killed a process for want of memory meanwhile.
pub(crate) const KILLS_MOST: u32 = 2;
/// How often storage is tried after it failed.
const PROBE: Duration = Duration::from_secs(1);

/// How the server shares its machine.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    /// Jobs at once.
    pub(crate) jobs: NonZeroUsize,
    /// Threads of all of them.
    pub(crate) threads: NonZeroUsize,
    /// How long a job runs before others may have its place.
    pub(crate) slice: Duration,
    /// How long it goes on while others wait; resting costs it nothing.
    pub(crate) turn: Duration,
    /// How long it holds its place while it waits for an answer.
    pub(crate) grace: Duration,
    /// Age at which what has ended is removed, in time that servers run; `None` never.
    pub(crate) keep: Option<Duration>,
    /// Bytes of the disk that stay free: uploads and jobs that would take more are refused.
    pub(crate) spare: u64,
    /// Bytes of memory that one job may take.
    pub(crate) memory: u64,
    pub(crate) policy: Arc<Policy>,
}

impl Settings {
    /// Threads of a job whose client wishes for so many; 0 leaves it to the server.
    pub(crate) fn share(&self, wish: u32) -> NonZeroUsize {
        let share = (self.threads.get() / self.jobs.get()).max(1);
        let threads = match wish as usize {
            0 => share,
            wish => wish.min(share),
        };
        NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN)
    }
}

/// See the module.
pub(crate) struct Board {
    pub(crate) store: Store,
    pub(crate) settings: Settings,
    pub(crate) metrics: Metrics,
    pub(crate) plans: Plans,
    state: Mutex<State>,
    meter: Meter,
    /// Told when there may be work, or an answer, or an end.
    changed: Condvar,
    events: watch::Sender<u64>,
}

#[derive(Default)]
struct State {
    jobs: Jobs,
    blobs: Blobs,
    /// Bytes of blobs on their way, by client.
    reserved: HashMap<String, u64>,
    shares: Shares,
    /// Jobs whose records the disk has not taken yet.
    unsaved: HashSet<String>,
    /// When storage was tried last.
    probed: Option<Instant>,
    /// No more jobs are taken, and none begins to run.
    draining: bool,
    /// Whether that is for good: the threads that run jobs leave.
    ending: bool,
    stopped: bool,
}

impl Board {
    /// The board of a store: what ran when the last server ended is queued.
    pub(crate) fn open(
        store: Store,
        settings: Settings,
        metrics: Metrics,
    ) -> Result<Self, StoreError> {
        Self::open_by(
            store,
            settings,
            metrics,
            keeping::monotonic(),
            machine::kills(),
        )
    }

    /// The same, where another clock tells how long things have been kept, and so many processes
    /// have been killed for want of memory, as far as the system says.
    pub(crate) fn open_by(
        store: Store,
        settings: Settings,
        metrics: Metrics,
        clock: keeping::Clock,
        kills: Option<u64>,
    ) -> Result<Self, StoreError> {
        let meter = Meter::new(store.meter()?, clock);
        let mut state = State::default();
        let plans = Plans::default();
        for blob in store.blobs()? {
            let name: BlobName = (blob.client, blob.hash);
            state.blobs.insert(name, blob.record);
        }
        for mut record in store.jobs()? {
            if record.cancelled && !record.rest.is_end() {
                record.rest = Rest::Cancelled;
                record.error = submission::by_administrator(&record);
                record.ended_at = now();
                store.put_job(&record)?;
            }
            if std::mem::take(&mut record.running) {
                record.crashes += 1;
                let met = record
                    .kills
                    .zip(kills)
                    .is_some_and(|(then, now)| now > then);
                record.kills_met += u32::from(met);
            }
            let hopeless = record.crashes >= CRASHES_MOST || record.kills_met >= KILLS_MOST;
            if hopeless && !record.rest.is_end() {
                give_up(&store, &mut record)?;
                metrics.ended(Rest::Failed);
            }
            if record.rest == Rest::Queued && record.started_at != 0 {
                record.recoveries += 1;
                store.put_job(&record)?;
                tracing::info!(job = %record.id, checkpoint = record.checkpoint.is_some(), "job goes on");
            }
            if let Some(plan) = &record.plan {
                plans.keep(plan.clone());
            }
            store.make_copies(&record)?;
            state.jobs.insert(Entry::new(record));
        }
        let (events, _) = watch::channel(0);
        Ok(Self {
            store,
            settings,
            metrics,
            plans,
            state: Mutex::new(state),
            meter,
            changed: Condvar::new(),
            events,
        })
    }

    /// A number that changes whenever the board does, for those that show it.
    pub(crate) fn events(&self) -> watch::Receiver<u64> {
        self.events.subscribe()
    }

    /// Takes no more jobs, and has running ones stop at their next checkpoint, before the server
    /// ends.
    pub(crate) fn drain(&self) {
        self.lock().ending = true;
        self.pause();
    }

    /// The same for as long as nobody resumes: the server goes on answering.
    pub(crate) fn pause(&self) {
        let mut state = self.lock();
        state.draining = true;
        // One that rests would come to no checkpoint.
        state.jobs.each_live(|_, live| {
            if !live.is_active() {
                live.end(Stop::Drain);
            }
        });
        drop(state);
        self.announce();
    }

    /// Takes jobs again, and runs them; whether that was possible.
    pub(crate) fn resume(&self) -> bool {
        let mut state = self.lock();
        if state.ending {
            return false;
        }
        state.draining = false;
        drop(state);
        self.announce();
        true
    }

    /// What decides about clients has changed: who follows jobs looks again.
    pub(crate) fn policy_changed(&self) {
        self.announce();
    }

    /// Has running jobs stop now; what they did since their last checkpoint is lost.
    pub(crate) fn stop(&self) {
        let mut state = self.lock();
        state.draining = true;
        state.ending = true;
        state.stopped = true;
        state.jobs.each_live(|_, live| live.end(Stop::Drain));
        drop(state);
        self.announce();
    }

    /// Whether no more jobs are taken.
    pub(crate) fn is_draining(&self) -> bool {
        self.lock().draining
    }

    /// Why no more jobs are taken, as a refusal that passes.
    fn refuses_more(&self, state: &State) -> Result<(), Status> {
        let text = match (state.draining, state.ending) {
            (false, _) => return Ok(()),
            (true, true) => {
                "the server is stopping: try again, with the same request_id, when it is back"
            }
            (true, false) => {
                "the server takes nothing new at the moment, its operator drains it: try again later"
            }
        };
        Err(Status::unavailable(text))
    }

    /// Whether nothing goes on any more.
    pub(crate) fn is_stopped(&self) -> bool {
        self.lock().stopped
    }

    /// Whether a job runs now.
    pub(crate) fn is_busy(&self) -> bool {
        self.lock().jobs.begun() > 0
    }

    /// Looks after time: quotas on it, rates, old things. To be called a few times a second.
    pub(crate) fn tick(&self) {
        let mut state = self.lock();
        let (mut moving, mut stopped) = (false, false);
        state.jobs.each_live(|record, live| {
            moving = true;
            live.measure();
            let run = record.run_ms / 1000 + live.ran().as_secs();
            if let Some(reason) = live.exceeded(run) {
                live.end(Stop::Quota(reason));
                stopped = true;
            }
        });
        state.charge(Instant::now());
        state.call_turns(self);
        if !state.unsaved.is_empty() || self.store.trouble().is_some() {
            let due = state.probed.is_none_or(|probed| probed.elapsed() > PROBE);
            if due {
                state.probed = Some(Instant::now());
                self.save_again(&mut state);
                self.store.probe();
            }
        }
        // Somebody's pause may be over; one that rests learns only so that it was ended.
        if stopped || state.is_waited_for(self) {
            self.changed.notify_all();
        }
        self.metrics.observe(&state.census());
        drop(state);
        let revoked = self.settings.policy.now().revocations().len();
        self.metrics.revoked(revoked);
        if moving {
            self.events.send_modify(|event| *event += 1);
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        // A panic under the lock is a defect that has been reported; the picture is still that of
        // the last transaction, since memory changes after it.
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something changed: workers and watchers look again.
    fn announce(&self) {
        self.changed.notify_all();
        self.events.send_modify(|event| *event += 1);
    }
}

/// How many jobs are in which state, and what is stored.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Census {
    pub(crate) queued: u64,
    pub(crate) running: u64,
    pub(crate) waiting: u64,
    pub(crate) bytes: u64,
    pub(crate) nodes_per_second: f64,
}

impl State {
    fn census(&self) -> Census {
        let (queued, waiting) = self.jobs.idle();
        Census {
            queued,
            running: self.jobs.begun() as u64,
            waiting,
            bytes: self.jobs.bytes() + self.blobs.bytes(),
            nodes_per_second: self.jobs.lives().map(|(_, live)| live.rate).sum(),
        }
    }

    /// What a client has stored, blobs on their way included.
    fn stored(&self, client: &str) -> u64 {
        let jobs = self.jobs.ledger(client).map_or(0, |jobs| jobs.stored);
        let reserved = self.reserved.get(client).copied().unwrap_or(0);
        self.blobs.bytes_of(client) + jobs + reserved
    }

    /// Anybody's job, for administrators.
    fn any(&self, id: &str) -> Result<&Entry, Status> {
        self.jobs.get(id).ok_or_else(|| {
            Status::not_found(format!(
                "no job {} of any client: `blindcore jobs --all` lists them",
                shown(id)
            ))
        })
    }

    /// A client's own job; another's is as unknown as none.
    fn own(&self, client: &str, id: &str) -> Result<&Entry, Status> {
        match self.jobs.get(id) {
            Some(entry) if entry.record.client == client => Ok(entry),
            _ => Err(Status::not_found(format!(
                "no job {} of this client: `blindcore jobs` lists them",
                shown(id)
            ))),
        }
    }
}

/// What a client sent as an id, fit for a message.
fn shown(id: &str) -> String {
    let plain = id.chars().filter(char::is_ascii_alphanumeric);
    plain.take(32).collect()
}

/// Ends a job that was running whenever the server was killed.
fn give_up(store: &Store, record: &mut JobRecord) -> Result<(), StoreError> {
    record.rest = Rest::Failed;
    record.ended_at = now();
    record.open_question = None;
    let (times, why) = match record.kills_met {
        KILLS_MOST.. => (
            record.kills_met,
            ", and the system killed processes for want of memory",
        ),
        _ => (record.crashes, ""),
    };
    let message = format!(
        "the server ended {times} times while it ran this job, without another checkpoint{why}: submit it \
         with a smaller --window, and tell the server's operator"
    );
    record.error = Some((ErrorCode::Internal as i32, message));
    let files = record.drop_checkpoints();
    store.put_job(record)?;
    tracing::error!(job = %record.id, crashes = record.crashes, "job given up");
    files
        .iter()
        .try_for_each(|name| store.remove_file(&store.job_path(&record.id, name)))
}

/// A failure of the store, as a client hears of it; the log has the details.
pub(crate) fn storage(error: StoreError) -> Status {
    tracing::error!(%error, "storage failed");
    match error.is_transient() {
        true => passing(Status::unavailable(
            "the server's storage fails at the moment: try again, or ask its operator to look into its log",
        )),
        false => {
            Status::internal("the server's storage failed: ask its operator to look into its log")
        }
    }
}

/// Milliseconds since 1970.
pub(crate) fn now() -> u64 {
    let since = SystemTime::now().duration_since(UNIX_EPOCH);
    since.map_or(0, |since| since.as_millis() as u64)
}
