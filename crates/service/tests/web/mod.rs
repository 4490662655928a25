//! The HTTP interface, from outside: a client of hyper's, and sockets where one has to misbehave.

mod abuse;
mod browser;
mod protection;
mod refusals;
mod story;

use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use axum::body::{Body, to_bytes};
use axum::http::{HeaderMap, Request, StatusCode};
use blindcore_service::token::fingerprint;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use rustls::pki_types::pem::PemObject as _;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName};
use serde_json::{Value, json};
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::TcpStream;
use tokio_rustls::TlsConnector;

use crate::rig::*;
use crate::server::Server;

/// Tokens of the tests: any text will do.
pub(crate) const ALICE: &str = "token-of-alice";
pub(crate) const BOB: &str = "token-of-bob";
pub(crate) const ROOT: &str = "token-of-root";

/// A configuration with their hashes, behind `rest`.
pub(crate) fn config(rest: &str) -> String {
    let section = |name: &str, token: &str, more: &str| {
        let sha256 = fingerprint(token);
        format!("[token.{name}]\nsha256 = \"{sha256}\"\n{more}\n")
    };
    [
        rest.to_owned(),
        "\n".to_owned(),
        section("alice", ALICE, ""),
        section("bob", BOB, ""),
        section("root", ROOT, "operator = true"),
    ]
    .concat()
}

/// A server with `--web` on the loopback interface.
pub(crate) fn serve(options: &[&str], rest: &str) -> Server {
    let mut all = vec!["--web", "127.0.0.1:0"];
    all.extend(options);
    Server::start(&all, &config(rest))
}

/// An answer.
#[derive(Debug)]
pub(crate) struct Answer {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Vec<u8>,
}

impl Answer {
    pub(crate) fn json(&self) -> Value {
        assert_eq!(self.headers["content-type"], "application/json", "{self:?}");
        serde_json::from_slice(&self.body).unwrap()
    }

    /// The document of a call that went well.
    #[track_caller]
    pub(crate) fn found(&self) -> Value {
        assert_eq!(self.status, 200, "{}", String::from_utf8_lossy(&self.body));
        self.json()
    }

    /// Asserts a refusal by its word, its code and a part of its message.
    #[track_caller]
    pub(crate) fn refused(&self, word: u16, code: &str, part: &str) {
        let text = String::from_utf8_lossy(&self.body);
        assert_eq!(self.status.as_u16(), word, "{text}");
        let value = self.json();
        assert_eq!(value["error"]["code"], code, "{text}");
        let message = value["error"]["message"].as_str().unwrap();
        assert!(message.contains(part), "{message}");
    }
}

/// Somebody who calls, over connections of their own.
#[derive(Clone)]
pub(crate) struct Http {
    pub(crate) address: SocketAddr,
    token: Option<String>,
    tls: Option<Arc<rustls::ClientConfig>>,
}

impl Http {
    pub(crate) fn new(server: &Server, token: &str) -> Http {
        Http {
            token: Some(token.to_owned()),
            ..Http::open(server)
        }
    }

    /// Somebody without a token.
    pub(crate) fn open(server: &Server) -> Http {
        Http {
            address: server.web.unwrap(),
            token: None,
            tls: None,
        }
    }

    /// By TLS: trusting the authority in a directory, and showing the certificate there if asked to.
    pub(crate) fn with_tls(self, directory: &Path, shows: bool) -> Http {
        let file = |name: &str| std::fs::read(directory.join(name)).unwrap();
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let mut roots = rustls::RootCertStore::empty();
        let authority = CertificateDer::from_pem_slice(&file("ca.pem")).unwrap();
        roots.add(authority).unwrap();
        let builder = rustls::ClientConfig::builder_with_provider(provider)
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_root_certificates(roots);
        let config = match shows {
            true => {
                let own = CertificateDer::from_pem_slice(&file("cert.pem")).unwrap();
                let key = PrivateKeyDer::from_pem_slice(&file("key.pem")).unwrap();
                builder.with_client_auth_cert(vec![own], key).unwrap()
            }
            false => builder.with_no_client_auth(),
        };
        Http {
            tls: Some(Arc::new(config)),
            ..self
        }
    }

    /// One request on a connection of its own; an error is the connection's.
    pub(crate) async fn send(&self, request: Request<Body>) -> Result<Answer, String> {
        let stream = TcpStream::connect(self.address).await.unwrap();
        match &self.tls {
            None => ask(stream, request).await,
            Some(config) => {
                let name = ServerName::try_from("localhost").unwrap();
                let connector = TlsConnector::from(Arc::clone(config));
                let stream = connector.connect(name, stream).await;
                ask(stream.map_err(|error| error.to_string())?, request).await
            }
        }
    }

    pub(crate) fn request(&self, method: &str, path: &str) -> axum::http::request::Builder {
        let request = Request::builder().method(method).uri(path);
        let request = request.header("host", self.address.to_string());
        match &self.token {
            Some(token) => request.header("authorization", format!("Bearer {token}")),
            None => request,
        }
    }

    pub(crate) async fn get(&self, path: &str) -> Answer {
        let request = self.request("GET", path).body(Body::empty()).unwrap();
        self.send(request).await.unwrap()
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Answer {
        self.post_text(path, body.to_string()).await
    }

    pub(crate) async fn post_text(&self, path: &str, body: impl Into<Body>) -> Answer {
        let request = self.request("POST", path);
        let request = request.header("content-type", "application/json");
        self.send(request.body(body.into()).unwrap()).await.unwrap()
    }

    pub(crate) async fn put(&self, kind: &str, hash: &str, body: &[u8]) -> Answer {
        let path = format!("/v1/blobs/{hash}?kind={kind}");
        let request = self.request("PUT", &path);
        let request = request.header("content-type", "application/octet-stream");
        let request = request.body(Body::from(body.to_vec())).unwrap();
        self.send(request).await.unwrap()
    }

    /// Uploads what a job is about; gives the body that submits it.
    pub(crate) async fn upload(&self, job: &Prepared) -> Value {
        let blobs = [
            ("program", &job.program),
            ("inputs", &job.inputs),
            ("server_key", &job.key),
        ];
        for (kind, bytes) in blobs {
            let stored = self.put(kind, &name(bytes), bytes).await.found();
            let expected = json!({"kind": kind, "blake3": name(bytes), "length": bytes.len()});
            assert_eq!(stored, expected);
        }
        json!({
            "program": name(&job.program),
            "inputs": name(&job.inputs),
            "key": name(&job.key),
        })
    }

    pub(crate) async fn submit(&self, body: &Value) -> String {
        let accepted = self.post("/v1/jobs", body).await;
        let text = String::from_utf8_lossy(&accepted.body).into_owned();
        assert_eq!(accepted.status, 201, "{text}");
        accepted.json()["id"].as_str().unwrap().to_owned()
    }

    /// The status once the job has ended, by its events.
    pub(crate) async fn ended(&self, id: &str) -> Value {
        let events = self.get(&format!("/v1/jobs/{id}/events")).await;
        events_of(&events).pop().unwrap()
    }
}

/// The statuses in a whole stream of events.
pub(crate) fn events_of(answer: &Answer) -> Vec<Value> {
    assert_eq!(answer.status, 200);
    assert_eq!(answer.headers["content-type"], "text/event-stream");
    let text = std::str::from_utf8(&answer.body).unwrap();
    let events = text
        .split("\n\n")
        .filter(|event| event.starts_with("event:"));
    let status = |event: &str| {
        let (head, data) = event.split_once('\n').unwrap();
        assert_eq!(head, "event: status");
        serde_json::from_str(data.strip_prefix("data: ").unwrap()).unwrap()
    };
    events.map(status).collect()
}

async fn ask(
    stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
    request: Request<Body>,
) -> Result<Answer, String> {
    let words = |error: hyper::Error| error.to_string();
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .map_err(words)?;
    let connection = tokio::spawn(connection);
    let answer = sender.send_request(request).await.map_err(words)?;
    let (head, body) = answer.into_parts();
    let body = to_bytes(Body::new(body), usize::MAX).await;
    connection.abort();
    Ok(Answer {
        status: head.status,
        headers: head.headers,
        body: body.map_err(|error| error.to_string())?.to_vec(),
    })
}

/// What a blob is called.
pub(crate) fn name(bytes: &[u8]) -> String {
    blake3::hash(bytes).to_hex().to_string()
}

/// The body of a job that would be planned for hours; its files are uploaded.
pub(crate) async fn endless(owner: &mut Owner, client: &Http) -> Value {
    let text = ".bits 16\n.data a\n.data b\nmain: LOAD R0, a\n LOAD R1, b\nagain: MUL R0, R0, R1\n B again";
    let values: &[(&str, &[i128])] = &[("a", &[3]), ("b", &[5])];
    let job = owner.job(text.as_bytes(), None, values, |_| ());
    client.upload(&job).await
}
