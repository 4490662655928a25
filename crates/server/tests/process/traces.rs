//! Spans of calls and jobs, as a collector gets them.

use std::collections::BTreeMap;
use std::future::poll_fn;
use std::pin::Pin;
use std::sync::{Arc, Mutex};

use hyper::body::{Body as _, Incoming};
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

use super::*;

/// What was sent, by the path of the call.
type Sent = Arc<Mutex<BTreeMap<String, Vec<u8>>>>;

/// Takes everything, and says that it was right.
async fn collector() -> (u16, Sent) {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    let sent = Sent::default();
    let kept = Arc::clone(&sent);
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let kept = Arc::clone(&kept);
            let answer = service_fn(move |request: Request<Incoming>| {
                let kept = Arc::clone(&kept);
                async move {
                    let path = request.uri().path().to_owned();
                    let mut body = request.into_body();
                    while let Some(frame) =
                        poll_fn(|context| Pin::new(&mut body).poll_frame(context)).await
                    {
                        if let Ok(bytes) = frame?.into_data() {
                            let mut kept = kept.lock().unwrap();
                            kept.entry(path.clone()).or_default().extend(bytes);
                        }
                    }
                    let response = Response::builder()
                        .header("content-type", "application/grpc")
                        .header("grpc-status", "0");
                    Ok::<_, hyper::Error>(response.body(String::new()).unwrap())
                }
            });
            let builder = hyper::server::conn::http2::Builder::new(TokioExecutor::new());
            tokio::spawn(builder.serve_connection(TokioIo::new(stream), answer));
        }
    });
    (port, sent)
}

#[tokio::test(flavor = "multi_thread")]
async fn spans_of_calls_and_jobs_are_sent_and_say_no_values() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let (port, sent) = collector().await;
    let collector = format!("http://127.0.0.1:{port}");
    let mut process = Process::start(root.path(), &["--traces", &collector]);
    let mut client = connect(process.port, &root.path().join("tls/alice")).await;
    let mut owner = Owner::new(17);
    let job = cipher(&mut owner);
    let id = job.submit(&mut client, 1).await;
    assert_eq!(until(&mut client, &id, ended).await.state(), JobState::Done);
    // What is left is sent before it ends.
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    let sent = sent.lock().unwrap();
    let path = "/opentelemetry.proto.collector.trace.v1.TraceService/Export";
    assert_eq!(sent.keys().collect::<Vec<_>>(), [path]);
    let has = |wanted: &[u8]| sent[path].windows(wanted.len()).any(|part| part == wanted);
    for wanted in ["blindcore-server", "call", "job", "plan", "compute", &id] {
        assert!(has(wanted.as_bytes()), "{wanted} is missing");
    }
    // No word of its plaintext, nor of its key.
    assert!(!has(b"ABCD") && !has(&job.key[..64]) && !has(&job.inputs[..64]));
}

#[test]
fn a_collector_that_is_not_there_stops_nothing() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let mut process = Process::start(root.path(), &["--traces", "http://127.0.0.1:1"]);
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
}
