//! Who talks to whom: certificates of both sides, made here and expired or foreign where a test
//! wants that.

use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use blindcore_service::client::{Client, ClientError, Settings};
use rcgen::{
    BasicConstraints, CertificateParams, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose,
};
use tempfile::TempDir;

use super::deceiver::Deceiver;

/// An authority and directories that it fills.
pub(super) struct Authority {
    directory: TempDir,
    pem: String,
    issuer: Issuer<'static, KeyPair>,
}

impl Authority {
    pub(super) fn new() -> Authority {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::default();
        parameters.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
        parameters.key_usages = vec![KeyUsagePurpose::KeyCertSign];
        let pem = parameters.self_signed(&key).unwrap().pem();
        let issuer = Issuer::new(parameters, key);
        let directory = tempfile::tempdir().unwrap();
        Authority {
            directory,
            pem,
            issuer,
        }
    }

    pub(super) fn server(&self, name: &str) -> PathBuf {
        self.issue("server", name, ExtendedKeyUsagePurpose::ServerAuth, 2100)
    }

    pub(super) fn client(&self) -> PathBuf {
        self.issue("client", "alice", ExtendedKeyUsagePurpose::ClientAuth, 2100)
    }

    fn issue(
        &self,
        directory: &str,
        name: &str,
        usage: ExtendedKeyUsagePurpose,
        until: i32,
    ) -> PathBuf {
        let key = KeyPair::generate().unwrap();
        let mut parameters = CertificateParams::new([name.to_owned()]).unwrap();
        parameters.extended_key_usages = vec![usage];
        parameters.not_after = rcgen::date_time_ymd(until, 1, 1);
        let certificate = parameters.signed_by(&key, &self.issuer).unwrap();
        let path = self.directory.path().join(directory);
        std::fs::create_dir_all(&path).unwrap();
        let write = |file, text: &str| std::fs::write(path.join(file), text).unwrap();
        write("ca.pem", &self.pem);
        write("cert.pem", &certificate.pem());
        write("key.pem", &key.serialize_pem());
        path
    }
}

/// Connects to a port of this machine, with little patience.
pub(super) fn connect(port: u16, tls: &Path, patience: Duration) -> Result<Client, ClientError> {
    let settings = Settings {
        server: format!("localhost:{port}").parse().unwrap(),
        patience,
        cancel: Default::default(),
        notice: Arc::new(|_| {}),
    };
    Client::connect(settings, tls)
}

/// With patience for one attempt.
fn error(port: u16, tls: &Path) -> ClientError {
    connect(port, tls, Duration::ZERO).unwrap_err()
}

#[test]
fn the_right_certificates_are_accepted() {
    let authority = Authority::new();
    let server = Deceiver::start(&authority.server("localhost"));
    let client = connect(server.port(), &authority.client(), Duration::ZERO).unwrap();
    assert_eq!(client.about().version, "deceiver");
}

#[test]
fn a_server_of_another_authority_is_refused() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Deceiver::start(&other.server("localhost"));
    let error = error(server.port(), &authority.client());
    let message = error.to_string();
    assert!(
        matches!(error, ClientError::ServerCertificate { .. }),
        "{message}"
    );
    assert!(message.contains("unknown authority"), "{message}");
}

#[test]
fn a_server_of_another_name_is_refused() {
    let authority = Authority::new();
    let server = Deceiver::start(&authority.server("elsewhere.example"));
    let error = error(server.port(), &authority.client());
    let message = error.to_string();
    assert!(
        matches!(error, ClientError::ServerCertificate { .. }),
        "{message}"
    );
    assert!(message.contains("--host NAME"), "{message}");
}

#[test]
fn an_expired_server_is_refused() {
    let authority = Authority::new();
    let usage = ExtendedKeyUsagePurpose::ServerAuth;
    let server = Deceiver::start(&authority.issue("old", "localhost", usage, 2020));
    let error = error(server.port(), &authority.client());
    let message = error.to_string();
    assert!(
        matches!(error, ClientError::ServerCertificate { .. }),
        "{message}"
    );
    assert!(message.contains("expired"), "{message}");
}

#[test]
fn a_client_cannot_stand_in_for_the_server() {
    let authority = Authority::new();
    let usage = ExtendedKeyUsagePurpose::ClientAuth;
    let server = Deceiver::start(&authority.issue("mallory", "localhost", usage, 2100));
    let error = error(server.port(), &authority.client());
    assert!(
        matches!(error, ClientError::ServerCertificate { .. }),
        "{error}"
    );
}

#[test]
fn one_s_own_certificate_is_named_when_it_is_the_reason() {
    let (authority, other) = (Authority::new(), Authority::new());
    let server = Deceiver::start(&authority.server("localhost"));
    let usage = || ExtendedKeyUsagePurpose::ClientAuth;
    let expired = authority.issue("expired", "alice", usage(), 2020);
    // Knows the server's authority, but was signed by another one.
    let foreign = other.issue("foreign", "alice", usage(), 2100);
    std::fs::copy(authority.client().join("ca.pem"), foreign.join("ca.pem")).unwrap();
    for (tls, part) in [(expired, "expired"), (foreign, "--tls")] {
        let error = connect(server.port(), &tls, Duration::from_secs(5)).unwrap_err();
        let message = error.to_string();
        assert!(
            matches!(error, ClientError::OwnCertificate { .. }),
            "{message}"
        );
        assert!(message.contains(part), "{message}");
    }
}

#[test]
fn nobody_and_somebody_else_are_told_apart_from_a_server() {
    let authority = Authority::new();
    let tls = authority.client();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    drop(listener);
    let nobody = error(port, &tls);
    assert!(
        matches!(nobody, ClientError::Unreachable { .. }),
        "{nobody}"
    );
    assert!(nobody.to_string().contains("blindcore serve"), "{nobody}");

    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = listener.local_addr().unwrap().port();
    std::thread::spawn(move || {
        use std::io::Write;
        for stream in listener.incoming().flatten() {
            let _ = (&stream).write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n");
        }
    });
    let other = error(port, &tls);
    assert!(other.to_string().contains("does not speak TLS"), "{other}");
}

#[test]
fn a_directory_without_certificates_says_what_is_missing() {
    let directory = tempfile::tempdir().unwrap();
    let error = error(1, directory.path());
    let message = error.to_string();
    assert!(matches!(error, ClientError::Tls(_)), "{message}");
    assert!(
        message.contains("ca.pem") && message.contains("tls init"),
        "{message}"
    );
}
