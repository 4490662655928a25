//! Commands about jobs on a server.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::Args;
use service::client::Address;

use super::{Answering, Contributions, Execution, Missing, thread_count};

/// Which server, and as whom.
#[derive(Clone, Debug, Args)]
#[command(next_help_heading = "Server")]
pub struct Remote {
    /// The server
    #[arg(long, value_name = "HOST[:PORT]", env = "BLINDCORE_SERVER")]
    pub server: Address,
    /// This client's certificate: a directory made by `blindcore tls init`
    #[arg(long, value_name = "DIR", env = "BLINDCORE_TLS")]
    pub tls: PathBuf,
    /// Look for a server so long after it was heard of last
    #[arg(long, value_name = "SECONDS", default_value_t = 600)]
    pub patience: u64,
}

/// `blindcore submit`
#[derive(Debug, Args)]
#[command(after_help = super::VALUES_HELP)]
pub struct Submit {
    /// The server key
    #[arg(long, value_name = "NAME.server")]
    pub key: PathBuf,
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
    /// The program, an A32 ELF or HE assembly
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
    /// Write the outputs here when the job is done
    #[arg(long, value_name = "FILE", required_unless_present = "detach")]
    pub out: Option<PathBuf>,
    /// Write here what the program wrote in the clear
    #[arg(long, value_name = "FILE", conflicts_with = "detach")]
    pub written: Option<PathBuf>,
    /// Print the job's id and leave it alone
    #[arg(long, conflicts_with_all = ["out", "answer_with"])]
    pub detach: bool,
    /// Call the job so (default: the name of the program's file, without its directory)
    #[arg(long, value_name = "NAME")]
    pub name: Option<String>,
    /// Submit under this id, 32 hexadecimal digits: a job that was accepted under it before is gone
    /// on with, and no second one is made
    #[arg(long, value_name = "ID", value_parser = request_id)]
    pub request: Option<[u8; 16]>,
    /// Threads to ask for; the server may give fewer
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Print nothing but errors (and the id, with --detach)
    #[arg(long, short)]
    pub quiet: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Answers.
    #[command(flatten)]
    pub answering: Answering,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore attend`
#[derive(Debug, Args)]
pub struct Attend {
    /// The job, one that was submitted from here
    pub job: String,
    /// The program that was submitted: questions are held against this copy of it. Without --allow
    /// and --policy, the rules hold that it was submitted with
    pub program: PathBuf,
    /// Write the outputs here when the job is done
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Answers.
    #[command(flatten)]
    pub answering: Answering,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore status`
#[derive(Debug, Args)]
pub struct Status {
    /// The job (default: all that have not ended)
    pub job: Option<String>,
    /// Go on until the job has ended
    #[arg(long)]
    pub watch: bool,
    /// Print JSON: one document, or one a line with --watch
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore fetch`
#[derive(Debug, Args)]
pub struct Fetch {
    /// The job
    pub job: String,
    /// Write the outputs here
    #[arg(long, value_name = "FILE")]
    pub out: PathBuf,
    /// Write here what the program wrote in the clear
    #[arg(long, value_name = "FILE")]
    pub written: Option<PathBuf>,
    /// Refuse outputs of another key pair than that of this server key
    #[arg(long, value_name = "NAME.server")]
    pub key: Option<PathBuf>,
    /// Wait until the job has ended
    #[arg(long)]
    pub wait: bool,
    /// Print nothing but errors
    #[arg(long, short)]
    pub quiet: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore cancel`
#[derive(Debug, Args)]
pub struct Cancel {
    /// The jobs
    #[arg(required = true)]
    pub jobs: Vec<String>,
    /// Remove their files from the server as well
    #[arg(long)]
    pub forget: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore jobs`
#[derive(Debug, Args)]
pub struct Jobs {
    /// Those of all clients, for administrators
    #[arg(long)]
    pub all: bool,
    /// Only those that have not ended
    #[arg(long)]
    pub unfinished: bool,
    /// At most this many, the newest
    #[arg(long, value_name = "N", default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=1000))]
    pub limit: u32,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore top`
#[derive(Debug, Args)]
pub struct Top {
    /// Look again after this many seconds
    #[arg(long, value_name = "SECONDS", default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=3600))]
    pub every: u64,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

fn request_id(text: &str) -> Result<[u8; 16], String> {
    let wrong = || "not 32 hexadecimal digits".to_owned();
    let digits = text.len() == 32 && text.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u128::from_str_radix(text, 16).map_err(|_| wrong())?;
    digits.then_some(number.to_be_bytes()).ok_or_else(wrong)
}
