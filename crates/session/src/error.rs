//! Errors of a session: what kind, for programs, and one line that says what, where and what to do
//! next, for people.

use std::fmt;
use std::path::Path;

use processor::{ErrorClass, RunError, Unattended};
use serde::{Deserialize, Serialize};
use values::InputError;
use wire::{Role, WireError};

use crate::policy::{PolicyError, Refusal};
use crate::program::NotACall;

/// What kind of error it is. Faces make exit codes and exceptions of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A defect in Blindcore itself.
    Internal,
    /// What is asked for does not exist or does not go together.
    Usage,
    /// A value does not fit its variable, a name is unknown, or nothing says where the program
    /// begins or what it leaves.
    Input,
    /// A file is not ours, of the wrong kind, truncated, over-long or corrupted.
    File,
    /// Key and file do not belong together, or have different parameters.
    Key,
    /// The program is no A32 ELF that can be loaded, and no right HE assembly.
    Program,
    /// The program did what no program may: bad memory access, unknown instruction.
    Fault,
    /// The program exceeded its limit of instructions, or is too deep for a scheme.
    Limit,
    /// The program branches on, or addresses memory by, a secret.
    Secret,
    /// The operating system refused to read or write a file.
    Io,
    /// A question of the program is not answered.
    Answer,
    /// A secret key's passphrase is missing, wrong or unusable.
    Passphrase,
    /// Somebody cancelled.
    Interrupted,
}

/// An error of a session.
///
/// ```
/// use std::path::Path;
///
/// use blindcore_session::{Error, ErrorKind, Program};
///
/// // One line for people, a kind for programs.
/// let error = Program::load(Path::new("nowhere.elf")).unwrap_err();
/// assert_eq!(error.kind, ErrorKind::Io);
/// assert!(error.to_string().starts_with("nowhere.elf: "), "{error}");
/// assert_eq!(Error::new(ErrorKind::Usage, "one of both").message, "one of both");
/// assert_eq!((Error::internal("x").kind, Error::interrupted().kind), (ErrorKind::Internal, ErrorKind::Interrupted));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// What kind.
    pub kind: ErrorKind,
    /// One line.
    pub message: String,
}

impl Error {
    /// An error with its line.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Error {
        Error {
            kind,
            message: message.into(),
        }
    }

    /// An error that only a defect of ours can cause.
    pub fn internal(error: impl fmt::Display) -> Error {
        let message = format!("{error} (this is a defect: please report it)");
        Error::new(ErrorKind::Internal, message)
    }

    /// Somebody cancelled.
    #[must_use]
    pub fn interrupted() -> Error {
        Error::new(ErrorKind::Interrupted, "interrupted")
    }

    /// A file of ours that cannot be used or written.
    pub fn file(path: &Path, error: &WireError) -> Error {
        // What is wrong with one part of a file is wrong with the file.
        let cause = match error {
            WireError::Batch { error, .. } | WireError::Row { error, .. } => error,
            other => other,
        };
        let kind = match cause {
            WireError::Io { .. } | WireError::Occupied { .. } => ErrorKind::Io,
            WireError::OtherKey { .. }
            | WireError::OtherParameters { .. }
            | WireError::UnknownParameters { .. } => ErrorKind::Key,
            WireError::Unstorable { .. } | WireError::NotProtected => ErrorKind::Input,
            WireError::Protected
            | WireError::WrongPassphrase
            | WireError::UnusablePassphrase { .. } => ErrorKind::Passphrase,
            _ => ErrorKind::File,
        };
        let advice = match cause {
            WireError::Truncated { .. }
            | WireError::TrailingBytes { .. }
            | WireError::Corrupted => ": copy or make the file again",
            WireError::OtherKey { .. } | WireError::OtherParameters { .. } => {
                ": use the key pair that the file was made with"
            }
            WireError::WrongKind { found, expected } if found.role() == Role::PublicKey => {
                match expected.role() {
                    Role::ServerKey => ": a public key only encrypts; NAME.server computes",
                    _ => ": a public key encrypts and reads nothing",
                }
            }
            WireError::WrongKind { found, expected } => match (found.role(), expected.role()) {
                (Role::SelectorKey, Role::ServerKey) => {
                    ": it is the second part of the server key; NAME.server is the first"
                }
                (Role::ServerKey, Role::SelectorKey) => {
                    ": it is the first part of the server key; NAME.selectors is the second"
                }
                _ => "",
            },
            WireError::UnknownParameters { .. } => ": update Blindcore, or make the keys again",
            WireError::Io {
                kind: std::io::ErrorKind::AlreadyExists,
                ..
            } => ": choose another name, or replace it with --force",
            WireError::Protected => {
                ": give --passphrase-file FILE or set BLINDCORE_PASSPHRASE_FILE"
            }
            WireError::Occupied { .. } => ": choose another name, or remove it first",
            _ => "",
        };
        Error::new(kind, format!("{}: {error}{advice}", path.display()))
    }

    /// The operating system refused.
    pub fn io(path: &Path, operation: &'static str, error: &std::io::Error) -> Error {
        Error::file(path, &WireError::io(operation, error))
    }

    /// An error of planning or running the program that is called so.
    #[must_use]
    pub fn run(program: &str, error: &RunError) -> Error {
        let kind = match error.class() {
            ErrorClass::Cancelled => return Error::interrupted(),
            ErrorClass::Input | ErrorClass::Checkpoint => ErrorKind::Input,
            ErrorClass::Program => ErrorKind::Program,
            ErrorClass::Fault => ErrorKind::Fault,
            ErrorClass::Limit => ErrorKind::Limit,
            ErrorClass::Secret => ErrorKind::Secret,
            ErrorClass::Host => of_host(error),
            ErrorClass::Internal => ErrorKind::Internal,
        };
        Error::new(kind, format!("{program}: {error}"))
    }
}

/// What a host ended a run for: nobody answered a question, or what the program wrote could not be
/// kept.
fn of_host(error: &RunError) -> ErrorKind {
    match error {
        RunError::Host { source } if source.is::<Refusal>() || source.is::<Unattended>() => {
            ErrorKind::Answer
        }
        _ => ErrorKind::Io,
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Error {}

impl From<InputError> for Error {
    fn from(error: InputError) -> Error {
        let kind = match error {
            InputError::Unreadable { .. } => ErrorKind::Io,
            InputError::NotAnAssignment { .. } => ErrorKind::Usage,
            _ => ErrorKind::Input,
        };
        Error::new(kind, error.to_string())
    }
}

impl From<NotACall> for Error {
    fn from(error: NotACall) -> Error {
        Error::new(ErrorKind::Usage, error.to_string())
    }
}

impl From<PolicyError> for Error {
    fn from(error: PolicyError) -> Error {
        Error::new(ErrorKind::Input, error.to_string())
    }
}
