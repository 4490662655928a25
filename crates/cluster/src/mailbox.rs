//! Where results of others wait until a run takes them.
//!
//! A machine may be a window or an epoch ahead of another: what it sends is kept until its time comes. What
//! belongs to an earlier one is dropped, since everybody has sent it again or needs it no more.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use circuits::exec::Received;

/// How long a run waits at most before it looks whether it is cancelled.
const LOOK: Duration = Duration::from_millis(100);

/// A time in a run: windows follow each other, and within one epochs do.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Moment {
    pub(crate) window: u32,
    pub(crate) epoch: u32,
}

pub(crate) struct Mailbox<B> {
    state: Mutex<State<B>>,
    changed: Condvar,
}

type Bits<B> = Vec<(u32, Arc<B>)>;

struct State<B> {
    /// The run that takes results, if there is one.
    open: Option<Moment>,
    here: Bits<B>,
    later: Vec<(Moment, Bits<B>)>,
    /// Nothing before this is wanted.
    past: Option<Moment>,
    is_interrupted: bool,
    has_ended: bool,
}

impl<B> Default for Mailbox<B> {
    fn default() -> Self {
        Self {
            state: Mutex::new(State {
                open: None,
                here: Vec::new(),
                later: Vec::new(),
                past: None,
                is_interrupted: false,
                has_ended: false,
            }),
            changed: Condvar::new(),
        }
    }
}

impl<B> Mailbox<B> {
    fn lock(&self) -> MutexGuard<'_, State<B>> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A run begins to take what belongs to a moment.
    pub(crate) fn open(&self, moment: Moment) {
        let mut state = self.lock();
        state.open = Some(moment);
        state.past = Some(moment);
        state.has_ended = false;
        state.here.clear();
        for (of, bits) in std::mem::take(&mut state.later) {
            match of.cmp(&moment) {
                std::cmp::Ordering::Less => {}
                std::cmp::Ordering::Equal => state.here.extend(bits),
                std::cmp::Ordering::Greater => state.later.push((of, bits)),
            }
        }
    }

    /// Something has come.
    pub(crate) fn deliver(&self, moment: Moment, bits: Bits<B>) {
        let mut state = self.lock();
        if state.past.is_some_and(|past| moment < past) {
            return;
        }
        if state.open == Some(moment) {
            state.here.extend(bits);
            drop(state);
            self.changed.notify_all();
        } else {
            state.later.push((moment, bits));
        }
    }

    /// The run that takes results is to end; so is one that begins before [`resume`](Self::resume).
    pub(crate) fn interrupt(&self) {
        self.lock().is_interrupted = true;
        self.changed.notify_all();
    }

    /// Runs may begin again.
    pub(crate) fn resume(&self) {
        self.lock().is_interrupted = false;
    }

    /// The run is over.
    pub(crate) fn end(&self) {
        let mut state = self.lock();
        state.has_ended = true;
        state.open = None;
        state.here.clear();
        drop(state);
        self.changed.notify_all();
    }

    pub(crate) fn receive(&self) -> Received<B> {
        let mut state = self.lock();
        if state.here.is_empty() && !state.is_interrupted && !state.has_ended {
            let waited = self.changed.wait_timeout(state, LOOK);
            (state, _) = waited.unwrap_or_else(PoisonError::into_inner);
        }
        if state.is_interrupted {
            return Received::Interrupted;
        }
        match std::mem::take(&mut state.here) {
            bits if bits.is_empty() => Received::Nothing,
            bits => Received::Bits(bits),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bits(received: Received<u32>) -> Vec<u32> {
        match received {
            Received::Bits(bits) => bits.into_iter().map(|(signal, _)| signal).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn what_comes_early_waits_and_what_comes_late_is_dropped() {
        let mailbox = Mailbox::default();
        let moment = |window, epoch| Moment { window, epoch };
        let one = |signal| vec![(signal, Arc::new(signal))];
        mailbox.deliver(moment(0, 1), one(1));
        mailbox.deliver(moment(1, 1), one(2));
        mailbox.deliver(moment(0, 2), one(3));
        mailbox.open(moment(0, 1));
        assert_eq!(bits(mailbox.receive()), [1]);
        mailbox.deliver(moment(0, 1), one(4));
        assert_eq!(bits(mailbox.receive()), [4]);
        mailbox.interrupt();
        assert!(matches!(mailbox.receive(), Received::Interrupted));
        mailbox.end();
        mailbox.resume();
        mailbox.open(moment(0, 2));
        mailbox.deliver(moment(0, 1), one(5));
        assert_eq!(bits(mailbox.receive()), [3]);
        mailbox.open(moment(1, 2));
        // It was sent in the epoch before, by somebody who did not know of this one.
        assert!(matches!(mailbox.receive(), Received::Nothing));
    }
}
