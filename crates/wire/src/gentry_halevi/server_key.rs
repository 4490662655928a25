//! Files of public keys, used where they are.
//!
//! | field | bytes |
//! |---|---|
//! | bits of the modulus | 4 |
//! | how many numbers follow | 4 |
//! | zero, so that the numbers begin at byte 128 of the file | 20 |
//! | modulus d, root r, the first element of each of the s big sets, then s·c encrypted bits | 8⌈bits/64⌉ each |
//!
//! Opening a file checks its header and its lengths against the parameters, then makes one pass
//! over all of it for the checksum (about a second for each gigabyte), telling how far it is.
//! Nothing is allocated for it; the pages are the operating system's, which drops and reads them as
//! it needs memory. A key that comes through a pipe cannot be mapped and is kept in memory as a
//! whole.

use std::fmt;

use gentry_halevi::Parameters;

use super::Key;
use super::numbers::{Length, bytes_of};
use super::parameters::most_bits;
use crate::container::{self, Checksum, FORMAT_VERSION, HEADER_BYTES, Header, Take};
use crate::{Fingerprint, Kind, ParameterSet, WireError};

/// Bytes of the payload before the numbers.
pub(super) const PREAMBLE_BYTES: usize = 28;
/// Where the numbers begin in the file.
const START: usize = HEADER_BYTES + PREAMBLE_BYTES;
/// Bytes between two reports of how far a pass over the file is.
const STRIDE: usize = 1 << 22;

/// A public key in its file: what it takes to compute on ciphertexts, and to make them.
#[derive(Debug)]
pub struct ServerKey {
    header: Header,
    key: Key,
    content: Content,
}

/// All numbers, as the scheme takes them.
impl AsRef<[u64]> for ServerKey {
    fn as_ref(&self) -> &[u64] {
        self.words()
    }
}

/// Where the numbers are.
enum Content {
    /// In the whole file, which somebody else holds.
    Shared(Box<dyn AsRef<[u8]> + Send + Sync>),
    /// The numbers alone.
    Owned(Vec<u64>),
}

impl fmt::Debug for Content {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Shared(_) => "Shared",
            Self::Owned(_) => "Owned",
        })
    }
}

/// Told how many bytes of how many have been checked.
pub(crate) type Checked<'a> = &'a mut dyn FnMut(u64, u64);

impl ServerKey {
    /// A key from the bytes of its file, which stay where they are: a mapping, whose pages the
    /// operating system brings in. Checks all of it, telling how many bytes of how many have been
    /// checked.
    ///
    /// # Errors
    /// Those of [`Header::parse`] and [`Header::check_promises`]; [`WireError::WrongKind`],
    /// [`WireError::Truncated`], [`WireError::TrailingBytes`], [`WireError::Corrupted`],
    /// [`WireError::Malformed`].
    pub fn of_file(
        file: impl AsRef<[u8]> + Send + Sync + 'static,
        checked: Checked<'_>,
    ) -> Result<ServerKey, WireError> {
        let bytes = file.as_ref();
        let (header, checksum) = Header::parse(bytes)?;
        header.expect(Kind::GENTRY_HALEVI_SERVER_KEY)?;
        header.check_promises()?;
        header.check_length(bytes.len() as u64)?;
        let payload = bytes.get(HEADER_BYTES..).unwrap_or(&[]);
        let total = payload.len() as u64;
        let found = Checksum::of_parts(&header, &mut |take| {
            let mut done = 0;
            for part in payload.chunks(STRIDE) {
                take(part);
                done += part.len() as u64;
                checked(done, total);
            }
        });
        if found != checksum {
            return Err(WireError::Corrupted);
        }
        // Numbers are seen in place, as words.
        let numbers = bytes.get(START..).unwrap_or(&[]);
        if bytemuck::try_cast_slice::<u8, u64>(numbers).is_err() {
            return Self::from_payload(&header, payload);
        }
        let preamble = payload.first_chunk().copied();
        Self::checked(header, preamble, Content::Shared(Box::new(file)))
    }

    /// A key from a payload whose container has been checked.
    ///
    /// # Errors
    /// [`WireError::WrongKind`], [`WireError::UnknownParameters`], [`WireError::Malformed`].
    pub fn from_payload(header: &Header, payload: &[u8]) -> Result<ServerKey, WireError> {
        header.expect(Kind::GENTRY_HALEVI_SERVER_KEY)?;
        let bytes = payload.get(PREAMBLE_BYTES..).unwrap_or(&[]);
        let words = bytes.as_chunks::<8>().0.iter();
        let words = words.map(|word| u64::from_le_bytes(*word)).collect();
        let preamble = payload.first_chunk().copied();
        Self::checked(*header, preamble, Content::Owned(words))
    }

    /// Holds the content against the preamble and the header.
    fn checked(
        header: Header,
        preamble: Option<[u8; PREAMBLE_BYTES]>,
        content: Content,
    ) -> Result<ServerKey, WireError> {
        let parameters = Parameters::find(&header.fingerprint)?;
        let Some(preamble) = preamble else {
            return Err(WireError::malformed("the numbers' length is cut off"));
        };
        let word = |at: usize| u32::from_le_bytes(std::array::from_fn(|i| preamble[at + i]));
        let length = Length { bits: word(0) }.check(most_bits(&parameters))?;
        if preamble[8..].iter().any(|&byte| byte != 0) {
            return Err(WireError::malformed(
                "bytes before the numbers are not zero",
            ));
        }
        let count = parameters.public_parts();
        let bytes = (8 * length.limbs() as u64).checked_mul(count as u64);
        let expected = bytes.and_then(|bytes| bytes.checked_add(PREAMBLE_BYTES as u64));
        if word(4) as usize != count || expected != Some(header.payload_length) {
            return Err(WireError::malformed(format!(
                "{} bytes for {} numbers of {} bits; the set {} has {count}",
                header.payload_length,
                word(4),
                length.bits,
                parameters.name(),
            )));
        }
        let key = Key::new(parameters, header.key, length);
        let key = ServerKey {
            header,
            key,
            content,
        };
        if key.words().len() != count * length.limbs() {
            return Err(WireError::malformed("the numbers are cut off"));
        }
        length.hold(key.numbers())?;
        key.key.check(key.modulus(), key.root())?;
        Ok(key)
    }

    /// All numbers in the file's order, one after the other.
    fn words(&self) -> &[u64] {
        match &self.content {
            // The cast was tried before.
            Content::Shared(file) => {
                let bytes = file.as_ref().as_ref().get(START..).unwrap_or(&[]);
                bytemuck::try_cast_slice(bytes).unwrap_or(&[])
            }
            Content::Owned(words) => words,
        }
    }

    fn numbers(&self) -> impl ExactSizeIterator<Item = &[u64]> {
        self.words().chunks_exact(self.key.limbs().max(1))
    }

    fn number(&self, index: usize) -> &[u64] {
        let limbs = self.key.limbs();
        let start = index * limbs;
        self.words().get(start..start + limbs).unwrap_or(&[])
    }

    /// The modulus.
    #[must_use]
    pub fn modulus(&self) -> &[u64] {
        self.number(0)
    }

    /// The root.
    #[must_use]
    pub fn root(&self) -> &[u64] {
        self.number(1)
    }

    /// Whose it is.
    #[must_use]
    pub fn key(&self) -> &Key {
        &self.key
    }

    /// The file's header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Whether the numbers stay in the file.
    #[must_use]
    pub fn is_shared(&self) -> bool {
        matches!(self.content, Content::Shared(_))
    }

    /// The bytes of the file of a key whose numbers are somewhere else, in the file's order, part
    /// by part to the callback. Takes no memory beside them.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] where they are not as many as the parameters have, before anything
    /// is given.
    pub fn encode_to(
        parameters: &Parameters,
        limbs: &[u64],
        take: Take<'_>,
    ) -> Result<(), WireError> {
        let count = parameters.public_parts();
        let part = limbs.len() / count;
        let (modulus, rest) = limbs.split_at_checked(part).unwrap_or_default();
        let root = rest.get(..part).unwrap_or(&[]);
        let key = Key::of(parameters, modulus, root)?;
        if limbs.len() != count * key.limbs() {
            return Err(WireError::Unstorable {
                reason: format!(
                    "{} limbs where the set {} has {count} numbers of {}",
                    limbs.len(),
                    parameters.name(),
                    key.limbs()
                ),
            });
        }
        let mut preamble = [0; PREAMBLE_BYTES];
        preamble[..4].copy_from_slice(&key.modulus_bits().to_le_bytes());
        preamble[4..8].copy_from_slice(&(count as u32).to_le_bytes());
        let bytes = bytes_of(limbs);
        let mut payload = |take: &mut dyn FnMut(&[u8])| {
            take(&preamble);
            take(bytes);
        };
        let length = (PREAMBLE_BYTES + bytes.len()) as u64;
        let fingerprint = Fingerprint::of(parameters);
        let kind = Kind::GENTRY_HALEVI_SERVER_KEY;
        let header = container::head(
            (FORMAT_VERSION, kind),
            fingerprint,
            key.id(),
            length,
            &mut payload,
        )?;
        take(&header);
        payload(take);
        Ok(())
    }
}
