//! The server half.

use std::process::ExitCode;

/// Runs the server as the command line says.
pub fn main() -> ExitCode {
    ExitCode::FAILURE
}
