//! The container that every file shares: a header of 100 bytes, then the payload.
//!
//! | bytes | field |
//! |---|---|
//! | 0–7 | magic: `89 42 43 54 0d 0a 1a 0a`, so that a transfer in text mode or over seven bits shows at once |
//! | 8–9 | format version: 1; 2 for inputs made with a public key and for secret keys behind a passphrase; 3 and 4 for inputs with large variables; 2 for outputs and checkpoints with bits at scale 1/2, or with rows of bits |
//! | 10–11 | kind |
//! | 12–43 | fingerprint of the parameter set |
//! | 44–59 | key id |
//! | 60–67 | payload length |
//! | 68–99 | BLAKE3 of bytes 0–67 and the payload |
//!
//! A table that has more rows than the slots of a vector is several containers, one after the other
//! ([`bgv::Batches`](crate::bgv::Batches)), and so is a table under TFHE
//! ([`TableRows`](crate::TableRows)); every other file is one.
//!
//! The payload of a secret key of version 2 is that of version 1, encrypted; header and all that stands before the
//! ciphertext are authenticated with it (`protection.rs`).
//!
//! Integers are little-endian. Readers check in this order: magic, kind, version of the kind,
//! declared length against the kind's limit, fingerprint against the parameter sets of this
//! release, a key's declared length against its set, real length against the declared one,
//! checksum. Only then is the payload looked at. The checksum finds accidents; it is no signature.

use tfhe::KeyId;
use zeroize::{Zeroize, Zeroizing};

use crate::kind::{Kind, Role, Scheme};
use crate::{Fingerprint, WireError, keys, public_key};

/// First bytes of every file.
pub const MAGIC: [u8; 8] = [0x89, b'B', b'C', b'T', 0x0d, 0x0a, 0x1a, 0x0a];
/// The format version of all files but those that need a newer one.
pub const FORMAT_VERSION: u16 = 1;
/// The format version of inputs whose masks follow from no seed.
pub const GIVEN_MASKS_VERSION: u16 = 2;
/// The format version of inputs whose large values begin ciphertexts of their own.
pub const PADDED_VERSION: u16 = 3;
/// The same where masks follow from no seed.
pub const PADDED_MASKS_VERSION: u16 = 4;
/// The format version of outputs and checkpoints with bits at scale 1/2, or with rows of bits.
pub const HALVES_VERSION: u16 = 2;
/// The format version of outputs of which some share a row's mask.
pub const OUTPUT_ROWS_VERSION: u16 = 3;
/// The format version of secret keys behind a passphrase.
pub const PROTECTED_VERSION: u16 = 2;
/// Bytes that protection adds to a payload: cost, salt and nonce before the ciphertext, the tag
/// after it.
pub const PROTECTION_BYTES: usize = 72;
/// Bytes before the payload.
pub const HEADER_BYTES: usize = 100;
/// Bytes of the header that the checksum covers.
pub(crate) const CHECKED_BYTES: usize = 68;

/// What stands before the payload, checksum aside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The format version the file was written in.
    pub version: u16,
    /// What the file holds.
    pub kind: Kind,
    /// The parameter set.
    pub fingerprint: Fingerprint,
    /// The key pair that the content belongs to.
    pub key: KeyId,
    /// Payload bytes that follow the header.
    pub payload_length: u64,
}

impl Header {
    /// Parses and checks the first bytes of a file: magic, kind, version, declared length. The
    /// checksum field is returned beside.
    ///
    /// # Errors
    /// [`WireError::NotOurs`], [`WireError::Truncated`], [`WireError::Malformed`] for version 0,
    /// [`WireError::UnknownKind`], [`WireError::NewerFormat`], [`WireError::Oversized`].
    pub fn parse(bytes: &[u8]) -> Result<(Header, Checksum), WireError> {
        let present = bytes.len().min(MAGIC.len());
        if bytes[..present] != MAGIC[..present] {
            return Err(WireError::NotOurs);
        }
        let Some(bytes) = bytes.first_chunk::<HEADER_BYTES>() else {
            return Err(WireError::Truncated {
                length: bytes.len() as u64,
                expected: HEADER_BYTES as u64,
            });
        };
        let version = u16::from_le_bytes(field(bytes, 8));
        if version == 0 {
            return Err(WireError::malformed("there is no format version 0"));
        }
        let kind = Kind::from_code(u16::from_le_bytes(field(bytes, 10)))?;
        let newest = kind.newest_version();
        if version > newest {
            return Err(WireError::NewerFormat {
                found: version,
                newest,
            });
        }
        let payload_length = u64::from_le_bytes(field(bytes, 60));
        if payload_length > kind.payload_limit() {
            return Err(WireError::Oversized {
                kind,
                declared: payload_length,
                limit: kind.payload_limit(),
            });
        }
        let header = Header {
            version,
            kind,
            fingerprint: Fingerprint(field(bytes, 12)),
            key: KeyId::from_bytes(field(bytes, 44)),
            payload_length,
        };
        Ok((header, Checksum(field(bytes, CHECKED_BYTES))))
    }

    /// Length of the whole file, in bytes.
    pub fn file_length(&self) -> u64 {
        HEADER_BYTES as u64 + self.payload_length
    }

    /// Refuses another kind than `expected`.
    ///
    /// # Errors
    /// [`WireError::WrongKind`].
    pub fn expect(&self, expected: Kind) -> Result<(), WireError> {
        if self.kind == expected {
            Ok(())
        } else {
            Err(WireError::WrongKind {
                found: self.kind,
                expected,
            })
        }
    }

    /// Whether the payload is encrypted with a passphrase.
    pub fn is_protected(&self) -> bool {
        self.kind.is_secret_key() && self.version == PROTECTED_VERSION
    }

    /// The header that the same content has without protection.
    ///
    /// # Errors
    /// [`WireError::Malformed`] if there is less content than protection alone takes.
    pub(crate) fn unprotected(&self) -> Result<Header, WireError> {
        let inner = self.payload_length.checked_sub(PROTECTION_BYTES as u64);
        let payload_length = inner.ok_or_else(|| {
            WireError::malformed(format!(
                "{} bytes are too few for a key behind a passphrase",
                self.payload_length
            ))
        })?;
        Ok(Header {
            version: FORMAT_VERSION,
            payload_length,
            ..*self
        })
    }

    /// Refuses what needs no content to be wrong: parameters that nobody knows, and keys of
    /// another length than their parameters give.
    ///
    /// # Errors
    /// [`WireError::UnknownParameters`], [`WireError::Malformed`].
    pub fn check_promises(&self) -> Result<(), WireError> {
        if self.is_protected() {
            return self.unprotected()?.check_promises();
        }
        match self.kind.scheme() {
            Scheme::Tfhe => {}
            #[cfg(feature = "bgv")]
            Scheme::Bgv => return crate::bgv::check_promises(self),
            #[cfg(feature = "gentry-halevi")]
            Scheme::GentryHalevi => return crate::gentry_halevi::check_promises(self),
            #[cfg(not(all(feature = "bgv", feature = "gentry-halevi")))]
            _ => return Err(WireError::NotBuilt { kind: self.kind }),
        }
        let parameters = self.fingerprint.parameters()?;
        let expected = match self.kind.role() {
            Role::SecretKey => keys::secret_payload(&parameters),
            Role::ServerKey => keys::server_payload(&parameters),
            Role::SelectorKey => keys::selector_payload(&parameters),
            Role::PublicKey => public_key::payload(&parameters),
            Role::Inputs
            | Role::Outputs
            | Role::Checkpoint
            | Role::InputTable
            | Role::OutputTable => return Ok(()),
        };
        if self.payload_length == expected as u64 {
            return Ok(());
        }
        Err(WireError::malformed(format!(
            "{} of the set {} has {expected} bytes, the header declares {}",
            self.kind,
            parameters.name(),
            self.payload_length
        )))
    }

    /// Refuses a file of another length than the header declares.
    ///
    /// # Errors
    /// [`WireError::Truncated`], [`WireError::TrailingBytes`].
    pub(crate) fn check_length(&self, length: u64) -> Result<(), WireError> {
        let expected = self.file_length();
        match length {
            length if length < expected => Err(WireError::Truncated { length, expected }),
            length if length > expected => Err(WireError::TrailingBytes { expected }),
            _ => Ok(()),
        }
    }

    /// The header's bytes, before the payload whose parts are given.
    pub(crate) fn bytes(
        &self,
        parts: &mut dyn FnMut(Take<'_>),
    ) -> Result<[u8; HEADER_BYTES], WireError> {
        let (length, limit) = (self.payload_length, self.kind.payload_limit());
        if length > limit {
            let kind = self.kind;
            return Err(WireError::Unstorable {
                reason: format!("{length} bytes are more than {kind} may hold ({limit})"),
            });
        }
        let mut bytes = [0; HEADER_BYTES];
        bytes[..CHECKED_BYTES].copy_from_slice(&self.checked_bytes());
        bytes[CHECKED_BYTES..].copy_from_slice(&Checksum::of_parts(self, parts).0);
        Ok(bytes)
    }

    pub(crate) fn checked_bytes(&self) -> [u8; CHECKED_BYTES] {
        let mut bytes = [0; CHECKED_BYTES];
        bytes[0..8].copy_from_slice(&MAGIC);
        bytes[8..10].copy_from_slice(&self.version.to_le_bytes());
        bytes[10..12].copy_from_slice(&self.kind.code().to_le_bytes());
        bytes[12..44].copy_from_slice(&self.fingerprint.0);
        bytes[44..60].copy_from_slice(self.key.as_bytes());
        bytes[60..68].copy_from_slice(&self.payload_length.to_le_bytes());
        bytes
    }
}

/// Who takes the parts of a payload, one after the other.
pub type Take<'a> = &'a mut dyn FnMut(&[u8]);

/// BLAKE3 of header and payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Checksum([u8; 32]);

impl Checksum {
    fn of(header: &Header, payload: &[u8]) -> Checksum {
        Self::of_parts(header, &mut |take| take(payload))
    }

    /// As [`of`](Self::of), for a payload that comes in parts.
    pub(crate) fn of_parts(header: &Header, parts: &mut dyn FnMut(Take<'_>)) -> Checksum {
        let mut hasher = blake3::Hasher::new();
        hasher.update(&header.checked_bytes());
        parts(&mut |part| {
            hasher.update(part);
        });
        let checksum = Checksum(hasher.finalize().into());
        // The state holds the last bytes of what may be a secret key.
        hasher.zeroize();
        checksum
    }

    /// Checks header and payload against the checksum that was stored with them.
    ///
    /// # Errors
    /// [`WireError::Corrupted`].
    pub fn check(&self, header: &Header, payload: &[u8]) -> Result<(), WireError> {
        if *self == Checksum::of(header, payload) {
            Ok(())
        } else {
            Err(WireError::Corrupted)
        }
    }
}

/// A whole file in memory: checks everything that the container promises and returns header and
/// payload.
///
/// # Errors
/// Those of [`Header::parse`] and [`Header::check_promises`], then [`WireError::Truncated`],
/// [`WireError::TrailingBytes`], [`WireError::Corrupted`].
pub fn open(bytes: &[u8]) -> Result<(Header, &[u8]), WireError> {
    let (header, checksum) = Header::parse(bytes)?;
    header.check_promises()?;
    header.check_length(bytes.len() as u64)?;
    let payload = &bytes[HEADER_BYTES..];
    checksum.check(&header, payload)?;
    Ok((header, payload))
}

/// Puts the header of the first format version before a payload. Buffers are erased when dropped,
/// since the payload may be a secret key.
///
/// # Errors
/// [`WireError::Unstorable`] when the payload is longer than readers accept.
pub fn seal(
    kind: Kind,
    fingerprint: Fingerprint,
    key: KeyId,
    payload: &[u8],
) -> Result<Zeroizing<Vec<u8>>, WireError> {
    seal_as(FORMAT_VERSION, kind, fingerprint, key, payload)
}

/// [`seal`] in a format version.
///
/// # Errors
/// As for [`seal`].
pub fn seal_as(
    version: u16,
    kind: Kind,
    fingerprint: Fingerprint,
    key: KeyId,
    payload: &[u8],
) -> Result<Zeroizing<Vec<u8>>, WireError> {
    let mut bytes = Zeroizing::new(Vec::with_capacity(HEADER_BYTES + payload.len()));
    let header = Header {
        version,
        kind,
        fingerprint,
        key,
        payload_length: payload.len() as u64,
    };
    let header = header.bytes(&mut |take| take(payload))?;
    bytes.extend_from_slice(&header);
    bytes.extend_from_slice(payload);
    Ok(bytes)
}

/// The header of a payload that is nowhere as a whole: `parts` passes its parts to a callback, in
/// order, `payload_length` bytes in all.
pub(crate) fn head(
    (version, kind): (u16, Kind),
    fingerprint: Fingerprint,
    key: KeyId,
    payload_length: u64,
    parts: &mut dyn FnMut(Take<'_>),
) -> Result<[u8; HEADER_BYTES], WireError> {
    let header = Header {
        version,
        kind,
        fingerprint,
        key,
        payload_length,
    };
    header.bytes(parts)
}

/// `WIDTH` bytes of the header from `start`. Every caller's range lies inside by construction.
fn field<const WIDTH: usize>(header: &[u8; HEADER_BYTES], start: usize) -> [u8; WIDTH] {
    std::array::from_fn(|index| header[start + index])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        seal(
            Kind::INPUTS,
            Fingerprint::of(&tfhe::TOY_BLOCK),
            KeyId::from_bytes([9; 16]),
            b"payload",
        )
        .unwrap()
        .to_vec()
    }

    #[test]
    fn a_sealed_payload_opens() {
        let bytes = sample();
        let (header, payload) = open(&bytes).unwrap();
        assert_eq!(payload, b"payload");
        assert_eq!(
            header,
            Header {
                version: 1,
                kind: Kind::INPUTS,
                fingerprint: Fingerprint::of(&tfhe::TOY_BLOCK),
                key: KeyId::from_bytes([9; 16]),
                payload_length: 7
            }
        );
    }

    #[test]
    fn every_flipped_bit_is_noticed() {
        let good = sample();
        for position in 0..good.len() {
            for bit in 0..8 {
                let mut bytes = good.clone();
                bytes[position] ^= 1 << bit;
                let error = open(&bytes).unwrap_err();
                let fits = match position {
                    0..8 => error == WireError::NotOurs,
                    // Bit 1 of version 1 makes version 3, which inputs have; bit 0 makes version 0.
                    8 if bit == 1 => error == WireError::Corrupted,
                    8..10 => matches!(
                        error,
                        WireError::NewerFormat { .. } | WireError::Malformed { .. }
                    ),
                    // Inputs (3) become a table of outputs (19), of any length.
                    10 if bit == 4 => error == WireError::Corrupted,
                    // Or a key (1, 2) of an impossible length, a key of another scheme (7) that does
                    // not have the set, or nothing.
                    10..12 => matches!(
                        error,
                        WireError::UnknownKind { .. }
                            | WireError::Malformed { .. }
                            | WireError::UnknownParameters { .. }
                    ),
                    12..44 => matches!(error, WireError::UnknownParameters { .. }),
                    60..68 => matches!(
                        error,
                        WireError::Truncated { .. }
                            | WireError::TrailingBytes { .. }
                            | WireError::Oversized { .. }
                    ),
                    _ => error == WireError::Corrupted,
                };
                assert!(fits, "byte {position} bit {bit}: {error:?}");
            }
        }
    }

    #[test]
    fn every_truncation_and_extension_is_noticed() {
        let good = sample();
        for length in 0..good.len() {
            let expected = if length < HEADER_BYTES {
                HEADER_BYTES
            } else {
                good.len()
            } as u64;
            assert_eq!(
                open(&good[..length]).unwrap_err(),
                WireError::Truncated {
                    length: length as u64,
                    expected
                }
            );
        }
        let mut long = good.clone();
        long.push(0);
        assert_eq!(
            open(&long).unwrap_err(),
            WireError::TrailingBytes {
                expected: good.len() as u64
            }
        );
    }
}
