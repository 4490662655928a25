//! One connection, made again whenever it is lost.

use std::fmt;
use std::future::Future;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use tokio::runtime::{Builder, Runtime};
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Request, Status};

use super::ClientError;
use super::diagnosis::diagnose;
use super::error::{of_tls, printable};
use crate::proto::admin_client::AdminClient;
use crate::proto::blindcore_client::BlindcoreClient;
use crate::proto::{AboutReply, AboutRequest, MESSAGE_BYTES};
use crate::tls::Material;

/// The port that `blindcore serve` listens on.
const PORT: u16 = 7410;
/// The first pause before something is tried again, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(200);
const LONGEST_PAUSE: Duration = Duration::from_secs(10);
/// How long to look for a server that has not been heard of yet.
const FIRST_CONTACT: Duration = Duration::from_secs(5);
/// How long a connection may take to be made.
const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);
/// A connection is asked for a sign of life so often, and given up after so long without one.
const KEEP_ALIVE: Duration = Duration::from_secs(20);
const KEEP_ALIVE_TIMEOUT: Duration = Duration::from_secs(20);
/// How often it is looked whether the caller was asked to stop.
const CANCEL_PERIOD: Duration = Duration::from_millis(50);

/// Where a server is: `HOST`, `HOST:PORT` or `https://HOST:PORT`; an IPv6 address in brackets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Address {
    host: String,
    port: u16,
}

impl FromStr for Address {
    type Err = ClientError;

    fn from_str(text: &str) -> Result<Address, ClientError> {
        let wrong = || ClientError::Address {
            text: text.to_owned(),
        };
        let rest = text.strip_prefix("https://").unwrap_or(text);
        let rest = rest.strip_suffix('/').unwrap_or(rest);
        let (host, port) = match rest.rsplit_once(':') {
            // The colons of an IPv6 address stand before its bracket.
            Some((host, port)) if !port.ends_with(']') => {
                (host, port.parse().map_err(|_| wrong())?)
            }
            _ => (rest, PORT),
        };
        let name = |host: &str| {
            host.bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b".-_".contains(&byte))
        };
        let bracketed = |host: &str| {
            let inside = host.strip_prefix('[').and_then(|h| h.strip_suffix(']'));
            inside.is_some_and(|inside| inside.parse::<std::net::Ipv6Addr>().is_ok())
        };
        if host.is_empty() || port == 0 || !(name(host) || bracketed(host)) {
            return Err(wrong());
        }
        Ok(Address {
            host: host.to_owned(),
            port,
        })
    }
}

impl fmt::Display for Address {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.host, self.port)
    }
}

/// What is said about a connection while something waits for it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Notice {
    /// It was lost, for this reason, and is looked for again.
    Lost(String),
    /// It is there again.
    Back,
}

/// How to reach a server.
#[derive(Clone)]
pub struct Settings {
    /// Where it is.
    pub server: Address,
    /// How long to look for it after it was heard of last.
    pub patience: Duration,
    /// Stops the call under way, soon after it is cancelled.
    pub cancel: Cancel,
    /// Told when the connection goes and comes.
    pub notice: Arc<dyn Fn(Notice) + Send + Sync>,
}

impl fmt::Debug for Settings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Settings")
            .field("server", &self.server)
            .field("patience", &self.patience)
            .finish_non_exhaustive()
    }
}

/// A server, as its client sees it.
#[derive(Debug)]
pub struct Client {
    runtime: Runtime,
    stub: BlindcoreClient<Channel>,
    /// For administrators.
    admin: AdminClient<Channel>,
    settings: Settings,
    server: String,
    about: AboutReply,
}

impl Client {
    /// Connects with the certificate in a directory that `blindcore tls init` made, and hears who
    /// is there.
    ///
    /// # Errors
    /// [`ClientError`]; a server that is not there is looked for during five seconds, or the
    /// patience if that is less.
    pub fn connect(settings: Settings, tls: &Path) -> Result<Client, ClientError> {
        let material = Material::read(tls)?;
        // One thread keeps connections alive while the caller is busy with something else.
        let runtime = Builder::new_multi_thread()
            .worker_threads(1)
            .thread_name("network")
            .enable_all()
            .build()
            .map_err(|source| ClientError::System {
                operation: "start a thread",
                source,
            })?;
        let server = settings.server.to_string();
        let channel = runtime.block_on(async { channel(&server, &material) })?;
        let admin = AdminClient::new(channel.clone())
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        let stub = BlindcoreClient::new(channel)
            .max_decoding_message_size(MESSAGE_BYTES)
            .max_encoding_message_size(MESSAGE_BYTES);
        let mut client = Client {
            runtime,
            stub,
            admin,
            settings,
            server,
            about: AboutReply::default(),
        };
        let patience = client.settings.patience.min(FIRST_CONTACT);
        let about = client
            .look_for(Duration::ZERO)
            .or_else(|error| match error {
                ClientError::Unreachable { .. } => {
                    let Address { host, port } = &client.settings.server;
                    match diagnose(host, *port, &material) {
                        Some(reason) => Err(of_tls(client.server.clone(), &reason)),
                        None if patience.is_zero() => Err(error),
                        None => client.look_for(patience),
                    }
                }
                other => Err(other),
            });
        client.about = about?;
        Ok(client)
    }

    /// Asks the server about itself and this client again.
    ///
    /// # Errors
    /// [`ClientError`].
    pub fn look(&self) -> Result<AboutReply, ClientError> {
        self.look_for(self.settings.patience)
    }

    fn look_for(&self, patience: Duration) -> Result<AboutReply, ClientError> {
        self.call_within(patience, async |mut stub| {
            let about = stub.about(Request::new(AboutRequest {})).await?;
            Ok(about.into_inner())
        })
    }

    /// What the server said about itself and this client when it was connected to.
    pub fn about(&self) -> &AboutReply {
        &self.about
    }

    /// Where the server is.
    pub fn server(&self) -> &str {
        &self.server
    }

    /// Calls until there is an answer.
    pub(super) fn call<T, F>(
        &self,
        call: impl Fn(BlindcoreClient<Channel>) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        self.call_within(self.settings.patience, call)
    }

    /// Calls for administrators until there is an answer.
    pub(super) fn administer<T, F>(
        &self,
        call: impl Fn(AdminClient<Channel>) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        self.call(|_| call(self.admin.clone()))
    }

    /// The same once, whatever comes of it: for what must not happen twice.
    pub(super) fn administer_once<T, F>(
        &self,
        call: impl Fn(AdminClient<Channel>) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        self.call_within(Duration::ZERO, |_| call(self.admin.clone()))
    }

    fn call_within<T, F>(
        &self,
        patience: Duration,
        call: impl Fn(BlindcoreClient<Channel>) -> F,
    ) -> Result<T, ClientError>
    where
        F: Future<Output = Result<T, Status>>,
    {
        let mut attempts = Attempts::new(self, patience);
        self.runtime.block_on(async {
            loop {
                let answer = tokio::select! {
                    answer = call(self.stub.clone()) => answer,
                    () = self.cancelled() => return Err(ClientError::Interrupted),
                };
                match answer {
                    Ok(answer) => {
                        attempts.succeeded();
                        return Ok(answer);
                    }
                    Err(status) => attempts.failed(self.error(&status)).await?,
                }
            }
        })
    }

    pub(super) fn block_on<F: Future>(&self, future: F) -> F::Output {
        self.runtime.block_on(future)
    }

    pub(super) fn stub(&self) -> BlindcoreClient<Channel> {
        self.stub.clone()
    }

    pub(super) fn attempts(&self) -> Attempts<'_> {
        Attempts::new(self, self.settings.patience)
    }

    pub(super) fn error(&self, status: &Status) -> ClientError {
        ClientError::of(&self.server, status)
    }

    pub(super) fn protocol(&self, what: impl Into<String>) -> ClientError {
        ClientError::Protocol {
            server: self.server.clone(),
            what: printable(&what.into()),
        }
    }

    /// Returns when the caller was asked to stop.
    pub(super) async fn cancelled(&self) {
        while !self.settings.cancel.is_cancelled() {
            tokio::time::sleep(CANCEL_PERIOD).await;
        }
    }
}

/// The pauses between attempts at one thing.
pub(super) struct Attempts<'a> {
    client: &'a Client,
    patience: Duration,
    last_success: Instant,
    pause: Duration,
    lost: bool,
}

impl<'a> Attempts<'a> {
    fn new(client: &'a Client, patience: Duration) -> Attempts<'a> {
        Attempts {
            client,
            patience,
            last_success: Instant::now(),
            pause: FIRST_PAUSE,
            lost: false,
        }
    }

    /// The server has answered.
    pub(super) fn succeeded(&mut self) {
        self.last_success = Instant::now();
        self.pause = FIRST_PAUSE;
        if std::mem::take(&mut self.lost) {
            (self.client.settings.notice)(Notice::Back);
        }
    }

    /// Returns when it is time to try again; an error that will not pass comes back, and so does
    /// one that has not passed for too long.
    pub(super) async fn failed(&mut self, error: ClientError) -> Result<(), ClientError> {
        let waited = self.last_success.elapsed();
        if !error.is_transient() {
            return Err(error);
        }
        if waited >= self.patience {
            return Err(match error {
                ClientError::Unreachable { server, reason } if self.patience > FIRST_CONTACT => {
                    ClientError::Lost {
                        server,
                        reason,
                        waited,
                    }
                }
                other => other,
            });
        }
        if !std::mem::replace(&mut self.lost, true) {
            (self.client.settings.notice)(Notice::Lost(match error {
                ClientError::Unreachable { reason, .. } => reason,
                other => other.to_string(),
            }));
        }
        // Between half and all of the pause, so that clients do not come back all at once.
        let mut random = [0];
        let _ = getrandom::fill(&mut random);
        let pause = self.pause.mul_f64(0.5 + f64::from(random[0]) / 512.0);
        self.pause = (self.pause * 2).min(LONGEST_PAUSE);
        let left = self.patience.saturating_sub(waited);
        tokio::select! {
            () = tokio::time::sleep(pause.min(left)) => Ok(()),
            () = self.client.cancelled() => Err(ClientError::Interrupted),
        }
    }
}

/// A channel that connects when it is first used, and again after it was lost.
fn channel(server: &str, material: &Material) -> Result<Channel, ClientError> {
    let unusable = |error: tonic::transport::Error| {
        use std::error::Error;
        let mut reason = error.to_string();
        let mut next = error.source();
        while let Some(source) = next {
            reason = source.to_string();
            next = source.source();
        }
        ClientError::OwnCertificate {
            server: server.to_owned(),
            reason: format!("{reason}: make it with `blindcore tls init`"),
        }
    };
    let endpoint =
        Endpoint::from_shared(format!("https://{server}")).map_err(|_| ClientError::Address {
            text: server.to_owned(),
        })?;
    let tls = ClientTlsConfig::new()
        .identity(Identity::from_pem(&material.certificate, &material.key))
        .ca_certificate(Certificate::from_pem(&material.authority));
    Ok(endpoint
        .tls_config(tls)
        .map_err(unusable)?
        .connect_timeout(CONNECT_TIMEOUT)
        .tcp_nodelay(true)
        .http2_keep_alive_interval(KEEP_ALIVE)
        .keep_alive_timeout(KEEP_ALIVE_TIMEOUT)
        .keep_alive_while_idle(true)
        .connect_lazy())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_read_in_every_form() {
        for (text, shown) in [
            ("blind.example", "blind.example:7410"),
            ("blind.example:99", "blind.example:99"),
            ("https://10.0.0.1:7411/", "10.0.0.1:7411"),
            ("[::1]", "[::1]:7410"),
            ("[::1]:80", "[::1]:80"),
        ] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), shown);
        }
        for text in [
            "",
            ":7410",
            "http://host",
            "host:",
            "host:0",
            "host:99999",
            "::1",
            "a b",
            "host/path",
            "user@host",
            "[::1",
        ] {
            assert!(text.parse::<Address>().is_err(), "{text}");
        }
    }
}
