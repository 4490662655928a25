//! One polynomial of 2,048 coefficients, there and back, on every FFT processor of the machine.
//!
//! Forward takes torus elements, extracts the digits of P16's gadget and transforms them; inverse
//! rounds to the torus and adds. That is what a blind rotation calls.

use std::hint::black_box;

use criterion::{BatchSize, Criterion};
use transforms::torus::{Fft, Gadget, Plan, PolynomialSize, TransformError};

fn main() -> Result<(), TransformError> {
    let mut criterion = Criterion::default().configure_from_args();
    let size = PolynomialSize::new(2048)?;
    let gadget = Gadget::new(23, 1)?;
    let torus: Vec<u64> = (0..2048u64)
        .map(|at| at.wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(17))
        .collect();

    for fft in Fft::available() {
        let plan = Plan::new(size, fft)?;
        let mut group = criterion.benchmark_group(format!("transform/{fft}"));
        let mut spectrum = plan.digit_spectra(1);
        group.bench_function("forward", |bench| {
            bench.iter(|| plan.forward_digits(&mut spectrum, black_box(&torus), gadget, 1, &[]));
        });
        let mut transformed = plan.torus_spectra(1);
        plan.forward_torus(&mut transformed, &torus);
        let mut sum = torus.clone();
        group.bench_function("inverse", |bench| {
            // The inverse destroys its input, so each call gets a copy, made off the clock.
            bench.iter_batched_ref(
                || {
                    let mut spectrum = plan.torus_spectra(1);
                    spectrum.copy_from_slice(&transformed);
                    spectrum
                },
                |spectrum| plan.inverse_torus_add(black_box(&mut sum), spectrum, &[]),
                BatchSize::SmallInput,
            );
        });
        group.finish();
    }
    criterion.final_summary();
    Ok(())
}
