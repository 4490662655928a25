//! What goes on on one connection: whether anything came, how many calls run, whether their answers
//! are taken. By that it is decided when a connection is over, and which one makes room for another.

use std::collections::BTreeMap;
use std::pin::Pin;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use hyper::body::{Body, Frame, SizeHint};
use tokio::sync::Notify;

use super::Limits;

/// How often it is looked whether time is up.
const PERIOD: Duration = Duration::from_millis(250);

/// Why a connection is over that its client did not end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::server) enum Over {
    /// A newer one needed its place before it had shown who it is.
    TurnedOut,
    /// Another one needed the place, and nothing ran here.
    Replaced,
    /// No first request came.
    Unused,
    /// No request came for long.
    Idle,
    /// An answer was not taken for long.
    Untaken,
}

impl Over {
    /// The word for it in figures and logs.
    pub(in crate::server) fn word(self) -> &'static str {
        match self {
            Self::TurnedOut => "turned_out",
            Self::Replaced => "replaced",
            Self::Unused => "unused",
            Self::Idle => "idle",
            Self::Untaken => "untaken",
        }
    }
}

/// One connection's.
pub(in crate::server) struct Activity {
    state: Mutex<State>,
    changed: Notify,
}

struct State {
    heard: bool,
    /// Whether there was a request.
    used: bool,
    calls: usize,
    /// Since when no call runs.
    quiet: Instant,
    /// Answers that wait to be taken, by call, each with the moment since.
    waiting: BTreeMap<u64, Instant>,
    next: u64,
    over: Option<Over>,
}

impl Activity {
    pub(super) fn new() -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State {
                heard: false,
                used: false,
                calls: 0,
                quiet: Instant::now(),
                waiting: BTreeMap::new(),
                next: 0,
                over: None,
            }),
            changed: Notify::new(),
        })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Something came.
    pub(super) fn hear(&self) {
        self.state().heard = true;
    }

    pub(super) fn is_silent(&self) -> bool {
        !self.state().heard
    }

    /// The handshake is over: requests are waited for from now on.
    pub(super) fn begin(&self) {
        self.state().quiet = Instant::now();
    }

    /// Since when nothing runs, if so.
    pub(super) fn quiet(&self) -> Option<Instant> {
        let state = self.state();
        (state.calls == 0).then_some(state.quiet)
    }

    /// Ends the connection.
    pub(super) fn end(&self, over: Over) {
        self.state().over.get_or_insert(over);
        self.changed.notify_one();
    }

    /// A request has come.
    pub(in crate::server) fn call(self: &Arc<Self>) -> Call {
        let mut state = self.state();
        state.used = true;
        state.calls += 1;
        state.next += 1;
        Call {
            activity: Arc::clone(self),
            number: state.next,
        }
    }

    /// Returns once the connection was ended for another's sake.
    pub(super) async fn ended(&self) -> Over {
        loop {
            let over = self.state().over;
            if let Some(over) = over {
                return over;
            }
            self.changed.notified().await;
        }
    }

    /// Returns once the connection is over.
    pub(in crate::server) async fn over(&self, limits: &Limits) -> Over {
        loop {
            if let Some(over) = self.verdict(limits, Instant::now()) {
                return over;
            }
            let _ = tokio::time::timeout(PERIOD, self.changed.notified()).await;
        }
    }

    fn verdict(&self, limits: &Limits, now: Instant) -> Option<Over> {
        let state = self.state();
        let late = |since: Instant, most| now.saturating_duration_since(since) >= most;
        if state.over.is_some() {
            return state.over;
        }
        if state.calls == 0 {
            return match state.used {
                false => late(state.quiet, limits.request()).then_some(Over::Unused),
                true => late(state.quiet, limits.idle()).then_some(Over::Idle),
            };
        }
        let untaken = |since: &Instant| late(*since, limits.idle());
        let untaken = state.waiting.values().any(untaken);
        untaken.then_some(Over::Untaken)
    }
}

/// A call that runs; dropped when its answer has gone.
pub(in crate::server) struct Call {
    activity: Arc<Activity>,
    number: u64,
}

impl Call {
    /// Whether a part of the answer waits to be taken.
    fn waits(&self, waits: bool) {
        let mut state = self.activity.state();
        match waits {
            true => state.waiting.insert(self.number, Instant::now()),
            false => state.waiting.remove(&self.number),
        };
    }
}

impl Drop for Call {
    fn drop(&mut self) {
        let mut state = self.activity.state();
        state.calls -= 1;
        state.waiting.remove(&self.number);
        state.quiet = Instant::now();
    }
}

/// An answer's body, during which its call runs; `Held` is what the call holds besides.
pub(in crate::server) struct Watched<B, Held> {
    body: B,
    call: Call,
    _held: Held,
}

impl<B, Held> Watched<B, Held> {
    pub(in crate::server) fn new(body: B, call: Call, held: Held) -> Self {
        Self {
            body,
            call,
            _held: held,
        }
    }
}

impl<B: Body + Unpin, Held: Unpin> Body for Watched<B, Held> {
    type Data = B::Data;
    type Error = B::Error;

    /// It is asked for the next part once there is room for it: between the two the last one waits.
    fn poll_frame(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<B::Data>, B::Error>>> {
        let next = Pin::new(&mut self.body).poll_frame(context);
        self.call.waits(matches!(next, Poll::Ready(Some(Ok(_)))));
        next
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_connection_is_over_when_nothing_goes_on() {
        let activity = Activity::new();
        let limits = Limits::default();
        let at = |after: Duration| activity.verdict(&limits, Instant::now() + after);
        assert_eq!(at(limits.request() / 2), None);
        assert_eq!(at(limits.request()), Some(Over::Unused));
        let call = activity.call();
        assert_eq!((at(limits.idle() * 2), activity.quiet()), (None, None));
        call.waits(true);
        assert_eq!(at(limits.idle()), Some(Over::Untaken));
        call.waits(false);
        assert_eq!(at(limits.idle()), None);
        drop(call);
        assert_eq!(at(limits.idle() / 2), None);
        assert_eq!(at(limits.idle()), Some(Over::Idle));
        activity.end(Over::Replaced);
        activity.end(Over::Idle);
        assert_eq!(at(Duration::ZERO), Some(Over::Replaced));
    }
}
