//! Inputs that are halves: bits at scale 1/2, of which sums are XORs.

use std::collections::BTreeMap;
use std::sync::Arc;

/// The most noise of an input that is a half, in the units of [`NoiseModel`](crate::NoiseModel) for
/// bits: at either scale what matters is the error beside half a window, and a bit shifted from
/// scale 1/32 to scale 1/2 keeps its number.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct HalfNoise {
    /// The variance of what was chosen or stored.
    pub carried: f64,
    /// Products in a row, each by its share of a choice between bits.
    pub products: f64,
    /// Of them those by one selector, at most.
    pub repeated: f64,
}

/// How much more the variance of a half counts: whoever decrypts one asks that it is within an eighth of the
/// torus of 0 or 1/2, half of what a lookup asks, so that damage shows.
pub(crate) const DECRYPTED: f64 = 4.0;

/// By number of the input. Shared: every pass copies it.
pub(crate) type HalfInputs = Arc<BTreeMap<u32, HalfNoise>>;
