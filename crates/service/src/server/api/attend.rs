//! Questions to clients, and their answers.

use std::collections::{BTreeSet, HashSet};
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::{Status, Streaming};
use tracing::Instrument as _;

use super::Answers;
use crate::proto::client_message::Of;
use crate::proto::{AnswerStored, ClientMessage, ServerMessage, server_message};
use crate::server::board::{Board, is_end, storage};
use crate::server::caller::Caller;
use crate::server::desk::{COUNT_LIMIT, Desk, Held, blocking};

/// How long the first message may take.
const GREETING: Duration = Duration::from_secs(30);
/// Messages that wait for the client to read them.
const PENDING: usize = 16;

type Out = Sender<Result<ServerMessage, Status>>;

/// Serves one client's attendance until it goes away.
pub(super) fn attend(
    desk: Arc<Desk>,
    caller: Caller,
    stream: Streaming<ClientMessage>,
    held: Held,
) -> Answers<ServerMessage> {
    let (sender, receiver) = mpsc::channel(PENDING);
    let task = async move {
        let _held = held;
        if let Err(status) = serve(&desk.board, &caller, stream, &sender).await {
            let _ = sender.send(Err(desk.refuse(status))).await;
        }
    };
    tokio::spawn(task.in_current_span());
    Box::pin(ReceiverStream::new(receiver))
}

async fn serve(
    board: &Arc<Board>,
    caller: &Caller,
    mut stream: Streaming<ClientMessage>,
    out: &Out,
) -> Result<(), Status> {
    let late = |_| Status::deadline_exceeded("an attendance begins with whose questions are meant");
    let first = tokio::time::timeout(GREETING, stream.message());
    let jobs = match first.await.map_err(late)??.and_then(|message| message.of) {
        Some(Of::Attend(attendance)) if attendance.jobs.len() <= COUNT_LIMIT => {
            // Whatever happens on the board, each job is looked for among them.
            BTreeSet::from_iter(attendance.jobs)
        }
        _ => {
            return Err(Status::invalid_argument(format!(
                "an attendance begins with whose questions are meant, at most {COUNT_LIMIT} jobs"
            )));
        }
    };
    let mut events = board.events();
    let mut delivered = Delivered::default();
    send_news(board, caller, &jobs, &mut delivered, out).await?;
    loop {
        tokio::select! {
            message = stream.message() => match message?.map(|message| message.of) {
                Some(Some(Of::Answer(answer))) => {
                    let (board, by) = (Arc::clone(board), caller.clone());
                    let stored = AnswerStored { job: answer.job.clone(), number: answer.number };
                    blocking(move || board.answer(&by, &answer)).await?;
                    let stored = server_message::Of::Stored(stored);
                    if !say(out, stored).await {
                        return Ok(());
                    }
                }
                Some(_) => {
                    return Err(Status::invalid_argument("an attendance goes on with answers"));
                }
                // The client has nothing more to say, and so cannot answer.
                None => return Ok(()),
            },
            changed = events.changed() => {
                if changed.is_err() {
                    return Ok(());
                }
                send_news(board, caller, &jobs, &mut delivered, out).await?;
            }
            () = out.closed() => return Ok(()),
        }
    }
}

/// What this connection has heard.
#[derive(Default)]
struct Delivered {
    questions: HashSet<(String, u64)>,
    /// Jobs whose first, and whose last state was sent.
    seen: HashSet<String>,
    ended: HashSet<String>,
}

/// Says what the client does not know: questions without an answer, and ends of jobs.
async fn send_news(
    board: &Arc<Board>,
    caller: &Caller,
    jobs: &BTreeSet<String>,
    delivered: &mut Delivered,
    out: &Out,
) -> Result<(), Status> {
    let open = board.open_questions(caller, jobs);
    for asked in open {
        let key = (asked.job.clone(), asked.number);
        if delivered.questions.contains(&key) {
            continue;
        }
        let store = Arc::clone(board);
        let found = blocking(move || store.question(&asked.job, asked.number).map_err(storage));
        if let Some(question) = found.await? {
            delivered.questions.insert(key);
            if !say(out, server_message::Of::Question(question)).await {
                return Ok(());
            }
        }
    }
    for id in jobs {
        if delivered.ended.contains(id) {
            continue;
        }
        let status = board.status(caller, id)?;
        let end = is_end(&status);
        if end {
            delivered.ended.insert(id.clone());
        }
        if (delivered.seen.insert(id.clone()) || end)
            && !say(out, server_message::Of::Status(status)).await
        {
            return Ok(());
        }
    }
    Ok(())
}

/// Whether the client is still there to hear it.
async fn say(out: &Out, of: server_message::Of) -> bool {
    let message = ServerMessage { of: Some(of) };
    out.send(Ok(message)).await.is_ok()
}
