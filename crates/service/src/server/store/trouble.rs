//! Whether the disk fails: what it said last, until it works again.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use super::StoreError;

/// See the module.
#[derive(Default)]
pub(super) struct Trouble(Mutex<Option<Met>>);

/// What it said, and whether that is damage of the database, which no trying again mends.
struct Met {
    said: String,
    lasts: bool,
}

impl Trouble {
    /// Passes a result on, and remembers an error of the disk.
    pub(super) fn observe<T>(&self, ended: Result<T, StoreError>) -> Result<T, StoreError> {
        match &ended {
            Err(error) if error.is_transient() => self.note(error),
            Err(error @ StoreError::Database { .. }) => self.put(error, true),
            _ => {}
        }
        ended
    }

    /// Remembers an error of the disk.
    pub(super) fn note(&self, error: &dyn Display) {
        self.put(error, false);
    }

    fn put(&self, error: &dyn Display, lasts: bool) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if !last.as_ref().is_some_and(|met| met.lasts) {
            let said = error.to_string();
            *last = Some(Met { said, lasts });
        }
    }

    /// The disk works again. Damage stays until the next start.
    pub(super) fn over(&self) {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        *last = last.take().filter(|met| met.lasts);
    }

    /// What it said last.
    pub(super) fn last(&self) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.as_ref().map(|met| met.said.clone())
    }
}
