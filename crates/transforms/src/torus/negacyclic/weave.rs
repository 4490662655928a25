//! Prefetches woven into the arithmetic of a kernel.
//!
//! A bootstrapping key streams from memory or from the shared cache while it is used. Asked for in
//! one burst, its lines fill the few buffers that a core has for outstanding misses, and the
//! arithmetic waits behind them; asked for a few at a time between butterflies they cost an issue
//! slot each.

use crate::arch::Simd;

/// A part of a key that will be read soon, and how much of it to ask for at each step.
#[derive(Clone, Copy)]
pub(super) struct Weave<'a> {
    rest: &'a [f64],
    stride: usize,
}

/// Numbers in a cache line.
const LINE: usize = 8;

impl<'a> Weave<'a> {
    /// Spreads `ahead` over that number of steps.
    #[inline(always)]
    pub(super) fn over(ahead: &'a [f64], steps: usize) -> Self {
        Self {
            rest: ahead,
            stride: ahead.len().div_ceil(LINE).div_ceil(steps.max(1)) * LINE,
        }
    }

    /// Asks for the lines of one step.
    #[inline(always)]
    pub(super) fn step<S: Simd>(&mut self, simd: S) {
        let (now, rest) = self.rest.split_at(self.stride.min(self.rest.len()));
        self.rest = rest;
        simd.prefetch(now);
    }
}
