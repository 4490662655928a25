//! Secret keys behind a passphrase: the feature `secret`.
//!
//! Argon2id (RFC 9106) makes a key of the passphrase, and XChaCha20-Poly1305 encrypts the payload
//! with it. What is encrypted is the payload of format version 1, so that it does not matter whose
//! key it is. The container's header stays readable: it shows what the file is and which key pair
//! it belongs to.
//!
//! | bytes of the payload | field |
//! |---|---|
//! | 0–3 | scheme: 1, for what is described here |
//! | 4–7 | memory of Argon2id, in KiB |
//! | 8–11 | passes |
//! | 12–15 | lanes |
//! | 16–31 | salt |
//! | 32–55 | nonce |
//! | from 56 | ciphertext, as long as the payload of format version 1 |
//! | last 16 | tag |
//!
//! Bytes 0–67 of the header and 0–55 of the payload are authenticated with the ciphertext. Salt and
//! nonce are fresh for every file that is written. The container's checksum is of what stands in
//! the file, so it distinguishes an accident from a wrong passphrase, and reveals nothing about the
//! key.
//!
//! The cost stands in the file, so that it can grow later; a file that asks for more than
//! [`Cost::new`] accepts is refused before any of it is spent.

use argon2::{Algorithm, Argon2, Block, Params, Version};
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use chacha20poly1305::{Key, Tag, XChaCha20Poly1305, XNonce};
use random::{Generator, LockedBuffer};
use zeroize::Zeroizing;

use crate::container::{self, CHECKED_BYTES, HEADER_BYTES, PROTECTED_VERSION, PROTECTION_BYTES};
use crate::{Header, WireError};

/// The scheme of this module.
const SCHEME: u32 = 1;
const SALT_BYTES: usize = 16;
const NONCE_BYTES: usize = 24;
const TAG_BYTES: usize = 16;
/// Bytes before the ciphertext.
const PREAMBLE_BYTES: usize = 16 + SALT_BYTES + NONCE_BYTES;
const _: () = assert!(PREAMBLE_BYTES + TAG_BYTES == PROTECTION_BYTES);

/// The longest passphrase, in bytes: what is longer is no passphrase but another file by mistake.
const LONGEST: usize = 4096;

/// What a secret key is behind. No `Debug`, no `Clone`; wiped when dropped.
pub struct Passphrase(LockedBuffer<u8>);

impl Passphrase {
    /// The most bytes that one may have.
    pub const LIMIT: usize = LONGEST;

    /// A passphrase of these bytes, as they are: nothing is trimmed or normalised.
    ///
    /// # Errors
    /// [`WireError::UnusablePassphrase`] if it is empty or too long.
    pub fn new(bytes: Zeroizing<Vec<u8>>) -> Result<Self, WireError> {
        let unusable = |reason| Err(WireError::UnusablePassphrase { reason });
        match bytes.len() {
            0 => unusable("it is empty"),
            1..=LONGEST => Ok(Self(LockedBuffer::of(&bytes))),
            _ => unusable("it is longer than 4096 bytes"),
        }
    }

    /// Whether two are the same. The time depends on where they differ: for a passphrase that is
    /// typed twice.
    #[must_use]
    pub fn equals_vartime(&self, other: &Self) -> bool {
        self.0.expose() == other.0.expose()
    }
}

/// What trying one passphrase costs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    memory_kib: u32,
    passes: u32,
    lanes: u32,
}

impl Cost {
    /// 64 MiB, three passes, four lanes: the second choice of RFC 9106, section 4, which it
    /// recommends where 2 GiB are too much. Every command that reads the key pays it, on machines
    /// and in containers that may have no more memory than the command itself takes; it is a
    /// quarter of a second of one core.
    pub const RFC_9106_SECOND: Cost = Cost {
        memory_kib: 64 << 10,
        passes: 3,
        lanes: 4,
    };

    /// The most memory that a file may ask for, in KiB: one GiB.
    pub const MOST_MEMORY: u32 = 1 << 20;
    /// The most memory times passes, in KiB: sixteen passes over a quarter of a GiB, some seconds.
    pub const MOST_WORK: u64 = 4 << 20;
    /// The most lanes.
    pub const MOST_LANES: u32 = 16;

    /// A cost within bounds: one to sixteen lanes, eight KiB for each lane at least, at least one
    /// pass.
    ///
    /// # Errors
    /// [`WireError::UnacceptableCost`].
    pub fn new(memory_kib: u32, passes: u32, lanes: u32) -> Result<Cost, WireError> {
        let work = u64::from(memory_kib) * u64::from(passes);
        let fits = (1..=Self::MOST_LANES).contains(&lanes)
            && (8 * lanes..=Self::MOST_MEMORY).contains(&memory_kib)
            && (u64::from(memory_kib)..=Self::MOST_WORK).contains(&work);
        if !fits {
            return Err(WireError::UnacceptableCost {
                memory_kib,
                passes,
                lanes,
            });
        }
        Ok(Cost {
            memory_kib,
            passes,
            lanes,
        })
    }

    /// Memory, in KiB.
    #[must_use]
    pub fn memory_kib(self) -> u32 {
        self.memory_kib
    }

    /// Passes over the memory.
    #[must_use]
    pub fn passes(self) -> u32 {
        self.passes
    }

    /// Parts of the memory that can be filled beside each other.
    #[must_use]
    pub fn lanes(self) -> u32 {
        self.lanes
    }
}

/// What stands before the ciphertext.
struct Preamble {
    cost: Cost,
    salt: [u8; SALT_BYTES],
    nonce: [u8; NONCE_BYTES],
}

impl Preamble {
    fn fresh(cost: Cost) -> Result<Self, WireError> {
        let mut generator = Generator::from_entropy().map_err(|error| WireError::Io {
            operation: "draw a salt",
            kind: std::io::ErrorKind::Other,
            message: error.to_string(),
        })?;
        let mut preamble = Self {
            cost,
            salt: [0; SALT_BYTES],
            nonce: [0; NONCE_BYTES],
        };
        generator.fill_bytes(&mut preamble.salt);
        generator.fill_bytes(&mut preamble.nonce);
        Ok(preamble)
    }

    fn bytes(&self) -> [u8; PREAMBLE_BYTES] {
        let mut bytes = [0; PREAMBLE_BYTES];
        let Cost {
            memory_kib,
            passes,
            lanes,
        } = self.cost;
        for (place, number) in [SCHEME, memory_kib, passes, lanes].into_iter().enumerate() {
            bytes[4 * place..4 * place + 4].copy_from_slice(&number.to_le_bytes());
        }
        bytes[16..32].copy_from_slice(&self.salt);
        bytes[32..].copy_from_slice(&self.nonce);
        bytes
    }

    /// Takes it off the front, and says what is left.
    fn parse(payload: &[u8]) -> Result<(Self, &[u8]), WireError> {
        let (bytes, rest) = payload
            .split_first_chunk::<PREAMBLE_BYTES>()
            .ok_or_else(|| WireError::malformed("the protection is cut off"))?;
        let number = |place: usize| {
            u32::from_le_bytes(std::array::from_fn(|index| bytes[4 * place + index]))
        };
        if number(0) != SCHEME {
            return Err(WireError::malformed(format!(
                "behind a passphrase by scheme {}, which this Blindcore does not know",
                number(0)
            )));
        }
        let preamble = Self {
            cost: Cost::new(number(1), number(2), number(3))?,
            salt: std::array::from_fn(|index| bytes[16 + index]),
            nonce: std::array::from_fn(|index| bytes[32 + index]),
        };
        Ok((preamble, rest))
    }

    fn cipher(&self, passphrase: &Passphrase) -> Result<XChaCha20Poly1305, WireError> {
        let refused = |error: argon2::Error| WireError::Unstorable {
            reason: error.to_string(),
        };
        let Cost {
            memory_kib,
            passes,
            lanes,
        } = self.cost;
        let params = Params::new(memory_kib, passes, lanes, Some(32)).map_err(refused)?;
        let count = params.block_count();
        let mut blocks = Zeroizing::new(Vec::new());
        blocks
            .try_reserve_exact(count)
            .map_err(|error| WireError::Io {
                operation: "take the memory that the passphrase asks for",
                kind: std::io::ErrorKind::OutOfMemory,
                message: error.to_string(),
            })?;
        blocks.resize(count, Block::new());
        let mut key = LockedBuffer::zeroed(32);
        let (password, salt) = (passphrase.0.expose(), self.salt.as_slice());
        Argon2::new(Algorithm::Argon2id, Version::V0x13, params)
            .hash_password_into_with_memory(password, salt, key.expose_mut(), &mut **blocks)
            .map_err(refused)?;
        let key = key.expose().try_into();
        let key: &Key = key.map_err(|_| WireError::malformed("a key of another length"))?;
        Ok(XChaCha20Poly1305::new(key))
    }
}

/// What the ciphertext is bound to.
fn associated(header: &Header, preamble: &Preamble) -> [u8; CHECKED_BYTES + PREAMBLE_BYTES] {
    let mut bytes = [0; CHECKED_BYTES + PREAMBLE_BYTES];
    bytes[..CHECKED_BYTES].copy_from_slice(&header.checked_bytes());
    bytes[CHECKED_BYTES..].copy_from_slice(&preamble.bytes());
    bytes
}

/// Puts the file of a secret key, all of it, behind a passphrase.
///
/// # Errors
/// Those of [`container::open`]; [`WireError::Unstorable`] for another kind or a key that is behind
/// a passphrase already; [`WireError::Io`] without entropy or memory.
pub fn protect(
    file: &[u8],
    passphrase: &Passphrase,
    cost: Cost,
) -> Result<Zeroizing<Vec<u8>>, WireError> {
    let (open, payload) = container::open(file)?;
    if !open.kind.is_secret_key() || open.is_protected() {
        return Err(WireError::Unstorable {
            reason: format!(
                "{} of format version {} goes behind no passphrase",
                open.kind, open.version
            ),
        });
    }
    let header = Header {
        version: PROTECTED_VERSION,
        payload_length: open.payload_length + PROTECTION_BYTES as u64,
        ..open
    };
    let preamble = Preamble::fresh(cost)?;
    let cipher = preamble.cipher(passphrase)?;
    // The plaintext stands where the ciphertext will: the buffer has its final size, so that no
    // copy stays behind.
    let length = HEADER_BYTES + PROTECTION_BYTES + payload.len();
    let mut bytes = Zeroizing::new(Vec::with_capacity(length));
    bytes.extend_from_slice(&[0; HEADER_BYTES]);
    bytes.extend_from_slice(&preamble.bytes());
    bytes.extend_from_slice(payload);
    let text = &mut bytes[HEADER_BYTES + PREAMBLE_BYTES..];
    let tag = cipher
        .encrypt_inout_detached(
            &XNonce::from(preamble.nonce),
            &associated(&header, &preamble),
            text.into(),
        )
        .map_err(|_| WireError::Unstorable {
            reason: "the key is too long to be encrypted".to_owned(),
        })?;
    bytes.extend_from_slice(&tag);
    let head = header.bytes(&mut |take| take(&bytes[HEADER_BYTES..]))?;
    bytes[..HEADER_BYTES].copy_from_slice(&head);
    Ok(bytes)
}

/// Opens a container that has been read, and so checked, before: header and payload that the key
/// has without a passphrase. The payload is in locked memory where the system allows it.
///
/// # Errors
/// [`WireError::NotProtected`], [`WireError::WrongPassphrase`], [`WireError::Malformed`],
/// [`WireError::UnacceptableCost`], [`WireError::Io`] without memory.
pub fn unprotect(
    header: &Header,
    payload: &[u8],
    passphrase: &Passphrase,
) -> Result<(Header, LockedBuffer<u8>), WireError> {
    let (preamble, rest) = preamble_of(header, payload)?;
    let open = header.unprotected()?;
    let (text, tag) = rest
        .split_last_chunk::<TAG_BYTES>()
        .ok_or_else(|| WireError::malformed("the protection is cut off"))?;
    let cipher = preamble.cipher(passphrase)?;
    let mut text = LockedBuffer::of(text);
    cipher
        .decrypt_inout_detached(
            &XNonce::from(preamble.nonce),
            &associated(header, &preamble),
            text.expose_mut().into(),
            &Tag::from(*tag),
        )
        .map_err(|_| WireError::WrongPassphrase)?;
    Ok((open, text))
}

/// What trying a passphrase costs for a key whose container has been read.
///
/// # Errors
/// [`WireError::NotProtected`], [`WireError::Malformed`], [`WireError::UnacceptableCost`].
pub fn cost_of(header: &Header, payload: &[u8]) -> Result<Cost, WireError> {
    preamble_of(header, payload).map(|(preamble, _)| preamble.cost)
}

fn preamble_of<'a>(header: &Header, payload: &'a [u8]) -> Result<(Preamble, &'a [u8]), WireError> {
    match header.is_protected() {
        true => Preamble::parse(payload),
        false => Err(WireError::NotProtected),
    }
}
