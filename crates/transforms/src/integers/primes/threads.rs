//! Work in equal parts on a few threads, those of `rayon`'s common pool.

use crate::threads;
use std::num::NonZeroUsize;

/// Pieces for each thread: the second core is often late.
const PIECES: usize = 4;

/// Does all of `work` where [`each`] finds threads that are awake: every change between the pool
/// and a thread outside costs more than a pass.
pub(super) fn together<R: Send>(threads: NonZeroUsize, work: impl FnOnce() -> R + Send) -> R {
    if threads.get() == 1 {
        work()
    } else {
        threads::inside(None, work)
    }
}

/// Calls `work` on each item, on that many threads at most; on one, without any cost.
pub(super) fn each<T: Send>(threads: NonZeroUsize, items: &mut [T], work: impl Fn(&mut T) + Sync) {
    if threads.get() == 1 {
        items.iter_mut().for_each(work);
    } else {
        let pieces = (threads.get() * PIECES).min(items.len());
        threads::each(pieces, items, &work);
    }
}
