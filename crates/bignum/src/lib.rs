//! Products of large integers, and residues modulo one of them.
//!
//! Numbers are slices of limbs: `&[u64]`, little-endian, with or without zeros at the top. What a
//! slice's length allows is computed; nothing is allocated for the caller but what a function
//! returns.
//!
//! - [`multiply`] and [`square`] take any operands and choose the algorithm.
//! - A [`Multiplier`] chooses it once, and keeps transforms of operands that are used again
//!   ([`Kept`]).
//! - A [`Modulus`] is a fixed number with the reciprocal that its reductions need.
//! - [`divide`], [`gcd_vartime`] and [`invert_vartime`] are there for keys and conversions.
//!
//! ```
//! let (a, b) = ([u64::MAX; 3], [u64::MAX; 2]);
//! let mut product = [0; 5];
//! blindcore_bignum::multiply(&mut product, &a, &b)?;
//! assert_eq!(product, [1, 0, u64::MAX, u64::MAX - 1, u64::MAX]);
//!
//! let modulus = blindcore_bignum::Modulus::new(&[1_000_003], blindcore_bignum::Options::default())?;
//! let mut residue = [0];
//! modulus.multiply(&mut residue, &[999_999], &[999_999])?;
//! assert_eq!(residue, [16]);
//! # Ok::<(), blindcore_bignum::Error>(())
//! ```
#![deny(unsafe_code)]

mod checksum;
#[cfg(feature = "device")]
pub mod device;
#[cfg(not(feature = "device"))]
mod device {
    /// Without the feature there is none.
    pub(crate) fn takes(_: usize, _: usize) -> bool {
        false
    }
}
mod division;
mod error;
pub mod forms;
mod gcd;
mod karatsuba;
mod kept;
mod limbs;
mod modulus;
mod multiplier;
pub mod paper;
mod reciprocal;
mod route;
mod schoolbook;
mod small;
pub mod text;
mod toom;
mod transform;
pub mod tuning;

pub use division::divide;
pub use error::Error;
pub use gcd::{gcd_vartime, invert_vartime};
pub use kept::{Kept, Operand};
pub use modulus::{Modulus, Montgomery};
pub use multiplier::Multiplier;
pub use route::{Options, Route};
pub use tuning::{Tuning, thresholds};

thread_local! {
    /// What the free functions compute with: working memory and tables of each thread that calls
    /// them.
    static SHARED: Multiplier = Multiplier::default();
}

/// Runs with the thread's multiplier.
fn with_shared<T>(run: impl FnOnce(&Multiplier) -> T) -> T {
    SHARED.with(run)
}

/// `out = a·b`, by the algorithm that is fastest for their lengths, on one thread. Tables and
/// working memory stay with the calling thread, up to a bound; a [`Multiplier`] owns its own. Time
/// depends on lengths, and on values only where the certificate of a floating-point transform fails
/// and an exact one follows.
///
/// # Errors
/// [`Error::OutputLength`] unless `out` is as long as both together.
pub fn multiply(out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
    with_shared(|multiplier| multiplier.multiply(out, a, b))
}

/// `out = a²`; as [`multiply`].
///
/// # Errors
/// [`Error::OutputLength`] unless `out` is twice as long as `a`.
pub fn square(out: &mut [u64], a: &[u64]) -> Result<(), Error> {
    with_shared(|multiplier| multiplier.square(out, a))
}
