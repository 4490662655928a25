//! The state of a run between two windows, as data.

/// What a machine needs to go on, without ciphertexts. Opaque.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct State {
    bytes: Vec<u8>,
}

/// Why bytes are no state.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum StateError {
    /// A version of the format that this build does not read.
    #[error("a state of format version {found}, which this build does not read")]
    Version {
        /// What the bytes say; 0 if there are none.
        found: u8,
    },
}

impl State {
    /// The state as bytes, in a format with a version.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        self.bytes.clone()
    }

    /// Reads [`to_bytes`](Self::to_bytes).
    ///
    /// # Errors
    /// [`StateError`], whatever the bytes are.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, StateError> {
        let found = bytes.first().copied().unwrap_or(0);
        Err(StateError::Version { found })
    }
}
