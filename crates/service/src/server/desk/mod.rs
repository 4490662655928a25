//! What every face of the server does with a call, whatever language its caller speaks: one client
//! takes no more than its share, what came is checked, the board is asked, refusals are counted.
//!
//! What waits for a disk runs on threads of its own ([`blocking`]), so that a slow disk delays
//! nobody's handshake. A call that panics is a defect; it is caught there, or ends its own task.

mod budget;
mod fetch;
mod share;
mod submit;
mod upload;
mod watch;

use std::sync::Arc;

use tokio::sync::{Semaphore, oneshot};
use tonic::Status;

use super::board::{Board, hash};
use super::caller::Caller;
use super::calls::within_call;
use super::connections::Network;
use crate::proto::{ClientJob, Job, JobSpec, JobStatus};

pub(super) use budget::{Budget, Lease};
pub(super) use share::{Held, Share};
pub(super) use upload::{SILENCE, longest, silent};

/// Most hashes in one request, and most jobs to forget.
pub(super) const COUNT_LIMIT: usize = 1_024;
/// Uploads at once, of all clients.
const UPLOADS: usize = 32;
/// Uploads at once, of one client.
const UPLOADS_EACH: usize = 8;
/// Files being sent at once, to one client: each is a piece or two in memory.
const FETCHES_EACH: usize = 32;
/// Streams of answers at once, of one client on all its connections: a submission that is attended
/// to takes two.
const STREAMS_EACH: usize = 256;
/// Submissions being checked at once, of one client: others wait behind them.
const SUBMISSIONS_EACH: usize = 8;
/// Contents being checked at once: each may take as much memory as its file.
const CHECKS: usize = 2;

/// Where calls arrive. All faces share one, so that a client's share is the same however it calls.
pub(super) struct Desk {
    pub(super) board: Arc<Board>,
    /// Bytes of messages that are being received.
    pub(super) budget: Arc<Budget>,
    uploads: Semaphore,
    checks: Semaphore,
    uploads_each: Arc<Share>,
    fetches_each: Arc<Share>,
    streams_each: Arc<Share>,
    submissions_each: Arc<Share>,
    calls_each: Arc<Share>,
    calls_near: Arc<Share>,
    web_each: Arc<Share>,
}

/// What a call over HTTP holds until its answer has gone.
pub(super) struct WebCall {
    _connection: Held,
    _call: [Option<Held>; 2],
}

impl Desk {
    pub(super) fn new(board: Arc<Board>) -> Arc<Self> {
        let limits = *board.settings.policy.now().connections();
        Arc::new(Self {
            budget: Budget::new(limits, board.metrics.doors.clone()),
            board,
            uploads: Semaphore::new(UPLOADS),
            checks: Semaphore::new(CHECKS),
            uploads_each: Share::new("uploads", UPLOADS_EACH),
            fetches_each: Share::new("fetches", FETCHES_EACH),
            streams_each: Share::new("streams", STREAMS_EACH),
            submissions_each: Share::new("submissions", SUBMISSIONS_EACH),
            calls_each: Share::new("calls", limits.calls),
            calls_near: Share::new("calls from the address", limits.calls.saturating_mul(2)),
            web_each: Share::new("calls over HTTP", (limits.web / 2).max(1)),
        })
    }

    /// One more call, of any kind, for a client and its address.
    pub(super) fn call(
        &self,
        caller: &Caller,
        network: Option<Network>,
    ) -> Result<[Option<Held>; 2], Status> {
        let near = network.map(|network| self.calls_near.take(&network.to_string()));
        Ok([Some(self.calls_each.take(&caller.id)?), near.transpose()?])
    }

    /// The same over HTTP, where each takes a connection of which nobody knew whose it is: no client
    /// has more than half of them in use.
    pub(super) fn web_call(
        &self,
        caller: &Caller,
        network: Option<Network>,
    ) -> Result<WebCall, Status> {
        let connection = self.web_each.take(&caller.id)?;
        Ok(WebCall {
            _connection: connection,
            _call: self.call(caller, network)?,
        })
    }

    /// Counts and logs a refusal.
    pub(super) fn refuse(&self, status: Status) -> Status {
        self.board.metrics.refused(&status);
        // It may have a client's words in it: they must not look like lines of their own.
        let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
        let reason: String = status.message().chars().map(shown).collect();
        tracing::info!(code = ?status.code(), %reason, "request refused");
        status
    }

    /// One more stream for a client.
    pub(super) fn stream(&self, caller: &Caller) -> Result<Held, Status> {
        let held = self.streams_each.take(&caller.id);
        held.map_err(|status| self.refuse(status))
    }

    /// Asks the board, away from the threads that serve connections.
    pub(super) async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Arc<Board>) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let board = Arc::clone(&self.board);
        let reply = blocking(move || question(&board)).await;
        reply.map_err(|status| self.refuse(status))
    }

    /// As [`ask`](Self::ask), for what reads whole files of ciphertexts into memory.
    pub(super) async fn ask_with_files<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Arc<Board>) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let _permit = self.checks.acquire().await;
        let board = Arc::clone(&self.board);
        let reply = apart(move || question(&board)).await;
        reply.map_err(|status| self.refuse(status))
    }

    /// Those of some hashes of which the server has no blob of this client.
    pub(super) async fn missing(
        &self,
        caller: Caller,
        list: Vec<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, Status> {
        let names = hashes(&list).map_err(|status| self.refuse(status))?;
        let missing = self.ask(move |board| {
            let lacks = |name: &String| board.blob(&caller.id, name).is_none();
            let missing = list.into_iter().zip(names).filter(|(_, name)| lacks(name));
            Ok(missing.map(|(hash, _)| hash).collect())
        });
        missing.await
    }

    /// Accepts a job.
    pub(super) async fn submit(&self, caller: Caller, spec: JobSpec) -> Result<Job, Status> {
        let held = self.submissions_each.take(&caller.id);
        let _held = held.map_err(|status| self.refuse(status))?;
        self.ask_with_files(move |board| submit::submit(board, &caller, &spec))
            .await
    }

    /// Ends a job.
    pub(super) async fn cancel(&self, caller: Caller, id: String) -> Result<JobStatus, Status> {
        let (by, job) = (caller.clone(), id.clone());
        self.ask(move |board| board.cancel(&by, &job)).await?;
        let ended = watch::until_end(&self.board, move |board| board.status(&caller, &id));
        ended.await.map_err(|status| self.refuse(status))
    }

    /// Anybody's job that an administrator has cancelled, once it has ended.
    pub(super) async fn cancelled(&self, id: String) -> Result<ClientJob, Status> {
        let job = id.clone();
        let ended = watch::until_end(&self.board, move |board| Ok(board.any_job(&job)?.2));
        ended.await.map_err(|status| self.refuse(status))?;
        let (client, client_id, status) = self.ask(move |board| board.any_job(&id)).await?;
        Ok(ClientJob {
            client,
            client_id,
            status: Some(status),
        })
    }

    /// Removes jobs and blobs; gives the bytes that are free again.
    pub(super) async fn forget(
        &self,
        caller: Caller,
        jobs: Vec<String>,
        blobs: Vec<Vec<u8>>,
    ) -> Result<u64, Status> {
        let blobs = hashes(&blobs).map_err(|status| self.refuse(status))?;
        let bytes = self.ask(move |board| {
            if jobs.len() > COUNT_LIMIT {
                return Err(Status::invalid_argument(format!(
                    "{} jobs: at most {COUNT_LIMIT} are taken",
                    jobs.len()
                )));
            }
            board.forget(&caller, &jobs, &blobs)
        });
        bytes.await
    }
}

/// Runs what may wait for a disk on a thread that may.
pub(super) async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Status> + Send + 'static,
) -> Result<T, Status> {
    match tokio::task::spawn_blocking(within_call(work)).await {
        Ok(done) => done,
        Err(error) => Err(defect(error.is_panic())),
    }
}

/// Runs what takes memory, or cores, on a thread that ends with it. Those that wait for disks are
/// many and stay: the allocator keeps for each of them what it once needed.
pub(super) async fn apart<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Status> + Send + 'static,
) -> Result<T, Status> {
    let (sender, receiver) = oneshot::channel();
    let thread = std::thread::Builder::new().name("check".to_owned());
    let work = within_call(work);
    let spawned = thread.spawn(move || {
        // Nobody may wait any more.
        let _ = sender.send(work());
    });
    if let Err(error) = spawned {
        tracing::error!(%error, "the system gives no thread");
        return Err(Status::unavailable(
            "the server has no thread left for this: try again in a moment",
        ));
    }
    receiver.await.unwrap_or_else(|_| Err(defect(true)))
}

/// A call that ended as none may.
fn defect(panicked: bool) -> Status {
    tracing::error!(panicked, "a request failed: this is a defect");
    Status::internal("the server found a defect of its own: please report it")
}

fn hashes(list: &[Vec<u8>]) -> Result<Vec<String>, Status> {
    if list.len() > COUNT_LIMIT {
        let count = list.len();
        return Err(Status::invalid_argument(format!(
            "{count} hashes: at most {COUNT_LIMIT} are taken"
        )));
    }
    list.iter().map(|bytes| hash("blake3", bytes)).collect()
}
