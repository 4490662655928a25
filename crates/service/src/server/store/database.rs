//! Transactions. Each is durable when it returns.

use prost::Message;
use redb::{ReadableDatabase, ReadableTable, TableDefinition, WriteTransaction};
use serde::Serialize;
use serde::de::DeserializeOwned;

use super::{BlobRecord, JobRecord, RECORD_COPY, SPEC_COPY, Store, StoreError};
use crate::proto;

/// `CLIENT/HASH` to [`BlobRecord`].
pub(super) const BLOBS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("blobs");
/// Job to [`JobRecord`].
pub(super) const JOBS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("jobs");
/// Job to [`proto::JobSpec`].
pub(super) const SPECS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("specs");
/// `CLIENT/REQUEST` to job.
pub(super) const REQUESTS: TableDefinition<'_, &str, &str> = TableDefinition::new("requests");
/// Job and number to [`proto::Question`].
pub(super) const QUESTIONS: TableDefinition<'_, (&str, u64), &[u8]> =
    TableDefinition::new("questions");
/// Job and number to [`proto::Answer`].
pub(super) const ANSWERS: TableDefinition<'_, (&str, u64), &[u8]> = TableDefinition::new("answers");
/// `run`: milliseconds that servers have run.
pub(super) const METER: TableDefinition<'_, &str, u64> = TableDefinition::new("meter");
const RUN: &str = "run";

/// A blob and its owner.
pub(crate) struct StoredBlob {
    pub(crate) client: String,
    pub(crate) hash: String,
    pub(crate) record: BlobRecord,
}

/// An entry that cannot be read.
pub(super) struct Unreadable {
    pub(super) key: String,
    pub(super) reason: String,
}

/// An entry of a table.
pub(super) type Read<T> = Result<T, Unreadable>;

fn stored_blob(key: &str, value: &[u8]) -> Result<StoredBlob, String> {
    let (client, hash) = key.split_once('/').ok_or("no client")?;
    Ok(StoredBlob {
        client: client.to_owned(),
        hash: hash.to_owned(),
        record: from_json(value)?,
    })
}

impl Store {
    pub(super) fn make_tables(&self) -> Result<(), StoreError> {
        self.transact("making tables", |transaction| {
            transaction.open_table(BLOBS)?;
            transaction.open_table(JOBS)?;
            transaction.open_table(SPECS)?;
            transaction.open_table(REQUESTS)?;
            transaction.open_table(QUESTIONS)?;
            transaction.open_table(ANSWERS)?;
            transaction.open_table(METER)?;
            Ok(())
        })
    }

    fn transact(
        &self,
        operation: &'static str,
        change: impl Fn(&WriteTransaction) -> Result<(), redb::Error>,
    ) -> Result<(), StoreError> {
        let ended = self.records.act(operation, |database| {
            let transaction = database.begin_write()?;
            change(&transaction)?;
            Ok(transaction.commit()?)
        });
        self.trouble.observe(ended)
    }

    /// A transaction that changes nothing: whether the database can be written.
    pub(super) fn touch(&self) -> Result<(), StoreError> {
        self.transact("writing", |transaction| {
            transaction.open_table(BLOBS)?;
            Ok(())
        })
    }

    fn find<T>(
        &self,
        table: TableDefinition<'_, &str, &[u8]>,
        key: &str,
        read: impl Fn(&[u8]) -> Result<T, String>,
    ) -> Result<Option<T>, StoreError> {
        let found = self.records.act("reading", |database| {
            let table = database.begin_read()?.open_table(table)?;
            Ok(table.get(key)?.map(|found| read(found.value())))
        });
        let found = self.trouble.observe(found)?.transpose();
        found.map_err(|reason| unreadable(key, reason))
    }

    fn find_numbered<M: Message + Default>(
        &self,
        table: TableDefinition<'_, (&str, u64), &[u8]>,
        key: (&str, u64),
    ) -> Result<Option<M>, StoreError> {
        let found = self.records.act("reading", |database| {
            let table = database.begin_read()?.open_table(table)?;
            Ok(table.get(key)?.map(|found| M::decode(found.value())))
        });
        let found = self.trouble.observe(found)?.transpose();
        found.map_err(|error| {
            let what = format!("question {} of {}", key.1, key.0);
            unreadable(&what, error.to_string())
        })
    }

    /// Every entry of a table, or why it cannot be read.
    fn entries<T>(
        &self,
        table: TableDefinition<'_, &str, &[u8]>,
        read: impl Fn(&str, &[u8]) -> Result<T, String>,
    ) -> Result<Vec<Read<T>>, StoreError> {
        let all = self.records.act("listing", |database| {
            let table = database.begin_read()?.open_table(table)?;
            let mut all = Vec::new();
            for entry in table.iter()? {
                let (key, value) = entry?;
                let key = key.value();
                let read = read(key, value.value()).map_err(|reason| Unreadable {
                    key: key.to_owned(),
                    reason,
                });
                all.push(read);
            }
            Ok(all)
        });
        self.trouble.observe(all)
    }

    /// Every entry of a table; one that cannot be read is an error.
    fn list<T>(
        &self,
        table: TableDefinition<'_, &str, &[u8]>,
        read: impl Fn(&str, &[u8]) -> Result<T, String>,
    ) -> Result<Vec<T>, StoreError> {
        let all = self.entries(table, read)?;
        let all = all.into_iter();
        all.map(|entry| entry.map_err(|error| unreadable(&error.key, error.reason)))
            .collect()
    }

    pub(crate) fn blobs(&self) -> Result<Vec<StoredBlob>, StoreError> {
        self.list(BLOBS, stored_blob)
    }

    /// As [`blobs`](Self::blobs), with those whose records cannot be read.
    pub(super) fn read_blobs(&self) -> Result<Vec<Read<StoredBlob>>, StoreError> {
        self.entries(BLOBS, stored_blob)
    }

    /// As [`jobs`](Self::jobs), with those whose records cannot be read.
    pub(super) fn read_jobs(&self) -> Result<Vec<Read<JobRecord>>, StoreError> {
        self.entries(JOBS, |_, value| from_json(value))
    }

    /// Removes a record that cannot be read.
    pub(super) fn drop_record(&self, of_blob: bool, key: &str) -> Result<(), StoreError> {
        self.transact("removing a record", |transaction| {
            if of_blob {
                transaction.open_table(BLOBS)?.remove(key)?;
                return Ok(());
            }
            transaction.open_table(JOBS)?.remove(key)?;
            transaction.open_table(SPECS)?.remove(key)?;
            let mut requests = transaction.open_table(REQUESTS)?;
            requests.retain(|_, job| job != key)?;
            let range = (key, 0)..=(key, u64::MAX);
            let keep = |_: (&str, u64), _: &[u8]| false;
            let mut questions = transaction.open_table(QUESTIONS)?;
            questions.retain_in(range.clone(), keep)?;
            transaction.open_table(ANSWERS)?.retain_in(range, keep)?;
            Ok(())
        })
    }

    pub(crate) fn put_blob(
        &self,
        client: &str,
        hash: &str,
        record: &BlobRecord,
    ) -> Result<(), StoreError> {
        let record = to_json(hash, record)?;
        self.transact("keeping a blob", |transaction| {
            let mut blobs = transaction.open_table(BLOBS)?;
            blobs.insert(owned(client, hash).as_str(), record.as_slice())?;
            Ok(())
        })
    }

    /// Keeps several blobs' records, all or none.
    pub(crate) fn put_blobs(
        &self,
        records: &[((String, String), BlobRecord)],
    ) -> Result<(), StoreError> {
        if records.is_empty() {
            return Ok(());
        }
        let bytes = records.iter().map(|((client, hash), record)| {
            let bytes = to_json(hash, record)?;
            Ok((owned(client, hash), bytes))
        });
        let bytes = bytes.collect::<Result<Vec<_>, StoreError>>()?;
        self.transact("keeping blobs", |transaction| {
            let mut blobs = transaction.open_table(BLOBS)?;
            for (key, bytes) in &bytes {
                blobs.insert(key.as_str(), bytes.as_slice())?;
            }
            Ok(())
        })
    }

    /// Milliseconds that servers have run, as far as that was stored.
    pub(crate) fn meter(&self) -> Result<u64, StoreError> {
        let found = self.records.act("reading", |database| {
            let table = database.begin_read()?.open_table(METER)?;
            Ok(table.get(RUN)?.map_or(0, |found| found.value()))
        });
        self.trouble.observe(found)
    }

    pub(crate) fn put_meter(&self, milliseconds: u64) -> Result<(), StoreError> {
        self.transact("noting the time", |transaction| {
            transaction.open_table(METER)?.insert(RUN, milliseconds)?;
            Ok(())
        })
    }

    pub(super) fn delete_blob(&self, client: &str, hash: &str) -> Result<(), StoreError> {
        self.transact("removing a blob", |transaction| {
            let mut blobs = transaction.open_table(BLOBS)?;
            blobs.remove(owned(client, hash).as_str())?;
            Ok(())
        })
    }

    /// All jobs.
    pub(crate) fn jobs(&self) -> Result<Vec<JobRecord>, StoreError> {
        self.list(JOBS, |_, value| from_json(value))
    }

    /// A job.
    pub(crate) fn job(&self, id: &str) -> Result<Option<JobRecord>, StoreError> {
        self.find(JOBS, id, from_json)
    }

    /// The job that a request made.
    pub(crate) fn request(
        &self,
        client: &str,
        request: &str,
    ) -> Result<Option<String>, StoreError> {
        let found = self.records.act("reading", |database| {
            let table = database.begin_read()?.open_table(REQUESTS)?;
            let found = table.get(owned(client, request).as_str())?;
            Ok(found.map(|found| found.value().to_owned()))
        });
        self.trouble.observe(found)
    }

    /// Accepts a job.
    pub(crate) fn add_job(
        &self,
        record: &JobRecord,
        spec: &proto::JobSpec,
    ) -> Result<(), StoreError> {
        let bytes = to_json(&record.id, record)?;
        let spec = spec.encode_to_vec();
        let request = owned(&record.client, &record.request_id);
        self.transact("accepting a job", |transaction| {
            let id = record.id.as_str();
            transaction.open_table(JOBS)?.insert(id, bytes.as_slice())?;
            transaction.open_table(SPECS)?.insert(id, spec.as_slice())?;
            transaction
                .open_table(REQUESTS)?
                .insert(request.as_str(), id)?;
            Ok(())
        })?;
        self.copy(&record.id, SPEC_COPY, &spec);
        self.copy(&record.id, RECORD_COPY, &bytes);
        Ok(())
    }

    /// Keeps the copy of a job's record beside its files.
    pub(super) fn copy_record(&self, record: &JobRecord) -> Result<(), StoreError> {
        let bytes = to_json(&record.id, record)?;
        self.copy(&record.id, RECORD_COPY, &bytes);
        Ok(())
    }

    /// What a job is.
    pub(crate) fn spec(&self, id: &str) -> Result<Option<proto::JobSpec>, StoreError> {
        self.find(SPECS, id, |bytes| {
            proto::JobSpec::decode(bytes).map_err(|error| error.to_string())
        })
    }

    /// Keeps how a job rests.
    pub(crate) fn put_job(&self, record: &JobRecord) -> Result<(), StoreError> {
        let bytes = to_json(&record.id, record)?;
        self.transact("keeping a job", |transaction| {
            let mut jobs = transaction.open_table(JOBS)?;
            jobs.insert(record.id.as_str(), bytes.as_slice())?;
            Ok(())
        })?;
        self.copy(&record.id, RECORD_COPY, &bytes);
        Ok(())
    }

    /// Keeps how several jobs rest, all or none.
    pub(crate) fn put_jobs(&self, records: &[JobRecord]) -> Result<(), StoreError> {
        if records.is_empty() {
            return Ok(());
        }
        let bytes = records.iter().map(|record| to_json(&record.id, record));
        let bytes = bytes.collect::<Result<Vec<_>, _>>()?;
        self.transact("keeping jobs", |transaction| {
            let mut jobs = transaction.open_table(JOBS)?;
            for (record, bytes) in records.iter().zip(&bytes) {
                jobs.insert(record.id.as_str(), bytes.as_slice())?;
            }
            Ok(())
        })
    }

    /// Keeps a question together with the job that asks it.
    pub(crate) fn put_question(
        &self,
        record: &JobRecord,
        question: &proto::Question,
    ) -> Result<(), StoreError> {
        let key = (record.id.as_str(), question.number);
        let (bytes, question) = (to_json(&record.id, record)?, question.encode_to_vec());
        self.transact("keeping a question", |transaction| {
            transaction
                .open_table(JOBS)?
                .insert(key.0, bytes.as_slice())?;
            transaction
                .open_table(QUESTIONS)?
                .insert(key, question.as_slice())?;
            Ok(())
        })
    }

    /// Keeps an answer together with the job that asked.
    pub(crate) fn put_answer(
        &self,
        record: &JobRecord,
        answer: &proto::Answer,
    ) -> Result<(), StoreError> {
        let key = (record.id.as_str(), answer.number);
        let (bytes, answer) = (to_json(&record.id, record)?, answer.encode_to_vec());
        self.transact("keeping an answer", |transaction| {
            transaction
                .open_table(JOBS)?
                .insert(key.0, bytes.as_slice())?;
            transaction
                .open_table(ANSWERS)?
                .insert(key, answer.as_slice())?;
            Ok(())
        })
    }

    pub(crate) fn question(
        &self,
        id: &str,
        number: u64,
    ) -> Result<Option<proto::Question>, StoreError> {
        self.find_numbered(QUESTIONS, (id, number))
    }

    pub(crate) fn answer(
        &self,
        id: &str,
        number: u64,
    ) -> Result<Option<proto::Answer>, StoreError> {
        self.find_numbered(ANSWERS, (id, number))
    }

    pub(super) fn delete_job(&self, record: &JobRecord) -> Result<(), StoreError> {
        let id = record.id.as_str();
        let request = owned(&record.client, &record.request_id);
        self.transact("removing a job", |transaction| {
            transaction.open_table(JOBS)?.remove(id)?;
            transaction.open_table(SPECS)?.remove(id)?;
            transaction.open_table(REQUESTS)?.remove(request.as_str())?;
            let range = (id, 0)..=(id, u64::MAX);
            let keep = |_: (&str, u64), _: &[u8]| false;
            transaction
                .open_table(QUESTIONS)?
                .retain_in(range.clone(), keep)?;
            transaction.open_table(ANSWERS)?.retain_in(range, keep)?;
            Ok(())
        })
    }
}

fn owned(client: &str, thing: &str) -> String {
    format!("{client}/{thing}")
}

pub(super) fn from_json<T: DeserializeOwned>(bytes: &[u8]) -> Result<T, String> {
    serde_json::from_slice(bytes).map_err(|error| error.to_string())
}

fn to_json(what: &str, record: &impl Serialize) -> Result<Vec<u8>, StoreError> {
    serde_json::to_vec(record).map_err(|error| unreadable(what, error.to_string()))
}

pub(super) fn unreadable(what: &str, reason: String) -> StoreError {
    StoreError::Record {
        what: what.to_owned(),
        reason,
    }
}
