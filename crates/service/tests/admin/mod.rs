//! Administration: who may do it, what it does, and what those who lose their rights can still do.

mod reload;
mod revoke;

use std::path::Path;
use std::time::{Duration, Instant};

use blindcore_service::proto::admin_client::AdminClient;
use blindcore_service::proto::{
    AboutRequest, AllJobsRequest, BlobKind, ClientAccount, ClientJob, DrainOrder, DrainReply,
    DrainRequest, ErrorCode, JobId, JobState, QuotaRequest, ReloadRequest, RestoreRequest,
    RevokeRequest, RevokedRequest, revoke_request,
};
use blindcore_service::tls::fingerprint;
use tonic::transport::{Certificate, Channel, ClientTlsConfig, Endpoint, Identity};
use tonic::{Code, Status};

use crate::rig::*;
use crate::server::{Server, refused};

const CONFIG: &str = "[client.root]\nadmin = true\n";

type Admin = AdminClient<Channel>;

/// Administration with the certificate in a directory.
async fn admin_at(port: u16, own: &Path) -> Result<Admin, tonic::transport::Error> {
    let read = |name: &str| std::fs::read(own.join(name)).unwrap();
    let tls = ClientTlsConfig::new()
        .domain_name("localhost")
        .ca_certificate(Certificate::from_pem(read("ca.pem")))
        .identity(Identity::from_pem(read("cert.pem"), read("key.pem")));
    let endpoint = Endpoint::from_shared(format!("https://127.0.0.1:{port}")).unwrap();
    let channel = endpoint.tls_config(tls)?.connect().await?;
    Ok(AdminClient::new(channel))
}

async fn admin(server: &Server, name: &str) -> Admin {
    admin_at(server.port, &server.tls(name)).await.unwrap()
}

/// The SHA-256 of a client's certificate.
fn id(server: &Server, name: &str) -> String {
    fingerprint(&std::fs::read(server.tls(name).join("cert.pem")).unwrap()).unwrap()
}

async fn about(client: &mut Client) -> Result<(), Status> {
    client.about(AboutRequest {}).await.map(drop)
}

async fn drain(admin: &mut Admin, order: DrainOrder) -> DrainReply {
    let order = order.into();
    let reply = admin.drain(DrainRequest { order }).await;
    reply.unwrap().into_inner()
}

/// A job that computes for longer than any test waits, in small windows.
async fn long(owner: &mut Owner, client: &mut Client, request: u8) -> String {
    let values: &[(&str, &[i128])] = &[("plain", &[1, 2]), ("key", &[3, 4, 5, 6])];
    let job = owner.job(XTEA, Some("main"), values, |task| task.limits.window = 1000);
    job.submit(client, request).await
}

async fn eventually(what: &str, mut holds: impl AsyncFnMut() -> bool) {
    let begin = Instant::now();
    while !holds().await {
        assert!(begin.elapsed() < Duration::from_secs(60), "never {what}");
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_else_is_served_by_any_method() {
    let server = Server::start(&["--web", "127.0.0.1:0"], CONFIG);
    let sha256 = revoke_request::Certificate::Sha256(id(&server, "bob"));
    let revoke = RevokeRequest {
        certificate: Some(sha256),
        keep_jobs: false,
    };
    let stop = DrainRequest {
        order: DrainOrder::Stop.into(),
    };
    let mut alice = admin(&server, "alice").await;
    let code = Code::PermissionDenied;
    let part = "have the server's operator write admin = true";
    refused(alice.jobs(AllJobsRequest::default()).await, code, part);
    refused(alice.quota(QuotaRequest::default()).await, code, part);
    let somebodys = JobId { id: "0".repeat(32) };
    refused(alice.cancel(somebodys).await, code, part);
    refused(alice.drain(stop).await, code, part);
    refused(alice.revoke(revoke.clone()).await, code, part);
    refused(alice.restore(RestoreRequest::default()).await, code, part);
    refused(alice.revoked(RevokedRequest {}).await, code, part);
    refused(alice.reload(ReloadRequest {}).await, code, part);
    // Nothing of it happened, and the administrator is served.
    let mut root = admin(&server, "root").await;
    assert!(!drain(&mut root, DrainOrder::None).await.draining);
    about(&mut server.client("bob").await).await.unwrap();
    let none = root.revoked(RevokedRequest {}).await.unwrap().into_inner();
    assert_eq!(none.certificates, []);
    // HTTP has no way there, for nobody.
    let http = crate::web::Http::open(&server);
    for path in [
        "/blindcore.v1.Admin/Drain",
        "/v1/admin/drain",
        "/v1/operator/jobs",
    ] {
        let answer = http.post(path, &serde_json::json!({})).await;
        assert!(answer.status.is_client_error(), "{path}: {answer:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn jobs_of_all_clients_are_listed() {
    let server = Server::start(&[], CONFIG);
    let mut owner = Owner::new(1);
    for (name, request) in [("alice", 1), ("bob", 2)] {
        let mut client = server.client(name).await;
        let job = salaries(&mut owner, 1 << 18)
            .submit(&mut client, request)
            .await;
        until(&mut client, &job, ended).await;
    }
    let mut root = admin(&server, "root").await;
    let mut list = async |client: &str, unfinished: bool| {
        let request = AllJobsRequest {
            unfinished,
            limit: 0,
            client: client.to_owned(),
        };
        let jobs = root.jobs(request).await.unwrap().into_inner().jobs;
        let shown = |job: &ClientJob| (job.client.clone(), job.status.clone().unwrap().name);
        jobs.iter().map(shown).collect::<Vec<_>>()
    };
    let row = |client: &str, job: &str| (client.to_owned(), job.to_owned());
    let (alice, bob) = (row("alice", "test 1"), row("bob", "test 2"));
    assert_eq!(list("", false).await, [bob.clone(), alice.clone()]);
    assert_eq!(list("alice", false).await, [alice]);
    assert_eq!(list(&id(&server, "bob"), false).await, [bob]);
    assert_eq!(list("carol", false).await, []);
    assert_eq!(list("", true).await, []);
}

/// One that runs, one that waits for its place, one that its client cancelled, and none.
#[tokio::test(flavor = "multi_thread")]
async fn a_job_of_somebody_else_is_cancelled_and_its_client_sees_by_whom() {
    let server = Server::start(&[], CONFIG);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let mut jobs = Vec::new();
    for request in [1, 2, 3] {
        jobs.push(long(&mut owner, &mut alice, request).await);
    }
    let running = |status: &_| {
        let status: &blindcore_service::proto::JobStatus = status;
        status.state() == JobState::Running
    };
    until(&mut alice, &jobs[0], running).await;
    let id = |id: &String| JobId { id: id.clone() };
    alice.cancel(id(&jobs[2])).await.unwrap();
    let mut root = admin(&server, "root").await;
    for job in &jobs {
        let cancelled = root.cancel(id(job)).await.unwrap().into_inner();
        assert_eq!(cancelled.client, "alice");
        let status = cancelled.status.unwrap();
        assert_eq!((status.state(), &status.id), (JobState::Cancelled, job));
    }
    let none = JobId { id: "0".repeat(32) };
    refused(root.cancel(none).await, Code::NotFound, "of any client");
    // It stays so.
    let server = server.restart(&[]).await;
    let mut alice = server.client("alice").await;
    let mut told = Vec::new();
    for job in &jobs {
        let status = status(&mut alice, job).await;
        assert_eq!(status.state(), JobState::Cancelled);
        told.push(status.error.map(|error| (error.code(), error.message)));
    }
    let (code, message) = told[0].clone().unwrap();
    assert_eq!(code, ErrorCode::Administrator);
    assert!(message.contains("administrator of the server cancelled"));
    assert_eq!((&told[1], &told[2]), (&told[0], &None));
}

#[tokio::test(flavor = "multi_thread")]
async fn figures_stand_beside_their_limits() {
    let config = "[quota]\njobs = 7\nbootstraps_in_all = 9000000\n[client.alice]\nmemory = 0\n\
                  [client.root]\nadmin = true\nbytes = 5\n";
    let server = Server::start(&[], config);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    upload(&mut alice, BlobKind::ServerKey, &owner.server_key)
        .await
        .unwrap();
    let mut root = admin(&server, "root").await;
    let mut account = async |client: &str| -> ClientAccount {
        let client = client.to_owned();
        let found = root.quota(QuotaRequest { client }).await;
        found.unwrap().into_inner().clients.remove(0)
    };
    let before = account("alice").await;
    let (used, limit) = (before.used.unwrap(), before.limit.unwrap());
    let bytes = owner.server_key.len() as u64;
    assert_eq!((used.bytes, used.jobs, used.bootstraps), (bytes, 0, 0));
    assert_eq!((limit.jobs, limit.bootstraps), (7, 9_000_000));
    assert_eq!((before.id, before.admin), (id(&server, "alice"), false));
    let job = long(&mut owner, &mut alice, 1).await;
    until(&mut alice, &job, |status| status.nodes_planned > 0).await;
    let busy = account("alice").await.used.unwrap();
    assert_eq!(busy.jobs, 1);
    assert!(busy.bootstraps > 0 && busy.memory > 0, "{busy:?}");
    assert!(busy.bytes > bytes);
    let own = account("root").await;
    assert!(own.admin && own.limit.unwrap().bytes == 5, "{own:?}");
    let client = "nobody".to_owned();
    let none = root.quota(QuotaRequest { client }).await;
    refused(none, Code::NotFound, "no such client");
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn a_drained_server_answers_and_can_be_undrained() {
    let server = Server::start(&[], CONFIG);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let job = long(&mut owner, &mut alice, 1).await;
    until(&mut alice, &job, |status| {
        status.state() == JobState::Running
    })
    .await;
    let mut root = admin(&server, "root").await;
    assert!(drain(&mut root, DrainOrder::Drain).await.draining);
    // It yields at its next checkpoint, and stays so.
    let status = until(&mut alice, &job, |status| {
        status.state() == JobState::Queued
    })
    .await;
    assert!(status.windows > 0, "{status:?}");
    assert!(server.http("/readyz").await.contains("503"));
    assert!(server.http("/livez").await.contains("200"));
    let part = "its operator drains it";
    let key = upload(&mut alice, BlobKind::Program, REFUSED).await;
    refused(key, Code::Unavailable, part);
    let mut other = salaries(&mut owner, 1 << 18);
    other.program = SALARIES.to_vec();
    let spec = other.spec(2);
    refused(alice.submit(spec).await, Code::Unavailable, part);
    // Again is harmless; nothing runs meanwhile.
    assert_eq!(drain(&mut root, DrainOrder::Drain).await.running, 0);
    let undone = drain(&mut root, DrainOrder::Undo).await;
    assert!(!undone.draining);
    until(&mut alice, &job, |status| {
        status.state() == JobState::Running
    })
    .await;
    assert!(server.http("/readyz").await.contains("200"));
    let other = other.submit(&mut server.client("bob").await, 2).await;
    let mut bob = server.client("bob").await;
    assert_eq!(until(&mut bob, &other, ended).await.state(), JobState::Done);
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn a_server_stops_when_it_is_told_to() {
    let server = Server::start(&["--drain", "5"], CONFIG);
    let (mut owner, mut alice) = (Owner::new(1), server.client("alice").await);
    let job = long(&mut owner, &mut alice, 1).await;
    until(&mut alice, &job, |status| status.windows > 0).await;
    let mut root = admin(&server, "root").await;
    let reply = drain(&mut root, DrainOrder::Stop).await;
    assert!(reply.draining);
    let server = server.restart_after_stop(&[]).await;
    // A drain is this server's only: the next one takes the job up.
    let mut alice = server.client("alice").await;
    let status = until(&mut alice, &job, |status| {
        status.state() == JobState::Running
    })
    .await;
    assert_eq!(status.recoveries, 1);
}
