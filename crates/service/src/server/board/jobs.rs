//! All jobs, and where those are found about which something is asked: that run, that wait for a
//! place, that a client has, that were kept longest. What is asked often costs what it is about, and
//! not as much as there is: clients keep a hundred thousand jobs each.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::ops::{Deref, DerefMut};

use super::entry::{Entry, Live};
use crate::server::store::{JobRecord, Rest};

/// A blob's client and hash.
pub(super) type BlobName = (String, String);

/// See the module.
#[derive(Default)]
pub(super) struct Jobs {
    entries: HashMap<String, Entry>,
    index: Index,
}

/// Where jobs are found.
#[derive(Default, Debug, PartialEq, Eq)]
struct Index {
    /// Those that a worker has.
    live: BTreeSet<String>,
    /// Those that wait for a place, by client.
    queued: BTreeMap<String, Queue>,
    /// How many that is.
    in_queues: u64,
    /// How many wait for an answer.
    waiting: u64,
    /// What each client has.
    clients: HashMap<String, Ledger>,
    /// Those that have ended, by the meter since when they are kept; those that nobody has looked at
    /// since they ended come first.
    ended: BTreeSet<(Option<u64>, String)>,
    /// How many jobs that have not ended name a blob.
    uses: HashMap<BlobName, usize>,
    /// Blobs that none names any more.
    freed: HashSet<BlobName>,
    /// Bytes that all have stored.
    bytes: u64,
}

/// A client's jobs that wait for a place, by age.
#[derive(Default, Debug, PartialEq, Eq)]
struct Queue {
    short: BTreeSet<(u64, String)>,
    long: BTreeSet<(u64, String)>,
}

/// What a client has.
#[derive(Default, Debug, PartialEq, Eq)]
pub(super) struct Ledger {
    /// By age.
    all: BTreeSet<(u64, String)>,
    /// Those that have not ended.
    open: BTreeSet<String>,
    /// Bytes of all of them.
    pub(super) stored: u64,
    /// Instructions and milliseconds of all of them so far.
    pub(super) instructions: u64,
    pub(super) run_ms: u64,
}

impl Ledger {
    /// How many are kept.
    pub(super) fn kept(&self) -> usize {
        self.all.len()
    }

    /// How many have not ended.
    pub(super) fn unfinished(&self) -> usize {
        self.open.len()
    }
}

/// Where a job is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Place {
    Live,
    Queued,
    Waiting,
    Ended,
}

/// What of a job decides where it is found, as far as that changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Facts {
    place: Place,
    kept_from: Option<u64>,
    stored: u64,
    instructions: u64,
    run_ms: u64,
}

impl Facts {
    fn of(entry: &Entry) -> Self {
        let record = &entry.record;
        Self {
            place: match (&entry.live, record.rest) {
                (Some(_), _) => Place::Live,
                (None, Rest::Queued) => Place::Queued,
                (None, Rest::Waiting) => Place::Waiting,
                (None, Rest::Done | Rest::Failed | Rest::Cancelled) => Place::Ended,
            },
            // Where nobody has fetched its outputs, its time began anew with the second.
            kept_from: (record.kept_from).map(|from| from.max(record.unfetched_from.unwrap_or(0))),
            stored: record.stored(),
            instructions: record.instructions,
            run_ms: record.run_ms,
        }
    }
}

/// An entry that may be changed; it is found as it is then once this is dropped.
pub(super) struct Changing<'j> {
    entry: &'j mut Entry,
    index: &'j mut Index,
    before: Facts,
}

impl Deref for Changing<'_> {
    type Target = Entry;

    fn deref(&self) -> &Entry {
        self.entry
    }
}

impl DerefMut for Changing<'_> {
    fn deref_mut(&mut self) -> &mut Entry {
        self.entry
    }
}

impl Drop for Changing<'_> {
    fn drop(&mut self) {
        let after = Facts::of(self.entry);
        if after != self.before {
            self.index.leave(&self.entry.record, self.before);
            self.index.enter(&self.entry.record, after);
        }
    }
}

impl Index {
    fn enter(&mut self, record: &JobRecord, facts: Facts) {
        let id = record.id.clone();
        let age = (record.accepted_at, id.clone());
        let ledger = self.clients.entry(record.client.clone()).or_default();
        ledger.all.insert(age.clone());
        ledger.stored += facts.stored;
        ledger.instructions += facts.instructions;
        ledger.run_ms += facts.run_ms;
        self.bytes += facts.stored;
        if facts.place == Place::Ended {
            self.ended.insert((facts.kept_from, id));
            return;
        }
        ledger.open.insert(id.clone());
        for blob in names(record) {
            self.freed.remove(&blob);
            *self.uses.entry(blob).or_default() += 1;
        }
        match facts.place {
            Place::Live => drop(self.live.insert(id)),
            Place::Queued => {
                let queue = self.queued.entry(record.client.clone()).or_default();
                queue.of(record.short).insert(age);
                self.in_queues += 1;
            }
            Place::Waiting => self.waiting += 1,
            Place::Ended => {}
        }
    }

    fn leave(&mut self, record: &JobRecord, facts: Facts) {
        let age = (record.accepted_at, record.id.clone());
        if let Some(ledger) = self.clients.get_mut(&record.client) {
            ledger.all.remove(&age);
            ledger.open.remove(&record.id);
            ledger.stored -= facts.stored;
            ledger.instructions -= facts.instructions;
            ledger.run_ms -= facts.run_ms;
            if ledger.all.is_empty() {
                self.clients.remove(&record.client);
            }
        }
        self.bytes -= facts.stored;
        match facts.place {
            Place::Ended => {
                self.ended.remove(&(facts.kept_from, age.1));
                return;
            }
            Place::Live => drop(self.live.remove(&record.id)),
            Place::Queued => {
                if let Some(queue) = self.queued.get_mut(&record.client) {
                    queue.of(record.short).remove(&age);
                    if queue.short.is_empty() && queue.long.is_empty() {
                        self.queued.remove(&record.client);
                    }
                }
                self.in_queues -= 1;
            }
            Place::Waiting => self.waiting -= 1,
        }
        for blob in names(record) {
            let Some(uses) = self.uses.get_mut(&blob) else {
                continue;
            };
            *uses -= 1;
            if *uses == 0 {
                self.uses.remove(&blob);
                self.freed.insert(blob);
            }
        }
    }
}

impl Queue {
    fn of(&mut self, short: bool) -> &mut BTreeSet<(u64, String)> {
        match short {
            true => &mut self.short,
            false => &mut self.long,
        }
    }
}

/// The blobs that a job names.
fn names(record: &JobRecord) -> impl Iterator<Item = BlobName> {
    let named = |hash: &String| (record.client.clone(), hash.clone());
    record.blobs().map(named)
}

impl Jobs {
    pub(super) fn get(&self, id: &str) -> Option<&Entry> {
        self.entries.get(id)
    }

    pub(super) fn get_mut(&mut self, id: &str) -> Option<Changing<'_>> {
        let entry = self.entries.get_mut(id)?;
        Some(Changing {
            before: Facts::of(entry),
            entry,
            index: &mut self.index,
        })
    }

    /// A job's run, of which nothing decides where the job is found.
    pub(super) fn live_mut(&mut self, id: &str) -> Option<&mut Live> {
        self.entries.get_mut(id)?.live.as_mut()
    }

    /// One more, or one in the place of another with its id.
    pub(super) fn insert(&mut self, entry: Entry) {
        let id = entry.record.id.clone();
        self.remove(&id);
        self.index.enter(&entry.record, Facts::of(&entry));
        self.entries.insert(id, entry);
    }

    pub(super) fn remove(&mut self, id: &str) {
        if let Some(entry) = self.entries.remove(id) {
            self.index.leave(&entry.record, Facts::of(&entry));
        }
    }

    /// Another record of a job that is there.
    pub(super) fn put(&mut self, record: JobRecord) {
        if let Some(mut entry) = self.get_mut(&record.id) {
            entry.record = record;
        }
    }

    /// All of them, in any order.
    pub(super) fn values(&self) -> impl Iterator<Item = &Entry> {
        self.entries.values()
    }

    fn found<'j>(
        &'j self,
        ids: impl Iterator<Item = &'j String>,
    ) -> impl Iterator<Item = &'j Entry> {
        ids.filter_map(|id| self.entries.get(id))
    }

    /// Those that a worker has, with their runs.
    pub(super) fn lives(&self) -> impl Iterator<Item = (&Entry, &Live)> {
        let lives = self.found(self.index.live.iter());
        lives.filter_map(|entry| Some((entry, entry.live.as_ref()?)))
    }

    /// The same, to change the runs.
    pub(super) fn each_live(&mut self, mut act: impl FnMut(&JobRecord, &mut Live)) {
        for id in &self.index.live {
            if let Some(entry) = self.entries.get_mut(id)
                && let Some(live) = &mut entry.live
            {
                act(&entry.record, live);
            }
        }
    }

    pub(super) fn begun(&self) -> usize {
        self.index.live.len()
    }

    /// How many wait for a place, and for an answer.
    pub(super) fn idle(&self) -> (u64, u64) {
        (self.index.in_queues, self.index.waiting)
    }

    /// Of each client the oldest job that could run, and the oldest short one.
    pub(super) fn fronts(&self, only_short: bool) -> impl Iterator<Item = &Entry> {
        let front = |queue: &BTreeSet<(u64, String)>| {
            let queued = queue.iter().filter_map(|(_, id)| self.entries.get(id));
            // Those that the disk failed wait behind.
            queued.into_iter().find(|entry| entry.is_runnable())
        };
        let fronts = self.index.queued.values().map(move |queue| {
            let long = (!only_short).then(|| front(&queue.long)).flatten();
            [front(&queue.short), long]
        });
        fronts.flatten().flatten()
    }

    /// How many that wait for a place were accepted before this moment.
    pub(super) fn ahead_of(&self, accepted_at: u64) -> usize {
        let before = ..(accepted_at, String::new());
        let queues = self.index.queued.values();
        let ahead = queues.flat_map(|queue| [&queue.short, &queue.long]);
        ahead.map(|queue| queue.range(before.clone()).count()).sum()
    }

    /// What each client has.
    pub(super) fn clients(&self) -> impl Iterator<Item = (&String, &Ledger)> {
        self.index.clients.iter()
    }

    pub(super) fn ledger(&self, client: &str) -> Option<&Ledger> {
        self.index.clients.get(client)
    }

    /// A client's jobs, newest first.
    pub(super) fn newest_of(&self, client: &str) -> impl Iterator<Item = &Entry> {
        let all = self.ledger(client).map(|ledger| ledger.all.iter().rev());
        self.found(all.into_iter().flatten().map(|(_, id)| id))
    }

    /// A client's jobs that have not ended.
    pub(super) fn open_of(&self, client: &str) -> impl Iterator<Item = &Entry> {
        let open = self.ledger(client).map(|ledger| ledger.open.iter());
        self.found(open.into_iter().flatten())
    }

    /// Bytes that all have stored.
    pub(super) fn bytes(&self) -> u64 {
        self.index.bytes
    }

    /// Those that have ended and that nobody has looked at since.
    pub(super) fn unmet(&self) -> impl Iterator<Item = &JobRecord> {
        let unmet = self.index.ended.iter();
        let unmet = unmet.take_while(|(from, _)| from.is_none());
        self.found(unmet.map(|(_, id)| id))
            .map(|entry| &entry.record)
    }

    /// Those that have been kept for so long, the longest first.
    pub(super) fn due(&self, now: u64, keep: u64) -> impl Iterator<Item = &JobRecord> {
        let is_old = move |from: u64| now.saturating_sub(from) >= keep;
        let due = self.index.ended.range((Some(0), String::new())..);
        let due = due.take_while(move |(from, _)| from.is_some_and(is_old));
        self.found(due.map(|(_, id)| id)).map(|entry| &entry.record)
    }

    /// Whether a job that has not ended names a blob.
    pub(super) fn uses(&self, blob: &BlobName) -> bool {
        self.index.uses.contains_key(blob)
    }

    /// Blobs that no job names any more since this was last settled.
    pub(super) fn freed(&self) -> impl Iterator<Item = &BlobName> {
        self.index.freed.iter()
    }

    pub(super) fn is_freed(&self, blob: &BlobName) -> bool {
        self.index.freed.contains(blob)
    }

    pub(super) fn settle(&mut self, blob: &BlobName) {
        self.index.freed.remove(blob);
    }
}

#[cfg(test)]
mod tests;
