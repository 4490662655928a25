//! Expanded server keys: made once, shared by all jobs, the least recently used dropped first.
//!
//! A key's second part, which makes selectors, is expanded when the first job comes whose plan uses it,
//! and stays and goes with the first.

use std::num::NonZeroUsize;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use tfhe::leveled::{LeveledKey, SeededLeveledKey};
use tfhe::{SeededServerKey, ServerKey};

use session::evaluator::EvaluationError;
use session::schemes;

/// A key as far as jobs asked for it.
#[derive(Default)]
struct Parts {
    lookups: Option<Arc<ServerKey>>,
    /// The second part, by the hash of its blob: another one may be made for the same key pair.
    selectors: Option<(String, Arc<LeveledKey>)>,
}

/// A key that may still be in the making.
type Slot = Arc<Mutex<Parts>>;

/// At most this many, about 60 MB each, and 120 MB more for a second part. Jobs that run hold on to
/// theirs, so that as many more may be in memory as there are jobs at once.
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
    ) -> Result<(HeldKey, bool), EvaluationError> {
        let slot = self.slot((client.to_owned(), hash.to_owned()));
        let mut parts = slot.lock().unwrap_or_else(PoisonError::into_inner);
        let (lookups, expanded) = match &parts.lookups {
            Some(lookups) => (Arc::clone(lookups), false),
            None => {
                let seeded: SeededServerKey = files::read(path)?;
                (schemes::tfhe::expand(&seeded, None, threads)?, true)
            }
        };
        parts.lookups = Some(Arc::clone(&lookups));
        drop(parts);
        Ok((HeldKey { slot, lookups }, expanded))
    }

    /// How many are held.
    pub(crate) fn held(&self) -> usize {
        let slots = self.slots.lock();
        slots.unwrap_or_else(PoisonError::into_inner).len()
    }

    /// Whether another one would turn one out.
    pub(super) fn is_full(&self) -> bool {
        self.held() >= self.most.get()
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

/// A key while a job has it, whether or not it is among the latest used still.
pub(crate) struct HeldKey {
    slot: Slot,
    /// The first part.
    pub(crate) lookups: Arc<ServerKey>,
}

impl HeldKey {
    /// The second part, of a blob that belongs to the first; otherwise as [`Keys::of`].
    pub(crate) fn selectors(
        &self,
        hash: &str,
        path: &Path,
        threads: NonZeroUsize,
    ) -> Result<(Arc<LeveledKey>, bool), EvaluationError> {
        let mut parts = self.slot.lock().unwrap_or_else(PoisonError::into_inner);
        match &parts.selectors {
            Some((kept, selectors)) if kept == hash => return Ok((Arc::clone(selectors), false)),
            _ => {}
        }
        let seeded: SeededLeveledKey = files::read(path)?;
        let expanded = LeveledKey::expand(&seeded, &self.lookups, threads.get(), &|_, _| {})?;
        let expanded = Arc::new(expanded);
        parts.selectors = Some((hash.to_owned(), Arc::clone(&expanded)));
        Ok((expanded, true))
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
