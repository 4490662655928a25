//! Who calls: a client is its certificate, or its token.

use std::sync::Arc;

use tonic::{Request, Status};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::quota::{Quota, Quotas};

/// A client.
#[derive(Clone, Debug)]
pub(super) struct Caller {
    /// SHA-256 of the certificate, or another hash of a token, in hexadecimal: what owns blobs and
    /// jobs.
    pub(super) id: String,
    /// The certificate's common name or the token's, for people; never decides anything but the
    /// quota.
    pub(super) name: String,
    /// What it may use.
    pub(super) quota: Quota,
    /// Whether it may see everybody's jobs.
    pub(super) operator: bool,
    /// Whether places are kept for it (`admin = true`).
    pub(super) admin: bool,
}

impl Caller {
    /// Who sent a request: known since the handshake.
    pub(super) fn of<T>(request: &Request<T>) -> Result<Self, Status> {
        let caller = request.extensions().get::<Arc<Self>>();
        caller.map(|caller| Self::clone(caller)).ok_or_else(|| {
            Status::unauthenticated(
                "no client certificate: connect with one that the server's authority signed",
            )
        })
    }

    /// Whose certificate this is, which a handshake has checked.
    pub(super) fn of_certificate(certificate: &[u8], quotas: &Quotas) -> Result<Self, Status> {
        let (id, name) = identity(certificate);
        match quotas.of(&name, &id) {
            Some(quota) => Ok(Self {
                admin: quotas.is_admin(&name, &id),
                id,
                name,
                quota,
                operator: false,
            }),
            None => Err(Status::permission_denied(format!(
                "the client {name} (certificate {}) is refused: ask the server's operator",
                &id[..16]
            ))),
        }
    }

    /// Whose token this is.
    pub(super) fn of_token(token: &str, quotas: &Quotas) -> Result<Self, Status> {
        let Some(bearer) = quotas.tokens().bearer(token) else {
            return Err(Status::unauthenticated(
                "the token is none that this server knows: check that it is whole, or ask the \
                 server's operator for another",
            ));
        };
        match quotas.of(&bearer.name, &bearer.id) {
            Some(quota) => Ok(Self {
                admin: quotas.is_admin(&bearer.name, &bearer.id),
                id: bearer.id,
                name: bearer.name,
                quota,
                operator: bearer.operator,
            }),
            None => Err(Status::permission_denied(format!(
                "the client {} is refused: ask the server's operator",
                bearer.name
            ))),
        }
    }
}

/// SHA-256 and common name of a certificate.
fn identity(certificate: &[u8]) -> (String, String) {
    use sha2::Digest;
    let digest = sha2::Sha256::digest(certificate);
    let id = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    let name = X509Certificate::from_der(certificate)
        .ok()
        .and_then(|(_, certificate)| {
            let common = certificate.subject().iter_common_name().next()?;
            common.as_str().ok().map(printable)
        });
    (id, name.unwrap_or_else(|| "unnamed".to_owned()))
}

/// Names stand in logs.
fn printable(name: &str) -> String {
    let shown = name.chars().filter(|letter| !letter.is_control());
    shown.take(64).collect()
}
