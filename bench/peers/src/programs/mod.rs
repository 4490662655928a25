//! Whole programs: what a user writes with a library's own types beside an ordinary program.
//!
//! Ours is C, compiled by a stock compiler and run by the processor: the clock sees planning and
//! evaluation, ciphertexts in, ciphertexts out. Theirs is written with the library's strings and
//! integers as its documentation has them, AES with its bits.

mod aes_bits;
mod cases;
mod ciphers;
mod ours;
mod theirs;

use std::path::{Path, PathBuf};

use clock::{Failure, Provenance, Side, Times};
use serde::Serialize;

use crate::contest::Terms;
pub use cases::Case;

/// One line of the record; times in seconds.
#[derive(Serialize)]
struct Line<'a> {
    date: &'a str,
    commit: &'a str,
    machine: &'a str,
    command: &'a str,
    program: &'a str,
    threads: usize,
    rounds: u64,
    peer: &'a str,
    peer_median: f64,
    peer_least: f64,
    peer_most: f64,
    ours: &'a str,
    our_bootstraps: usize,
    our_median: f64,
    our_least: f64,
    our_most: f64,
    ratio: f64,
}

/// Times programs on both sides, prints the rows and keeps them in `folder` if there is one.
pub fn measure(
    cases: &[Case],
    terms: Terms,
    provenance: &Provenance,
    folder: Option<&Path>,
) -> Result<Option<PathBuf>, Failure> {
    let ours = crate::ours::Lookups::with_selectors(terms.threads)?;
    let theirs = theirs::Types::new();
    let our_set = crate::contest::Contestant::promise(&ours).set;
    println!("  {} beside {our_set}", theirs::NAME);
    println!(
        "  {:<14} {:>36} {:>30} {:>8} {:>10}",
        "program", "peer, ms", "ours, ms", "ratio", "bootstraps"
    );
    let mut lines = Vec::new();
    let mut logarithms = 0.0;
    for &case in cases {
        let (peer_times, our_times, bootstraps) = one(case, terms, &theirs, &ours)?;
        let ratio = peer_times.over(&our_times);
        logarithms += ratio.ln();
        println!(
            "  {:<14} {peer_times:>36} {our_times:>30} {ratio:>7.2}x {bootstraps:>10}",
            case.name()
        );
        lines.push(Line {
            date: &provenance.date,
            commit: &provenance.commit,
            machine: &provenance.machine,
            command: &provenance.command,
            program: case.name(),
            threads: terms.threads,
            rounds: terms.rounds,
            peer: theirs::NAME,
            peer_median: peer_times.median.as_secs_f64(),
            peer_least: peer_times.least.as_secs_f64(),
            peer_most: peer_times.most.as_secs_f64(),
            ours: &our_set,
            our_bootstraps: bootstraps,
            our_median: our_times.median.as_secs_f64(),
            our_least: our_times.least.as_secs_f64(),
            our_most: our_times.most.as_secs_f64(),
            ratio,
        });
    }
    println!(
        "  geometric mean {:.2}x",
        (logarithms / cases.len().max(1) as f64).exp()
    );
    folder
        .map(|folder| {
            let file = folder.join(format!("{}-programs.csv", provenance.date));
            clock::append(&file, lines.iter())
        })
        .transpose()
}

fn one(
    case: Case,
    terms: Terms,
    theirs: &theirs::Types,
    ours: &crate::ours::Lookups,
) -> Result<(Times, Times, usize), Failure> {
    let program = ours::Compiled::new(case)?;
    let check = |found: Vec<u8>, values: &[Vec<u8>], side: &str| -> Result<(), Failure> {
        let expected = case.expected(values);
        match found == expected {
            true => Ok(()),
            false => Err(format!(
                "{}, {side}: {found:02x?} for {values:02x?}; right is {expected:02x?}",
                case.name()
            )
            .into()),
        }
    };
    let mut sides: [Side<'_>; 2] = [
        Box::new(|round| {
            let values = case.draw(round);
            let (time, found) = theirs.run(case, &values)?;
            check(found, &values, theirs::NAME)?;
            Ok(time)
        }),
        Box::new(|round| {
            let values = case.draw(round);
            let (time, found) = program.run(ours, &values, terms.threads)?;
            check(found, &values, "ours")?;
            Ok(time)
        }),
    ];
    let [peer_times, our_times] = clock::interleave(terms.rounds, &mut sides)?[..] else {
        return Err("two sides have two times".into());
    };
    drop(sides);
    Ok((peer_times, our_times, program.bootstraps(ours)?))
}
