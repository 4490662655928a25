//! Certificates that are revoked.

use blindcore_service::proto::{
    JobState, RestoreRequest, RevokeReply, RevokeRequest, RevokedRequest, restore_request,
    revoke_request::Certificate,
};
use tokio::io::AsyncReadExt as _;
use tonic::{Code, Status};

use super::*;
use crate::connections::frames;

async fn revoke(
    root: &mut Admin,
    certificate: Certificate,
    keep_jobs: bool,
) -> Result<RevokeReply, Status> {
    let certificate = Some(certificate);
    let request = RevokeRequest {
        certificate,
        keep_jobs,
    };
    root.revoke(request).await.map(tonic::Response::into_inner)
}

/// The handshake ends in an alert that names the reason.
async fn denied(server: &Server, name: &str) {
    let mut stream = frames::connect(server.port, &server.tls(name)).await;
    let error = stream.read(&mut [0; 100]).await.unwrap_err().to_string();
    assert!(error.contains("AccessDenied"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_revoked_certificate_is_out_at_once_and_for_good() {
    let server = Server::start(&[], CONFIG);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let job = long(&mut owner, &mut alice, 1).await;
    until(&mut alice, &job, |status| {
        status.state() == JobState::Running
    })
    .await;
    // A stream that runs, and a connection that rests.
    let watched = blindcore_service::proto::JobId { id: job.clone() };
    let mut stream = alice.watch(watched).await.unwrap().into_inner();
    stream.message().await.unwrap();
    let mut raw = frames::Raw::open(server.port, &server.tls("alice")).await;
    raw.ask(1, "About").await;
    assert!(raw.until_a_call_ends().await.is_some());
    let mut root = admin(&server, "root").await;
    let sha256 = id(&server, "alice");
    let reply = revoke(&mut root, Certificate::Sha256(sha256.clone()), false).await;
    let reply = reply.unwrap();
    assert_eq!(reply.cancelled, 1);
    let certificate = reply.certificate.unwrap();
    assert_eq!(
        (certificate.name, certificate.by),
        ("alice".into(), "root".into())
    );
    while let Ok(Some(_)) = stream.message().await {}
    // It is ended, and not only found dead: that takes a server 40 s.
    let closed = tokio::time::timeout(Duration::from_secs(15), raw.until_closed());
    assert!(closed.await.is_ok(), "a connection is kept");
    assert!(about(&mut alice).await.is_err());
    denied(&server, "alice").await;
    eventually("counted", async || {
        let metrics = server.http("/metrics").await;
        let line = |line: &str| metrics.lines().any(|other| other == line);
        line("blindcore_certificates_revoked 1")
            && metrics.contains("blindcore_handshakes_refused_total{kind=\"revoked\"}")
    })
    .await;
    about(&mut server.client("bob").await).await.unwrap();
    let jobs = AllJobsRequest {
        client: sha256.clone(),
        ..AllJobsRequest::default()
    };
    eventually("cancelled", async || {
        let jobs = root.jobs(jobs.clone()).await.unwrap().into_inner().jobs;
        jobs[0].status.as_ref().unwrap().state() == JobState::Cancelled
    })
    .await;
    // For good: a restart and a reload change nothing.
    let server = server.restart(&[]).await;
    denied(&server, "alice").await;
    let mut root = admin(&server, "root").await;
    root.reload(ReloadRequest {}).await.unwrap();
    denied(&server, "alice").await;
    let list = root.revoked(RevokedRequest {}).await.unwrap().into_inner();
    assert_eq!(list.certificates.len(), 1);
    assert_eq!(list.certificates[0].sha256, sha256);
    let undo = RestoreRequest {
        certificate: Some(restore_request::Certificate::Name("alice".into())),
    };
    root.restore(undo.clone()).await.unwrap();
    about(&mut server.client("alice").await).await.unwrap();
    refused(root.restore(undo).await, Code::NotFound, "not revoked");
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_can_go_on_without_their_client() {
    let server = Server::start(&[], CONFIG);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let job = long(&mut owner, &mut alice, 1).await;
    until(&mut alice, &job, |status| {
        status.state() == JobState::Running
    })
    .await;
    let mut root = admin(&server, "root").await;
    let reply = revoke(&mut root, Certificate::Name("alice".into()), true).await;
    assert_eq!(reply.unwrap().cancelled, 0);
    denied(&server, "alice").await;
    let jobs = root.jobs(AllJobsRequest::default()).await.unwrap();
    let status = jobs.into_inner().jobs.remove(0).status.unwrap();
    assert_eq!(status.state(), JobState::Running);
}

/// A name says which certificate is meant only as long as one has it.
#[tokio::test(flavor = "multi_thread")]
async fn names_that_say_too_little_are_refused() {
    let server = Server::start(&[], CONFIG);
    let mut root = admin(&server, "root").await;
    let named = |name: &str| Certificate::Name(name.to_owned());
    let none = revoke(&mut root, named("bob"), false).await;
    refused(none, Code::NotFound, "met no certificate");
    // Another certificate of the same authority and name.
    let twin = reissued(&server.root.path().join("tls"), "bob");
    for directory in [server.tls("bob"), twin.clone()] {
        about(&mut connect(server.port, &directory).await)
            .await
            .unwrap();
    }
    let ids = [server.tls("bob"), twin.clone()]
        .map(|directory| fingerprint(&std::fs::read(directory.join("cert.pem")).unwrap()).unwrap());
    for sha256 in &ids {
        refused(
            revoke(&mut root, named("bob"), false).await,
            Code::FailedPrecondition,
            sha256,
        );
    }
    revoke(&mut root, Certificate::Sha256(ids[0].to_uppercase()), false)
        .await
        .unwrap();
    denied(&server, "bob").await;
    about(&mut connect(server.port, &twin).await).await.unwrap();
    for wrong in ["", "12", "g"] {
        let wrong = revoke(&mut root, Certificate::Sha256(wrong.to_owned()), false).await;
        refused(wrong, Code::InvalidArgument, "64 hexadecimal digits");
    }
    // Nobody shuts the door behind itself.
    let own = Certificate::Sha256(id(&server, "root"));
    refused(
        revoke(&mut root, own, false).await,
        Code::FailedPrecondition,
        "another administrator",
    );
    refused(
        revoke(&mut root, named("root"), false).await,
        Code::FailedPrecondition,
        "you call with",
    );
}

/// A session that was begun before is no way around the handshake.
#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_not_resumed() {
    let server = Server::start(&[], CONFIG);
    let config = frames::config(&server.tls("alice"));
    let mut raw = frames::Raw::with(server.port, &config).await;
    raw.ask(1, "About").await;
    assert!(raw.until_a_call_ends().await.is_some());
    drop(raw);
    let mut root = admin(&server, "root").await;
    let sha256 = Certificate::Sha256(id(&server, "alice"));
    revoke(&mut root, sha256, false).await.unwrap();
    let mut stream = frames::connect_by(server.port, &config).await;
    let error = stream.read(&mut [0; 100]).await.unwrap_err().to_string();
    assert!(error.contains("AccessDenied"), "{error}");
}

#[tokio::test(flavor = "multi_thread")]
async fn by_http_it_is_out_as_well() {
    use crate::web::{self, Http};
    let server = web::serve(&["--web-tls"], CONFIG);
    let own = server.tls("alice");
    let alice = Http::open(&server).with_tls(&own, true);
    alice.get("/v1/about").await.found();
    let mut root = admin(&server, "root").await;
    let sha256 = Certificate::Sha256(id(&server, "alice"));
    revoke(&mut root, sha256, false).await.unwrap();
    let request = alice.request("GET", "/v1/about");
    let request = request.body(axum::body::Body::empty()).unwrap();
    assert!(alice.send(request).await.is_err());
    // The token of that name is another client.
    let token = Http::new(&server, web::ALICE).with_tls(&own, false);
    token.get("/v1/about").await.found();
}

/// What was on its way when the certificate was revoked leaves nothing behind.
#[tokio::test(flavor = "multi_thread")]
async fn an_upload_does_not_come_to_its_end() {
    let server = Server::start(&[], CONFIG);
    let content = Owner::new(3).server_key;
    let parts = chunks(header(BlobKind::ServerKey, &content), &content);
    let (sender, receiver) = tokio::sync::mpsc::channel(100);
    let (last, first) = parts.split_last().unwrap();
    for part in first {
        sender.send(part.clone()).await.unwrap();
    }
    let mut alice = server.client("alice").await;
    let stream = tokio_stream::wrappers::ReceiverStream::new(receiver);
    let upload = tokio::spawn(async move { alice.upload(stream).await });
    eventually("coming", async || server.temporaries() > 0).await;
    let mut root = admin(&server, "root").await;
    let sha256 = id(&server, "alice");
    let certificate = Certificate::Sha256(sha256.clone());
    revoke(&mut root, certificate, false).await.unwrap();
    let _ = sender.send(last.clone()).await;
    drop(sender);
    assert!(upload.await.unwrap().is_err());
    let client = sha256;
    let account = root.quota(QuotaRequest { client }).await.unwrap();
    let account = account.into_inner().clients.remove(0);
    assert_eq!((account.refused, account.used.unwrap().bytes), (true, 0));
    eventually("gone", async || server.temporaries() == 0).await;
}

/// What opens connections while its certificate is revoked keeps none of them.
#[tokio::test(flavor = "multi_thread")]
async fn no_handshake_slips_through() {
    let server = Server::start(&[], CONFIG);
    let (port, own) = (server.port, server.tls("alice"));
    let comers: Vec<_> = (0..4)
        .map(|_| {
            let own = own.clone();
            tokio::spawn(async move {
                let mut last = None;
                for _ in 0..200 {
                    if let Ok(mut client) = connect_as(port, &own, Some(&own)).await {
                        match about(&mut client).await {
                            Ok(()) => last = Some(client),
                            Err(_) => return last,
                        }
                    }
                }
                last
            })
        })
        .collect();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    let mut root = admin(&server, "root").await;
    let sha256 = Certificate::Sha256(id(&server, "alice"));
    revoke(&mut root, sha256, false).await.unwrap();
    for comer in comers {
        if let Some(mut client) = comer.await.unwrap() {
            assert!(about(&mut client).await.is_err());
        }
    }
    denied(&server, "alice").await;
}
