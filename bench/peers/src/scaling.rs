//! Ourselves on several threads beside ourselves on one, the same circuit, rounds interleaved.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::{Builder, Circuit, Gates, Pool, library, passes};
use clock::{Failure, Provenance, Side, Times};
use serde::Serialize;

use crate::contest::Terms;
use crate::operation::words;
use crate::ours::{Lookups, bootstraps};

/// One circuit's times.
pub struct Scaling {
    circuit: &'static str,
    bootstraps: usize,
    threads: usize,
    rounds: u64,
    one: Times,
    many: Times,
}

impl Scaling {
    /// Time on one thread over time on all of them.
    fn ratio(&self) -> f64 {
        self.one.over(&self.many)
    }
}

/// Width in plenty, and a functional unit as programs use it. Input and output are two
/// words of `width` bits and the clear function that they must agree with.
struct Wide {
    name: &'static str,
    width: usize,
    circuit: Circuit,
    expected: fn(&[bool], &[bool]) -> Vec<bool>,
}

/// Times both circuits on one thread and on all, prints the rows and keeps them in `folder` if
/// there is one.
pub fn measure(
    terms: Terms,
    provenance: &Provenance,
    folder: Option<&Path>,
) -> Result<Option<PathBuf>, Failure> {
    // The circuits of one thread on both sides: the same work, so that the ratio is the pool's.
    let ours = Lookups::with_selectors(1)?;
    let mut rows = Vec::new();
    println!(
        "  {:<10} {:>10} {:>33} {:>33} {:>8}",
        "circuit", "bootstraps", "one, ms", "all, ms", "ratio"
    );
    for wide in [ands(&ours), multiplication(&ours), addition(&ours)] {
        let row = scale(&ours, &wide, terms)?;
        println!(
            "  {:<10} {:>10} {:>33} {:>33} {:>7.2}x",
            row.circuit,
            row.bootstraps,
            row.one,
            row.many,
            row.ratio(),
        );
        rows.push(row);
    }
    folder
        .map(|folder| keep(folder, provenance, &rows))
        .transpose()
}

fn ands(ours: &Lookups) -> Wide {
    let mut build = Builder::new(ours.engine().profile());
    let (a, b) = (build.inputs(256), build.inputs(256));
    for wire in library::and(&mut build, &a, &b) {
        build.output(wire);
    }
    Wide {
        name: "256 ANDs",
        width: 256,
        circuit: passes::prepare(&build.finish(), ours.engine().profile()),
        expected: |a, b| a.iter().zip(b).map(|(a, b)| a & b).collect(),
    }
}

fn multiplication(ours: &Lookups) -> Wide {
    let mut build = Builder::new(ours.engine().profile());
    let (a, b) = (build.inputs(32), build.inputs(32));
    for wire in library::multiply(&mut build, &a, &b) {
        build.output(wire);
    }
    Wide {
        name: "multiply",
        width: 32,
        circuit: passes::prepare(&build.finish(), ours.engine().profile()),
        expected: |a, b| {
            let word = |bits: &[bool]| words(bits.iter().copied())[0];
            let product = word(a).wrapping_mul(word(b));
            (0..32).map(|at| product >> at & 1 == 1).collect()
        },
    }
}

/// A chain: what two threads do about it is to share each rotation.
fn addition(ours: &Lookups) -> Wide {
    let mut build = Builder::new(ours.engine().profile());
    let (a, b) = (build.inputs(32), build.inputs(32));
    for wire in library::add(&mut build, &a, &b) {
        build.output(wire);
    }
    Wide {
        name: "add",
        width: 32,
        circuit: passes::prepare(&build.finish(), ours.engine().profile()),
        expected: |a, b| {
            let word = |bits: &[bool]| words(bits.iter().copied())[0];
            let sum = word(a).wrapping_add(word(b));
            (0..32).map(|at| sum >> at & 1 == 1).collect()
        },
    }
}

fn scale(ours: &Lookups, wide: &Wide, terms: Terms) -> Result<Scaling, Failure> {
    // A pattern without a period that divides the width.
    let a: Vec<bool> = (0..wide.width).map(|at| at * at % 7 < 4).collect();
    let b: Vec<bool> = (0..wide.width).map(|at| at * 5 % 11 < 6).collect();
    let expected = (wide.expected)(&a, &b);
    let inputs = ours.encrypt_bits(&[a, b].concat());

    let round = |pool: &Pool| -> Result<Duration, Failure> {
        let inputs: Vec<_> = inputs.iter().map(Arc::clone).collect();
        let start = Instant::now();
        let outputs = circuits::run(ours.engine(), &wide.circuit, &inputs, pool)?;
        let time = start.elapsed();
        if ours.decrypt_bits(&outputs)? != expected {
            return Err(format!(
                "wrong answer to {} on {} threads",
                wide.name,
                pool.threads()
            )
            .into());
        }
        Ok(time)
    };
    let (alone, together) = (Pool::new(1), Pool::new(terms.threads));
    let mut sides: [Side<'_>; 2] = [Box::new(|_| round(&alone)), Box::new(|_| round(&together))];
    let [one, many] = clock::interleave(terms.rounds, &mut sides)?[..] else {
        return Err("two sides have two times".into());
    };
    drop(sides);
    Ok(Scaling {
        circuit: wide.name,
        bootstraps: bootstraps(&wide.circuit, ours.engine().profile()),
        threads: terms.threads,
        rounds: terms.rounds,
        one,
        many,
    })
}

/// One line of `<date>-threads.csv`; times in seconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    circuit: &'a str,
    bootstraps: usize,
    threads: usize,
    rounds: u64,
    one_median: f64,
    one_least: f64,
    one_most: f64,
    many_median: f64,
    many_least: f64,
    many_most: f64,
    ratio: f64,
}

/// Appends `rows` to the record of the day and returns its path.
fn keep(folder: &Path, of: &Provenance, rows: &[Scaling]) -> Result<PathBuf, Failure> {
    let lines = rows.iter().map(|row| Line {
        date: &of.date,
        commit: &of.commit,
        machine: &of.machine,
        command: &of.command,
        circuit: row.circuit,
        bootstraps: row.bootstraps,
        threads: row.threads,
        rounds: row.rounds,
        one_median: row.one.median.as_secs_f64(),
        one_least: row.one.least.as_secs_f64(),
        one_most: row.one.most.as_secs_f64(),
        many_median: row.many.median.as_secs_f64(),
        many_least: row.many.least.as_secs_f64(),
        many_most: row.many.most.as_secs_f64(),
        ratio: row.ratio(),
    });
    clock::append(&folder.join(format!("{}-threads.csv", of.date)), lines)
}
