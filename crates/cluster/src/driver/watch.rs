//! What members say next, and who says nothing any more.

use std::time::{Duration, Instant};

use super::members::Members;
use crate::transport::{Event, Member, Transport};

/// How long the driver waits before it looks around.
const LOOK: Duration = Duration::from_millis(50);
/// How long it judges nobody by his silence, at most, where there is always something to hear.
const JUDGE: Duration = Duration::from_secs(1);
/// Who was away for longer himself judges nobody by what he has not heard.
const AWAY: Duration = Duration::from_secs(1);

pub(super) struct Watch {
    /// How long a member may be silent.
    patience: Duration,
    looked: Instant,
    judged: Instant,
    is_quiet: bool,
}

impl Watch {
    /// Begins; until now nobody had anything to say.
    pub(super) fn begin(patience: Duration, members: &mut Members) -> Self {
        members.all_heard();
        let now = Instant::now();
        Self {
            patience,
            looked: now,
            judged: now,
            is_quiet: false,
        }
    }

    /// What comes next, if anything does for a moment.
    pub(super) fn next(
        &mut self,
        transport: &dyn Transport,
        members: &mut Members,
    ) -> Option<Event> {
        if self.looked.elapsed() > AWAY {
            // Whoever was silent meanwhile may have said much that waits to be read.
            members.all_heard();
        }
        self.looked = Instant::now();
        let event = transport.receive(LOOK);
        self.is_quiet = event.is_none() || self.judged.elapsed() > JUDGE;
        if let Some(Event::Coming(member)) = event {
            members.hears(member);
            return None;
        }
        event
    }

    /// Who has said nothing for too long, with what is to be said of it; to be asked once the event has been taken
    /// note of.
    pub(super) fn silent(&mut self, members: &Members) -> Vec<(Member, String)> {
        if !self.is_quiet {
            return Vec::new();
        }
        self.judged = Instant::now();
        let seconds = self.patience.as_secs();
        let silent = members.silent(self.patience).into_iter();
        silent
            .map(|member| (member, format!("it has said nothing for {seconds} s")))
            .collect()
    }
}
