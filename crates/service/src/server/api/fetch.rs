//! Files that a job left.

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;

use super::share::Held;
use super::{Answers, blocking};
use crate::proto::chunk::Part as ChunkPart;
use crate::proto::{BlobHeader, BlobKind, CHUNK_BYTES, Chunk, FetchRequest, Part};
use crate::server::board::Board;
use crate::server::caller::Caller;
use crate::server::store::{OUTPUTS, Rest, WRITTEN};

/// A file, ready to be sent.
struct Opened {
    file: File,
    header: BlobHeader,
}

/// Sends a file of a job.
pub(super) async fn fetch(
    board: Arc<Board>,
    caller: Caller,
    request: FetchRequest,
    held: Held,
) -> Result<Answers<Chunk>, Status> {
    let opened = blocking(move || open(&board, &caller, &request)).await?;
    let (sender, receiver) = mpsc::channel(2);
    tokio::spawn(async move {
        let _held = held;
        send(opened, sender).await;
    });
    Ok(Box::pin(ReceiverStream::new(receiver)))
}

fn open(board: &Board, caller: &Caller, request: &FetchRequest) -> Result<Opened, Status> {
    let record = board.record(caller, &request.id)?;
    let (name, kind, length) = match request.part() {
        Part::Outputs => (OUTPUTS, BlobKind::Outputs, record.outputs_length),
        Part::Written => (WRITTEN, BlobKind::Written, record.written_length),
    };
    if request.part() == Part::Outputs && record.rest != Rest::Done {
        let id = &record.id;
        let message = match (record.rest, &record.error) {
            (Rest::Failed, Some((_, message))) => format!("job {id} failed: {message}"),
            (Rest::Cancelled, _) => format!("job {id} was cancelled: it has no outputs"),
            _ => format!("job {id} is not done: wait for it"),
        };
        return Err(Status::failed_precondition(message));
    }
    let failed = |error: std::io::Error| {
        tracing::error!(job = %record.id, %error, "cannot read what a job left");
        Status::internal("the server cannot read the file: ask its operator to look into its log")
    };
    let path = board.store.job_path(&record.id, name);
    let mut file = match File::open(&path) {
        // A job that has not begun has written nothing.
        Err(error) if error.kind() == std::io::ErrorKind::NotFound && length == 0 => {
            tempfile::tempfile().map_err(failed)?
        }
        other => other.map_err(failed)?,
    };
    let mut hasher = blake3::Hasher::new();
    let copied = std::io::copy(&mut (&mut file).take(length), &mut hasher).map_err(failed)?;
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    Ok(Opened {
        file,
        header: BlobHeader {
            kind: kind as i32,
            blake3: hasher.finalize().as_bytes().to_vec(),
            length: copied,
        },
    })
}

/// Sends as fast as the client reads. No thread waits for it meanwhile.
async fn send(opened: Opened, sender: Sender<Result<Chunk, Status>>) {
    let Opened { file, header } = opened;
    let mut rest = tokio::fs::File::from_std(file).take(header.length);
    let chunk = |part| Ok(Chunk { part: Some(part) });
    let mut part = ChunkPart::Header(header);
    loop {
        // A client that has gone away needs no more.
        if sender.send(chunk(part)).await.is_err() {
            return;
        }
        let mut data = Vec::with_capacity(CHUNK_BYTES);
        let mut piece = (&mut rest).take(CHUNK_BYTES as u64);
        match piece.read_to_end(&mut data).await {
            Ok(0) => return,
            Ok(_) => part = ChunkPart::Data(data),
            Err(_) => {
                let failed = Status::internal("the server cannot read on: fetch again");
                let _ = sender.send(Err(failed)).await;
                return;
            }
        }
    }
}
