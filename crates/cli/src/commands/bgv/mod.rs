//! What commands do differently for BGV: a file holds a table, a row of values for each slot and as many batches of
//! such rows as it takes, and one run serves all rows of a batch. There is no refresh, so a program's depth decides the parameters. Which scheme is meant is read from
//! the files.

mod decrypt;
mod encrypt;
mod keygen;
mod plan;
mod planned;
mod run;

pub(super) use decrypt::decrypt;
pub(super) use encrypt::encrypt;
pub(super) use keygen::keygen;
pub(super) use plan::plan;
pub(super) use run::run;

use std::path::Path;

use bgv::Error;

use super::internal;
use crate::failure::{Code, Failure};

/// So many rows, in words.
fn rows_in_words(rows: u32) -> String {
    match rows {
        1 => "1 row".to_owned(),
        _ => format!("{rows} rows"),
    }
}

/// An error of the scheme.
fn failure(error: Error) -> Failure {
    match error {
        Error::Interrupted => Failure::new(Code::Interrupted, "interrupted"),
        Error::TooDeep { .. } => Failure::new(Code::Limit, error.to_string()),
        Error::InvalidParameters { .. } | Error::Insecure { .. } => {
            Failure::new(Code::Usage, error.to_string())
        }
        other => internal(other),
    }
}

/// Refuses a key of this scheme where single values are meant.
pub(super) fn no_single_values(key: &Path) -> Failure {
    let message = format!(
        "{}: a key of BGV encrypts tables of values: use `encrypt`, `run` and `decrypt` with a program",
        key.display()
    );
    Failure::new(Code::Key, message)
}
