//! Where passphrases come from: the one that a secret key is behind, and the one that it shall be
//! behind.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use clap::{Args, Subcommand};

/// The variable that stands for `--passphrase-file`.
const PASSPHRASE_VARIABLE: &str = "BLINDCORE_PASSPHRASE_FILE";

/// What opens a secret key.
#[derive(Clone, Debug, Default, Args)]
pub struct Unlocking {
    /// File with the passphrase that the secret key is behind, if it is (default: ask on the
    /// terminal)
    #[arg(long, value_name = "FILE", env = PASSPHRASE_VARIABLE, value_parser = possibly_empty())]
    passphrase_file: Option<PathBuf>,
}

impl Unlocking {
    /// The file that was named.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        named(&self.passphrase_file)
    }
}

/// What a new secret key is to be behind.
#[derive(Clone, Debug, Default, Args)]
pub struct Protecting {
    /// Put the secret key behind a passphrase; it is asked for on the terminal
    #[arg(long)]
    pub passphrase: bool,
    /// Put the secret key behind the passphrase in this file
    #[arg(long, value_name = "FILE", env = PASSPHRASE_VARIABLE, value_parser = possibly_empty())]
    passphrase_file: Option<PathBuf>,
}

impl Protecting {
    /// The file that was named.
    #[must_use]
    pub fn file(&self) -> Option<&Path> {
        named(&self.passphrase_file)
    }
}

/// A path that may be empty, for `VARIABLE= blindcore …` takes a variable away.
fn possibly_empty() -> impl TypedValueParser<Value = PathBuf> {
    OsStringValueParser::new().map(PathBuf::from)
}

fn named(file: &Option<PathBuf>) -> Option<&Path> {
    file.as_deref().filter(|path| !path.as_os_str().is_empty())
}

/// What to do with a key that is there.
#[derive(Debug, Subcommand)]
pub enum Key {
    /// Put a secret key behind a passphrase, change it, or take it away
    Passphrase(KeyPassphrase),
    /// Make the selector key of a key pair that lacks it, as `keygen` does
    Selectors(KeySelectors),
}

/// `blindcore key passphrase`
#[derive(Debug, Args)]
pub struct KeyPassphrase {
    /// The secret key, of whichever scheme
    #[arg(value_name = "NAME.secret")]
    pub key: PathBuf,
    /// What it is behind now.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// File with the new passphrase (default: ask on the terminal)
    #[arg(long, value_name = "FILE")]
    pub new_passphrase_file: Option<PathBuf>,
    /// Take the passphrase away: the key then lies open
    #[arg(long, conflicts_with = "new_passphrase_file")]
    pub remove: bool,
}

/// `blindcore key selectors`
#[derive(Debug, Args)]
pub struct KeySelectors {
    /// The secret key, of TFHE
    #[arg(value_name = "NAME.secret")]
    pub key: PathBuf,
    /// What it is behind.
    #[command(flatten)]
    pub unlocking: Unlocking,
    /// Write the selector key (61 MB) to this file (default: NAME.selectors)
    #[arg(long, value_name = "FILE")]
    pub out: Option<PathBuf>,
    /// Replace an existing one
    #[arg(long)]
    pub force: bool,
    /// Worker threads, at most 1024 (default: all cores)
    #[arg(long, value_name = "N", value_parser = super::thread_count)]
    pub threads: Option<NonZeroUsize>,
    /// Describe the key as JSON
    #[arg(long)]
    pub json: bool,
}
