//! `blindcore admin`: what administrators ask of a server.

use std::path::PathBuf;

use clap::{Args, Subcommand};

use super::Remote;

/// Who may, for help texts.
const WHO_HELP: &str = "\
These commands are for clients whose certificate the server's configuration names with admin = true;
`blindcore tls init --admin NAME` and `tls client --admin` make one and print that section.";

/// What names a certificate, for help texts.
const CERTIFICATE_HELP: &str = "\
CERT is the SHA-256 of the certificate in hexadecimal, or its file (what ends in .pem or .crt, or has
a / in it), or else its common name, if the server has met one certificate with that name.

The certificate is refused from then on and for good: the server keeps the list in its directory. Its
connections are closed, its handshakes end in access_denied, its jobs are cancelled.";

/// `blindcore admin`
#[derive(Debug, Subcommand)]
#[command(after_help = WHO_HELP)]
pub enum Admin {
    /// List the jobs of all clients
    Jobs(AdminJobs),
    /// End jobs of any client, which sees that an administrator did
    Cancel(AdminCancel),
    /// Show what clients use of their quotas, and their limits
    Quota(AdminQuota),
    /// Have a server take no more jobs: those that run stop at their next checkpoint, or end
    Drain(AdminDrain),
    /// Refuse a certificate from now on and for good
    Revoke(AdminRevoke),
    /// Have a server read its configuration and certificates anew
    Reload(AdminReload),
}

/// `blindcore admin jobs`
#[derive(Debug, Args)]
pub struct AdminJobs {
    /// Of all clients, as it is without this
    #[arg(long, hide = true)]
    pub all: bool,
    /// Only those of this client: its name, or the SHA-256 of its certificate
    #[arg(long, value_name = "CLIENT")]
    pub client: Option<String>,
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

/// `blindcore admin cancel`
#[derive(Debug, Args)]
pub struct AdminCancel {
    /// The jobs: `blindcore jobs --all` lists them
    #[arg(value_name = "JOB", required = true)]
    pub jobs: Vec<String>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore admin quota`
#[derive(Debug, Args)]
pub struct AdminQuota {
    /// Only this client: its name, or the SHA-256 of its certificate
    pub client: Option<String>,
    /// Print a JSON array
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore admin drain`
#[derive(Debug, Args)]
pub struct AdminDrain {
    /// Take jobs again, and run them
    #[arg(long, conflicts_with_all = ["stop", "wait"])]
    pub undo: bool,
    /// End the server as SIGTERM does: after --drain seconds at most; a second time cuts them short
    #[arg(long, conflicts_with = "wait")]
    pub stop: bool,
    /// Wait until no job runs
    #[arg(long)]
    pub wait: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore admin revoke`
#[derive(Debug, Args)]
#[command(after_help = CERTIFICATE_HELP)]
pub struct AdminRevoke {
    /// The certificate
    #[arg(value_name = "CERT", required_unless_present = "list")]
    pub certificate: Option<PathBuf>,
    /// List the certificates that are revoked
    #[arg(long, conflicts_with_all = ["certificate", "undo", "keep_jobs"])]
    pub list: bool,
    /// Take the revocation back
    #[arg(long, conflicts_with = "keep_jobs")]
    pub undo: bool,
    /// Let its jobs go on; their outputs can be fetched only after an --undo
    #[arg(long)]
    pub keep_jobs: bool,
    /// Print JSON
    #[arg(long)]
    pub json: bool,
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}

/// `blindcore admin reload`
#[derive(Debug, Args)]
pub struct AdminReload {
    /// Server.
    #[command(flatten)]
    pub remote: Remote,
}
