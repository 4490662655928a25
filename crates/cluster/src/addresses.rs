//! Where workers are.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// Addresses of workers, `HOST:PORT`, which may change while a run goes on: a worker that is lost may come again
/// elsewhere. Clones are the same list.
///
/// ```
/// use blindcore_cluster::Addresses;
///
/// let addresses = Addresses::from(["machine-1:7420", "machine-2:7420"]);
/// let elsewhere = addresses.clone();
/// elsewhere.set(1, "machine-3:7420");
/// assert_eq!((addresses.len(), addresses.get(1).as_deref()), (2, Some("machine-3:7420")));
/// assert!(addresses.get(2).is_none() && !addresses.is_empty());
/// elsewhere.push("machine-4:7420");
/// assert_eq!(addresses.len(), 3);
/// ```
#[derive(Clone, Debug, Default)]
pub struct Addresses(Arc<Mutex<Vec<String>>>);

impl<A: Into<String>, I: IntoIterator<Item = A>> From<I> for Addresses {
    fn from(addresses: I) -> Self {
        let addresses = addresses.into_iter().map(Into::into).collect();
        Self(Arc::new(Mutex::new(addresses)))
    }
}

impl Addresses {
    fn lock(&self) -> MutexGuard<'_, Vec<String>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// How many workers there are to be.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().len()
    }

    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Where one is.
    #[must_use]
    pub fn get(&self, place: usize) -> Option<String> {
        self.lock().get(place).cloned()
    }

    /// One more: a run that goes on takes it in as if it had been lost and came again.
    pub fn push(&self, address: impl Into<String>) {
        self.lock().push(address.into());
    }

    /// It is elsewhere from now on; a place that is none is left alone.
    pub fn set(&self, place: usize, address: impl Into<String>) {
        if let Some(own) = self.lock().get_mut(place) {
            *own = address.into();
        }
    }
}
