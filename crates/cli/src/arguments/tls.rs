//! `blindcore tls`: certificates of a small private authority.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// What is in the directory, for help texts.
const FILES_HELP: &str = "\
The directory holds one directory for each side, complete in itself:
  DIR/ca.pem  DIR/ca.key          the authority; anyone who has ca.key can make certificates
  DIR/server/                     for `blindcore serve --tls DIR/server`
  DIR/NAME/                       for `blindcore submit --tls DIR/NAME`: copy it to that machine
                                  (of --admin for `blindcore admin --tls DIR/NAME`, too)
Each has ca.pem, cert.pem and key.pem. Files of keys are readable for their owner only.";

/// `blindcore tls`
#[derive(Debug, Subcommand)]
pub enum Tls {
    /// Make an authority, a server's certificate, and clients' certificates
    Init(TlsInit),
    /// Make the certificate of one more client, in a directory that `tls init` made
    Client(TlsClient),
    /// Make another certificate of the server, in a directory that `tls init` made
    Server(TlsServer),
}

/// `blindcore tls init`
#[derive(Debug, Args)]
#[command(after_help = FILES_HELP)]
pub struct TlsInit {
    /// A directory that does not exist yet
    pub dir: PathBuf,
    /// A name or an address of the server, repeatable; localhost, 127.0.0.1 and ::1 are always
    /// among them
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// A client, repeatable (default: one that is called `client`)
    #[arg(long, value_name = "NAME")]
    pub client: Vec<String>,
    /// A client that may administer the server, repeatable; what the server's configuration needs for
    /// that is printed
    #[arg(long, value_name = "NAME")]
    pub admin: Vec<String>,
    /// How long the certificates of server and clients are valid; the authority's is for ten years
    #[arg(long, value_name = "DAYS", default_value_t = 730, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
}

/// `blindcore tls client`
#[derive(Debug, Args)]
pub struct TlsClient {
    /// The directory that `tls init` made
    pub dir: PathBuf,
    /// The client's name
    pub name: String,
    /// It may administer the server: print what the server's configuration needs for that
    #[arg(long)]
    pub admin: bool,
    /// How long the certificate is valid
    #[arg(long, value_name = "DAYS", default_value_t = 730, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
}

/// `blindcore tls server`
#[derive(Debug, Args)]
#[command(
    after_help = "Put cert.pem and key.pem in the place of those that the server has, then `blindcore admin reload`, or\nSIGHUP: who connects from then on is shown the new certificate."
)]
pub struct TlsServer {
    /// The directory that `tls init` made
    pub dir: PathBuf,
    /// The name of the new directory in it
    pub name: String,
    /// A name or an address of the server, repeatable; localhost, 127.0.0.1 and ::1 are always
    /// among them
    #[arg(long, value_name = "NAME")]
    pub host: Vec<String>,
    /// For `blindcore worker`: it also lets workers call each other
    #[arg(long)]
    pub worker: bool,
    /// How long the certificate is valid
    #[arg(long, value_name = "DAYS", default_value_t = 730, value_parser = clap::value_parser!(u32).range(1..=3650))]
    pub days: u32,
}
