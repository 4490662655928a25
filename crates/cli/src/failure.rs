//! How a command fails: one line that says what, where and what to do next, and an exit code that
//! a script can tell apart.

use std::fmt;
use std::io::Write;
use std::path::Path;
use std::process::ExitCode;

use session::ErrorKind;
use values::InputError;
use wire::WireError;

/// Exit codes. They are part of the interface: `blindcore --help` lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Code {
    /// A defect in Blindcore itself.
    Internal = 1,
    /// The command line is wrong (clap's own code too).
    Usage = 2,
    /// A value does not fit its variable, a name is unknown, or nothing says where the program
    /// begins or what it leaves.
    Input = 3,
    /// A file is not ours, of the wrong kind, truncated, over-long or corrupted.
    File = 4,
    /// Key and file do not belong together, or have different parameters.
    Key = 5,
    /// The program is no A32 ELF that we can load, and no right HE assembly.
    Program = 6,
    /// The program did what no program may: bad memory access, unknown instruction.
    Fault = 7,
    /// The program exceeded `--max-instructions`.
    Limit = 8,
    /// The program branches on, or addresses memory by, a secret.
    Secret = 9,
    /// The operating system refused to read or write a file.
    Io = 10,
    /// The file is no circuit that can be read.
    Circuit = 11,
    /// The server cannot be reached, or the connection did not come back.
    Unreachable = 12,
    /// A certificate is not accepted.
    Certificate = 13,
    /// The server refuses or fails: quota, permission, a defect of its own.
    Server = 14,
    /// A question of the program is not answered: the policy refuses.
    Answer = 15,
    /// The job was cancelled.
    Cancelled = 16,
    /// A secret key's passphrase is missing, wrong or unusable.
    Passphrase = 17,
    /// Ctrl-C.
    Interrupted = 130,
}

/// The list for `--help`.
pub const EXIT_CODES: &str = "\
Exit codes:
    0  done
    1  a defect in Blindcore itself: please report it
    2  the command line is wrong
    3  a value does not fit its variable, a name is unknown, or it is not said where the
       program begins or what it leaves
    4  a file is not Blindcore's, of the wrong kind, truncated, over-long or corrupted
    5  key and file do not belong together
    6  the program is no A32 ELF that can be loaded, and no HE assembly without errors
    7  the program made a fault: memory out of range, unknown instruction
    8  the program exceeded --max-instructions
    9  the program branches on a secret or addresses memory by one
   10  a file could not be read or written
   11  a circuit file cannot be read as one
   12  the server cannot be reached, or the connection did not come back
   13  a certificate is not accepted
   14  the server refuses or fails: quota, permission, a defect of its own
   15  a question of the program is not answered: the policy refuses
   16  the job was cancelled
   17  a secret key's passphrase is missing, wrong or unusable
  130  interrupted";

/// A failed command.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// What kind of failure, for scripts.
    pub code: Code,
    /// One line, for people.
    pub message: String,
}

impl Failure {
    /// A failure with its line.
    pub fn new(code: Code, message: impl Into<String>) -> Failure {
        Failure {
            code,
            message: message.into(),
        }
    }

    /// A command line that cannot be read: what the parser says, in one line.
    pub fn usage(error: &clap::Error) -> Failure {
        let text = error.to_string();
        // The other paragraphs are the usage, and where help is.
        let paragraphs: Vec<String> = text
            .split("\n\n")
            .filter(|part| !part.starts_with("Usage:") && !part.starts_with("For more"))
            .map(|part| part.split_whitespace().collect::<Vec<_>>().join(" "))
            .collect();
        let paragraphs = paragraphs.join("; ");
        let message = paragraphs.strip_prefix("error: ").unwrap_or(&paragraphs);
        Failure::new(Code::Usage, format!("{message} (see --help)"))
    }

    /// A file of ours that cannot be used or written.
    pub fn file(path: &Path, error: &WireError) -> Failure {
        session::Error::file(path, error).into()
    }

    /// The operating system refused.
    pub fn io(path: &Path, operation: &'static str, error: &std::io::Error) -> Failure {
        session::Error::io(path, operation, error).into()
    }

    /// Prints the line to standard error and gives the code to the operating system.
    pub fn report(&self) -> ExitCode {
        // The exit code reports the failure even if nobody reads the message.
        let _ = writeln!(std::io::stderr(), "blindcore: {}", self.message);
        ExitCode::from(self.code as u8)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

impl From<session::Error> for Failure {
    fn from(error: session::Error) -> Failure {
        let code = match error.kind {
            ErrorKind::Usage => Code::Usage,
            ErrorKind::Input => Code::Input,
            ErrorKind::File => Code::File,
            ErrorKind::Key => Code::Key,
            ErrorKind::Program => Code::Program,
            ErrorKind::Fault => Code::Fault,
            ErrorKind::Limit => Code::Limit,
            ErrorKind::Secret => Code::Secret,
            ErrorKind::Io => Code::Io,
            ErrorKind::Answer => Code::Answer,
            ErrorKind::Passphrase => Code::Passphrase,
            ErrorKind::Interrupted => Code::Interrupted,
            _ => Code::Internal,
        };
        Failure::new(code, error.message)
    }
}

impl From<InputError> for Failure {
    fn from(error: InputError) -> Failure {
        session::Error::from(error).into()
    }
}
