//! A buffer for secrets that live long: pages of its own, which the system is asked not to write to
//! swap.
//!
//! Locks of memory count by pages and do not nest, so a buffer on the heap would be unlocked by the
//! end of its neighbour. Each buffer therefore has whole pages: at least 4 KB, and some
//! microseconds to get them. Keys and passphrases take it; what lives for one operation takes
//! [`SecretBuffer`](crate::SecretBuffer).
//!
//! How much a process may lock is the system's to say (`ulimit -l`, 8 MB on most). What is beyond
//! that is wiped like everything else, and not locked; [`memory_locks_refused`] tells of it.

use std::sync::atomic::{AtomicBool, Ordering};

use bytemuck::Pod;
use memmap2::MmapMut;
use zeroize::{Zeroize, ZeroizeOnDrop};

/// Whether some buffer of this process is not locked: a fact about the process, as limits are the
/// process's.
static REFUSED: AtomicBool = AtomicBool::new(false);

/// Whether the system refused to lock some [`LockedBuffer`] of this process.
#[must_use]
pub fn memory_locks_refused() -> bool {
    REFUSED.load(Ordering::Relaxed)
}

/// A buffer of fixed length in pages of its own: locked where the system allows it, left out of
/// core dumps where it can be, wiped when dropped, printed never, copied never.
pub struct LockedBuffer<T: Pod + Zeroize>(Room<T>);

enum Room<T> {
    /// As many bytes as the values have.
    Pages(MmapMut),
    /// Where the system gives no pages, and for nothing at all.
    Heap(Box<[T]>),
}

impl<T: Pod + Zeroize> LockedBuffer<T> {
    /// `length` zeros.
    #[must_use]
    pub fn zeroed(length: usize) -> Self {
        let heap = || Room::Heap(vec![T::zeroed(); length].into_boxed_slice());
        if length == 0 || size_of::<T>() == 0 {
            return Self(heap());
        }
        // Longer than any memory: the vector says so as vectors do.
        let bytes = length.saturating_mul(size_of::<T>());
        let Ok(pages) = MmapMut::map_anon(bytes) else {
            REFUSED.store(true, Ordering::Relaxed);
            return Self(heap());
        };
        lock(&pages);
        Self(Room::Pages(pages))
    }

    /// A copy of values that somebody else wipes.
    #[must_use]
    pub fn of(values: &[T]) -> Self {
        let mut buffer = Self::zeroed(values.len());
        buffer.expose_mut().copy_from_slice(values);
        buffer
    }

    /// Takes values over: they are copied, and wiped where they were.
    #[must_use]
    pub fn taking(mut values: Vec<T>) -> Self {
        let buffer = Self::of(&values);
        values.zeroize();
        buffer
    }

    /// The secret values.
    #[must_use]
    pub fn expose(&self) -> &[T] {
        match &self.0 {
            // Pages begin where every number may, and hold a whole number of values.
            Room::Pages(pages) => bytemuck::cast_slice(pages),
            Room::Heap(values) => values,
        }
    }

    /// The secret values, to be changed in place.
    pub fn expose_mut(&mut self) -> &mut [T] {
        match &mut self.0 {
            Room::Pages(pages) => bytemuck::cast_slice_mut(pages),
            Room::Heap(values) => values,
        }
    }
}

impl<T: Pod + Zeroize> Drop for LockedBuffer<T> {
    fn drop(&mut self) {
        self.expose_mut().iter_mut().zeroize();
    }
}

impl<T: Pod + Zeroize> ZeroizeOnDrop for LockedBuffer<T> {}

#[cfg(unix)]
fn lock(pages: &MmapMut) {
    if pages.lock().is_err() {
        REFUSED.store(true, Ordering::Relaxed);
    }
    // One net more below that of the process, which may dump no core once it has read a key.
    #[cfg(target_os = "linux")]
    let _ = pages.advise(memmap2::Advice::DontDump);
}

#[cfg(not(unix))]
fn lock(_: &MmapMut) {
    REFUSED.store(true, Ordering::Relaxed);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_what_it_is_given() {
        assert_eq!(LockedBuffer::<u64>::zeroed(1000).expose(), [0; 1000]);
        assert!(LockedBuffer::<u8>::zeroed(0).expose().is_empty());
        let mut buffer = LockedBuffer::taking(vec![1.5_f64, -2.0, 0.25]);
        buffer.expose_mut()[1] = 7.0;
        assert_eq!(buffer.expose(), [1.5, 7.0, 0.25]);
        let long: Vec<u8> = (0..20_000_u32).map(|value| value as u8).collect();
        assert_eq!(LockedBuffer::of(&long).expose(), long);
    }

    /// What the kernel says of the pages: as many kilobytes locked as the buffers have, and fewer
    /// when one is gone.
    #[cfg(target_os = "linux")]
    #[test]
    fn pages_are_locked_one_by_one() {
        let locked_in = |address: *const u8| -> u64 {
            let maps = std::fs::read_to_string("/proc/self/smaps").unwrap();
            let mut inside = false;
            for line in maps.lines() {
                let first = line.split_whitespace().next().unwrap_or_default();
                if let Some((start, end)) = first.split_once('-')
                    && let Ok(start) = usize::from_str_radix(start, 16)
                    && let Ok(end) = usize::from_str_radix(end, 16)
                {
                    inside = (start..end).contains(&(address as usize));
                } else if inside && first == "Locked:" {
                    let count = line.split_whitespace().nth(1).unwrap();
                    return count.parse().unwrap();
                }
            }
            0
        };
        let elsewhere = [0_u8; 8];
        let kept = LockedBuffer::of(&[1_u8; 100]);
        let dropped = LockedBuffer::of(&[2_u8; 100]);
        if memory_locks_refused() {
            // A machine that lets nothing be locked has nothing to show.
            return;
        }
        assert_eq!(locked_in(elsewhere.as_ptr()), 0);
        assert!(locked_in(kept.expose().as_ptr()) >= 4);
        drop(dropped);
        assert!(locked_in(kept.expose().as_ptr()) >= 4);
    }
}
