//! Certificates as `blindcore tls` makes them: a directory with `ca.pem`, `cert.pem` and `key.pem`. Both ends of
//! a connection show one, and each takes only what the authority signed.

use std::fs;
use std::io::{Error, Result};
use std::path::Path;
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, ClientConnection, RootCertStore, ServerConfig, ServerConnection};

use crate::ClusterError;

/// Longest file that is read, in bytes.
const LONGEST: u64 = 1 << 20;

/// What one end shows, and whom it takes.
#[derive(Clone)]
pub struct Certificates {
    calling: Arc<ClientConfig>,
    called: Arc<ServerConfig>,
}

impl Certificates {
    /// Reads a directory.
    ///
    /// # Errors
    /// [`ClusterError::Certificate`] with the file that is not what it should be.
    pub fn read(directory: &Path) -> std::result::Result<Self, ClusterError> {
        let file = |name: &str| -> std::result::Result<Vec<u8>, ClusterError> {
            let path = directory.join(name);
            let wrong = |reason: String| ClusterError::Certificate {
                reason: format!("{}: {reason}: make it with `blindcore tls`", path.display()),
            };
            let length = fs::metadata(&path)
                .map_err(|error| wrong(error.to_string()))?
                .len();
            if length > LONGEST {
                return Err(wrong(format!("{length} bytes are no PEM file")));
            }
            fs::read(&path).map_err(|error| wrong(error.to_string()))
        };
        let (authority, own, key) = (file("ca.pem")?, file("cert.pem")?, file("key.pem")?);
        Self::of(&authority, &own, &key).map_err(|reason| ClusterError::Certificate {
            reason: format!("{}: {reason}", directory.display()),
        })
    }

    fn of(authority: &[u8], own: &[u8], key: &[u8]) -> std::result::Result<Self, String> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(authority) {
            roots.add(certificate.map_err(said)?).map_err(said)?;
        }
        let roots = Arc::new(roots);
        let own: std::result::Result<Vec<_>, _> = CertificateDer::pem_slice_iter(own).collect();
        let own = own.map_err(said)?;
        let key = PrivateKeyDer::from_pem_slice(key).map_err(said)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let calling = ClientConfig::builder_with_provider(Arc::clone(&provider))
            .with_safe_default_protocol_versions()
            .map_err(said)?
            .with_root_certificates(Arc::clone(&roots))
            .with_client_auth_cert(own.clone(), key.clone_key())
            .map_err(said)?;
        let verifier = WebPkiClientVerifier::builder_with_provider(roots, Arc::clone(&provider));
        let called = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(said)?
            .with_client_cert_verifier(verifier.build().map_err(said)?)
            .with_single_cert(own, key)
            .map_err(said)?;
        Ok(Self {
            calling: Arc::new(calling),
            called: Arc::new(called),
        })
    }

    pub(super) fn calling(&self, host: &str) -> Result<ClientConnection> {
        let name = ServerName::try_from(host.to_owned()).map_err(Error::other)?;
        ClientConnection::new(Arc::clone(&self.calling), name).map_err(Error::other)
    }

    pub(super) fn called(&self) -> Result<ServerConnection> {
        ServerConnection::new(Arc::clone(&self.called)).map_err(Error::other)
    }
}

fn said(error: impl std::fmt::Display) -> String {
    error.to_string()
}
