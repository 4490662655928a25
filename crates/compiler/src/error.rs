//! Why there is no program.

use std::io;
use std::path::PathBuf;

/// A compilation that failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum CompileError {
    /// Nowhere a compiler.
    #[error(
        "no C compiler for ARM was found; this installs one: pip install ziglang (or: apt install gcc-arm-none-eabi)"
    )]
    NoCompiler,
    /// The compiler that was asked for does not answer, or is of no family that is known.
    #[error("{command}: no C compiler that can be used: {reason}")]
    Unusable {
        /// As it was asked for.
        command: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The compiler refused the sources.
    #[error("{sources}: does not compile")]
    Refused {
        /// Their names.
        sources: String,
        /// What the compiler said, as it said it.
        messages: String,
    },
    /// The operating system refused.
    #[error("{}: {error}", path.display())]
    Io {
        /// The file or folder.
        path: PathBuf,
        /// What it said.
        error: io::Error,
    },
}

impl CompileError {
    pub(crate) fn io(path: impl Into<PathBuf>, error: io::Error) -> CompileError {
        let path = path.into();
        CompileError::Io { path, error }
    }
}
