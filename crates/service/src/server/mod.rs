//! The server half.

pub mod arguments;
mod caller;
pub mod quota;
pub(crate) mod store;

use std::process::ExitCode;

/// Runs the server as the command line says.
pub fn main() -> ExitCode {
    ExitCode::FAILURE
}
