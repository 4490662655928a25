//! Ready tasks in the order of the circuit, for runs that must not keep much.
//!
//! A circuit's own order is that of the program, and a program keeps little: at any point of it
//! only what registers and memory hold is still to be read
//! ([`passes::peak_bits`](crate::passes::peak_bits) counts it). Tasks are handed out from the
//! front, the earliest task that is not done, and from at most `reach` tasks behind it, since
//! workers and batches need some that do not wait for each other. So whatever was computed ahead
//! before, from here on at most this is kept:
//!
//! * what the circuit's order keeps at the front,
//! * what was kept when this order came into force, and
//! * the results of `reach` tasks.
//!
//! The front itself always waits for nothing, so there is no deadlock.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Tasks behind the front that may be taken at least: enough to fill the batches of a few workers
/// from code whose instructions depend on each other, few enough for their results (seldom more
/// than two bits each) to be a small part of any bound.
const REACH: usize = 1024;

/// The ready tasks of a run by number.
pub(super) struct Order {
    /// Perhaps with some that were taken by the other order.
    ready: BinaryHeap<Reverse<u32>>,
    /// By task: ready and not taken.
    held: Vec<bool>,
    /// By task.
    done: Vec<bool>,
    /// All tasks before it are done.
    front: usize,
    reach: usize,
}

impl Order {
    /// By task whether it is done from the start, and how far behind the front others may be taken.
    pub(super) fn new(done: Vec<bool>, reach: usize) -> Self {
        let mut order = Self {
            ready: BinaryHeap::new(),
            held: vec![false; done.len()],
            done,
            front: 0,
            reach: reach.max(REACH),
        };
        order.advance();
        order
    }

    /// A task waits for nothing.
    pub(super) fn push(&mut self, task: u32) {
        self.held[task as usize] = true;
        self.ready.push(Reverse(task));
    }

    /// Whether a task is ready and was not taken.
    pub(super) fn holds(&self, task: u32) -> bool {
        self.held[task as usize]
    }

    /// The earliest ready task, if it is within reach.
    pub(super) fn first(&mut self) -> Option<u32> {
        while let Some(&Reverse(task)) = self.ready.peek() {
            if self.held[task as usize] {
                return Some(task).filter(|task| *task as usize - self.front <= self.reach);
            }
            self.ready.pop();
        }
        None
    }

    /// A ready task is given to a worker.
    pub(super) fn take(&mut self, task: u32) {
        self.held[task as usize] = false;
    }

    /// A task is done.
    pub(super) fn finish(&mut self, task: usize) {
        self.done[task] = true;
        self.advance();
    }

    fn advance(&mut self) {
        while self.done.get(self.front).is_some_and(|done| *done) {
            self.front += 1;
        }
    }
}
