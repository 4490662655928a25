//! The way out of a damaged directory: what is wrong in it, and mending that.
//!
//! Whatever a record and its files disagree about is looked at; blobs are read through, since
//! their names are hashes of their content. Mending never invents: a blob that is not what it was
//! goes, a job goes on from an older checkpoint or from its beginning, or ends with an error that
//! says so. Where the database itself cannot be read, it is set aside under another name, and made
//! again from the blobs, which say themselves what they are, and from copies of the jobs' records
//! and specifications beside their files. Questions and answers have no copies: they are asked
//! again.

use std::collections::HashSet;
use std::fs::{self, File};
use std::io::Read;
use std::path::Path;

use processor::Program;
use prost::Message;
use wire::container::HEADER_BYTES;
use wire::{Header, Kind};

use super::database::{StoredBlob, from_json};
use super::{
    BlobRecord, DATABASE, JobRecord, OUTPUTS, RECORD_COPY, Rest, SPEC_COPY, Store, StoreError,
    WRITTEN, checkpoint_file, files, lock,
};
use crate::proto::{BlobKind, ErrorCode, JobSpec};
use crate::server::board::now;

/// What was found, a line each, and whether it was mended.
#[derive(Debug, Default)]
pub(in crate::server) struct Findings {
    pub(in crate::server) lines: Vec<String>,
    /// Blobs and jobs that are as they should be.
    pub(in crate::server) sound: usize,
}

impl Findings {
    fn add(&mut self, line: String) {
        self.lines.push(line);
    }
}

/// Looks a directory through, which no server may have open.
pub(in crate::server) fn check(root: &Path) -> Result<Findings, StoreError> {
    must_exist(root)?;
    let mut findings = Findings::default();
    match Store::take(root) {
        Ok(store) => store.look(&mut findings, false)?,
        // An error of the disk says nothing of what lies there.
        Err(error @ StoreError::Database { .. }) if !error.is_transient() => {
            findings.add(error.to_string());
        }
        Err(error) => return Err(error),
    }
    Ok(findings)
}

/// Mends what [`check`] finds.
pub(in crate::server) fn repair(root: &Path) -> Result<Findings, StoreError> {
    must_exist(root)?;
    let mut findings = Findings::default();
    let store = match Store::take(root) {
        // An error of the disk is not damage: the file may be sound.
        Err(error @ StoreError::Database { .. }) if !error.is_transient() => {
            let aside = set_aside(root)?;
            findings.add(format!(
                "{error}; set aside as {aside}, made again from the files"
            ));
            let store = Store::take(root)?;
            store.restore(&mut findings)?;
            store
        }
        taken => taken?,
    };
    store.look(&mut findings, true)?;
    store.set_strays_aside(&mut findings)?;
    store.sweep()?;
    Ok(findings)
}

fn must_exist(root: &Path) -> Result<(), StoreError> {
    let looked = fs::metadata(root.join(DATABASE));
    looked
        .map(drop)
        .map_err(|error| StoreError::io("look at", &root.join(DATABASE), error))
}

/// Gives the database another name; gives that.
fn set_aside(root: &Path) -> Result<String, StoreError> {
    let _lock = lock(root)?;
    let name = format!("{DATABASE}.damaged-{}", now());
    let path = root.join(DATABASE);
    fs::rename(&path, root.join(&name)).map_err(|error| StoreError::io("rename", &path, error))?;
    Ok(name)
}

impl Store {
    /// Compares every record with its files.
    fn look(&self, findings: &mut Findings, mend: bool) -> Result<(), StoreError> {
        // Nothing else has what it says: it is for people to mend.
        if let Err(error) = self.revocations() {
            findings.add(error.to_string());
        }
        let mut blobs = HashSet::new();
        for blob in self.read_blobs()? {
            let blob = match blob {
                Ok(blob) => blob,
                Err(unreadable) => {
                    findings.add(format!("blob {}: {}", unreadable.key, unreadable.reason));
                    if mend {
                        self.drop_record(true, &unreadable.key)?;
                        blobs.extend(self.restore_blob(&unreadable.key, findings)?);
                    }
                    continue;
                }
            };
            if self.look_at_blob(&blob, findings, mend)? {
                blobs.insert((blob.client, blob.hash));
            }
        }
        for job in self.read_jobs()? {
            match job {
                Ok(job) => self.look_at_job(job, &blobs, findings, mend)?,
                Err(unreadable) => {
                    findings.add(format!("job {}: {}", unreadable.key, unreadable.reason));
                    if mend {
                        self.drop_record(false, &unreadable.key)?;
                        self.restore_job(&unreadable.key, findings)?;
                    }
                }
            }
        }
        Ok(())
    }

    fn look_at_blob(
        &self,
        blob: &StoredBlob,
        findings: &mut Findings,
        mend: bool,
    ) -> Result<bool, StoreError> {
        let path = self.blob_path(&blob.client, &blob.hash);
        let wrong = match hash_of(&path) {
            Ok((hash, length)) if hash == blob.hash && length == blob.record.length => {
                findings.sound += 1;
                return Ok(true);
            }
            Ok(_) => "the file is not what was uploaded".to_owned(),
            Err(error) => error.to_string(),
        };
        findings.add(format!(
            "blob {} of {}: {wrong}: to be uploaded again",
            blob.hash, blob.client
        ));
        if mend {
            self.remove_blob(&blob.client, &blob.hash)?;
        }
        Ok(false)
    }

    fn look_at_job(
        &self,
        job: JobRecord,
        blobs: &HashSet<(String, String)>,
        findings: &mut Findings,
        mend: bool,
    ) -> Result<(), StoreError> {
        let mut mended = job.clone();
        let mut wrong = Vec::new();
        let is_whole = |name: &str, length: u64| {
            let path = self.job_path(&job.id, name);
            fs::metadata(path).is_ok_and(|file| file.len() == length)
        };
        let lost = |c: &&super::CheckpointRecord| !is_whole(&checkpoint_file(c.number), c.length);
        if let Some(checkpoint) = job.checkpoint.iter().find(lost) {
            wrong.push(format!(
                "checkpoint {} is not there whole",
                checkpoint.number
            ));
            mended.checkpoint = mended.earlier_checkpoint.take();
        }
        if let Some(checkpoint) = job.earlier_checkpoint.iter().find(lost) {
            wrong.push(format!(
                "checkpoint {} is not there whole",
                checkpoint.number
            ));
            mended.earlier_checkpoint = None;
            mended.checkpoint = mended
                .checkpoint
                .filter(|kept| kept.number != checkpoint.number);
        }
        let path = self.job_path(&job.id, WRITTEN);
        let there = fs::metadata(path).map_or(0, |file| file.len());
        let lacks = |c: &super::CheckpointRecord| c.written > there;
        if !job.rest.is_end() && mended.checkpoints().any(lacks) {
            wrong.push("what the program wrote is not there whole".to_owned());
            // It goes on where as much had been written as is there.
            let kept = mended.checkpoints().filter(|c| !lacks(c)).cloned();
            let mut kept = kept.collect::<Vec<_>>().into_iter();
            (mended.checkpoint, mended.earlier_checkpoint) = (kept.next(), kept.next());
        }
        if job.rest == Rest::Done && !is_whole(OUTPUTS, job.outputs_length) {
            wrong.push("its outputs are not there whole".to_owned());
            (mended.rest, mended.outputs_length, mended.ended_at) = (Rest::Queued, 0, 0);
            mended.is_kept_anew();
        }
        if self.spec(&job.id).ok().flatten().is_none() {
            wrong.push("its specification cannot be read".to_owned());
            if mend && !self.restore_spec(&mended)? {
                fail(
                    &mut mended,
                    "the server has lost the specification of the job",
                );
            }
        }
        let lacks = |hash: &&String| !blobs.contains(&(job.client.clone(), (*hash).clone()));
        if !mended.rest.is_end() && mended.blobs().any(|hash| lacks(&hash)) {
            wrong.push("a blob that it needs is gone".to_owned());
            fail(&mut mended, "the server has lost a blob of the job");
        }
        if wrong.is_empty() {
            findings.sound += 1;
            return Ok(());
        }
        let goes_on = match (mended.rest, &mended.checkpoint) {
            (Rest::Failed, _) => "it is to be submitted again",
            (_, Some(_)) => "it goes on from a checkpoint",
            _ if mended.rest.is_end() => "it has ended",
            _ => "it runs from its beginning",
        };
        findings.add(format!("job {}: {}: {goes_on}", job.id, wrong.join(", ")));
        match mend {
            true => self.put_job(&mended),
            false => Ok(()),
        }
    }

    /// Moves jobs' folders that no record names out of the way: the sweep of a start would remove
    /// them, and there may be outputs in them that somebody wants.
    fn set_strays_aside(&self, findings: &mut Findings) -> Result<(), StoreError> {
        let known: HashSet<String> = self.jobs()?.into_iter().map(|job| job.id).collect();
        for folder in files::entries(&self.root.join("jobs"))? {
            let name = folder.file_name().and_then(|name| name.to_str());
            let Some(name) = name.filter(|name| !known.contains(*name)) else {
                continue;
            };
            let lost = self.root.join("lost");
            files::make_directory(&lost)?;
            let target = lost.join(format!("{name}-{}", now()));
            let moved = fs::rename(&folder, &target);
            moved.map_err(|error| StoreError::io("rename", &folder, error))?;
            findings.add(format!("job {name}: its files are in {}", target.display()));
        }
        Ok(())
    }

    /// Records of everything that lies beside a database that is gone.
    fn restore(&self, findings: &mut Findings) -> Result<(), StoreError> {
        for client in files::entries(&self.root.join("blobs"))? {
            for blob in files::entries(&client)? {
                if let Some(key) = key_of(&client, &blob) {
                    self.restore_blob(&key, findings)?;
                }
            }
        }
        for directory in files::entries(&self.root.join("jobs"))? {
            if let Some(id) = directory.file_name().and_then(|name| name.to_str()) {
                self.restore_job(id, findings)?;
            }
        }
        Ok(())
    }

    /// Gives a blob a record by what its file is; gives client and hash if it could.
    fn restore_blob(
        &self,
        key: &str,
        findings: &mut Findings,
    ) -> Result<Option<(String, String)>, StoreError> {
        let Some((client, hash)) = key.split_once('/') else {
            return Ok(None);
        };
        let path = self.blob_path(client, hash);
        let Some((found, length)) = hash_of(&path).ok() else {
            return Ok(None);
        };
        let Some(kind) = kind_of(&path).filter(|_| found == hash) else {
            findings.add(format!(
                "blob {hash} of {client}: damaged, to be uploaded again"
            ));
            return Ok(None);
        };
        findings.add(format!("blob {hash} of {client}: has its record again"));
        let record = BlobRecord {
            kind: kind as i32,
            length,
            used_at: now(),
            kept_from: None,
        };
        self.put_blob(client, hash, &record)?;
        Ok(Some((client.to_owned(), hash.to_owned())))
    }

    fn restore_job(&self, id: &str, findings: &mut Findings) -> Result<(), StoreError> {
        let read = |name| fs::read(self.job_path(id, name)).ok();
        let record = read(RECORD_COPY).and_then(|bytes| from_json::<JobRecord>(&bytes).ok());
        let spec = read(SPEC_COPY).and_then(|bytes| JobSpec::decode(bytes.as_slice()).ok());
        let (Some(record), Some(spec)) = (record, spec) else {
            findings.add(format!(
                "job {id}: no copy of its record: to be submitted again"
            ));
            return Ok(());
        };
        if record.id != id {
            findings.add(format!("job {id}: the copy of its record is another's"));
            return Ok(());
        }
        let mut record = record;
        // Answers are gone: it asks again.
        record.open_question = None;
        if record.rest == Rest::Waiting {
            record.rest = Rest::Queued;
        }
        findings.add(format!("job {id}: has its record again"));
        self.add_job(&record, &spec)
    }

    fn restore_spec(&self, record: &JobRecord) -> Result<bool, StoreError> {
        let copy = fs::read(self.job_path(&record.id, SPEC_COPY)).ok();
        match copy.and_then(|bytes| JobSpec::decode(bytes.as_slice()).ok()) {
            Some(spec) => self.add_job(record, &spec).map(|()| true),
            None => Ok(false),
        }
    }
}

fn fail(record: &mut JobRecord, what: &str) {
    if record.rest.is_end() {
        return;
    }
    record.rest = Rest::Failed;
    record.ended_at = now();
    record.open_question = None;
    record.error = Some((
        ErrorCode::Storage as i32,
        format!("{what}: submit it again"),
    ));
    (record.checkpoint, record.earlier_checkpoint) = (None, None);
}

fn key_of(client: &Path, blob: &Path) -> Option<String> {
    let name = |path: &Path| Some(path.file_name()?.to_str()?.to_owned());
    Some(format!("{}/{}", name(client)?, name(blob)?))
}

/// BLAKE3 and length of a file.
fn hash_of(path: &Path) -> std::io::Result<(String, u64)> {
    let mut hasher = blake3::Hasher::new();
    let length = std::io::copy(&mut File::open(path)?, &mut hasher)?;
    Ok((hasher.finalize().to_hex().to_string(), length))
}

/// What a blob is, by its own header.
fn kind_of(path: &Path) -> Option<BlobKind> {
    let mut head = [0; HEADER_BYTES];
    let mut file = File::open(path).ok()?;
    if file.read_exact(&mut head).is_ok()
        && let Ok((header, _)) = Header::parse(&head)
    {
        return match header.kind {
            Kind::INPUTS => Some(BlobKind::Inputs),
            Kind::SERVER_KEY => Some(BlobKind::ServerKey),
            Kind::SELECTOR_KEY => Some(BlobKind::SelectorKey),
            _ => None,
        };
    }
    let program = fs::read(path).ok()?;
    Program::load(&program).ok().map(|_| BlobKind::Program)
}

#[cfg(test)]
mod tests;
