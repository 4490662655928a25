//! What takes part, and what it is tested with.

use std::time::{Duration, Instant};

use clock::Failure;
use transforms::torus::{Gadget, oracle};

/// The first torus coefficients may differ from the exact product by this much, as a power of
/// two: rounding to 53 bits gives about 2^42 at these sizes, and a wrong product 2^63.
const LARGEST_LOG2_ERROR: f64 = 46.0;

/// The gadget of the default parameter set.
pub fn gadget() -> Result<Gadget, Failure> {
    Ok(Gadget::new(23, 1)?)
}

/// Polynomials to transform, and their exact product.
pub struct Sample {
    /// Signed digits of 23 bits.
    pub digits: Vec<i64>,
    pub torus: Vec<u64>,
    product: Vec<u64>,
}

impl Sample {
    pub fn new(size: usize) -> Self {
        // Weyl's sequence, turned: no pattern that a transform could like.
        let words = |offset: u64| {
            (0..size as u64).map(move |at| {
                (at + offset)
                    .wrapping_mul(0x9e37_79b9_7f4a_7c15)
                    .rotate_left(17)
                    .wrapping_mul(0xbf58_476d_1ce4_e5b9)
            })
        };
        let digits: Vec<i64> = words(1).map(|word| word as i64 >> 41).collect();
        let torus: Vec<u64> = words(77_777).collect();
        let unsigned: Vec<u64> = digits.iter().map(|&digit| digit as u64).collect();
        let product = oracle::negacyclic_product(&unsigned, &torus);
        Self {
            digits,
            torus,
            product,
        }
    }

    pub fn size(&self) -> usize {
        self.torus.len()
    }

    /// Base-2 logarithm of the largest error of a product of [`Sample::digits`] and
    /// [`Sample::torus`].
    pub fn judge(&self, name: &str, product: &[u64]) -> Result<f64, Failure> {
        let errors = product.iter().zip(&self.product);
        let worst = errors
            .map(|(found, exact)| (found.wrapping_sub(*exact) as i64).unsigned_abs())
            .max()
            .unwrap_or(u64::MAX);
        let log2 = (worst.max(1) as f64).log2();
        if log2 <= LARGEST_LOG2_ERROR {
            Ok(log2)
        } else {
            Err(format!("{name} is wrong by 2^{log2:.1}").into())
        }
    }
}

/// A transform.
pub trait Side {
    fn name(&self) -> String;

    /// Whether a trip starts and ends with integers, or with complex numbers.
    fn converts(&self) -> bool {
        true
    }

    /// One polynomial forward and back, added to what is there.
    fn trip(&mut self);

    /// Base-2 logarithm of the largest error of a product, if it has products.
    fn worst_error(&mut self, sample: &Sample) -> Result<Option<f64>, Failure>;
}

/// The time of `trips` trips.
pub fn time(side: &mut dyn Side, trips: u32) -> Duration {
    let start = Instant::now();
    for _ in 0..trips {
        side.trip();
    }
    start.elapsed()
}
