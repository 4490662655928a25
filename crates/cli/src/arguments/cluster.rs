//! Workers on several machines, and runs on them.

use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::time::Duration;

use clap::{ArgGroup, Args};

use super::machines::rate;
use super::{processor, seconds, thread_count};

/// `blindcore worker`
#[derive(Debug, Args)]
#[command(
    after_help = "A worker has keys only that evaluate, and sees no value. It works for one run at a time: `blindcore\nrun --workers`. What runs compute passes through it, so that who may connect is said by certificates."
)]
pub struct Worker {
    /// Where to listen
    #[arg(long, value_name = "HOST:PORT", default_value = "127.0.0.1:7420")]
    pub listen: String,
    /// Its certificate: a directory made by `blindcore tls server --worker`
    #[arg(long, value_name = "DIR", required_unless_present = "plain")]
    pub tls: Option<PathBuf>,
    /// Without TLS, for a network that nobody else is in
    #[arg(long, conflicts_with = "tls")]
    pub plain: bool,
    /// Threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Expanded keys that are kept from run to run, 60 MB each
    #[arg(long, value_name = "N", default_value = "4")]
    pub keys: NonZeroUsize,
    /// FFT processor, see `blindcore fft` (default: the fastest of Blindcore's own)
    #[arg(long, hide_short_help = true, value_name = "NAME", value_parser = processor)]
    pub fft: Option<tfhe::Fft>,
    /// End after one run
    #[arg(long)]
    pub once: bool,
}

/// Machines that share a run.
#[derive(Debug, Default, Args)]
#[command(next_help_heading = "Several machines", group = ArgGroup::new("several").args(["workers", "cluster"]))]
pub struct Workers {
    /// Share the run, or the rows of a table, out among workers at these addresses (`blindcore worker`); `mpi`
    /// for the other ranks that `mpirun` has started; --threads is then how many each has
    #[arg(long, value_name = "HOST:PORT", value_delimiter = ',')]
    pub workers: Vec<String>,
    /// Share it out among the machines of a Ray cluster, which starts the workers: `auto`, or
    /// `ray://HOST:PORT`
    #[arg(long, value_name = "WHERE")]
    pub cluster: Option<String>,
    /// How many machines of the cluster (default: all)
    #[arg(long, value_name = "N", requires = "cluster")]
    pub machines: Option<NonZeroUsize>,
    /// The certificate to show them: a directory made by `blindcore tls`; of a Ray cluster it is on every
    /// machine
    #[arg(long, value_name = "DIR", requires = "several")]
    pub tls: Option<PathBuf>,
    /// Without TLS, for a network that nobody else is in
    #[arg(long, requires = "several", conflicts_with = "tls")]
    pub plain: bool,
    /// What each one's link carries each way, in bits a second: 10G, 25G, 1000M
    #[arg(long, value_name = "RATE", default_value = "10G", value_parser = rate, requires = "several")]
    pub network: f64,
    /// Let workers send each other the upper halves of ciphertexts only: half the bytes, for 2^-29 of
    /// the torus more noise. The results decrypt alike, and are other ciphertexts than one machine's
    #[arg(long, requires = "several")]
    pub halved: bool,
    /// Go on without a worker that has said nothing for so long
    #[arg(long, value_name = "SECONDS", default_value = "10", value_parser = seconds, requires = "several", hide_short_help = true)]
    pub silent: Duration,
}

impl Workers {
    /// Whether there are any.
    pub fn is_any(&self) -> bool {
        !self.workers.is_empty() || self.cluster.is_some()
    }

    /// Whether they are the other ranks of an MPI program.
    pub fn is_mpi(&self) -> bool {
        self.workers == ["mpi"]
    }
}
