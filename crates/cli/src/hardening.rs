//! What keeps a secret key that a process has read inside that process: no core dump, no debugger
//! of another process of the same user, no swap. As far as the system goes; where it does not, one
//! line says so.
//!
//! Pages are locked one buffer at a time ([`random::LockedBuffer`]), and not all of the process's:
//! a run that answers questions takes a gigabyte, which few systems let anybody lock.

use std::io::Write;
use std::path::Path;
use std::sync::Once;

/// To be called before a secret is read or made. What it does lasts until the process ends.
pub(crate) fn begin() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        if let Err(reason) = system::forbid_looking() {
            say(&format!(
                "{reason}: a crash may write the secret key to a file"
            ));
        }
    });
}

/// Says it, once, if something secret is not in locked memory.
pub(crate) fn report_unlocked_memory() {
    static ONCE: Once = Once::new();
    if random::memory_locks_refused() {
        ONCE.call_once(|| {
            say(
                "too little memory may be locked (see `ulimit -l`): secrets may be written to swap",
            );
        });
    }
}

/// Says it, once, if others than its owner may read a secret key's file.
pub(crate) fn report_readable(path: &Path) {
    static ONCE: Once = Once::new();
    if system::others_may_read(path) {
        ONCE.call_once(|| {
            let path = path.display();
            say(&format!(
                "{path}: others than you may read this secret key, and decrypt whatever you can: \
                 chmod 600 {path}"
            ));
        });
    }
}

fn say(message: &str) {
    // The work is worth more than that somebody reads about it.
    let _ = writeln!(std::io::stderr(), "blindcore: note: {message}");
}

#[cfg(unix)]
mod system {
    use std::os::unix::fs::PermissionsExt;
    use std::path::Path;

    use rustix::process::{Resource, Rlimit, setrlimit};

    /// Whether group or others may read it. Of what is no file, such as a pipe, the shell decides.
    pub(super) fn others_may_read(path: &Path) -> bool {
        std::fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o044 != 0)
    }

    /// No core dumps; on Linux, no tracing and no reading of the memory by other processes of the
    /// user, either.
    pub(super) fn forbid_looking() -> Result<(), String> {
        let none = Rlimit {
            current: Some(0),
            maximum: Some(0),
        };
        // Where dumps go to a program, the kernel does not look at the limit, but at the other of
        // the two.
        let limit = setrlimit(Resource::Core, none)
            .map_err(|error| format!("core dumps cannot be switched off ({error})"));
        not_dumpable().and(limit)
    }

    #[cfg(target_os = "linux")]
    fn not_dumpable() -> Result<(), String> {
        use rustix::process::{DumpableBehavior, set_dumpable_behavior};
        set_dumpable_behavior(DumpableBehavior::NotDumpable)
            .map_err(|error| format!("the process cannot be made undumpable ({error})"))
    }

    #[cfg(not(target_os = "linux"))]
    fn not_dumpable() -> Result<(), String> {
        Ok(())
    }
}

#[cfg(not(unix))]
mod system {
    pub(super) fn forbid_looking() -> Result<(), String> {
        Err("core dumps cannot be switched off on this system".to_owned())
    }

    /// Who may read files is not said by modes there.
    pub(super) fn others_may_read(_: &std::path::Path) -> bool {
        false
    }
}
