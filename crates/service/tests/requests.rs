//! Ids of calls: in answers, in refusals, and chosen by the client.

use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::http::Request as HttpRequest;
use blindcore_service::client::{self, Settings};
use blindcore_service::proto::{AboutRequest, JobId};
use tonic::metadata::MetadataMap;
use tonic::{Code, Request};

use crate::server::Server;
use crate::web::{ALICE, Http, serve};

const HEADER: &str = "x-request-id";

fn with<T>(message: T, id: &str) -> Request<T> {
    let mut request = Request::new(message);
    request.metadata_mut().insert(HEADER, id.parse().unwrap());
    request
}

fn id_of(metadata: &MetadataMap) -> &str {
    metadata.get(HEADER).unwrap().to_str().unwrap()
}

fn is_made(id: &str) -> bool {
    id.len() == 32 && id.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_grpc_has_an_id() {
    let mut server = Server::start(&[], "[client.bob]\njobs = 1");
    let mut client = server.client("alice").await;
    let lost = || JobId {
        id: "nothing".to_owned(),
    };
    // Answers, refusals, and refusals of streams.
    let answer = client.about(with(AboutRequest {}, "mine-1")).await.unwrap();
    assert_eq!(id_of(answer.metadata()), "mine-1");
    let refusal = client.status(with(lost(), "mine:2")).await.unwrap_err();
    assert_eq!(refusal.code(), Code::NotFound);
    assert_eq!(id_of(refusal.metadata()), "mine:2");
    let refusal = client.watch(with(lost(), "mine_3")).await.unwrap_err();
    assert_eq!(id_of(refusal.metadata()), "mine_3");
    // Without one, or with one that might harm a log, it is the server's.
    let long = "a".repeat(65);
    let mut made = Vec::new();
    for id in ["a b", "a\"b", &long] {
        let answer = client.about(with(AboutRequest {}, id)).await.unwrap();
        made.push(id_of(answer.metadata()).to_owned());
    }
    let refusal = client.status(lost()).await.unwrap_err();
    made.push(id_of(refusal.metadata()).to_owned());
    assert!(made.iter().all(|id| is_made(id)), "{made:?}");
    made.sort();
    made.dedup();
    assert_eq!(made.len(), 4);

    // A stream that fails on its way has it in its trailers.
    let (_keep, queue) = tokio::sync::mpsc::channel(1);
    let stream = tokio_stream::wrappers::ReceiverStream::new(queue);
    let asked = client.attend(with(stream, "mine-4"));
    drop(_keep);
    let mut messages = asked.await.unwrap().into_inner();
    let refusal = messages.message().await.unwrap_err();
    assert_eq!(id_of(refusal.metadata()), "mine-4", "{refusal:?}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_call_of_http_has_an_id() {
    let mut server = serve(&[], "");
    let http = Http::new(&server, ALICE);
    let ask = async |path: &str, id: Option<&str>| {
        let mut request = HttpRequest::get(path).header("host", "localhost");
        request = request.header("authorization", format!("Bearer {ALICE}"));
        if let Some(id) = id {
            request = request.header(HEADER, id);
        }
        http.send(request.body(Body::empty()).unwrap())
            .await
            .unwrap()
    };
    let answer = ask("/v1/about", Some("mine-1")).await;
    assert_eq!(
        (answer.status.as_u16(), &answer.headers[HEADER]),
        (200, &"mine-1".parse().unwrap())
    );
    let refusal = ask("/v1/jobs/nothing", Some("mine-2")).await;
    refusal.refused(404, "NOT_FOUND", "no job");
    assert_eq!(refusal.headers[HEADER], "mine-2");
    assert_eq!(refusal.json()["error"]["request"], "mine-2");
    for path in ["/v1/jobs/nothing", "/v1/nothing", "/v1/jobs?limit=x"] {
        let refusal = ask(path, Some("<script>")).await;
        let id = refusal.headers[HEADER].to_str().unwrap().to_owned();
        assert!(is_made(&id), "{id}");
        assert_eq!(refusal.json()["error"]["request"], id.as_str(), "{path}");
    }
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_client_quotes_the_id_of_what_was_refused() {
    let mut server = Server::start(&[], "");
    let settings = Settings {
        server: format!("localhost:{}", server.port).parse().unwrap(),
        patience: Duration::from_secs(10),
        cancel: Default::default(),
        notice: Arc::new(|_| ()),
    };
    let tls = server.tls("alice");
    let asked = tokio::task::spawn_blocking(move || {
        let client = client::Client::connect(settings, &tls).unwrap();
        client.status("nothing").unwrap_err().to_string()
    });
    let said = asked.await.unwrap();
    let (_, rest) = said.rsplit_once(" (request ").unwrap();
    assert!(is_made(rest.strip_suffix(')').unwrap()), "{said}");
    server.end().await;
}
