//! What the micro-benchmarks share: keys to measure with.
//!
//! They explain where time goes, layer by layer: `transform` (one polynomial, every instruction
//! set), `lookup` (one bootstrap, by size of batch, and its key switch), `addition` (32 bits
//! through circuit, scheduler and engine), `processor` (clear instructions, planning), `bignum`
//! (products of large integers, beside GMP and FLINT). A claim about other libraries needs
//! `bench/peers` instead.
//!
//! The keys encrypt nothing: time depends on a key's size, never on its content, so that no
//! benchmark spends its minute on making a real one.
#![forbid(unsafe_code)]

use std::sync::Arc;

use circuits::Profile;
use engines::tfhe_lookup::TfheLookup;
use tfhe::{LweCiphertext, Parameters, ServerKey, TfheError};

/// A key for timing.
///
/// # Errors
/// [`TfheError::NoTransform`] if a ring of the set has no transform.
pub fn key(parameters: &Parameters) -> Result<Arc<ServerKey>, TfheError> {
    Ok(Arc::new(ServerKey::for_timing(*parameters)?))
}

/// An engine on such a key for circuits of a profile, and bits to feed it. They are trivial
/// ciphertexts, which take as long as any others: nothing branches on a mask.
///
/// # Errors
/// As [`key`].
pub fn engine(
    parameters: &Parameters,
    profile: Profile,
    bits: usize,
) -> Result<(TfheLookup, Vec<Arc<LweCiphertext>>), TfheError> {
    let key = key(parameters)?;
    let bits = (0..bits)
        .map(|at| Arc::new(key.constant(at % 3 == 0)))
        .collect();
    Ok((TfheLookup::new(key, profile), bits))
}
