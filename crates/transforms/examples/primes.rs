//! Times of exact products by three primes: of their parts, for each instruction set, on one thread
//! and two, beside GMP's product in the same run.
//!
//! `cargo run --release -p blindcore-transforms --example primes [LIMBS [ROUNDS]]`, `LIMBS` being
//! the length of each operand (12,288 unless given). Rounds interleave what is compared; each
//! figure is the smallest and, after it, the median of all rounds.

use blindcore_transforms::InstructionSet;
use blindcore_transforms::integers::primes::{Plan, PrimesError, Spectrum};
use rug::{Complete, Integer, integer::Order};
use std::error::Error;
use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::{Duration, Instant};

/// Durations of one thing in all rounds.
#[derive(Default)]
struct Times(Vec<Duration>);

impl Times {
    fn measure<R>(&mut self, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = black_box(work());
        self.0.push(start.elapsed());
        result
    }

    /// The smallest and the median, in milliseconds.
    fn summary(&mut self) -> [f64; 2] {
        self.0.sort_unstable();
        [0, self.0.len() / 2].map(|i| self.0[i].as_secs_f64() * 1e3)
    }
}

/// One plan with everything that its products take.
struct Route {
    plan: Plan,
    threads: usize,
    work: [Spectrum; 2],
    sum: Spectrum,
    out: Vec<u64>,
    times: [Times; 6],
}

/// What is measured of each route: a product, one by a kept spectrum, a square, and parts.
const COLUMNS: [&str; 6] = [
    "product",
    "by kept",
    "square",
    "forward",
    "pointwise",
    "inverse",
];

impl Route {
    fn new(limbs: usize, set: InstructionSet, threads: NonZeroUsize) -> Result<Self, PrimesError> {
        let plan = Plan::new(2 * limbs, 1, set, threads)?;
        Ok(Self {
            work: std::array::from_fn(|_| plan.spectrum()),
            sum: plan.spectrum(),
            threads: threads.get(),
            plan,
            out: vec![0; 2 * limbs],
            times: Default::default(),
        })
    }

    /// The result of the last call is that of its inverse transform: `a·b`.
    fn round(&mut self, a: &[u64], b: &[u64]) -> Result<(), PrimesError> {
        let [product, kept, square, forward, pointwise, inverse] = &mut self.times;
        let (plan, sum, out) = (&self.plan, &mut self.sum, &mut self.out);
        // The first one finds the caches as what was measured before has left them.
        plan.multiply(out, a, b, &mut self.work)?;
        product.measure(|| plan.multiply(out, a, b, &mut self.work))?;
        let [x, y] = &mut self.work;
        square.measure(|| plan.square(out, a, x))?;
        plan.forward(b, y)?;
        kept.measure(|| plan.multiply_kept(out, a, y, x))?;
        forward.measure(|| plan.forward(a, x))?;
        pointwise.measure(|| plan.multiply_add(sum, x, y))?;
        inverse.measure(|| plan.inverse(sum, out))
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let mut next = |default: usize| arguments.next().map_or(Ok(default), |x| x.parse());
    let (limbs, rounds) = (next(12_288)?, next(41)?);

    let mut state = 1u64;
    let mut random = || {
        state = state
            .wrapping_mul(6_364_136_223_846_793_005)
            .wrapping_add(1_442_695_040_888_963_407);
        state ^ state >> 29
    };
    let a: Vec<u64> = (0..limbs).map(|_| random()).collect();
    let b: Vec<u64> = (0..limbs).map(|_| random()).collect();
    let (x, y) = (
        Integer::from_digits(&a, Order::Lsf),
        Integer::from_digits(&b, Order::Lsf),
    );
    let expected = Integer::from(&x * &y);

    let mut routes = Vec::new();
    for set in InstructionSet::available() {
        for threads in [1, 2] {
            routes.push(Route::new(
                limbs,
                set,
                NonZeroUsize::new(threads).ok_or("threads")?,
            )?);
        }
    }
    let (mut gmp, mut gmp_square) = (Times::default(), Times::default());
    for _ in 0..rounds {
        let _ = black_box((black_box(&x) * black_box(&y)).complete());
        drop(gmp.measure(|| (black_box(&x) * black_box(&y)).complete()));
        drop(gmp_square.measure(|| black_box(&x).square_ref().complete()));
        for route in &mut routes {
            route.round(&a, &b)?;
            if Integer::from_digits(&route.out, Order::Lsf) != expected {
                return Err(format!("{}: a wrong product", route.plan.kernels()).into());
            }
        }
    }

    let points = routes.first().map_or(0, |route| route.plan.points());
    println!(
        "{limbs} limbs ({} bits) each, {points} points, {rounds} rounds: least and median, ms",
        64 * limbs
    );
    print!("{:<12}{:>7}", "kernels", "threads");
    COLUMNS.iter().for_each(|name| print!("{name:>16}"));
    println!("   GMP/ours: product, square");
    let ([gmp, gmp_median], [square, square_median]) = (gmp.summary(), gmp_square.summary());
    println!(
        "{:<12}{:>7}{gmp:8.3}{gmp_median:8.3}{:16}{square:8.3}{square_median:8.3}",
        "GMP (rug)", 1, ""
    );
    for route in &mut routes {
        print!("{:<12}{:>7}", route.plan.kernels(), route.threads);
        let times = route.times.each_mut().map(Times::summary);
        times
            .iter()
            .for_each(|[least, median]| print!("{least:8.3}{median:8.3}"));
        println!(
            "   {:.2} (medians {:.2}), {:.2}",
            gmp / times[0][0],
            gmp_median / times[0][1],
            square / times[2][0]
        );
    }
    Ok(())
}
