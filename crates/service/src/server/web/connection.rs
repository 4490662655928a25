//! Connections of HTTP/1.1: each has little time for the head of a request.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::Request;
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;

use super::request::{CallHeld, Peer};
use crate::server::connections::{Face, Guest, Over, Watched, drive};
use crate::server::metrics::Metrics;

/// Longest wait for a request's head, and between two requests.
const HEAD: Duration = Duration::from_secs(20);
/// Bytes of a request's head, and of one reading of a body.
const BUFFER: usize = 32 << 10;
/// Header fields of a request.
const FIELDS: usize = 64;

impl Face for super::Face {
    fn metrics(&self) -> &Metrics {
        &self.web.desk.board.metrics
    }

    async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        guest: Guest,
        closing: watch::Receiver<bool>,
    ) -> Option<Over> {
        // There is no word for it before a request.
        let caller = guest.caller.clone().ok()?;
        let peer = Peer {
            caller,
            network: guest.network,
        };
        let activity = Arc::clone(&guest.activity);
        let service = service_fn(move |mut request: Request<Incoming>| {
            let held = CallHeld::default();
            request.extensions_mut().insert(peer.clone());
            request.extensions_mut().insert(held.clone());
            let (face, call) = (Arc::clone(&self), activity.call());
            async move {
                let response = face.answer(request).await;
                Ok::<_, Infallible>(response.map(|body| Watched::new(body, call, held)))
            }
        });
        let mut builder = http1::Builder::new();
        builder
            .timer(TokioTimer::new())
            .header_read_timeout(HEAD)
            .max_buf_size(BUFFER)
            .max_headers(FIELDS);
        let connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        drive(connection, |it| it.graceful_shutdown(), &guest, closing).await
    }
}
