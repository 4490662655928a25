//! Certificates that were revoked: a file beside the database, so that a database which is lost and
//! made again lets nobody in. One that cannot be read is an error at the start for the same reason.

use std::collections::BTreeMap;
use std::fs;
use std::io::{ErrorKind, Write};

use serde::{Deserialize, Serialize};

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
        let path = self.root.join(REVOKED);
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

    /// Keeps them in the place of those before; on the disk when it returns.
    pub(crate) fn put_revocations(&self, revoked: &Revocations) -> Result<(), StoreError> {
        let path = self.root.join(REVOKED);
        let written = serde_json::to_vec_pretty(revoked)
            .map_err(std::io::Error::from)
            .map_err(|error| StoreError::io("write", &path, error));
        let mut file = self.temporary()?;
        let kept = written.and_then(|bytes| {
            let written = file.write_all(&bytes);
            written.map_err(|error| StoreError::io("write", file.path(), error))?;
            files::keep(file, &path)
        });
        self.trouble.observe(kept)
    }
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
}
