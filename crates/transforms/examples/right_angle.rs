//! Times the right-angle convolution: each step and the whole product, for every instruction set
//! and one or two threads, interleaved with GMP's product in the same run.
//!
//! `cargo run --release -p blindcore-transforms --example right_angle -- [LIMBS [ROUNDS]]`

use blindcore_transforms::InstructionSet;
use blindcore_transforms::integers::right_angle::{Plan, Spectrum};
use rug::integer::Order;
use rug::{Assign, Integer};
use std::error::Error;
use std::num::NonZeroUsize;
use std::time::Instant;

/// SplitMix64.
fn random(seed: u64, len: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    };
    (0..len).map(|_| next()).collect()
}

/// A contender: its name, its way to a product, and the times so far in milliseconds.
struct Line {
    name: String,
    plan: Plan,
    memory: [Spectrum; 3],
    pair: [Spectrum; 2],
    /// Forward, pointwise, inverse; the product in one go.
    times: [Vec<f64>; 4],
}

impl Line {
    /// Step by step, and in one go.
    fn product(&mut self, a: &[u64], b: &[u64], out: &mut [u64]) -> Result<(), Box<dyn Error>> {
        let [x, y, sum] = &mut self.memory;
        let start = Instant::now();
        self.plan.forward(a, x)?;
        let first = start.elapsed();
        self.plan.forward(b, y)?;
        let forward = start.elapsed();
        self.plan.multiply_add(sum, x, y)?;
        let pointwise = start.elapsed();
        self.plan.inverse(sum, out)?;
        let inverse = start.elapsed();
        let start = Instant::now();
        self.plan.multiply(out, a, b, &mut self.pair)?;
        let all = start.elapsed();
        let steps = [first, pointwise - forward, inverse - pointwise, all];
        for (times, step) in self.times.iter_mut().zip(steps) {
            times.push(step.as_secs_f64() * 1e3);
        }
        Ok(())
    }
}

/// Minimum, median and 90th percentile.
fn spread(times: &mut [f64]) -> [f64; 3] {
    times.sort_by(f64::total_cmp);
    let at = |part: f64| times[((times.len() - 1) as f64 * part) as usize];
    [at(0.0), at(0.5), at(0.9)]
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut number = |default: usize| arguments.next().map_or(Ok(default), |text| text.parse());
    let limbs = number(12_288)?;
    let rounds = number(200)?;
    let (a, b) = (random(1, limbs), random(2, limbs));
    let (x, y) = (
        Integer::from_digits(&a, Order::Lsf),
        Integer::from_digits(&b, Order::Lsf),
    );
    let expected = Integer::from(&x * &y).to_digits::<u64>(Order::Lsf);

    let mut lines = Vec::new();
    for set in InstructionSet::available() {
        for threads in [1, 2] {
            let threads = NonZeroUsize::new(threads).ok_or("no thread")?;
            let plan = Plan::new(2 * limbs, 1, set, threads)?;
            println!(
                "{set}, {threads} threads: {} points, {} bits",
                plan.points(),
                plan.digit_bits()
            );
            lines.push(Line {
                name: format!("{set}, {threads}"),
                memory: [plan.spectrum(), plan.spectrum(), plan.spectrum()],
                pair: [plan.spectrum(), plan.spectrum()],
                plan,
                times: Default::default(),
            });
        }
    }
    let mut gmp = Vec::new();
    let mut out = vec![0; 2 * limbs];
    let mut product = Integer::new();
    for _ in 0..rounds {
        for line in &mut lines {
            out.fill(0);
            line.product(&a, &b, &mut out)?;
            assert_eq!(out, expected, "{}", line.name);
        }
        let start = Instant::now();
        product.assign(&x * &y);
        gmp.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let gmp = spread(&mut gmp);
    println!("{limbs} by {limbs} limbs, {rounds} rounds; milliseconds: least, median, 90 %");
    println!(
        "{:12} {:>8.4} {:>8.4} {:>8.4}",
        "GMP", gmp[0], gmp[1], gmp[2]
    );
    for line in &mut lines {
        for (step, times) in ["forward", "pointwise", "inverse", "product"]
            .iter()
            .zip(&mut line.times)
        {
            let [least, median, most] = spread(times);
            print!(
                "{:12} {step:10} {least:>8.4} {median:>8.4} {most:>8.4}",
                line.name
            );
            if *step == "product" {
                print!(
                    "   GMP/this {:.2} (least) {:.2} (median)",
                    gmp[0] / least,
                    gmp[1] / median
                );
            }
            println!();
        }
    }
    Ok(())
}
