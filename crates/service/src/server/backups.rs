//! Backups of a server that runs: when they are made, where, how many stay.
//!
//! One is made at SIGUSR1 and, if the command line says so, so many hours after the last. Each is a
//! directory of its own, named by the time; a server can be started on it. How one is made whole
//! while everything goes on: `store::backup`.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use time::OffsetDateTime;
use tokio::sync::mpsc;

use super::ServerError;
use super::board::{Board, now};
use super::store::{PARTIAL, Store, StoreError, remove_partial};

/// What the names of backups begin with: nothing else is ever removed.
const NAME: &str = "blindcore-";
/// Digits of the time in a name, with its two letters.
const TIME_LENGTH: usize = "20260102T030405Z".len();
const HOUR: Duration = Duration::from_secs(3600);
/// After a backup failed the next is tried so much later.
const AGAIN: Duration = Duration::from_secs(600);

/// The command line's part.
#[derive(Clone, Debug, Default, Args)]
pub struct BackupOptions {
    /// Make backups here, each a directory named by its time: at SIGUSR1, and by --backup-every. On the
    /// file system of --dir files are linked and take no more room
    #[arg(long, value_name = "DIR")]
    pub backup: Option<PathBuf>,
    /// Make a backup so many hours after the last one; 0 makes them at SIGUSR1 only
    #[arg(long, value_name = "HOURS", default_value_t = 0, requires = "backup")]
    pub backup_every: u32,
    /// Keep so many backups: after a new one the oldest go; 0 keeps all
    #[arg(long, value_name = "N", default_value_t = 7, requires = "backup")]
    pub backup_keep: usize,
}

impl BackupOptions {
    /// Looks, before anything is served, whether backups could be made, and takes over who is revoked
    /// according to what lies beside them.
    pub(super) fn prepare(&self, store: &Store) -> Result<(), ServerError> {
        let Some(directory) = &self.backup else {
            return Ok(());
        };
        // Made by the store, which is open: a directory in --dir must not make --dir itself.
        store
            .keep_revocations_in(directory)
            .map_err(|error| match error {
                StoreError::Io { .. } => ServerError::Directory {
                    path: directory.clone(),
                    reason: format!(
                        "backups cannot be made there ({error}): let the server write into it, or \
                         name another --backup"
                    ),
                },
                error => error.into(),
            })
    }
}

impl Board {
    /// Copies the directory, whole, into a new one, while everything goes on. It may take long.
    pub(crate) fn backup(&self, target: &Path) -> Result<(), StoreError> {
        let begin = Instant::now();
        let made = self.store.backup(target);
        self.metrics.backed_up(made.is_ok().then(now));
        let path = target.display();
        match made {
            Ok(made) => {
                let seconds = begin.elapsed().as_secs_f64();
                let (blobs, jobs, bytes) = (made.blobs, made.jobs, made.bytes);
                tracing::info!(%path, blobs, jobs, bytes, copied = made.copied, seconds, "backup made");
                Ok(())
            }
            Err(error) => {
                tracing::error!(%path, %error, "no backup was made");
                Err(error)
            }
        }
    }
}

/// Makes backups until it is aborted.
pub(super) async fn serve(
    options: BackupOptions,
    board: Arc<Board>,
    mut asked: mpsc::Receiver<()>,
) {
    let (mut failed, mut last) = (false, None);
    loop {
        let due = async {
            match options.next(failed, last) {
                Some(wait) => tokio::time::sleep(wait).await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            signal = asked.recv() => if signal.is_none() {
                return;
            },
            () = due => {}
        }
        let Some(directory) = options.backup.clone() else {
            tracing::warn!("no backup is made: the server was started without --backup DIR");
            continue;
        };
        let (board, keep) = (Arc::clone(&board), options.backup_keep);
        let made = tokio::task::spawn_blocking(move || make(&board, &directory, keep)).await;
        failed = !matches!(made, Ok(Ok(())));
        if !failed {
            last = Some(Instant::now());
        }
    }
}

impl BackupOptions {
    /// How long it is to the next backup that nobody has to ask for, if this server made one then.
    fn next(&self, failed: bool, made: Option<Instant>) -> Option<Duration> {
        let directory = self.backup.as_deref()?;
        let every = HOUR
            .checked_mul(self.backup_every)
            .filter(|e| !e.is_zero())?;
        if failed {
            return Some(AGAIN);
        }
        // Dates count only for what an earlier server made: a clock may be set.
        if let Some(made) = made {
            return Some(every.saturating_sub(made.elapsed()));
        }
        let dates = list(directory).into_iter().filter_map(|name| {
            let path = directory.join(name).join("lock");
            path.metadata().and_then(|file| file.modified()).ok()
        });
        let ages: Vec<Option<Duration>> = dates.map(|date| date.elapsed().ok()).collect();
        let youngest = ages.iter().flatten().min().copied();
        // One of the future was made just now, by a clock that was set back since.
        let age = youngest.or_else(|| (!ages.is_empty()).then_some(Duration::ZERO));
        Some(age.map_or(Duration::ZERO, |age| every.saturating_sub(age)))
    }
}

/// Makes one backup, then removes those that are too many.
fn make(board: &Board, directory: &Path, keep: usize) -> Result<(), StoreError> {
    remove_partials(directory);
    let name = name_at(OffsetDateTime::now_utc());
    let made = board.backup(&directory.join(&name));
    board.store.copy_revocations();
    made?;
    remove_old(&board.store, directory, &name, keep);
    Ok(())
}

/// Removes backups that are too many, never the one that was just made: where a clock was set back
/// its name says that it is older than others.
fn remove_old(store: &Store, directory: &Path, made: &str, keep: usize) {
    let mut names = list(directory);
    names.retain(|name| name != made);
    let old = match keep {
        0 => 0,
        keep => names.len().saturating_sub(keep - 1),
    };
    for name in &names[..old] {
        let path = directory.join(name);
        let shown = path.display();
        match store.remove_backup(&path) {
            Ok(true) => tracing::info!(path = %shown, "old backup removed"),
            Ok(false) => tracing::info!(path = %shown, "an old backup stays: a server uses it"),
            Err(error) => tracing::warn!(path = %shown, %error, "an old backup cannot be removed"),
        }
    }
}

/// Removes backups on whose way a server was killed.
fn remove_partials(directory: &Path) {
    for name in names(directory) {
        let partial = name.strip_suffix(PARTIAL);
        if partial.is_some_and(is_name)
            && let Err(error) = remove_partial(&directory.join(&name))
        {
            tracing::warn!(%name, %error, "a backup that is not whole stays");
        }
    }
}

fn name_at(now: OffsetDateTime) -> String {
    format!(
        "{NAME}{:04}{:02}{:02}T{:02}{:02}{:02}Z",
        now.year(),
        u8::from(now.month()),
        now.day(),
        now.hour(),
        now.minute(),
        now.second()
    )
}

/// Names of the backups in a directory that are whole, the oldest first.
fn list(directory: &Path) -> Vec<String> {
    let mut names = names(directory);
    names.retain(|name| is_name(name));
    names.sort();
    names
}

/// Names of all that is in a directory.
fn names(directory: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(directory).into_iter().flatten();
    let names = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    names.collect()
}

fn is_name(name: &str) -> bool {
    name.strip_prefix(NAME).is_some_and(|time| {
        let digit = |(place, byte): (usize, u8)| match place {
            8 => byte == b'T',
            15 => byte == b'Z',
            _ => byte.is_ascii_digit(),
        };
        time.len() == TIME_LENGTH && time.bytes().enumerate().all(digit)
    })
}

/// One message for each SIGUSR1.
pub(super) fn asked() -> std::io::Result<mpsc::Receiver<()>> {
    let (sender, receiver) = mpsc::channel(1);
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        let mut signals = signal(SignalKind::user_defined1())?;
        tokio::spawn(async move {
            while signals.recv().await.is_some() && !sender.is_closed() {
                // One that is asked for already answers for both.
                let _ = sender.try_send(());
            }
        });
    }
    #[cfg(not(unix))]
    tokio::spawn(async move { sender.closed().await });
    Ok(receiver)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_backups_have_names_of_backups() {
        let name = name_at(OffsetDateTime::from_unix_timestamp(1_000_000_000).unwrap());
        assert_eq!(name, "blindcore-20010909T014640Z");
        assert!(is_name(&name));
        for other in [
            "blindcore-20010909T014640Z.partial",
            "blindcore-keys",
            "jobs",
            NAME,
        ] {
            assert!(!is_name(other), "{other}");
        }
        let place = tempfile::tempdir().unwrap();
        for name in [&name, "blindcore-20000909T014640Z", "other"] {
            std::fs::create_dir(place.path().join(name)).unwrap();
        }
        assert_eq!(list(place.path()), ["blindcore-20000909T014640Z", &name]);
    }

    #[test]
    fn what_a_killed_server_left_of_a_backup_goes() {
        let place = tempfile::tempdir().unwrap();
        let at = |name: &str| place.path().join(name);
        let (left, other) = ("blindcore-20010909T014640Z.partial", "mine.partial");
        for name in [left, other] {
            std::fs::create_dir(at(name)).unwrap();
            std::fs::write(at(name).join("lock"), "").unwrap();
        }
        // One that is being made is locked.
        let lock = std::fs::File::open(at(left).join("lock")).unwrap();
        lock.lock().unwrap();
        remove_partials(place.path());
        assert!(at(left).exists());
        drop(lock);
        remove_partials(place.path());
        assert!(!at(left).exists() && at(other).exists());
    }

    #[test]
    fn the_next_backup_is_so_long_after_the_last() {
        let place = tempfile::tempdir().unwrap();
        let mut options = BackupOptions {
            backup: Some(place.path().to_owned()),
            backup_every: 2,
            backup_keep: 1,
        };
        assert_eq!(options.next(false, None), Some(Duration::ZERO));
        assert_eq!(options.next(true, None), Some(AGAIN));
        let last = place.path().join(name_at(OffsetDateTime::now_utc()));
        std::fs::create_dir(&last).unwrap();
        std::fs::write(last.join("lock"), "").unwrap();
        let about_two_hours = |next: Option<Duration>| {
            let next = next.unwrap();
            assert!(next > HOUR && next <= HOUR * 2, "{next:?}");
        };
        about_two_hours(options.next(false, None));
        // The clock was set back since.
        let lock = std::fs::File::options().write(true).open(last.join("lock"));
        let lock = lock.unwrap();
        let set = |date| lock.set_modified(date).unwrap();
        set(std::time::SystemTime::now() + HOUR * 1000);
        about_two_hours(options.next(false, None));
        // Or forth: what this server made it knows better.
        set(std::time::UNIX_EPOCH);
        assert_eq!(options.next(false, None), Some(Duration::ZERO));
        about_two_hours(options.next(false, Some(Instant::now())));
        options.backup_every = 0;
        assert_eq!(options.next(false, None), None);
    }

    #[test]
    fn neither_the_last_backup_goes_nor_one_that_a_server_uses() {
        let place = tempfile::tempdir().unwrap();
        let names = [1, 2, 3, 4].map(|hour| format!("{NAME}20010909T0{hour}0000Z"));
        let at = |name: &String| place.path().join(name);
        // A server on the oldest, whose own directory that is; another on the second.
        let stores = [0, 1].map(|number| Store::open(&at(&names[number])).unwrap());
        for name in &names[2..] {
            drop(Store::open(&at(name)).unwrap());
        }
        let above = Store::open(&at(&names[2]).join("inner")).unwrap();
        remove_old(&above, place.path(), &names[3], 1);
        assert_eq!(list(place.path()), names);
        drop(above);
        // Made last, by a clock that was set back.
        remove_old(&stores[0], place.path(), &names[0], 1);
        assert_eq!(list(place.path()), names[..2]);
        drop(stores);
    }
}
