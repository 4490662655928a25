//! The command line: one table for parsing, help and usage errors.
#![allow(
    rustdoc::broken_intra_doc_links,
    reason = "comments are the help's text"
)]

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Parser, Subcommand, ValueEnum};
use papers::arguments::{processor, thread_count};
use papers::{Circuits, Papers};

use crate::failure::{Code, EXIT_CODES, Failure};
use processor::Limits;
use session::program::{Call, LoopBound, ObjectRange};

mod admin;
mod answering;
mod architectures;
mod assembly;
mod branches;
mod cc;
mod circuit;
mod cluster;
mod contributions;
mod levelled;
mod machines;
mod man;
mod multiply;
mod profile;
mod protection;
mod remote;
mod scale;
mod scheme;
mod tls;
mod token;

pub use admin::{Admin, AdminCancel, AdminDrain, AdminJobs, AdminQuota, AdminReload, AdminRevoke};
pub use answering::Answering;
pub use architectures::Forced;
pub use assembly::{Assembly, AssemblyCheck, AssemblyFormat};
pub use branches::{BranchMode, SecretBranches};
pub use cc::Cc;
pub use circuit::{
    Circuit, CircuitBuild, CircuitConvert, CircuitEncrypt, CircuitInspect, CircuitRun,
};
pub use cluster::{Worker, Workers};
pub use contributions::{Contributions, Given, Missing};
pub use levelled::Levelled;
pub use machines::MachineArguments;
pub use man::Man;
pub use multiply::{Multiply, NumberForm};
pub use profile::Profile;
pub use protection::{Key, KeyPassphrase, KeySelectors, Protecting, Unlocking};
pub use remote::{Attend, Cancel, Fetch, Jobs, Remote, Status, Submit, Top};
pub use scale::{Scale, Scaled};
pub use scheme::{Dimension, Scheme};
pub use tls::{Tls, TlsClient, TlsInit, TlsServer};
pub use token::Token;

/// What the short list leaves out.
const RESEARCH: &str = "\
For research:
  params       List parameter sets: security, noise, failure probabilities, costs
  circuits     List every architecture of every unit, counted and measured
  fft          Compare the FFT processors of this machine: speed, accuracy, a lookup's time
  multiply     Multiply two numbers of any size, in files
  papers       Reproduce the tables of five papers
  scale        Play programs through on one core to thousands

`blindcore COMMAND -h` shows what most people need, `blindcore COMMAND --help` everything.";

/// Run compiled programs on encrypted data.
#[derive(Debug, Parser)]
#[command(
    name = "blindcore",
    version,
    after_help = RESEARCH,
    after_long_help = format!("{RESEARCH}\n\n{EXIT_CODES}"),
    propagate_version = true
)]
pub struct CommandLine {
    /// What to do.
    #[command(subcommand)]
    pub command: Command,
}

/// The commands, in the order in which a user meets them; those for research are a list of their
/// own, [`RESEARCH`].
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Generate a key pair: NAME.secret to keep, NAME.public and NAME.server to give away
    Keygen(Keygen),
    /// Compile C into a program, the way that costs least on encrypted data
    Cc(Cc),
    /// Tell what a run would cost, and where the program branches or indexes on secrets
    Plan(Plan),
    /// Tell which functions and source lines a run's bootstraps are for
    Profile(Profile),
    /// Encrypt values of a program's variables
    Encrypt(Encrypt),
    /// Run a program on encrypted inputs
    Run(Run),
    /// Decrypt the outputs of a run
    Decrypt(Decrypt),
    /// Try a program on clear values beside a plain interpreter, comparing every instruction
    Check(Check),
    /// List a program's variables and functions: types, sizes, addresses
    Symbols(Symbols),
    /// Disassemble a program, each instruction marked clear or secret
    Disasm(Disasm),
    /// Describe files written by Blindcore
    Inspect(Inspect),
    /// Change a secret key's passphrase, or make the selector key that belongs to it
    #[command(subcommand)]
    Key(Key),
    /// Show the whole story on an example: keys, encryption, run, decryption
    Demo(Demo),
    /// Check and format programs in HE assembly
    #[command(subcommand)]
    Assembly(Assembly),
    /// Evaluate and convert circuit files: Bristol Fashion, BLIF, Yosys JSON
    #[command(subcommand)]
    Circuit(Circuit),
    /// Run a program on another machine: submit it, wait, fetch the outputs
    Submit(Submit),
    /// Answer the questions of a job that was submitted before
    Attend(Attend),
    /// Say how a job does
    Status(Status),
    /// Fetch the outputs of a job that is done
    Fetch(Fetch),
    /// End jobs
    Cancel(Cancel),
    /// List the jobs on a server
    Jobs(Jobs),
    /// Watch a server and the jobs on it
    Top(Top),
    /// Run programs for clients who keep their keys: the server's side of `submit`
    #[command(after_help = service::server::arguments::HELP)]
    Serve(service::server::Serve),
    /// Evaluate a share of runs that others drive: `run --workers`
    Worker(Worker),
    /// Administer a server: jobs and quotas of all clients, draining, revoking, reloading
    #[command(subcommand)]
    Admin(Admin),
    /// Make certificates for a server and its clients
    #[command(subcommand)]
    Tls(Tls),
    /// Make a token for a client of `serve --web`
    Token(Token),
    /// Print a script that completes this command line in a shell
    Completions(Completions),
    /// Write manual pages of all commands, for packages
    #[command(hide = true)]
    Man(Man),
    /// List parameter sets: security, noise, failure probabilities, costs
    #[command(hide = true)]
    Params(Params),
    /// Compare the FFT processors of this machine: speed, accuracy, and a lookup's time by each
    #[command(hide = true)]
    Fft(Fft),
    /// Multiply two numbers of any size, in files: raw, hexadecimal or decimal
    #[command(hide = true)]
    Multiply(Multiply),
    /// List the library's circuits: every architecture of every unit, counted and measured
    #[command(hide = true)]
    Circuits(Circuits),
    /// Reproduce the tables of a paper, beside what the paper printed
    #[command(subcommand, hide = true)]
    Papers(Papers),
    /// Play programs through on one core to thousands: speed-up and efficiency, simulated
    #[command(hide = true)]
    Scale(Scale),
}

/// Parameter sets to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Set {
    /// Block-binary small key: fastest, on a younger assumption
    #[default]
    P16,
    /// Uniform binary small key: the conservative choice, about three times slower
    P16Uniform,
}

/// How a number of variables is written on the command line, for help texts.
const VALUES_HELP: &str = "\
Values:
  a=17  b=0xff  c=-3  d='x'  e=true       numbers and characters
  list=1,2,3  table={1,2},{3,4}           arrays; what is left out at the end is 0
  name=ada  name='\"two words\"'            text (quotes are needed where it is not a char array)
  salary=@salaries.csv:amount             a column of a CSV file with a header line
  v=@data.json  v=@data.json:key          a JSON document or a part of it
  point={\"x\":1,\"y\":2}                     a structure; [{...},{...}] an array of them
  orders=@orders.csv                      an array of structures: a column for each member
  raw=@blob.bin                           bytes as the program's memory holds them
  @values.json                            an object of names and values
  @rows.csv                               a table: the header names variables, one run for each row
  v=@-  v=@-:key  v=@-:column             the same from standard input, JSON or CSV
  salary:u32[8]=...                       a type: u8-u64, i8-i64, bool, char, arrays of them
Without a written type, the program's debugging information (-g) gives it.";

/// `blindcore keygen`
#[derive(Debug, Args)]
pub struct Keygen {
    /// Write NAME.secret, NAME.public and NAME.server (30 MB under TFHE), and NAME.selectors
    #[arg(long, value_name = "NAME")]
    pub out: PathBuf,
    /// Do not write NAME.selectors (61 MB), the second part of TFHE's server key, with which
    /// selections, shifts and loads at secret indices cost a fraction; `key selectors` makes it later
    #[arg(long)]
    pub no_selectors: bool,
    /// Scheme
    #[arg(long, value_enum, default_value_t)]
    pub scheme: Scheme,
    /// Parameter set of TFHE
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Dimension of the Gentry–Halevi scheme (default: 512)
    #[arg(long, value_enum, value_name = "N", conflicts_with = "set")]
    pub dimension: Option<Dimension>,
    /// Parameters of BGV.
    #[command(flatten)]
    pub levelled: Levelled,
    /// Replace existing files
    #[arg(long)]
    pub force: bool,
    /// The passphrase.
    #[command(flatten)]
    pub protecting: Protecting,
    /// Worker threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Describe the keys as JSON
    #[arg(long)]
    pub json: bool,
}

/// Where a program begins, what is wanted of it, and its bounds.
#[derive(Debug, Default, Args)]
pub struct Execution {
    /// Begin at this function or label (default: `main`, else the ELF's entry point, unless that is
    /// only where the code begins)
    #[arg(long, value_name = "SYMBOL", conflicts_with = "call")]
    pub entry: Option<String>,
    /// Call a function: arguments are numbers (public), &GLOBAL (its address), or names of secrets
    #[arg(long, value_name = "'F(17, &TABLE, AGE)'")]
    pub call: Option<Call>,
    /// Variable wanted afterwards, repeatable (default: all that the program wrote)
    #[arg(long, value_name = "NAME[:TYPE]")]
    pub output: Vec<String>,
    /// Stop a program that executes more instructions
    #[arg(
        long,
        hide_short_help = true,
        value_name = "N",
        default_value_t = 100_000_000
    )]
    pub max_instructions: u64,
    /// Size of the stack in bytes
    #[arg(long, hide_short_help = true, value_name = "BYTES", default_value_t = 1 << 20, value_parser = clap::value_parser!(u32).range(8..))]
    pub stack: u32,
    /// Evaluate after this many operations on secrets, and write a checkpoint: fewer lose less to a
    /// kill and take less memory, more leave the threads more to choose from
    #[arg(long, hide_short_help = true, value_name = "OPERATIONS", default_value_t = processor::Limits::default().window as u64, value_parser = clap::value_parser!(u64).range(1..=1 << 22))]
    pub window: u64,
    /// Secret branches.
    #[command(flatten)]
    pub secret_branches: SecretBranches,
    /// Bytes that a load or store at a secret address may reach, repeatable: where symbols do not
    /// tell (memory from an allocator), or to select over less than a whole variable
    #[arg(
        long,
        hide_short_help = true,
        value_name = "ADDRESS:SIZE|SYMBOL[:SIZE]"
    )]
    pub object: Vec<ObjectRange>,
    /// How often a loop goes round at most whose end depends on secret data, or how deep a function
    /// calls itself; repeatable, for all loops or those of a function, line or address. Executes
    /// both paths of secret branches, and `decrypt` refuses outputs for which it was too small
    #[arg(long, value_name = "ROUNDS|SITE=ROUNDS")]
    pub bound: Vec<LoopBound>,
}

impl Execution {
    /// What is to be executed; an error says which modes of `--branches` go together.
    pub(crate) fn resolve(&self) -> Result<session::program::Execution, Failure> {
        Ok(session::program::Execution {
            entry: self.entry.clone(),
            call: self.call.clone(),
            outputs: self.output.clone(),
            limits: Limits {
                instructions: self.max_instructions,
                stack: self.stack,
                window: usize::try_from(self.window).unwrap_or(usize::MAX),
            },
            branches: self
                .secret_branches
                .task(!self.bound.is_empty())
                .map_err(|message| Failure::new(Code::Usage, message))?,
            objects: self.object.clone(),
            bounds: self.bound.clone(),
        })
    }
}

/// `blindcore plan`
#[derive(Debug, Args)]
#[command(after_help = VALUES_HELP)]
pub struct Plan {
    /// The program, an A32 ELF, C or HE assembly
    pub program: PathBuf,
    /// Secret variables by NAME[:TYPE], public ones as NAME=VALUE
    #[arg(value_name = "NAME|NAME=VALUE")]
    pub variables: Vec<String>,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// Scheme that is to compute
    #[arg(long, value_enum, default_value_t)]
    pub engine: Scheme,
    /// Parameter set of TFHE
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Dimension of the Gentry–Halevi scheme (default: 512)
    #[arg(long, value_enum, value_name = "N", conflicts_with = "set")]
    pub dimension: Option<Dimension>,
    /// Rows of values that there are: a set with slots for them if there is one, else batches (BGV)
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u32).range(1..))]
    pub rows: Option<u32>,
    /// Threads to estimate the time for, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Several machines.
    #[command(flatten)]
    pub machines: MachineArguments,
    /// For a server without the selector key (NAME.selectors): by lookups alone
    #[arg(long)]
    pub no_selectors: bool,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// List every branch, loop and address that secrets decide, past the first that a run stops at,
    /// with what to do about each, in place of the costs; exit as a run would
    #[arg(long)]
    pub list: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}

/// `blindcore check`
#[derive(Debug, Args)]
#[command(after_help = VALUES_HELP)]
pub struct Check {
    /// The program, an A32 ELF or C
    pub program: PathBuf,
    /// Values of the variables that are secret in a run
    #[arg(value_name = "NAME=VALUE")]
    pub values: Vec<String>,
    /// Public variable, repeatable
    #[arg(long, value_name = "NAME=VALUE")]
    pub public: Vec<String>,
    /// Variables that nobody gave.
    #[command(flatten)]
    pub missing: Missing,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// Parameter set whose circuits are checked
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// Print the outputs as a JSON object of names and values
    #[arg(long)]
    pub json: bool,
    /// Print nothing but the outputs and errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}

/// `blindcore encrypt`
#[derive(Debug, Args)]
#[command(after_help = VALUES_HELP)]
pub struct Encrypt {
    /// The owner's public key, or the owner's own secret key (Gentry–Halevi: the server key or the
    /// secret key)
    #[arg(long, value_name = "NAME.public|NAME.secret")]
    pub key: PathBuf,
    /// Its passphrase.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// The program, an A32 ELF, C or HE assembly: it knows the types
    pub program: PathBuf,
    /// The values to encrypt; or, for one run on each of many rows, one @FILE.csv whose header names
    /// variables, and variables that have the same value in all rows
    #[arg(value_name = "NAME=VALUE", required = true)]
    pub values: Vec<String>,
    /// The call whose secret arguments are among the names
    #[arg(long, value_name = "'F(17, &TABLE, AGE)'")]
    pub call: Option<Call>,
    /// Write the inputs here; - is standard output
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Encrypt with a key of BGV whose depth the program exceeds: a run with other options may need
    /// less of it
    #[arg(long, hide_short_help = true)]
    pub any_depth: bool,
    /// Describe what was written as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
}

/// `blindcore run`
#[derive(Debug, Args)]
#[command(after_help = VALUES_HELP)]
pub struct Run {
    /// The server key
    #[arg(long, value_name = "NAME.server")]
    pub key: PathBuf,
    /// The program, an A32 ELF, C or HE assembly
    pub program: PathBuf,
    /// Files of inputs and public variables.
    #[command(flatten)]
    pub given: Contributions,
    /// Variables that nobody gave.
    #[command(flatten)]
    pub missing: Missing,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// Write the outputs here; - is standard output, and then no checkpoint is kept unless
    /// --checkpoint names one
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Scheme that computes (default: that of the inputs)
    #[arg(long, value_enum)]
    pub engine: Option<Scheme>,
    /// Worker threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Selector key (default: NAME.selectors beside NAME.server, if there is one)
    #[arg(
        long,
        hide_short_help = true,
        value_name = "FILE",
        conflicts_with = "no_selectors"
    )]
    pub selectors: Option<PathBuf>,
    /// Compute by lookups alone, though there is a selector key
    #[arg(long, hide_short_help = true)]
    pub no_selectors: bool,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Memory that the run takes at most, key included: a number of bytes, or 800M, 2G; one that needs
    /// more is refused (default: below 1G where it can be)
    #[arg(long, value_name = "BYTES", value_parser = byte_count)]
    pub memory: Option<u64>,
    /// Where to keep what it takes to go on, written after each window and removed at the end
    /// (default: the outputs' name with .checkpoint after it)
    #[arg(long, value_name = "FILE")]
    pub checkpoint: Option<PathBuf>,
    /// How often to keep what is computed within a window, which is what a kill loses at most;
    /// Ctrl-C loses nothing
    #[arg(long, value_name = "SECONDS", default_value = "30", value_parser = seconds)]
    pub checkpoint_every: Duration,
    /// Go on from the checkpoint of the same run, which was killed or interrupted
    #[arg(long)]
    pub resume: bool,
    /// Describe the outputs and the run as JSON
    #[arg(long, conflicts_with = "quiet")]
    pub json: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
    /// Answers.
    #[command(flatten)]
    pub answering: Answering,
    /// Several machines.
    #[command(flatten)]
    pub workers: Workers,
}

/// `blindcore decrypt`
#[derive(Debug, Args)]
pub struct Decrypt {
    /// The secret key
    #[arg(long, value_name = "NAME.secret")]
    pub key: PathBuf,
    /// Its passphrase.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// Outputs of a run (or inputs, to check what they hold); - is standard input
    pub file: PathBuf,
    /// Show this variable alone, repeatable: a name, or that of a structure for all its fields
    #[arg(long, value_name = "NAME")]
    pub only: Vec<String>,
    /// Write the values to this file, which nobody else may read, instead of showing them
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing file
    #[arg(long, requires = "out")]
    pub force: bool,
    /// Print a JSON object of names and values (of BGV a list of them, which are CSV otherwise)
    #[arg(long)]
    pub json: bool,
}

/// `blindcore inspect`
#[derive(Debug, Args)]
pub struct Inspect {
    /// The files
    #[arg(required = true)]
    pub files: Vec<PathBuf>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
}

/// `blindcore symbols`
#[derive(Debug, Args)]
pub struct Symbols {
    /// The program, an A32 ELF, C or HE assembly
    pub program: PathBuf,
    /// The fields of structures, too
    #[arg(long)]
    pub fields: bool,
    /// Print JSON, fields included
    #[arg(long)]
    pub json: bool,
}

/// `blindcore disasm`
#[derive(Debug, Args)]
pub struct Disasm {
    /// The program, an A32 ELF, C or HE assembly
    pub program: PathBuf,
    /// Secret variables by NAME[:TYPE], public ones as NAME=VALUE
    #[arg(value_name = "NAME|NAME=VALUE")]
    pub variables: Vec<String>,
    /// Entry, outputs and bounds.
    #[command(flatten)]
    pub execution: Execution,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}

/// `blindcore demo`
#[derive(Debug, Args)]
pub struct Demo {
    /// Keep keys and files in this new or empty directory (default: a temporary one, removed at the
    /// end)
    #[arg(long, value_name = "DIR")]
    pub dir: Option<PathBuf>,
    /// Worker threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Parameter set
    #[arg(long, value_enum, default_value_t)]
    pub set: Set,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// Forced architectures.
    #[command(flatten)]
    pub forced: Forced,
}

/// `blindcore completions`
#[derive(Debug, Args)]
pub struct Completions {
    /// The shell: `source <(blindcore completions bash)` in its start-up file
    #[arg(value_enum)]
    pub shell: clap_complete::Shell,
}

/// `blindcore fft`
#[derive(Debug, Args)]
pub struct Fft {
    /// How often each operation is timed, at most 100000 times; lookups a thirtieth as often
    #[arg(long, value_name = "N", default_value = "301", value_parser = clap::value_parser!(u32).range(1..=100_000))]
    pub rounds: u32,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// `blindcore params`
#[derive(Debug, Args)]
pub struct Params {
    /// One set, in detail
    pub name: Option<String>,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
}

/// A time in seconds, perhaps with a fraction.
fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds: &f64| *seconds > 0.0);
    let duration = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    duration.ok_or_else(|| "not a number of seconds such as 30 or 0.5".to_owned())
}

/// A number of bytes, perhaps in thousands, millions or thousands of millions.
fn byte_count(text: &str) -> Result<u64, String> {
    let (digits, unit) = match text.char_indices().find(|(_, c)| !c.is_ascii_digit()) {
        Some((at, _)) => text.split_at(at),
        None => (text, ""),
    };
    let unit = match unit.to_ascii_uppercase().trim_end_matches('B') {
        "" => Some(1u64),
        "K" => Some(1_000),
        "M" => Some(1_000_000),
        "G" => Some(1_000_000_000),
        _ => None,
    };
    let count = digits.parse().ok().zip(unit);
    count
        .and_then(|(count, unit): (u64, u64)| count.checked_mul(unit))
        .ok_or_else(|| "not a number of bytes such as 500000000, 800M or 2G".to_owned())
}

#[cfg(test)]
mod tests {
    #[test]
    fn byte_counts() {
        for (text, count) in [
            ("17", Some(17)),
            ("800M", Some(800_000_000)),
            ("2gb", Some(2_000_000_000)),
        ] {
            assert_eq!(super::byte_count(text).ok(), count);
        }
        for text in [
            "",
            "G",
            "1.5G",
            "-1",
            "2T",
            "99999999999999999999",
            "18446744074G",
        ] {
            assert!(super::byte_count(text).is_err(), "{text}");
        }
    }

    #[test]
    fn the_table_is_consistent() {
        use clap::CommandFactory;
        super::CommandLine::command().debug_assert();
    }
}
