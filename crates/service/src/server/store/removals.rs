//! Removing files, put off while a backup is made: until its picture of the database is known all
//! of them stay, and from then on each that the picture names until the backup has it. What is
//! removed of the rest goes at once: its clients have the room again, so that the disk must, too.

use std::collections::HashSet;
use std::path::{Path, PathBuf};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};

use super::{StoreError, files};

/// See the module.
#[derive(Default)]
pub(super) struct Removals {
    state: Mutex<State>,
    /// Told when a file has gone whose turn it was.
    gone: Condvar,
}

#[derive(Default)]
struct State {
    hold: Option<Held>,
    /// What is being removed now of what was put off.
    going: Option<PathBuf>,
}

#[derive(Default)]
struct Held {
    /// What stays; everything, as long as that is not known.
    only: Option<HashSet<PathBuf>>,
    waiting: HashSet<PathBuf>,
}

impl Held {
    fn holds(&self, path: &Path) -> bool {
        self.only.as_ref().is_none_or(|only| only.contains(path))
    }
}

/// While it lives what it holds is not removed; what was to be goes when it is dropped.
pub(super) struct Hold<'r>(&'r Removals);

impl Removals {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Puts all removals off; `None` if somebody else does already.
    pub(super) fn hold(&self) -> Option<Hold<'_>> {
        let mut state = self.state();
        if state.hold.is_some() {
            return None;
        }
        state.hold = Some(Held::default());
        Some(Hold(self))
    }

    /// Removes a file, or a directory with all that is in it, now or later; one that is gone
    /// already is no error.
    pub(super) fn remove(&self, path: &Path) -> Result<(), StoreError> {
        if let Some(held) = self.state().hold.as_mut().filter(|held| held.holds(path)) {
            held.waiting.insert(path.to_path_buf());
            return Ok(());
        }
        files::remove(path)
    }

    /// A new file gets a name: it must not go in the place of an old one.
    pub(super) fn spare(&self, path: &Path) {
        let mut state = self.state();
        // It waits for an old one of its own name, for no other.
        while state.going.as_ref().is_some_and(|it| path.starts_with(it)) {
            let waited = self.gone.wait(state);
            state = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if let Some(held) = &mut state.hold {
            held.waiting.remove(path);
        }
    }

    /// Removes what was put off and is not held any more. The lock is free meanwhile: large files
    /// take their time, and who gives files names waits for it.
    fn release(&self) {
        loop {
            let mut state = self.state();
            let Some(held) = state.hold.as_mut() else {
                return;
            };
            let due = held.waiting.iter().find(|path| !held.holds(path));
            let Some(path) = due.cloned() else {
                return;
            };
            held.waiting.remove(&path);
            state.going = Some(path.clone());
            drop(state);
            if let Err(error) = files::remove(&path) {
                tracing::warn!(path = %path.display(), %error, "it stays until the next start");
            }
            self.state().going = None;
            self.gone.notify_all();
        }
    }

    fn hold_only(&self, only: Option<HashSet<PathBuf>>) {
        if let Some(held) = &mut self.state().hold {
            held.only = only;
        }
    }
}

impl Hold<'_> {
    /// Holds everything: what a picture will name is not known yet.
    pub(super) fn everything(&self) {
        self.0.hold_only(None);
    }

    /// Holds these only, and removes at once what was put off of the rest.
    pub(super) fn only(&self, paths: HashSet<PathBuf>) {
        self.0.hold_only(Some(paths));
        self.0.release();
    }

    /// The backup has these: they are held no more, and go at once if that was put off.
    pub(super) fn no_more<'p>(&self, paths: impl IntoIterator<Item = &'p PathBuf>) {
        let mut is_due = false;
        let mut state = self.0.state();
        if let Some(Held {
            only: Some(only),
            waiting,
        }) = &mut state.hold
        {
            for path in paths {
                is_due |= only.remove(path) && waiting.contains(path);
            }
        }
        drop(state);
        if is_due {
            self.0.release();
        }
    }
}

impl Drop for Hold<'_> {
    fn drop(&mut self) {
        self.only(HashSet::new());
        self.0.state().hold = None;
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
    #[test]
    fn only_what_a_backup_names_stays_once_that_is_known() {
        let root = tempfile::tempdir().unwrap();
        let path = |name: &str| root.path().join(name);
        let removals = Removals::default();
        for name in ["named", "unnamed", "later"] {
            fs::write(path(name), name).unwrap();
        }
        let hold = removals.hold().unwrap();
        removals.remove(&path("named")).unwrap();
        removals.remove(&path("unnamed")).unwrap();
        hold.only(HashSet::from([path("named")]));
        removals.remove(&path("later")).unwrap();
        assert!(path("named").exists());
        assert!(!path("unnamed").exists() && !path("later").exists());
        // The backup has it: it goes although the backup is still made.
        hold.no_more([&path("named")]);
        assert!(!path("named").exists());
        fs::write(path("named"), "").unwrap();
        removals.remove(&path("named")).unwrap();
        assert!(!path("named").exists());
        // The backup is begun anew: its next picture may name anything.
        hold.everything();
        fs::write(path("later"), "").unwrap();
        removals.remove(&path("later")).unwrap();
        assert!(path("later").exists());
        drop(hold);
        assert!(!path("later").exists());
    }
}
