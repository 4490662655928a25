//! Files that a job left.

use std::fs::File;
use std::io::{Read as _, Seek, SeekFrom};
use std::sync::Arc;

use tokio::io::AsyncReadExt as _;
use tokio::sync::mpsc::{self, Sender};
use tokio_stream::wrappers::ReceiverStream;
use tonic::Status;
use tracing::Instrument as _;

use super::share::Held;
use super::{Desk, blocking};
use crate::proto::{BlobHeader, BlobKind, FetchRequest, Part};
use crate::server::board::Board;
use crate::server::caller::Caller;
use crate::server::store::{OUTPUTS, Rest, WRITTEN};

/// A file, ready to be sent.
pub(in crate::server) struct Opened {
    /// What it is.
    pub(in crate::server) header: BlobHeader,
    file: File,
    held: [Held; 2],
    /// Who is told when all outputs of a job were sent.
    fetched: Option<(Arc<Board>, String)>,
}

/// Bytes of a piece: a few of them are in memory for each client that takes its time.
const PIECE: usize = 256 << 10;

/// Its content, piece by piece, each of at most 256 KiB.
pub(in crate::server) type Pieces = ReceiverStream<Result<Vec<u8>, Status>>;

impl Desk {
    /// Opens a file of a job.
    pub(in crate::server) async fn fetch(
        &self,
        caller: Caller,
        request: FetchRequest,
    ) -> Result<Opened, Status> {
        let fetch = self.fetches_each.take(&caller.id);
        let fetch = fetch.map_err(|status| self.refuse(status))?;
        let held = [fetch, self.stream(&caller)?];
        let board = Arc::clone(&self.board);
        let fetched = (request.part() == Part::Outputs)
            .then(|| (Arc::clone(&self.board), request.id.clone()));
        let opened = blocking(move || open(&board, &caller, &request)).await;
        let (file, header) = opened.map_err(|status| self.refuse(status))?;
        Ok(Opened {
            header,
            file,
            held,
            fetched,
        })
    }
}

impl Opened {
    /// Sends as fast as the client reads. No thread waits for it meanwhile.
    pub(in crate::server) fn pieces(self) -> Pieces {
        let (sender, receiver) = mpsc::channel(2);
        let task = async move {
            let _held = self.held;
            let whole = send(self.file, self.header.length, sender).await;
            if let Some((board, id)) = self.fetched.filter(|_| whole) {
                let noted = move || {
                    board.fetched(&id);
                    Ok(())
                };
                // What cannot be noted is in the log.
                let _ = blocking(noted).await;
            }
        };
        tokio::spawn(task.in_current_span());
        ReceiverStream::new(receiver)
    }
}

fn open(
    board: &Board,
    caller: &Caller,
    request: &FetchRequest,
) -> Result<(File, BlobHeader), Status> {
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
    let header = BlobHeader {
        kind: kind as i32,
        blake3: hasher.finalize().as_bytes().to_vec(),
        length: copied,
    };
    Ok((file, header))
}

/// Whether the client has taken all of it.
async fn send(file: File, length: u64, sender: Sender<Result<Vec<u8>, Status>>) -> bool {
    let mut rest = tokio::fs::File::from_std(file).take(length);
    loop {
        let mut data = Vec::with_capacity(PIECE);
        let mut piece = (&mut rest).take(PIECE as u64);
        let next = match piece.read_to_end(&mut data).await {
            Ok(0) => return true,
            Ok(_) => Ok(data),
            Err(_) => Err(Status::internal("the server cannot read on: fetch again")),
        };
        let last = next.is_err();
        // A client that has gone away needs no more.
        if sender.send(next).await.is_err() || last {
            return false;
        }
    }
}
