//! Who calls: a client is its certificate, or its token.

use std::sync::Arc;

use tonic::{Request, Status};
use x509_parser::prelude::{FromDer, X509Certificate};

use super::quota::{Quota, Quotas};
use super::tokens::Bearer;

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
    /// Whether places are kept for it, and it may administer (`admin = true`).
    pub(super) admin: bool,
    /// Whether it showed a token, and no certificate.
    pub(super) token: bool,
}

/// Why somebody is not let in whose certificate is in order.
#[derive(Clone, Debug)]
pub(super) struct Refused {
    /// The word for it in figures.
    pub(super) word: &'static str,
    pub(super) status: Status,
}

impl From<Refused> for Status {
    fn from(refused: Refused) -> Self {
        refused.status
    }
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
    pub(super) fn of_certificate(certificate: &[u8], quotas: &Quotas) -> Result<Self, Refused> {
        let (id, name) = identity(certificate);
        Self::of_identity(id, name, quotas)
    }

    fn of_identity(id: String, name: String, quotas: &Quotas) -> Result<Self, Refused> {
        match quotas.of(&name, &id) {
            Some(quota) => Ok(Self {
                admin: quotas.is_admin(&name, &id),
                id,
                name,
                quota,
                operator: false,
                token: false,
            }),
            None => {
                let word = match quotas.revocations().contains_key(&id) {
                    true => "revoked",
                    false => "refused",
                };
                let status = Status::permission_denied(format!(
                    "the client {name} (certificate {}) is {word}: ask the server's operator",
                    id.get(..16).unwrap_or(&id)
                ));
                Err(Refused { word, status })
            }
        }
    }

    /// Whose token this is.
    pub(super) fn of_token(token: &str, quotas: &Quotas) -> Result<Self, Status> {
        match quotas.tokens().bearer(token) {
            Some(bearer) => Self::of_bearer(bearer, quotas),
            None => Err(unknown_token()),
        }
    }

    fn of_bearer(bearer: Bearer, quotas: &Quotas) -> Result<Self, Status> {
        match quotas.of(&bearer.name, &bearer.id) {
            Some(quota) => Ok(Self {
                admin: quotas.is_admin(&bearer.name, &bearer.id),
                id: bearer.id,
                name: bearer.name,
                quota,
                operator: bearer.operator,
                token: true,
            }),
            None => Err(Status::permission_denied(format!(
                "the client {} is refused: ask the server's operator",
                bearer.name
            ))),
        }
    }

    /// The same client as another configuration has it.
    pub(super) fn again(&self, quotas: &Quotas) -> Result<Self, Status> {
        if !self.token {
            return Ok(Self::of_identity(
                self.id.clone(),
                self.name.clone(),
                quotas,
            )?);
        }
        match quotas.tokens().owner(&self.id) {
            Some(bearer) => Self::of_bearer(bearer, quotas),
            None => Err(unknown_token()),
        }
    }
}

fn unknown_token() -> Status {
    Status::unauthenticated(
        "the token is none that this server knows: check that it is whole, or ask the server's \
         operator for another",
    )
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

/// Names stand in logs. One that has to be changed for that becomes nobody else's.
fn printable(name: &str) -> String {
    let shown = |letter: char| match letter.is_control() {
        true => char::REPLACEMENT_CHARACTER,
        false => letter,
    };
    let mut shown: String = name.chars().take(64).map(shown).collect();
    if name.chars().nth(64).is_some() {
        shown.push('…');
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_something_in_it_is_another_name() {
        assert_eq!(printable("root"), "root");
        assert_ne!(printable("ro\u{1}ot"), "root");
        let long = "r".repeat(64);
        assert_eq!(printable(&long), long);
        assert_ne!(printable(&format!("{long}x")), long);
    }
}
