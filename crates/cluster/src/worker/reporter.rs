//! Tells the driver how far a worker is, not too often.

use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use super::post::{Post, Teller};
use crate::message::Message;

/// How often at most.
const REPORT: Duration = Duration::from_millis(200);

pub(super) struct Reporter {
    teller: Teller,
    begin: Instant,
    /// Milliseconds after the beginning.
    last: AtomicU64,
}

impl Reporter {
    pub(super) fn of(post: &Post) -> Self {
        Self {
            teller: post.teller(),
            begin: Instant::now(),
            last: AtomicU64::new(0),
        }
    }

    /// From any thread, as often as one likes. `window` is a row's number where there are rows.
    pub(super) fn tell(&self, window: usize, nodes: usize, instructions: u64) {
        let now = self.begin.elapsed().as_millis() as u64;
        let before = self.last.load(Ordering::Relaxed);
        let is_due = now >= before + REPORT.as_millis() as u64;
        let set = || {
            self.last
                .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
        };
        // One of several threads that come at once.
        if is_due && set().is_ok() {
            self.teller.tell(Message::Progress {
                window: u32::try_from(window).unwrap_or(u32::MAX),
                nodes: nodes as u64,
                instructions,
            });
        }
    }
}
