//! Jobs with the second part of a server key, beside jobs without.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use blindcore_service::proto::{BlobKind, ForgetRequest, Hashes, JobId, JobState, JobStatus};
use tfhe::leveled::SeededLeveledKey;
use tfhe::{SecretKey, TOY_UNIFORM};
use tonic::Code;

use crate::rig::*;
use crate::server::{Server, asking, refused};

/// A shift by a secret.
const SHIFT: &[u8] =
    b".bits 32\n.data a\n.data n\n LOAD R0, a\n LOAD R1, n\n LLS R0, R0, R1\n STORE R0, a";

fn shift(owner: &mut Owner) -> Prepared {
    owner.job(SHIFT, None, &[("a", &[12345]), ("n", &[7])], |_| {})
}

/// Shifts of the job that is cut off.
const ROUNDS: usize = 60;

/// Runs a job to its end, checks its answer, gives the nodes that it took.
async fn shifts(client: &mut Client, owner: &Owner, job: &Prepared, request: u8) -> u64 {
    let id = job.submit(client, request).await;
    let status = until(client, &id, ended).await;
    assert_eq!(status.state(), JobState::Done, "{status:?}");
    let values = owner.decrypt(&fetch(client, &id).await.unwrap());
    assert_eq!(values, [("a".to_owned(), vec![12345 << 7])]);
    status.nodes
}

/// How often first and second parts were expanded, and how many keys are held.
async fn expansions(server: &Server) -> [u64; 3] {
    let metrics = server.http("/metrics").await;
    [
        "blindcore_key_expansions_total",
        "blindcore_selector_key_expansions_total",
        "blindcore_keys",
    ]
    .map(|name| {
        let value = metrics.lines().find_map(|line| line.strip_prefix(name));
        let value = value.and_then(|value| value.strip_prefix(' '));
        value
            .unwrap_or_else(|| panic!("{metrics}"))
            .parse()
            .unwrap()
    })
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_uses_its_selectors_and_no_others() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(21);
    // As clients submit that know no selectors.
    let without = shift(&mut owner);
    assert_eq!(without.spec(1).selectors, Vec::<u8>::new());
    let lookups = shifts(&mut client, &owner, &without, 1).await;
    assert_eq!(expansions(&server).await, [1, 0, 1]);

    let mut with = without.clone();
    with.selectors = Some(owner.selectors());
    let chosen = shifts(&mut client, &owner, &with, 2).await;
    assert_ne!(chosen, lookups);
    assert_eq!(expansions(&server).await, [1, 1, 1]);
    // It is there for the next one, and for none that did not ask.
    assert_eq!(shifts(&mut client, &owner, &with, 3).await, chosen);
    assert_eq!(shifts(&mut client, &owner, &without, 4).await, lookups);
    assert_eq!(expansions(&server).await, [1, 1, 1]);
    // Another one of the same key pair takes its place.
    with.selectors = Some(owner.selectors());
    assert_eq!(shifts(&mut client, &owner, &with, 5).await, chosen);
    assert_eq!(expansions(&server).await, [1, 2, 1]);

    // Nothing in this program is chosen: the second part is not even expanded.
    let source = b".bits 32\n.data a\n LOAD R0, a\n NOT R0, R0\n STORE R0, a";
    let mut plain = owner.job(source, None, &[("a", &[5])], |_| {});
    plain.selectors = Some(owner.selectors());
    let id = plain.submit(&mut client, 6).await;
    let status = until(&mut client, &id, ended).await;
    assert_eq!(status.state(), JobState::Done, "{status:?}");
    assert_eq!(expansions(&server).await, [1, 2, 1]);

    // The same request with another choice is another job.
    let mut changed = without.spec(2);
    refused(
        client.submit(changed.clone()).await,
        Code::AlreadyExists,
        "",
    );
    changed.selectors = with.spec(2).selectors;
    refused(client.submit(changed).await, Code::AlreadyExists, "");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_of_another_key_are_refused() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(22);
    let mut job = shift(&mut owner);
    job.upload(&mut client).await;
    let mut stranger = Owner::new(23);
    let foreign = stranger.selectors();
    let mut generator = random::Generator::from_key([24; 32]);
    let uniform = SecretKey::generate(TOY_UNIFORM, &mut generator).unwrap();
    let uniform = SeededLeveledKey::generate(&uniform, &mut generator, 1, &|_, _| {}).unwrap();
    let uniform = wire::encode(&uniform).unwrap().to_vec();

    job.selectors = Some(foreign.clone());
    let refusal = client.submit(job.spec(1)).await;
    refused(refusal, Code::FailedPrecondition, "upload it first");
    for bytes in [&foreign, &uniform] {
        upload(&mut client, BlobKind::SelectorKey, bytes)
            .await
            .unwrap();
    }
    let names = format!(
        "selectors: made with key {}, this is key {}",
        stranger.key_id(),
        owner.key_id()
    );
    let refusal = client.submit(job.spec(2)).await;
    refused(refusal, Code::InvalidArgument, &names);
    job.selectors = Some(uniform);
    for name in [TOY_UNIFORM.name(), tfhe::TOY_BLOCK.name()] {
        let refusal = client.submit(job.spec(3)).await;
        refused(refusal, Code::InvalidArgument, name);
    }

    // Neither part is taken for the other, nor anything else for a hash.
    let own = owner.selectors();
    for (kind, bytes, part) in [
        (
            BlobKind::SelectorKey,
            &stranger.server_key,
            "this is a server key",
        ),
        (BlobKind::ServerKey, &own, "this is a selector key"),
        (BlobKind::SelectorKey, &own[..5000].to_vec(), "own header"),
        (
            BlobKind::SelectorKey,
            &[&own[..], &own].concat(),
            "own header",
        ),
    ] {
        let refusal = upload(&mut client, kind, bytes).await;
        refused(refusal, Code::InvalidArgument, part);
    }
    let mut changed = own.clone();
    changed[5000] ^= 1;
    let refusal = upload(&mut client, BlobKind::SelectorKey, &changed).await;
    refused(refusal, Code::InvalidArgument, "checksum");
    let mut spec = job.spec(4);
    spec.selectors = spec.key.clone();
    let refusal = client.submit(spec.clone()).await;
    refused(refusal, Code::InvalidArgument, "this is a server key");
    spec.selectors = vec![1; 31];
    let refusal = client.submit(spec).await;
    refused(refusal, Code::InvalidArgument, "32 bytes, not 31");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 6 s"]
async fn a_job_goes_on_with_its_selectors_after_a_restart() {
    let server = Server::start(&["--slice", "0"], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(25);
    // A window for every shift or two.
    let body = "LLS R0, R0, R1\n ADD R0, R0, R2\n".repeat(ROUNDS);
    let source = format!(
        ".bits 32\n.data a\n.data n\n LOAD R0, a\n LOAD R2, a\n LOAD R1, n\n {body} STORE R0, a"
    );
    let values: &[(&str, &[i128])] = &[("a", &[12345]), ("n", &[3])];
    let mut job = owner.job(source.as_bytes(), None, values, |task| {
        task.limits.window = 64;
    });
    job.selectors = Some(owner.selectors());
    let id = job.submit(&mut client, 1).await;
    until(&mut client, &id, |status| {
        status.windows >= 2 || ended(status)
    })
    .await;
    assert_eq!(expansions(&server).await, [1, 1, 1]);
    let mut server = server.restart(&[]).await;
    let mut client = server.client("alice").await;
    let status = until(&mut client, &id, ended).await;
    assert_eq!(status.state(), JobState::Done, "{status:?}");
    assert_eq!(status.recoveries, 1, "{status:?}");
    let expected = (0..ROUNDS).fold(12345_u32, |a, _| (a << 3).wrapping_add(12345));
    let values = owner.decrypt(&fetch(&mut client, &id).await.unwrap());
    assert_eq!(values, [("a".to_owned(), vec![expected.into()])]);
    assert_eq!(expansions(&server).await, [1, 1, 1]);
    let again = client.submit(job.spec(1)).await.unwrap().into_inner();
    assert!(again.repeated_request);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn selectors_stay_as_long_as_a_job_needs_them() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(26);
    let mut endless = owner.job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    let selectors = owner.selectors();
    let blob = hash(&selectors);
    endless.selectors = Some(selectors);
    let file = |server: &Server| -> Option<PathBuf> {
        let name = blob.iter().map(|byte| format!("{byte:02x}"));
        let name: String = name.collect();
        let clients = std::fs::read_dir(server.root.path().join("data/blobs")).unwrap();
        let mut paths = clients.map(|client| client.unwrap().path().join(&name));
        paths.find(|path| path.exists())
    };
    let forget = |jobs: &[&String]| ForgetRequest {
        jobs: jobs.iter().map(|&job| job.clone()).collect(),
        blobs: vec![blob.clone()],
    };
    let first = endless.submit(&mut client, 1).await;
    let second = endless.submit(&mut client, 2).await;
    assert!(file(&server).is_some());
    let used = |about: blindcore_service::proto::AboutReply| about.used.unwrap().bytes;
    let about = blindcore_service::proto::AboutRequest {};
    let before = used(client.about(about).await.unwrap().into_inner());
    for job in [&first, &second] {
        let refusal = client.forget(forget(&[])).await;
        refused(refusal, Code::FailedPrecondition, "is needed by a job");
        client.cancel(JobId { id: job.clone() }).await.unwrap();
    }
    let freed = client.forget(forget(&[&first, &second])).await.unwrap();
    let length = endless.selectors.as_ref().unwrap().len() as u64;
    assert!(freed.into_inner().bytes >= length);
    assert!(used(client.about(about).await.unwrap().into_inner()) <= before - length);
    assert_eq!(file(&server), None);
    let asked = Hashes {
        blake3: vec![blob.clone()],
    };
    let missing = client.missing(asked.clone()).await.unwrap().into_inner();
    assert_eq!(missing, asked);
    server.end().await;
}

/// A job that waits for an answer goes on at once when it comes, after a restart, too.
#[tokio::test(flavor = "multi_thread")]
async fn keys_of_jobs_that_wait_are_expanded_while_nothing_runs() {
    let server = Server::start(&["--grace", "0"], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(8);
    let job = asking(&mut owner);
    let waits = |status: &JobStatus| status.state() == JobState::Waiting;
    let mut jobs = Vec::new();
    for request in [1, 2] {
        let id = job.submit(&mut client, request).await;
        until(&mut client, &id, waits).await;
        jobs.push(id);
    }
    let mut server = server.restart(&["--grace", "0"]).await;
    let begin = Instant::now();
    // Two jobs have one key.
    while expansions(&server).await != [1, 0, 1] {
        assert!(begin.elapsed() < Duration::from_secs(60));
        tokio::time::sleep(Duration::from_millis(10)).await;
    }
    // By nobody's run.
    let mut client = server.client("alice").await;
    for id in jobs {
        assert!(waits(&status(&mut client, &id).await));
    }
    server.end().await;
}
