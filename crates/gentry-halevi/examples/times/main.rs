//! How long everything takes, beside the same scheme on GMP and beside what was published.
//!
//! `cargo run --release -p blindcore-gentry-halevi --example times -- [--dimension 2048] [--threads
//! 2] [--rounds 7] [--key-rounds 3] [--only WORDS] [--no-gmp] [--record FILE]`
//!
//! Rounds alternate: ours, GMP's, ours, GMP's. Every answer is checked, off the clock. Times are of
//! the wall clock, median and extremes of the rounds, in milliseconds.

use std::error::Error;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::time::Instant;

use blindcore_gentry_halevi::{
    Ciphertext, Encryptor, Evaluator, Noise, Parameters, PublicKey, SecretKey, Transforms,
};
use random::Generator;
use rug::Integer;

mod gmp;
mod polynomials;
mod record;

use gmp::{Gmp, Table};

/// What to measure.
struct Options {
    parameters: Parameters,
    threads: NonZeroUsize,
    rounds: usize,
    key_rounds: usize,
    gmp: bool,
    /// Operations in whose names this stands.
    only: String,
    record: Option<String>,
}

/// One operation's times in milliseconds: ours, and GMP's if it was asked.
pub(crate) struct Row {
    pub(crate) operation: &'static str,
    pub(crate) ours: Vec<f64>,
    pub(crate) gmp: Vec<f64>,
    /// Milliseconds in the paper, on a processor and on a GPU: of encryption, and of what it calls
    /// decryption, which is recryption.
    pub(crate) paper: Option<(f64, f64)>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let options = options()?;
    let parameters = options.parameters;
    let mut generator = Generator::from_entropy()?;
    println!(
        "{}: protects nothing (see the crate's notes). {} threads; milliseconds, median (least … most)",
        parameters.name(),
        options.threads
    );

    let mut keys = Row::new("key generation");
    let wanted = keys.operation.contains(&options.only);
    let mut ours = generate(&options, &mut generator, &mut keys)?;
    for round in 0..options.key_rounds * usize::from(wanted) {
        if round > 0 {
            ours = generate(&options, &mut generator, &mut keys)?;
        }
        if options.gmp {
            let begin = Instant::now();
            let made = Gmp::generate(parameters, &mut generator, pool(&options)?);
            keys.gmp.push(milliseconds(begin));
            check_gmp(&made, &mut generator)?;
        }
    }
    let (secret, public) = ours;
    println!(
        "d has {} bits, the public key {:.1} MB",
        bits(public.modulus()),
        public.limbs().len() as f64 * 8e-6
    );
    let mut rows = Vec::new();
    if wanted {
        keys.print();
        rows.push(keys);
    }

    let bench = Bench::new(&options, secret, public)?;
    rows.extend(bench.encryptions(&mut generator)?);
    rows.extend(bench.evaluations(&mut generator)?);
    if let Some(path) = &options.record {
        record::write(path, &parameters, options.threads, &rows)?;
    }
    Ok(())
}

fn options() -> Result<Options, Box<dyn Error>> {
    let mut options = Options {
        parameters: Parameters::BROKEN_2048,
        threads: NonZeroUsize::MIN,
        rounds: 7,
        key_rounds: 3,
        gmp: true,
        only: String::new(),
        record: None,
    };
    let mut arguments = std::env::args().skip(1);
    while let Some(name) = arguments.next() {
        if name == "--no-gmp" {
            options.gmp = false;
            continue;
        }
        let value = arguments
            .next()
            .ok_or_else(|| format!("{name} takes a value"))?;
        match name.as_str() {
            "--dimension" => {
                let dimension: usize = value.parse()?;
                options.parameters = Parameters::SETS
                    .into_iter()
                    .find(|set| set.dimension() == dimension)
                    .ok_or("no set of that dimension")?;
            }
            "--threads" => options.threads = value.parse()?,
            "--rounds" => options.rounds = value.parse::<usize>()?.max(1),
            "--key-rounds" => options.key_rounds = value.parse::<usize>()?.max(1),
            "--only" => options.only = value,
            "--record" => options.record = Some(value),
            _ => return Err(format!("unknown option {name}").into()),
        }
    }
    Ok(options)
}

fn generate(
    options: &Options,
    generator: &mut Generator,
    row: &mut Row,
) -> Result<(SecretKey, PublicKey), Box<dyn Error>> {
    let begin = Instant::now();
    let pair = SecretKey::generate(options.parameters, generator, options.threads, &|_| {
        ControlFlow::Continue(())
    })?;
    row.ours.push(milliseconds(begin));
    pair.1.verify()?;
    Ok(pair)
}

/// A key pair of GMP's is one: r^n = −1, bits come back, and come back recrypted.
fn check_gmp(key: &Gmp, generator: &mut Generator) -> Result<(), Box<dyn Error>> {
    let mut power = key.root.clone();
    for _ in 0..key.parameters.log_dimension() {
        power = key.and(&power, &power);
    }
    demand(power + 1 == key.modulus, "GMP's root")?;
    let table = key.table(smallest_table(&key.parameters));
    for bit in [false, true] {
        let fresh = key.encrypt(&table, bit, generator);
        demand(key.decrypt(&fresh) == bit, "GMP's encryption")?;
        demand(key.decrypt(&key.recrypt(&fresh)) == bit, "GMP's recryption")?;
    }
    Ok(())
}

fn smallest_table(parameters: &Parameters) -> usize {
    1 << parameters.log_dimension().div_ceil(2)
}

fn pool(options: &Options) -> Result<rayon::ThreadPool, rayon::ThreadPoolBuildError> {
    gmp::pool(options.threads.get())
}

/// Both sides under one key pair.
struct Bench<'a> {
    options: &'a Options,
    secret: SecretKey,
    public: PublicKey,
    gmp: Option<Gmp>,
}

impl<'a> Bench<'a> {
    fn new(
        options: &'a Options,
        secret: SecretKey,
        public: PublicKey,
    ) -> Result<Self, Box<dyn Error>> {
        let gmp = match options.gmp {
            true => Some(Gmp::of(&public, &secret, pool(options)?)),
            false => None,
        };
        Ok(Self {
            options,
            secret,
            public,
            gmp,
        })
    }

    /// Times one operation on either side, in turn; the first round of each is not counted.
    fn row<A, B>(
        &self,
        operation: &'static str,
        paper: Option<(f64, f64)>,
        mut ours: impl FnMut() -> Result<A, Box<dyn Error>>,
        mut check_ours: impl FnMut(A) -> Result<(), Box<dyn Error>>,
        mut gmp: impl FnMut(&Gmp) -> B,
        mut check_gmp: impl FnMut(B) -> Result<(), Box<dyn Error>>,
    ) -> Result<Option<Row>, Box<dyn Error>> {
        if !operation.contains(&self.options.only) {
            return Ok(None);
        }
        let mut row = Row::new(operation);
        row.paper = paper.filter(|_| self.options.parameters == Parameters::BROKEN_2048);
        // Below a millisecond, many are timed as one.
        let begin = Instant::now();
        check_ours(ours()?)?;
        let repeat = (5.0 / milliseconds(begin)).clamp(1.0, 200.0) as usize;
        for round in 0..=self.options.rounds {
            let begin = Instant::now();
            let mut last = ours()?;
            for _ in 1..repeat {
                last = ours()?;
            }
            let time = milliseconds(begin) / repeat as f64;
            check_ours(last)?;
            if round > 0 {
                row.ours.push(time);
            }
            if let Some(key) = &self.gmp {
                let begin = Instant::now();
                let last = gmp(key);
                let time = milliseconds(begin);
                check_gmp(last)?;
                if round > 0 {
                    row.gmp.push(time);
                }
            }
        }
        row.print();
        Ok(Some(row))
    }

    fn decrypts(&self, ciphertext: &Ciphertext, bit: bool) -> Result<(), Box<dyn Error>> {
        demand(self.secret.decrypt(ciphertext)? == bit, "a decryption")
    }

    fn gmp_decrypts(&self, number: &Integer, bit: bool) -> Result<(), Box<dyn Error>> {
        let limbs = gmp::limbs(number, self.public.residue_limbs());
        self.decrypts(&self.public.ciphertext(limbs, Noise::CONSTANT)?, bit)
    }

    fn encryptions(&self, generator: &mut Generator) -> Result<Vec<Row>, Box<dyn Error>> {
        let (parameters, threads) = (self.options.parameters, self.options.threads);
        let keys = generator.fork_keys(4);
        let mut generators = keys.expose().iter().map(|key| Generator::from_key(*key));
        let mut next = || generators.next().ok_or("generators");
        let (mut g_1, mut g_2) = (next()?, next()?);
        let (mut g_3, mut g_4) = (next()?, next()?);

        // With no table but the one that is made for this bit.
        let alone = self.row(
            "encryption of a bit, all included",
            Some((1690.0, 45.0)),
            || {
                let encryptor = Encryptor::new(&self.public, 0, threads)?;
                Ok(encryptor.encrypt(&[true], &mut g_1)?.remove(0))
            },
            |c| self.decrypts(&c, true),
            |key| {
                let table = key.table(smallest_table(&parameters));
                key.encrypt(&table, true, &mut g_2)
            },
            |c| self.gmp_decrypts(&c, true),
        )?;

        // The same table on both sides: 64 MiB, or all powers.
        let within = (Encryptor::MEMORY / 8 / self.public.residue_limbs()).max(1);
        let babies =
            (1 << within.ilog2()).clamp(smallest_table(&parameters), parameters.dimension());
        let (mut encryptor, mut table) = (None, None::<Table>);
        let tables = self.row(
            "table of powers for encryption",
            None,
            || {
                encryptor = None;
                encryptor = Some(Encryptor::new(&self.public, Encryptor::MEMORY, threads)?);
                Ok(())
            },
            Ok,
            |key| table = Some(key.table(babies)),
            Ok,
        )?;
        let mut rows: Vec<Row> = alone.into_iter().chain(tables).collect();
        let encryptions = [
            ("encryption of a bit, table kept", 1, Some((1690.0, 45.0))),
            ("encryption of 64 bits, table kept", 64, None),
        ];
        if !encryptions
            .iter()
            .any(|(operation, ..)| operation.contains(&self.options.only))
        {
            return Ok(rows);
        }
        let encryptor = match encryptor {
            Some(encryptor) => encryptor,
            None => Encryptor::new(&self.public, Encryptor::MEMORY, threads)?,
        };
        if let (None, Some(key)) = (&table, &self.gmp) {
            table = Some(key.table(babies));
        }
        let bits: Vec<bool> = (0..64).map(|i| i % 3 == 0).collect();
        for (operation, count, paper) in encryptions {
            let bits = &bits[..count];
            rows.extend(self.row(
                operation,
                paper,
                || Ok(encryptor.encrypt(bits, &mut g_3)?),
                |c| {
                    c.iter()
                        .zip(bits)
                        .try_for_each(|(c, &bit)| self.decrypts(c, bit))
                },
                |key| {
                    table
                        .as_ref()
                        .map(|table| key.encrypt_all(table, bits, &mut g_4))
                },
                |c| {
                    let c = c.unwrap_or_default();
                    demand(c.len() == count, "GMP's encryptions")?;
                    c.iter()
                        .zip(bits)
                        .try_for_each(|(c, &bit)| self.gmp_decrypts(c, bit))
                },
            )?);
        }
        Ok(rows)
    }

    fn evaluations(&self, generator: &mut Generator) -> Result<Vec<Row>, Box<dyn Error>> {
        let threads = self.options.threads;
        let encryptor = Encryptor::new(&self.public, Encryptor::MEMORY, threads)?;
        let fresh = encryptor.encrypt(&[true, true], generator)?;
        drop(encryptor);
        let evaluator = Evaluator::new(&self.public, Transforms::Kept, threads)?;
        let numbers: Vec<Integer> = fresh.iter().map(|c| gmp::number(c.limbs())).collect();
        let xor = self.row(
            "XOR",
            None,
            || Ok(evaluator.xor(&fresh[0], &fresh[1])?),
            |c| self.decrypts(&c, false),
            |key| {
                let sum = Integer::from(&numbers[0] + &numbers[1]);
                if sum >= key.modulus {
                    sum - &key.modulus
                } else {
                    sum
                }
            },
            |c| self.gmp_decrypts(&c, false),
        )?;
        let and = self.row(
            "AND",
            None,
            || Ok(evaluator.and(&fresh[0], &fresh[1])?),
            |c| self.decrypts(&c, true),
            |key| key.and(&numbers[0], &numbers[1]),
            |c| self.gmp_decrypts(&c, true),
        )?;
        let decryption = self.row(
            "decryption",
            None,
            || Ok(self.secret.decrypt(&fresh[0])?),
            |bit| demand(bit, "a decryption"),
            |key| key.decrypt(&numbers[0]),
            |bit| demand(bit, "GMP's decryption"),
        )?;
        let mut rows: Vec<Row> = xor.into_iter().chain(and).chain(decryption).collect();
        for (operation, kept) in [
            ("recryption, transforms kept", Transforms::Kept),
            ("recryption, transforms computed", Transforms::Computed),
        ] {
            if !operation.contains(&self.options.only) {
                continue;
            }
            let evaluator = Evaluator::new(&self.public, kept, threads)?;
            rows.extend(self.row(
                operation,
                Some((27_680.0, 1_800.0)),
                || Ok(evaluator.recrypt(&fresh[0])?),
                |c| self.decrypts(&c, true),
                |key| key.recrypt(&numbers[0]),
                |c| self.gmp_decrypts(&c, true),
            )?);
        }
        Ok(rows)
    }
}

impl Row {
    fn new(operation: &'static str) -> Self {
        Self {
            operation,
            ours: Vec::new(),
            gmp: Vec::new(),
            paper: None,
        }
    }

    fn print(&self) {
        let [median, least, most] = statistics(&self.ours);
        let ours = format!("{median:.3} ({least:.3} … {most:.3})");
        print!("{:36} ours {ours:32}", self.operation);
        if !self.gmp.is_empty() {
            let [other, least, most] = statistics(&self.gmp);
            let gmp = format!("{other:.3} ({least:.3} … {most:.3})");
            print!(" GMP {gmp:38} {:8.1}×", other / median);
        }
        if let Some((cpu, gpu)) = self.paper {
            print!("   paper: {cpu} on its CPU, {gpu} on its GPU");
        }
        println!();
    }
}

/// Median, least and most; no numbers for no rounds.
pub(crate) fn statistics(times: &[f64]) -> [f64; 3] {
    let mut sorted = times.to_vec();
    sorted.sort_by(f64::total_cmp);
    match sorted.as_slice() {
        [] => [f64::NAN; 3],
        all => [all[all.len() / 2], all[0], all[all.len() - 1]],
    }
}

fn bits(limbs: &[u64]) -> u32 {
    gmp::number(limbs).significant_bits()
}

fn milliseconds(begin: Instant) -> f64 {
    begin.elapsed().as_secs_f64() * 1e3
}

fn demand(holds: bool, what: &str) -> Result<(), Box<dyn Error>> {
    if holds {
        Ok(())
    } else {
        Err(format!("{what} is wrong").into())
    }
}
