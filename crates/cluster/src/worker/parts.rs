//! The bulk of a message that holds several things, one after the other.

use crate::ClusterError;

/// What is left of it.
pub(super) struct Parts(Vec<u8>);

/// A message that says what cannot be.
pub(super) fn wrong(reason: &str) -> ClusterError {
    ClusterError::Message {
        reason: reason.to_owned(),
    }
}

impl Parts {
    pub(super) fn of(bulk: Vec<u8>) -> Self {
        Self(bulk)
    }

    /// The next part.
    pub(super) fn take(&mut self, length: u64) -> Result<Vec<u8>, ClusterError> {
        let length = usize::try_from(length)
            .ok()
            .filter(|length| *length <= self.0.len())
            .ok_or_else(|| wrong("parts that are longer than the message"))?;
        let rest = self.0.split_off(length);
        Ok(std::mem::replace(&mut self.0, rest))
    }

    /// Files with their names.
    pub(super) fn take_files(
        &mut self,
        files: Vec<(String, u64)>,
    ) -> Result<Vec<(String, Vec<u8>)>, ClusterError> {
        let files = files
            .into_iter()
            .map(|(name, length)| Ok((name, self.take(length)?)));
        files.collect()
    }

    /// That was all.
    pub(super) fn end(self) -> Result<(), ClusterError> {
        match self.0.is_empty() {
            true => Ok(()),
            false => Err(wrong("a message that is longer than its parts")),
        }
    }
}
