//! Expanded server keys: made once, shared by all jobs, the least recently used dropped first.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tfhe::{SeededServerKey, ServerKey};

use session::evaluator::EvaluationError;
use session::schemes;

/// A key that may still be in the making.
type Slot = Arc<Mutex<Option<Arc<ServerKey>>>>;

/// At most this many, about 60 MB each. Jobs that run hold on to theirs, so that as many more may
/// be in memory as there are jobs at once.
pub(crate) struct Keys {
    most: NonZeroUsize,
    /// `(client, hash)` and key, the latest used last.
    slots: Mutex<Vec<((String, String), Slot)>>,
}

impl Keys {
    pub(crate) fn new(most: NonZeroUsize) -> Self {
        Self {
            most,
            slots: Mutex::default(),
        }
    }

    /// The key of a blob; who asks first expands it, the others wait for it. Also whether it was
    /// expanded for this call.
    pub(crate) fn of(
        &self,
        client: &str,
        hash: &str,
        path: &Path,
        threads: NonZeroUsize,
    ) -> Result<(Arc<ServerKey>, bool), EvaluationError> {
        let slot = self.slot((client.to_owned(), hash.to_owned()));
        let mut key = slot.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(key) = &*key {
            return Ok((Arc::clone(key), false));
        }
        let seeded: SeededServerKey = files::read(path)?;
        let expanded = schemes::tfhe::expand(&seeded, None, threads)?;
        *key = Some(Arc::clone(&expanded));
        Ok((expanded, true))
    }

    /// How many are held.
    pub(crate) fn held(&self) -> usize {
        let slots = self.slots.lock();
        slots.unwrap_or_else(PoisonError::into_inner).len()
    }

    fn slot(&self, name: (String, String)) -> Slot {
        let mut slots = self.slots.lock().unwrap_or_else(PoisonError::into_inner);
        let found = slots.iter().position(|(other, _)| *other == name);
        let entry = match found {
            Some(index) => slots.remove(index),
            None => (name, Slot::default()),
        };
        let slot = Arc::clone(&entry.1);
        slots.push(entry);
        let surplus = slots.len().saturating_sub(self.most.get());
        slots.drain(..surplus);
        slot
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_recently_used_goes_first() {
        let keys = Keys::new(NonZeroUsize::new(2).unwrap());
        let slot = |name: &str| keys.slot(("c".to_owned(), name.to_owned()));
        let (a, b) = (slot("a"), slot("b"));
        assert!(Arc::ptr_eq(&a, &slot("a")));
        let c = slot("c");
        assert_eq!(keys.held(), 2);
        assert!(Arc::ptr_eq(&a, &slot("a")) && Arc::ptr_eq(&c, &slot("c")));
        assert!(!Arc::ptr_eq(&b, &slot("b")));
    }
}
