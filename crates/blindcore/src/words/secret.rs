//! Words in and out of the clear: what takes the secret key.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use circuits::passes::Provenance;
use random::Generator;
use session::{Error, ErrorKind};

use super::node::{Encrypted, EncryptedBit, Kind, Node};
use super::{Bit, Integer, Word};
use crate::SecretKey;

/// Ciphertexts that this process has made: no two of them have the same number.
static MADE: AtomicU64 = AtomicU64::new(0);

impl SecretKey {
    /// Encrypts an integer.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for a key of BGV, which encrypts tables.
    pub fn encrypt_word<T: Integer>(&self, value: T) -> Result<Word<T>, Error> {
        Ok(Word::of(self.encrypted(value.to_word(), T::BITS)?))
    }

    /// Encrypts a truth value.
    ///
    /// # Errors
    /// As for [`encrypt_word`](Self::encrypt_word).
    pub fn encrypt_bit(&self, value: bool) -> Result<Bit, Error> {
        let node = self.encrypted(value.into(), 1)?;
        Ok(Bit { node })
    }

    /// Decrypts a word that was encrypted or evaluated.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for an expression, which the server's key must evaluate first;
    /// [`ErrorKind::Key`] for a word of another key.
    pub fn decrypt_word<T: Integer>(&self, word: &Word<T>) -> Result<T, Error> {
        Ok(T::from_word(self.decrypted(&word.node)?))
    }

    /// Decrypts a truth value that was encrypted or evaluated.
    ///
    /// # Errors
    /// As for [`decrypt_word`](Self::decrypt_word).
    pub fn decrypt_bit(&self, bit: &Bit) -> Result<bool, Error> {
        Ok(self.decrypted(&bit.node)? == 1)
    }

    fn encrypted(&self, value: u64, width: usize) -> Result<Arc<Node>, Error> {
        let key = self.tfhe()?;
        let mut generator = Generator::from_entropy().map_err(Error::internal)?;
        let bits: Vec<bool> = (0..width).map(|bit| value >> bit & 1 == 1).collect();
        let bits = key.encrypt(&bits, &mut generator).unpack();
        let bits = bits.into_iter().map(|ciphertext| EncryptedBit::Secret {
            ciphertext: Arc::new(ciphertext),
            provenance: Provenance::original(MADE.fetch_add(1, Ordering::Relaxed)),
            inverted: false,
        });
        let encrypted = Encrypted {
            bits: bits.collect(),
            parameters: *key.parameters(),
            key: key.key_id(),
        };
        Ok(Node::leaf(Kind::Encrypted(encrypted), width))
    }

    fn decrypted(&self, node: &Node) -> Result<u64, Error> {
        let key = self.tfhe()?;
        let encrypted = match &node.kind {
            Kind::Clear(value) => return Ok(*value),
            Kind::Encrypted(encrypted) => encrypted,
            Kind::Operation(_) => {
                let message = "an expression: evaluate it with the server's key first";
                return Err(Error::new(ErrorKind::Usage, message));
            }
        };
        if encrypted.key != key.key_id() {
            let (found, expected) = (encrypted.key, key.key_id());
            let message = format!("the word is of key {found}, this is {expected}");
            return Err(Error::new(ErrorKind::Key, message));
        }
        let mut value = 0;
        for (place, bit) in encrypted.bits.iter().enumerate() {
            let bit = match bit {
                EncryptedBit::Clear(value) => *value,
                EncryptedBit::Secret {
                    ciphertext,
                    inverted,
                    ..
                } => {
                    let bit = key.decrypt(ciphertext);
                    let bit = bit.map_err(|error| {
                        Error::new(ErrorKind::Key, format!("does not decrypt: {error}"))
                    })?;
                    bit ^ inverted
                }
            };
            value |= u64::from(bit) << place;
        }
        Ok(value)
    }
}
