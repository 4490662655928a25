//! Workers on a Ray cluster. Ray speaks Python: a process of `blindcore._ray_workers` places and watches them, says
//! where they are, and ends them when its standard input ends.

use std::io::{BufRead, BufReader};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use serde::Deserialize;

use crate::{Addresses, ClusterError};

/// Which Python, if it is not to be the first `python3` of the path.
const PYTHON: &str = "BLINDCORE_PYTHON";
/// How often it is looked whether somebody cancels.
const LOOK: Duration = Duration::from_millis(100);
/// How long the workers may take to end.
const ENDING: Duration = Duration::from_secs(20);

/// Workers to be had of a Ray cluster.
#[derive(Clone, Debug)]
pub struct Wanted {
    /// Where Ray is: `auto`, or `ray://HOST:PORT`.
    pub cluster: String,
    /// How many machines; all that are there if nobody says.
    pub machines: Option<NonZeroUsize>,
    /// Threads of each; all cores of the smallest if nobody says.
    pub threads: Option<NonZeroUsize>,
    /// A server key's file that they are to have from the start.
    pub key: Option<PathBuf>,
    /// A directory of certificates that is on every machine.
    pub tls: Option<PathBuf>,
}

/// Where they are, as Python says it.
#[derive(Deserialize)]
struct Placed {
    addresses: Vec<String>,
    threads: NonZeroUsize,
}

/// Workers as long as this lives.
pub struct Ray {
    python: Child,
    threads: NonZeroUsize,
    addresses: Addresses,
    ending: Arc<AtomicBool>,
}

impl Ray {
    /// Waits until Ray has placed them. Where one is that is started again is followed from then on.
    ///
    /// # Errors
    /// [`ClusterError::Ray`] with what Ray or Python says, [`ClusterError::Cancelled`].
    pub fn start(wanted: &Wanted, cancel: &Cancel) -> Result<Self, ClusterError> {
        let failed = |reason: String| ClusterError::Ray {
            cluster: wanted.cluster.clone(),
            reason,
        };
        let python = std::env::var_os(PYTHON).unwrap_or_else(|| "python3".into());
        let spawned = command(wanted, &python).spawn();
        let mut python = spawned.map_err(|error| {
            let python = python.display();
            let advice = advice();
            failed(format!("{python}: {error}: {advice}"))
        })?;
        let (said, complaints) = (python.stdout.take(), python.stderr.take());
        // From here on it is ended whatever happens.
        let mut ray = Self {
            python,
            threads: NonZeroUsize::MIN,
            addresses: Addresses::default(),
            ending: Arc::default(),
        };
        let (Some(said), Some(complaints)) = (said, complaints) else {
            return Err(failed("a process without pipes".to_owned()));
        };
        let lines = follow(said);
        // Of all that it complains of, the last line says why it ended.
        let complaints = thread::spawn(move || {
            let mut last = String::new();
            for line in BufReader::new(complaints).lines().map_while(Result::ok) {
                tracing::debug!(%line, "Ray");
                last = line;
            }
            last
        });
        loop {
            if cancel.is_cancelled() {
                return Err(ClusterError::Cancelled);
            }
            match lines.recv_timeout(LOOK) {
                Ok(placed) => {
                    ray.addresses = Addresses::from(placed.addresses);
                    ray.threads = placed.threads;
                    break;
                }
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => {
                    let reason = complaints.join().unwrap_or_default();
                    return Err(failed(match reason.as_str() {
                        "" => "it ended without a word".to_owned(),
                        lacks if lacks.contains("No module named") => {
                            format!("{lacks}: {}", advice())
                        }
                        _ => reason,
                    }));
                }
            }
        }
        let (addresses, ending) = (ray.addresses.clone(), Arc::clone(&ray.ending));
        thread::spawn(move || {
            for placed in lines {
                for (place, address) in placed.addresses.into_iter().enumerate() {
                    if place == addresses.len() {
                        addresses.push(address);
                    } else if addresses.get(place).as_ref() != Some(&address) {
                        addresses.set(place, address);
                    }
                }
            }
            if !ending.load(Ordering::Relaxed) {
                tracing::error!(
                    "the process that places workers on the Ray cluster has ended, and they with it"
                );
            }
        });
        Ok(ray)
    }

    /// Where they are, also later.
    #[must_use]
    pub fn addresses(&self) -> Addresses {
        self.addresses.clone()
    }

    /// Threads of each.
    #[must_use]
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }
}

/// What to do where Python, or what it needs, is not there.
fn advice() -> String {
    format!("Ray wants Python with `pip install \"blindcore[ray]\"`; {PYTHON} says which")
}

fn command(wanted: &Wanted, python: &std::ffi::OsStr) -> Command {
    let mut command = Command::new(python);
    command
        .args(["-m", "blindcore._ray_workers", "--cluster", &wanted.cluster])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    // What is sent to this process and all that belong to it is not for the workers: these end with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    let numbers = [
        ("--workers", wanted.machines),
        ("--threads", wanted.threads),
    ];
    for (flag, number) in numbers {
        if let Some(number) = number {
            command.arg(flag).arg(number.to_string());
        }
    }
    for (flag, path) in [("--key", &wanted.key), ("--tls", &wanted.tls)] {
        if let Some(path) = path {
            command.arg(flag).arg(path);
        }
    }
    command
}

/// What Python says, line after line.
fn follow(said: ChildStdout) -> Receiver<Placed> {
    let (to, from) = channel();
    thread::spawn(move || {
        for line in BufReader::new(said).lines().map_while(Result::ok) {
            // Ray itself may have something to say.
            let Ok(placed) = serde_json::from_str(&line) else {
                continue;
            };
            if to.send(placed).is_err() {
                break;
            }
        }
    });
    from
}

impl Drop for Ray {
    /// Its standard input ends, and with it the workers.
    fn drop(&mut self) {
        self.ending.store(true, Ordering::Relaxed);
        self.python.stdin.take();
        let deadline = Instant::now() + ENDING;
        while Instant::now() < deadline {
            if !matches!(self.python.try_wait(), Ok(None)) {
                return;
            }
            thread::sleep(LOOK);
        }
        // Ray ends what belongs to a process that is gone.
        let _ = self.python.kill();
        let _ = self.python.wait();
    }
}
