//! Runs other libraries and Blindcore beside each other: rounds interleaved, as many threads
//! on either side, every answer checked, failure probabilities and security printed.
//!
//! A ratio carries from one machine to another better than a time does; it is what the
//! last column and the record hold. See `bench/README.md`.

mod contest;
mod external;
mod keys;
mod operation;
mod ours;
mod parasol;
mod programs;
mod record;
mod scaling;
mod tfhe_rs;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::{Parser, Subcommand, ValueEnum};
use clock::{Failure, Provenance};
use tfhe::boolean::parameters::{DEFAULT_PARAMETERS, DEFAULT_PARAMETERS_KS_PBS};

use contest::{Row, Terms, contest};
use operation::Operation;

#[derive(Parser)]
#[command(
    name = "peers",
    about = "Times other libraries and Blindcore beside each other."
)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
    /// Timed rounds of every row.
    #[arg(long, global = true, default_value_t = 5)]
    rounds: u64,
    /// Threads on either side.
    #[arg(long, global = true, default_value_t = 1)]
    threads: usize,
    /// Where the records are kept.
    #[arg(long, global = true, default_value = "../record")]
    record: PathBuf,
    /// Print and keep nothing.
    #[arg(long, global = true)]
    no_record: bool,
}

#[derive(Subcommand)]
enum Command {
    /// Operations on encrypted words of 32 bits.
    Words {
        /// The library beside ours.
        #[arg(long, value_enum, default_value_t = WordPeer::TfheRs)]
        peer: WordPeer,
        /// Only these rows.
        #[arg(long, value_enum, value_delimiter = ',')]
        only: Vec<Operation>,
        /// The division as well: tfhe-rs takes most of a minute for each.
        #[arg(long)]
        divide: bool,
        /// Ours with the second part of its server key.
        #[arg(long)]
        selectors: bool,
    },
    /// One gate, two, and a layer of 256, beside tfhe-rs's boolean gates.
    Gates {
        /// Only these rows.
        #[arg(long, value_enum, value_delimiter = ',')]
        only: Vec<Operation>,
    },
    /// The gates beside a program that was built elsewhere.
    External(external::Peer),
    /// Whole programs, beside tfhe-rs's own types.
    Programs {
        /// Only these.
        #[arg(long, value_enum, value_delimiter = ',')]
        only: Vec<programs::Case>,
    },
    /// Ourselves on several threads beside ourselves on one.
    Scaling,
    /// The time that making our keys takes, and their sizes.
    Keys,
}

#[derive(Clone, Copy, ValueEnum)]
enum WordPeer {
    TfheRs,
    Parasol,
}

impl Arguments {
    /// Where to keep records, if anywhere.
    fn folder(&self) -> Option<&Path> {
        (!self.no_record).then_some(self.record.as_path())
    }

    fn terms(&self) -> Terms {
        Terms {
            threads: self.threads,
            rounds: self.rounds,
        }
    }
}

fn main() -> ExitCode {
    match run(&Arguments::parse()) {
        Ok(kept) => {
            if let Some(path) = kept {
                println!("kept in {}", path.display());
            }
            ExitCode::SUCCESS
        }
        Err(failure) => {
            eprintln!("peers: {failure}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<Option<PathBuf>, Failure> {
    let provenance = Provenance::of_this_run("peers");
    println!(
        "{}, commit {}, {}; threads on either side: {}",
        provenance.date, provenance.commit, provenance.machine, arguments.threads
    );
    // Every Rust peer spreads its work over rayon's global pool.
    rayon::ThreadPoolBuilder::new()
        .num_threads(arguments.threads)
        .build_global()?;
    let terms = arguments.terms();
    let keep = |name: &str, rows: &[Row]| {
        arguments
            .folder()
            .map(|folder| record::keep(folder, &provenance, name, rows))
            .transpose()
    };
    match &arguments.command {
        Command::Words {
            peer,
            only,
            divide,
            selectors,
        } => {
            let all = Operation::WORDS.into_iter();
            let ours = match selectors {
                true => ours::Lookups::with_selectors(terms.threads)?,
                false => ours::Lookups::new(terms.threads)?,
            };
            match peer {
                WordPeer::TfheRs => {
                    let all = all.filter(|&row| *divide || row != Operation::Divide);
                    let peer = tfhe_rs::Words::new();
                    let rows = contest(&chosen(only, all), terms, &peer, &ours)?;
                    keep("tfhe-rs", &rows)
                }
                WordPeer::Parasol => {
                    let all = all.filter(|&row| row != Operation::Divide);
                    let peer = parasol::Words::new();
                    let rows = contest(&chosen(only, all), terms, &peer, &ours)?;
                    keep("parasol", &rows)
                }
            }
        }
        Command::Gates { only } => keep("tfhe-rs", &gates(only, terms)?),
        Command::External(peer) => external::measure(peer, terms, &provenance, arguments.folder()),
        Command::Programs { only } => {
            let usual = programs::Case::USUAL.to_vec();
            let cases = if only.is_empty() { &usual } else { only };
            programs::measure(cases, terms, &provenance, arguments.folder())
        }
        Command::Scaling => scaling::measure(terms, &provenance, arguments.folder()),
        Command::Keys => keys::measure(terms, &provenance, arguments.folder()),
    }
}

/// The rows asked for, or else all of them.
fn chosen(only: &[Operation], all: impl IntoIterator<Item = Operation>) -> Vec<Operation> {
    if only.is_empty() {
        all.into_iter().collect()
    } else {
        only.to_vec()
    }
}

fn gates(only: &[Operation], terms: Terms) -> Result<Vec<Row>, Failure> {
    let ours = ours::Lookups::new(terms.threads)?;
    let operations = chosen(only, Operation::GATES);
    let mut rows = Vec::new();
    // Failure probabilities as the library's source states them beside each set.
    for (name, parameters, log2_failure) in [
        (
            "DEFAULT_PARAMETERS_KS_PBS",
            &DEFAULT_PARAMETERS_KS_PBS,
            -64.017,
        ),
        ("DEFAULT_PARAMETERS", &DEFAULT_PARAMETERS, -64.344),
    ] {
        let peer = tfhe_rs::Gates::new(name, parameters, log2_failure);
        rows.extend(contest(&operations, terms, &peer, &ours)?);
    }
    Ok(rows)
}
