//! Leveled operations: conditions that choose in microseconds.
//!
//! A lookup refreshes a bit and takes milliseconds. Where one condition decides much, it is turned
//! once into a [`Selector`], a GGSW ciphertext of it: after that every choice between two bits is an
//! external product of some microseconds, whose noise adds up ([`LeveledNoise`]) until a lookup
//! reads the result.
//!
//! # The circuit bootstrap
//!
//! One blind rotation makes the selectors of *any functions* of a sum t in 0..4. Write G_j = 2^-5j,
//! j = 1..=4, for the weights of a selector's gadget.
//!
//! 1. The *staircase*: a test polynomial of four flats of N/4 coefficients, of which each is by G_j
//!    higher than the one before. Its heights begin at −(G_1 + … + G_4)/2, so that X^N = −1 closes the
//!    circle. After the rotation coefficient jN/4 − wN/16 has the height of flat j−1, and G_j more where
//!    t >= w: a thermometer of t on every level at once, with the margin of a lookup.
//! 2. Every coefficient is divided by N, and the *trace* x ← x + σ(x) over log2(N) − 4 automorphisms
//!    leaves those at multiples of N/16, multiplied by what they were divided by.
//! 3. For each function f its steps f(w) − f(w − 1) combine the thermometers to G_j·f(t), two more
//!    automorphisms leave the multiples of N/4, one for each level, and three more *split* them into
//!    four ciphertexts with one level each.
//! 4. A level (a, b) of phase G_j·f is a row that meets digits of the body. The row that meets digits
//!    of the mask has −S times that phase: (b, 0) and the product of a by an encryption of S².
//!
//! The trace of step 2 is paid once for all functions: 17 automorphisms for two selectors of the two
//! bits of t. The rotation has a gadget of three levels whose middle one is that of lookups, so that
//! two thirds of its key are new, not all of it.
//!
//! Sources: circuit bootstrapping is Chillotti and others, eprint 2018/421, §6; rows of selectors from
//! automorphisms and S², Wang and others, eprint 2024/323; packing is Chen and others, eprint 2020/015,
//! loads from packed tables Chillotti and others, eprint 2017/430. The staircase and the trace that levels and
//! functions share are ours.
//!
//! # Rows and loads
//!
//! A product by a selector moves a whole polynomial as fast as two bits. So arrays live in *rows*,
//! ciphertexts of which each coefficient is a bit: 32 KB for 2,048 bits under P16. A
//! [load](LeveledKey::load) takes the selectors of an index, chooses one row of many by its high bits,
//! turns that by its low bits, and leaves the word at the places of one row: 21 products for one of 1,024
//! words of 32 bits, and no more noise than as many products as the index has bits.
//!
//! Inputs come in rows. Other bits are packed by automorphisms, one a bit in a full row, 37
//! for a word of 32 bits that changed; bits remember where they were packed.
//!
//! # Keys
//!
//! [`SeededLeveledKey`] is a second part of the server's key, for files; [`LeveledKey`] is made of it to
//! compute with, beside the [`ServerKey`](crate::ServerKey). It encrypts S², S under automorphisms and the
//! small key's bits once more, all under the big key: with that the assumption of circular security,
//! which the first part makes already, covers the square, as in every scheme that relinearises.
//!
//! ```
//! use blindcore_tfhe::leveled::{LeveledKey, SeededLeveledKey};
//! use blindcore_tfhe::{Lookup, SecretKey, SeededServerKey, ServerKey, TOY_BLOCK, TruthTable};
//! use random::Generator;
//!
//! let mut generator = Generator::from_entropy().unwrap();
//! let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
//! let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
//! let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
//! let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
//! let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {})?;
//!
//! let bits = secret.encrypt(&[true, true, false, true], &mut generator).unpack();
//! // Selectors of both bits of x + y, and then x or y by them.
//! let (x, y) = (&bits[0], &bits[1]);
//! let tables = [TruthTable::of(|t| t & 1 == 1), TruthTable::of(|t| t >= 2)];
//! let sum = Lookup { terms: &[(x, 1), (y, 1)], constant: 0, tables: &tables };
//! let mut work = leveled.work(&server, 1);
//! let [low, high] = &leveled.selectors(&server, &mut work, &[sum])?[0][..] else { unreachable!() };
//! assert!(!secret.decrypt(&low.bit())? && secret.decrypt(&high.bit())?);
//! let chosen = leveled.choose(&mut work, high, &bits[2], &bits[3])?;
//! assert_eq!(secret.decrypt(&chosen)?, true);
//! # Ok::<(), blindcore_tfhe::TfheError>(())
//! ```

mod array;
mod circuit_bootstrap;
#[cfg(test)]
#[cfg(feature = "secret")]
mod failures;
pub(crate) mod gadgets;
pub(crate) mod glwe;
mod key;
mod load;
#[cfg(test)]
#[cfg(feature = "secret")]
mod loads;
#[cfg(test)]
#[cfg(feature = "secret")]
mod measured;
mod noise;
mod pack;
mod ring_switch;
mod rotation;
pub(crate) mod seeded;
mod selector;
mod store;
#[cfg(test)]
#[cfg(feature = "secret")]
mod stores;

pub use array::{Entries, Entry};
pub use key::{LeveledKey, LeveledWork};
pub use noise::{LeveledNoise, log2_tail};

pub use seeded::SeededLeveledKey;
pub use selector::Selector;
