//! Storage for transformed polynomials: cache-line aligned and zeroed.

use std::ops::{Deref, DerefMut};

/// Alignment of every buffer in bytes: a cache line, and the widest vector register.
const ALIGNMENT: usize = 64;

/// A zeroed, 64-byte aligned array of `f64` that holds one or more spectra (or a key in the layout of
/// [`KeyShape`](crate::KeyShape)) back to back. It dereferences to a slice; kernels accept any slice,
/// and are fastest on these.
#[derive(Debug)]
pub struct Spectra {
    storage: Vec<f64>,
    start: usize,
    len: usize,
}

impl Spectra {
    /// `len` zeros.
    pub fn zeroed(len: usize) -> Self {
        let storage = vec![0.0; len + ALIGNMENT / size_of::<f64>() - 1];
        // `align_offset` may decline (it says `usize::MAX`): then the buffer is merely unaligned.
        let start = storage.as_ptr().align_offset(ALIGNMENT);
        let start = if start.saturating_add(len) <= storage.len() {
            start
        } else {
            0
        };
        Self {
            storage,
            start,
            len,
        }
    }
}

impl Deref for Spectra {
    type Target = [f64];
    fn deref(&self) -> &[f64] {
        &self.storage[self.start..][..self.len]
    }
}

impl DerefMut for Spectra {
    fn deref_mut(&mut self) -> &mut [f64] {
        &mut self.storage[self.start..][..self.len]
    }
}

impl Clone for Spectra {
    fn clone(&self) -> Self {
        let mut copy = Self::zeroed(self.len);
        copy.copy_from_slice(self);
        copy
    }
}
