//! `blindcore serve`: the server, as the program `blindcore-server` is it alone.

use service::server::{Serve, ServerError, StoreError, run};

use crate::failure::{Code, Failure};

/// Serves until a signal comes; the server has handlers of its own for it.
pub(crate) fn serve(arguments: &Serve) -> Result<(), Failure> {
    run(arguments).map_err(|error| {
        let code = match &error {
            ServerError::Tls(_) | ServerError::Certificate { .. } => Code::Certificate,
            ServerError::Config { .. } | ServerError::Web { .. } | ServerError::NoCertificate => {
                Code::Usage
            }
            ServerError::Damaged { .. }
            | ServerError::Store(StoreError::Record { .. } | StoreError::Database { .. }) => {
                Code::File
            }
            _ => Code::Io,
        };
        Failure::new(code, error.to_string())
    })
}
