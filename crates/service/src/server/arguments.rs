//! The server's command line, for `blindcore serve` and for `blindcore-server`.

use std::net::SocketAddr;
use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::{Args, ValueEnum};

use super::backups::BackupOptions;
use super::crew_options::CrewOptions;
use super::web::WebOptions;

/// What is printed below the options.
pub const HELP: &str = "\
The directory holds everything: blobs, jobs, checkpoints, outputs. It belongs to one server at a time;
a server that was killed goes on where the last checkpoint was.

Clients are known by their certificates; with --web by tokens, too, of which it has hashes only.
A configuration file (--config) has what they may use:
  [quota]                      # every client, unless it is named below
  bytes = 20_000_000_000       # stored: blobs, checkpoints, outputs
  jobs = 1000                  # that have not ended
  instructions = 1_000_000_000 # of one job
  wall_seconds = 604_800       # that one job runs, waiting not counted
  secret_bits = 16_000_000     # that one job takes
  operations = 1_000_000_000   # that one job records
  window = 10_000_000          # operations of one window
  planning_seconds = 3_600     # for which one job is planned
  bootstraps = 1_000_000_000   # of one job
  bootstraps_in_all = 0        # of all its jobs that have not ended
  memory = 0                   # bytes of memory of one job, beside the server's --memory
  [client.alice]               # by the certificate's common name, or by its SHA-256 in hexadecimal
  jobs = 10
  [client.mallory]
  refused = true               # already in the handshake
  [client.root]
  admin = true                 # an administrator, for whom places and bytes are kept: `blindcore admin`
  [connections]                # what may be open and on its way at once
  clients = 448                # connections of clients
  web = 256                    # connections of --web
  reserved = 16                # more of each for administrators
  client = 32                  # of one client
  address = 128                # of one address; those of this machine are not counted
  handshakes = 64              # that have not shown who they are
  handshake_seconds = 10       # that these have
  request_seconds = 20         # from there to the first request
  body_seconds = 60            # for one message, from its first byte to its last
  idle_seconds = 600           # without a request, or with an answer that nobody takes
  calls = 512                  # of one client; twice as many of one address
  body_bytes = 134_217_728     # of messages that are being received
  client_bytes = 33_554_432    # of them, of one client
  address_bytes = 67_108_864   # of them, of one address
  [token.alice]                # a client of --web: `blindcore token alice` makes this section
  sha256 = \"0000000000000000000000000000000000000000000000000000000000000000\"
  operator = true              # may see everybody's jobs; left out, it may not
Quotas and limits are the defaults; 0 is no limit of a quota. A token has the quota of [client.NAME] by its own name.

SIGHUP has the certificates and the configuration read anew, as `blindcore admin reload` does; what is wrong
with them is in the log, and what was in force stays. [connections] takes effect with the next start.";

/// Options of a server.
#[derive(Clone, Debug, Args)]
pub struct Serve {
    /// Keep everything in this directory (made if it is not there)
    #[arg(long, value_name = "DIR")]
    pub dir: PathBuf,
    /// The server's certificate: a directory made by `blindcore tls init`
    #[arg(long, value_name = "DIR", required_unless_present_any = ["check", "repair"])]
    pub tls: Option<PathBuf>,
    /// Listen here for clients
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:7410")]
    pub listen: SocketAddr,
    /// Answer /metrics, /livez, /readyz and /healthz here, without TLS: keep it private
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1:9464")]
    pub metrics: SocketAddr,
    /// Do not listen for /metrics, /livez, /readyz and /healthz
    #[arg(long, conflicts_with = "metrics")]
    pub no_metrics: bool,
    /// Quotas, in TOML (see below); read anew at SIGHUP
    #[arg(long, value_name = "FILE")]
    pub config: Option<PathBuf>,
    /// Run this many jobs at once; each has an equal share of the threads. With workers it is as many as
    /// these
    #[arg(long, value_name = "N", default_value = "1", value_parser = jobs)]
    pub jobs: NonZeroUsize,
    /// Threads for all jobs together (default: all cores); with workers, those of each
    #[arg(long, value_name = "N", value_parser = threads)]
    pub threads: Option<NonZeroUsize>,
    /// Let others have a turn, at a checkpoint, after a job has run for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 60)]
    pub slice: u64,
    /// Hold a job's cores for so long while it waits for an answer
    #[arg(long, value_name = "SECONDS", default_value_t = 5)]
    pub grace: u64,
    /// Hold at most this many expanded server keys in memory, about 60 MB each, or 180 MB with the
    /// selector key of one whose jobs use it
    #[arg(long, value_name = "N", default_value = "8")]
    pub keys: NonZeroUsize,
    /// Remove what ended this many days ago, in days that the server has run: jobs, those whose
    /// outputs nobody has fetched after twice the time, and blobs that nobody used since; 0 never does
    #[arg(long, value_name = "DAYS", default_value_t = 30)]
    pub keep: u64,
    /// Refuse jobs that take more bytes of memory than this, key and circuits included (default: half
    /// of the machine's, shared by --jobs and the four that may rest)
    #[arg(long, value_name = "BYTES")]
    pub memory: Option<u64>,
    /// Refuse uploads and set jobs aside that would leave less than so many bytes of the disk free
    #[arg(long, value_name = "BYTES", default_value_t = 500_000_000)]
    pub spare_disk: u64,
    /// Look the directory through instead of serving: what is damaged, and exit code 1 if anything is
    #[arg(long)]
    pub check: bool,
    /// Mend what --check finds instead of serving: damaged files go, jobs go on from what is whole
    #[arg(long, conflicts_with = "check")]
    pub repair: bool,
    /// When stopped (SIGTERM, SIGINT): let windows come to their end for so long
    #[arg(long, value_name = "SECONDS", default_value_t = 30)]
    pub drain: u64,
    /// Log in this form to standard error; the variable RUST_LOG chooses what (default: info)
    #[arg(long, value_enum, default_value_t)]
    pub log: LogForm,
    #[command(flatten)]
    /// Workers.
    pub crew: CrewOptions,
    #[command(flatten)]
    /// Backups.
    pub backups: BackupOptions,
    /// Send spans of calls and jobs to this collector of OpenTelemetry, by gRPC (http://HOST:4317)
    #[cfg(feature = "traces")]
    #[arg(long, value_name = "URL")]
    pub traces: Option<String>,
    #[command(flatten)]
    /// HTTP.
    pub web: WebOptions,
}

/// How log lines look.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum LogForm {
    /// For people
    #[default]
    Text,
    /// For programs
    Json,
}

/// Most jobs at once: each holds threads and memory of its own.
const JOBS_MOST: usize = 256;
/// Most threads.
const THREADS_MOST: usize = 1024;

fn jobs(text: &str) -> Result<NonZeroUsize, String> {
    count(text, JOBS_MOST)
}

fn threads(text: &str) -> Result<NonZeroUsize, String> {
    count(text, THREADS_MOST)
}

fn count(text: &str, most: usize) -> Result<NonZeroUsize, String> {
    text.parse()
        .ok()
        .filter(|count: &NonZeroUsize| count.get() <= most)
        .ok_or_else(|| format!("not a number from 1 to {most}"))
}

#[cfg(test)]
mod tests {
    use super::super::connections::Limits;
    use super::super::quota::{Quota, Quotas};
    use super::*;

    /// The help prints the defaults as a configuration: it must be one, and theirs.
    #[test]
    fn the_help_shows_the_default_quota() {
        let text: String = HELP
            .lines()
            .filter_map(|line| line.strip_prefix("  "))
            .map(|line| format!("{line}\n"))
            .collect();
        let quotas: Quotas = text.parse().unwrap();
        assert_eq!(quotas.of("bob", "00"), Some(Quota::default()));
        assert_eq!(quotas.of("alice", "00").unwrap().jobs, 10);
        assert_eq!(quotas.of("mallory", "00"), None);
        assert_eq!(*quotas.connections(), Limits::default());
        assert!(quotas.is_admin("root", "00") && !quotas.is_admin("bob", "00"));
    }
}
