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
use crate::server::policy::Policy;
use crate::server::store::{OUTPUTS, Rest, WRITTEN};

/// A file, ready to be sent.
pub(in crate::server) struct Opened {
    /// What it is.
    pub(in crate::server) header: BlobHeader,
    file: File,
    held: [Held; 2],
    caller: Caller,
    policy: Arc<Policy>,
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
        let policy = Arc::clone(&board.settings.policy);
        let by = caller.clone();
        let opened = blocking(move || open(&board, &by, &request)).await;
        let (file, header) = opened.map_err(|status| self.refuse(status))?;
        Ok(Opened {
            header,
            file,
            held,
            caller,
            policy,
            fetched,
        })
    }
}

impl Opened {
    /// Sends as fast as the client reads, for as long as it may. No thread waits for it meanwhile.
    pub(in crate::server) fn pieces(self) -> Pieces {
        let (sender, receiver) = mpsc::channel(2);
        let task = async move {
            let _held = self.held;
            let sending = send(self.file, self.header.length, &sender);
            let whole = tokio::select! {
                whole = sending => whole,
                // A certificate's connection ends with it; that of a token's has other calls.
                status = self.policy.until_refused(Some(&self.caller)) => {
                    let _ = sender.send(Err(status)).await;
                    false
                }
            };
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
async fn send(file: File, length: u64, sender: &Sender<Result<Vec<u8>, Status>>) -> bool {
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

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use tokio_stream::StreamExt as _;

    use super::*;
    use crate::server::desk::share::Share;

    /// A token has no connection that would be closed.
    #[tokio::test]
    async fn what_is_being_sent_ends_with_its_token() {
        let with = |sha256: &str| {
            format!("[token.alice]\nsha256 = \"{sha256}\"")
                .parse()
                .unwrap()
        };
        let policy = Policy::new(with(&crate::token::fingerprint("token")));
        let caller = Caller::of_token("token", &policy.now()).unwrap();
        let mut file = tempfile::tempfile().unwrap();
        file.write_all(&vec![1; 20 * PIECE]).unwrap();
        file.seek(SeekFrom::Start(0)).unwrap();
        let share = Share::new("files", 2);
        let header = BlobHeader {
            kind: BlobKind::Outputs as i32,
            blake3: Vec::new(),
            length: 20 * PIECE as u64,
        };
        let opened = Opened {
            header,
            file,
            held: [share.take("a").unwrap(), share.take("a").unwrap()],
            caller,
            policy: Arc::clone(&policy),
            fetched: None,
        };
        let mut pieces = opened.pieces();
        assert_eq!(pieces.next().await.unwrap().unwrap().len(), PIECE);
        policy.configure(with(&"0".repeat(64)));
        let (mut more, mut end) = (0, None);
        while let Some(piece) = pieces.next().await {
            match piece {
                Ok(_) => more += 1,
                Err(status) => end = Some(status),
            }
        }
        assert_eq!(end.unwrap().code(), tonic::Code::Unauthenticated);
        // Those that were on their way.
        assert!(more < 10, "{more}");
    }
}
