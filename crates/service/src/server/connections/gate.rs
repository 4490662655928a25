//! Who is refused in the configuration, or revoked, is refused in the handshake: before a byte of a
//! request is received.

use std::fmt;
use std::sync::Arc;

use rustls::client::danger::HandshakeSignatureValid;
use rustls::pki_types::{CertificateDer, UnixTime};
use rustls::server::danger::{ClientCertVerified, ClientCertVerifier};
use rustls::{CertificateError, DigitallySignedStruct, DistinguishedName, Error, SignatureScheme};

use super::Places;
use crate::server::caller::Caller;
use crate::server::policy::Policy;

/// What another verifier accepts, but for clients that are refused.
pub(super) struct Gate {
    authority: Arc<dyn ClientCertVerifier>,
    policy: Arc<Policy>,
    places: Arc<Places>,
}

impl Gate {
    pub(super) fn new(
        authority: Arc<dyn ClientCertVerifier>,
        policy: Arc<Policy>,
        places: Arc<Places>,
    ) -> Self {
        Self {
            authority,
            policy,
            places,
        }
    }
}

impl fmt::Debug for Gate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Gate").finish_non_exhaustive()
    }
}

impl ClientCertVerifier for Gate {
    fn root_hint_subjects(&self) -> &[DistinguishedName] {
        self.authority.root_hint_subjects()
    }

    fn offer_client_auth(&self) -> bool {
        self.authority.offer_client_auth()
    }

    fn client_auth_mandatory(&self) -> bool {
        self.authority.client_auth_mandatory()
    }

    fn verify_client_cert(
        &self,
        certificate: &CertificateDer<'_>,
        between: &[CertificateDer<'_>],
        now: UnixTime,
    ) -> Result<ClientCertVerified, Error> {
        let verified = self
            .authority
            .verify_client_cert(certificate, between, now)?;
        match Caller::of_certificate(certificate, &self.policy.now()) {
            Ok(_) => Ok(verified),
            Err(refused) => {
                self.places.refused(refused.word);
                self.places.note("refused", &refused.status.message());
                // The client hears that access is denied.
                Err(CertificateError::ApplicationVerificationFailure.into())
            }
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority
            .verify_tls12_signature(message, certificate, signature)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signature: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.authority
            .verify_tls13_signature(message, certificate, signature)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.authority.supported_verify_schemes()
    }
}
