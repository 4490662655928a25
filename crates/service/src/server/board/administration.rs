//! What administrators see of the board: jobs of all clients, and what each client uses.

use std::collections::BTreeMap;

use tonic::Status;

use super::{Board, State};
use crate::proto::{self, JobStatus};
use crate::server::store::JobRecord;

/// Which jobs are meant.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct JobFilter {
    /// Only those that have not ended.
    pub(crate) unfinished: bool,
    /// At most so many, the newest.
    pub(crate) limit: usize,
}

/// What a client uses.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Account {
    /// Its name when it last submitted, if it did.
    pub(crate) name: Option<String>,
    pub(crate) used: proto::Shares,
}

impl Board {
    /// Jobs of all clients that `is_meant` names by id and name, newest first: the client's name and
    /// id beside each.
    pub(crate) fn all_jobs(
        &self,
        filter: JobFilter,
        is_meant: impl Fn(&str, &str) -> bool,
    ) -> Vec<(String, String, JobStatus)> {
        let state = self.lock();
        let jobs = state.jobs.values().map(|entry| &entry.record);
        let mut jobs: Vec<&JobRecord> = jobs
            .filter(|job| !(filter.unfinished && job.rest.is_end()))
            .filter(|job| is_meant(&job.client, &job.client_name))
            .collect();
        jobs.sort_by(|a, b| b.accepted_at.cmp(&a.accepted_at).then(b.id.cmp(&a.id)));
        let jobs = jobs.into_iter().take(filter.limit);
        let shown = jobs.filter_map(|job| {
            let status = state.status(&job.id)?;
            Some((job.client_name.clone(), job.client.clone(), status))
        });
        shown.collect()
    }

    /// How anybody's job does: the client's name and id beside it.
    pub(crate) fn any_job(&self, id: &str) -> Result<(String, String, JobStatus), Status> {
        let state = self.lock();
        let record = &state.any(id)?.record;
        let status = state.status(id).unwrap_or_default();
        Ok((record.client_name.clone(), record.client.clone(), status))
    }

    /// What all clients use that have anything here, by id.
    pub(crate) fn accounts(&self) -> BTreeMap<String, Account> {
        self.lock().accounts()
    }

    /// Jobs that run now, and that wait for a core.
    pub(crate) fn at_work(&self) -> (u32, u32) {
        let census = self.lock().census();
        (census.running as u32, census.queued as u32)
    }
}

impl State {
    fn accounts(&self) -> BTreeMap<String, Account> {
        let mut accounts: BTreeMap<String, Account> = BTreeMap::new();
        for (client, bytes) in self.blobs.clients() {
            accounts.entry(client.clone()).or_default().used.bytes += bytes;
        }
        for (client, bytes) in &self.reserved {
            if *bytes > 0 {
                accounts.entry(client.clone()).or_default().used.bytes += bytes;
            }
        }
        for (client, ledger) in self.jobs.clients() {
            let account = accounts.entry(client.clone()).or_default();
            let newest = self.jobs.newest_of(client).next();
            account.name = newest.map(|job| job.record.client_name.clone());
            let used = &mut account.used;
            used.bytes += ledger.stored;
            used.jobs = ledger.unfinished() as u64;
            for job in self.jobs.open_of(client) {
                if let Some(plan) = &job.record.plan {
                    used.bootstraps += plan.bootstraps;
                    used.memory = used.memory.max(plan.bytes);
                }
            }
        }
        accounts
    }
}
