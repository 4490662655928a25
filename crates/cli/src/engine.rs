//! The engine that commands compute with, and what they need to know of it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use circuits::Profile;
use engines::tfhe_lookup::{self, TfheLookup};
use tfhe::{Parameters, SeededServerKey, ServerKey};
use wire::WireError;

use crate::failure::{Code, Failure};

/// Reads a server key and makes it ready to compute.
pub(crate) fn load(path: &Path, threads: NonZeroUsize) -> Result<TfheLookup, Failure> {
    let seeded: SeededServerKey =
        wire::read(path).map_err(|error: WireError| Failure::file(path, &error))?;
    let key = ServerKey::expand(&seeded, threads.get(), &|_, _| {})
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    Ok(TfheLookup::new(Arc::new(key)).with_cores(threads.get()))
}

/// The engine's profile with this machine's times, measured without a key.
pub(crate) fn measured_profile(
    parameters: &Parameters,
    threads: NonZeroUsize,
) -> Result<Profile, Failure> {
    let calibration = tfhe_lookup::calibrate(parameters)
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    let mut profile = tfhe_lookup::profile(parameters);
    calibration.apply(&mut profile);
    profile.cores = threads.get();
    Ok(profile)
}
