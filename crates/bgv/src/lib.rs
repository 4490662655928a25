//! BGV over cyclotomic rings of odd index: vectors of encrypted bits.
//!
//! A ciphertext holds a bit in each of hundreds to thousands of slots; XOR and AND act on all slots
//! at once. So one evaluation of a circuit serves as many inputs as there are slots. There is no
//! bootstrapping: the circuit's multiplicative depth decides the parameters
//! ([`Parameters::for_circuit`]).
//!
//! # The scheme
//!
//! Z. Brakerski, C. Gentry, V. Vaikuntanathan, "(Leveled) fully homomorphic encryption without
//! bootstrapping" (ITCS 2012), in residues modulo word-size primes, with plaintext modulus 2. A
//! ciphertext (c₀, c₁) modulo Q satisfies c₀ + c₁·s = t, t an integer polynomial with coefficients
//! far below Q whose residue modulo 2 is the plaintext. Sums and products of ciphertexts are sums
//! and products of t; a product has a part with s², which relinearisation takes back; and after
//! each product t is scaled down with the modulus, so that the noise stays where rounding puts it
//! and each level costs a fixed number of bits (`noise`, `parameters`).
//!
//! The ring's index is odd and squarefree, so that it has a normal basis: automorphisms permute
//! coefficients without signs, and the slots hold bits where coefficients are constant on the
//! orbits of squaring ([`Slots`]).
//!
//! # In use
//!
//! ```
//! # #[cfg(feature = "secret")] {
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//! use blindcore_bgv::{Evaluator, Parameters, SecretKey};
//! use random::Generator;
//!
//! let threads = NonZeroUsize::MIN;
//! let mut generator = Generator::from_entropy()?;
//! let parameters = Parameters::named("TOY_255")?;
//! let watch = &|_| ControlFlow::Continue(());
//! let keys = SecretKey::generate(&parameters, &[], &mut generator, threads, watch)?;
//!
//! let a = keys.public.encrypt(&[true, true, false], &mut generator)?;
//! let b = keys.secret.encrypt(&[true, false, false], &mut generator)?;
//! let evaluator = Evaluator::new(&keys.evaluation, threads)?;
//! let both = evaluator.and(&a, &b)?;
//! let result = evaluator.xor(&both, &a)?;
//!
//! assert_eq!(keys.secret.decrypt(&result)?[..3], [false, true, false]);
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # What it protects
//!
//! Inputs, against whoever computes on them, at the security that the parameter set names. It does
//! not hide which circuit was evaluated from the owner of the secret key (noise depends on it: no
//! circuit privacy), and decrypted results of evaluated ciphertexts must not be handed to whoever
//! evaluated them: a result that is wrong by noise, or refused, tells about the secret (B. Li, D.
//! Micciancio, Eurocrypt 2021; M. Checri et al., "On the practical CPA^D security of exact and
//! threshold FHE schemes", Crypto 2024). Failure probabilities of 2^-64 per decryption bound the
//! first for honest circuits.
//!
//! The feature `secret` (a default) is what can name or use a secret key.
#![forbid(unsafe_code)]

mod ciphertext;
mod division;
mod error;
mod evaluation_key;
mod evaluator;
mod key_switch;
mod noise;
mod parameters;
mod public_key;
mod residue;
mod ring;
mod sampling;
#[cfg(feature = "secret")]
mod secret;
mod seeded;
mod slots;
mod stage;

pub use ciphertext::Ciphertext;
pub use error::Error;
pub use evaluation_key::EvaluationKey;
pub use evaluator::Evaluator;
pub use noise::{Forecast, Noise};
pub use parameters::{Demand, FAILURE_LOG2, Level, ParameterLiteral, Parameters, Security};
pub use public_key::PublicKey;
pub use random::KeyId;
pub use ring::Ring;
#[cfg(feature = "secret")]
pub use secret::{Keys, SecretKey};
pub use seeded::SeededCiphertext;
pub use slots::{Plaintext, Slots};
pub use stage::{Progress, Stage, Watch};
