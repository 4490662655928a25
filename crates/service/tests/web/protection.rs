//! Who may listen in, and who a certificate makes the caller.

use tempfile::TempDir;

use super::*;
use crate::server::Line;
use blindcore_service::server::{ServerError, serve as run};
use clap::Parser;

#[tokio::test(flavor = "multi_thread")]
async fn by_tls_a_certificate_stands_for_a_token() {
    let server = serve(&["--web-tls"], "");
    let alice = server.tls("alice");
    let by_certificate = Http::open(&server).with_tls(&alice, true);
    let about = by_certificate.get("/v1/about").await.found();
    assert_eq!(
        (&about["client"], &about["operator"]),
        (&"alice".into(), &false.into())
    );
    // It is the client that gRPC knows, and not the token's of the same name.
    let mut owner = Owner::new(1);
    let job = salaries(&mut owner, 1 << 18);
    let body = by_certificate.upload(&job).await;
    let id = by_certificate.submit(&body).await;
    let mut grpc = server.client("alice").await;
    until(&mut grpc, &id, ended).await;
    check_salaries(&owner, &fetch(&mut grpc, &id).await.unwrap());
    let by_token = Http::new(&server, ALICE).with_tls(&alice, false);
    assert_eq!(by_token.get("/v1/about").await.found()["used"]["bytes"], 0);
    by_token
        .get(&format!("/v1/jobs/{id}"))
        .await
        .refused(404, "NOT_FOUND", "no job");
    // A token that is shown is meant, even beside a certificate.
    let both = Http::new(&server, ROOT).with_tls(&alice, true);
    assert_eq!(both.get("/v1/about").await.found()["client"], "root");
    let both = Http::new(&server, "wrong").with_tls(&alice, true);
    both.get("/v1/about")
        .await
        .refused(401, "UNAUTHENTICATED", "token");
    let none = Http::open(&server).with_tls(&alice, false);
    none.get("/v1/about")
        .await
        .refused(401, "UNAUTHENTICATED", "no token");

    // A certificate of another authority, or the server's own, is refused.
    let other = TempDir::new().unwrap();
    certificates(other.path(), &["alice"]);
    let mixed = TempDir::new().unwrap();
    let copy = |from: &std::path::Path, file: &str| {
        std::fs::copy(from.join(file), mixed.path().join(file)).unwrap();
    };
    for (own, from) in [
        (other.path().join("alice"), "other"),
        (server.tls("server"), "server"),
    ] {
        copy(&alice, "ca.pem");
        copy(&own, "cert.pem");
        copy(&own, "key.pem");
        let http = Http::open(&server).with_tls(mixed.path(), true);
        let request = http
            .request("GET", "/v1/about")
            .body(Body::empty())
            .unwrap();
        assert!(http.send(request).await.is_err(), "{from}");
    }
    // Plain HTTP is no handshake.
    let plain = Http::new(&server, ALICE);
    let request = plain
        .request("GET", "/v1/about")
        .body(Body::empty())
        .unwrap();
    assert!(plain.send(request).await.is_err());
}

/// A server that does not start says why.
async fn failure(options: &[&str], config: &str) -> ServerError {
    let root = TempDir::new().unwrap();
    certificates(&root.path().join("tls"), &[]);
    std::fs::write(root.path().join("config.toml"), config).unwrap();
    let path = |name: &str| root.path().join(name).display().to_string();
    let (dir, tls, file) = (path("data"), path("tls/server"), path("config.toml"));
    let mut line = vec!["serve", "--dir", &dir, "--tls", &tls, "--config", &file];
    line.extend(["--listen", "127.0.0.1:0", "--no-metrics"]);
    line.extend(options);
    let arguments = Line::parse_from(line).serve;
    let (_stop, mut stopped) = tokio::sync::mpsc::channel(1);
    run(&arguments, &mut stopped, |_| panic!("it starts"))
        .await
        .unwrap_err()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_would_be_read_along_does_not_start() {
    let error = failure(&["--web", "0.0.0.0:0"], "").await;
    assert!(matches!(error, ServerError::Web { .. }), "{error}");
    let message = error.to_string();
    assert!(
        message.contains("--web-tls") && message.contains("--web-plain"),
        "{message}"
    );
    let none = ["--web", "127.0.0.1:0", "--web-app", "/nowhere/at/all"];
    let message = failure(&none, "").await.to_string();
    assert!(message.starts_with("/nowhere/at/all: "), "{message}");
    let empty = TempDir::new().unwrap();
    let app = [
        "--web",
        "127.0.0.1:0",
        "--web-app",
        empty.path().to_str().unwrap(),
    ];
    let message = failure(&app, "").await.to_string();
    assert!(message.contains("index.html"), "{message}");
    let tls = format!("--web-tls={}", empty.path().display());
    let message = failure(&["--web", "127.0.0.1:0", &tls], "")
        .await
        .to_string();
    assert!(message.contains("ca.pem"), "{message}");
    let message = failure(&[], "[token.alice]\nsha256 = \"5\"")
        .await
        .to_string();
    assert!(message.contains("[token.alice]"), "{message}");
}

#[test]
fn options_without_the_interface_are_errors() {
    let line = |rest: &[&str]| {
        let mut line = vec!["serve", "--dir", "d", "--tls", "t"];
        line.extend(rest);
        Line::try_parse_from(line).map(|_| ())
    };
    for rest in [
        &["--web-plain"][..],
        &["--web-tls"],
        &["--web-app", "d"],
        &["--web-programs", "d"],
        &["--web-origin", "https://example.org"],
        &["--web", "127.0.0.1:0", "--web-origin", "*"],
        &["--web", "127.0.0.1:0", "--web-tls", "--web-plain"],
    ] {
        assert!(line(rest).is_err(), "{rest:?}");
    }
    line(&["--web", "127.0.0.1:0", "--web-tls"]).unwrap();
}
