//! Bearer tokens: what a client shows where it has no certificate.
//!
//! A token is 256 bits of the system's randomness in hexadecimal, behind a prefix by which people
//! and scanners for leaked secrets know it. A server's configuration holds its SHA-256 only: a hash
//! without salt or stretching is enough for what nobody can guess, and is no secret.

use sha2::{Digest, Sha256};
use zeroize::Zeroizing;

/// How tokens of ours begin.
const PREFIX: &str = "bc_";
/// Random bytes of a token.
const BYTES: usize = 32;
/// Longest token that is looked at, in bytes: one from elsewhere may be longer than ours.
pub(crate) const LONGEST: usize = 512;

/// The system gives no random numbers.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no random numbers: {reason}")]
pub struct NoRandomness {
    /// What it says.
    pub reason: String,
}

/// A new token.
///
/// # Errors
/// [`NoRandomness`].
pub fn generate() -> Result<Zeroizing<String>, NoRandomness> {
    let mut bytes = Zeroizing::new([0; BYTES]);
    getrandom::fill(bytes.as_mut()).map_err(|error| NoRandomness {
        reason: error.to_string(),
    })?;
    let mut token = Zeroizing::new(String::with_capacity(PREFIX.len() + 2 * BYTES));
    token.push_str(PREFIX);
    for byte in bytes.iter() {
        for digit in [byte >> 4, byte & 15] {
            token.push(char::from_digit(u32::from(digit), 16).unwrap_or('0'));
        }
    }
    Ok(token)
}

/// What a server's configuration holds of a token: its SHA-256, in hexadecimal.
#[must_use]
pub fn fingerprint(token: &str) -> String {
    let digest = digest(token);
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// SHA-256 of a token.
pub(crate) fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tokens_are_new_each_time_and_have_all_their_bits() {
        let (one, other) = (generate().unwrap(), generate().unwrap());
        assert_ne!(one, other);
        assert_eq!(one.len(), PREFIX.len() + 64);
        let digits = one.strip_prefix(PREFIX).unwrap();
        assert!(
            digits
                .bytes()
                .all(|digit| b"0123456789abcdef".contains(&digit))
        );
    }

    /// FIPS 180-4's example.
    #[test]
    fn a_fingerprint_is_sha256() {
        assert_eq!(
            fingerprint("abc"),
            "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
        );
    }
}
