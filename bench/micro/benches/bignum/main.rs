//! Products and modular products of large integers: our routes beside GMP and, where the machine
//! has it, FLINT.
//!
//! `cargo bench -p blindcore-bench --bench bignum -- [--csv] [--rounds N] [LIMBS…]`, 12,288 limbs
//! (786,432 bits) by default. Everything of one size takes its turn in every round; the table has
//! the median, the least and the most of the rounds, in microseconds, and how many times GMP's best
//! takes (for FLINT and ourselves). Every answer is compared with GMP's before its time counts.
//! FLINT is the library that `FLINT_LIBRARY` names, or `libflint.so`.

mod flint;

use std::hint::black_box;
use std::num::NonZeroUsize;
use std::time::Instant;

use bignum::{Error, Kept, Modulus, Montgomery, Multiplier, Options, Route};
use flint::Flint;
use rug::Integer;
use rug::integer::Order;

type Failure = Box<dyn std::error::Error>;

/// A computation with its answer.
struct Contestant<'a> {
    group: &'static str,
    name: String,
    /// A peer that ratios are formed with.
    reference: bool,
    run: Box<dyn FnMut() -> Result<(), Error> + 'a>,
    /// How many of what the group measures one run does.
    times: f64,
    microseconds: Vec<f64>,
}

fn main() -> Result<(), Failure> {
    let mut lengths = Vec::new();
    let (mut csv, mut rounds) = (false, 31);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--csv" => csv = true,
            "--rounds" => rounds = arguments.next().ok_or("--rounds needs a number")?.parse()?,
            // What cargo itself adds.
            "--bench" => {}
            limbs => lengths.push(limbs.parse()?),
        }
    }
    if lengths.is_empty() {
        lengths.push(12_288);
    }
    let flint = Flint::load();
    if csv {
        println!("limbs,group,name,rounds,median_us,least_us,most_us,gmp_best_ratio");
    } else if flint.is_none() {
        println!("FLINT is not here: FLINT_LIBRARY=FILE names it");
    }
    for limbs in lengths {
        measure(limbs, rounds, csv, flint.as_ref())?;
    }
    Ok(())
}

fn measure(limbs: usize, rounds: usize, csv: bool, flint: Option<&Flint>) -> Result<(), Failure> {
    let (a, b) = (numbers(1, limbs), numbers(2, limbs));
    let mut d = numbers(3, limbs);
    d[0] |= 1;
    d[limbs - 1] |= 1 << 63;
    let (x, y, m) = (gmp(&a), gmp(&b), gmp(&d));
    let product = digits(&Integer::from(&x * &y), 2 * limbs);
    let square = digits(&x.clone().square(), 2 * limbs);
    let residue = digits(&(Integer::from(&x * &y) % &m), limbs);

    // What contestants borrow, before them.
    let made = plans(limbs, &d)?;
    let mut contestants: Vec<Contestant> = Vec::new();
    gmp_products(&mut contestants, &x, &y);
    gmp_residues(&mut contestants, &x, &y, &m, limbs);
    if let Some(flint) = flint {
        let mut out = vec![0; 2 * limbs];
        flint.multiply(&mut out, &a, &b);
        if out != product {
            return Err("FLINT's product differs from GMP's".into());
        }
        let (a, b) = (&a, &b);
        contestants.push(Contestant::new("product", "FLINT", move || {
            flint.multiply(&mut out, a, b);
            Ok(())
        }));
    }

    for plan in &made {
        plan.check(&a, &b, [&product, &square, &residue])?;
        plan.contestants(&mut contestants, &a, &b)?;
    }
    for _ in 0..rounds {
        for contestant in &mut contestants {
            let start = Instant::now();
            (contestant.run)()?;
            let taken = start.elapsed().as_secs_f64() * 1e6 / contestant.times;
            contestant.microseconds.push(taken);
        }
    }
    report(limbs, rounds, csv, &mut contestants);
    Ok(())
}

impl<'a> Contestant<'a> {
    fn new(
        group: &'static str,
        name: impl Into<String>,
        run: impl FnMut() -> Result<(), Error> + 'a,
    ) -> Self {
        Self {
            group,
            name: name.into(),
            reference: false,
            run: Box::new(run),
            times: 1.0,
            microseconds: Vec::new(),
        }
    }

    fn reference(mut self, times: f64) -> Self {
        (self.reference, self.times) = (true, times);
        self
    }

    fn median(&mut self) -> f64 {
        self.microseconds.sort_by(f64::total_cmp);
        self.microseconds
            .get(self.microseconds.len() / 2)
            .copied()
            .unwrap_or(f64::NAN)
    }
}

fn gmp_products<'a>(contestants: &mut Vec<Contestant<'a>>, x: &'a Integer, y: &'a Integer) {
    use rug::Assign;
    let mut out = Integer::new();
    contestants.push(
        Contestant::new("product", "GMP", move || {
            out.assign(black_box(x * y));
            Ok(())
        })
        .reference(1.0),
    );
    let mut out = Integer::new();
    contestants.push(
        Contestant::new("square", "GMP", move || {
            out.assign(black_box(x.square_ref()));
            Ok(())
        })
        .reference(1.0),
    );
}

/// GMP's three ways: division, Barrett by three products, and Montgomery inside `mpz_powm`, of
/// which an exponent of one bit makes it square only.
fn gmp_residues<'a>(
    contestants: &mut Vec<Contestant<'a>>,
    x: &'a Integer,
    y: &'a Integer,
    m: &'a Integer,
    limbs: usize,
) {
    use rug::Assign;
    const SQUARES: u32 = 24;
    let mut out = Integer::new();
    contestants.push(
        Contestant::new("residue", "GMP, division", move || {
            out.assign(x * y);
            out %= m;
            black_box(&out);
            Ok(())
        })
        .reference(1.0),
    );
    let shift = 64 * limbs as u32;
    let reciprocal = (Integer::from(1) << (2 * shift)) / m;
    let (mut wide, mut quotient, mut step) = (Integer::new(), Integer::new(), Integer::new());
    contestants.push(
        Contestant::new("residue", "GMP, Barrett", move || {
            wide.assign(x * y);
            quotient.assign(&wide >> (shift - 1));
            step.assign(&quotient * &reciprocal);
            step >>= shift + 1;
            quotient.assign(&step * m);
            wide -= &quotient;
            while wide >= *m {
                wide -= m;
            }
            black_box(&wide);
            Ok(())
        })
        .reference(1.0),
    );
    let exponent = Integer::from(1) << SQUARES;
    let mut out = Integer::new();
    contestants.push(
        Contestant::new("residue", "GMP, powm per square", move || {
            if let Some(power) = x.pow_mod_ref(&exponent, m) {
                out.assign(power);
            }
            black_box(&out);
            Ok(())
        })
        .reference(SQUARES.into()),
    );
}

/// Our plans for one route and number of threads.
struct Plan {
    name: String,
    multiplier: Multiplier,
    modulus: Modulus,
    montgomery: Montgomery,
}

fn plans(limbs: usize, d: &[u64]) -> Result<Vec<Plan>, Error> {
    let mut made = Vec::new();
    for route in [Route::Automatic, Route::Float, Route::Exact] {
        for threads in 1..=2 {
            let options = Options {
                route,
                threads: NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN),
                ..Options::default()
            };
            made.push(Plan {
                name: format!(
                    "{route}, {threads} thread{}",
                    if threads == 1 { "" } else { "s" }
                ),
                multiplier: Multiplier::new(2 * limbs, options)?,
                modulus: Modulus::new(d, options)?,
                montgomery: Montgomery::new(d, options)?,
            });
        }
    }
    Ok(made)
}

impl Plan {
    fn check(&self, a: &[u64], b: &[u64], expected: [&Vec<u64>; 3]) -> Result<(), Failure> {
        let n = a.len();
        let [mut product, mut square] = [vec![0; 2 * n], vec![0; 2 * n]];
        self.multiplier.multiply(&mut product, a, b)?;
        self.multiplier.square(&mut square, a)?;
        let [mut residue, mut entered, mut other] = [vec![0; n], vec![0; n], vec![0; n]];
        self.modulus.multiply(&mut residue, a, b)?;
        self.montgomery.enter(&mut entered, a)?;
        self.montgomery.multiply(&mut other, &entered, b)?;
        if [&product, &square, &residue] != expected || other != residue {
            return Err(format!("{}: an answer differs from GMP's", self.name).into());
        }
        Ok(())
    }

    fn contestants<'a>(
        &'a self,
        contestants: &mut Vec<Contestant<'a>>,
        a: &'a [u64],
        b: &'a [u64],
    ) -> Result<(), Error> {
        let n = a.len();
        let name = &self.name;
        let mut out = vec![0; 2 * n];
        contestants.push(Contestant::new("product", name, move || {
            self.multiplier.multiply(&mut out, a, b)
        }));
        let mut out = vec![0; 2 * n];
        contestants.push(Contestant::new("square", name, move || {
            self.multiplier.square(&mut out, a)
        }));
        let kept: Kept = self.multiplier.keep(a)?;
        let mut out = vec![0; 2 * n];
        contestants.push(Contestant::new(
            "product",
            format!("{name}, one kept"),
            move || self.multiplier.multiply_kept(&mut out, &kept, b),
        ));
        let mut out = vec![0; n];
        contestants.push(Contestant::new("residue", name, move || {
            self.modulus.multiply(&mut out, a, b)
        }));
        let kept = self.modulus.keep(a)?;
        let mut out = vec![0; n];
        contestants.push(Contestant::new(
            "residue",
            format!("{name}, one kept"),
            move || self.modulus.multiply_kept(&mut out, &kept, b),
        ));
        let mut entered = vec![0; n];
        self.montgomery.enter(&mut entered, a)?;
        let mut out = vec![0; n];
        contestants.push(Contestant::new(
            "residue",
            format!("{name}, Montgomery"),
            move || self.montgomery.multiply(&mut out, &entered, b),
        ));
        Ok(())
    }
}

fn report(limbs: usize, rounds: usize, csv: bool, contestants: &mut [Contestant]) {
    if !csv {
        println!(
            "\n{limbs} limbs, {} bits, {rounds} rounds, microseconds",
            64 * limbs
        );
        println!(
            "{:44}{:>12}{:>12}{:>12}{:>12}",
            "", "median", "least", "most", "GMP/this"
        );
    }
    for group in ["product", "square", "residue"] {
        let best = contestants
            .iter_mut()
            .filter(|contestant| contestant.group == group && contestant.reference)
            .map(Contestant::median)
            .fold(f64::INFINITY, f64::min);
        for contestant in contestants
            .iter_mut()
            .filter(|contestant| contestant.group == group)
        {
            let median = contestant.median();
            let (least, most) = (
                contestant.microseconds.first().copied().unwrap_or(f64::NAN),
                contestant.microseconds.last().copied().unwrap_or(f64::NAN),
            );
            let (name, ratio) = (&contestant.name, best / median);
            if csv {
                println!(
                    "{limbs},{group},\"{name}\",{rounds},{median:.1},{least:.1},{most:.1},{ratio:.2}"
                );
            } else {
                let name = format!("{group}: {name}");
                println!("{name:44}{median:>12.1}{least:>12.1}{most:>12.1}{ratio:>12.2}");
            }
        }
    }
}

fn gmp(a: &[u64]) -> Integer {
    Integer::from_digits(a, Order::Lsf)
}

fn digits(a: &Integer, length: usize) -> Vec<u64> {
    let mut digits = a.to_digits(Order::Lsf);
    digits.resize(length, 0);
    digits
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
