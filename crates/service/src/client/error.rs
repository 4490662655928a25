//! What can go wrong between a client and a server, told apart by what there is to do about it.

use std::error::Error;
use std::time::Duration;

use rustls::{AlertDescription, CertificateError};
use tonic::{Code, Status};

use crate::proto::BlobKind;
use crate::request_id::{HEADER, is_sane};
use crate::tls::TlsError;
use session::policy::Refusal;

/// How servers begin to refuse a kind of blob that they do not take.
const UNKNOWN_KIND: &str = "kind: ";

/// Why something asked of a server did not happen.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ClientError {
    /// An address that is none.
    #[error("{text:?} is no server: write HOST, HOST:PORT or https://HOST:PORT")]
    Address {
        /// What was written.
        text: String,
    },
    /// One's own certificate cannot be used.
    #[error(transparent)]
    Tls(#[from] TlsError),
    /// The system gives no thread or no randomness.
    #[error("cannot {operation}: {source}")]
    System {
        /// What was tried.
        operation: &'static str,
        /// What it said.
        source: std::io::Error,
    },
    /// Nobody answers there.
    #[error(
        "{server} cannot be reached ({reason}): is `blindcore serve` running there, does it listen on that address, does a firewall let through?"
    )]
    Unreachable {
        /// The server.
        server: String,
        /// What the network said.
        reason: String,
    },
    /// The connection went, and did not come back.
    #[error(
        "the connection to {server} was lost ({reason}) and did not come back within {} s. Jobs go on there: `blindcore status` and `blindcore fetch` find them, `blindcore attend` answers their questions", .waited.as_secs()
    )]
    Lost {
        /// The server.
        server: String,
        /// What the network said.
        reason: String,
        /// For how long it was tried again.
        waited: Duration,
    },
    /// The server's certificate is not what it should be.
    #[error("{server}: its certificate is not accepted: {reason}")]
    ServerCertificate {
        /// The server.
        server: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The server does not take our certificate.
    #[error("{server} does not accept this client's certificate: {reason}")]
    OwnCertificate {
        /// The server.
        server: String,
        /// What is wrong, and what to do.
        reason: String,
    },
    /// The server says no.
    #[error("{server}: {message}{}", quoted(.request.as_deref()))]
    Refused {
        /// The server.
        server: String,
        /// The kind.
        code: Code,
        /// What it said: what, where, what next.
        message: String,
        /// The id of the call, by which the server's operator finds it in the log.
        request: Option<String>,
    },
    /// The server is older than selector keys.
    #[error(
        "{server} does not know selector keys: submit with --no-selectors, and the job computes by lookups alone; or have the server's operator install a newer version. It says: {message}"
    )]
    NoSelectors {
        /// The server.
        server: String,
        /// What it said.
        message: String,
    },
    /// The server says what no server says that keeps to the protocol.
    #[error("{server} does not keep to the protocol: {what}. What came from it was not used")]
    Protocol {
        /// The server.
        server: String,
        /// What it did.
        what: String,
    },
    /// A question was not answered.
    #[error("{refusal}")]
    Question {
        /// The job that asked.
        job: String,
        /// Why not.
        refusal: Box<Refusal>,
        /// Whether the job waits for an answer still; otherwise it has been told that none comes.
        waits: bool,
    },
    /// The caller was asked to stop.
    #[error("interrupted")]
    Interrupted,
}

impl ClientError {
    /// Whether the same call may succeed a little later.
    pub(super) fn is_transient(&self) -> bool {
        match self {
            ClientError::Unreachable { .. } => true,
            ClientError::Refused { code, .. } => *code == Code::Unavailable,
            _ => false,
        }
    }

    /// What it means for the upload of a blob of a kind.
    pub(super) fn of_upload(self, kind: BlobKind) -> ClientError {
        match self {
            ClientError::Refused {
                server,
                code: Code::InvalidArgument,
                message,
                ..
            } if kind == BlobKind::SelectorKey && message.starts_with(UNKNOWN_KIND) => {
                ClientError::NoSelectors { server, message }
            }
            other => other,
        }
    }

    /// What a status means. One that was made here, and not by the server, has a source: the
    /// network's error.
    pub(super) fn of(server: &str, status: &Status) -> ClientError {
        let server = server.to_owned();
        let Some(source) = status.source() else {
            return ClientError::Refused {
                server,
                code: status.code(),
                message: printable(status.message()),
                request: request_of(status),
            };
        };
        let mut reason = source.to_string();
        let mut next = Some(source);
        while let Some(error) = next {
            if let Some(error) = tls_error(error) {
                return of_tls(server, error);
            }
            reason = error.to_string();
            next = error.source();
        }
        ClientError::Unreachable { server, reason }
    }
}

/// What stands behind a refusal.
fn quoted(request: Option<&str>) -> String {
    request.map_or(String::new(), |id| format!(" (request {id})"))
}

/// The id of a refused call, if the server said one that is one.
fn request_of(status: &Status) -> Option<String> {
    let id = status.metadata().get(HEADER)?.to_str().ok()?;
    is_sane(id).then(|| id.to_owned())
}

/// A server's text, fit for a terminal.
pub(crate) fn printable(text: &str) -> String {
    /// Longest message that is shown.
    const LIMIT: usize = 2000;
    let shown = text.chars().map(|c| if c.is_control() { ' ' } else { c });
    shown.take(LIMIT).collect()
}

fn tls_error<'e>(error: &'e (dyn Error + 'static)) -> Option<&'e rustls::Error> {
    if let Some(found) = error.downcast_ref() {
        return Some(found);
    }
    // What an I/O error wraps is not always its source.
    let io: &std::io::Error = error.downcast_ref()?;
    io.get_ref()?.downcast_ref()
}

/// What TLS has against a connection.
pub(super) fn of_tls(server: String, error: &rustls::Error) -> ClientError {
    let reason = match error {
        rustls::Error::InvalidCertificate(error) => match error {
            CertificateError::Expired | CertificateError::ExpiredContext { .. } => {
                "it has expired: have the server's owner make another one (blindcore tls init)"
                    .to_owned()
            }
            CertificateError::NotValidYet | CertificateError::NotValidYetContext { .. } => {
                "it is not valid yet: is the clock of this machine right?".to_owned()
            }
            // Another authority of the same name shows by its signature.
            CertificateError::UnknownIssuer | CertificateError::BadSignature => {
                "an unknown authority signed it: take the directory that the server's owner made for you (--tls), or this is another server".to_owned()
            }
            CertificateError::NotValidForName | CertificateError::NotValidForNameContext { .. } => {
                "it is for another name: call the server by the name that its certificate has, or have it made with `blindcore tls init --host NAME`".to_owned()
            }
            other => other.to_string(),
        },
        rustls::Error::AlertReceived(alert) => {
            let reason = match alert {
                AlertDescription::CertificateExpired => {
                    "it has expired: have the server's owner make another one (blindcore tls client)".to_owned()
                }
                AlertDescription::UnknownCA | AlertDescription::DecryptError => {
                    "another authority than the server's signed it: take the directory that the server's owner made for you (--tls)".to_owned()
                }
                AlertDescription::CertificateRequired => "it was not shown".to_owned(),
                AlertDescription::AccessDenied => {
                    "the server is told to refuse it: ask the server's operator".to_owned()
                }
                other => format!("the server ended the handshake ({other:?})"),
            };
            return ClientError::OwnCertificate { server, reason };
        }
        rustls::Error::InvalidMessage(_) => {
            let reason = "it does not speak TLS: is this the port of `blindcore serve`?".to_owned();
            return ClientError::Unreachable { server, reason };
        }
        other => other.to_string(),
    };
    ClientError::ServerCertificate { server, reason }
}
