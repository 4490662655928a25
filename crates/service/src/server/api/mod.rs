//! The protocol's methods. Each learns who calls, checks what came, and asks the board.
//!
//! What waits for a disk runs on threads of its own ([`blocking`]), so that a slow disk delays
//! nobody's handshake. A method that panics is a defect; it is caught there, or ends its own task.

mod attend;
mod fetch;
mod share;
mod submit;
mod upload;
mod watch;

use std::pin::Pin;
use std::sync::Arc;

use tokio::sync::Semaphore;
use tokio_stream::Stream;
use tonic::{Request, Response, Status, Streaming};

use super::board::{Board, hash};
use super::caller::Caller;
use crate::proto::blindcore_server::Blindcore;
use crate::proto::{
    AboutReply, AboutRequest, Blob, Chunk, ClientMessage, FetchRequest, ForgetReply, ForgetRequest,
    Hashes, Job, JobId, JobList, JobSpec, JobStatus, JobsRequest, ServerMessage,
};
use share::{Held, Share};

/// Most hashes in one request, and most jobs to forget.
const COUNT_LIMIT: usize = 1_024;
/// Uploads at once, of all clients.
const UPLOADS: usize = 32;
/// Uploads at once, of one client.
const UPLOADS_EACH: usize = 8;
/// Streams of answers at once, of one client on all its connections: a submission that is attended
/// to takes two.
const STREAMS_EACH: usize = 256;
/// Contents being checked at once: each may take as much memory as its file.
const CHECKS: usize = 2;

/// A stream of answers.
type Answers<T> = Pin<Box<dyn Stream<Item = Result<T, Status>> + Send>>;

/// The service.
pub(crate) struct Service {
    board: Arc<Board>,
    uploads: Arc<Semaphore>,
    checks: Arc<Semaphore>,
    uploads_each: Arc<Share>,
    streams_each: Arc<Share>,
}

impl Service {
    pub(crate) fn new(board: Arc<Board>) -> Self {
        Self {
            board,
            uploads: Arc::new(Semaphore::new(UPLOADS)),
            checks: Arc::new(Semaphore::new(CHECKS)),
            uploads_each: Share::new("uploads", UPLOADS_EACH),
            streams_each: Share::new("streams", STREAMS_EACH),
        }
    }

    fn caller<T>(&self, request: &Request<T>) -> Result<Caller, Status> {
        let caller = Caller::of(request, &self.board.settings.quotas);
        caller.map_err(|status| self.refuse(status))
    }

    /// One more stream for a client.
    fn stream(&self, caller: &Caller) -> Result<Held, Status> {
        let held = self.streams_each.take(&caller.id);
        held.map_err(|status| self.refuse(status))
    }

    /// Counts and logs a refusal.
    fn refuse(&self, status: Status) -> Status {
        refuse(&self.board, status)
    }

    /// Asks the board, away from the threads that serve connections.
    async fn ask<T: Send + 'static>(
        &self,
        question: impl FnOnce(&Arc<Board>) -> Result<T, Status> + Send + 'static,
    ) -> Result<T, Status> {
        let board = Arc::clone(&self.board);
        let reply = blocking(move || question(&board)).await;
        reply.map_err(|status| self.refuse(status))
    }
}

/// Counts and logs a refusal.
fn refuse(board: &Board, status: Status) -> Status {
    board.metrics.refused(&status);
    // It may have a client's words in it: they must not look like lines of their own.
    let shown = |letter: char| if letter.is_control() { ' ' } else { letter };
    let reason: String = status.message().chars().map(shown).collect();
    tracing::info!(code = ?status.code(), %reason, "request refused");
    status
}

/// Runs what may wait for a disk on a thread that may.
async fn blocking<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Status> + Send + 'static,
) -> Result<T, Status> {
    match tokio::task::spawn_blocking(work).await {
        Ok(done) => done,
        Err(error) => {
            tracing::error!(
                panicked = error.is_panic(),
                "a request failed: this is a defect"
            );
            Err(Status::internal(
                "the server found a defect of its own: please report it",
            ))
        }
    }
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

#[tonic::async_trait]
impl Blindcore for Service {
    type WatchStream = Answers<JobStatus>;
    type FetchStream = Answers<Chunk>;
    type AttendStream = Answers<ServerMessage>;

    async fn about(&self, request: Request<AboutRequest>) -> Result<Response<AboutReply>, Status> {
        let caller = self.caller(&request)?;
        let about = self.ask(move |board| Ok(board.about(&caller))).await?;
        Ok(Response::new(about))
    }

    async fn missing(&self, request: Request<Hashes>) -> Result<Response<Hashes>, Status> {
        let caller = self.caller(&request)?;
        let list = request.into_inner().blake3;
        let names = hashes(&list).map_err(|status| self.refuse(status))?;
        let missing = self.ask(move |board| {
            let lacks = |name: &String| board.blob(&caller.id, name).is_none();
            let missing = list.into_iter().zip(names).filter(|(_, name)| lacks(name));
            Ok(missing.map(|(hash, _)| hash).collect())
        });
        Ok(Response::new(Hashes {
            blake3: missing.await?,
        }))
    }

    async fn upload(&self, request: Request<Streaming<Chunk>>) -> Result<Response<Blob>, Status> {
        let caller = self.caller(&request)?;
        let received = upload::receive(self, &caller, request.into_inner()).await;
        let header = received.map_err(|status| self.refuse(status))?;
        Ok(Response::new(Blob {
            header: Some(header),
        }))
    }

    async fn submit(&self, request: Request<JobSpec>) -> Result<Response<Job>, Status> {
        let caller = self.caller(&request)?;
        let spec = request.into_inner();
        // The inputs are read into memory.
        let _permit = self.checks.acquire().await;
        let job = self.ask(move |board| submit::submit(board, &caller, &spec));
        Ok(Response::new(job.await?))
    }

    async fn status(&self, request: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        let caller = self.caller(&request)?;
        let id = request.into_inner().id;
        let status = self.ask(move |board| board.status(&caller, &id)).await?;
        Ok(Response::new(status))
    }

    async fn watch(&self, request: Request<JobId>) -> Result<Response<Self::WatchStream>, Status> {
        let caller = self.caller(&request)?;
        let id = request.into_inner().id;
        let held = self.stream(&caller)?;
        let stream = watch::watch(Arc::clone(&self.board), caller, id, held);
        let stream = stream.await.map_err(|status| self.refuse(status))?;
        Ok(Response::new(stream))
    }

    async fn jobs(&self, request: Request<JobsRequest>) -> Result<Response<JobList>, Status> {
        let caller = self.caller(&request)?;
        let wanted = request.into_inner();
        let list = self.ask(move |board| Ok(board.list(&caller, wanted)));
        Ok(Response::new(list.await?))
    }

    async fn cancel(&self, request: Request<JobId>) -> Result<Response<JobStatus>, Status> {
        let caller = self.caller(&request)?;
        let id = request.into_inner().id;
        let (by, job) = (caller.clone(), id.clone());
        self.ask(move |board| board.cancel(&by, &job)).await?;
        let ended = watch::until_end(&self.board, &caller, &id).await;
        Ok(Response::new(ended.map_err(|status| self.refuse(status))?))
    }

    async fn fetch(
        &self,
        request: Request<FetchRequest>,
    ) -> Result<Response<Self::FetchStream>, Status> {
        let caller = self.caller(&request)?;
        let held = self.stream(&caller)?;
        let stream = fetch::fetch(Arc::clone(&self.board), caller, request.into_inner(), held);
        let stream = stream.await.map_err(|status| self.refuse(status))?;
        Ok(Response::new(stream))
    }

    async fn forget(
        &self,
        request: Request<ForgetRequest>,
    ) -> Result<Response<ForgetReply>, Status> {
        let caller = self.caller(&request)?;
        let ForgetRequest { jobs, blobs } = request.into_inner();
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
        Ok(Response::new(ForgetReply {
            bytes: bytes.await?,
        }))
    }

    async fn attend(
        &self,
        request: Request<Streaming<ClientMessage>>,
    ) -> Result<Response<Self::AttendStream>, Status> {
        let caller = self.caller(&request)?;
        let held = self.stream(&caller)?;
        let stream = attend::attend(Arc::clone(&self.board), caller, request.into_inner(), held);
        Ok(Response::new(stream))
    }
}
