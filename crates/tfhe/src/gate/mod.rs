//! Gate bootstrapping: one encrypted bit per ciphertext, one rotation per gate.
//!
//! The scheme of the papers on encrypted adders and processors, and of the TFHE
//! library (Chillotti, Gama, Georgieva, Izabachène, "Faster fully homomorphic
//! encryption", Asiacrypt 2016 and 2017; J. Cryptology 2020, eprint 2018/421):
//!
//! 1. A bit is an LWE ciphertext of ±1/8 under the small key, [`GateCiphertext`].
//! 2. A gate is the sign of a linear form of two bits and a constant
//!    ([`Gate`]): modulus switch, blind rotation of the constant polynomial 1/8 with
//!    one CMUX for each key bit, extraction, and the classical key switch back.
//!    Negation is free, a multiplexer is two rotations and one key switch.
//!
//! It is here to be measured against: it runs the papers' circuits with the
//! papers' parameters on any FFT processor ([`crate::Fft`]). Whoever wants speed
//! takes [`crate::Lookup`], which does several of these gates in one rotation.
//!
//! The owner's [`GateSecretKey`], the [`SeededGateServerKey`] made from it, and the
//! [`GateServerKey`] expanded from that; no file format. The sets
//! ([`TFHE_LIB_118`], [`TFHE_2016_93`], [`GATE_UNIFORM_128_PFAIL_2M64`]) are named for the
//! security that they have. The module [`noise`] holds their error formulas.
//!
//! ```
//! use blindcore_tfhe::Fft;
//! use blindcore_tfhe::gate::{
//!     Gate, GateCiphertext, GateScratch, GateSecretKey, GateServerKey, SeededGateServerKey, TOY_GATE,
//! };
//! use random::Generator;
//!
//! let mut generator = Generator::from_entropy().unwrap();
//! let secret = GateSecretKey::generate(TOY_GATE, &mut generator)?;
//! let seeded = SeededGateServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
//! assert_eq!((seeded.key_id(), seeded.parameters()), (secret.key_id(), secret.parameters()));
//! assert_eq!(seeded.bytes(), 373_792);
//! let bits: Vec<GateCiphertext> = secret.encrypt(&[true, false], &mut generator);
//!
//! let server = GateServerKey::expand_for(&seeded, Fft::Scalar, 1, &|_, _| {})?;
//! assert_eq!((server.fft(), *server.parameters()), (Fft::Scalar, TOY_GATE));
//! let mut scratch: GateScratch = server.scratch(1);
//! assert!((2..=GateScratch::LARGEST_BATCH).contains(&scratch.batch()));
//! // Every gate of two inputs does what it says.
//! for gate in Gate::ALL {
//!     let computed = server.gate(&mut scratch, gate, &bits[0], &bits[1])?;
//!     assert_eq!(secret.decrypt(&computed)?, gate.of(true, false), "{}", gate.name());
//! }
//! let chosen = server.mux(&mut scratch, &bits[1], &bits[1], &bits[0])?;
//! let fresh = server.refresh(&mut scratch, &chosen)?;
//! assert!(secret.decrypt(&fresh)? && secret.decrypt(&server.constant(true))?);
//! # Ok::<(), blindcore_tfhe::TfheError>(())
//! ```

mod ciphertext;
mod evaluate;
mod gates;
mod key_switch;
mod mask;
#[cfg(test)]
#[cfg(feature = "secret")]
mod measured;
pub mod noise;
mod parameters;
#[cfg(feature = "secret")]
mod secret;
mod seeded_server_key;
mod server_key;
mod sets;

pub use ciphertext::GateCiphertext;
pub use gates::{Gate, GateJob};
pub use key_switch::GateKeySwitchKey;
pub use parameters::{GateLiteral, GateParameters};
#[cfg(feature = "secret")]
pub use secret::GateSecretKey;
pub use seeded_server_key::SeededGateServerKey;
pub use server_key::{GateScratch, GateServerKey};
pub use sets::{
    GATE_128_PFAIL_2M64, GATE_SETS, GATE_UNIFORM_128_PFAIL_2M64, TFHE_2016_93, TFHE_LIB_118,
    TOY_GATE,
};
