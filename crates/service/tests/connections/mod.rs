//! Clients, and strangers, that open connections and calls to keep others out: they do not.

pub(crate) mod frames;

use std::path::Path;
use std::time::{Duration, Instant};

use blindcore_service::proto::chunk::Part;
use blindcore_service::proto::{AboutRequest, BlobKind, Chunk, JobState};
use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::TcpStream;
use tonic::Code;

use crate::rig::*;
use crate::server::{Server, refused};
use frames::Raw;

/// A configuration: a minute is too long for a test.
fn config(limits: &str) -> String {
    format!("[connections]\n{limits}\n[client.root]\nadmin = true\n")
}

/// A figure of `/metrics`.
async fn figure(server: &Server, name: &str) -> u64 {
    let metrics = server.http("/metrics").await;
    let line = metrics.lines().find_map(|line| line.strip_prefix(name));
    line.map_or(0, |value| value.trim().parse().unwrap())
}

async fn closed(server: &Server, kind: &str) -> u64 {
    let name = format!("blindcore_connections_closed_total{{kind=\"{kind}\"}}");
    figure(server, &name).await
}

async fn unlet(server: &Server, kind: &str) -> u64 {
    let name = format!("blindcore_handshakes_refused_total{{kind=\"{kind}\"}}");
    figure(server, &name).await
}

/// A client sees the end of a connection before it is counted.
async fn counted(server: &Server, kind: &str, count: u64) {
    let begin = Instant::now();
    while closed(server, kind).await < count {
        assert!(begin.elapsed() < Duration::from_secs(20), "{kind}");
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
    assert_eq!(closed(server, kind).await, count, "{kind}");
}

async fn about(client: &mut Client) -> Result<(), tonic::Status> {
    client.about(AboutRequest {}).await.map(drop)
}

/// A connection on which a call runs, so that it makes no room.
async fn busy(server: &Server, name: &str) -> Raw {
    let mut raw = Raw::open(server.port, &server.tls(name)).await;
    raw.call(1, "Attend").await;
    raw
}

/// Once as many connections are established.
async fn established(server: &Server, count: u64) {
    let begin = Instant::now();
    while figure(server, "blindcore_connections ").await != count {
        assert!(begin.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

async fn runs_a_job(server: &Server, name: &str) {
    runs_a_job_by(&mut server.client(name).await).await;
}

async fn runs_a_job_by(client: &mut Client) {
    let mut owner = Owner::new(1);
    let id = salaries(&mut owner, 1 << 18).submit(client, 1).await;
    assert_eq!(until(client, &id, ended).await.state(), JobState::Done);
    check_salaries(&owner, &fetch(client, &id).await.unwrap());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refused_client_ends_in_the_handshake() {
    let server = Server::start(&[], "[client.bob]\nrefused = true");
    let mut stream = frames::connect(server.port, &server.tls("bob")).await;
    // With TLS 1.3 the client learns it when it reads.
    let error = stream.read(&mut [0; 100]).await.unwrap_err().to_string();
    assert!(error.contains("AccessDenied"), "{error}");
    counted(&server, "refused", 1).await;
    assert_eq!(unlet(&server, "refused").await, 1);
    // Whatever it sends: nothing is received.
    let mut raw = Raw::open(server.port, &server.tls("bob")).await;
    for stream in 0..64 {
        raw.call(2 * stream + 1, "Submit").await;
        raw.announce(2 * stream + 1, 4 << 20, &[0; 100]).await;
    }
    assert!(raw.next().await.is_none());
    assert_eq!(figure(&server, "blindcore_receiving_bytes ").await, 0);
    runs_a_job(&server, "alice").await;
}

/// Who runs a server sees by which reason nobody was let in.
#[tokio::test(flavor = "multi_thread")]
async fn handshakes_that_let_nobody_in_are_counted_by_reason() {
    let server = Server::start(&[], "[connections]\nhandshake_seconds = 1");
    let strangers = tempfile::tempdir().unwrap();
    certificates(strangers.path(), &["alice"]);
    let (ours, theirs) = (server.tls("alice"), strangers.path().join("alice"));
    let reached = async |trusted: &Path, own: Option<&Path>| {
        let Ok(mut client) = connect_as(server.port, trusted, own).await else {
            return false;
        };
        about(&mut client).await.is_ok()
    };
    assert!(!reached(&ours, None).await);
    assert!(!reached(&ours, Some(&theirs)).await);
    assert!(!reached(&ours, Some(&server.tls("server"))).await);
    assert!(!reached(&theirs, Some(&ours)).await);
    let silent = TcpStream::connect(("127.0.0.1", server.port))
        .await
        .unwrap();
    for kind in [
        "no_certificate",
        "authority",
        "certificate",
        "alert",
        "late",
    ] {
        let begin = Instant::now();
        while unlet(&server, kind).await == 0 {
            assert!(begin.elapsed() < Duration::from_secs(20), "{kind}");
            tokio::time::sleep(Duration::from_millis(20)).await;
        }
    }
    assert_eq!(unlet(&server, "time").await, 0);
    drop(silent);
    assert!(reached(&ours, Some(&ours)).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_certificate_does_not_have_all_places() {
    let server = Server::start(&[], &config("clients = 12\nclient = 8"));
    let mut held = Vec::new();
    for _ in 0..8 {
        held.push(busy(&server, "alice").await);
    }
    established(&server, 8).await;
    // It is told, and tries again by itself.
    for _ in 0..12 {
        let mut next = server.client("alice").await;
        let part = "8 connections of this client at once";
        refused(about(&mut next).await, Code::Unavailable, part);
        held.push(busy(&server, "alice").await);
    }
    runs_a_job(&server, "bob").await;
    assert!(closed(&server, "client").await > 0);
    // What it closes it may open again.
    drop(held);
    let begin = Instant::now();
    while about(&mut server.client("alice").await).await.is_err() {
        assert!(begin.elapsed() < Duration::from_secs(20));
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn strangers_do_not_shut_clients_out() {
    let server = Server::start(&[], &config("handshakes = 32"));
    let flood = |port: u16| async move {
        let mut held = Vec::new();
        for _ in 0..150 {
            held.push(TcpStream::connect(("127.0.0.1", port)).await.unwrap());
        }
        held
    };
    let mut held = flood(server.port).await;
    let flooding = tokio::spawn(flood(server.port));
    // A client that is turned out with the others tries again, as ours does.
    let begin = Instant::now();
    let alice = server.tls("alice");
    let mut client = loop {
        if let Ok(client) = connect_as(server.port, &alice, Some(&alice)).await {
            break client;
        }
        assert!(begin.elapsed() < Duration::from_secs(20));
    };
    // By that connection: another one would have to try again, too.
    runs_a_job_by(&mut client).await;
    held.extend(flooding.await.unwrap());
    // Most of them are gone, without an answer.
    let begin = Instant::now();
    while held.len() > 50 {
        let mut left = Vec::new();
        for mut stream in held {
            let read = tokio::time::timeout(Duration::from_millis(5), stream.read(&mut [0])).await;
            if !matches!(read, Ok(Ok(0) | Err(_))) {
                left.push(stream);
            }
        }
        held = left;
        assert!(
            begin.elapsed() < Duration::from_secs(20),
            "{} are left",
            held.len()
        );
    }
    assert!(figure(&server, "blindcore_connections_handshaking ").await <= 32);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 6 s"]
async fn who_says_nothing_is_not_waited_for() {
    let limits = "handshake_seconds = 2\nrequest_seconds = 2\nidle_seconds = 2";
    let server = Server::start(&[], &config(limits));
    let port = server.port;
    // No TLS; half a handshake; TLS and nothing else; HTTP/2 and no request.
    let mut bare = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    let mut half = TcpStream::connect(("127.0.0.1", port)).await.unwrap();
    half.write_all(b"\x16\x03\x01\x02\x00\x01").await.unwrap();
    let mut silent = frames::connect(port, &server.tls("alice")).await;
    let mut greeting = Raw::open(port, &server.tls("alice")).await;
    let patience = Duration::from_secs(20);
    for stream in [&mut bare, &mut half] {
        let read = tokio::time::timeout(patience, stream.read(&mut [0])).await;
        assert_eq!(read.unwrap().unwrap_or(0), 0);
    }
    let mut rest = Vec::new();
    let read = tokio::time::timeout(patience, silent.read_to_end(&mut rest)).await;
    assert!(read.is_ok(), "a connection without a request is kept");
    greeting.until_closed().await;
    counted(&server, "handshake_late", 2).await;
    counted(&server, "unused", 2).await;
    // A call that came is no reason to stay for ever; one that runs is.
    let mut running = busy(&server, "bob").await;
    let mut idle = Raw::open(port, &server.tls("alice")).await;
    idle.ask(1, "About").await;
    assert!(idle.until_a_call_ends().await.is_some());
    idle.until_closed().await;
    counted(&server, "idle", 1).await;
    running.ask(3, "About").await;
    assert_eq!(running.until_a_call_ends().await.unwrap().0, 3);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn announcements_take_no_memory_and_end() {
    let server = Server::start(&[], &config("body_seconds = 3"));
    let mut connections = Vec::new();
    for _ in 0..4 {
        let mut raw = Raw::open(server.port, &server.tls("alice")).await;
        for number in 0..32 {
            for (stream, method) in [(4 * number + 1, "Submit"), (4 * number + 3, "Upload")] {
                let length = if method == "Submit" { 4 << 20 } else { 1 << 20 };
                raw.call(stream, method).await;
                raw.announce(stream, length, &[0; 10]).await;
            }
        }
        connections.push(raw);
    }
    let begin = Instant::now();
    let mut most = 0;
    while begin.elapsed() < Duration::from_secs(2) {
        most = most.max(figure(&server, "blindcore_receiving_bytes ").await);
        about(&mut server.client("bob").await).await.unwrap();
        tokio::time::sleep(Duration::from_millis(50)).await;
    }
    // 256 calls announce 640 MiB.
    assert!(most > 0 && most <= 256 * (8 << 10), "{most} bytes");
    for raw in &mut connections {
        for _ in 0..64 {
            assert!(raw.until_a_call_ends().await.is_some());
        }
    }
    let late = "blindcore_messages_refused_total{kind=\"late\"} ";
    assert_eq!(figure(&server, late).await, 256);
    let begin = Instant::now();
    while figure(&server, "blindcore_receiving_bytes ").await > 0 {
        assert!(begin.elapsed() < Duration::from_secs(20));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn half_messages_are_bounded_for_each_client() {
    let limits = "client_bytes = 2_000_000\nbody_bytes = 8_000_000";
    let server = Server::start(&[], &config(limits));
    let mut raw = Raw::open(server.port, &server.tls("alice")).await;
    for number in 0..4 {
        raw.call(2 * number + 1, "Submit").await;
        let part = vec![0; 250_000];
        raw.announce(2 * number + 1, 4 << 20, &part).await;
    }
    let (_, trailers) = raw.until_a_call_ends().await.unwrap();
    // Numbers and texts of headers may be coded, names of gRPC's are not.
    assert!(!trailers.is_empty());
    let refused = "blindcore_messages_refused_total{kind=\"too_much\"} ";
    assert!(figure(&server, refused).await > 0);
    assert!(figure(&server, "blindcore_receiving_bytes ").await <= 2_000_000);
    // Others have theirs, and so has who gives up.
    let content = Owner::new(2).server_key;
    for name in ["bob", "alice"] {
        let mut client = server.client(name).await;
        if name == "alice" {
            drop(raw);
            return assert!(
                upload(&mut client, BlobKind::ServerKey, &content)
                    .await
                    .is_ok()
            );
        }
        upload(&mut client, BlobKind::ServerKey, &content)
            .await
            .unwrap();
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn messages_that_are_too_long_are_refused_by_their_length() {
    let server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let id = "x".repeat(20_000);
    let status = client.status(blindcore_service::proto::JobId { id });
    refused(status.await, Code::OutOfRange, "at most 16384");
    let chunk = Chunk {
        part: Some(Part::Data(vec![0; 2 << 20])),
    };
    let upload = send(&mut client, vec![chunk]).await;
    refused(upload, Code::OutOfRange, "too large");
    let calls = config("calls = 2");
    let server = Server::start(&[], &calls);
    let mut held = busy(&server, "alice").await;
    held.call(3, "Attend").await;
    let mut begun = 0;
    while begun < 2 {
        begun += usize::from(held.next().await.unwrap().kind == frames::HEADERS);
    }
    held.ask(5, "About").await;
    assert_eq!(held.until_a_call_ends().await.unwrap().0, 5);
    let mut next = server.client("alice").await;
    refused(about(&mut next).await, Code::Unavailable, "2 calls");
    about(&mut server.client("bob").await).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn administrators_find_a_place_when_all_are_taken() {
    let server = Server::start(&[], &config("clients = 4\nclient = 3\nreserved = 1"));
    let mut held = Vec::new();
    for name in ["alice", "alice", "bob", "bob"] {
        held.push(busy(&server, name).await);
    }
    established(&server, 4).await;
    let mut carol = server.client("carol").await;
    refused(about(&mut carol).await, Code::Unavailable, "of all clients");
    let mut root = server.client("root").await;
    about(&mut root).await.unwrap();
    counted(&server, "all", 1).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resting_connection_makes_room() {
    let server = Server::start(&[], &config("clients = 2\nclient = 1"));
    let mut first = server.client("alice").await;
    about(&mut first).await.unwrap();
    let mut bob = server.client("bob").await;
    about(&mut bob).await.unwrap();
    tokio::time::sleep(Duration::from_millis(1_200)).await;
    // Of one's own at one's own limit, of others at everybody's.
    let mut second = server.client("alice").await;
    about(&mut second).await.unwrap();
    let mut carol = server.client("carol").await;
    about(&mut carol).await.unwrap();
    counted(&server, "replaced", 2).await;
}
