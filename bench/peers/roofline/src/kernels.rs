//! The transforms and products of a blind rotation without its stream: every step uses the
//! same block of the key, which stays in the second-level cache. What a lookup takes beyond
//! this is the stream, the key switch and bookkeeping; what this takes beyond the arithmetic
//! floor is loads, shuffles and latencies.

use std::hint::black_box;
use std::time::{Duration, Instant};

use clock::Failure;
use tfhe::Parameters;
use transforms::torus::{Fft, Gadget, KeyShape, Plan, PolynomialSize, Spectra};

pub struct Kernels {
    plan: Plan,
    gadget: Gadget,
    shape: KeyShape,
    levels: u32,
    steps: usize,
    key: Spectra,
}

impl Kernels {
    pub fn new(set: &Parameters, fft: Fft) -> Result<Self, Failure> {
        let plan = Plan::new(PolynomialSize::new(set.polynomial_size().get())?, fft)?;
        let decomposition = set.bootstrap_decomposition();
        let levels = decomposition.levels.get() as u32;
        let gadget = Gadget::new(decomposition.base_log.get() as u32, levels)?;
        let columns = set.glwe_dimension().get() + 1;
        let shape = KeyShape {
            elements: set.block_bits(),
            rows: columns * levels as usize,
            columns,
        };
        let mut key = plan.torus_spectra(shape.spectra());
        for (at, word) in key.iter_mut().enumerate() {
            *word = (at % 1013) as f64;
        }
        Ok(Self {
            plan,
            gadget,
            shape,
            levels,
            steps: set.lwe_dimension().get() / set.block_bits(),
            key,
        })
    }

    /// A batch of rotations.
    pub fn time(&self, batch: usize) -> Duration {
        let size = self.plan.size().coefficients();
        let mut accumulators: Vec<u64> = (0..(batch * self.shape.columns * size) as u64)
            .map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15))
            .collect();
        let mut digits = self.plan.digit_spectra(batch * self.shape.rows);
        let mut products = self.plan.torus_spectra(batch * self.shape.columns);
        let exponents: Vec<u32> = (0..(batch * self.shape.elements) as u32)
            .map(|at| at * 977 % (2 * size as u32))
            .collect();

        let start = Instant::now();
        for _ in 0..self.steps {
            let lookups = accumulators
                .chunks_exact(self.shape.columns * size)
                .zip(digits.chunks_exact_mut(self.shape.rows * self.plan.digit_len()));
            for (accumulator, digits) in lookups {
                let mut digits = digits.chunks_exact_mut(self.plan.digit_len());
                for polynomial in accumulator.chunks_exact(size) {
                    for level in 1..=self.levels {
                        let Some(digits) = digits.next() else { break };
                        self.plan
                            .forward_digits(digits, polynomial, self.gadget, level, &[]);
                    }
                }
            }
            self.plan.rotate_block(
                &mut products,
                &digits,
                black_box(&self.key),
                self.shape,
                &exponents,
                &[],
            );
            for (product, polynomial) in products
                .chunks_exact_mut(self.plan.torus_len())
                .zip(accumulators.chunks_exact_mut(size))
            {
                self.plan.inverse_torus_add(polynomial, product, &[]);
            }
        }
        let time = start.elapsed();
        black_box(&accumulators);
        time
    }
}
