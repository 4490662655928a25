//! Certificates that were revoked: a file beside the database, so that a database which is lost and
//! made again lets nobody in. One that cannot be read is an error at the start for the same reason.
//!
//! Beside the backups there is another copy: a backup knows nothing of who was revoked after it was
//! made, and who was must not come back with it.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};
use std::path::Path;
use std::sync::PoisonError;

use serde::{Deserialize, Serialize};

use tempfile::NamedTempFile;

use super::{Store, StoreError, files};

/// The file's name.
const REVOKED: &str = "revoked";

/// Why and since when a certificate is refused.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Revocation {
    /// Its common name, as far as it was known.
    pub(crate) name: String,
    /// Milliseconds since 1970.
    pub(crate) at: u64,
    /// Who did it: an administrator's common name.
    pub(crate) by: String,
    /// Whether its jobs go on.
    pub(crate) keeps_jobs: bool,
}

/// By the certificate's SHA-256 in hexadecimal.
pub(crate) type Revocations = BTreeMap<String, Revocation>;

impl Store {
    /// All of them.
    pub(crate) fn revocations(&self) -> Result<Revocations, StoreError> {
        read(&self.root)
    }

    /// Keeps a copy of them in a directory from now on, which is made if it is not there. Who is
    /// revoked there is so here from now on.
    pub(crate) fn keep_revocations_in(&self, directory: &Path) -> Result<(), StoreError> {
        files::make_directory(directory)?;
        // One that cannot be listed is no place for backups.
        files::entries(directory)?;
        let others = read(directory)?;
        let own = self.revocations()?;
        let mut all = own.clone();
        for (id, other) in others {
            let record = all.entry(id).or_insert_with(|| other.clone());
            record.keeps_jobs &= other.keeps_jobs;
        }
        if all != own {
            let added = all.len() - own.len();
            let path = directory.display();
            tracing::warn!(%path, added, "certificates are revoked that were so beside the backups");
            self.put_revocations(&all)?;
        }
        let mut second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        *second = Some(directory.to_path_buf());
        drop(second);
        self.copy_revocations();
        Ok(())
    }

    /// Writes the copy beside the backups anew, if there is one.
    pub(crate) fn copy_revocations(&self) {
        let second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        let Some(directory) = &*second else {
            return;
        };
        let copied = self
            .revocations()
            .and_then(|revoked| write_beside(directory, &revoked));
        if let Err(error) = copied {
            tracing::error!(%error, "the list of revoked certificates beside the backups is not as it should be: \
                 it is written again with the next backup");
        }
    }

    /// Keeps them in the place of those before; on the disk when it returns.
    pub(crate) fn put_revocations(&self, revoked: &Revocations) -> Result<(), StoreError> {
        let file = self.temporary()?;
        let second = self.second.lock().unwrap_or_else(PoisonError::into_inner);
        let kept = write(file, &self.root, revoked);
        drop(second);
        self.trouble.observe(kept)?;
        self.copy_revocations();
        Ok(())
    }
}

fn read(directory: &Path) -> Result<Revocations, StoreError> {
    let path = directory.join(REVOKED);
    let bytes = match fs::read(&path) {
        Ok(bytes) => bytes,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Revocations::new()),
        Err(error) => return Err(StoreError::io("read", &path, error)),
    };
    serde_json::from_slice(&bytes).map_err(|error| StoreError::Revoked {
        path,
        reason: error.to_string(),
    })
}

fn write_beside(directory: &Path, revoked: &Revocations) -> Result<(), StoreError> {
    // One that is read at every start need not be there to say nothing.
    if revoked.is_empty() && !directory.join(REVOKED).exists() {
        return Ok(());
    }
    let file = NamedTempFile::new_in(directory);
    let file = file.map_err(|error| StoreError::io("create a file in", directory, error))?;
    write(file, directory, revoked)
}

fn write(
    mut file: NamedTempFile,
    directory: &Path,
    revoked: &Revocations,
) -> Result<(), StoreError> {
    let path = directory.join(REVOKED);
    let bytes = serde_json::to_vec_pretty(revoked).map_err(std::io::Error::from);
    let written = bytes.and_then(|bytes| file.write_all(&bytes));
    written.map_err(|error| StoreError::io("write", &path, error))?;
    files::keep(file, &path)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_and_what_is_damaged_is_no_empty_list() {
        let root = tempfile::tempdir().unwrap();
        let revoked = Revocations::from([("ab".repeat(32), Revocation::default())]);
        let store = Store::open(root.path()).unwrap();
        assert_eq!(store.revocations().unwrap(), Revocations::new());
        store.put_revocations(&revoked).unwrap();
        drop(store);
        // A database that is lost takes nothing of it along.
        fs::remove_file(root.path().join("jobs.redb")).unwrap();
        let store = Store::open(root.path()).unwrap();
        assert_eq!(store.revocations().unwrap(), revoked);
        fs::write(root.path().join(REVOKED), "{").unwrap();
        let error = store.revocations().unwrap_err();
        assert!(!error.is_transient());
        assert!(error.to_string().contains("revoke them again"), "{error}");
    }

    /// A backup that is restored does not know who was revoked after it was made.
    #[test]
    fn who_was_revoked_after_a_backup_stays_so_on_it() {
        let place = tempfile::tempdir().unwrap();
        let backups = place.path().join("data/backups");
        let store = Store::open(&place.path().join("data")).unwrap();
        store.keep_revocations_in(&backups).unwrap();
        store.backup(&backups.join("a")).unwrap();
        let revoked = Revocations::from([("ab".repeat(32), Revocation::default())]);
        store.put_revocations(&revoked).unwrap();
        let restored = Store::open(&backups.join("a")).unwrap();
        assert_eq!(restored.revocations().unwrap(), Revocations::new());
        restored.keep_revocations_in(&backups).unwrap();
        assert_eq!(restored.revocations().unwrap(), revoked);
        drop(restored);
        // What was taken back is so there, too; what cannot be read is no empty list.
        store.put_revocations(&Revocations::new()).unwrap();
        assert_eq!(read(&backups).unwrap(), Revocations::new());
        fs::write(backups.join(REVOKED), "{").unwrap();
        let error = store.keep_revocations_in(&backups).unwrap_err();
        assert!(matches!(error, StoreError::Revoked { .. }), "{error}");
        #[cfg(unix)]
        for directory in [place.path().join("data"), backups] {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(&directory).unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o700, "{}", directory.display());
        }
    }
}
