//! Where a modular product's time goes: `cargo run --release -p blindcore-bignum --example residues
//! [LIMBS]`.
//!
//! Microseconds of the best of some rounds, for both families of transforms: the product alone, the
//! residue of one, and Montgomery's product, each also in products.

use std::time::Instant;

use blindcore_bignum::{Error, Modulus, Montgomery, Multiplier, Options, Route};

const ROUNDS: usize = 41;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n = match std::env::args().nth(1) {
        Some(limbs) => limbs.parse()?,
        None => 12_288,
    };
    let fill = |step: u64| -> Vec<u64> {
        (1..=n as u64)
            .map(|at| at.wrapping_mul(step) ^ at.wrapping_mul(step) >> 31)
            .collect()
    };
    let (a, b) = (fill(0x9E37_79B9_7F4A_7C15), fill(0xBF58_476D_1CE4_E5B9));
    let mut d = fill(0x94D0_49BB_1331_11EB);
    d[0] |= 1;
    d[n - 1] |= 1 << 63;
    for route in [Route::Float, Route::Exact] {
        for threads in 1..=2 {
            let options = Options {
                route,
                threads: threads.try_into()?,
                ..Options::default()
            };
            let multiplier = Multiplier::new(2 * n, options)?;
            let modulus = Modulus::new(&d, options)?;
            let montgomery = Montgomery::new(&d, options)?;
            let (mut wide, mut out) = (vec![0; 2 * n], vec![0; n]);
            let kept = modulus.keep(&a)?;
            let product = best(|| multiplier.multiply(&mut wide, &a, &b))?;
            let square = best(|| multiplier.square(&mut wide, &a))?;
            let residue = best(|| modulus.multiply(&mut out, &a, &b))?;
            let from_kept = best(|| modulus.multiply_kept(&mut out, &kept, &b))?;
            let reduced = best(|| modulus.reduce(&mut out, &wide))?;
            let other = best(|| montgomery.multiply(&mut out, &a, &b))?;
            println!(
                "{route}, {threads} threads: product {product:.0}, square {square:.0}, residue {residue:.0} ({:.2}), \
                 one kept {from_kept:.0}, reduction {reduced:.0}, Montgomery {other:.0} ({:.2})",
                residue / product,
                other / product
            );
        }
    }
    Ok(())
}

fn best(mut run: impl FnMut() -> Result<(), Error>) -> Result<f64, Error> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = Instant::now();
        run()?;
        best = best.min(start.elapsed().as_secs_f64() * 1e6);
    }
    Ok(best)
}
