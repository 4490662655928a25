//! `PUT /v1/blobs/{blake3}`: one body is one blob.

use std::sync::Arc;
use std::time::Duration;

use axum::body::{Body, Bytes, HttpBody as _};
use axum::extract::State;
use axum::http::request::Parts;
use axum::http::{StatusCode, header};
use axum::response::Response;
use tokio_stream::{Stream, StreamExt as _};
use tonic::Status;

use super::Web;
use super::json::{self, found};
use super::refusal::Refusal;
use super::request::{Called, Named, query};
use crate::proto::BlobHeader;
use crate::server::desk::longest;

/// How long the rest of a body that nobody needs is read, so that its sender comes to read the
/// answer. A browser shows no answer to a body that it could not send.
const REST_TIME: Duration = Duration::from_secs(5);
/// Most bytes of it: a server key, or a selector key.
const REST_LIMIT: usize = 64 << 20;

pub(super) async fn put(
    State(web): State<Arc<Web>>,
    Called(caller): Called,
    Named(hash): Named,
    parts: Parts,
    body: Body,
) -> Result<Response, Refusal> {
    let announced = announced(&parts, &hash, &body).map_err(|refusal| web.refuse(refusal));
    // Who waits to be asked for the body reads an answer before it is sent; and a body that is
    // refused whole would not be read to its end if it is long.
    let waits = parts.headers.contains_key(header::EXPECT);
    let endless = announced.is_err() && body.size_hint().lower() > REST_LIMIT as u64;
    let mut pieces = body.into_data_stream().map(|piece| {
        piece.map_err(|_| Status::invalid_argument("the body ended early: send it again"))
    });
    let received = match announced {
        Ok(header) => {
            let received = web.desk.receive(&caller, header, &mut pieces).await;
            received.map_err(Refusal::from)
        }
        Err(refusal) => Err(refusal),
    };
    if !waits && !endless {
        let rest = tokio::time::timeout(REST_TIME, rest(&mut pieces));
        let _ = rest.await;
    }
    Ok(found(&json::blob(&received?)))
}

/// What the head of the request says of the blob.
fn announced(parts: &Parts, hash: &str, body: &Body) -> Result<BlobHeader, Refusal> {
    let [kind] = query(parts, ["kind"])?;
    let kind = kind.and_then(json::kind).ok_or_else(|| {
        Refusal::wrong(
            "the query says what the body is: kind=program, inputs, server_key or selector_key",
        )
    })?;
    let blake3 = json::hash(hash).ok_or_else(|| {
        Refusal::wrong("the path ends with the body's BLAKE3: 64 lower-case hexadecimal digits")
    })?;
    // Room is made for a blob before it comes.
    let length = body.size_hint().exact().ok_or_else(|| {
        Refusal::with(
            StatusCode::LENGTH_REQUIRED,
            "send the body's length: the header Content-Length",
        )
    })?;
    let limit = longest(kind)?;
    if length > limit {
        return Err(Refusal::with(
            StatusCode::PAYLOAD_TOO_LARGE,
            format!("the body has {length} bytes: a blob of this kind has at most {limit}"),
        ));
    }
    Ok(BlobHeader {
        kind: kind as i32,
        blake3,
        length,
    })
}

/// Reads what is left of a body, unless it is too much.
async fn rest(pieces: &mut (impl Stream<Item = Result<Bytes, Status>> + Unpin)) {
    let mut room = REST_LIMIT;
    while let Some(Ok(piece)) = pieces.next().await {
        match room.checked_sub(piece.len()) {
            Some(less) => room = less,
            None => return,
        }
    }
}
