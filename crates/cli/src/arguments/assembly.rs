//! `blindcore assembly`: texts in HE assembly.

use std::path::PathBuf;

use clap::{Args, Subcommand};

/// Where the language is explained, for help texts.
const LANGUAGE_HELP: &str = "\
docs/assembly.md is the language on a page. Every command that takes a program takes such a text.";

/// `blindcore assembly`
#[derive(Debug, Subcommand)]
pub enum Assembly {
    /// Show every error and warning with its line, or what the program consists of
    Check(AssemblyCheck),
    /// Write programs in the one way there is: columns, capitals, commas
    Format(AssemblyFormat),
}

/// `blindcore assembly check`
#[derive(Debug, Args)]
#[command(after_help = LANGUAGE_HELP)]
pub struct AssemblyCheck {
    /// The texts
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
}

/// `blindcore assembly format`
#[derive(Debug, Args)]
#[command(after_help = LANGUAGE_HELP)]
pub struct AssemblyFormat {
    /// The texts; they are printed unless --write or --check is given
    #[arg(required = true, value_name = "FILE")]
    pub files: Vec<PathBuf>,
    /// Replace the files
    #[arg(long, conflicts_with = "check")]
    pub write: bool,
    /// Change nothing; fail with exit code 6 if a file would change
    #[arg(long)]
    pub check: bool,
}
