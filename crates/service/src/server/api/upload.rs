//! Uploads over gRPC: a header, then data.

use tokio_stream::StreamExt as _;
use tonic::{Status, Streaming};

use crate::proto::chunk::Part;
use crate::proto::{BlobHeader, CHUNK_BYTES, Chunk};
use crate::server::caller::Caller;
use crate::server::desk::{Desk, SILENCE, silent};

/// Receives one blob and keeps it.
pub(super) async fn receive(
    desk: &Desk,
    caller: &Caller,
    mut stream: Streaming<Chunk>,
) -> Result<BlobHeader, Status> {
    let first = tokio::time::timeout(SILENCE, stream.message()).await;
    let header = match first.unwrap_or_else(|_| Err(silent())) {
        Ok(Some(Chunk {
            part: Some(Part::Header(header)),
        })) => header,
        Ok(Some(Chunk { part: None })) => return Err(desk.refuse(empty())),
        Ok(_) => {
            let message = "an upload begins with a header: kind, hash, length";
            return Err(desk.refuse(Status::invalid_argument(message)));
        }
        Err(status) => return Err(desk.refuse(status)),
    };
    let mut pieces = stream.map(|chunk| data(chunk?));
    desk.receive(caller, header, &mut pieces).await
}

/// The data of a message behind the first.
fn data(chunk: Chunk) -> Result<Vec<u8>, Status> {
    match chunk.part {
        Some(Part::Data(data)) if !data.is_empty() && data.len() <= CHUNK_BYTES => Ok(data),
        Some(Part::Data(data)) => Err(Status::invalid_argument(format!(
            "a chunk of {} bytes: each has 1 to {CHUNK_BYTES}",
            data.len()
        ))),
        Some(Part::Header(_)) => Err(Status::invalid_argument("a second header within an upload")),
        None => Err(empty()),
    }
}

/// What a message without a part is answered with.
fn empty() -> Status {
    Status::invalid_argument("an empty message within an upload")
}
