//! Removing files, put off while a backup is made: everything that its picture of the database
//! names stays until it has it.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::{StoreError, files};

/// See the module.
#[derive(Default)]
pub(super) struct Removals(Mutex<Option<HashSet<PathBuf>>>);

/// While it lives nothing is removed; what was to be goes when it is dropped.
pub(super) struct Hold<'r>(&'r Removals);

impl Removals {
    fn waiting(&self) -> MutexGuard<'_, Option<HashSet<PathBuf>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts removals off; `None` if somebody else does already.
    pub(super) fn hold(&self) -> Option<Hold<'_>> {
        let mut waiting = self.waiting();
        if waiting.is_some() {
            return None;
        }
        *waiting = Some(HashSet::new());
        Some(Hold(self))
    }

    /// Removes a file, or a directory with all that is in it, now or later; one that is gone
    /// already is no error.
    pub(super) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        if let Some(waiting) = self.waiting().as_mut() {
            waiting.insert(path.to_path_buf());
            return Ok(());
        }
        files::remove(path)
    }

    /// A new file gets a name: it must not go in the place of an old one.
    pub(super) fn spare(&self, path: &Path) {
        if let Some(waiting) = self.waiting().as_mut() {
            waiting.remove(path);
        }
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        // Under the lock: a file that comes meanwhile waits for its name until the old one is gone.
        let mut waiting = self.0.waiting();
        for path in waiting.take().into_iter().flatten() {
            if let Err(error) = files::remove(&path) {
                tracing::warn!(path = %path.display(), %error, "it stays until the next start");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn what_is_removed_stays_while_a_backup_holds_it() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let make = |name: &str| fs::write(path(name), name).unwrap();
        let removals = Removals::default();
        ["old", "again", "other"].into_iter().for_each(make);
        fs::create_dir(path("job")).unwrap();
        make("job/outputs");
        removals.remove(&path("other")).unwrap();
        assert!(!path("other").exists());
        let hold = removals.hold().unwrap();
        assert!(removals.hold().is_none());
        for name in ["old", "again", "job", "never"] {
            removals.remove(&path(name)).unwrap();
        }
        assert!(path("old").exists() && path("job/outputs").exists());
        // The same content is uploaded again meanwhile.
        removals.spare(&path("again"));
        make("again");
        drop(hold);
        assert!(!path("old").exists() && !path("job").exists() && path("again").exists());
        assert!(removals.hold().is_some());
    }
}
