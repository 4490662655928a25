//! The server half: it keeps what clients upload, runs their jobs fairly, and goes on after a
//! crash.
//!
//! | module | what |
//! |---|---|
//! | `api` | the protocol's methods over gRPC |
//! | `calls` | ids of calls, in answers and in the log |
//! | `desk` | what all faces do with a call: shares, checks |
//! | `board` | every job and blob, and all changes of their state |
//! | `store` | the directory: a database of records, files beside it |
//! | `work` | threads that run jobs |
//! | `backups` | copies of the directory, while the server runs |
//! | `connections` | connections, by TLS, within limits |
//! | `health`, `health_check` | `/metrics`, `/healthz`; who asks for them |
//! | `signals`, `passed` | when to stop, when to read files anew; listeners that systemd opened |
//! | `policy`, `office` | the configuration in force; what administrators change |
//! | `logging`, `traces` | what operators can read of calls and jobs |
//! | `web` | the methods over HTTP with JSON, and a page |
//!
//! Threads: a few serve connections and never wait for a disk; as many as `--jobs` run jobs, each
//! with its share of `--threads` for the circuits; the rest waits for disks.
//!
//! The server holds no secret and can name none. What it learns is in `docs/threat-model.md`.

mod api;
pub mod arguments;
mod backups;
mod board;
mod caller;
mod calls;
mod connections;
mod crew_options;
mod desk;
mod health;
mod health_check;
mod logging;
mod metrics;
mod office;
mod passed;
mod policy;
pub mod quota;
mod running;
mod signals;
mod store;
mod tokens;
#[cfg(feature = "traces")]
mod traces;
mod web;
mod work;

use std::io::Write;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, Command, CommandFactory, FromArgMatches, Parser};
use tracing_subscriber::layer::Identity;

pub use arguments::Serve;
pub use backups::BackupOptions;
pub use crew_options::CrewOptions;
pub use running::{Addresses, serve};
pub use store::StoreError;
pub use web::WebOptions;

use crate::tls::TlsError;

/// Why a server does not start.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ServerError {
    /// The directory.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The certificate.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// No certificate is named.
    #[error("a server needs a certificate: --tls DIR, which `blindcore tls init DIR` makes")]
    NoCertificate,
    /// The certificate is not usable.
    #[error("the certificate in {path} cannot be used: {reason}: make one with `blindcore tls init`", path = path.display())]
    Certificate {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Traces cannot be sent where they are wanted.
    #[cfg(feature = "traces")]
    #[error("--traces: {reason}: name a collector as http://HOST:4317")]
    Traces {
        /// What is wrong.
        reason: String,
    },
    /// `--web` as it is asked for would be readable on its way.
    #[error("{reason}")]
    Web {
        /// What to choose from.
        reason: String,
    },
    /// A directory of what `--web` serves.
    #[error("{path}: {reason}", path = path.display())]
    Directory {
        /// The directory.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// Workers that cannot be used.
    #[error("workers: {reason}")]
    Workers {
        /// What is wrong.
        reason: String,
    },
    /// The configuration file.
    #[error("{path}: {reason}", path = path.display())]
    Config {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
    /// The address is taken, or not ours.
    #[error("cannot listen on {address}: {source}")]
    Listen {
        /// The address.
        address: SocketAddr,
        /// What the system says.
        source: std::io::Error,
    },
    /// Listeners that were passed on are not what they should be.
    #[error(
        "the sockets that were passed on: {reason}. Each has FileDescriptorName=grpc, web or metrics in its unit, and no name comes twice"
    )]
    Passed {
        /// What is wrong.
        reason: String,
    },
    /// A server that was asked is not well, or does not answer.
    #[error("the server at {address} is not well: {reason}")]
    Unwell {
        /// Where it answers.
        address: SocketAddr,
        /// What it said.
        reason: String,
    },
    /// The system gives no threads, or no signals.
    #[error("cannot start: {source}")]
    System {
        /// What it says.
        source: std::io::Error,
    },
    /// What `--check` looked at is not as it should be.
    #[error("{wrong} things are damaged: `--repair` mends what can be mended")]
    Damaged {
        /// How many.
        wrong: usize,
    },
    /// Serving ended.
    #[error("serving ended: {reason}")]
    Serving {
        /// Why.
        reason: String,
    },
}

/// Run programs on encrypted data, for clients who keep their keys.
#[derive(Debug, Parser)]
#[command(
    name = "blindcore-server",
    version,
    after_help = arguments::HELP,
    args_conflicts_with_subcommands = true,
    subcommand_negates_reqs = true
)]
struct CommandLine {
    #[command(flatten)]
    serve: Serve,
}

/// The word that asks a server how it is, instead of serving.
const HEALTH: &str = "health";

/// Says what is wrong with a command line.
fn wrong(error: clap::Error, command: &mut Command) -> ! {
    error.format(command).exit()
}

/// Does what the command line says.
fn follow() -> Result<(), ServerError> {
    let health = health_check::HealthCheck::augment_args(Command::new(HEALTH));
    let mut command = CommandLine::command().subcommand(health);
    let matches = command.get_matches_mut();
    if let Some(matches) = matches.subcommand_matches(HEALTH) {
        let check = health_check::HealthCheck::from_arg_matches(matches);
        let said = check
            .unwrap_or_else(|error| wrong(error, &mut command))
            .ask()?;
        let _ = writeln!(std::io::stdout(), "{said}");
        return Ok(());
    }
    let line = CommandLine::from_arg_matches(&matches);
    run(&line
        .unwrap_or_else(|error| wrong(error, &mut command))
        .serve)
}

/// Looks the directory through, or mends it; a line for everything that is found.
fn look(arguments: &Serve) -> Result<(), ServerError> {
    let found = match arguments.repair {
        true => store::repair::repair(&arguments.dir)?,
        false => store::repair::check(&arguments.dir)?,
    };
    let (wrong, sound) = (found.lines.len(), found.sound);
    let mut text: String = found.lines.iter().map(|line| format!("{line}\n")).collect();
    text.push_str(&format!("{sound} blobs and jobs are sound\n"));
    let mut out = std::io::stdout();
    let _ = out.write_all(text.as_bytes()).and_then(|()| out.flush());
    match wrong {
        0 => Ok(()),
        _ if arguments.repair => Ok(()),
        wrong => Err(ServerError::Damaged { wrong }),
    }
}

/// Logs from now on, and traces if that is wanted; until what it returns is dropped.
#[cfg(feature = "traces")]
fn begin_logs(
    arguments: &Serve,
    runtime: &tokio::runtime::Runtime,
) -> Result<Option<traces::Traces>, ServerError> {
    let _within = runtime.enter();
    let begun = arguments.traces.as_deref().map(traces::Traces::begin);
    let begun = begun.transpose().map_err(|error| ServerError::Traces {
        reason: error.to_string(),
    })?;
    logging::start(arguments.log, begun.as_ref().map(traces::Traces::layer));
    Ok(begun)
}

/// Logs from now on.
#[cfg(not(feature = "traces"))]
#[allow(clippy::unnecessary_wraps, reason = "with traces it may fail")]
fn begin_logs(
    arguments: &Serve,
    _: &tokio::runtime::Runtime,
) -> Result<Option<Identity>, ServerError> {
    logging::start(arguments.log, None::<Identity>);
    Ok(None)
}

/// The program `blindcore-server`.
#[must_use]
pub fn main() -> ExitCode {
    match follow() {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let _ = writeln!(std::io::stderr(), "blindcore-server: {error}");
            ExitCode::FAILURE
        }
    }
}

/// Serves until SIGTERM or SIGINT, then drains; a second signal ends that sooner. Prints the
/// addresses to standard output once they are open, and logs to standard error.
///
/// # Errors
/// [`ServerError`], if it does not start.
pub fn run(arguments: &Serve) -> Result<(), ServerError> {
    let system = |source| ServerError::System { source };
    if arguments.check || arguments.repair {
        signals::ignore().map_err(system)?;
        logging::start(arguments.log, None::<Identity>);
        return look(arguments);
    }
    // Computing takes the cores; connections need little.
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .max_blocking_threads(64)
        .thread_name("serve")
        .enable_all()
        .build()
        .map_err(system)?;
    // Until everything has ended, and not longer than the runtime.
    let traces = begin_logs(arguments, &runtime)?;
    let served = runtime.block_on(async {
        let _traces = traces;
        let mut stop = signals::signals().map_err(system)?;
        let ready = |addresses: Addresses| {
            let mut line = format!("listening on {}\n", addresses.clients);
            if let Some(web) = addresses.web {
                let scheme = if addresses.web_tls { "https" } else { "http" };
                line.push_str(&format!("web on {scheme}://{web}/\n"));
            }
            if let Some(metrics) = addresses.metrics {
                line.push_str(&format!("metrics on http://{metrics}/metrics\n"));
            }
            // Nobody has to read it: an error of writing is ignored.
            let mut out = std::io::stdout();
            let _ = out.write_all(line.as_bytes()).and_then(|()| out.flush());
            passed::tell(passed::Tell::Ready);
        };
        serve(arguments, &mut stop, ready).await
    });
    // Streams that clients hold open do not hold the end up.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    served
}
