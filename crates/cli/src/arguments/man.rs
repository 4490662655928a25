//! `blindcore man`.

use std::path::PathBuf;

use clap::Args;

/// `blindcore man`
#[derive(Debug, Args)]
pub struct Man {
    /// Write the pages to this folder, which is made if it is missing; pages of these names are
    /// replaced
    #[arg(long, value_name = "FOLDER")]
    pub out: PathBuf,
}
