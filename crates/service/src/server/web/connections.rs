//! Connections of HTTP: bounded in number and in patience, protected by TLS where they leave the
//! machine.
//!
//! Nobody has shown anything when a connection is made, so one address cannot have them all, and each
//! has little time: for the handshake, for the head of a request, and for taking what it is sent.

use std::future::Future;
use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use rustls::ServerConfig;
use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, watch};
use tokio::task::JoinSet;
use tokio::time::Sleep;
use tokio_rustls::TlsAcceptor;

use super::Face;
use super::request::Peer;
use crate::server::desk::Share;

/// Most connections at once. With those of gRPC they leave room for files among the 1,024 descriptors
/// that a process usually has.
const CONNECTIONS: usize = 256;
/// Most of one address, where addresses are those of clients.
const CONNECTIONS_EACH: usize = 64;
/// Longest handshake.
const HANDSHAKE: Duration = Duration::from_secs(10);
/// Longest wait for a request's head, and between two requests.
const HEAD: Duration = Duration::from_secs(20);
/// Longest wait for a client to take what it is sent.
const TAKING: Duration = Duration::from_secs(60);
/// Bytes of a request's head, and of one reading of a body.
const BUFFER: usize = 32 << 10;
/// Header fields of a request.
const FIELDS: usize = 64;
/// Pause when the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(200);

/// Serves until `closing` says so; then requests that are being answered come to their end. What is
/// left when this is dropped is cut off.
pub(super) async fn serve(
    listener: TcpListener,
    tls: Option<Arc<ServerConfig>>,
    each: bool,
    face: Arc<Face>,
    mut closing: watch::Receiver<bool>,
) {
    let tls = tls.map(TlsAcceptor::from);
    let free = Arc::new(Semaphore::new(CONNECTIONS));
    let shares = Share::new("connections", CONNECTIONS_EACH);
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(ended) = open.join_next() => {
                noted(&face, ended);
                continue;
            }
            () = closed(&mut closing) => break,
        };
        let (stream, peer) = match accepted {
            Ok(accepted) => accepted,
            Err(error) => {
                tracing::warn!(%error, "cannot accept a connection");
                tokio::time::sleep(PAUSE).await;
                continue;
            }
        };
        let Ok(permit) = Arc::clone(&free).try_acquire_owned() else {
            tracing::warn!(%peer, "too many connections: closed");
            continue;
        };
        let held = match each.then(|| address(peer)).flatten() {
            None => None,
            Some(address) => match shares.take(&address) {
                Ok(held) => Some(held),
                Err(_) => {
                    tracing::warn!(%peer, "too many connections of one address: closed");
                    continue;
                }
            },
        };
        let (tls, face, closing) = (tls.clone(), Arc::clone(&face), closing.clone());
        open.spawn(async move {
            let _counted = (permit, held);
            connection(stream, tls, face, closing).await;
        });
    }
    drop(listener);
    while let Some(ended) = open.join_next().await {
        noted(&face, ended);
    }
}

/// Returns once it is time to close.
async fn closed(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

/// What counts as one address: of IPv6 a whole network, since each client has one. Addresses of this
/// machine are not counted.
fn address(peer: SocketAddr) -> Option<String> {
    match peer.ip().to_canonical() {
        ip if ip.is_loopback() => None,
        IpAddr::V4(ip) => Some(ip.to_string()),
        IpAddr::V6(ip) => Some(format!("{:x?}", &ip.segments()[..4])),
    }
}

/// A call that panicked has ended its own connection.
fn noted(face: &Face, ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        face.web.desk.board.metrics.defect();
        tracing::error!("a connection panicked: this is a defect");
    }
}

async fn connection(
    stream: TcpStream,
    tls: Option<TlsAcceptor>,
    face: Arc<Face>,
    closing: watch::Receiver<bool>,
) {
    // Small messages go out at once.
    let _ = stream.set_nodelay(true);
    let stream = Patient::new(stream);
    let Some(tls) = tls else {
        return http(stream, Peer::default(), face, closing).await;
    };
    match tokio::time::timeout(HANDSHAKE, tls.accept(stream)).await {
        Ok(Ok(stream)) => {
            let certificates = stream.get_ref().1.peer_certificates();
            let shown = certificates.and_then(|certificates| certificates.first());
            let peer = Peer(shown.map(|certificate| Arc::from(certificate.as_ref())));
            http(stream, peer, face, closing).await;
        }
        Ok(Err(error)) => tracing::debug!(%error, "no handshake"),
        Err(_) => tracing::debug!("no handshake in time"),
    }
}

/// Answers the requests of one connection.
async fn http(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    peer: Peer,
    face: Arc<Face>,
    mut closing: watch::Receiver<bool>,
) {
    let service = service_fn(move |mut request: hyper::Request<hyper::body::Incoming>| {
        request.extensions_mut().insert(peer.clone());
        let face = Arc::clone(&face);
        async move { Ok::<_, std::convert::Infallible>(face.answer(request).await) }
    });
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .max_buf_size(BUFFER)
        .max_headers(FIELDS);
    let mut served = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let ended = tokio::select! {
        ended = served.as_mut() => ended,
        () = closed(&mut closing) => {
            served.as_mut().graceful_shutdown();
            served.await
        }
    };
    if let Err(error) = ended {
        tracing::debug!(%error, "a connection ended");
    }
}

/// A stream that gives up on a client which takes nothing.
struct Patient {
    stream: TcpStream,
    /// Runs while the client has to take something before more can be sent.
    waiting: Option<Pin<Box<Sleep>>>,
}

impl Patient {
    fn new(stream: TcpStream) -> Self {
        Self {
            stream,
            waiting: None,
        }
    }

    fn watched<T>(
        &mut self,
        context: &mut Context<'_>,
        sent: Poll<io::Result<T>>,
    ) -> Poll<io::Result<T>> {
        if sent.is_ready() {
            self.waiting = None;
            return sent;
        }
        let waiting = self
            .waiting
            .get_or_insert_with(|| Box::pin(tokio::time::sleep(TAKING)));
        match waiting.as_mut().poll(context) {
            Poll::Pending => Poll::Pending,
            Poll::Ready(()) => Poll::Ready(Err(io::ErrorKind::TimedOut.into())),
        }
    }
}

impl AsyncRead for Patient {
    fn poll_read(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(context, buffer)
    }
}

impl AsyncWrite for Patient {
    fn poll_write(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write(context, bytes);
        self.watched(context, sent)
    }

    fn poll_flush(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_flush(context)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(context)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        context: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let sent = Pin::new(&mut self.stream).poll_write_vectored(context, parts);
        self.watched(context, sent)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_address_is_a_client_of_another_machine() {
        let of = |text: &str| address(text.parse().unwrap());
        assert_eq!(of("127.0.0.1:1"), None);
        assert_eq!(of("[::1]:1"), None);
        assert_eq!(of("192.0.2.1:1"), of("[::ffff:192.0.2.1]:2"));
        assert_ne!(of("192.0.2.1:1"), of("192.0.2.2:1"));
        assert_eq!(of("[2001:db8::1]:1"), of("[2001:db8::ffff:1]:1"));
        assert_ne!(of("[2001:db8::1]:1"), of("[2001:db8:0:1::1]:1"));
    }
}
