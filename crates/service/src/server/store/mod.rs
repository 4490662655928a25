//! What the server keeps: a database of small records, and files beside it.
//!
//! | path | what |
//! |---|---|
//! | `lock` | held by the one server that uses the directory |
//! | `jobs.redb` | records of blobs, jobs, questions, answers |
//! | `blobs/CLIENT/HASH` | programs, inputs, server keys, selector keys, by the client that uploaded them |
//! | `jobs/ID/checkpoint-N`, `outputs`, `written` | what a job left so far |
//! | `jobs/ID/record`, `spec` | copies of what the database has of it, for [`repair`] |
//! | `revoked` | certificates that are refused for good |
//! | `temporary/` | files on their way |
//! | `lost/`, `jobs.redb.damaged-TIME` | what [`repair`] set aside |
//!
//! A file is written under `temporary`, synchronised, renamed, its directory synchronised; then
//! comes the transaction that names it. So a crash at any moment leaves at most files that no
//! record names, and [`Store::open`] removes those.

mod backup;
mod database;
mod files;
mod picture;
mod record;
mod records;
mod removals;
pub(in crate::server) mod repair;
mod revoked;
mod space;
mod trouble;

pub(crate) use backup::{PARTIAL, remove_partial};
pub(crate) use revoked::{Revocation, Revocations};

pub(crate) use record::{
    BlobRecord, CheckpointRecord, JobRecord, OUTPUTS, PlanRecord, RECORD_COPY, Rest, SPEC_COPY,
    WRITTEN, checkpoint_file,
};

use std::collections::HashSet;
use std::fs::{self, File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use records::Records;
use removals::Removals;
use tempfile::NamedTempFile;
use trouble::Trouble;
use wire::WireError;

/// The folder of files on their way.
const TEMPORARY: &str = "temporary";
/// The database's file.
const DATABASE: &str = "jobs.redb";
/// What is written to see whether the disk takes anything.
const PROBE_BYTES: usize = 1 << 16;

/// Why the store failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum StoreError {
    /// The operating system refused.
    #[error("{operation} {path}: {source}", path = path.display())]
    Io {
        /// What was done.
        operation: &'static str,
        /// To which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
    /// Another server has the directory.
    #[error("{path} is in use by another server: stop that one, or take another --dir", path = path.display())]
    Locked {
        /// The directory.
        path: PathBuf,
    },
    /// The database failed.
    #[error("the database failed while {operation}: {source}{}", way_out(source))]
    Database {
        /// What was done.
        operation: &'static str,
        /// What it said.
        source: Box<redb::Error>,
    },
    /// The list of revoked certificates cannot be read: nobody is let in by guessing.
    #[error(
        "{path}: {reason}: it says which certificates are refused; mend it, or remove it and revoke them again",
        path = path.display()
    )]
    Revoked {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// A record that cannot be read: damage, or a newer server's.
    #[error("the record of {what} cannot be read: {reason}{WAY_OUT}")]
    Record {
        /// Of what.
        what: String,
        /// Why.
        reason: String,
    },
    /// A backup could not be made.
    #[error("backup: {path}: {reason}", path = path.display())]
    Backup {
        /// The directory that it was to be made in, or a file of it.
        path: PathBuf,
        /// Why, and what to do.
        reason: String,
    },
}

/// What to do about damage.
const WAY_OUT: &str =
    ": `blindcore serve --dir DIR --check` says what is damaged, `--repair` mends it";

/// Said of what trying again does not mend.
fn way_out(source: &redb::Error) -> &'static str {
    match source {
        redb::Error::Corrupted(_) => WAY_OUT,
        _ => "",
    }
}

impl StoreError {
    /// Whether it may be gone in a moment: a full disk, a failing one, too many open files. What
    /// is damaged or lost stays so.
    pub(crate) fn is_transient(&self) -> bool {
        match self {
            Self::Io { source, .. } => is_transient(source.kind()),
            Self::Database { source, .. } => match &**source {
                redb::Error::Io(source) => is_transient(source.kind()),
                redb::Error::PreviousIo => true,
                _ => false,
            },
            Self::Locked { .. }
            | Self::Revoked { .. }
            | Self::Record { .. }
            | Self::Backup { .. } => false,
        }
    }

    fn io(operation: &'static str, path: &Path, source: io::Error) -> Self {
        Self::Io {
            operation,
            path: path.to_path_buf(),
            source,
        }
    }

    fn database(operation: &'static str, source: impl Into<redb::Error>) -> Self {
        Self::Database {
            operation,
            source: Box::new(source.into()),
        }
    }
}

/// Whether an error of a file may be gone in a moment.
pub(crate) fn is_transient(error: io::ErrorKind) -> bool {
    use io::ErrorKind::{InvalidData, NotFound, UnexpectedEof};
    !matches!(error, NotFound | UnexpectedEof | InvalidData)
}

/// A directory that is this server's.
pub(crate) struct Store {
    root: PathBuf,
    records: Records,
    removals: Removals,
    /// Where another copy of the revocations is kept; locked while they change.
    second: Mutex<Option<PathBuf>>,
    /// What the disk said last, if it failed.
    trouble: Trouble,
    /// The lock lives as long as the file is open.
    _lock: File,
}

impl Store {
    /// Takes a directory over, and removes what a crash left there.
    pub(crate) fn open(root: &Path) -> Result<Self, StoreError> {
        let store = Self::take(root)?;
        store.sweep()?;
        Ok(store)
    }

    /// Takes a directory over, with all that lies there.
    fn take(root: &Path) -> Result<Self, StoreError> {
        for directory in [root.to_path_buf(), root.join("blobs"), root.join("jobs")] {
            files::make_directory(&directory)?;
        }
        let lock = lock(root)?;
        files::make_directory(&root.join(TEMPORARY))?;
        let store = Self {
            root: root.to_path_buf(),
            records: Records::open(&root.join(DATABASE))?,
            removals: Removals::default(),
            second: Mutex::default(),
            trouble: Trouble::default(),
            _lock: lock,
        };
        store.make_tables()?;
        Ok(store)
    }

    /// What the disk said last, if it fails.
    pub(crate) fn trouble(&self) -> Option<String> {
        self.trouble.last()
    }

    /// Tries, after an error of the disk, whether it can be written again.
    pub(crate) fn probe(&self) {
        if self.trouble().is_none() {
            return;
        }
        let written = self.temporary().and_then(|mut file| {
            use io::Write;
            let filled = file.write_all(&[0; PROBE_BYTES]);
            filled.map_err(|error| StoreError::io("write", file.path(), error))?;
            self.synchronise(&file)
        });
        if written.and_then(|()| self.touch()).is_ok() {
            self.trouble.over();
            tracing::info!("the disk can be written");
        }
    }

    /// Bytes that the disk has left for this server, if the system says.
    pub(crate) fn free(&self) -> Option<u64> {
        space::free(&self.root)
    }

    /// Notes an error of one of the store's files that somebody else met.
    pub(crate) fn met(&self, error: &dyn std::fmt::Display) {
        self.trouble.note(error);
    }

    /// Keeps a second copy of a record beside the job's files. It is of use only when the database
    /// is lost, so that it needs neither be on the disk at once nor be there at all.
    fn copy(&self, id: &str, name: &str, bytes: &[u8]) {
        let kept = files::make_directory(&self.root.join("jobs").join(id)).and_then(|()| {
            use io::Write;
            let mut file = self.temporary()?;
            let written = file.write_all(bytes);
            written.map_err(|error| StoreError::io("write", file.path(), error))?;
            let path = self.job_path(id, name);
            let named = file.persist(&path);
            named
                .map(drop)
                .map_err(|error| StoreError::io("rename to", &path, error.error))
        });
        if let Err(error) = kept {
            tracing::warn!(job = %id, %error, "no copy of the record is kept");
        }
    }

    /// A file on its way: it vanishes unless it is kept.
    pub(crate) fn temporary(&self) -> Result<NamedTempFile, StoreError> {
        let directory = self.root.join(TEMPORARY);
        let file = NamedTempFile::new_in(&directory);
        let file = file.map_err(|error| StoreError::io("create a file in", &directory, error));
        self.trouble.observe(file)
    }

    /// Has a file's content on the disk.
    pub(crate) fn synchronise(&self, file: &NamedTempFile) -> Result<(), StoreError> {
        let synchronised = file.as_file().sync_all();
        let failed = |error| StoreError::io("synchronise", file.path(), error);
        self.trouble.observe(synchronised.map_err(failed))
    }

    /// Where a blob is.
    pub(crate) fn blob_path(&self, client: &str, hash: &str) -> PathBuf {
        self.root.join("blobs").join(client).join(hash)
    }

    /// Where a file of a job is.
    pub(crate) fn job_path(&self, id: &str, file: &str) -> PathBuf {
        self.root.join("jobs").join(id).join(file)
    }

    /// Keeps a file under a blob's name, then its record.
    pub(crate) fn keep_blob(
        &self,
        client: &str,
        hash: &str,
        file: NamedTempFile,
        record: &BlobRecord,
    ) -> Result<(), StoreError> {
        let path = self.blob_path(client, hash);
        self.removals.spare(&path);
        let kept = files::keep(file, &path);
        self.trouble.observe(kept)?;
        self.put_blob(client, hash, record)
    }

    /// Writes a job's file, whole or not at all.
    pub(crate) fn keep_job_file(
        &self,
        id: &str,
        name: &str,
        bytes: &[u8],
    ) -> Result<(), StoreError> {
        use io::Write;
        let mut file = self.temporary()?;
        let written = file.write_all(bytes);
        let written = written.map_err(|error| StoreError::io("write", file.path(), error));
        let path = self.job_path(id, name);
        self.removals.spare(&path);
        let kept = written.and_then(|()| files::keep(file, &path));
        self.trouble.observe(kept)
    }

    /// Writes a checkpoint's file, whole or not at all, whatever is there; gives its length. What is
    /// there has no record: one that was damaged may stay for a while.
    pub(crate) fn keep_checkpoint(
        &self,
        id: &str,
        number: u64,
        checkpoint: &wire::Checkpoint,
    ) -> Result<u64, WireError> {
        let path = self.job_path(id, &checkpoint_file(number));
        self.removals.spare(&path);
        match ::files::replace_checkpoint(&path, checkpoint) {
            Err(WireError::Occupied { .. }) => {
                let removed = fs::remove_file(&path);
                removed.map_err(|error| WireError::io("replace a damaged checkpoint", &error))?;
                ::files::replace_checkpoint(&path, checkpoint)
            }
            written => written,
        }
    }

    /// Bytes that are there of what a job's program wrote.
    pub(crate) fn written_length(&self, id: &str) -> Result<u64, StoreError> {
        let path = self.job_path(id, WRITTEN);
        match fs::metadata(&path) {
            Ok(file) => Ok(file.len()),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(0),
            Err(error) => Err(StoreError::io("look at", &path, error)),
        }
    }

    /// Opens what a job's program wrote, to write on after `length` bytes; its names are on the
    /// disk.
    pub(crate) fn written(&self, id: &str, length: u64) -> Result<File, StoreError> {
        self.trouble.observe(self.open_written(id, length))
    }

    fn open_written(&self, id: &str, length: u64) -> Result<File, StoreError> {
        let path = self.job_path(id, WRITTEN);
        let failed = |operation| {
            let path = &path;
            move |error| StoreError::io(operation, path, error)
        };
        let jobs = self.root.join("jobs");
        let directory = jobs.join(id);
        files::make_directory(&directory)?;
        let mut options = File::options();
        let file = options.create(true).append(true).open(&path);
        let file = file.map_err(failed("open"))?;
        // Longer by zeros it would look whole.
        if file.metadata().map_err(failed("look at"))?.len() < length {
            return Err(failed("go on with")(io::ErrorKind::UnexpectedEof.into()));
        }
        file.set_len(length).map_err(failed("shorten"))?;
        files::synchronise(&directory)?;
        files::synchronise(&jobs)?;
        Ok(file)
    }

    /// Removes a file that no record names; one that is gone already is no error.
    pub(crate) fn remove_file(&self, path: &Path) -> Result<(), StoreError> {
        self.removals.remove(path)
    }

    /// Removes a blob: the record first, so that no record is without its file.
    pub(crate) fn remove_blob(&self, client: &str, hash: &str) -> Result<(), StoreError> {
        self.delete_blob(client, hash)?;
        let path = self.blob_path(client, hash);
        Self::left(self.remove_file(&path), &path);
        Ok(())
    }

    /// What no record names any more, and does not go, goes at the next start.
    fn left(removed: Result<(), StoreError>, path: &Path) {
        if let Err(error) = removed {
            tracing::warn!(path = %path.display(), %error, "it stays until the next start");
        }
    }

    /// Removes a job with its files, questions and answers.
    pub(crate) fn remove_job(&self, record: &JobRecord) -> Result<(), StoreError> {
        self.delete_job(record)?;
        let directory = self.root.join("jobs").join(&record.id);
        Self::left(self.removals.remove(&directory), &directory);
        Ok(())
    }

    /// Makes the copies of a job's record and specification that a server before this one did not
    /// make.
    pub(crate) fn make_copies(&self, record: &JobRecord) -> Result<(), StoreError> {
        let lacks = |name| !self.job_path(&record.id, name).exists();
        if lacks(SPEC_COPY)
            && let Some(spec) = self.spec(&record.id)?
        {
            self.copy(&record.id, SPEC_COPY, &prost::Message::encode_to_vec(&spec));
        }
        match lacks(RECORD_COPY) {
            true => self.put_job(record),
            false => Ok(()),
        }
    }

    /// Removes files that no record names.
    fn sweep(&self) -> Result<(), StoreError> {
        let temporary = self.root.join(TEMPORARY);
        files::remove_directory(&temporary)?;
        files::make_directory(&temporary)?;
        let blobs: HashSet<PathBuf> = self
            .blobs()?
            .into_iter()
            .map(|blob| self.blob_path(&blob.client, &blob.hash))
            .collect();
        for client in files::entries(&self.root.join("blobs"))? {
            for blob in files::entries(&client)? {
                if !blobs.contains(&blob) {
                    self.remove_file(&blob)?;
                }
            }
        }
        let jobs = self.jobs()?;
        let named: HashSet<PathBuf> = jobs
            .iter()
            .flat_map(|job| {
                job.files()
                    .into_iter()
                    .map(|file| self.job_path(&job.id, &file))
            })
            .collect();
        let owned: HashSet<PathBuf> = jobs
            .iter()
            .map(|job| self.root.join("jobs").join(&job.id))
            .collect();
        for directory in files::entries(&self.root.join("jobs"))? {
            if !owned.contains(&directory) {
                files::remove_directory(&directory)?;
                continue;
            }
            for file in files::entries(&directory)? {
                if !named.contains(&file) {
                    self.remove_file(&file)?;
                }
            }
        }
        Ok(())
    }
}

fn lock(root: &Path) -> Result<File, StoreError> {
    let path = root.join("lock");
    let file = File::options()
        .create(true)
        .truncate(false)
        .write(true)
        .open(&path)
        .map_err(|error| StoreError::io("open", &path, error))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(StoreError::Locked {
            path: root.to_path_buf(),
        }),
        Err(TryLockError::Error(error)) => Err(StoreError::io("lock", &path, error)),
    }
}
