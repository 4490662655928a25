//! Blobs: whose they are, how much room they take.

use std::collections::HashSet;
use std::path::PathBuf;
use std::sync::Arc;

use tempfile::NamedTempFile;
use tonic::Status;

use super::{Board, State, now, passing, storage};
use crate::proto::BlobKind;
use crate::server::caller::Caller;
use crate::server::quota::exceeds;
use crate::server::store::BlobRecord;

/// Room for a blob that is on its way; given back when dropped.
pub(crate) struct Reservation {
    board: Arc<Board>,
    client: String,
    bytes: u64,
}

impl Drop for Reservation {
    fn drop(&mut self) {
        let mut state = self.board.lock();
        if let Some(reserved) = state.reserved.get_mut(&self.client) {
            *reserved = reserved.saturating_sub(self.bytes);
        }
    }
}

impl Board {
    /// A client's own blob.
    pub(crate) fn blob(&self, client: &str, hash: &str) -> Option<BlobRecord> {
        let key = (client.to_owned(), hash.to_owned());
        self.lock().blobs.get(&key).cloned()
    }

    /// Clients and keys of the jobs that have not ended, each once, those of the oldest job first.
    pub(crate) fn open_keys(&self) -> Vec<(String, String)> {
        let state = self.lock();
        let jobs = state.jobs.values().map(|entry| &entry.record);
        let mut open: Vec<_> = jobs.filter(|job| !job.rest.is_end()).collect();
        open.sort_by_key(|job| job.accepted_at);
        let mut met = HashSet::new();
        let keys = open.iter().map(|job| (job.client.clone(), job.key.clone()));
        keys.filter(|key| met.insert(key.clone())).collect()
    }

    /// Whether a job that has not ended names a blob.
    pub(crate) fn is_used(&self, client: &str, hash: &str) -> bool {
        let name = (client.to_owned(), hash.to_owned());
        self.lock().jobs.uses(&name)
    }

    /// The file of a client's own blob of this kind.
    pub(crate) fn blob_file(
        &self,
        caller: &Caller,
        what: &str,
        hash: &str,
        kind: BlobKind,
    ) -> Result<PathBuf, Status> {
        match self.blob(&caller.id, hash) {
            None => Err(lacking(what, hash)),
            Some(blob) if blob.kind != kind as i32 => Err(other_kind(what, hash)),
            Some(_) => Ok(self.store.blob_path(&caller.id, hash)),
        }
    }

    /// Makes room for a blob before its first byte is written.
    pub(crate) fn reserve(
        self: &Arc<Self>,
        caller: &Caller,
        bytes: u64,
    ) -> Result<Reservation, Status> {
        let mut state = self.lock();
        self.refuses_more(&state)?;
        let stored = state.stored(&caller.id);
        if exceeds(stored.saturating_add(bytes), caller.quota.bytes) {
            return Err(Status::resource_exhausted(format!(
                "{bytes} bytes beside the {stored} that this client has stored exceed its quota of \
                 {}: forget jobs and blobs that are no longer needed",
                caller.quota.bytes
            )));
        }
        self.check_disk(&state, bytes)?;
        *state.reserved.entry(caller.id.clone()).or_default() += bytes;
        Ok(Reservation {
            board: Arc::clone(self),
            client: caller.id.clone(),
            bytes,
        })
    }

    /// Keeps a blob that has been checked.
    pub(crate) fn keep_blob(
        &self,
        caller: &Caller,
        hash: &str,
        file: NamedTempFile,
        kind: BlobKind,
        length: u64,
    ) -> Result<(), Status> {
        let record = BlobRecord {
            kind: kind as i32,
            length,
            used_at: now(),
            kept_from: None,
        };
        // A large file takes its time to reach the disk: not while everybody waits.
        self.store.synchronise(&file).map_err(storage)?;
        let mut state = self.lock();
        self.settings.policy.again(caller)?;
        self.store
            .keep_blob(&caller.id, hash, file, &record)
            .map_err(storage)?;
        let key = (caller.id.clone(), hash.to_owned());
        state.blobs.insert(key, record);
        self.metrics.uploaded(length);
        tracing::info!(client = %caller.name, blob = %hash, kind = ?kind, length, "blob kept");
        Ok(())
    }

    /// A blob that a job names: it must be the client's, and of the right kind.
    pub(super) fn use_blob(
        &self,
        state: &mut State,
        caller: &Caller,
        what: &str,
        hash: &str,
        kind: BlobKind,
    ) -> Result<(), Status> {
        let key = (caller.id.clone(), hash.to_owned());
        let Some(known) = state.blobs.get(&key) else {
            return Err(lacking(what, hash));
        };
        if known.kind != kind as i32 {
            return Err(other_kind(what, hash));
        }
        let record = BlobRecord {
            used_at: now(),
            kept_from: None,
            ..known.clone()
        };
        let kept = self.store.put_blob(&caller.id, hash, &record);
        kept.map_err(storage)?;
        state.blobs.insert(key, record);
        Ok(())
    }

    /// Whether the disk has room for so many bytes, uploads on their way and what stays free counted.
    pub(super) fn check_disk(&self, state: &State, bytes: u64) -> Result<(), Status> {
        let coming = state.reserved.values().sum();
        match self.lacks_disk(coming, bytes) {
            None => Ok(()),
            Some(reason) => Err(passing(Status::unavailable(format!(
                "{reason}: try again later, or tell the server's operator"
            )))),
        }
    }

    /// What is only announced takes no room from jobs: an upload may never come.
    fn lacks_disk(&self, coming: u64, bytes: u64) -> Option<String> {
        let spare = self.settings.spare;
        let free = self.store.free().filter(|_| spare > 0)?;
        let wanted = spare.saturating_add(coming).saturating_add(bytes);
        (free < wanted).then(|| {
            format!(
                "the server's disk has {free} bytes left, {spare} of them stay free and {coming} are \
                 spoken for: no room for {bytes}"
            )
        })
    }

    /// What the disk lacks now, for those who watch over the server.
    pub(crate) fn full_disk(&self) -> Option<String> {
        self.lacks_disk(0, 0)
    }

    /// Room for what a job leaves.
    pub(crate) fn check_room(&self, client: &str, name: &str, bytes: u64) -> Result<(), NoRoom> {
        let quota = self.settings.policy.now().limits(name, client);
        if let Some(reason) = self.lacks_disk(0, bytes) {
            return Err(NoRoom::Disk(reason));
        }
        let stored = self.lock().stored(client);
        if exceeds(stored.saturating_add(bytes), quota.bytes) {
            return Err(NoRoom::Quota(format!(
                "{bytes} bytes of a checkpoint, a question or outputs beside the {stored} that this client has \
                 stored exceed its quota of {}: forget jobs and blobs that are no longer needed, then \
                 submit again",
                quota.bytes
            )));
        }
        Ok(())
    }
}

/// Why there is no room for what a job leaves.
pub(crate) enum NoRoom {
    /// The client's quota is used up: what exceeds it.
    Quota(String),
    /// The disk is full; that may pass.
    Disk(String),
}

fn other_kind(what: &str, hash: &str) -> Status {
    Status::failed_precondition(format!(
        "{what}: blob {hash} was uploaded as another kind of file"
    ))
}

/// A blob that is not there, or is somebody else's: the answer is the same.
pub(crate) fn lacking(what: &str, hash: &str) -> Status {
    Status::failed_precondition(format!(
        "{what}: the server has no blob {hash} of this client: upload it first"
    ))
}
