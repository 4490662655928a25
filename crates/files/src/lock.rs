//! One at a time: a lock beside a file that is replaced again and again.
//!
//! The file itself cannot be locked, since each new content is another file under its name. The
//! lock is the system's, on an empty file beside it, so that it ends with its process, however that
//! ends; what a killed process leaves is an empty file that locks nobody out.

use std::fs::{File, TryLockError};
use std::io;
use std::path::{Path, PathBuf};

/// A lock, until it is dropped.
///
/// ```
/// use blindcore_files::Lock;
///
/// let file = std::env::temp_dir().join(format!("blindcore-files-lock-{}", std::process::id()));
/// let lock = Lock::beside(&file)?.expect("nobody else has it");
/// assert!(Lock::beside(&file)?.is_none());
/// drop(lock);
/// assert!(Lock::beside(&file)?.is_some());
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Debug)]
pub struct Lock {
    path: PathBuf,
    /// Locked as long as it is open.
    _file: File,
}

impl Lock {
    /// Takes the lock of the file at `path`; `None` if somebody has it.
    ///
    /// # Errors
    /// Those of the system, also where it has no locks, as on some networks' disks.
    pub fn beside(path: &Path) -> io::Result<Option<Self>> {
        let mut name = path.as_os_str().to_owned();
        name.push(".lock");
        let path = PathBuf::from(name);
        loop {
            let mut options = File::options();
            options.create(true).truncate(false).write(true);
            let file = options.open(&path)?;
            match file.try_lock() {
                // Whoever had it before may have removed it after it was opened here.
                Ok(()) if !is_at(&file, &path) => continue,
                Ok(()) => return Ok(Some(Self { path, _file: file })),
                Err(TryLockError::WouldBlock) => return Ok(None),
                Err(TryLockError::Error(error)) => return Err(error),
            }
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // While it is still locked, and only where the next one can tell that it is gone.
        if cfg!(unix) {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}

/// Whether this is the file that has the name.
#[cfg(unix)]
fn is_at(file: &File, path: &Path) -> bool {
    use std::os::unix::fs::MetadataExt;
    let identity = |found: std::fs::Metadata| (found.dev(), found.ino());
    match (file.metadata(), std::fs::metadata(path)) {
        (Ok(own), Ok(named)) => identity(own) == identity(named),
        _ => false,
    }
}

#[cfg(not(unix))]
fn is_at(_: &File, _: &Path) -> bool {
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A file that somebody left is no lock, and one that is removed under a lock is another.
    #[test]
    fn only_a_process_that_lives_locks() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let beside = folder.path().join("a.lock");
        std::fs::write(&beside, "").unwrap();
        let lock = Lock::beside(&path).unwrap().unwrap();
        assert!(Lock::beside(&path).unwrap().is_none());
        assert!(Lock::beside(&folder.path().join("b")).unwrap().is_some());
        drop(lock);
        assert!(!cfg!(unix) || !beside.exists());
        assert!(Lock::beside(&folder.path().join("none/a")).is_err());
    }

    /// Of many at once that take it and give it back, never two have it.
    #[test]
    fn never_two_have_it() {
        use std::sync::atomic::{AtomicUsize, Ordering};
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        let (holders, taken) = (AtomicUsize::new(0), AtomicUsize::new(0));
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        let Some(lock) = Lock::beside(&path).unwrap() else {
                            continue;
                        };
                        assert_eq!(holders.fetch_add(1, Ordering::SeqCst), 0);
                        taken.fetch_add(1, Ordering::SeqCst);
                        assert_eq!(holders.fetch_sub(1, Ordering::SeqCst), 1);
                        drop(lock);
                    }
                });
            }
        });
        assert!(taken.load(Ordering::SeqCst) > 0);
    }
}
