//! Who has a place: connections that have not shown who they are, and those that have.
//!
//! The first are strangers. There is always room for one more of them: the address that has the most
//! loses its oldest, one that has said nothing before one that has. So a flood pushes itself out,
//! and who comes meanwhile gets through a handshake. The others have a number for each client, for
//! each address and for all; where one is used up, a connection on which nothing runs makes room.
//! Administrators have places of their own on top.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use tonic::Status;

use super::activity::{Activity, Over};
use super::{Limits, Network};
use crate::server::metrics::Doors;

/// A connection on which nothing has run for less makes no room yet: its client may be about to call.
const GRACE: Duration = Duration::from_secs(1);
/// Shortest time between two lines of the log about the same thing: a flood must not fill it.
const QUIET: Duration = Duration::from_secs(1);

/// All places of one listener.
pub(in crate::server) struct Places {
    limits: Limits,
    /// For everybody.
    most: usize,
    doors: Doors,
    register: Mutex<Register>,
}

#[derive(Default)]
struct Register {
    next: u64,
    /// By age, the oldest first.
    entries: BTreeMap<u64, Entry>,
    logged: HashMap<&'static str, (Instant, u64)>,
}

struct Entry {
    network: Option<Network>,
    activity: Arc<Activity>,
    /// What is known once the connection is established.
    settled: Option<Settled>,
}

struct Settled {
    client: Option<String>,
    admin: bool,
}

/// The place of one connection, given back when dropped.
pub(super) struct Place {
    places: Arc<Places>,
    number: u64,
    network: Option<Network>,
    activity: Arc<Activity>,
}

impl Places {
    pub(in crate::server) fn new(limits: Limits, most: usize, doors: Doors) -> Arc<Self> {
        Arc::new(Self {
            limits,
            most,
            doors,
            register: Mutex::default(),
        })
    }

    fn register(&self) -> MutexGuard<'_, Register> {
        self.register.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// A place for a stranger.
    pub(super) fn enter(self: &Arc<Self>, network: Option<Network>) -> Place {
        let activity = Activity::new();
        let mut register = self.register();
        let strangers = || register.entries.iter().filter(|(_, e)| e.settled.is_none());
        if strangers().count() >= self.limits.handshakes {
            let mut crowd: HashMap<Option<Network>, usize> = HashMap::new();
            for (_, entry) in strangers() {
                *crowd.entry(entry.network).or_default() += 1;
            }
            let size = |entry: &Entry| crowd.get(&entry.network).copied().unwrap_or(0);
            let first = strangers().max_by_key(|(number, entry)| {
                let silent = entry.activity.is_silent();
                (size(entry), silent, std::cmp::Reverse(**number))
            });
            let first = first.map(|(number, _)| *number);
            self.end(&mut register, first, Over::TurnedOut);
        }
        let number = register.next;
        register.next += 1;
        let entry = Entry {
            network,
            activity: Arc::clone(&activity),
            settled: None,
        };
        register.entries.insert(number, entry);
        self.doors.strangers.inc();
        Place {
            places: Arc::clone(self),
            number,
            network,
            activity,
        }
    }

    /// Ends a connection for another's sake.
    fn end(&self, register: &mut Register, number: Option<u64>, over: Over) {
        let entry = number.and_then(|number| register.entries.remove(&number));
        if let Some(entry) = entry {
            self.left(&entry);
            entry.activity.end(over);
        }
    }

    fn left(&self, entry: &Entry) {
        match entry.settled {
            None => self.doors.strangers.dec(),
            Some(_) => self.doors.established.dec(),
        };
    }

    /// Counts a handshake after which nobody is let in, by the reason.
    pub(super) fn refused(&self, word: &'static str) {
        self.doors.refused(word);
    }

    /// Counts a connection that was not let in, or was ended, and says so in the log, but not for
    /// each of a flood.
    pub(super) fn note(&self, word: &'static str, who: &dyn std::fmt::Display) {
        self.doors.closed(word);
        if word == Over::Idle.word() {
            return;
        }
        let mut register = self.register();
        let now = Instant::now();
        match register.logged.get_mut(word) {
            Some((last, unsaid)) if now.saturating_duration_since(*last) < QUIET => *unsaid += 1,
            said => {
                let unsaid = said.map_or(0, |(_, unsaid)| *unsaid);
                tracing::warn!(%who, reason = word, more = unsaid, "connection closed");
                register.logged.insert(word, (now, 0));
            }
        }
    }
}

impl Register {
    /// How many connections are established for which this holds, and which of them makes room.
    fn counted(&self, which: impl Fn(&Entry, &Settled) -> bool) -> (usize, Option<u64>) {
        let now = Instant::now();
        let rested = |entry: &Entry| {
            let quiet = entry.activity.quiet();
            quiet.is_some_and(|since| now.saturating_duration_since(since) >= GRACE)
        };
        let mut count = 0;
        let mut first: Option<(Instant, u64)> = None;
        for (number, entry) in &self.entries {
            let settled = entry.settled.as_ref();
            if settled.is_none_or(|settled| !which(entry, settled)) {
                continue;
            }
            count += 1;
            if rested(entry)
                && let Some(since) = entry.activity.quiet()
                && first.is_none_or(|(before, _)| since < before)
            {
                first = Some((since, *number));
            }
        }
        (count, first.map(|(_, number)| number))
    }
}

impl Place {
    pub(super) fn activity(&self) -> &Arc<Activity> {
        &self.activity
    }

    pub(super) fn network(&self) -> Option<Network> {
        self.network
    }

    /// The connection is established; the client is known where it showed a certificate. An error
    /// says what there is too much of, as a figure calls it and as the client is told. It passes:
    /// clients try again by themselves.
    pub(super) fn settle(
        &self,
        client: Option<&str>,
        admin: bool,
    ) -> Result<(), (&'static str, Status)> {
        let Places { limits, .. } = &*self.places;
        let mut register = self.places.register();
        let full = |word, count: usize, whose: &str| {
            let text = format!(
                "{count} connections {whose} at once are as many as there may be: close one, or try \
                 again in a moment"
            );
            (word, Status::unavailable(text))
        };
        if client.is_some() {
            let own = |_: &Entry, settled: &Settled| settled.client.as_deref() == client;
            let (count, rests) = register.counted(own);
            if count >= limits.client {
                let rests = rests.ok_or_else(|| full("client", count, "of this client"))?;
                self.places.end(&mut register, Some(rests), Over::Replaced);
            }
        }
        if self.network.is_some() && !admin {
            let near = |entry: &Entry, _: &Settled| entry.network == self.network;
            let (count, rests) = register.counted(near);
            if count >= limits.address {
                let rests = rests.ok_or_else(|| full("address", count, "of this address"))?;
                self.places.end(&mut register, Some(rests), Over::Replaced);
            }
        }
        let (others, rests) = register.counted(|_, settled| !settled.admin);
        let (admins, _) = register.counted(|_, settled| settled.admin);
        let is_full = match admin {
            false => others >= self.places.most,
            true => others + admins >= self.places.most + limits.reserved,
        };
        if is_full {
            let rests = rests.ok_or_else(|| full("all", others + admins, "of all clients"))?;
            self.places.end(&mut register, Some(rests), Over::Replaced);
        }
        // It may have been turned out meanwhile; then it is over anyway.
        if let Some(entry) = register.entries.get_mut(&self.number) {
            self.places.left(entry);
            self.places.doors.established.inc();
            entry.activity.begin();
            entry.settled = Some(Settled {
                client: client.map(str::to_owned),
                admin,
            });
        }
        Ok(())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(entry) = self.places.register().entries.remove(&self.number) {
            self.places.left(&entry);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn places() -> Arc<Places> {
        let limits = toml::from_str("reserved = 1\nclient = 2\naddress = 3\nhandshakes = 3");
        Places::new(limits.unwrap(), 4, Doors::default())
    }

    fn network(last: u8) -> Option<Network> {
        Some(Network::V4([192, 0, 2, last].into()))
    }

    fn is_over(place: &Place) -> bool {
        !place.places.register().entries.contains_key(&place.number)
    }

    #[test]
    fn a_flood_of_strangers_pushes_itself_out() {
        let places = places();
        let other = places.enter(network(1));
        let first = places.enter(network(2));
        let second = places.enter(network(2));
        first.activity.hear();
        let third = places.enter(network(2));
        // The silent one goes, though it is younger, and nobody of another address.
        let over = [&other, &first, &second, &third].map(is_over);
        assert_eq!(over, [false, false, true, false]);
        let _fourth = places.enter(network(2));
        let over = [&other, &first, &third].map(is_over);
        assert_eq!(over, [false, false, true]);
        assert_eq!(places.doors.strangers.get(), 3);
    }

    #[test]
    fn places_are_numbered_and_administrators_have_more() {
        let places = places();
        let word = |result: Result<(), (&'static str, Status)>| result.err().map(|(word, _)| word);
        let mut held = Vec::new();
        let mut settle = |client, last, admin| {
            let place = places.enter(network(last));
            let result = word(place.settle(Some(client), admin));
            if result.is_none() {
                held.push((place.activity().call(), place));
            }
            result
        };
        assert_eq!(settle("a", 1, false), None);
        assert_eq!(settle("a", 1, false), None);
        assert_eq!(settle("a", 2, false), Some("client"));
        assert_eq!(settle("b", 1, false), None);
        assert_eq!(settle("c", 1, false), Some("address"));
        assert_eq!(settle("c", 3, false), None);
        assert_eq!(settle("d", 4, false), Some("all"));
        assert_eq!(settle("root", 4, true), None);
        assert_eq!(settle("root", 4, true), Some("all"));
        assert_eq!(places.doors.established.get(), 5);
        held.clear();
        assert_eq!(places.doors.established.get(), 0);
        assert_eq!(places.doors.strangers.get(), 0);
    }

    #[test]
    fn who_rests_makes_room() {
        let places = places();
        let rests = places.enter(None);
        rests.settle(Some("a"), false).unwrap();
        let busy = places.enter(None);
        busy.settle(Some("a"), false).unwrap();
        let _call = busy.activity().call();
        let next = places.enter(None);
        // Not at once: it may be about to call.
        assert!(next.settle(Some("a"), false).is_err());
        std::thread::sleep(GRACE);
        next.settle(Some("a"), false).unwrap();
        assert_eq!([&rests, &busy, &next].map(is_over), [true, false, false]);
    }
}
