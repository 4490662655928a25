//! Connections of all faces: bounded in number and in patience, protected by TLS where they leave
//! the machine.
//!
//! | module | what |
//! |---|---|
//! | `limits` | the numbers, from the configuration |
//! | `network` | what one address is |
//! | `places` | who may have a connection, and which one makes room |
//! | `gate` | refusal in the handshake |
//! | `handshake` | why one ended |
//! | `credentials` | certificates, which a reload replaces |
//! | `activity` | what goes on on a connection, and when it is over |
//! | `patient` | the socket |
//!
//! Nobody has shown anything when a connection is made. So each is a stranger first: it has little
//! time for its handshake, and strangers cannot take the places of clients. What a client sends is
//! bounded where it is received (`api::body`, `web::request`).

mod activity;
mod credentials;
mod gate;
mod handshake;
mod limits;
mod network;
mod patient;
mod places;

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;
use tokio::task::JoinSet;
use tokio_rustls::TlsAcceptor;
use tonic::Status;

use super::caller::Caller;
use super::metrics::Metrics;
use super::policy::Policy;
use patient::Patient;
use places::Place;

pub(super) use activity::{Activity, Over, Watched};
pub(super) use credentials::Credentials;
pub(super) use limits::Limits;
pub(super) use network::Network;
pub(super) use places::Places;

/// Pause when the system gives no more connections.
const PAUSE: Duration = Duration::from_millis(200);
/// How long a connection on which nothing runs may take to say goodbye.
const FAREWELL: Duration = Duration::from_secs(1);

/// Where clients come in.
pub(super) struct Door {
    pub(super) listener: TcpListener,
    /// None is no protection.
    pub(super) tls: Option<Arc<Credentials>>,
    /// Whether addresses of peers are those of clients.
    pub(super) direct: bool,
    pub(super) places: Arc<Places>,
    pub(super) policy: Arc<Policy>,
}

/// Who is at the other end of a connection.
#[derive(Clone)]
pub(super) struct Guest {
    /// Whose certificate was shown, if any; or why there is no place, which is all that this
    /// connection is to hear.
    pub(super) caller: Result<Option<Arc<Caller>>, Status>,
    /// Whence it comes, where that is counted.
    pub(super) network: Option<Network>,
    /// What goes on on the connection.
    pub(super) activity: Arc<Activity>,
    pub(super) limits: Limits,
}

/// What answers on connections.
pub(super) trait Face: Send + Sync + 'static {
    /// For defects.
    fn metrics(&self) -> &Metrics;

    /// Answers the requests of one connection until it ends, or until `closing` says so and they are
    /// answered. Tells why, if the client did not end it.
    fn serve(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        guest: Guest,
        closing: watch::Receiver<bool>,
    ) -> impl Future<Output = Option<Over>> + Send;
}

/// Serves until `closing` says so; then requests that are being answered come to their end. What is
/// left when this is dropped is cut off.
pub(super) async fn serve<F: Face>(door: Door, face: Arc<F>, mut closing: watch::Receiver<bool>) {
    let Door {
        listener,
        tls,
        direct,
        places,
        policy,
    } = door;
    let mut open = JoinSet::new();
    loop {
        let accepted = tokio::select! {
            accepted = listener.accept() => accepted,
            Some(ended) = open.join_next() => {
                noted(&*face, ended);
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
        let place = places.enter(direct.then(|| Network::of(peer)).flatten());
        let comer = Comer {
            stream,
            place,
            peer,
            places: Arc::clone(&places),
            policy: Arc::clone(&policy),
        };
        let tls = tls.as_ref().map(|tls| tls.acceptor());
        open.spawn(comer.come_in(tls, Arc::clone(&face), closing.clone()));
        // Who has something to say says it before the next ones come, who may turn out the silent.
        tokio::task::yield_now().await;
    }
    drop(listener);
    while let Some(ended) = open.join_next().await {
        noted(&*face, ended);
    }
}

/// Returns once it is time to close.
async fn closed(closing: &mut watch::Receiver<bool>) {
    let _ = closing.wait_for(|closing| *closing).await;
}

/// A call that panicked has ended its own connection.
fn noted(face: &impl Face, ended: Result<(), tokio::task::JoinError>) {
    if let Err(error) = ended
        && error.is_panic()
    {
        face.metrics().defect();
        tracing::error!("a connection panicked: this is a defect");
    }
}

/// A connection that was just made.
struct Comer {
    stream: TcpStream,
    place: Place,
    peer: std::net::SocketAddr,
    places: Arc<Places>,
    policy: Arc<Policy>,
}

impl Comer {
    async fn come_in<F: Face>(
        self,
        tls: Option<TlsAcceptor>,
        face: Arc<F>,
        closing: watch::Receiver<bool>,
    ) {
        let Comer {
            stream,
            place,
            peer,
            places,
            policy,
        } = self;
        // Small messages go out at once.
        let _ = stream.set_nodelay(true);
        let activity = Arc::clone(place.activity());
        let stream = Patient::new(stream, Arc::clone(&activity));
        let limits = *places.limits();
        let guest = |caller| Guest {
            caller,
            network: place.network(),
            activity: Arc::clone(&activity),
            limits,
        };
        let Some(tls) = tls else {
            match place.settle(None, false) {
                Ok(()) => {
                    let over = face.serve(stream, guest(Ok(None)), closing).await;
                    over.inspect(|over| places.note(over.word(), &peer));
                }
                Err((word, _)) => places.note(word, &peer),
            }
            return;
        };
        let handshake = tokio::time::timeout(limits.handshake(), tls.accept(stream));
        let accepted = tokio::select! {
            accepted = handshake => accepted,
            over = activity.ended() => {
                places.refused(over.word());
                return places.note(over.word(), &peer);
            }
        };
        let stream = match accepted {
            Ok(Ok(stream)) => stream,
            Ok(Err(error)) => {
                tracing::debug!(%peer, %error, "no handshake");
                handshake::word(&error).inspect(|word| places.refused(word));
                return places.note("handshake", &peer);
            }
            Err(_) => {
                places.refused("late");
                return places.note("handshake_late", &peer);
            }
        };
        let shown = stream.get_ref().1.peer_certificates();
        let shown = shown.and_then(|certificates| certificates.first());
        let caller = shown.map(|certificate| Caller::of_certificate(certificate, &policy.now()));
        let caller = match caller.transpose() {
            Ok(caller) => caller.map(Arc::new),
            // Who resumed a session comes so far, and who was refused during the handshake.
            Err(refused) => {
                places.refused(refused.word);
                return places.note("refused", &refused.status.message());
            }
        };
        let client = caller.as_deref().map(|caller| caller.id.as_str());
        let admin = caller.as_deref().is_some_and(|caller| caller.admin);
        match place.settle(client, admin) {
            Ok(()) => {
                if let Some(caller) = &caller {
                    policy.saw(caller);
                }
                let served = face.serve(stream, guest(Ok(caller.clone())), closing);
                let over = tokio::select! {
                    over = served => over,
                    // Nothing that it sends or is sent comes to its end.
                    status = policy.until_refused(caller.as_deref()) => {
                        return places.note("refused", &status.message());
                    }
                };
                over.inspect(|over| places.note(over.word(), &peer));
            }
            // It stays a stranger while it is told.
            Err((word, status)) => {
                places.note(word, &peer);
                let told = face.serve(stream, guest(Err(status)), closing);
                let _ = tokio::time::timeout(limits.handshake(), told).await;
            }
        }
    }
}

/// Drives a connection to its end: its own, or because it is over, or because all is.
pub(super) async fn drive<C: Future<Output = hyper::Result<()>>>(
    mut connection: Pin<&mut C>,
    goodbye: impl Fn(Pin<&mut C>),
    guest: &Guest,
    mut closing: watch::Receiver<bool>,
) -> Option<Over> {
    let (ended, over) = tokio::select! {
        ended = connection.as_mut() => (Some(ended), None),
        () = closed(&mut closing) => {
            goodbye(connection.as_mut());
            (Some(connection.await), None)
        }
        over = guest.activity.over(&guest.limits) => {
            goodbye(connection.as_mut());
            let ended = tokio::time::timeout(FAREWELL, connection).await;
            (ended.ok(), Some(over))
        }
    };
    if let Some(Err(error)) = ended {
        tracing::debug!(%error, "a connection ended");
    }
    over
}
