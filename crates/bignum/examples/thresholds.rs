//! Measures where one algorithm overtakes the next, for the constants in `src/small.rs` and
//! `src/tuning`: `cargo run --release -p blindcore-bignum --example thresholds [LIMBS…]`.
//!
//! Times are the least of several rounds in which the routes take turns, in microseconds for a
//! product of two operands of one length, with squares behind the stroke. A route that is twenty
//! times as slow as the best is left out from there on. What [`Tuning::measure`] finds comes last.

use std::hint::black_box;
use std::time::{Duration, Instant};

use blindcore_bignum::{Error, Multiplier, Options, Route, Tuning};
use rug::Integer;
use rug::integer::Order;

const ROUTES: [Route; 7] = [
    Route::Automatic,
    Route::Schoolbook,
    Route::Columns,
    Route::Karatsuba,
    Route::Toom,
    Route::Float,
    Route::Exact,
];

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut lengths = std::env::args()
        .skip(1)
        .map(|argument| argument.parse())
        .collect::<Result<Vec<usize>, _>>()?;
    if lengths.is_empty() {
        lengths = [
            8, 12, 16, 20, 24, 28, 32, 40, 48, 56, 64, 80, 96, 112, 128, 160, 192, 224, 256, 320,
            384, 512, 768, 1024, 2048, 4096, 12_288, 32_768, 131_072, 524_288, 1_048_576,
        ]
        .into();
    }
    let multipliers: Vec<(Route, Multiplier)> = ROUTES
        .into_iter()
        .map(|route| {
            let options = Options {
                route,
                ..Options::default()
            };
            Ok((route, Multiplier::new(0, options)?))
        })
        .collect::<Result<_, Error>>()?;
    let mut slow = [false; ROUTES.len()];
    print!("{:>9}", "limbs");
    for route in ROUTES {
        print!("{:>24}", route.name());
    }
    println!("{:>24}", "GMP");
    for n in lengths {
        let (a, b) = (numbers(1, n), numbers(2, n));
        let (x, y) = (
            Integer::from_digits(&a, Order::Lsf),
            Integer::from_digits(&b, Order::Lsf),
        );
        let mut out = vec![0; 2 * n];
        let mut best = [[Duration::MAX; 2]; ROUTES.len() + 1];
        // About two milliseconds for each round of a route, and at least one product.
        let repeats = (200_000 / (n * n.ilog2().max(1) as usize)).clamp(1, 2000);
        for _ in 0..9 {
            for (at, (_, multiplier)) in multipliers.iter().enumerate() {
                if !slow[at] {
                    best[at][0] = best[at][0].min(time(repeats, || {
                        multiplier.multiply(&mut out, black_box(&a), black_box(&b))
                    })?);
                    best[at][1] = best[at][1].min(time(repeats, || {
                        multiplier.square(&mut out, black_box(&a))
                    })?);
                }
            }
            let gmp = &mut best[ROUTES.len()];
            gmp[0] = gmp[0].min(time(repeats, || {
                black_box(Integer::from(black_box(&x) * black_box(&y)));
                Ok(())
            })?);
            gmp[1] = gmp[1].min(time(repeats, || {
                black_box(Integer::from(black_box(&x).square_ref()));
                Ok(())
            })?);
        }
        let fastest = best.iter().map(|times| times[0]).min().unwrap_or_default();
        print!("{n:>9}");
        for (at, [product, square]) in best.iter().enumerate() {
            if *product == Duration::MAX {
                print!("{:>24}", "-");
            } else {
                print!(
                    "{:>24}",
                    format!(
                        "{:.2} | {:.2}",
                        microseconds(*product),
                        microseconds(*square)
                    )
                );
            }
            if let Some(slow) = slow.get_mut(at) {
                *slow |= n > 64 && *product > 20 * fastest;
            }
        }
        println!();
    }
    let start = Instant::now();
    let tuning = Tuning::measure()?;
    println!("{tuning:?}, measured in {:.2?}", start.elapsed());
    Ok(())
}

fn time(repeats: usize, mut run: impl FnMut() -> Result<(), Error>) -> Result<Duration, Error> {
    let start = Instant::now();
    for _ in 0..repeats {
        run()?;
    }
    Ok(start.elapsed() / repeats as u32)
}

fn microseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1e6
}

/// Limbs that look random (splitmix64).
fn numbers(seed: u64, length: usize) -> Vec<u64> {
    let mut state = seed;
    std::iter::repeat_with(|| {
        state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mixed = (state ^ (state >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    })
    .take(length)
    .collect()
}
