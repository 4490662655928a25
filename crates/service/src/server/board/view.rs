//! What clients see of the board.

use std::cmp::Reverse;
use std::sync::atomic::Ordering;

use tonic::Status;

use super::entry::{Entry, milliseconds};
use super::jobs::Ledger;
use super::{Board, State};
use crate::proto::{self, JobState, JobStatus};
use crate::server::caller::Caller;
use crate::server::store::{JobRecord, Rest};

/// Jobs in a list when the client does not say.
const LIST_DEFAULT: usize = 100;
/// Most jobs in a list: they travel in one message.
const LIST_MOST: usize = 1_000;
/// Most ended jobs in a list of everybody's.
const ENDED_MOST: usize = 100;

impl Board {
    /// How a client's job does.
    pub(crate) fn status(&self, caller: &Caller, id: &str) -> Result<JobStatus, Status> {
        // Streams ask again and again: they end with what lets their client in.
        self.settings.policy.again(caller)?;
        let state = self.lock();
        state.own(&caller.id, id)?;
        state
            .status(id)
            .ok_or_else(|| Status::not_found("no such job"))
    }

    /// The record of a client's job.
    pub(crate) fn record(&self, caller: &Caller, id: &str) -> Result<JobRecord, Status> {
        Ok(self.lock().own(&caller.id, id)?.record.clone())
    }

    /// A client's jobs, newest first.
    pub(crate) fn list(&self, caller: &Caller, request: proto::JobsRequest) -> proto::JobList {
        let state = self.lock();
        let limit = match request.limit as usize {
            0 => LIST_DEFAULT,
            limit => limit.min(LIST_MOST),
        };
        let mut mine: Vec<&JobRecord> = match request.unfinished {
            true => state
                .jobs
                .open_of(&caller.id)
                .map(|entry| &entry.record)
                .collect(),
            false => {
                let newest = state.jobs.newest_of(&caller.id).take(limit);
                newest.map(|entry| &entry.record).collect()
            }
        };
        mine.sort_by(|a, b| b.accepted_at.cmp(&a.accepted_at).then(b.id.cmp(&a.id)));
        let jobs = mine.iter().take(limit);
        proto::JobList {
            jobs: jobs.filter_map(|job| state.status(&job.id)).collect(),
        }
    }

    /// All clients' jobs with their names: those that have not ended, and the last that have; newest
    /// first.
    pub(crate) fn everybodys(&self) -> Vec<(String, JobStatus)> {
        let state = self.lock();
        let jobs = state.jobs.values().map(|entry| &entry.record);
        let (mut ended, mut open): (Vec<_>, Vec<_>) = jobs.partition(|job| job.rest.is_end());
        ended.sort_by_key(|job| Reverse(job.ended_at));
        ended.truncate(ENDED_MOST);
        open.sort_by_key(|job| Reverse(job.accepted_at));
        open.truncate(LIST_MOST);
        open.extend(ended);
        open.sort_by(|a, b| b.accepted_at.cmp(&a.accepted_at).then(b.id.cmp(&a.id)));
        let named = open.iter().filter_map(|job| {
            let status = state.status(&job.id)?;
            Some((job.client_name.clone(), status))
        });
        named.collect()
    }

    /// The server, as one client sees it.
    pub(crate) fn about(&self, caller: &Caller) -> proto::AboutReply {
        let state = self.lock();
        let census = state.census();
        let mine = state.jobs.ledger(&caller.id);
        proto::AboutReply {
            version: env!("CARGO_PKG_VERSION").to_owned(),
            client: caller.name.clone(),
            parameters: tfhe::SETS.iter().map(|set| set.name().to_owned()).collect(),
            threads: self.settings.threads.get() as u32,
            jobs_at_once: self.settings.jobs.get() as u32,
            quota: Some(proto::Usage {
                bytes: caller.quota.bytes,
                jobs: caller.quota.jobs,
                instructions: caller.quota.instructions,
                wall_seconds: caller.quota.wall_seconds,
            }),
            used: Some(proto::Usage {
                bytes: state.stored(&caller.id),
                jobs: mine.map_or(0, Ledger::unfinished) as u64,
                instructions: mine.map_or(0, |mine| mine.instructions),
                wall_seconds: mine.map_or(0, |mine| mine.run_ms) / 1000,
            }),
            running: census.running as u32,
            queued: census.queued as u32,
            draining: state.draining,
        }
    }
}

impl State {
    pub(super) fn status(&self, id: &str) -> Option<JobStatus> {
        let entry = self.jobs.get(id)?;
        let record = &entry.record;
        let mut status = JobStatus {
            id: record.id.clone(),
            name: record.name.clone(),
            state: state_of(entry) as i32,
            instructions: record.instructions,
            nodes: record.nodes,
            windows: record
                .checkpoint
                .as_ref()
                .map_or(0, |checkpoint| checkpoint.windows as u32),
            instructions_planned: entry.plan.instructions,
            nodes_planned: entry.plan.nodes,
            windows_planned: entry.plan.windows,
            end_known: entry.plan.end_known,
            questions: record.questions,
            question_open: record.open_question.is_some(),
            error: record
                .error
                .as_ref()
                .map(|(code, message)| proto::JobError {
                    code: *code,
                    message: message.clone(),
                }),
            accepted_at: record.accepted_at,
            started_at: record.started_at,
            ended_at: record.ended_at,
            run_seconds: record.run_ms as f64 / 1e3,
            outputs_length: record.outputs_length,
            written_length: record.written_length,
            recoveries: record.recoveries,
            ..JobStatus::default()
        };
        if let Some(live) = &entry.live {
            let relaxed = Ordering::Relaxed;
            let reached = &live.reached;
            let plan = reached.planned();
            status.instructions = status.instructions.max(reached.instructions.load(relaxed));
            status.nodes = status.nodes.max(reached.nodes.load(relaxed));
            status.windows = status.windows.max(reached.window.load(relaxed) as u32);
            status.instructions_planned = plan.instructions;
            status.nodes_planned = plan.nodes;
            status.windows_planned = plan.windows;
            status.end_known = plan.end_known;
            status.nodes_per_second = live.rate;
            status.threads = live.threads;
            let run = record.run_ms + milliseconds(live.ran());
            status.run_seconds = run as f64 / 1e3;
            if plan.end_known && live.rate > 0.0 {
                let left = plan.nodes.saturating_sub(status.nodes);
                status.seconds_left = Some(left as f64 / live.rate);
            }
        } else if record.rest == Rest::Queued {
            status.ahead = self.jobs.ahead_of(record.accepted_at) as u32;
        }
        Some(status)
    }
}

fn state_of(entry: &Entry) -> JobState {
    match (entry.record.rest, &entry.live) {
        // It holds its place, but computes nothing.
        (_, Some(_)) if entry.record.open_question.is_some() => JobState::Waiting,
        (_, Some(_)) => JobState::Running,
        (Rest::Queued, None) => JobState::Queued,
        (Rest::Waiting, None) => JobState::Waiting,
        (Rest::Done, None) => JobState::Done,
        (Rest::Failed, None) => JobState::Failed,
        (Rest::Cancelled, None) => JobState::Cancelled,
    }
}

/// Whether a status is a job's last.
pub(crate) fn is_end(status: &JobStatus) -> bool {
    matches!(
        status.state(),
        JobState::Done | JobState::Failed | JobState::Cancelled
    )
}
