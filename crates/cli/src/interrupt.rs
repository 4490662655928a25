//! Ctrl-C: the first one asks the command to stop, the second one ends the process.
//!
//! SIGTERM and SIGHUP count as Ctrl-C. A signal that was ignored when the command began stays
//! ignored: that is how `nohup` and the shell's background jobs want it.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use circuits::exec::Cancel;

use crate::failure::{Code, Failure};

/// Whether this process has taken Ctrl-C over.
static LISTENING: AtomicBool = AtomicBool::new(false);

/// Asks for something on a terminal whose settings are changed meanwhile. Ctrl-C there ends the
/// question, as an error of it, before it ends the process, so that the terminal gets its settings
/// back.
pub(crate) fn while_asking<T>(ask: impl FnOnce() -> T) -> T {
    if LISTENING.load(Ordering::Relaxed) {
        return ask();
    }
    signals::deferring(ask)
}

/// Listens from its creation until the process ends. One command makes at most one.
pub(crate) struct Interrupt {
    cancel: Cancel,
    leftovers: Leftovers,
}

/// What the second Ctrl-C removes, since nothing is dropped then.
type Leftovers = Arc<Mutex<Vec<PathBuf>>>;

impl Interrupt {
    /// Takes the signals over.
    pub(crate) fn listen() -> Result<Interrupt, Failure> {
        let interrupt = Interrupt {
            cancel: Cancel::new(),
            leftovers: Leftovers::default(),
        };
        signals::listen(interrupt.cancel.clone(), Arc::clone(&interrupt.leftovers)).map_err(
            |error| Failure::new(Code::Internal, format!("cannot watch for Ctrl-C: {error}")),
        )?;
        LISTENING.store(true, Ordering::Relaxed);
        Ok(interrupt)
    }

    /// Has the first signal end the process at once: for a command that leaves nothing behind, and
    /// whose work is walks over large circuits, which look at no token.
    pub(crate) fn at_once() -> Result<(), Failure> {
        let interrupt = Interrupt::listen()?;
        interrupt.cancel.cancel();
        Ok(())
    }

    /// What the first Ctrl-C cancels.
    pub(crate) fn cancel(&self) -> Cancel {
        self.cancel.clone()
    }

    /// An error if the command was asked to stop.
    pub(crate) fn check(&self) -> Result<(), Failure> {
        if self.cancel.is_cancelled() {
            return Err(Failure::new(Code::Interrupted, "interrupted"));
        }
        Ok(())
    }

    /// Has a temporary file, or a directory with all that is in it, removed if the process ends
    /// early.
    pub(crate) fn removes(&self, path: &Path) {
        let mut leftovers = self
            .leftovers
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        leftovers.push(path.to_path_buf());
    }
}

#[cfg(unix)]
mod signals {
    use std::io::{IsTerminal, Write};
    use std::{fs, io, process, thread};

    use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
    use signal_hook::flag;
    use signal_hook::iterator::Signals;

    use super::{Arc, AtomicBool, Cancel, Code, Leftovers, Ordering, PoisonError};

    pub(super) fn listen(cancel: Cancel, leftovers: Leftovers) -> io::Result<()> {
        let ignored = ignored();
        let wanted = [SIGINT, SIGTERM, SIGHUP];
        let heeded = wanted
            .iter()
            .filter(|signal| ignored >> (**signal - 1) & 1 == 0);
        let mut signals = Signals::new(heeded)?;
        thread::Builder::new()
            .name("signals".to_owned())
            .spawn(move || {
                for _ in signals.forever() {
                    if cancel.is_cancelled() {
                        for path in &*leftovers.lock().unwrap_or_else(PoisonError::into_inner) {
                            // Either may fail: it may be gone, or be of the other kind.
                            let _ = fs::remove_file(path);
                            let _ = fs::remove_dir_all(path);
                        }
                        // Below what is left of a bar; if nobody reads it, the code still tells.
                        let begin = if io::stderr().is_terminal() { "\n" } else { "" };
                        let _ = writeln!(io::stderr(), "{begin}blindcore: interrupted");
                        process::exit(i32::from(Code::Interrupted as u8));
                    }
                    cancel.cancel();
                }
            })
            .map(drop)
    }

    /// Takes Ctrl-C over for a while; from then on it does what it did.
    pub(super) fn deferring<T>(work: impl FnOnce() -> T) -> T {
        let armed = Arc::new(AtomicBool::new(false));
        // Without it, Ctrl-C ends the process at once: no reason to do nothing.
        let _ = flag::register_conditional_default(SIGINT, Arc::clone(&armed));
        let done = work();
        armed.store(true, Ordering::Relaxed);
        done
    }

    /// The signals that are ignored now, signal n at bit n - 1; none where the system does not
    /// tell it in a file, as Linux does.
    fn ignored() -> u64 {
        let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
        mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok())
            .unwrap_or(0)
    }
}

#[cfg(not(unix))]
mod signals {
    use super::{Cancel, Leftovers};

    pub(super) fn deferring<T>(work: impl FnOnce() -> T) -> T {
        work()
    }

    /// The system ends the process by itself.
    pub(super) fn listen(_: Cancel, _: Leftovers) -> std::io::Result<()> {
        Ok(())
    }
}
