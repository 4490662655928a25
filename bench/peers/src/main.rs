//! Runs tfhe-rs and Blindcore beside each other: one process, one thread, rounds
//! interleaved, every answer checked, failure probabilities and security printed.
//!
//! A ratio carries from one machine to another better than a time does; it is what the
//! last column and the record hold. See `bench/README.md`.

mod contest;
mod operation;
mod ours;
mod record;
mod scaling;
mod tfhe_rs;

use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Parser, ValueEnum};
use tfhe::boolean::parameters::{DEFAULT_PARAMETERS, DEFAULT_PARAMETERS_KS_PBS};

use contest::{Contestant, Failure, Row, interleave};
use operation::Operation;
use record::Provenance;

#[derive(Parser)]
#[command(
    name = "peers",
    about = "Times tfhe-rs and Blindcore beside each other."
)]
struct Arguments {
    /// Timed rounds of every row.
    #[arg(long, default_value_t = 5)]
    rounds: u64,
    /// Only these rows.
    #[arg(long, value_enum, value_delimiter = ',')]
    only: Vec<Operation>,
    /// The division as well: the peer takes most of a minute for each.
    #[arg(long)]
    divide: bool,
    /// Compare ourselves on so many threads with ourselves on one, and no peer.
    #[arg(long)]
    threads: Option<usize>,
    /// Where the records are kept.
    #[arg(long, default_value = "../record")]
    record: PathBuf,
    /// Print and keep nothing.
    #[arg(long)]
    no_record: bool,
}

impl Arguments {
    fn operations(&self) -> Vec<Operation> {
        if self.only.is_empty() {
            let all = Operation::value_variants().iter().copied();
            all.filter(|row| self.divide || *row != Operation::Divide)
                .collect()
        } else {
            self.only.clone()
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => {
            eprintln!("peers: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<(), Failure> {
    let provenance = Provenance::of_this_run();
    println!(
        "{}, commit {}, {}",
        provenance.date, provenance.commit, provenance.machine
    );

    if let Some(threads) = arguments.threads {
        let rows = scaling::measure(threads, arguments.rounds)?;
        if !arguments.no_record {
            println!(
                "kept in {}",
                scaling::keep(&arguments.record, &provenance, &rows)?.display()
            );
        }
        return Ok(());
    }

    // tfhe-rs spreads the blocks of a word over rayon's global pool.
    rayon::ThreadPoolBuilder::new()
        .num_threads(1)
        .build_global()?;
    let rows = against_tfhe_rs(&arguments.operations(), arguments.rounds)?;
    if !arguments.no_record {
        println!(
            "kept in {}",
            record::keep(&arguments.record, &provenance, &rows)?.display()
        );
    }
    Ok(())
}

fn against_tfhe_rs(operations: &[Operation], rounds: u64) -> Result<Vec<Row>, Failure> {
    let ours = ours::Lookups::new()?;
    let mut rows = Vec::new();

    let (gates, words): (Vec<_>, Vec<_>) = operations.iter().partition(|row| row.is_gate());
    if !gates.is_empty() {
        // Failure probabilities as the library's source states them beside each set.
        for peer in [
            tfhe_rs::Gates::new(
                "DEFAULT_PARAMETERS_KS_PBS",
                &DEFAULT_PARAMETERS_KS_PBS,
                -64.017,
            ),
            tfhe_rs::Gates::new("DEFAULT_PARAMETERS", &DEFAULT_PARAMETERS, -64.344),
        ] {
            // A gate is too short for a handful of rounds to say much.
            contest(&gates, rounds * 10, &peer, &ours, &mut rows)?;
        }
    }
    if !words.is_empty() {
        contest(&words, rounds, &tfhe_rs::Words::new(), &ours, &mut rows)?;
    }
    Ok(rows)
}

fn contest<P: Contestant, O: Contestant>(
    operations: &[Operation],
    rounds: u64,
    peer: &P,
    ours: &O,
    rows: &mut Vec<Row>,
) -> Result<(), Failure> {
    for side in [peer.promise(), ours.promise()] {
        println!(
            "  {}: n = {}, kN = {}, {} bits, p_fail = 2^{:.1} per bootstrap at most",
            side.set, side.small_dimension, side.big_dimension, side.security, side.log2_failure,
        );
    }
    println!(
        "  {:<10} {:>29} {:>29} {:>8}",
        "row", "peer, ms", "ours, ms", "ratio"
    );
    for &operation in operations {
        let row = interleave(operation, rounds, peer, ours)?;
        println!(
            "  {:<10} {:>29} {:>29} {:>7.2}x {:>10}",
            operation.name(),
            row.peer_times.to_string(),
            row.our_times.to_string(),
            row.ratio(),
            row.our_bootstraps
                .map_or(String::new(), |count| count.to_string()),
        );
        rows.push(row);
    }
    Ok(())
}
