//! Reading files: whatever a header rules out is refused before its content is read.

use std::fs::File;
use std::io::Read;
use std::path::Path;

use zeroize::Zeroizing;

use crate::container::{HEADER_BYTES, Header};
use crate::{Kind, WireError};

/// Reads a container from a file and checks all of it; with `expected`, another kind is refused
/// before its content is read.
///
/// # Errors
/// [`WireError::Io`] and those of [`crate::container::open`].
pub fn read_container(
    path: &Path,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    let file = File::open(path).map_err(|e| WireError::io("open", &e))?;
    read_from(file, expected)
}

/// [`read_container`] from any source of bytes.
///
/// # Errors
/// As for [`read_container`].
pub fn read_from(
    mut source: impl Read,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    let mut start = Vec::with_capacity(HEADER_BYTES);
    source
        .by_ref()
        .take(HEADER_BYTES as u64)
        .read_to_end(&mut start)
        .map_err(|e| WireError::io("read", &e))?;
    let (header, checksum) = Header::parse(&start)?;
    if let Some(expected) = expected {
        header.expect(expected)?;
    }
    header.check_promises()?;
    // The declared length is a claim: the buffer grows only as the bytes really come. What is
    // small enough to be a secret key fits the first allocation, so that no copy is left behind.
    let limit = header.payload_length + 1;
    let largest_secret = match header.kind {
        Kind::GentryHaleviSecretKey => header.kind.payload_limit(),
        _ => Kind::SecretKey.payload_limit(),
    };
    let first = limit.min(largest_secret + 1) as usize;
    let mut payload = Zeroizing::new(Vec::with_capacity(first));
    source
        .take(limit)
        .read_to_end(&mut payload)
        .map_err(|e| WireError::io("read", &e))?;
    let length = payload.len() as u64;
    header.check_length(HEADER_BYTES as u64 + length)?;
    checksum.check(&header, &payload)?;
    Ok((header, payload))
}
