//! Storage for transformed polynomials: cache-line aligned, zeroed, and in huge pages where
//! there is much of it.

use crate::arch::{HUGE_PAGE, prefer_huge};
use std::ops::{Deref, DerefMut};

/// Alignment in bytes: a cache line, and the widest vector register.
const CACHE_LINE: usize = 64;

/// A zeroed, 64-byte aligned array of `f64` that holds one or more spectra (or a key in the layout
/// of [`KeyShape`](crate::torus::KeyShape)) back to back. It dereferences to a slice; kernels
/// accept any slice, and are fastest on these.
#[derive(Debug)]
pub struct Spectra {
    storage: Vec<f64>,
    start: usize,
    len: usize,
}

impl Spectra {
    /// `len` zeros. Buffers of several megabytes ask for huge pages.
    pub fn zeroed(len: usize) -> Self {
        let huge = len >= 2 * HUGE_PAGE / size_of::<f64>();
        let alignment = if huge { HUGE_PAGE } else { CACHE_LINE };
        let mut storage = vec![0.0; len + alignment / size_of::<f64>() - 1];
        // `align_offset` may decline (it says `usize::MAX`): then the buffer is merely unaligned.
        let start = storage.as_ptr().align_offset(alignment);
        let start = if start.saturating_add(len) <= storage.len() {
            start
        } else {
            0
        };
        if huge {
            prefer_huge(&mut storage[start..][..len]);
        }
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
