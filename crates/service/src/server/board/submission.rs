//! Accepting jobs, cancelling them, forgetting them.

use std::sync::MutexGuard;

use prost::Message;
use tonic::Status;
use tonic::metadata::MetadataValue;

use super::entry::{Entry, Stop};
use super::jobs::Ledger;
use super::{Board, State, now, shown, storage};
use crate::proto::{self, BlobKind, ErrorCode};
use crate::server::caller::Caller;
use crate::server::quota::exceeds;
use crate::server::store::{JobRecord, Rest};

/// Longest name of a job, in bytes.
const NAME_LIMIT: usize = 256;
/// Most jobs of one client, ended ones included: each takes memory until it is forgotten.
const JOBS_MOST: usize = 100_000;
/// The key under which a refusal that passes says after how many seconds.
pub(crate) const RETRY: &str = "retry-after";
/// Bytes of a request id.
const REQUEST_BYTES: usize = 16;

/// The parts of a specification that a record holds, checked.
pub(crate) struct Submission {
    pub(crate) request_id: String,
    pub(crate) name: String,
    pub(crate) program: String,
    pub(crate) inputs: String,
    pub(crate) key: String,
    pub(crate) selectors: Option<String>,
    pub(crate) threads: u32,
    pub(crate) instructions: u64,
    /// Whether it is known that it ends within some seconds.
    pub(crate) short: bool,
}

impl Submission {
    /// Checks shapes and sizes.
    pub(crate) fn read(spec: &proto::JobSpec, instructions: u64) -> Result<Self, Status> {
        if spec.request_id.len() != REQUEST_BYTES {
            let found = spec.request_id.len();
            return Err(Status::invalid_argument(format!(
                "request_id has {found} bytes: it takes {REQUEST_BYTES}, at random"
            )));
        }
        if spec.name.len() > NAME_LIMIT || spec.name.chars().any(char::is_control) {
            return Err(Status::invalid_argument(format!(
                "the job's name: at most {NAME_LIMIT} bytes and no control characters"
            )));
        }
        let selectors = match spec.selectors.as_slice() {
            [] => None,
            bytes => Some(hash("selectors", bytes)?),
        };
        Ok(Self {
            request_id: hexadecimal(&spec.request_id),
            name: spec.name.clone(),
            program: hash("program", &spec.program)?,
            inputs: hash("inputs", &spec.inputs)?,
            key: hash("key", &spec.key)?,
            selectors,
            threads: spec.threads,
            instructions,
            short: false,
        })
    }
}

/// BLAKE3 in hexadecimal.
pub(crate) fn hash(field: &str, bytes: &[u8]) -> Result<String, Status> {
    if bytes.len() == 32 {
        return Ok(hexadecimal(bytes));
    }
    Err(Status::invalid_argument(format!(
        "{field}: a BLAKE3 hash has 32 bytes, not {}",
        bytes.len()
    )))
}

pub(crate) fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl Board {
    /// The job that a request made before, if any.
    pub(crate) fn repeated(
        &self,
        caller: &Caller,
        request: &str,
    ) -> Result<Option<String>, Status> {
        self.store.request(&caller.id, request).map_err(storage)
    }

    /// Accepts a job whose specification has been checked; gives its id, and whether the same
    /// request made it before.
    pub(crate) fn submit(
        &self,
        caller: &Caller,
        submission: Submission,
        spec: &proto::JobSpec,
    ) -> Result<(String, bool), Status> {
        let mut state = self.lock();
        // A client that was refused meanwhile has had its jobs cancelled under this lock.
        self.settings.policy.again(caller)?;
        if let Some(id) = self.repeated(caller, &submission.request_id)? {
            let earlier = self.store.spec(&id).map_err(storage)?;
            if earlier.is_none_or(|earlier| earlier != *spec) {
                return Err(Status::already_exists(format!(
                    "request_id was used for another job ({id}): take another one"
                )));
            }
            if self.find_again(&mut state, &id)? {
                return Ok((id, true));
            }
            // Its record is lost: the request makes another job.
        }
        self.takes_another(&state, caller)?;
        let quota = caller.quota;
        if exceeds(submission.instructions, quota.instructions) {
            return Err(Status::resource_exhausted(format!(
                "the job may execute {} instructions, the client's quota is {}: lower \
                 --max-instructions",
                submission.instructions, quota.instructions
            )));
        }
        // What it has in the clear stands in the database, and takes room as files do.
        let length = spec.encoded_len() as u64;
        let stored = state.stored(&caller.id);
        if exceeds(stored.saturating_add(length), quota.bytes) {
            return Err(Status::resource_exhausted(format!(
                "{length} bytes of a job beside the {stored} that this client has stored exceed its \
                 quota of {}: forget jobs and blobs that are no longer needed",
                quota.bytes
            )));
        }
        self.check_disk(&state, length)?;
        let always = [
            ("program", &submission.program, BlobKind::Program),
            ("inputs", &submission.inputs, BlobKind::Inputs),
            ("key", &submission.key, BlobKind::ServerKey),
        ];
        let selectors = submission.selectors.iter();
        let selectors = selectors.map(|blob| ("selectors", blob, BlobKind::SelectorKey));
        for (what, blob, kind) in always.into_iter().chain(selectors) {
            self.use_blob(&mut state, caller, what, blob, kind)?;
        }
        let id = new_id()?;
        let record = JobRecord {
            id: id.clone(),
            client: caller.id.clone(),
            client_name: caller.name.clone(),
            request_id: submission.request_id,
            name: submission.name,
            program: submission.program,
            inputs: submission.inputs,
            key: submission.key,
            selectors: submission.selectors,
            threads: submission.threads,
            short: submission.short,
            accepted_at: now(),
            record_bytes: length,
            ..JobRecord::default()
        };
        self.store.add_job(&record, spec).map_err(storage)?;
        state.jobs.insert(Entry::new(record));
        drop(state);
        self.metrics.accepted();
        tracing::info!(job = %id, client = %caller.name, "job accepted");
        self.announce();
        Ok((id, false))
    }

    /// Whether a client may have another job.
    pub(crate) fn check_jobs(&self, caller: &Caller) -> Result<(), Status> {
        self.takes_another(&self.lock(), caller)
    }

    fn takes_another(&self, state: &State, caller: &Caller) -> Result<(), Status> {
        self.refuses_more(state)?;
        let mine = state.jobs.ledger(&caller.id);
        let kept = mine.map_or(0, Ledger::kept);
        let unfinished = mine.map_or(0, Ledger::unfinished) as u64;
        if kept >= JOBS_MOST {
            return Err(Status::resource_exhausted(format!(
                "{kept} jobs of this client are kept, ended ones included, which is as many as there \
                 may be: forget some (`blindcore cancel --forget JOB`)"
            )));
        }
        if exceeds(unfinished + 1, caller.quota.jobs) {
            return Err(passing(Status::resource_exhausted(format!(
                "{unfinished} jobs of this client have not ended, its quota is {}: wait for one, or \
                 cancel one",
                caller.quota.jobs
            ))));
        }
        Ok(())
    }

    /// A job that the disk took although it said that it failed is taken up when its client asks
    /// again. Whether there is such a job.
    fn find_again(&self, state: &mut State, id: &str) -> Result<bool, Status> {
        if state.jobs.get(id).is_some() {
            return Ok(true);
        }
        let Some(record) = self.store.job(id).map_err(storage)? else {
            return Ok(false);
        };
        tracing::info!(job = %id, client = %record.client_name, "job accepted after all");
        state.jobs.insert(Entry::new(record));
        self.metrics.accepted();
        self.announce();
        Ok(true)
    }

    /// Wants a job to end. A running one ends within a second.
    pub(crate) fn cancel(&self, caller: &Caller, id: &str) -> Result<(), Status> {
        let state = self.lock();
        let entry = state.own(&caller.id, id)?;
        let ending = ending(entry, Canceller::Client);
        self.cancel_one(state, ending, &caller.name)
    }

    /// The same of anybody's job, for an administrator of this name.
    pub(crate) fn cancel_any(&self, id: &str, by: &str) -> Result<(), Status> {
        let state = self.lock();
        let entry = state.any(id)?;
        let ending = ending(entry, Canceller::Administrator);
        self.cancel_one(state, ending, by)
    }

    /// Ends a job, unless it has ended.
    fn cancel_one(
        &self,
        mut state: MutexGuard<'_, State>,
        ending: Option<(JobRecord, Vec<String>)>,
        by: &str,
    ) -> Result<(), Status> {
        let Some((record, files)) = ending else {
            return Ok(());
        };
        let id = record.id.clone();
        self.store.put_job(&record).map_err(storage)?;
        self.end_job(&mut state, record, by);
        drop(state);
        self.remove_files(&id, &files);
        self.announce();
        Ok(())
    }

    /// Ends every job of a client that has not ended, for an administrator of this name; how many.
    pub(crate) fn cancel_all(&self, client: &str, by: &str) -> Result<usize, Status> {
        let mut state = self.lock();
        let open = state.jobs.open_of(client);
        let open = open.filter(|entry| !entry.record.cancelled);
        let ends = open.filter_map(|entry| ending(entry, Canceller::Administrator));
        let ends: Vec<(JobRecord, Vec<String>)> = ends.collect();
        let records: Vec<JobRecord> = ends.iter().map(|(record, _)| record.clone()).collect();
        // One transaction: the lock is held while the disk takes it.
        self.store.put_jobs(&records).map_err(storage)?;
        for record in records {
            self.end_job(&mut state, record, by);
        }
        drop(state);
        for (record, files) in &ends {
            self.remove_files(&record.id, files);
        }
        self.announce();
        Ok(ends.len())
    }

    /// Has a job end whose record says so on the disk.
    fn end_job(&self, state: &mut State, record: JobRecord, by: &str) {
        let Some(mut entry) = state.jobs.get_mut(&record.id) else {
            return;
        };
        let administrator = record.by_administrator;
        tracing::info!(job = %record.id, %by, administrator, "job is to end");
        entry.record = record;
        match entry.live.as_mut() {
            Some(live) => live.end(Stop::Cancelled),
            None => self.metrics.ended(Rest::Cancelled),
        }
    }

    /// Removes jobs that have ended and blobs that none needs; gives the bytes that are free again.
    pub(crate) fn forget(
        &self,
        caller: &Caller,
        jobs: &[String],
        blobs: &[String],
    ) -> Result<u64, Status> {
        let mut state = self.lock();
        let before = state.stored(&caller.id);
        for id in jobs {
            let entry = state.own(&caller.id, id)?;
            if entry.live.is_some() || !entry.record.rest.is_end() {
                return Err(Status::failed_precondition(format!(
                    "job {} has not ended: cancel it first",
                    shown(id)
                )));
            }
            let record = entry.record.clone();
            self.store.remove_job(&record).map_err(storage)?;
            state.jobs.remove(id);
            tracing::info!(job = %id, client = %caller.name, "job forgotten");
        }
        for hash in blobs {
            let key = (caller.id.clone(), hash.clone());
            if state.blobs.get(&key).is_none() {
                return Err(Status::not_found(format!("no blob {hash} of this client")));
            }
            if state.jobs.uses(&key) {
                return Err(Status::failed_precondition(format!(
                    "blob {hash} is needed by a job that has not ended"
                )));
            }
            self.store.remove_blob(&caller.id, hash).map_err(storage)?;
            state.blobs.remove(&key);
            state.jobs.settle(&key);
        }
        Ok(before.saturating_sub(state.stored(&caller.id)))
    }
}

/// Who cancels a job.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Canceller {
    Client,
    Administrator,
}

/// What a job's client is told that did not cancel it itself.
pub(super) fn by_administrator(record: &JobRecord) -> Option<(i32, String)> {
    let is_so = record.rest == Rest::Cancelled && record.by_administrator;
    let message = "an administrator of the server cancelled the job: ask the server's operator why";
    is_so.then(|| (ErrorCode::Administrator as i32, message.to_owned()))
}

/// The record of a job that is to end, and the files that it needs no more; `None` of one that has
/// ended.
fn ending(entry: &Entry, by: Canceller) -> Option<(JobRecord, Vec<String>)> {
    if entry.record.rest.is_end() {
        return None;
    }
    let mut record = entry.record.clone();
    // The first one counts.
    if !record.cancelled {
        record.by_administrator = by == Canceller::Administrator;
    }
    record.cancelled = true;
    let mut files = Vec::new();
    if entry.live.is_none() {
        record.rest = Rest::Cancelled;
        record.error = by_administrator(&record);
        record.ended_at = now();
        record.open_question = None;
        files = record.drop_checkpoints();
    }
    Some((record, files))
}

/// Marks a refusal that passes by itself.
pub(crate) fn passing(mut status: Status) -> Status {
    let seconds = MetadataValue::from_static("5");
    status.metadata_mut().insert(RETRY, seconds);
    status
}

/// Nobody guesses an id, though an id alone opens nothing.
fn new_id() -> Result<String, Status> {
    let mut bytes = [0; 16];
    getrandom::fill(&mut bytes).map_err(|error| {
        Status::internal(format!("the system gives no random numbers: {error}"))
    })?;
    Ok(hexadecimal(&bytes))
}
