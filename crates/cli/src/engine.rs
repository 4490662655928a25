//! The engine that commands compute with, and what they need to know of it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use circuits::Profile;
use engines::tfhe_lookup::{self, Calibration, TfheLookup};
use tfhe::{Fft, Parameters, SeededServerKey, ServerKey};
use wire::{Inputs, WireError};

use crate::commands::same_key;
use crate::failure::{Code, Failure};

/// Reads the server key that inputs belong to and makes it ready to compute, by the processor that
/// was asked for.
pub(crate) fn load(
    path: &Path,
    (inputs_path, inputs): (&Path, &Inputs),
    threads: NonZeroUsize,
    fft: Option<Fft>,
) -> Result<TfheLookup, Failure> {
    let seeded: SeededServerKey =
        wire::read(path).map_err(|error: WireError| Failure::file(path, &error))?;
    same_key(inputs_path, inputs, &seeded)?;
    let key = ServerKey::expand_for(&seeded, chosen(fft), threads.get(), &|_, _| {})
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    Ok(TfheLookup::new(Arc::new(key)).with_cores(threads.get()))
}

/// The profile that [`load`]'s engine has, before there is a key.
pub(crate) fn profile(parameters: &Parameters, threads: NonZeroUsize) -> Profile {
    let mut profile = tfhe_lookup::profile(parameters);
    profile.cores = threads.get();
    profile
}

/// This machine's times, measured without a key.
pub(crate) fn calibration(
    parameters: &Parameters,
    fft: Option<Fft>,
) -> Result<Calibration, Failure> {
    tfhe_lookup::calibrate_on(parameters, chosen(fft))
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}

fn chosen(fft: Option<Fft>) -> Fft {
    fft.unwrap_or_else(Fft::detect)
}
