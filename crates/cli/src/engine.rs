//! The engine that commands compute with, and what they need to know of it.

use std::num::NonZeroUsize;
use std::path::Path;

use circuits::library::Architectures;
use engines::tfhe_lookup::{self, Calibration, TfheLookup};
use service::evaluation::{self, Recording};
use tfhe::{Fft, Parameters, SeededServerKey};
use wire::{Inputs, WireError};

use crate::commands::same_key;
use crate::failure::{Code, Failure};

/// Reads the server key that inputs belong to and makes it ready to compute, by the processor that
/// was asked for.
pub(crate) fn load(
    path: &Path,
    (inputs_path, inputs): (&Path, &Inputs),
    threads: NonZeroUsize,
    recording: Recording,
    architectures: Architectures,
    fft: Option<Fft>,
) -> Result<TfheLookup, Failure> {
    let seeded: SeededServerKey =
        files::read(path).map_err(|error: WireError| Failure::file(path, &error))?;
    same_key(inputs_path, inputs, &seeded)?;
    let key = evaluation::expand(&seeded, fft, threads)
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))?;
    Ok(evaluation::engine(key, threads, recording, architectures))
}

/// This machine's times, measured without a key.
pub(crate) fn calibration(
    parameters: &Parameters,
    fft: Option<Fft>,
) -> Result<Calibration, Failure> {
    tfhe_lookup::calibrate_on(parameters, fft.unwrap_or_else(Fft::detect))
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}
