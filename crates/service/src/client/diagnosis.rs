//! Why a server closes a connection as soon as it stands.
//!
//! In TLS 1.3 a client has finished its handshake before the server has looked at its certificate.
//! The refusal comes as an alert afterwards, and a client that writes at that moment, as HTTP/2
//! does, may find the connection closed before it reads the alert. So where a connection fails
//! without a visible reason, one more handshake is made, in which nothing is written and the alert
//! is waited for.

use std::io;
use std::net::{TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore};

use crate::tls::Material;

/// How long anything may take.
const TIMEOUT: Duration = Duration::from_secs(2);

/// What TLS has against the connection; `None` if that is not what is wrong with it.
pub(super) fn diagnose(host: &str, port: u16, material: &Material) -> Option<rustls::Error> {
    let mut connection = connection(host, material)?;
    let host = host.trim_matches(['[', ']']);
    let mut tcp = (host, port)
        .to_socket_addrs()
        .ok()?
        .find_map(|address| TcpStream::connect_timeout(&address, TIMEOUT).ok())?;
    tcp.set_read_timeout(Some(TIMEOUT)).ok()?;
    tcp.set_write_timeout(Some(TIMEOUT)).ok()?;
    if let Err(error) = connection.complete_io(&mut tcp) {
        return of_io(error);
    }
    // What comes first is an alert, or what a server says to a client that it accepts.
    match connection.read_tls(&mut tcp) {
        Ok(0) | Err(_) => None,
        Ok(_) => connection.process_new_packets().err(),
    }
}

fn connection(host: &str, material: &Material) -> Option<ClientConnection> {
    let mut roots = RootCertStore::empty();
    for root in CertificateDer::pem_slice_iter(&material.authority) {
        roots.add(root.ok()?).ok()?;
    }
    let own: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(&material.certificate).collect();
    let key = PrivateKeyDer::from_pem_slice(&material.key).ok()?;
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .ok()?
        .with_root_certificates(roots)
        .with_client_auth_cert(own.ok()?, key)
        .ok()?;
    config.alpn_protocols = vec![b"h2".to_vec()];
    let name = ServerName::try_from(host.trim_matches(['[', ']']).to_owned()).ok()?;
    ClientConnection::new(Arc::new(config), name).ok()
}

fn of_io(error: io::Error) -> Option<rustls::Error> {
    error.into_inner()?.downcast().ok().map(|error| *error)
}
