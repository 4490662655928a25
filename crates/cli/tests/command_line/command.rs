//! The built binary, run in a directory of its own.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use tempfile::TempDir;

/// What a command left.
#[derive(Debug)]
pub(crate) struct Ended {
    /// The exit code; `None` if a signal ended it.
    pub(crate) code: Option<i32>,
    /// Standard output.
    pub(crate) out: String,
    /// Standard error.
    pub(crate) err: String,
}

/// A directory to run commands in.
pub(crate) struct Place {
    directory: TempDir,
}

impl Place {
    /// A fresh directory.
    pub(crate) fn new() -> Place {
        Place {
            directory: tempfile::tempdir().unwrap(),
        }
    }

    /// A fresh directory with a key pair `alice` of the default parameters.
    pub(crate) fn with_keys() -> Place {
        let place = Place::new();
        place.done(&["keygen", "--out", "alice", "--no-selectors"]);
        place
    }

    /// Where a file is.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.directory.path().join(name)
    }

    /// Writes a file.
    pub(crate) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        std::fs::write(self.path(name), content).unwrap();
    }

    /// Reads a file.
    pub(crate) fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.path(name)).unwrap()
    }

    /// The names of all files, sorted.
    pub(crate) fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = std::fs::read_dir(self.directory.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// The command, not yet started.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_blindcore"));
        command
            .args(arguments)
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        command
    }

    /// Runs a command to its end.
    pub(crate) fn run(&self, arguments: &[&str]) -> Ended {
        ended(self.command(arguments).output().unwrap())
    }

    /// Runs a shell line with the binary's path as `$blindcore`.
    pub(crate) fn shell(&self, line: &str) -> Ended {
        let mut command = Command::new("sh");
        command
            .args(["-c", line])
            .env("blindcore", env!("CARGO_BIN_EXE_blindcore"))
            .current_dir(self.directory.path())
            .stdin(Stdio::null());
        ended(command.output().unwrap())
    }

    /// Runs a command that must succeed; returns its standard output.
    #[track_caller]
    pub(crate) fn done(&self, arguments: &[&str]) -> String {
        let ended = self.run(arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.out
    }

    /// Runs a command that must fail with this code, in one line that has all of `parts`, and leave
    /// the directory as it was.
    #[track_caller]
    pub(crate) fn fails(&self, code: i32, parts: &[&str], arguments: &[&str]) {
        let before = self.names();
        let ended = self.run(arguments);
        assert_failed(&ended, code, parts);
        assert_eq!(self.names(), before, "{arguments:?}");
    }
}

/// Asserts a failure of one line.
#[track_caller]
pub(crate) fn assert_failed(ended: &Ended, code: i32, parts: &[&str]) {
    assert_eq!(ended.code, Some(code), "{ended:?}");
    let line = ended.err.strip_suffix('\n').unwrap_or(&ended.err);
    assert!(
        line.starts_with("blindcore: ") && !line.contains('\n'),
        "{ended:?}"
    );
    for part in parts {
        assert!(line.contains(part), "no {part:?} in {line:?}");
    }
}

/// What a finished process left.
pub(crate) fn ended(output: std::process::Output) -> Ended {
    Ended {
        code: output.status.code(),
        out: String::from_utf8(output.stdout).unwrap(),
        err: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The path of a file in this repository.
pub(crate) fn repository(path: &str) -> String {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(path)
        .to_str()
        .unwrap()
        .to_owned()
}

/// The path of a program among the processor's fixtures.
pub(crate) fn fixture(name: &str) -> String {
    repository(&format!("crates/processor/tests/programs/{name}"))
}
