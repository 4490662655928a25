//! A whole copy of the directory, made while the server works.
//!
//! The picture that counts is one reading of the database. A file is always there before a
//! transaction names it, and none that the picture names is removed before the backup has it
//! ([`super::removals`]): so every such file is there to be had. All but one kind never change under
//! their names; those are linked where the file system can, else copied. What a program writes
//! is appended to, and copied. The copy is made under another name and renamed at the end, when
//! all of it is on the disk: what has the right name is whole.
//!
//! A server may be started on a copy as it is. Linked files are one with the server's own, which
//! no server ever writes into; against a broken disk only a copy elsewhere helps.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use super::database::StoredBlob;
use super::removals::Hold;
use super::{JobRecord, SPEC_COPY, Store, StoreError, TEMPORARY, WRITTEN, files, lock};
use super::{OUTPUTS, Rest, checkpoint_file};

/// How often a backup is begun anew if a job went back to its beginning meanwhile.
const ATTEMPTS: u32 = 3;

/// What was copied.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Backup {
    pub(crate) blobs: usize,
    pub(crate) jobs: usize,
    /// Bytes of all their files.
    pub(crate) bytes: u64,
    /// Files that were copied, since they could not be linked.
    pub(crate) copied: usize,
}

/// Why one attempt failed.
enum Failed {
    /// A job went back to its beginning meanwhile.
    Changed(PathBuf),
    Store(StoreError),
}

impl From<StoreError> for Failed {
    fn from(error: StoreError) -> Self {
        Self::Store(error)
    }
}

impl Store {
    /// Copies everything into a new directory, on which a server can be started. The directory
    /// must not be there; it is, once this returns, and not before all of it is on the disk.
    /// It may take long, and waits for disks.
    pub(crate) fn backup(&self, target: &Path) -> Result<Backup, StoreError> {
        let (Some(above), Some(name)) = (target.parent(), target.file_name()) else {
            return Err(wrong(target, "name a directory that is not there yet"));
        };
        if fs::symlink_metadata(target).is_ok() {
            return Err(wrong(target, "it is there already: take another name"));
        }
        let above = match above.as_os_str().is_empty() {
            true => Path::new("."),
            false => above,
        };
        self.must_be_apart(above, target)?;
        let Some(hold) = self.removals.hold() else {
            return Err(wrong(
                target,
                "another backup is being made: try again later",
            ));
        };
        let partial = above.join(format!("{}{PARTIAL}", name.to_string_lossy()));
        let mut attempts = 0;
        let made = loop {
            attempts += 1;
            remove_partial(&partial)?;
            match self.copy_into(&partial, &hold) {
                Ok(made) => break Ok(made),
                Err(Failed::Changed(path)) if attempts < ATTEMPTS => {
                    tracing::info!(path = %path.display(), "the backup is begun anew");
                }
                Err(Failed::Changed(path)) => {
                    break Err(wrong(
                        &path,
                        "it is not as its record says, so no backup was made: if that stays so, \
                         stop the server and look with --check",
                    ));
                }
                Err(Failed::Store(error)) => break Err(error),
            }
        };
        let made = made.and_then(|made| {
            let named = fs::rename(&partial, target);
            named.map_err(|error| StoreError::io("rename to", target, error))?;
            files::synchronise(above)?;
            Ok(made)
        });
        if made.is_err() {
            // What is left of it goes with the next one, if not now.
            let _ = files::remove_directory(&partial);
        }
        made
    }

    /// A copy must not lie where the server looks for files of its own.
    fn must_be_apart(&self, above: &Path, target: &Path) -> Result<(), StoreError> {
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|error| StoreError::io("look at", path, error))
        };
        let (above, root) = (real(above)?, real(&self.root)?);
        let own = ["blobs", "jobs", TEMPORARY];
        match own.iter().any(|name| above.starts_with(root.join(name))) {
            true => Err(wrong(target, "the server keeps its own files there")),
            false => Ok(()),
        }
    }

    fn copy_into(&self, partial: &Path, hold: &Hold<'_>) -> Result<Backup, Failed> {
        let copy = Self::take(partial)?;
        hold.everything();
        self.copy_records(&copy)?;
        let (blobs, jobs) = (copy.blobs()?, copy.jobs()?);
        hold.only(self.named(&blobs, &jobs));
        let mut made = Backup::default();
        for blob in &blobs {
            self.bring_blob(&copy, blob, &mut made)?;
            hold.no_more(&self.named(std::slice::from_ref(blob), &[]));
        }
        for job in &jobs {
            self.bring_job(&copy, job, &mut made)?;
            hold.no_more(&self.named(&[], std::slice::from_ref(job)));
        }
        // Later ones than the picture's do no harm: who was refused stays so.
        let revoked = self.revocations()?;
        if !revoked.is_empty() {
            copy.put_revocations(&revoked)?;
        }
        let root = copy.root.clone();
        // Closes the database.
        drop(copy);
        for above in ["blobs", "jobs"] {
            let above = root.join(above);
            for directory in files::entries(&above)? {
                files::synchronise(&directory)?;
            }
            files::synchronise(&above)?;
        }
        files::synchronise(&root)?;
        Ok(made)
    }

    /// Files of a picture, with the directories of its jobs: whatever is removed of it.
    fn named(&self, blobs: &[StoredBlob], jobs: &[JobRecord]) -> HashSet<PathBuf> {
        let blobs = blobs.iter();
        let mut named: HashSet<PathBuf> = blobs
            .map(|blob| self.blob_path(&blob.client, &blob.hash))
            .collect();
        for job in jobs {
            named.insert(self.root.join("jobs").join(&job.id));
            let files = job.files().into_iter();
            named.extend(files.map(|file| self.job_path(&job.id, &file)));
        }
        named
    }

    fn bring_blob(&self, copy: &Store, blob: &StoredBlob, made: &mut Backup) -> Result<(), Failed> {
        let path = |store: &Store| store.blob_path(&blob.client, &blob.hash);
        bring(&path(self), &path(copy), blob.record.length, made)?;
        made.blobs += 1;
        Ok(())
    }

    fn bring_job(&self, copy: &Store, job: &JobRecord, made: &mut Backup) -> Result<(), Failed> {
        let path = |store: &Store, name: &str| store.job_path(&job.id, name);
        files::make_directory(&copy.root.join("jobs").join(&job.id))?;
        let mut written = match job.rest.is_end() {
            true => job.written_length,
            false => 0,
        };
        for checkpoint in job.checkpoints() {
            let name = checkpoint_file(checkpoint.number);
            bring(
                &path(self, &name),
                &path(copy, &name),
                checkpoint.length,
                made,
            )?;
            written = written.max(checkpoint.written);
        }
        if job.rest == Rest::Done {
            let length = job.outputs_length;
            bring(&path(self, OUTPUTS), &path(copy, OUTPUTS), length, made)?;
        }
        copy_start(&path(self, WRITTEN), &path(copy, WRITTEN), written, made)?;
        // As the picture has it: the server's own copies may be newer.
        copy.copy_record(job)?;
        if let Some(spec) = copy.spec(&job.id)? {
            copy.copy(&job.id, SPEC_COPY, &prost::Message::encode_to_vec(&spec));
        }
        made.jobs += 1;
        Ok(())
    }
}

/// How the name of a copy that is being made ends.
pub(crate) const PARTIAL: &str = ".partial";

/// Removes what a server left that was killed while it made a backup; an error if one makes it now.
pub(crate) fn remove_partial(partial: &Path) -> Result<(), StoreError> {
    if !partial.exists() {
        return Ok(());
    }
    // Whoever makes one has it locked.
    let held = lock(partial)?;
    let removed = files::remove_directory(partial);
    drop(held);
    removed
}

impl Store {
    /// Removes an old backup. One that somebody uses stays: this server, if it was started on it or
    /// on what lies in it, or another one. Whether it went.
    pub(crate) fn remove_backup(&self, path: &Path) -> Result<bool, StoreError> {
        let real = |path: &Path| {
            fs::canonicalize(path).map_err(|error| StoreError::io("look at", path, error))
        };
        if real(&self.root)?.starts_with(real(path)?) {
            return Ok(false);
        }
        let held = match lock(path) {
            Err(StoreError::Locked { .. }) => return Ok(false),
            held => held?,
        };
        let removed = files::remove_directory(path);
        drop(held);
        removed.map(|()| true)
    }
}

/// Gives a file that never changes a second name, or copies it.
fn bring(from: &Path, to: &Path, length: u64, made: &mut Backup) -> Result<(), Failed> {
    let failed = |operation| move |error| StoreError::io(operation, from, error);
    if let Some(directory) = to.parent() {
        files::make_directory(directory)?;
    }
    match fs::hard_link(from, to) {
        Ok(()) => {}
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Err(Failed::Changed(from.to_path_buf()));
        }
        // Another file system, one without links, or too many of them.
        Err(_) => {
            let mut source = File::open(from).map_err(failed("open"))?;
            copy(&mut source, to)?;
            made.copied += 1;
        }
    }
    let there = fs::metadata(to).map_err(failed("look at the copy of"))?;
    if there.len() != length {
        return Err(Failed::Changed(from.to_path_buf()));
    }
    made.bytes += length;
    Ok(())
}

/// Copies what is there of a file that is appended to; at least `least` bytes must be.
fn copy_start(from: &Path, to: &Path, least: u64, made: &mut Backup) -> Result<(), Failed> {
    let mut source = match File::open(from) {
        Err(error) if error.kind() == io::ErrorKind::NotFound && least == 0 => return Ok(()),
        opened => opened.map_err(|_| Failed::Changed(from.to_path_buf()))?,
    };
    let copied = copy(&mut source, to)?;
    made.copied += 1;
    made.bytes += copied;
    match copied < least {
        true => Err(Failed::Changed(from.to_path_buf())),
        false => Ok(()),
    }
}

/// Copies a file to the end that it has now, and has the copy on the disk.
fn copy(source: &mut File, to: &Path) -> Result<u64, StoreError> {
    use io::Read;
    let failed = |operation| move |error| StoreError::io(operation, to, error);
    let length = source.metadata().map_err(failed("copy to"))?.len();
    let mut options = File::options();
    options.write(true).create_new(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::OpenOptionsExt;
        options.mode(0o600);
    }
    let mut target = options.open(to).map_err(failed("create"))?;
    let copied = io::copy(&mut source.take(length), &mut target).map_err(failed("copy to"))?;
    target.sync_all().map_err(failed("synchronise"))?;
    Ok(copied)
}

fn wrong(path: &Path, reason: &str) -> StoreError {
    StoreError::Backup {
        path: path.to_path_buf(),
        reason: reason.to_owned(),
    }
}

#[cfg(test)]
mod tests;
