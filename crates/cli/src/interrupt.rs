//! Ctrl-C: the first one asks the run to stop, the second one ends the process.

use std::process;

use circuits::exec::Cancel;

use crate::failure::{Code, Failure};

/// Installs the handler (also for SIGTERM and SIGHUP) and returns the token that it cancels.
pub(crate) fn token() -> Result<Cancel, Failure> {
    let token = Cancel::new();
    let handler = token.clone();
    ctrlc::set_handler(move || {
        if handler.is_cancelled() {
            process::exit(i32::from(Code::Interrupted as u8));
        }
        handler.cancel();
    })
    .map_err(|error| Failure::new(Code::Internal, format!("cannot watch for Ctrl-C: {error}")))?;
    Ok(token)
}
