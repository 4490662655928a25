//! Following a job.

use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc;
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tracing::Instrument as _;

use super::share::Held;
use super::{Desk, blocking};
use crate::proto::JobStatus;
use crate::server::board::{Board, is_end};
use crate::server::caller::Caller;

/// Least time between two messages: a run reports more often than anybody reads.
const PERIOD: Duration = Duration::from_millis(500);
/// How long a cancelled job may take to end before its client is told that it still runs.
const PATIENCE: Duration = Duration::from_secs(5);

async fn status(board: &Arc<Board>, caller: &Caller, id: &str) -> Result<JobStatus, Status> {
    let (board, caller, id) = (Arc::clone(board), caller.clone(), id.to_owned());
    blocking(move || board.status(&caller, &id)).await
}

/// A job's status whenever it changes.
pub(in crate::server) type Changes = ReceiverStream<Result<JobStatus, Status>>;

impl Desk {
    /// A job's status at once and whenever it changes, until it ends.
    pub(in crate::server) async fn watch(
        &self,
        caller: Caller,
        id: String,
    ) -> Result<Changes, Status> {
        let held = self.stream(&caller)?;
        let changes = watch(Arc::clone(&self.board), caller, id, held).await;
        changes.map_err(|status| self.refuse(status))
    }
}

async fn watch(
    board: Arc<Board>,
    caller: Caller,
    id: String,
    held: Held,
) -> Result<Changes, Status> {
    let mut events = board.events();
    let mut last = status(&board, &caller, &id).await?;
    let (sender, receiver) = mpsc::channel(4);
    let task = async move {
        let _held = held;
        let mut sent = false;
        loop {
            if !sent && sender.send(Ok(last.clone())).await.is_err() {
                return;
            }
            if is_end(&last) {
                return;
            }
            tokio::select! {
                changed = events.changed() => if changed.is_err() { return },
                () = sender.closed() => return,
            }
            match status(&board, &caller, &id).await {
                Ok(status) if board.is_stopped() && !is_end(&status) => {
                    let stopping = "the server is stopping: follow the job again when it is back";
                    let _ = sender.send(Err(Status::unavailable(stopping))).await;
                    return;
                }
                Ok(status) => {
                    sent = status == last;
                    // A change of state is told at once, numbers now and then.
                    if status.state == last.state && !sent {
                        tokio::time::sleep(PERIOD).await;
                    }
                    last = status;
                }
                Err(error) => {
                    let _ = sender.send(Err(error)).await;
                    return;
                }
            }
        }
    };
    tokio::spawn(task.in_current_span());
    Ok(ReceiverStream::new(receiver))
}

/// The status of a job that is about to end, once it has.
pub(super) async fn until_end(
    board: &Arc<Board>,
    status: impl Fn(&Board) -> Result<JobStatus, Status> + Clone + Send + 'static,
) -> Result<JobStatus, Status> {
    let mut events = board.events();
    let look = || {
        let (board, status) = (Arc::clone(board), status.clone());
        blocking(move || status(&board))
    };
    let ended = async {
        loop {
            let status = look().await?;
            if is_end(&status) || events.changed().await.is_err() {
                return Ok(status);
            }
        }
    };
    match tokio::time::timeout(PATIENCE, ended).await {
        Ok(status) => status,
        Err(_) => look().await,
    }
}
