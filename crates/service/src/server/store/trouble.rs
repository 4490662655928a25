//! Whether the disk fails: what it said last, until it works again.

use std::fmt::Display;
use std::sync::{Mutex, PoisonError};

use super::StoreError;

/// See the module.
#[derive(Default)]
pub(super) struct Trouble(Mutex<Option<String>>);

impl Trouble {
    /// Passes a result on, and remembers an error of the disk.
    pub(super) fn observe<T>(&self, ended: Result<T, StoreError>) -> Result<T, StoreError> {
        if let Err(error) = &ended
            && error.is_transient()
        {
            self.note(error);
        }
        ended
    }

    /// Remembers an error of the disk.
    pub(super) fn note(&self, error: &dyn Display) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = Some(error.to_string());
    }

    /// The disk works again.
    pub(super) fn over(&self) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = None;
    }

    /// What it said last.
    pub(super) fn last(&self) -> Option<String> {
        let last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        last.clone()
    }
}
