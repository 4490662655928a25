//! Long products by a device: of a simulated circuit, or one that counts them. For development
//! alone: nothing that is shipped has the feature.

use std::sync::{Arc, PoisonError, RwLock};

/// What multiplies instead of this machine.
pub trait Device: Send + Sync {
    /// Whether it computes products of numbers of so many limbs.
    fn takes(&self, a: usize, b: usize) -> bool;

    /// `out = a·b`, where it takes these; `out` is as long as both together.
    fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]);
}

static INSTALLED: RwLock<Option<Arc<dyn Device>>> = RwLock::new(None);

/// From now on, the device computes the products that it takes, of every multiplier in the process;
/// with `None`, this machine again. Numbers kept in the meantime belong to the time they were kept
/// in.
pub fn install(device: Option<Arc<dyn Device>>) {
    *INSTALLED.write().unwrap_or_else(PoisonError::into_inner) = device;
}

/// The device, if it takes a product of numbers of so many limbs.
pub(crate) fn taking(a: usize, b: usize) -> Option<Arc<dyn Device>> {
    let installed = INSTALLED.read().unwrap_or_else(PoisonError::into_inner);
    installed.clone().filter(|device| device.takes(a, b))
}

/// Whether there is one that does.
pub(crate) fn takes(a: usize, b: usize) -> bool {
    taking(a, b).is_some()
}
