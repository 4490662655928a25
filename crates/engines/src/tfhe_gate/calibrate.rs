//! How long gates take on this machine: batches of gates of two inputs, and of multiplexers.

use circuits::{Gates as _, Job, Profile, Timing};
use tfhe::TfheError;
use tfhe::gate::GateCiphertext;

use super::TfheGate;
use crate::timing::{Rows, measure};

/// Measured costs of a parameter set on this machine.
#[derive(Clone, Debug, PartialEq)]
pub struct Calibration {
    /// Times of batches of gates of two inputs.
    pub timing: Timing,
    /// A multiplexer's share of a full batch, in nanoseconds: two rotations, but one key switch.
    pub mux: f64,
}

impl Calibration {
    /// Puts the measured costs into a profile.
    pub fn apply(&self, profile: &mut Profile) {
        profile.set_timing(self.timing.clone());
        profile.cost.mux = self.mux;
    }
}

impl TfheGate {
    /// Measures batches on the engine's own key, on one thread up to so many at a time: a second or
    /// two for each thread with a real set.
    ///
    /// # Errors
    /// None that a sound key has: [`TfheError`] of the gates evaluated.
    pub fn calibrate(&self, threads: usize) -> Result<Calibration, TfheError> {
        let bits = (1..=3)
            .map(|number| arbitrary(self, number))
            .collect::<Result<Vec<_>, _>>()?;
        let [a, b, c] = [&bits[0], &bits[1], &bits[2]];
        let batch = self.profile().batch;
        // XOR and AND alike are one rotation.
        let gates: Vec<_> = (0..batch)
            .map(|i| [Job::And(a, b), Job::Xor(b, c)][i % 2].clone())
            .collect();
        let select = Job::Mux {
            select: a,
            then: b,
            otherwise: c,
        };
        let selections = vec![select; batch / 2];
        let rows: Rows = measure(self, &gates, threads)?;
        let of_selections = measure(self, &selections, 1)?;
        let timing = rows.timing();
        let mux = of_selections.alone(batch / 2);
        match (timing, mux) {
            (Some(timing), Some(mux)) => Ok(Calibration {
                timing,
                mux: mux / (batch / 2) as f64,
            }),
            _ => unreachable!("a batch holds a gate, and a batch of two a multiplexer"),
        }
    }

    /// The same engine for a machine that has been measured.
    #[must_use]
    pub fn with_calibration(mut self, calibration: &Calibration) -> Self {
        calibration.apply(&mut self.profile);
        self
    }
}

/// A ciphertext of nothing, its mask as uneven as a real one's: the states of Knuth's linear
/// congruential generator (MMIX).
fn arbitrary(engine: &TfheGate, number: u64) -> Result<GateCiphertext, TfheError> {
    let next = |state: &u64| {
        let product = state.wrapping_mul(6_364_136_223_846_793_005);
        Some(product.wrapping_add(1_442_695_040_888_963_407))
    };
    let parameters = engine.key().parameters();
    let elements = std::iter::successors(Some(number), next)
        .skip(1)
        .take(parameters.lwe_dimension().get() + 1)
        .map(|state| (state >> 32) as u32)
        .collect();
    GateCiphertext::from_parts(parameters, engine.key().key_id(), elements)
}
