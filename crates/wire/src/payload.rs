//! What stands inside a container: metadata, then bulk arrays.
//!
//! Metadata (names, types, small numbers) is one postcard message after its length; bulk arrays are
//! little-endian integers without lengths of their own, since their sizes follow from metadata and
//! parameter set. A reader therefore knows the exact size of the payload before it allocates, and
//! refuses any other.

use serde::{Serialize, de::DeserializeOwned};
use zeroize::Zeroizing;

use crate::WireError;

/// Bytes of the length before the metadata.
pub(crate) const LENGTH_BYTES: usize = 4;
/// Longest metadata message, in bytes.
pub(crate) const METADATA_LIMIT: usize = 16 << 20;

/// Builds a payload. The buffer has its final size from the start and is erased when dropped, so
/// that no copy of a secret stays behind.
pub struct PayloadWriter {
    bytes: Zeroizing<Vec<u8>>,
}

impl PayloadWriter {
    /// Starts with the metadata and room for `bulk_bytes` more.
    pub(crate) fn new(metadata: &impl Serialize, bulk_bytes: usize) -> Result<Self, WireError> {
        let unstorable = |reason: String| WireError::Unstorable { reason };
        let metadata = postcard::to_stdvec(metadata)
            .map_err(|error| unstorable(format!("metadata: {error}")))?;
        let length = metadata.len();
        if length > METADATA_LIMIT {
            return Err(unstorable(format!(
                "{length} bytes of names and types (at most {METADATA_LIMIT})"
            )));
        }
        let mut bytes = Zeroizing::new(Vec::with_capacity(LENGTH_BYTES + length + bulk_bytes));
        bytes.extend_from_slice(&(length as u32).to_le_bytes());
        bytes.extend_from_slice(&metadata);
        Ok(PayloadWriter { bytes })
    }

    pub(crate) fn bytes(&mut self, values: &[u8]) {
        self.bytes.extend_from_slice(values);
    }

    pub(crate) fn words64(&mut self, values: &[u64]) {
        values
            .iter()
            .for_each(|value| self.bytes.extend_from_slice(&value.to_le_bytes()));
    }

    pub(crate) fn words16(&mut self, values: &[u16]) {
        values
            .iter()
            .for_each(|value| self.bytes.extend_from_slice(&value.to_le_bytes()));
    }

    pub(crate) fn finish(self) -> Zeroizing<Vec<u8>> {
        self.bytes
    }
}

/// Reads a payload front to back.
pub struct PayloadReader<'a> {
    rest: &'a [u8],
}

impl<'a> PayloadReader<'a> {
    /// Takes the metadata off the front.
    pub(crate) fn new<M: DeserializeOwned>(payload: &'a [u8]) -> Result<(M, Self), WireError> {
        let short = || WireError::malformed("the metadata is cut off");
        let (length, rest) = payload
            .split_first_chunk::<LENGTH_BYTES>()
            .ok_or_else(short)?;
        let length = u32::from_le_bytes(*length) as usize;
        if length > METADATA_LIMIT {
            return Err(WireError::malformed("the metadata is too long"));
        }
        let (metadata, rest) = rest.split_at_checked(length).ok_or_else(short)?;
        let (metadata, left) = postcard::take_from_bytes::<M>(metadata)
            .map_err(|error| WireError::malformed(format!("metadata: {error}")))?;
        if !left.is_empty() {
            return Err(WireError::malformed(
                "the metadata is longer than its fields",
            ));
        }
        Ok((metadata, PayloadReader { rest }))
    }

    /// Demands that exactly `bytes` of bulk follow. To be called before the arrays are read.
    pub(crate) fn expect_bulk(&self, bytes: Option<usize>) -> Result<(), WireError> {
        if bytes == Some(self.rest.len()) {
            return Ok(());
        }
        Err(WireError::malformed(match bytes {
            Some(bytes) => format!(
                "{} bytes of data, its parameters and metadata call for {bytes}",
                self.rest.len()
            ),
            None => "the metadata calls for more data than can exist".to_owned(),
        }))
    }

    pub(crate) fn bytes(&mut self, count: usize) -> Result<&'a [u8], WireError> {
        let (taken, rest) = self
            .rest
            .split_at_checked(count)
            .ok_or_else(|| WireError::malformed("the data are cut off"))?;
        self.rest = rest;
        Ok(taken)
    }

    pub(crate) fn array<const COUNT: usize>(&mut self) -> Result<[u8; COUNT], WireError> {
        let (taken, rest) = self
            .rest
            .split_first_chunk::<COUNT>()
            .ok_or_else(|| WireError::malformed("the data are cut off"))?;
        self.rest = rest;
        Ok(*taken)
    }

    /// `count` 64-bit integers. Nothing is allocated unless they are there.
    pub(crate) fn words64(&mut self, count: usize) -> Result<Vec<u64>, WireError> {
        let bytes = self.bytes(count.saturating_mul(8))?;
        Ok(bytes
            .as_chunks::<8>()
            .0
            .iter()
            .map(|chunk| u64::from_le_bytes(*chunk))
            .collect())
    }

    /// `count` 16-bit integers. Nothing is allocated unless they are there.
    pub(crate) fn words16(&mut self, count: usize) -> Result<Vec<u16>, WireError> {
        let bytes = self.bytes(count.saturating_mul(2))?;
        Ok(bytes
            .as_chunks::<2>()
            .0
            .iter()
            .map(|chunk| u16::from_le_bytes(*chunk))
            .collect())
    }
}
