//! What the scheme asks of the transforms: a ring's plan and a gadget, by the scheme's own sizes.

use transforms::torus::{Fft, Gadget, Plan, PolynomialSize as TransformSize, TransformError};

use crate::error::TfheError;
use crate::parameters::{Decomposition, PolynomialSize};

/// The transform of a ring by an FFT processor.
pub(crate) fn plan(size: PolynomialSize, fft: Fft) -> Result<Plan, TfheError> {
    TransformSize::new(size.get())
        .and_then(|size| Plan::new(size, fft))
        .map_err(|reason| TfheError::NoTransform { reason })
}

/// A gadget, as the transforms see it.
pub(crate) fn gadget(decomposition: Decomposition) -> Result<Gadget, TfheError> {
    Gadget::new(decomposition.base_log.0, decomposition.levels.0)
        .map_err(|reason: TransformError| TfheError::NoTransform { reason })
}
