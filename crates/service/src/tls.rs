//! TLS material, as `blindcore tls init` makes it: a directory with `ca.pem`, `cert.pem`,
//! `key.pem`.
//!
//! Both sides show a certificate, and each takes only what the authority in its `ca.pem` signed.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::server::danger::ClientCertVerifier;
use rustls::{RootCertStore, ServerConfig};
use sha2::{Digest, Sha256};

/// The certificate of the authority that signs.
pub const AUTHORITY: &str = "ca.pem";
/// The certificate of this side.
pub const CERTIFICATE: &str = "cert.pem";
/// The key to it.
pub const KEY: &str = "key.pem";

/// Longest PEM file that is read, in bytes.
const FILE_LIMIT: u64 = 1 << 20;

/// Why there is no TLS.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TlsError {
    /// A file that cannot be read.
    #[error("{path}: {source}: make it with `blindcore tls init`", path = path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        source: std::io::Error,
    },
    /// A file that is no PEM, or of another kind.
    #[error("{path}: {reason}", path = path.display())]
    Malformed {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        reason: String,
    },
}

/// The three files of one side.
pub struct Material {
    /// `ca.pem`.
    pub authority: Vec<u8>,
    /// `cert.pem`.
    pub certificate: Vec<u8>,
    /// `key.pem`.
    pub key: Vec<u8>,
}

/// Whom a server talks to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Clients {
    /// Clients with a certificate of the authority, by gRPC.
    Certified,
    /// Clients that may have none, by HTTP: who calls is then said by a token. A certificate that is
    /// shown must be the authority's.
    Anybody,
}

impl Material {
    /// Reads a directory.
    ///
    /// # Errors
    /// [`TlsError`] with the file that is not what it should be.
    pub fn read(directory: &Path) -> Result<Self, TlsError> {
        Ok(Self {
            authority: pem(&directory.join(AUTHORITY), "CERTIFICATE")?,
            certificate: pem(&directory.join(CERTIFICATE), "CERTIFICATE")?,
            key: pem(&directory.join(KEY), "PRIVATE KEY")?,
        })
    }

    /// What a server says and demands in a handshake. `gate` may refuse more than the authority's
    /// verifier does.
    ///
    /// # Errors
    /// What is wrong with the files.
    pub(crate) fn config(
        &self,
        who: Clients,
        gate: impl FnOnce(Arc<dyn ClientCertVerifier>) -> Arc<dyn ClientCertVerifier>,
    ) -> Result<ServerConfig, String> {
        let words = |error: rustls::pki_types::pem::Error| error.to_string();
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(&self.authority) {
            let added = roots.add(certificate.map_err(words)?);
            added.map_err(|error| error.to_string())?;
        }
        let own = CertificateDer::pem_slice_iter(&self.certificate);
        let own = own.collect::<Result<Vec<_>, _>>().map_err(words)?;
        let key = PrivateKeyDer::from_pem_slice(&self.key).map_err(words)?;
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let clients =
            WebPkiClientVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider));
        let clients = match who {
            Clients::Certified => clients,
            Clients::Anybody => clients.allow_unauthenticated(),
        };
        let clients = gate(clients.build().map_err(|error| error.to_string())?);
        let config = ServerConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .map_err(|error| error.to_string())?
            .with_client_cert_verifier(clients)
            .with_single_cert(own, key);
        let mut config = config.map_err(|error| error.to_string())?;
        let protocol: &[u8] = match who {
            Clients::Certified => b"h2",
            Clients::Anybody => b"http/1.1",
        };
        config.alpn_protocols = vec![protocol.to_vec()];
        Ok(config)
    }
}

/// By what a server knows a certificate: the SHA-256 of the first one in a PEM text, in hexadecimal.
///
/// # Errors
/// What is wrong with the text.
pub fn fingerprint(pem: &[u8]) -> Result<String, String> {
    let certificate = CertificateDer::from_pem_slice(pem);
    let certificate = certificate.map_err(|error| format!("no certificate is in it ({error})"))?;
    let digest = Sha256::digest(&certificate);
    Ok(digest.iter().map(|byte| format!("{byte:02x}")).collect())
}

fn pem(path: &Path, label: &str) -> Result<Vec<u8>, TlsError> {
    let unreadable = |source| TlsError::Unreadable {
        path: path.to_path_buf(),
        source,
    };
    let malformed = |reason: String| TlsError::Malformed {
        path: path.to_path_buf(),
        reason,
    };
    let length = fs::metadata(path).map_err(unreadable)?.len();
    if length > FILE_LIMIT {
        return Err(malformed(format!("{length} bytes are no PEM file of ours")));
    }
    let bytes = fs::read(path).map_err(unreadable)?;
    let text = String::from_utf8_lossy(&bytes);
    let begins = |line: &str| line.starts_with("-----BEGIN ") && line.contains(label);
    if !text.lines().any(begins) {
        return Err(malformed(format!("there is no {label} in it")));
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_or_no_pem_is_named() {
        let directory = tempfile::tempdir().unwrap();
        let message = || Material::read(directory.path()).err().unwrap().to_string();
        assert!(message().contains("ca.pem"), "{}", message());
        fs::write(directory.path().join(AUTHORITY), "hello").unwrap();
        assert!(message().contains("no CERTIFICATE"), "{}", message());
    }
}
