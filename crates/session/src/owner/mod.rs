//! The owner of a secret key: makes keys, encrypts, decrypts, answers. Here secrets are seen in the clear, and nowhere
//! else; the module stands behind the feature `secret`.

mod answers;
mod decrypt;
mod encrypt;
mod keys;

pub use answers::{Answerer, KeyHolder, Questioned};
pub use decrypt::{Decrypted, decrypt, went_astray};
pub use encrypt::{EncryptionKey, Encryptor};
pub use keys::{IntegerKey, KeyPair, PublicKey, SecretKey, ServerKeyFile, Settings, generate};
