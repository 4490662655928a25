//! How long everything takes: keys, encryption, decryption, XOR, AND, rotation.
//!
//! `cargo run --release -p blindcore-bgv --example times -- [--ring 13107] [--depth 10] [--terms 2]
//! [--security 128] [--threads 1,2] [--rounds 15] [--record FILE] [--list]`
//!
//! Without `--ring` the parameters are the smallest that serve the depth. Every answer is checked,
//! off the clock. Times are of the wall clock, in milliseconds: median, least and most of the
//! rounds. `--list` prints the parameters that depths from 1 on get, and computes nothing.

use std::error::Error;
use std::fmt::Write as _;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use blindcore_bgv::{
    Ciphertext, Demand, Evaluator, Keys, Level, Parameters, Ring, SecretKey, Security,
};
use random::Generator;

/// The programs' allocator: rows of 64 to 256 KB would else be given back to the system by each
/// gate.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// What to measure.
struct Options {
    ring: Option<u32>,
    demand: Demand,
    security: Security,
    threads: Vec<NonZeroUsize>,
    rounds: usize,
    record: Option<String>,
    list: bool,
}

/// One operation's times in milliseconds.
struct Row {
    operation: String,
    level: Level,
    threads: usize,
    times: Vec<f64>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    if options.list {
        return list(&options);
    }
    let parameters = match options.ring {
        None => Parameters::for_circuit(&options.demand, options.security)?,
        Some(m) => Parameters::for_circuit_in(m, &options.demand, options.security)?,
    };
    describe(&parameters, &options.demand);
    let mut rows = Vec::new();
    for &threads in &options.threads {
        measure(&parameters, threads, options.rounds, &mut rows)?;
    }
    if let Some(path) = &options.record {
        std::fs::write(path, csv(&parameters, &options.demand, &rows))?;
    }
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        ring: None,
        demand: Demand::of_depth(10),
        security: Security::Bits128,
        threads: vec![NonZeroUsize::MIN],
        rounds: 15,
        record: None,
        list: false,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--list" {
            options.list = true;
            continue;
        }
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--ring" => options.ring = Some(value.parse()?),
            "--depth" => options.demand.depth = value.parse()?,
            "--terms" => options.demand.terms = value.parse()?,
            "--slots" => options.demand.slots = value.parse()?,
            "--security" => {
                options.security = match value.as_str() {
                    "128" => Security::Bits128,
                    "80" => Security::Weak80,
                    _ => return Err("security is 128 or 80".into()),
                }
            }
            "--threads" => {
                let counts = value.split(',').map(str::parse);
                options.threads = counts.collect::<Result<_, _>>()?;
            }
            "--rounds" => options.rounds = value.parse::<usize>()?.max(1),
            "--record" => options.record = Some(value),
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(options)
}

/// The sets that depths get, up to the deepest.
fn list(options: &Options) -> Result<(), Box<dyn Error>> {
    println!(
        "depth  index  slots  log2 Q  log2 QP  ciphertext kB  key MB  transforms of a product  name"
    );
    for depth in 1.. {
        let demand = Demand {
            depth,
            ..options.demand
        };
        let set = match options.ring {
            None => Parameters::for_circuit(&demand, options.security),
            Some(m) => Parameters::for_circuit_in(m, &demand, options.security),
        };
        match set {
            Ok(set) => println!(
                "{depth:5} {:6} {:6} {:7.1} {:8.1} {:14} {:7.1} {:24}  {}",
                set.index().m(),
                set.slots(),
                set.modulus_bits(set.top()),
                set.key_bits(),
                set.ciphertext_size(set.top()) / 1000,
                set.evaluation_key_size(0) as f64 * 1e-6,
                set.transforms_of_product(set.top()),
                set.name()
            ),
            Err(error) => {
                println!("{error}");
                return Ok(());
            }
        }
    }
    Ok(())
}

fn describe(parameters: &Parameters, demand: &Demand) {
    println!(
        "{}: {}, index {}, degree {}, {} slots; depth {} with sums of {}, at most {}",
        parameters.name(),
        parameters.security(),
        parameters.index().m(),
        parameters.degree(),
        parameters.slots(),
        demand.depth,
        demand.terms,
        parameters.depth(demand.terms),
    );
    println!(
        "log2 Q {:.1}, log2 QP {:.1}; a fresh ciphertext {} kB, the evaluation key {:.1} MB; a product takes {} transforms",
        parameters.modulus_bits(parameters.top()),
        parameters.key_bits(),
        parameters.ciphertext_size(parameters.top()) / 1000,
        parameters.evaluation_key_size(0) as f64 * 1e-6,
        parameters.transforms_of_product(parameters.top()),
    );
}

/// The clock around a closure, several times; answers are checked by the caller.
fn time<T>(
    rounds: usize,
    mut work: impl FnMut() -> Result<T, blindcore_bgv::Error>,
) -> Result<(Vec<f64>, T), blindcore_bgv::Error> {
    let mut last = work()?;
    let mut times = Vec::with_capacity(rounds);
    for _ in 0..rounds {
        let begin = Instant::now();
        last = work()?;
        times.push(begin.elapsed().as_secs_f64() * 1e3);
    }
    times.sort_by(f64::total_cmp);
    Ok((times, last))
}

fn check(
    keys: &Keys,
    a: &Ciphertext,
    expected: impl Iterator<Item = bool>,
) -> Result<(), Box<dyn Error>> {
    if keys.secret.decrypt(a)?.into_iter().eq(expected) {
        Ok(())
    } else {
        Err("a wrong answer".into())
    }
}

fn measure(
    parameters: &Parameters,
    threads: NonZeroUsize,
    rounds: usize,
    rows: &mut Vec<Row>,
) -> Result<(), Box<dyn Error>> {
    let top = parameters.top();
    let mut record = |operation: &str, level: Level, times: Vec<f64>| {
        let row = Row {
            operation: operation.into(),
            level,
            threads: threads.get(),
            times,
        };
        println!(
            "{:22} {:>9} {threads} threads: {:9.3} ({:.3} … {:.3}) ms",
            row.operation,
            row.level.to_string(),
            row.times[row.times.len() / 2],
            row.times[0],
            row.times[row.times.len() - 1],
        );
        rows.push(row);
    };
    let mut generator = Generator::from_entropy()?;
    let (times, ring) = time(3.min(rounds), || Ring::new(parameters))?;
    record("tables", top, times);
    let generators = ring.slots().generators();
    let exponent = generators.first().map_or(1, |generator| generator.0);
    let watch = &|_| ControlFlow::Continue(());
    let (times, _) = time(3.min(rounds), || {
        SecretKey::generate(parameters, &[], &mut generator, threads, watch)
    })?;
    record("key generation", top, times);
    let keys = SecretKey::generate(parameters, &[exponent], &mut generator, threads, watch)?;
    let evaluator = Evaluator::new(&keys.evaluation, threads)?;

    let slots = parameters.slots();
    let mut bits = || -> Vec<bool> {
        let bits = generator.binary_secret(slots);
        bits.expose().iter().map(|bit| *bit == 1).collect()
    };
    let (a, b) = (bits(), bits());
    let (times, x) = time(rounds, || keys.public.encrypt(&a, &mut generator))?;
    record("encryption, public key", top, times);
    let (times, y) = time(rounds, || keys.secret.encrypt(&b, &mut generator))?;
    record("encryption, secret key", top, times);
    check(&keys, &x, a.iter().copied())?;
    check(&keys, &y, b.iter().copied())?;
    let (times, _) = time(rounds, || keys.secret.decrypt(&x))?;
    record("decryption", top, times);

    // Operands at rounding noise, as inside a circuit, at the top, in the middle and near the
    // bottom.
    let mut units = vec![top.number(), top.number() / 2, 5.min(top.number())];
    units.dedup();
    for level in units.into_iter().map(Level::from_number) {
        let (x, y) = (
            evaluator.switch_to(&x, level)?,
            evaluator.switch_to(&y, level)?,
        );
        let (times, sum) = time(rounds, || evaluator.xor(&x, &y))?;
        record("XOR", level, times);
        check(&keys, &sum, a.iter().zip(&b).map(|(a, b)| a ^ b))?;
        let (times, product) = time(rounds, || evaluator.and(&x, &y))?;
        record("AND", level, times);
        check(&keys, &product, a.iter().zip(&b).map(|(a, b)| a & b))?;
        let (times, lazy) = time(rounds, || evaluator.multiply(&x, &y))?;
        record("product, three parts", level, times);
        let (times, _) = time(rounds, || evaluator.relinearise(&lazy))?;
        record("relinearisation", level, times);
    }
    let (times, moved) = time(rounds, || evaluator.rotate(&x, exponent))?;
    record("rotation", top, times);
    let from = ring.slots().permutation(exponent)?;
    check(&keys, &moved, from.iter().map(|&slot| a[slot]))?;
    Ok(())
}

fn csv(parameters: &Parameters, demand: &Demand, rows: &[Row]) -> String {
    let mut text = String::from(
        "parameters,index,degree,slots,security,depth,terms,log2_q,log2_qp,operation,level,log2_q_of_level,threads,rounds,median_ms,least_ms,most_ms\n",
    );
    for row in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{},{},{},{},{},{},{},{:.1},{:.1},\"{}\",{},{:.1},{},{},{:.4},{:.4},{:.4}",
            parameters.name(),
            parameters.index().m(),
            parameters.degree(),
            parameters.slots(),
            parameters.security().bits(),
            demand.depth,
            demand.terms,
            parameters.modulus_bits(parameters.top()),
            parameters.key_bits(),
            row.operation,
            row.level.number(),
            parameters.modulus_bits(row.level),
            row.threads,
            row.times.len(),
            row.times[row.times.len() / 2],
            row.times[0],
            row.times[row.times.len() - 1],
        );
    }
    text
}
