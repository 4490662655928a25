//! The database as it is at one moment, written into another one.

use redb::{Key, ReadTransaction, ReadableDatabase, ReadableTable, TableDefinition, TableHandle};
use redb::{Value, WriteTransaction};

use super::database::{
    ANSWERS, BLOBS, JOBS, METER, QUESTIONS, REQUESTS, SPECS, from_json, unreadable,
};
use super::{JobRecord, Store, StoreError};

/// How copying ended: an error of the copy is none of the server's own disk.
type Copied = Result<Result<(), StoreError>, redb::Error>;

impl Store {
    /// Writes one reading of all tables into the database of another directory.
    pub(super) fn copy_records(&self, copy: &Store) -> Result<(), StoreError> {
        let read = self.records.act("reading for a backup", |database| {
            let picture = database.begin_read()?;
            Ok(picture)
        });
        let picture = self.trouble.observe(read)?;
        copy.records.act("writing a backup", |database| {
            let writing = database.begin_write()?;
            match copy_tables(&picture, &writing)? {
                Ok(()) => writing.commit()?,
                Err(error) => return Ok(Err(error)),
            }
            Ok(Ok(()))
        })?
    }
}

fn copy_tables(from: &ReadTransaction, to: &WriteTransaction) -> Copied {
    copy_table(from, to, BLOBS)?;
    copy_table(from, to, SPECS)?;
    copy_table(from, to, REQUESTS)?;
    copy_table(from, to, QUESTIONS)?;
    copy_table(from, to, ANSWERS)?;
    copy_table(from, to, METER)?;
    if let Err(error) = copy_jobs(from, to)? {
        return Ok(Err(error));
    }
    // A table that is left out here would be missed only when a backup is needed.
    let copied: Vec<String> = to.list_tables()?.map(|t| t.name().to_owned()).collect();
    for table in from.list_tables()? {
        if !copied.iter().any(|name| name == table.name()) {
            let what = format!("table {}", table.name());
            let reason = "this version cannot copy it".to_owned();
            return Ok(Err(unreadable(&what, reason)));
        }
    }
    Ok(Ok(()))
}

fn copy_table<K: Key + 'static, V: Value + 'static>(
    from: &ReadTransaction,
    to: &WriteTransaction,
    table: TableDefinition<'_, K, V>,
) -> Result<(), redb::Error> {
    let mut target = to.open_table(table)?;
    for entry in from.open_table(table)?.iter()? {
        let (key, value) = entry?;
        target.insert(key.value(), value.value())?;
    }
    Ok(())
}

/// Jobs rest in a copy: that no worker of the server on it ended them says nothing against them.
fn copy_jobs(from: &ReadTransaction, to: &WriteTransaction) -> Copied {
    let mut target = to.open_table(JOBS)?;
    for entry in from.open_table(JOBS)?.iter()? {
        let (key, value) = entry?;
        let (id, bytes) = (key.value(), value.value());
        let rested = from_json(bytes).and_then(|mut record: JobRecord| {
            record.running = false;
            serde_json::to_vec(&record).map_err(|error| error.to_string())
        });
        match rested {
            Ok(bytes) => target.insert(id, bytes.as_slice())?,
            Err(reason) => return Ok(Err(unreadable(id, reason))),
        };
    }
    Ok(Ok(()))
}
