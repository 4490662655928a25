//! All blobs, and which of them are to be looked at: as [`super::jobs`] has jobs.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::jobs::BlobName;
use crate::server::store::BlobRecord;

/// See the module.
#[derive(Default)]
pub(super) struct Blobs {
    records: HashMap<BlobName, BlobRecord>,
    index: Index,
}

/// Where blobs are found.
#[derive(Default, Debug, PartialEq, Eq)]
struct Index {
    /// Bytes of all, and of each client.
    bytes: u64,
    clients: HashMap<String, u64>,
    /// Those that are known to be unused, by the meter since when.
    unused: BTreeSet<(u64, BlobName)>,
    /// Those that came, or were named by a job, since anybody looked.
    fresh: HashSet<BlobName>,
}

impl Index {
    fn enter(&mut self, name: &BlobName, record: &BlobRecord) {
        self.bytes += record.length;
        *self.clients.entry(name.0.clone()).or_default() += record.length;
        match record.kept_from {
            Some(from) => drop(self.unused.insert((from, name.clone()))),
            None => drop(self.fresh.insert(name.clone())),
        }
    }

    fn leave(&mut self, name: &BlobName, record: &BlobRecord) {
        self.bytes -= record.length;
        if let Some(bytes) = self.clients.get_mut(&name.0) {
            *bytes -= record.length;
            if *bytes == 0 {
                self.clients.remove(&name.0);
            }
        }
        match record.kept_from {
            Some(from) => drop(self.unused.remove(&(from, name.clone()))),
            None => drop(self.fresh.remove(name)),
        }
    }
}

impl Blobs {
    pub(super) fn get(&self, name: &BlobName) -> Option<&BlobRecord> {
        self.records.get(name)
    }

    /// One more, or another record of one that is there.
    pub(super) fn insert(&mut self, name: BlobName, record: BlobRecord) {
        self.remove(&name);
        self.index.enter(&name, &record);
        self.records.insert(name, record);
    }

    pub(super) fn remove(&mut self, name: &BlobName) {
        if let Some(record) = self.records.remove(name) {
            self.index.leave(name, &record);
        }
    }

    /// Bytes of all of them.
    pub(super) fn bytes(&self) -> u64 {
        self.index.bytes
    }

    /// Bytes of a client's.
    pub(super) fn bytes_of(&self, client: &str) -> u64 {
        self.index.clients.get(client).copied().unwrap_or(0)
    }

    /// Bytes of each client.
    pub(super) fn clients(&self) -> impl Iterator<Item = (&String, u64)> {
        let clients = self.index.clients.iter();
        clients.map(|(client, bytes)| (client, *bytes))
    }

    /// Those that came, or were named by a job, since anybody looked.
    pub(super) fn fresh(&self) -> impl Iterator<Item = &BlobName> {
        self.index.fresh.iter()
    }

    /// One of them was found in use: it is looked at again once it is not.
    pub(super) fn settle(&mut self, name: &BlobName) {
        self.index.fresh.remove(name);
    }

    /// Those that have been unused for so long, the longest first.
    pub(super) fn old(&self, now: u64, keep: u64) -> impl Iterator<Item = &BlobName> {
        let unused = self.index.unused.iter();
        let old = unused.take_while(move |(from, _)| now.saturating_sub(*from) >= keep);
        old.map(|(_, name)| name)
    }
}
