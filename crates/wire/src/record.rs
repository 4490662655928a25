//! From things to files and back.

use tfhe::{KeyId, TfheError};
use zeroize::Zeroizing;

use crate::container;
use crate::{Fingerprint, Header, Kind, ParameterSet, WireError};

/// A thing that has a file format: keys, [`Inputs`](crate::Inputs), [`Outputs`](crate::Outputs).
pub trait Record: Sized + payload::Payload {
    /// What its files are.
    const KIND: Kind;
    /// The scheme's parameter sets.
    type Parameters: ParameterSet;

    /// The parameter set it was made with.
    fn parameters(&self) -> &Self::Parameters;

    /// The key pair it belongs to.
    fn key_id(&self) -> KeyId;
}

pub(crate) mod payload {
    use super::*;

    /// The part of a record's format that only this crate needs.
    pub trait Payload: Sized {
        /// The oldest format version that can hold it.
        fn version(&self) -> u16 {
            container::FORMAT_VERSION
        }

        /// The payload of the record's container.
        fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError>;

        /// Reads a payload whose container has been checked.
        fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError>;
    }
}

/// The bytes of a record's file. The buffer is erased when dropped.
///
/// # Errors
/// [`WireError::Unstorable`] when the record is larger than readers accept.
pub fn encode<R: Record>(record: &R) -> Result<Zeroizing<Vec<u8>>, WireError> {
    let fingerprint = Fingerprint::of(record.parameters());
    seal_and_erase(
        (record.version(), R::KIND),
        fingerprint,
        record.key_id(),
        record.write()?,
    )
}

/// Not generic, so that what erases a payload byte by byte is optimised as this crate is.
fn seal_and_erase(
    (version, kind): (u16, Kind),
    fingerprint: Fingerprint,
    key: KeyId,
    payload: Zeroizing<Vec<u8>>,
) -> Result<Zeroizing<Vec<u8>>, WireError> {
    container::seal_as(version, kind, fingerprint, key, &payload)
}

/// Reads a record from the bytes of its file.
///
/// # Errors
/// Those of [`container::open`]; [`WireError::WrongKind`], [`WireError::UnknownParameters`],
/// [`WireError::Malformed`].
pub fn decode<R: Record>(bytes: &[u8]) -> Result<R, WireError> {
    let (header, _) = container::Header::parse(bytes)?;
    header.expect(R::KIND)?;
    let (header, payload) = container::open(bytes)?;
    decode_payload(&header, payload)
}

/// Reads a record from a container that has been read, and so checked, before: for callers that
/// learn the kind from the file.
///
/// # Errors
/// [`WireError::WrongKind`], [`WireError::UnknownParameters`], [`WireError::Malformed`];
/// [`WireError::Protected`] for a key behind a passphrase.
pub fn decode_payload<R: Record>(header: &Header, payload: &[u8]) -> Result<R, WireError> {
    header.expect(R::KIND)?;
    if header.is_protected() {
        return Err(WireError::Protected);
    }
    R::read(header, payload)
}

/// What the scheme's constructors refuse is malformed content.
pub(crate) fn refused(error: TfheError) -> WireError {
    WireError::malformed(error.to_string())
}
