//! A part of the key that will be read soon, asked for in equal shares over the iterations of a
//! loop, so that the requests never wait for each other.

use super::arch::Lanes;

/// Words of a cache line.
const LINE: usize = 8;

pub(super) struct Spread<'a> {
    shares: std::slice::Chunks<'a, u64>,
}

impl<'a> Spread<'a> {
    pub(super) fn new(ahead: &'a [u64], iterations: usize) -> Self {
        let share = ahead.len().div_ceil(iterations.max(1));
        Self {
            shares: ahead.chunks(share.next_multiple_of(LINE).max(LINE)),
        }
    }

    /// Asks for one share. To be called once per iteration.
    #[inline(always)]
    pub(super) fn step<V: Lanes>(&mut self, v: V) {
        if let Some(share) = self.shares.next() {
            v.prefetch(share);
        }
    }
}
