//! TFHE over a 64-bit torus: computing any function of a few encrypted bits at a
//! time.
//!
//! The scheme of Chillotti, Gama, Georgieva, Izabachène ("TFHE: Fast Fully
//! Homomorphic Encryption over the Torus", J. Cryptology 2020, eprint 2018/421)
//! in one cycle:
//!
//! 1. A bit lives as an [`LweCiphertext`] under the *big* key, at scale 1/32:
//!    sums of bits with small weights, up to 15, are sums of ciphertexts.
//! 2. A [`Lookup`] takes such a sum t, switches it to the *small* key and to a
//!    rotation count, rotates one constant polynomial blindly, and reads off
//!    any number of functions of t: fresh bits, whatever the noise of the old.
//!
//! Inputs arrive as [`PackedInputs`], outputs leave as [`ShrunkBits`].
//!
//! Four kinds of key: the owner's [`SecretKey`]; the [`PublicKey`] made from it, for whoever
//! encrypts for the owner; the [`SeededServerKey`], compact, for files and networks; and the
//! [`ServerKey`] expanded from that, to compute with. Every key and ciphertext carries the
//! [`KeyId`] it was made under. Parameters are [`P16`] or, with an older assumption and four times
//! the work, [`P16_UNIFORM`]; the module [`noise`] says what they promise and why. The module
//! [`gate`] is the scheme of the papers, one bit per rotation, to be compared with; the module
//! [`leveled`] turns a bit into a selector, by which bits are chosen in microseconds.
//!
//! The feature `secret` (a default) is everything that can name or use a secret
//! key: the types themselves, key generation, encryption and decryption. Who
//! computes for somebody else leaves it out, and has no code that could read.
//!
//! The whole way of two bits, on parameters that protect nothing and take no time:
//!
//! ```
//! use blindcore_tfhe::{
//!     Fft, KeyId, Lookup, LweCiphertext, Progress, PublicKey, Scratch, SecretKey, SeededServerKey,
//!     ServerKey, ShrunkBits, TOY_BLOCK, TfheError, TruthTable,
//! };
//! use random::Generator;
//!
//! // The owner of the data makes three keys.
//! let mut generator = Generator::from_entropy().unwrap();
//! let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
//! let public = PublicKey::generate(&secret, &mut generator);
//! let silent: Progress = &|_, _| {};
//! let seeded = SeededServerKey::generate(&secret, &mut generator, 1, silent)?;
//!
//! // Somebody encrypts with the public one.
//! let inputs = public.encrypt(&[true, false], &mut generator)?;
//! assert_eq!((inputs.len(), inputs.is_empty()), (2, false));
//!
//! // Somebody computes, on a processor of their choice.
//! let server = ServerKey::expand_for(&seeded, Fft::Scalar, 1, silent)?;
//! assert_eq!((server.fft(), *server.parameters()), (Fft::Scalar, TOY_BLOCK));
//! let mut scratch: Scratch = server.scratch(4);
//! assert_eq!(scratch.batch(), 4.min(Scratch::LARGEST_BATCH));
//! let bits: Vec<LweCiphertext> = inputs.unpack();
//! let tables = [TruthTable::of(|t| t >= 1)];
//! let either = Lookup { terms: &[(&bits[0], 1), (&bits[1], 1)], constant: 0, tables: &tables };
//! let either = server.lookup_many(&mut scratch, &[either])?.remove(0);
//! let outputs: ShrunkBits = server.shrink(&mut scratch, &[&either[0], &server.constant(true)])?;
//! assert_eq!((outputs.len(), outputs.is_empty()), (2, false));
//!
//! // The owner reads. Nobody else can, and a ciphertext of another key is refused.
//! assert_eq!(secret.decrypt_shrunk(&outputs)?, [true, true]);
//! let stranger = SecretKey::generate(TOY_BLOCK, &mut generator)?;
//! let (expected, found): (KeyId, KeyId) = (stranger.key_id(), secret.key_id());
//! let refused = stranger.decrypt(&either[0]);
//! assert!(matches!(refused, Err(TfheError::WrongKey { expected: e, found: f, .. }) if (e, f) == (expected, found)));
//! # Ok::<(), blindcore_tfhe::TfheError>(())
//! ```
#![forbid(unsafe_code)]

mod ahead;
mod blind_rotation;
mod column_rotation;
mod duet;
mod error;
mod exact;
mod expanded;
mod extraction;
pub mod gate;
mod key_switch;
mod layout;
pub mod leveled;
mod lookup;
mod lwe;
#[cfg(test)]
#[cfg(feature = "secret")]
mod measured;
mod modulus_switch;
pub mod noise;
mod packed;
mod parallel;
mod parameters;
mod public_key;
mod ring;
mod row;
mod scratch;
#[cfg(feature = "secret")]
mod secret;
mod seeded;
mod seeded_server_key;
mod server_key;
mod shared_row;
mod shrunk;
mod table;

pub use duet::Duet;
pub use error::TfheError;
pub use expanded::Expanded;
pub use key_switch::KeySwitchKey;
pub use layout::Layout;
pub use lookup::{Lookup, Rotation};
pub use lwe::LweCiphertext;
pub use packed::{Masks, PackedInputs};
pub use parallel::Progress;
pub use parameters::{
    BaseLog, Cost, Decomposition, GlweDimension, LevelCount, Literal, LweDimension, P16,
    P16_128_PFAIL_2M100, P16_BLOCK_128_PFAIL_2M100, P16_UNIFORM, P16_UNIFORM_128_PFAIL_2M100,
    ParameterLiteral, Parameters, PolynomialSize, Promise, SETS, Set, SmallKey, TOY_BLOCK,
    TOY_UNIFORM, WEAKENED,
};
pub use public_key::PublicKey;
pub use random::KeyId;
pub use scratch::Scratch;
#[cfg(feature = "secret")]
pub use secret::SecretKey;
pub use seeded::Seeded;
pub use seeded_server_key::SeededServerKey;
pub use server_key::ServerKey;
pub use shared_row::SharedRow;
pub use shrunk::{ShrunkBits, ShrunkPlace};
pub use table::TruthTable;
pub use transforms::torus::Fft;
