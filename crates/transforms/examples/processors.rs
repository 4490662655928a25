//! Every FFT processor of this machine, side by side: microseconds of the best and of the median call, and
//! the error of products in bits (units of 2^-64 of the torus).
//!
//! `cargo run --release -p blindcore-transforms --example processors [COEFFICIENTS [DIGIT_BITS [ROUNDS]]]`

use std::error::Error;
use transforms::speed::{self, Spread};
use transforms::{Fft, Plan, PolynomialSize, accuracy};

fn main() -> Result<(), Box<dyn Error>> {
    let arguments = std::env::args().skip(1).map(|text| text.parse());
    let arguments = arguments.collect::<Result<Vec<u32>, _>>()?;
    let argument = |at: usize, default| arguments.get(at).copied().unwrap_or(default);
    let size = PolynomialSize::new(argument(0, 2048) as usize)?;
    let digit_bits = argument(1, 23);
    let processors = Fft::available();
    let speeds = speed::compare(size, &processors, digit_bits, argument(2, 501) as usize)?;
    println!("N = {}, digits of {digit_bits} bits", size.coefficients());
    println!(
        "{:8} {:>13} {:>13} {:>13} {:>6} {:>6}",
        "", "forward", "inverse", "block step", "rms", "max"
    );
    for (fft, speed) in processors.into_iter().zip(speeds) {
        let accuracy = accuracy::measure(&Plan::new(size, fft)?, digit_bits)?;
        let time = |spread: Spread| {
            let [best, median] = [spread.best, spread.median].map(|t| t.as_secs_f64() * 1e6);
            format!("{best:.2}–{median:.2}")
        };
        let bits = |bits: Option<f64>| bits.map_or("exact".into(), |bits| format!("{bits:.1}"));
        println!(
            "{fft:8} {:>13} {:>13} {:>13} {:>6} {:>6}",
            time(speed.forward),
            time(speed.inverse),
            time(speed.block_step),
            bits(accuracy.rms_bits()),
            bits(accuracy.worst_bits()),
        );
    }
    Ok(())
}
