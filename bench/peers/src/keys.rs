//! Our keys: the time that making them takes, and their sizes.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use blindcore_tfhe::{P16, P16_UNIFORM, Parameters, SecretKey, SeededServerKey, ServerKey};
use clock::{Failure, Provenance, Side, Times};
use random::Generator;
use serde::Serialize;

use crate::contest::Terms;

/// One parameter set's keys.
struct Keys {
    set: &'static str,
    threads: usize,
    rounds: u64,
    /// Secret and seeded server key: what key generation is.
    generate: Times,
    /// From the seeded key to one that computes: what loading it is.
    expand: Times,
    /// As it travels.
    seeded_bytes: u64,
    /// As it computes.
    expanded_bytes: u64,
}

/// Prints the rows and keeps them in `folder` if there is one.
pub fn measure(
    terms: Terms,
    provenance: &Provenance,
    folder: Option<&Path>,
) -> Result<Option<PathBuf>, Failure> {
    println!(
        "  {:<28} {:>33} {:>33} {:>12} {:>12}",
        "set", "generate, ms", "expand, ms", "seeded, MB", "server, MB"
    );
    let mut rows = Vec::new();
    for set in [P16, P16_UNIFORM] {
        let keys = of(set, terms)?;
        println!(
            "  {:<28} {:>33} {:>33} {:>12.1} {:>12.1}",
            keys.set,
            keys.generate,
            keys.expand,
            keys.seeded_bytes as f64 / 1e6,
            keys.expanded_bytes as f64 / 1e6,
        );
        rows.push(keys);
    }
    folder
        .map(|folder| keep(folder, provenance, &rows))
        .transpose()
}

fn of(set: Parameters, terms: Terms) -> Result<Keys, Failure> {
    let Terms { threads, rounds } = terms;
    let generate = || -> Result<(SecretKey, SeededServerKey, Duration), Failure> {
        let mut generator = Generator::from_entropy()?;
        let start = Instant::now();
        let secret = SecretKey::generate(set, &mut generator)?;
        let seeded = SeededServerKey::generate(&secret, &mut generator, threads, &|_, _| {})?;
        Ok((secret, seeded, start.elapsed()))
    };
    let (secret, seeded, _) = generate()?;
    let mut sides: [Side<'_>; 2] = [
        Box::new(|_| Ok(generate()?.2)),
        Box::new(|_| {
            let start = Instant::now();
            let key = ServerKey::expand(&seeded, threads, &|_, _| {})?;
            let time = start.elapsed();
            works(&secret, &key)?;
            Ok(time)
        }),
    ];
    let [generate, expand] = clock::interleave(rounds, &mut sides)?[..] else {
        return Err("two sides have two times".into());
    };
    drop(sides);
    Ok(Keys {
        set: set.name(),
        threads,
        rounds,
        generate,
        expand,
        seeded_bytes: set.cost().seeded_bytes,
        expanded_bytes: set.cost().expanded_bytes,
    })
}

/// A key that cannot compute has no time: one lookup each of a false and a true bit.
fn works(secret: &SecretKey, key: &ServerKey) -> Result<(), Failure> {
    let mut generator = Generator::from_entropy()?;
    let expected = [false, true];
    let bits = secret.encrypt(&expected, &mut generator).unpack();
    let mut scratch = key.scratch(1);
    for (bit, expected) in bits.iter().zip(expected) {
        let table = blindcore_tfhe::TruthTable::of(|t| t == 0);
        let lookup = blindcore_tfhe::Lookup {
            terms: &[(bit, 1)],
            constant: 0,
            tables: &[table],
        };
        let outputs = key.lookup_many(&mut scratch, &[lookup])?;
        let answer = outputs.first().and_then(|outputs| outputs.first());
        let answer = answer.ok_or("a lookup without an output")?;
        if secret.decrypt(answer)? == expected {
            return Err("a fresh key computes wrongly".into());
        }
    }
    Ok(())
}

/// One line of `<date>-keys.csv`; times in seconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    set: &'a str,
    threads: usize,
    rounds: u64,
    generate_median: f64,
    generate_least: f64,
    generate_most: f64,
    expand_median: f64,
    expand_least: f64,
    expand_most: f64,
    seeded_bytes: u64,
    expanded_bytes: u64,
}

fn keep(folder: &Path, of: &Provenance, rows: &[Keys]) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        set: row.set,
        threads: row.threads,
        rounds: row.rounds,
        generate_median: row.generate.median.as_secs_f64(),
        generate_least: row.generate.least.as_secs_f64(),
        generate_most: row.generate.most.as_secs_f64(),
        expand_median: row.expand.median.as_secs_f64(),
        expand_least: row.expand.least.as_secs_f64(),
        expand_most: row.expand.most.as_secs_f64(),
        seeded_bytes: row.seeded_bytes,
        expanded_bytes: row.expanded_bytes,
    });
    clock::append(&folder.join(format!("{}-keys.csv", of.date)), lines)
}
