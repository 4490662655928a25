//! Which paper or circuits, and what of it: the arguments of `blindcore papers` and `blindcore
//! circuits`.

mod catalogue;

pub use catalogue::Circuits;

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, Subcommand};
use tfhe::gate::{GATE_SETS, GateParameters};
use tfhe::{Fft, Parameters, SETS};

/// The papers.
#[derive(Debug, Subcommand)]
pub enum Papers {
    /// Adder architectures: two and four numbers of 16 bits, as drawn and by lookups
    Adders(PapersAdders),
    /// The functional units of an emulator of encrypted programs, at 16 and 32 bits, on 1 to 48
    /// cores
    Emulator(PapersEmulator),
    /// FFT processors in the bootstrap: the AND gate, and ten 32-bit numbers added by look-ahead
    /// adders
    Fft(PapersFft),
    /// The multiplier of 786,432 bits: products beside GMP's and FLINT's, and instructions counted
    Multiplier(PapersMultiplier),
    /// Arithmetic over the integer ring: vectors of integers in BGV, one bit a ciphertext
    IntegerRing(PapersIntegerRing),
    /// All of these on one page
    All(PapersAll),
}

/// `blindcore papers adders`
#[derive(Debug, Args)]
pub struct PapersAdders {
    /// Parameter sets of the gate engine, separated by commas (--quick: the first of them)
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = gate_set,
        default_value = "tfhe-lib-118,gate-uniform-128-pfail-2m64"
    )]
    pub gate_set: Vec<GateParameters>,
    /// Parameter set of the lookup engine
    #[arg(long, value_name = "NAME", value_parser = lookup_set, default_value = "p16")]
    pub lookup_set: Parameters,
    /// Numbers of threads, separated by commas (default: 1, and 2 where the machine has them)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count)]
    pub threads: Vec<NonZeroUsize>,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<Fft>,
    /// How often each circuit is run
    #[arg(long, value_name = "N", default_value = "3")]
    pub rounds: NonZeroUsize,
    /// Run every circuit once, gates with one parameter set
    #[arg(long)]
    pub quick: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// `blindcore papers emulator`
#[derive(Debug, Args)]
pub struct PapersEmulator {
    /// Parameter set of the gate engine
    #[arg(long, value_name = "NAME", value_parser = gate_set, default_value = "tfhe-lib-118")]
    pub gate_set: GateParameters,
    /// Parameter set of the lookup engine
    #[arg(long, value_name = "NAME", value_parser = lookup_set, default_value = "p16")]
    pub lookup_set: Parameters,
    /// Numbers of threads to measure, separated by commas (default: 1, and 2 where the machine has
    /// them)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count)]
    pub threads: Vec<NonZeroUsize>,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<Fft>,
    /// Measure lookups and a few units on gates; simulate the others
    #[arg(long, conflicts_with = "whole")]
    pub quick: bool,
    /// Run multiplications and divisions of 32 bits on gates too: takes minutes
    #[arg(long)]
    pub whole: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// `blindcore papers multiplier`
#[derive(Debug, Args)]
pub struct PapersMultiplier {
    /// FLINT's shared library (default: the system's, if it has one)
    #[arg(long, value_name = "FILE")]
    pub flint: Option<PathBuf>,
    /// Numbers of threads, separated by commas (default: 1, and 2 where the machine has them)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count)]
    pub threads: Vec<NonZeroUsize>,
    /// How often each product of the paper's size is computed
    #[arg(long, value_name = "N", default_value = "31")]
    pub rounds: NonZeroUsize,
    /// Five rounds, and only some of the other sizes
    #[arg(long)]
    pub quick: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// `blindcore papers integer-ring`
#[derive(Debug, Args)]
pub struct PapersIntegerRing {
    /// Worker threads (the paper used one)
    #[arg(long, value_name = "N", value_parser = thread_count, default_value = "1")]
    pub threads: NonZeroUsize,
    /// How often each circuit is run
    #[arg(long, value_name = "N", default_value = "3")]
    pub rounds: NonZeroUsize,
    /// Run our circuits once, at 128 bits of security
    #[arg(long)]
    pub quick: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// `blindcore papers all`
#[derive(Debug, Args)]
pub struct PapersAll {
    /// Parameter set of the gate engine
    #[arg(long, value_name = "NAME", value_parser = gate_set, default_value = "tfhe-lib-118")]
    pub gate_set: GateParameters,
    /// Parameter set of the lookup engine
    #[arg(long, value_name = "NAME", value_parser = lookup_set, default_value = "p16")]
    pub lookup_set: Parameters,
    /// Numbers of threads to measure, separated by commas (default: 1, and 2 where the machine has
    /// them)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = thread_count)]
    pub threads: Vec<NonZeroUsize>,
    /// FFT processors, separated by commas; adders and emulator use the first of them
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = processor)]
    pub fft: Vec<Fft>,
    /// The quick form of each
    #[arg(long)]
    pub quick: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// Numbers of threads as asked for, each once, from few to many; else one, and two where the
/// machine has them.
pub(crate) fn thread_counts(asked: &[NonZeroUsize]) -> Vec<usize> {
    let mut counts: Vec<usize> = asked.iter().map(|count| count.get()).collect();
    if counts.is_empty() {
        let cores = std::thread::available_parallelism().map_or(1, NonZeroUsize::get);
        counts.extend(1..=cores.min(2));
    }
    counts.sort_unstable();
    counts.dedup();
    counts
}

impl PapersFft {
    /// What `papers all` asks of it, everything else by default.
    pub(crate) fn of(set: Vec<PaperSet>, fft: Vec<Fft>, quick: bool, output: Output) -> Self {
        Self {
            fft,
            set,
            blocks: [4, 8, 16, 32]
                .into_iter()
                .filter_map(NonZeroUsize::new)
                .collect(),
            operands: 10,
            rounds: NonZeroUsize::MIN,
            threads: NonZeroUsize::MIN,
            quick,
            whole: false,
            output,
        }
    }
}

impl PapersAdders {
    /// See [`thread_counts`].
    pub(crate) fn threads(&self) -> Vec<usize> {
        thread_counts(&self.threads)
    }
}

impl PapersMultiplier {
    /// See [`thread_counts`].
    pub(crate) fn threads(&self) -> Vec<usize> {
        thread_counts(&self.threads)
    }
}

impl PapersEmulator {
    /// See [`thread_counts`].
    pub(crate) fn threads(&self) -> Vec<usize> {
        thread_counts(&self.threads)
    }
}

pub(super) fn gate_set(text: &str) -> Result<GateParameters, String> {
    match set(text)? {
        PaperSet::Gates(set) => Ok(set),
        PaperSet::Lookups(_) => Err("a set of the lookup engine".to_owned()),
    }
}

pub(super) fn lookup_set(text: &str) -> Result<Parameters, String> {
    match set(text)? {
        PaperSet::Lookups(set) => Ok(set),
        PaperSet::Gates(_) => Err("a set of the gate engine".to_owned()),
    }
}

/// `blindcore papers fft`
#[derive(Debug, Args)]
#[command(after_help = SETS_HELP)]
pub struct PapersFft {
    /// FFT processors, separated by commas (default: all that this machine has)
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = processor)]
    pub fft: Vec<Fft>,
    /// Parameter sets, separated by commas
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = set,
        default_value = "tfhe-lib-118,gate-uniform-128-pfail-2m64,p16"
    )]
    pub set: Vec<PaperSet>,
    /// Columns in a block of the carry look-ahead adders, separated by commas, 1 to 32
    #[arg(
        long,
        value_name = "LIST",
        value_delimiter = ',',
        value_parser = block,
        default_value = "4,8,16,32"
    )]
    pub blocks: Vec<NonZeroUsize>,
    /// Numbers to add, 2 to 100
    #[arg(long, value_name = "N", value_parser = operands, default_value = "10")]
    pub operands: usize,
    /// How often each sum that is run whole is run
    #[arg(long, value_name = "N", default_value = "1")]
    pub rounds: NonZeroUsize,
    /// Worker threads for sums, at most 1024 (the paper used one)
    #[arg(long, value_name = "N", value_parser = thread_count, default_value = "1")]
    pub threads: NonZeroUsize,
    /// Measure only gates and the lookup engine; compute every sum of gates from them
    #[arg(long, conflicts_with = "whole")]
    pub quick: bool,
    /// Run every sum of gates on every processor, not only on the fastest: takes hours
    #[arg(long)]
    pub whole: bool,
    /// Where the report goes.
    #[command(flatten)]
    pub output: Output,
}

/// A processor that this machine can run, by its name.
///
/// # Errors
/// What there is instead.
pub fn processor(name: &str) -> Result<Fft, String> {
    let fft: Fft = name.parse().map_err(|error| format!("{error}"))?;
    // Making a small plan says whether it can, and else what can.
    match fft.check() {
        Ok(()) => Ok(fft),
        Err(error) => Err(error.to_string()),
    }
}

/// Most worker threads: each has its own buffers, and no machine here has more cores.
const THREAD_LIMIT: usize = 1024;

/// A number of worker threads.
///
/// # Errors
/// For what is no number from 1 to 1024.
pub fn thread_count(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|count: &NonZeroUsize| count.get() <= THREAD_LIMIT)
        .ok_or_else(|| format!("not a number from 1 to {THREAD_LIMIT}"))
}

/// Where a report goes.
#[derive(Debug, Args)]
pub struct Output {
    /// Write the report with charts as a web page
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Show no progress
    #[arg(long, short)]
    pub quiet: bool,
}

const SETS_HELP: &str = "\
Parameter sets:
  tfhe-lib-118   gates; the paper's own (n = 630), 113 bits of security (118 by the lattice estimator)
  tfhe-2016-93   gates; of the first TFHE papers (n = 500), 89 bits (93)
  gate-uniform-128-pfail-2m64   gates; at least 128 bits
  p16, p16-uniform              lookups; at least 128 bits";

/// A parameter set of one of the engines that are compared.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum PaperSet {
    /// One bootstrap for each gate.
    Gates(GateParameters),
    /// Any functions of a sum of bits in one bootstrap.
    Lookups(Parameters),
}

/// A set's name as it is written on the command line.
fn spelled(name: &str) -> String {
    name.to_lowercase().replace('_', "-")
}

/// Toys are known by name but not offered.
fn offered(name: &&str) -> bool {
    !name.starts_with("TOY")
}

fn set(text: &str) -> Result<PaperSet, String> {
    let asked = spelled(text);
    let alias = |set: &Parameters, name: &str| {
        (*set == tfhe::P16 && name == "p16") || (*set == tfhe::P16_UNIFORM && name == "p16-uniform")
    };
    if let Some(set) = GATE_SETS.iter().find(|set| spelled(set.name()) == asked) {
        return Ok(PaperSet::Gates(*set));
    }
    let found = |set: &&Parameters| spelled(set.name()) == asked || alias(set, &asked);
    if let Some(set) = SETS.iter().find(found) {
        return Ok(PaperSet::Lookups(*set));
    }
    let gates = GATE_SETS.iter().map(|set| set.name());
    let mut names: Vec<String> = gates.filter(offered).map(spelled).collect();
    names.extend(["p16".to_owned(), "p16-uniform".to_owned()]);
    Err(format!("no such set; there are {}", names.join(", ")))
}

/// Columns of an adder of 32 bits.
fn block(text: &str) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|size: &NonZeroUsize| size.get() <= 32)
        .ok_or_else(|| "not a number from 1 to 32".to_owned())
}

fn operands(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|count| (2..=100).contains(count))
        .ok_or_else(|| "not a number from 2 to 100".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_go_by_their_names() {
        assert_eq!(set("p16"), Ok(PaperSet::Lookups(tfhe::P16)));
        assert_eq!(set("P16_UNIFORM"), Ok(PaperSet::Lookups(tfhe::P16_UNIFORM)));
        assert_eq!(
            set("tfhe-lib-118"),
            Ok(PaperSet::Gates(tfhe::gate::TFHE_LIB_118))
        );
        assert_eq!(set("toy-gate"), Ok(PaperSet::Gates(tfhe::gate::TOY_GATE)));
        let error = set("tfhe-lib-128").unwrap_err();
        assert!(
            error.contains("tfhe-lib-118, ") && !error.contains("toy"),
            "{error}"
        );
    }

    #[test]
    fn every_set_of_the_help_exists() {
        for line in SETS_HELP.lines().skip(1) {
            let (names, _) = line.trim().split_once("  ").unwrap();
            for name in names.split(", ") {
                assert!(set(name).is_ok(), "{name}");
            }
        }
    }
}
