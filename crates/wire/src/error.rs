//! What can be wrong with a file, one variant a reason.
//!
//! Messages say what was found and what was expected; the caller adds which file it was. Nothing in
//! them depends on a secret.

use tfhe::KeyId;

use crate::{Fingerprint, Kind};

/// Why a file could not be read or written.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum WireError {
    /// The first bytes are not ours.
    #[error("not a Blindcore file")]
    NotOurs,
    /// A later release wrote it.
    #[error(
        "written in format version {found}, this Blindcore reads up to version {newest}: update Blindcore"
    )]
    NewerFormat {
        /// The version in the header.
        found: u16,
        /// The newest version this release reads.
        newest: u16,
    },
    /// The kind's code is none that this format version knows.
    #[error("the header names an unknown kind of file ({code})")]
    UnknownKind {
        /// The code in the header.
        code: u16,
    },
    /// A file of ours, but another kind than the caller needs.
    #[error("this is {found}, {expected} was expected")]
    WrongKind {
        /// What it is.
        found: Kind,
        /// What the caller asked for.
        expected: Kind,
    },
    /// A file of a scheme that this program was built without.
    #[error("this is {kind}, and this program was built without that scheme")]
    NotBuilt {
        /// What it is.
        kind: Kind,
    },
    /// The file ends too early.
    #[error("truncated: the file ends at byte {length} of {expected}")]
    Truncated {
        /// Bytes present.
        length: u64,
        /// Bytes that the header promises (or the header's own size).
        expected: u64,
    },
    /// The file goes on after its content.
    #[error("over-long: the content ends at byte {expected}, but more bytes follow")]
    TrailingBytes {
        /// Where the file should have ended.
        expected: u64,
    },
    /// The header promises more than any file of this kind may hold.
    #[error("the header declares {declared} bytes of content, more than {kind} may hold ({limit})")]
    Oversized {
        /// The kind.
        kind: Kind,
        /// The length in the header.
        declared: u64,
        /// The most that is accepted.
        limit: u64,
    },
    /// Header or content were changed after the file was written.
    #[error("corrupted: the checksum does not match the content")]
    Corrupted,
    /// A secret key behind a passphrase, which nobody gave.
    #[error("the key is behind a passphrase")]
    Protected,
    /// A secret key without a passphrase, where one was to be changed or taken away.
    #[error("the key is not behind a passphrase")]
    NotProtected,
    /// The checksum holds, and the passphrase does not open it.
    #[error("wrong passphrase, or the file was changed on purpose: its checksum holds")]
    WrongPassphrase,
    /// Nothing that a key can be put behind.
    #[error("no usable passphrase: {reason}")]
    UnusablePassphrase {
        /// What does not fit.
        reason: &'static str,
    },
    /// The file asks for more work, or more memory, than opening a key may take.
    #[error(
        "the file asks for {memory_kib} KiB of memory, {passes} passes and {lanes} lanes to try a passphrase, which is out of bounds"
    )]
    UnacceptableCost {
        /// Memory, in KiB.
        memory_kib: u32,
        /// Passes over it.
        passes: u32,
        /// Parts of it that are filled beside each other.
        lanes: u32,
    },
    /// The fingerprint belongs to no parameter set of this release.
    #[error("made with parameters that this Blindcore does not know (fingerprint {fingerprint})")]
    UnknownParameters {
        /// The fingerprint in the header.
        fingerprint: Fingerprint,
    },
    /// Ciphertexts and key have different parameters.
    #[error("made with parameter set {found}, the key has {expected}")]
    OtherParameters {
        /// Name of the set the file was made with.
        found: String,
        /// Name of the key's set.
        expected: String,
    },
    /// Same parameters, but another key pair.
    #[error("made with key {found}, this is key {expected}")]
    OtherKey {
        /// Key the file belongs to.
        found: KeyId,
        /// Key that was given.
        expected: KeyId,
    },
    /// The checksum holds, but the content is not what its kind prescribes.
    #[error("malformed content: {reason}")]
    Malformed {
        /// What does not fit.
        reason: String,
    },
    /// A record cannot be written because it breaks a rule that readers check.
    #[error("cannot be stored: {reason}")]
    Unstorable {
        /// The rule.
        reason: String,
    },
    /// The target is something else than a file of the kind to be written.
    #[error("it exists already and is not {expected}")]
    Occupied {
        /// What would have replaced it.
        expected: Kind,
    },
    /// One of a file's batches of rows.
    #[error("batch {number} of {batches}: {error}")]
    Batch {
        /// Which one, from 1.
        number: u32,
        /// How many there are.
        batches: u32,
        /// What is wrong with it; lengths are the whole file's.
        error: Box<WireError>,
    },
    /// One of a table's rows.
    #[error("row {number} of {rows}: {error}")]
    Row {
        /// Which one, from 1.
        number: u32,
        /// How many there are.
        rows: u32,
        /// What is wrong with it; lengths are the whole file's.
        error: Box<WireError>,
    },
    /// One of several files of inputs does not belong to the others.
    #[error("file {} of the inputs: {error}", number + 1)]
    OtherFile {
        /// Which one, from 0.
        number: usize,
        /// How it differs from the first.
        error: Box<WireError>,
    },
    /// Two files of inputs hold the same variable, or one of them holds it twice.
    #[error("{name} is in file {} and in file {} of the inputs", files.0 + 1, files.1 + 1)]
    GivenTwice {
        /// The variable.
        name: String,
        /// Which files, from 0.
        files: (usize, usize),
    },
    /// Tables of inputs of one run that have different numbers of rows.
    #[error("a table of {found} rows beside one of {expected}")]
    OtherRows {
        /// Rows of this one.
        found: u32,
        /// Rows of the first.
        expected: u32,
    },
    /// The operating system refused.
    #[error("cannot {operation}: {message}")]
    Io {
        /// What was being done.
        operation: &'static str,
        /// The kind of failure.
        kind: std::io::ErrorKind,
        /// The operating system's words.
        message: String,
    },
}

impl WireError {
    /// Wraps an error of the operating system with the operation that met it.
    pub fn io(operation: &'static str, error: &std::io::Error) -> Self {
        WireError::Io {
            operation,
            kind: error.kind(),
            message: error.to_string(),
        }
    }

    /// The target exists and was to be kept.
    pub fn exists() -> Self {
        WireError::Io {
            operation: "create",
            kind: std::io::ErrorKind::AlreadyExists,
            message: "it exists already".to_owned(),
        }
    }

    pub(crate) fn malformed(reason: impl Into<String>) -> Self {
        WireError::Malformed {
            reason: reason.into(),
        }
    }
}
