//! Connections of gRPC: HTTP/2, of which each has few streams and small windows.

use std::convert::Infallible;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use hyper::body::Incoming;
use hyper::server::conn::http2;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo, TokioTimer};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::sync::watch;
use tonic::Status;
use tower_service::Service as _;

use super::body::{Messages, Shape};
use super::{Service, admin};
use crate::proto::MESSAGE_BYTES;
use crate::proto::admin_server::AdminServer;
use crate::proto::blindcore_server::BlindcoreServer;
use crate::server::calls::{CallId, Signed};
use crate::server::connections::{Face, Guest, Over, Watched, drive};
use crate::server::desk::{Desk, Held};
use crate::server::metrics::Metrics;
use crate::server::office::Office;

/// A connection that says nothing for so long is asked whether it is alive, and given as long
/// again.
const KEEPALIVE: Duration = Duration::from_secs(20);
/// Streams of one connection.
const STREAMS: u32 = 64;
/// Bytes of one request's headers.
const HEADERS: u32 = 16 << 10;
/// Bytes that a client may send ahead of what is read, on one stream and on all of a connection: a
/// chunk of an upload.
const WINDOW: u32 = 1 << 20;
/// Bytes of an answer that wait to be sent.
const SENDING: usize = 128 << 10;

/// An answer's body. Its call, and the client's share of calls, end with it.
type Answer = Watched<Signed<tonic::body::Body>, [Option<Held>; 2]>;

/// The protocol over gRPC.
pub(in crate::server) struct Api {
    desk: Arc<Desk>,
    service: BlindcoreServer<Service>,
    admin: AdminServer<admin::Service>,
}

impl Api {
    pub(in crate::server) fn new(desk: Arc<Desk>, office: Arc<Office>) -> Self {
        let service = BlindcoreServer::new(Service::new(Arc::clone(&desk)))
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        let admin = AdminServer::new(admin::Service::new(Arc::clone(&desk), office))
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        Self {
            desk,
            service,
            admin,
        }
    }

    async fn answer(&self, request: Request<Incoming>, guest: &Guest) -> Response<Answer> {
        let call = guest.activity.call();
        let id = CallId::of(request.headers());
        let path = request.uri().path().to_owned();
        let answer = async {
            match self.admit(request, guest) {
                Ok((request, held)) => {
                    let Ok(response) = match admin::is_meant(&path) {
                        true => self.admin.clone().call(request).await,
                        false => self.service.clone().call(request).await,
                    };
                    (response, held)
                }
                Err(status) => (self.desk.refuse(status).into_http(), [None, None]),
            }
        };
        let (mut response, held) = id.around(&path, answer).await;
        id.sign(&mut response);
        response.map(|body| Watched::new(Signed::new(body, id), call, held))
    }

    /// The request with who calls and with limits on its body, if its client may have one more.
    fn admit(
        &self,
        request: Request<Incoming>,
        guest: &Guest,
    ) -> Result<(Request<Messages>, [Option<Held>; 2]), Status> {
        let Some(caller) = guest.caller.clone()? else {
            // The handshake asks for a certificate.
            return Err(Status::unauthenticated("no client certificate"));
        };
        // What holds for it may have changed since the handshake.
        let caller = Arc::new(self.desk.board.settings.policy.again(&caller)?);
        if admin::is_meant(request.uri().path()) {
            admin::check(&caller)?;
        }
        let held = self.desk.call(&caller, guest.network)?;
        let lease = self.desk.budget.lease(&caller, guest.network);
        let doors = self.desk.board.metrics.doors.clone();
        let (mut parts, body) = request.into_parts();
        let shape = Shape::of(parts.uri.path());
        parts.extensions.insert(caller);
        let body = Messages::new(body, shape, lease, doors, guest.limits.body());
        Ok((Request::from_parts(parts, body), held))
    }
}

impl Face for Api {
    fn metrics(&self) -> &Metrics {
        &self.desk.board.metrics
    }

    async fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        guest: Guest,
        closing: watch::Receiver<bool>,
    ) -> Option<Over> {
        let shared = Arc::new((self, guest.clone()));
        let service = service_fn(move |request: Request<Incoming>| {
            let shared = Arc::clone(&shared);
            async move {
                let (api, guest) = &*shared;
                Ok::<_, Infallible>(api.answer(request, guest).await)
            }
        });
        let mut builder = http2::Builder::new(TokioExecutor::new());
        builder
            .timer(TokioTimer::new())
            .max_concurrent_streams(STREAMS)
            .max_header_list_size(HEADERS)
            .initial_stream_window_size(WINDOW)
            .initial_connection_window_size(WINDOW)
            .max_send_buf_size(SENDING)
            .keep_alive_interval(KEEPALIVE)
            .keep_alive_timeout(KEEPALIVE);
        let connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
        drive(connection, |it| it.graceful_shutdown(), &guest, closing).await
    }
}
