//! Why a study fails.

use std::fmt::Display;
use std::path::{Path, PathBuf};

/// Why a study could not be made or its page not be written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum PapersError {
    /// The arguments do not fit each other.
    #[error("{reason}")]
    Arguments {
        /// What is wrong, and what to write.
        reason: String,
    },
    /// The place of the page holds something else.
    #[error(
        "{}: the file exists and is no page of this command: choose another name, or remove it first",
        path.display()
    )]
    Occupied {
        /// The file.
        path: PathBuf,
    },
    /// The operating system refused.
    #[error("{}: cannot {operation}: {source}", path.display())]
    Io {
        /// The file.
        path: PathBuf,
        /// What was being done.
        operation: &'static str,
        /// What it says.
        source: std::io::Error,
    },
    /// Somebody who is measured computes wrongly.
    #[error("{name} computed a wrong answer: nothing is said about its speed")]
    WrongAnswer {
        /// Who.
        name: String,
    },
    /// Somebody stopped the study.
    #[error("interrupted")]
    Interrupted,
    /// A defect of ours.
    #[error("{reason} (this is a defect: please report it)")]
    Internal {
        /// What happened.
        reason: String,
    },
}

impl PapersError {
    pub(crate) fn io(path: &Path, operation: &'static str, source: std::io::Error) -> Self {
        Self::Io {
            path: path.to_path_buf(),
            operation,
            source,
        }
    }
}

/// An error that only a defect of ours can cause.
pub(crate) fn internal(error: impl Display) -> PapersError {
    PapersError::Internal {
        reason: error.to_string(),
    }
}
