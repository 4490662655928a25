//! HTTP/2 by hand, as far as an attacker needs it: calls that begin and do not go on.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;
use tokio_rustls::client::TlsStream;

const DATA: u8 = 0;
pub(crate) const HEADERS: u8 = 1;
const SETTINGS: u8 = 4;
const WINDOW_UPDATE: u8 = 8;
const END_STREAM: u8 = 1;
const END_HEADERS: u8 = 4;

/// One connection.
pub(crate) struct Raw {
    stream: TlsStream<TcpStream>,
}

/// A frame that came.
#[derive(Debug)]
pub(crate) struct Frame {
    pub(crate) kind: u8,
    flags: u8,
    stream: u32,
    payload: Vec<u8>,
}

impl Frame {
    /// The end of a call: its trailers, or its headers where there is nothing else.
    pub(crate) fn ends(&self) -> Option<u32> {
        let ends = self.kind == HEADERS && self.flags & END_STREAM != 0;
        ends.then_some(self.stream)
    }
}

/// Connects by TLS with the certificate in a directory.
pub(crate) async fn connect(port: u16, own: &Path) -> TlsStream<TcpStream> {
    connect_by(port, &config(own)).await
}

/// What a client with that certificate says; sessions are kept in it.
pub(crate) fn config(own: &Path) -> Arc<rustls::ClientConfig> {
    let file = |name: &str| std::fs::read(own.join(name)).unwrap();
    let mut roots = rustls::RootCertStore::empty();
    let authority = CertificateDer::from_pem_slice(&file("ca.pem")).unwrap();
    roots.add(authority).unwrap();
    let certificate = CertificateDer::from_pem_slice(&file("cert.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_slice(&file("key.pem")).unwrap();
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let mut config = rustls::ClientConfig::builder_with_provider(provider)
        .with_safe_default_protocol_versions()
        .unwrap()
        .with_root_certificates(roots)
        .with_client_auth_cert(vec![certificate], key)
        .unwrap();
    config.alpn_protocols = vec![b"h2".to_vec()];
    Arc::new(config)
}

pub(crate) async fn connect_by(
    port: u16,
    config: &Arc<rustls::ClientConfig>,
) -> TlsStream<TcpStream> {
    let tcp = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let name = ServerName::try_from("localhost").unwrap();
    let connector = TlsConnector::from(Arc::clone(config));
    connector.connect(name, tcp).await.unwrap()
}

impl Raw {
    pub(crate) async fn open(port: u16, own: &Path) -> Raw {
        Raw::with(port, &config(own)).await
    }

    pub(crate) async fn with(port: u16, config: &Arc<rustls::ClientConfig>) -> Raw {
        let stream = connect_by(port, config).await;
        let mut raw = Raw { stream };
        raw.send(b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n").await;
        raw.frame(SETTINGS, 0, 0, &[]).await;
        // The server's windows are open once it has said so, and was told that it is heard.
        while let Some(frame) = raw.read().await
            && frame.kind != WINDOW_UPDATE
        {
            if frame.kind == SETTINGS && frame.flags == 0 {
                raw.frame(SETTINGS, 1, 0, &[]).await;
            }
        }
        raw
    }

    /// Whether the server takes it is seen when it answers.
    async fn send(&mut self, bytes: &[u8]) {
        let _ = self.stream.write_all(bytes).await;
        let _ = self.stream.flush().await;
    }

    async fn frame(&mut self, kind: u8, flags: u8, stream: u32, payload: &[u8]) {
        let length = u32::try_from(payload.len()).unwrap().to_be_bytes();
        let mut bytes = length[1..].to_vec();
        bytes.extend([kind, flags]);
        bytes.extend(stream.to_be_bytes());
        bytes.extend(payload);
        self.send(&bytes).await;
    }

    /// Begins a call.
    pub(crate) async fn call(&mut self, stream: u32, method: &str) {
        let path = format!("/blindcore.v1.Blindcore/{method}");
        let fields = [
            (":method", "POST"),
            (":scheme", "https"),
            (":path", &path),
            (":authority", "localhost"),
            ("content-type", "application/grpc"),
            ("te", "trailers"),
        ];
        let mut block = Vec::new();
        for (name, value) in fields {
            // A literal with a new name, without indexing.
            block.push(0);
            for text in [name, value] {
                block.push(u8::try_from(text.len()).unwrap());
                block.extend(text.as_bytes());
            }
        }
        self.frame(HEADERS, END_HEADERS, stream, &block).await;
    }

    /// A part of a message that is to have `length` bytes.
    pub(crate) async fn announce(&mut self, stream: u32, length: u32, part: &[u8]) {
        let mut bytes = vec![0];
        bytes.extend(length.to_be_bytes());
        bytes.extend(part);
        for piece in bytes.chunks(16 << 10) {
            self.frame(DATA, 0, stream, piece).await;
        }
    }

    /// A whole call without content.
    pub(crate) async fn ask(&mut self, stream: u32, method: &str) {
        self.call(stream, method).await;
        self.frame(DATA, END_STREAM, stream, &[0; 5]).await;
    }

    /// The next frame; none once the connection has ended. One of both must come.
    pub(crate) async fn next(&mut self) -> Option<Frame> {
        let patience = Duration::from_secs(20);
        let next = tokio::time::timeout(patience, self.read()).await;
        next.unwrap()
    }

    async fn read(&mut self) -> Option<Frame> {
        let mut head = [0; 9];
        self.stream.read_exact(&mut head).await.ok()?;
        let [a, b, c, kind, flags, stream @ ..] = head;
        let length = u32::from_be_bytes([0, a, b, c]) as usize;
        let mut payload = vec![0; length];
        self.stream.read_exact(&mut payload).await.ok()?;
        Some(Frame {
            kind,
            flags,
            stream: u32::from_be_bytes(stream),
            payload,
        })
    }

    /// Frames up to the end of some call, or of the connection.
    pub(crate) async fn until_a_call_ends(&mut self) -> Option<(u32, String)> {
        loop {
            let frame = self.next().await?;
            if let Some(stream) = frame.ends() {
                return Some((stream, String::from_utf8_lossy(&frame.payload).into_owned()));
            }
        }
    }

    /// Waits until the connection has ended.
    pub(crate) async fn until_closed(&mut self) {
        while self.next().await.is_some() {}
    }
}
