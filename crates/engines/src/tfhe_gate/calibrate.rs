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
    /// Measures batches on the engine's own key, on 1 to `threads` threads: a second or
    /// two for each thread with a real set.
    ///
    /// # Errors
    /// None that a sound key has: [`TfheError`] of the gates evaluated.
    pub fn calibrate(&self, threads: usize) -> Result<Calibration, TfheError> {
        // Each gate has bits of its own, since rotations by the same amounts would find what they
        // read in the cache. XOR and AND alike are one rotation.
        let batch = self.profile().batch;
        let bits = (1..=2 * batch as u64)
            .map(|number| arbitrary(self, number))
            .collect::<Result<Vec<_>, _>>()?;
        let gates: Vec<_> = bits.chunks(2).enumerate().map(gate).collect();
        let selections: Vec<_> = bits.chunks_exact(4).map(selection).collect();
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
}

fn gate((number, bits): (usize, &[GateCiphertext])) -> Job<'_, GateCiphertext> {
    match number % 2 {
        0 => Job::And(&bits[0], &bits[1]),
        _ => Job::Xor(&bits[0], &bits[1]),
    }
}

fn selection(bits: &[GateCiphertext]) -> Job<'_, GateCiphertext> {
    Job::Mux {
        select: &bits[0],
        then: &bits[1],
        otherwise: &bits[2],
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
