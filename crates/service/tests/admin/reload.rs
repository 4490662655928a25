//! Files that are read anew.

use axum::body::Body;
use blindcore_service::proto::AboutReply;
use tokio_stream::wrappers::ReceiverStream;

use super::*;
use crate::web::{self, Http};

fn configure(server: &Server, text: &str) {
    std::fs::write(server.root.path().join("config.toml"), text).unwrap();
}

/// Another certificate for the server, by the same authority.
fn rotate(server: &Server) {
    let fresh = reissued(&server.root.path().join("tls"), "server");
    for name in ["cert.pem", "key.pem"] {
        std::fs::copy(fresh.join(name), server.tls("server").join(name)).unwrap();
    }
}

async fn look(client: &mut Client) -> Result<AboutReply, Status> {
    client
        .about(AboutRequest {})
        .await
        .map(tonic::Response::into_inner)
}

/// Whether the certificate in a directory lets anybody in; our authority signed the server's.
async fn comes(server: &Server, own: &Path) -> bool {
    match connect_as(server.port, &server.tls("root"), Some(own)).await {
        Ok(mut client) => about(&mut client).await.is_ok(),
        Err(_) => false,
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_configuration_holds_for_connections_that_exist() {
    let server = Server::start(&[], CONFIG);
    let (mut alice, mut bob) = (server.client("alice").await, server.client("bob").await);
    let mut root = admin(&server, "root").await;
    about(&mut bob).await.unwrap();
    assert_eq!(look(&mut alice).await.unwrap().quota.unwrap().jobs, 1000);
    configure(
        &server,
        "[client.root]\nadmin = true\n[client.alice]\njobs = 3\nadmin = true\n[client.bob]\nrefused = true",
    );
    let later = root.reload(ReloadRequest {}).await.unwrap().into_inner();
    assert_eq!(later.later, [""; 0]);
    assert_eq!(look(&mut alice).await.unwrap().quota.unwrap().jobs, 3);
    assert!(about(&mut bob).await.is_err());
    let mut second = admin(&server, "alice").await;
    second.revoked(RevokedRequest {}).await.unwrap();
    // Rights that are taken are gone on the same connection.
    configure(
        &server,
        "[client.root]\nadmin = true\n[connections]\nclients = 5",
    );
    let later = root.reload(ReloadRequest {}).await.unwrap().into_inner();
    assert!(later.later[0].contains("[connections]"), "{later:?}");
    let part = "is none";
    refused(
        second.revoked(RevokedRequest {}).await,
        Code::PermissionDenied,
        part,
    );
    about(&mut server.client("bob").await).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_files_leave_everything_as_it_was() {
    let server = Server::start(&[], CONFIG);
    let mut root = admin(&server, "root").await;
    let certificate = server.tls("server").join("cert.pem");
    let good = std::fs::read(&certificate).unwrap();
    let alice = std::fs::read(server.tls("alice").join("cert.pem")).unwrap();
    let closed = format!("{CONFIG}[client.alice]\nrefused = true");
    let wrong: [(&str, &[u8], &str); 4] = [
        ("[quota]\njobz = 3", &good, "config.toml"),
        ("[client.root]\nadmin = 7", &good, "config.toml"),
        (&closed, b"hello", "cert.pem"),
        // It is not the key's.
        (&closed, &alice, "nothing was reloaded"),
    ];
    for (config, pem, part) in wrong {
        configure(&server, config);
        std::fs::write(&certificate, pem).unwrap();
        let refusal = root.reload(ReloadRequest {}).await;
        refused(refusal, Code::FailedPrecondition, part);
        // Neither the configuration nor the certificate: all or nothing.
        about(&mut server.client("alice").await).await.unwrap();
        admin(&server, "root")
            .await
            .revoked(RevokedRequest {})
            .await
            .unwrap();
    }
    std::fs::remove_file(&certificate).unwrap();
    let refusal = root.reload(ReloadRequest {}).await;
    refused(refusal, Code::FailedPrecondition, "cert.pem");
    std::fs::write(&certificate, &good).unwrap();
    root.reload(ReloadRequest {}).await.unwrap();
    assert!(!comes(&server, &server.tls("alice")).await);
    assert!(comes(&server, &server.tls("bob")).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_certificate_is_shown_and_old_streams_go_on() {
    use crate::connections::frames;
    let server = Server::start(&[], CONFIG);
    let shown = async || {
        let stream = frames::connect(server.port, &server.tls("alice")).await;
        stream.get_ref().1.peer_certificates().unwrap()[0].to_vec()
    };
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let job = long(&mut owner, &mut alice, 1).await;
    let watched = blindcore_service::proto::JobId { id: job };
    let mut stream = alice.watch(watched).await.unwrap().into_inner();
    stream.message().await.unwrap().unwrap();
    let before = shown().await;
    rotate(&server);
    assert_eq!(shown().await, before);
    let mut root = admin(&server, "root").await;
    // In the midst of handshakes: none of them fails.
    let (port, own) = (server.port, server.tls("bob"));
    let comers = tokio::spawn(async move {
        for _ in 0..30 {
            about(&mut connect(port, &own).await).await.unwrap();
        }
    });
    for _ in 0..10 {
        root.reload(ReloadRequest {}).await.unwrap();
    }
    comers.await.unwrap();
    let after = shown().await;
    assert_ne!(after, before);
    stream.message().await.unwrap().unwrap();
    about(&mut alice).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn another_authority_counts_from_the_next_handshake_on() {
    let server = Server::start(&[], CONFIG);
    let mut alice = server.client("alice").await;
    about(&mut alice).await.unwrap();
    let mut root = admin(&server, "root").await;
    let other = tempfile::tempdir().unwrap();
    certificates(other.path(), &["alice"]);
    let theirs = other.path().join("alice");
    let ca = server.tls("server").join("ca.pem");
    std::fs::copy(theirs.join("ca.pem"), ca).unwrap();
    root.reload(ReloadRequest {}).await.unwrap();
    about(&mut alice).await.unwrap();
    assert!(!comes(&server, &server.tls("alice")).await);
    assert!(comes(&server, &theirs).await);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_token_that_is_taken_back_is_refused_at_once() {
    let server = web::serve(&[], CONFIG);
    let alice = Http::new(&server, web::ALICE);
    let stream = {
        let body = web::endless(&mut Owner::new(6), &alice).await;
        let (alice, id) = (alice.clone(), alice.submit(&body).await);
        tokio::spawn(async move { alice.get(&format!("/v1/jobs/{id}/events")).await })
    };
    // An upload of which more would come.
    let upload = {
        let path = format!("/v1/blobs/{}?kind=program", "a".repeat(64));
        let request = alice.request("PUT", &path).header("content-length", "1000");
        let request = request.header("content-type", "application/octet-stream");
        let (sender, receiver) = tokio::sync::mpsc::channel(1);
        sender.send(Ok::<_, std::io::Error>("piece")).await.unwrap();
        let body = Body::from_stream(ReceiverStream::new(receiver));
        let (alice, request) = (alice.clone(), request.body(body).unwrap());
        let answer = tokio::spawn(async move { alice.send(request).await });
        (sender, answer)
    };
    alice.get("/v1/about").await.found();
    eventually("coming", async || server.temporaries() > 0).await;
    let config = web::config(CONFIG);
    let without = config.replace("[token.alice]", "[token.other]");
    let hash = fingerprint_of(web::ALICE);
    configure(&server, &without.replace(&hash, &"0".repeat(64)));
    let mut root = admin(&server, "root").await;
    root.reload(ReloadRequest {}).await.unwrap();
    let refused = alice.get("/v1/about").await;
    refused.refused(401, "UNAUTHENTICATED", "none that this server knows");
    eventually("ended", async || server.temporaries() == 0).await;
    let rest = "x".repeat(1000 - "piece".len());
    upload.0.send(Ok(rest.leak())).await.unwrap();
    let ended = tokio::time::timeout(Duration::from_secs(20), upload.1).await;
    let refused = ended.unwrap().unwrap().unwrap();
    refused.refused(401, "UNAUTHENTICATED", "none that this server knows");
    // What follows a job ends, too.
    let events = tokio::time::timeout(Duration::from_secs(20), stream).await;
    let events = String::from_utf8(events.unwrap().unwrap().body).unwrap();
    assert!(events.contains("UNAUTHENTICATED"), "{events}");
    Http::new(&server, web::BOB).get("/v1/about").await.found();
}

fn fingerprint_of(token: &str) -> String {
    blindcore_service::token::fingerprint(token)
}
