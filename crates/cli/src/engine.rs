//! The engine that commands compute with, and what they need to know of it.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::Arc;

use engines::tfhe_lookup::{self, Calibration};
use session::evaluator;
use tfhe::{Fft, Parameters, SeededServerKey, ServerKey};
use wire::{Inputs, WireError};

use crate::commands::same_key;
use crate::failure::{Code, Failure};

/// Reads the server key that inputs belong to and makes it ready to compute, by the processor that
/// was asked for.
pub(crate) fn expanded(
    path: &Path,
    (inputs_path, inputs): (&Path, &Inputs),
    threads: NonZeroUsize,
    fft: Option<Fft>,
) -> Result<Arc<ServerKey>, Failure> {
    let seeded: SeededServerKey =
        files::read(path).map_err(|error: WireError| Failure::file(path, &error))?;
    same_key(inputs_path, inputs, &seeded)?;
    evaluator::expand(&seeded, fft, threads)
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}

/// This machine's times, measured without a key.
pub(crate) fn calibration(
    parameters: &Parameters,
    fft: Option<Fft>,
) -> Result<Calibration, Failure> {
    tfhe_lookup::calibrate_on(parameters, fft.unwrap_or_else(Fft::detect))
        .map_err(|error| Failure::new(Code::Internal, error.to_string()))
}
