//! The homomorphic scheme of Gentry and Halevi over principal ideals of `Z[x]/(x^n + 1)`: bits are
//! residues modulo one integer d of some hundred thousand bits, XOR is a sum and AND a product of
//! them.
//!
//! It was the first fully homomorphic scheme that somebody ran (C. Gentry, S. Halevi, "Implementing
//! Gentry's Fully-Homomorphic Encryption Scheme", Eurocrypt 2011), and because it needs little but
//! products modulo a fixed number of 786,432 bits, machines were designed for that product. This
//! crate is that workload.
//!
//! # It protects nothing
//!
//! Every parameter set is named for what it is, `BROKEN_` or `TOY_`. What is known:
//!
//! - **A ciphertext falls to weak lattice reduction.** It hides a vector of length 8 or so at that
//!   distance from a lattice whose root determinant is about 2^383, because the key's coefficients
//!   have 380 bits. To find it takes a root Hermite factor of 1.68 at dimension 512, 1.14 at 2048,
//!   1.03 at 8192; plain LLL reaches 1.02. So only LLL's running time on such large numbers stands
//!   in the way: some 30 core-days, 45 core-years and 68,600 core-years at these dimensions by the
//!   estimates of 2011 (Y. Chen, P. Nguyen, "BKZ 2.0", Asiacrypt 2011), which are 2^53, 2^62 and
//!   2^72 cycles, and less by better reduction since.
//! - **Dimension 512 was broken in practice**: 24 days on one processor (T. Plantard, W. Susilo, Z.
//!   Zhang, "LLL for ideal lattices", Des. Codes Cryptogr. 2015), who estimate dimension 2048 at 16
//!   years. With reduction as fast as that of K. Ryan, N. Heninger (Crypto 2023), 2048 must be
//!   taken to be within anybody's reach.
//! - **The key is a principal ideal of a power-of-two cyclotomic ring**, and its short generator is
//!   found in quantum polynomial time at every dimension (J.-F. Biasse, F. Song 2016; R. Cramer, L.
//!   Ducas, C. Peikert, O. Regev, Eurocrypt 2016), and classically in subexponential time: a key of
//!   the same kind at dimension 256 was recovered (J.-F. Biasse, T. Espitau, P.-A. Fouque, A.
//!   Gélin, P. Kirchner, Eurocrypt 2017).
//! - **Answers give the key away.** Who may ask for decryptions, or learn which of their
//!   ciphertexts are refused, recovers the secret key (J. Loftus, A. May, N. Smart, F. Vercauteren,
//!   SAC 2011).
//! - Squashing adds assumptions of its own: sparse subset sums, at 72 bits, and that indices of the
//!   secret key may be encrypted under itself. Noise has 15 to 21 coefficients that are not 0,
//!   which caps everything at 72 to 80 bits, too.
//!
//! The programs of this project that protect something run on the crate `tfhe`.
//!
//! # The scheme
//!
//! *Key.* A polynomial v of n = 2^m coefficients of t bits. d is the resultant of v and x^n + 1,
//! and r the common root of both modulo d, so that evaluation at r is a map of `Z[x]/(x^n + 1)` to
//! the integers modulo d whose kernel is the ideal of v. w is one odd coefficient of d/v. (d, r) is
//! public, w is secret.
//!
//! *Encryption* of b: u with a few coefficients ±1; c = b + 2u(r) mod d. *Decryption*: the parity
//! of c·w mod d taken between −d/2 and d/2, which is one coefficient of (b + 2u)·w, and that is b·w
//! modulo 2 as long as no coefficient reaches d/2: as long as the polynomial that c stands for is
//! short. Sums and products of residues are sums and products of these polynomials; both make them
//! longer ([`Noise`]).
//!
//! *Recryption* makes them short again: decryption is computed under encryption. For that w is
//! published in pieces, as a sum of 15 among 15·S numbers, with encryptions of which ones
//! ([`Evaluator::recrypt`]). An AND of two recrypted bits leaves room for one more recryption, so
//! that circuits of any depth can be evaluated: in sets of the paper's coefficients, each AND of
//! recrypted bits is followed by one.
//!
//! # In use
//!
//! ```
//! # #[cfg(feature = "secret")] {
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//! use blindcore_gentry_halevi::{Encryptor, Evaluator, Parameters, SecretKey, Transforms};
//! use random::Generator;
//!
//! let threads = NonZeroUsize::MIN;
//! let mut generator = Generator::from_entropy()?;
//! let watch = &|_| ControlFlow::Continue(());
//! let (secret, public) =
//!     SecretKey::generate(Parameters::TOY_32, &mut generator, threads, watch)?;
//!
//! let bits = Encryptor::new(&public, Encryptor::MEMORY, threads)?
//!     .encrypt(&[true, true, false], &mut generator)?;
//!
//! let evaluator = Evaluator::new(&public, Transforms::Computed, threads)?;
//! let both = evaluator.recrypt(&evaluator.and(&bits[0], &bits[1])?)?;
//! let result = evaluator.xor(&both, &bits[2])?;
//!
//! assert_eq!(secret.decrypt(&result)?, true);
//! assert!(secret.margin(&result)? >= evaluator.margin_bound(&result));
//! # }
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! # Cost
//!
//! At dimension 2048 a ciphertext has 96 kB and a public key 69 MB; at 8192 it is 0.4 MB and 284
//! MB. Beside them an [`Encryptor`] keeps as many powers of r as its caller allows, an
//! [`Evaluator`] the transforms of [`Transforms`]. The example `times` measures everything on the
//! machine it runs on, beside the same procedures on GMP.
//!
//! The feature `secret` (a default) is what can name or use a secret key: its type, key generation,
//! decryption, the margin. Encryption takes the public key alone, so it is always there.
#![forbid(unsafe_code)]

mod ciphertext;
mod encryption;
mod error;
mod evaluation;
mod identity;
mod limbs;
mod noise;
mod parameters;
mod powers;
mod public_key;
mod recryption;
#[cfg(feature = "secret")]
mod secret;
mod stage;

pub use ciphertext::Ciphertext;
pub use encryption::Encryptor;
pub use error::Error;
pub use evaluation::{Evaluator, Transforms};
pub use noise::Noise;
pub use parameters::{ParameterLiteral, Parameters};
pub use public_key::{PublicKey, Storage};
pub use random::KeyId;
#[cfg(feature = "secret")]
pub use secret::SecretKey;
pub use stage::{Progress, Stage, Watch};
