//! Uploads: sizes are checked before anything is written, content before anything is kept.

use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use processor::Program;
use tempfile::NamedTempFile;
use tfhe::SeededServerKey;
use tfhe::leveled::SeededLeveledKey;
use tokio::io::AsyncWriteExt;
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;
use wire::container::HEADER_BYTES;
use wire::{Header, Inputs, Kind, Record, WireError};

use super::{Desk, apart, blocking};
use crate::proto::{BlobHeader, BlobKind};
use crate::server::board::{hash, hexadecimal, passing, storage};
use crate::server::caller::Caller;

/// Longest silence within an upload.
pub(in crate::server) const SILENCE: Duration = Duration::from_secs(60);
/// Longest program, in bytes.
const PROGRAM_LIMIT: u64 = 64 << 20;
/// Longest inputs file, in bytes: it is read into memory.
const INPUTS_LIMIT: u64 = 1 << 30;

/// What the first message announces, checked.
struct Announced {
    header: BlobHeader,
    kind: BlobKind,
    hash: String,
}

impl Desk {
    /// Receives one blob and keeps it. Of a blob that is there nothing is read.
    pub(in crate::server) async fn receive<P: AsRef<[u8]>>(
        &self,
        caller: &Caller,
        header: BlobHeader,
        pieces: &mut (impl Stream<Item = Result<P, Status>> + Send + Unpin),
    ) -> Result<BlobHeader, Status> {
        let received = self.try_receive(caller, header, pieces).await;
        received.map_err(|status| self.refuse(status))
    }

    async fn try_receive<P: AsRef<[u8]>>(
        &self,
        caller: &Caller,
        header: BlobHeader,
        pieces: &mut (impl Stream<Item = Result<P, Status>> + Send + Unpin),
    ) -> Result<BlobHeader, Status> {
        let announced = announced(header)?;
        if let Some(known) = self.board.blob(&caller.id, &announced.hash) {
            return match known.kind == announced.kind as i32 {
                true => Ok(announced.header),
                false => Err(Status::already_exists(format!(
                    "blob {} was uploaded as another kind of file",
                    announced.hash
                ))),
            };
        }
        let _permit = self
            .uploads
            .try_acquire()
            .map_err(|_| Status::unavailable("too many uploads at once: try again in a moment"))?;
        let _held = self.uploads_each.take(&caller.id)?;
        // From here to the end of the function the room is taken; a record takes over then.
        let _room = self.board.reserve(caller, announced.header.length)?;
        let board = Arc::clone(&self.board);
        let file = blocking(move || board.store.temporary().map_err(storage)).await?;
        let file = tokio::select! {
            written = write(pieces, &announced, file) => written?,
            status = self.board.settings.policy.until_refused(Some(caller)) => return Err(status),
        };
        let _permit = self.checks.acquire().await;
        let (board, by) = (Arc::clone(&self.board), caller.clone());
        apart(move || {
            let Announced { header, kind, hash } = announced;
            check(kind, file.path())?;
            board.keep_blob(&by, &hash, file, kind, header.length)?;
            Ok(header)
        })
        .await
    }
}

fn announced(header: BlobHeader) -> Result<Announced, Status> {
    let kind = header.kind();
    let limit = longest(kind)?;
    if header.length == 0 || header.length > limit {
        return Err(Status::invalid_argument(format!(
            "length is {}: a blob of this kind has 1 to {limit} bytes",
            header.length
        )));
    }
    let hash = hash("blake3", &header.blake3)?;
    Ok(Announced { header, kind, hash })
}

/// Most bytes of a blob of this kind; some kinds are not uploaded.
pub(in crate::server) fn longest(kind: BlobKind) -> Result<u64, Status> {
    match kind {
        BlobKind::Program => Ok(PROGRAM_LIMIT),
        BlobKind::Inputs => Ok(INPUTS_LIMIT),
        BlobKind::ServerKey => Ok(HEADER_BYTES as u64 + Kind::SERVER_KEY.payload_limit()),
        BlobKind::SelectorKey => Ok(HEADER_BYTES as u64 + Kind::SELECTOR_KEY.payload_limit()),
        BlobKind::Unspecified | BlobKind::Outputs | BlobKind::Written => {
            Err(Status::invalid_argument(
                "kind: programs, inputs, server keys and selector keys are uploaded, nothing else",
            ))
        }
    }
}

/// What is said after too long a silence.
pub(in crate::server) fn silent() -> Status {
    Status::deadline_exceeded(format!(
        "nothing came for {} s: begin the upload again",
        SILENCE.as_secs()
    ))
}

/// The next piece; silence for too long is an error.
async fn next<P>(
    pieces: &mut (impl Stream<Item = Result<P, Status>> + Unpin),
) -> Result<Option<P>, Status> {
    let next = tokio::time::timeout(SILENCE, pieces.next()).await;
    next.map_err(|_| silent())?.transpose()
}

/// Writes what comes, as long as it is what was announced.
async fn write<P: AsRef<[u8]>>(
    pieces: &mut (impl Stream<Item = Result<P, Status>> + Unpin),
    announced: &Announced,
    file: NamedTempFile,
) -> Result<NamedTempFile, Status> {
    let length = announced.header.length;
    let failed = |error: std::io::Error| {
        tracing::error!(%error, "cannot write an upload");
        passing(Status::unavailable(
            "the server cannot write at the moment: try again, or ask its operator to look into its log",
        ))
    };
    let open = file.as_file().try_clone().map_err(failed)?;
    let mut open = tokio::fs::File::from_std(open);
    let mut hasher = blake3::Hasher::new();
    let mut head = Vec::with_capacity(HEADER_BYTES);
    let mut received = 0_u64;
    while let Some(piece) = next(pieces).await? {
        let data = piece.as_ref();
        received += data.len() as u64;
        if received > length {
            return Err(Status::invalid_argument(format!(
                "more than the {length} bytes that the header announced"
            )));
        }
        if head.len() < HEADER_BYTES {
            let wanted = HEADER_BYTES - head.len();
            head.extend(data.iter().take(wanted));
            if head.len() == HEADER_BYTES {
                check_head(announced, &head)?;
            }
        }
        hasher.update(data);
        open.write_all(data).await.map_err(failed)?;
    }
    open.flush().await.map_err(failed)?;
    if received < length {
        return Err(Status::invalid_argument(format!(
            "the upload ended after {received} of {length} bytes: begin it again"
        )));
    }
    let found = hasher.finalize();
    if found.as_bytes().as_slice() != announced.header.blake3.as_slice() {
        return Err(Status::invalid_argument(format!(
            "the content's hash is {}, the header announced {}",
            hexadecimal(found.as_bytes()),
            announced.hash
        )));
    }
    Ok(file)
}

/// What the first bytes rule out need not be received.
fn check_head(announced: &Announced, head: &[u8]) -> Result<(), Status> {
    let expected = match announced.kind {
        BlobKind::Inputs => Kind::INPUTS,
        BlobKind::ServerKey => Kind::SERVER_KEY,
        BlobKind::SelectorKey => Kind::SELECTOR_KEY,
        _ => return Ok(()),
    };
    let (header, _) = Header::parse(head).map_err(malformed)?;
    header.expect(expected).map_err(malformed)?;
    header.check_promises().map_err(malformed)?;
    // Several files of inputs may follow each other.
    let rest = announced.header.length.checked_sub(header.file_length());
    let fits = match announced.kind {
        BlobKind::Inputs => rest.is_some(),
        _ => rest == Some(0),
    };
    if !fits {
        return Err(Status::invalid_argument(format!(
            "the file's own header says {} bytes, the upload {}",
            header.file_length(),
            announced.header.length
        )));
    }
    Ok(())
}

/// Whether the whole content is what its kind says.
fn check(kind: BlobKind, path: &Path) -> Result<(), Status> {
    match kind {
        BlobKind::Inputs => files::read_joined(path)
            .map(drop::<Vec<Inputs>>)
            .map_err(malformed),
        BlobKind::ServerKey => check_record::<SeededServerKey>(path),
        BlobKind::SelectorKey => check_record::<SeededLeveledKey>(path),
        _ => {
            let bytes = fs::read(path)
                .map_err(|_| Status::internal("the server cannot read what it wrote"))?;
            let loaded = Program::load(&bytes).map(drop);
            loaded.map_err(|error| Status::invalid_argument(format!("the program: {error}")))
        }
    }
}

fn check_record<R: Record>(path: &Path) -> Result<(), Status> {
    files::read::<R>(path).map(drop).map_err(malformed)
}

fn malformed(error: WireError) -> Status {
    match error {
        WireError::Io { .. } => {
            tracing::error!(%error, "cannot read an upload");
            Status::internal("the server cannot read what it wrote")
        }
        error => Status::invalid_argument(error.to_string()),
    }
}
