//! The database's handle, which outlives errors of the disk.
//!
//! After an error of the disk redb takes no more work until its file is opened anew: what was
//! committed is there then, what was not is gone. So a disk that was full for a second would stop a
//! server for good. Here the file is opened anew at the next call, which is tried once more.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};
use std::sync::{PoisonError, RwLock};

use redb::{Builder, Database};

use super::StoreError;

/// See the module.
pub(super) struct Records {
    path: PathBuf,
    /// `None` after an error of the disk.
    open: RwLock<Option<Database>>,
}

impl Records {
    /// Opens a database, or makes one. All of it is read once: redb trusts a file that was closed
    /// in order, and panics later where that is not what it was.
    pub(super) fn open(path: &Path) -> Result<Self, StoreError> {
        let database = open(path, true)?;
        Ok(Self {
            path: path.to_path_buf(),
            open: RwLock::new(Some(database)),
        })
    }

    /// Does something with the database; once more, on a file opened anew, if the disk failed.
    pub(super) fn act<T>(
        &self,
        operation: &'static str,
        act: impl Fn(&Database) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        match self.attempt(operation, &act) {
            Err(error) if error.is_transient() => {
                tracing::warn!(%error, "the database is opened anew");
                self.close();
                self.attempt(operation, &act)
            }
            ended => ended,
        }
    }

    fn attempt<T>(
        &self,
        operation: &'static str,
        act: &impl Fn(&Database) -> Result<T, redb::Error>,
    ) -> Result<T, StoreError> {
        self.ensure_open()?;
        let open = self.open.read().unwrap_or_else(PoisonError::into_inner);
        let Some(database) = open.as_ref() else {
            // Somebody else's call failed in between.
            return Err(StoreError::database(operation, redb::Error::PreviousIo));
        };
        guarded(operation, || act(database))
    }

    fn ensure_open(&self) -> Result<(), StoreError> {
        let is_open = |open: &Option<Database>| open.is_some();
        if is_open(&self.open.read().unwrap_or_else(PoisonError::into_inner)) {
            return Ok(());
        }
        let mut place = self.open.write().unwrap_or_else(PoisonError::into_inner);
        if !is_open(&place) {
            *place = Some(open(&self.path, false)?);
        }
        Ok(())
    }

    /// The next call opens it anew.
    fn close(&self) {
        let mut place = self.open.write().unwrap_or_else(PoisonError::into_inner);
        let closed = place.take();
        drop(place);
        // Closing writes, too, where it can.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(closed)));
    }
}

fn open(path: &Path, all: bool) -> Result<Database, StoreError> {
    guarded("opening", || {
        let mut builder = Builder::new();
        builder.set_check_integrity_on_open(all);
        Ok(builder.create(path)?)
    })
}

/// A panic within redb is a file that is not what it wrote.
fn guarded<T>(
    operation: &'static str,
    act: impl FnOnce() -> Result<T, redb::Error>,
) -> Result<T, StoreError> {
    match catch_unwind(AssertUnwindSafe(act)) {
        Ok(ended) => ended.map_err(|error| StoreError::database(operation, error)),
        Err(panic) => {
            let said = panic.downcast_ref::<&str>().map(|text| (*text).to_owned());
            let said = said.or_else(|| panic.downcast_ref::<String>().cloned());
            let said = said.unwrap_or_else(|| "redb panicked".to_owned());
            Err(StoreError::database(
                operation,
                redb::Error::Corrupted(said),
            ))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use redb::{ReadableDatabase, TableDefinition};

    use super::*;

    const TABLE: TableDefinition<'_, u64, u64> = TableDefinition::new("numbers");

    fn put(database: &Database, number: u64) -> Result<(), redb::Error> {
        let transaction = database.begin_write()?;
        transaction.open_table(TABLE)?.insert(number, number)?;
        Ok(transaction.commit()?)
    }

    #[test]
    fn an_error_of_the_disk_opens_the_file_anew_and_tries_once_more() {
        let place = tempfile::tempdir().unwrap();
        let records = Records::open(&place.path().join("db")).unwrap();
        let tries = Cell::new(0);
        let failing = |times: u32| {
            tries.set(0);
            records.act("testing", |database| {
                tries.set(tries.get() + 1);
                put(database, u64::from(tries.get()))?;
                match tries.get() <= times {
                    true => Err(redb::Error::PreviousIo),
                    false => Ok(()),
                }
            })
        };
        failing(1).unwrap();
        assert_eq!(tries.get(), 2);
        let error = failing(2).unwrap_err();
        assert_eq!((tries.get(), error.is_transient()), (2, true));
        // And it works again by itself.
        failing(0).unwrap();
        let count = records.act("reading", |database| {
            use redb::ReadableTableMetadata;
            Ok(database.begin_read()?.open_table(TABLE)?.len()?)
        });
        assert_eq!(count.unwrap(), 2);
    }

    #[test]
    fn damage_is_an_error_that_is_not_tried_again() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("db");
        let records = Records::open(&path).unwrap();
        records.act("testing", |database| put(database, 1)).unwrap();
        let panicking = records.act("testing", |_| -> Result<(), redb::Error> {
            panic!("not what it wrote")
        });
        let error = panicking.unwrap_err();
        assert!(!error.is_transient());
        let said = error.to_string();
        assert!(
            said.contains("not what it wrote") && said.contains("--repair"),
            "{said}"
        );
        drop(records);
        // Bytes all over the file.
        let sound = std::fs::read(&path).unwrap();
        for at in (0..sound.len()).step_by(sound.len() / 50) {
            let mut damaged = sound.clone();
            damaged[at..]
                .iter_mut()
                .take(64)
                .for_each(|byte| *byte = !*byte);
            std::fs::write(&path, &damaged).unwrap();
            // Sound where the bytes are of no page in use; never a panic.
            if let Err(error) = Records::open(&path) {
                assert!(!error.is_transient(), "{error}");
            }
        }
    }
}
