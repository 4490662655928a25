//! `blindcore circuit`: circuit files.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use circuits::formats::Format;
use clap::{Args, Subcommand};

use super::architectures::Forced;
use super::{Set, Unlocking, processor, thread_count};

/// What to do with a circuit file.
#[derive(Debug, Subcommand)]
pub enum Circuit {
    /// Evaluate a circuit: in the clear, encrypted with a key of its own, or on somebody's inputs
    Run(CircuitRun),
    /// Encrypt the inputs of a circuit
    Encrypt(CircuitEncrypt),
    /// Describe a circuit: words, gates, depth, lookups, time
    Inspect(CircuitInspect),
    /// Write a circuit in another format
    Convert(CircuitConvert),
    /// Write a unit of Blindcore's own library as a circuit file
    Build(CircuitBuild),
}

/// How values are written, for help texts.
const WORDS_HELP: &str = "\
Values:
  5 7  or  a=5 b=7          in the order of the inputs, or by name (see `circuit inspect`)
  0xff  0b1010  1_000  a=-3  hexadecimal, binary, with separators, two's complement
Words may have any number of bits. Files: Bristol Fashion (.txt, .bristol), BLIF (.blif),
Yosys JSON (.json); other files are recognised by their content, or named by --from.";

/// `blindcore circuit run`
#[derive(Debug, Args)]
#[command(after_help = WORDS_HELP)]
pub struct CircuitRun {
    /// The circuit
    pub file: PathBuf,
    /// Values of the inputs; with --key, files made by `circuit encrypt`
    #[arg(long, value_name = "VALUE|NAME=VALUE", num_args = 0.., allow_negative_numbers = true)]
    pub inputs: Vec<String>,
    /// Generate a key pair, encrypt, evaluate, decrypt, and compare with the clear answer
    #[arg(long, conflicts_with = "key")]
    pub encrypted: bool,
    /// Evaluate somebody's encrypted inputs with this server key
    #[arg(long, value_name = "NAME.server", requires = "out")]
    pub key: Option<PathBuf>,
    /// Write the encrypted outputs here (`blindcore decrypt` reads them)
    #[arg(long, value_name = "FILE", requires = "key")]
    pub out: Option<PathBuf>,
    /// Format of the file (default: by its name or content)
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Parameter set; with --key it is the key's
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Worker threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Print JSON
    #[arg(long, conflicts_with = "key")]
    pub json: bool,
    /// Print nothing but outputs and errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `blindcore circuit encrypt`
#[derive(Debug, Args)]
#[command(after_help = WORDS_HELP)]
pub struct CircuitEncrypt {
    /// The owner's public key, or the owner's own secret key (Gentry–Halevi: the server key or the
    /// secret key)
    #[arg(long, value_name = "NAME.secret")]
    pub key: PathBuf,
    /// Its passphrase.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// The circuit: it knows names and widths
    pub file: PathBuf,
    /// Values of the inputs: all in order, or by name those that this file is to hold
    #[arg(value_name = "VALUE|NAME=VALUE", allow_negative_numbers = true)]
    pub values: Vec<String>,
    /// Write the inputs here
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Format of the file (default: by its name or content)
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `blindcore circuit inspect`
#[derive(Debug, Args)]
pub struct CircuitInspect {
    /// The circuit
    pub file: PathBuf,
    /// Format of the file (default: by its name or content)
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Parameter set to estimate for
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Threads to estimate the time for, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `blindcore circuit convert`
#[derive(Debug, Args)]
pub struct CircuitConvert {
    /// The circuit
    pub input: PathBuf,
    /// The file to write
    pub output: PathBuf,
    /// Format of the first file (default: by its name or content)
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,
    /// Format of the second (default: by its name)
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

/// `blindcore circuit build`
#[derive(Debug, Args)]
pub struct CircuitBuild {
    /// The unit: add, multiply, divide-unsigned …; an unknown one lists all
    pub unit: String,
    /// Bits of a word, 1 to 1024
    #[arg(long, value_name = "N", value_parser = width)]
    pub width: usize,
    /// Architectures.
    #[command(flatten)]
    pub forced: Forced,
    /// The file to write
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Its format (default: by its name)
    #[arg(long, value_name = "FORMAT")]
    pub to: Option<Format>,
    /// Replace an existing file
    #[arg(long)]
    pub force: bool,
}

fn width(text: &str) -> Result<usize, String> {
    text.parse()
        .ok()
        .filter(|width| (1..=1024).contains(width))
        .ok_or_else(|| "not a number from 1 to 1024".to_owned())
}
