//! Containers from a source of bytes: whatever a header rules out is refused before its content is
//! read.

use std::io::{Read, Seek, SeekFrom};

use zeroize::Zeroizing;

use crate::container::{HEADER_BYTES, Header};
use crate::{Kind, WireError};

/// Reads a container, which is all that the source has, and checks all of it; with `expected`,
/// another kind is refused before its content is read.
///
/// # Errors
/// [`WireError::Io`] and those of [`crate::container::open`].
pub fn read_from(
    source: impl Read,
    expected: Option<Kind>,
) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
    Containers::new(source).read(expected.as_slice(), 1)
}

/// Containers that follow each other in one source. Lengths in errors are counted from its
/// beginning.
#[derive(Debug)]
pub struct Containers<S> {
    source: S,
    /// Bytes that have been read.
    offset: u64,
}

impl<S: Read + Seek> Containers<S> {
    /// Goes from header to header through the rest of a file of `length` bytes, which is to hold
    /// `count` more containers: a file that was cut off shows before the first of them is worked
    /// on. `wrong` gets the container's number from 0.
    ///
    /// # Errors
    /// [`WireError::Io`], [`WireError::TrailingBytes`]; by `wrong` those of [`Header::parse`].
    pub(crate) fn check_rest(
        &mut self,
        length: u64,
        count: u32,
        wrong: impl Fn(u32, WireError) -> WireError,
    ) -> Result<(), WireError> {
        let io = |error: std::io::Error| WireError::io("read", &error);
        let mut end = self.offset;
        for number in 0..count {
            self.source.seek(SeekFrom::Start(end)).map_err(io)?;
            let start = start_of(&mut self.source)?;
            let (header, _) =
                Header::parse(&start).map_err(|error| wrong(number, later(error, end)))?;
            end += header.file_length();
            if end > length {
                let expected = end;
                return Err(wrong(number, WireError::Truncated { length, expected }));
            }
        }
        if end < length {
            return Err(WireError::TrailingBytes { expected: end });
        }
        self.source.seek(SeekFrom::Start(self.offset)).map_err(io)?;
        Ok(())
    }
}

impl<S: Read> Containers<S> {
    /// Those of a source that nothing has been read from.
    pub fn new(source: S) -> Self {
        Self { source, offset: 0 }
    }

    /// Reads and checks the next container; with `expected`, another kind is refused before its
    /// content is read.
    ///
    /// # Errors
    /// [`WireError::Io`] and those of [`crate::container::open`], but [`WireError::TrailingBytes`].
    pub fn next_container(
        &mut self,
        expected: Option<Kind>,
    ) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
        self.read(expected.as_slice(), 0)
    }

    /// The same for a container of one of several kinds; of another it is said that the first was
    /// expected.
    ///
    /// # Errors
    /// Those of [`next_container`](Self::next_container).
    pub fn next_of(&mut self, kinds: &[Kind]) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
        self.read(kinds, 0)
    }

    /// Bytes of the containers that were read.
    #[must_use]
    pub fn length(&self) -> u64 {
        self.offset
    }

    /// Refuses bytes that follow.
    ///
    /// # Errors
    /// [`WireError::TrailingBytes`], [`WireError::Io`].
    pub fn end(&mut self) -> Result<(), WireError> {
        let mut rest = Vec::new();
        let read = self.source.by_ref().take(1).read_to_end(&mut rest);
        match read.map_err(|error| WireError::io("read", &error))? {
            0 => Ok(()),
            _ => Err(WireError::TrailingBytes {
                expected: self.offset,
            }),
        }
    }

    /// Reads a container of one of some kinds, of any if none is named, and up to `beyond` bytes more, which are refused.
    fn read(
        &mut self,
        kinds: &[Kind],
        beyond: u64,
    ) -> Result<(Header, Zeroizing<Vec<u8>>), WireError> {
        let offset = self.offset;
        let start = start_of(&mut self.source)?;
        let (header, checksum) = Header::parse(&start).map_err(|error| later(error, offset))?;
        if let Some(first) = kinds.first()
            && !kinds.contains(&header.kind)
        {
            header.expect(*first)?;
        }
        header.check_promises()?;
        // The declared length is a claim: the buffer grows only as the bytes really come. What is
        // small enough to be a secret key fits the first allocation, so that no copy is left
        // behind.
        let limit = header.payload_length + beyond;
        let largest_secret = match header.kind {
            Kind::GENTRY_HALEVI_SECRET_KEY => header.kind.payload_limit(),
            _ => Kind::SECRET_KEY.payload_limit(),
        };
        let first = limit.min(largest_secret + 1) as usize;
        let mut payload = Zeroizing::new(Vec::with_capacity(first));
        self.source
            .by_ref()
            .take(limit)
            .read_to_end(&mut payload)
            .map_err(|e| WireError::io("read", &e))?;
        let length = HEADER_BYTES as u64 + payload.len() as u64;
        header
            .check_length(length)
            .map_err(|error| later(error, offset))?;
        checksum.check(&header, &payload)?;
        self.offset += length;
        Ok((header, payload))
    }
}

/// As many bytes as a header has, if they are there.
fn start_of(source: &mut impl Read) -> Result<Vec<u8>, WireError> {
    let mut start = Vec::with_capacity(HEADER_BYTES);
    let mut head = source.take(HEADER_BYTES as u64);
    head.read_to_end(&mut start)
        .map_err(|e| WireError::io("read", &e))?;
    Ok(start)
}

/// The same of a container that begins `offset` bytes later.
fn later(error: WireError, offset: u64) -> WireError {
    match error {
        WireError::Truncated { length, expected } => WireError::Truncated {
            length: offset + length,
            expected: offset + expected,
        },
        WireError::TrailingBytes { expected } => WireError::TrailingBytes {
            expected: offset + expected,
        },
        other => other,
    }
}
