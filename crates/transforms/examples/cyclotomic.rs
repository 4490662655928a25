//! Times of evaluations and interpolations modulo one prime, for each ring of the default family
//! and each instruction set, beside the products and conversions that go with them.
//!
//! `cargo run --release -p blindcore-transforms --example cyclotomic [INDEX|all [ROUNDS [BITS]]]`.
//! Every answer is checked first: a product of two elements against that by a monomial, and back.
//! Rounds interleave what is compared; each figure is the smallest of all rounds, in nanoseconds a
//! word.

use blindcore_transforms::InstructionSet;
use blindcore_transforms::cyclotomic::{Index, Plan, primes, wraps};
use std::error::Error;
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Indices of the default family, and the paper's.
const INDICES: [u32; 6] = [4369, 13_107, 21_845, 65_535, 65_537, 8191];
/// What is measured.
const COLUMNS: [&str; 11] = [
    "evaluate",
    "interpolate",
    "multiply",
    "3 products",
    "add",
    "add packed",
    "pack",
    "unpack",
    "scale",
    "combine 5",
    "wraps 4",
];

struct Route {
    plan: Plan,
    words: Vec<u64>,
    others: Vec<Vec<u64>>,
    best: [Duration; COLUMNS.len()],
}

impl Route {
    fn new(index: &Arc<Index>, q: u64, set: InstructionSet) -> Result<Self, Box<dyn Error>> {
        let plan = Plan::new(index, q, set)?;
        let row = |seed: u64| -> Vec<u64> {
            let words =
                (0..index.degree() as u64).map(|i| (i + seed).wrapping_mul(0x9e37_79b9_7f4a_7c15));
            words.map(|x| (x >> 14) % q).collect()
        };
        Ok(Self {
            plan,
            words: row(1),
            others: (2..8).map(row).collect(),
            best: [Duration::MAX; COLUMNS.len()],
        })
    }

    /// The product by `ζ` moves coefficients to the next exponent; those that come to an exponent
    /// that is not prime to the index are left out of the comparison, as is what they are
    /// subtracted from.
    fn check(&self) -> Result<(), Box<dyn Error>> {
        let index = self.plan.index();
        let one = index.position(1).ok_or("1 is prime to every index")?;
        let two = index.position(2).ok_or("2 is prime to every odd index")?;
        let mut x = vec![0; index.degree()];
        x[one] = 1;
        self.plan.evaluate(&mut x);
        let square = x.clone();
        self.plan.multiply(&mut x, &square);
        self.plan.interpolate(&mut x);
        let right = x.iter().enumerate().all(|(i, &x)| x == u64::from(i == two));
        let mut words = self.words.clone();
        self.plan.evaluate(&mut words);
        self.plan.interpolate(&mut words);
        if right && words == self.words {
            Ok(())
        } else {
            Err("a wrong product".into())
        }
    }

    fn round(&mut self) {
        let Self {
            plan,
            words,
            others,
            best,
        } = self;
        let q = plan.modulus();
        let rows: Vec<&[u64]> = others.iter().map(Vec::as_slice).collect();
        let pairs = [[rows[0], rows[1]], [rows[2], rows[3]], [rows[4], rows[5]]];
        let (mut into, mut counts) = (words.clone(), words.clone());
        let (mut packed, other) = (plan.pack(words), plan.pack(rows[0]));
        for (column, best) in best.iter_mut().enumerate() {
            let start = Instant::now();
            match column {
                0 => plan.evaluate(words),
                1 => plan.interpolate(words),
                2 => plan.multiply(&mut into, rows[0]),
                3 => plan.sum_products(&mut into, &pairs),
                4 => plan.add(&mut into, rows[0]),
                5 => packed.add(&other),
                6 => packed = plan.pack(rows[1]),
                7 => packed.unpack_into(&mut into),
                8 => plan.scale(&mut into, q / 3),
                9 => plan.combine(&mut into, &rows[..5], &[q - 1, q / 2, q / 3, q / 5, 1]),
                _ => wraps(&mut counts, &rows[..4], &[q; 4]),
            }
            *best = start.elapsed().min(*best);
        }
        black_box((into, counts, packed));
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let indices = match arguments.first().map(String::as_str) {
        None | Some("all") => INDICES.to_vec(),
        Some(index) => vec![index.parse()?],
    };
    let rounds: usize = arguments.get(1).map_or(Ok(200), |rounds| rounds.parse())?;
    let bits: u32 = arguments.get(2).map_or(Ok(45), |bits| bits.parse())?;
    print!("{:>6} {:>6} {:>7}", "index", "phi", "set");
    for column in COLUMNS {
        print!(" {column:>11}");
    }
    println!("  (ns a word; prime of {bits} bits)");
    for m in indices {
        let index = Arc::new(Index::new(m)?);
        let q = primes(&index, bits, 1, &[])?[0];
        let sets = InstructionSet::available().into_iter();
        let routes: Result<Vec<Route>, _> = sets.map(|set| Route::new(&index, q, set)).collect();
        let mut routes = routes?;
        for route in &routes {
            route.check()?;
        }
        for _ in 0..rounds {
            routes.iter_mut().for_each(Route::round);
        }
        for (route, set) in routes.iter().zip(InstructionSet::available()) {
            print!("{m:>6} {:>6} {set:>7}", index.degree(), set = set.name());
            for best in route.best {
                print!(
                    " {:>11.3}",
                    best.as_secs_f64() * 1e9 / index.degree() as f64
                );
            }
            println!();
        }
    }
    Ok(())
}
