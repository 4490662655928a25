//! Bounds that hold: memory, quotas, disks; and what is damaged is not used.

use blindcore_service::proto::{BlobKind, JobId, JobSpec, JobState};
use redb::{Database, ReadableTable as _, TableDefinition};
use tonic::Code;

use crate::rig::*;
use crate::server::{Server, refused};

/// A program that executes a billion clear instructions kept the place that it had.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn a_long_recording_keeps_nobody_else_waiting() {
    let mut server = Server::start(&["--jobs", "1"], "");
    let (mut alice, mut bob) = (server.client("alice").await, server.client("bob").await);
    let mut owner = Owner::new(11);
    let endless = owner.job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    let long = endless.submit(&mut alice, 1).await;
    until(&mut alice, &long, |status| {
        status.state() == JobState::Running
    })
    .await;
    let job = salaries(&mut owner, 1 << 18);
    let short = job.submit(&mut bob, 1).await;
    let done = until(&mut bob, &short, ended).await;
    assert_eq!(done.state(), JobState::Done, "{done:?}");
    check_salaries(&owner, &fetch(&mut bob, &short).await.unwrap());
    // It was not ended for that, and goes on.
    let goes_on = status(&mut alice, &long).await;
    assert!(!ended(&goes_on), "{goes_on:?}");
    alice.cancel(JobId { id: long }).await.unwrap();
    server.end().await;
}

/// Four hundred multiplications, one after the other, in one window.
const CHAIN: &[u8] = b".data x\n MOV R0 400\nnext: LOAD R1 x\n MUL R1 R1 R1\n ADD R1 R1 7\n \
    STORE R1 x\n SUBS R0 R0 1\n B_NE next\n";

/// A window of circuits is computed whole, and kept its place for as long as that took.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 61 s"]
async fn a_long_window_keeps_nobody_else_waiting() {
    let mut server = Server::start(&["--jobs", "1"], "");
    let (mut alice, mut bob) = (server.client("alice").await, server.client("bob").await);
    let mut owner = Owner::new(12);
    let chain = owner.job(CHAIN, None, &[("x", &[3])], |_| ());
    let long = chain.submit(&mut alice, 1).await;
    until(&mut alice, &long, |status| status.nodes > 0).await;
    let job = salaries(&mut owner, 1 << 18);
    let short = job.submit(&mut bob, 1).await;
    let done = until(&mut bob, &short, ended).await;
    assert_eq!(done.state(), JobState::Done, "{done:?}");
    check_salaries(&owner, &fetch(&mut bob, &short).await.unwrap());
    let goes_on = status(&mut alice, &long).await;
    assert!(
        !ended(&goes_on) && goes_on.windows_planned == 1,
        "{goes_on:?}"
    );
    // It rested, and lost nothing by it.
    let done = until(&mut alice, &long, ended).await;
    assert_eq!(done.state(), JobState::Done, "{done:?}");
    let found = owner.decrypt(&fetch(&mut alice, &long).await.unwrap());
    let expected = (0..400).fold(3_u32, |x, _| x.wrapping_mul(x).wrapping_add(7));
    assert_eq!(found, [("x".to_owned(), vec![i128::from(expected)])]);
    server.end().await;
}

/// Asserts that a job is beyond a bound: at submission, or after it where the machine is too busy for the plan to
/// be made by then.
async fn is_beyond(client: &mut Client, spec: JobSpec, said: &str) {
    match client.submit(spec).await {
        Ok(job) => {
            let id = job.into_inner().id;
            let error = until(client, &id, ended).await.error.unwrap();
            assert!(error.message.contains(said), "{error:?}");
        }
        refusal => refused(refusal, Code::ResourceExhausted, said),
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn jobs_beyond_the_memory_are_refused_at_submission_with_both_numbers() {
    let mut server = Server::start(&["--memory", "4000000"], "[client.bob]\nmemory = 30000000");
    let mut owner = Owner::new(12);
    let job = salaries(&mut owner, 1 << 18);
    for (name, bound) in [
        (
            "alice",
            "bytes of memory at least, the server's bound is 4000000",
        ),
        ("bob", "the server's bound"),
    ] {
        let mut client = server.client(name).await;
        job.upload(&mut client).await;
        is_beyond(&mut client, job.spec(1), bound).await;
    }
    server.end().await;
    let mut server = Server::start(&[], "[client.bob]\nmemory = 30000000");
    let mut bob = server.client("bob").await;
    job.upload(&mut bob).await;
    is_beyond(&mut bob, job.spec(1), "the client's quota is 30000000").await;
    let mut alice = server.client("alice").await;
    let id = job.submit(&mut alice, 1).await;
    assert_eq!(until(&mut alice, &id, ended).await.state(), JobState::Done);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 2 s"]
async fn quotas_of_size_are_kept_at_submission() {
    let mut owner = Owner::new(13);
    let job = salaries(&mut owner, 1 << 18);
    for (quota, said) in [
        (
            "secret_bits = 100",
            "secret bits, the client's quota is 100",
        ),
        (
            "window = 1000",
            "windows of 262144 operations are wanted, the client's quota is 1000",
        ),
        ("bootstraps = 3", "bootstraps, the client's quota is 3"),
        ("operations = 3", "operations, the client's quota is 3"),
    ] {
        let mut server = Server::start(&[], &format!("[quota]\n{quota}"));
        let mut client = server.client("alice").await;
        job.upload(&mut client).await;
        is_beyond(&mut client, job.spec(1), said).await;
        server.end().await;
    }
}

/// What has ended counts no more.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 67 s"]
async fn bootstraps_of_all_jobs_have_a_quota() {
    let config = "[quota]\nbootstraps_in_all = 60_000";
    let mut server = Server::start(&["--jobs", "2"], config);
    let mut client = server.client("alice").await;
    let chain = Owner::new(16).job(CHAIN, None, &[("x", &[3])], |_| ());
    let first = chain.submit(&mut client, 1).await;
    until(&mut client, &first, |status| status.nodes > 0).await;
    let second = client.submit(chain.spec(2)).await.unwrap().into_inner().id;
    let second = until(&mut client, &second, ended).await;
    let message = second.error.unwrap().message;
    assert!(message.contains("exceed its quota of 60000"), "{message}");
    client.cancel(JobId { id: first.clone() }).await.unwrap();
    until(&mut client, &first, ended).await;
    let third = client.submit(chain.spec(3)).await.unwrap().into_inner().id;
    until(&mut client, &third, |status| status.nodes > 0).await;
    client.cancel(JobId { id: third }).await.unwrap();
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn planning_has_a_quota_of_its_own() {
    let mut server = Server::start(&[], "[quota]\nplanning_seconds = 1");
    let mut client = server.client("alice").await;
    let endless = Owner::new(14).job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    let id = endless.submit(&mut client, 1).await;
    let status = until(&mut client, &id, ended).await;
    let message = status.error.unwrap().message;
    assert!(
        message.contains("been planned for 2 s, the client's quota is 1 s"),
        "{message}"
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_disk_that_is_nearly_full_takes_no_more_and_says_so() {
    let spare = u64::MAX.to_string();
    let mut server = Server::start(&["--spare-disk", &spare], "");
    let mut client = server.client("alice").await;
    let refusal = upload(&mut client, BlobKind::Program, SALARIES).await;
    refused(refusal, Code::Unavailable, "stay free");
    let ready = server.http("/readyz").await;
    assert!(
        ready.starts_with("HTTP/1.1 503") && ready.contains("stay free"),
        "{ready}"
    );
    assert!(server.http("/livez").await.starts_with("HTTP/1.1 200"));
    server.end().await;
}

/// The last checkpoint is damaged while no server runs: the one before counts, or the beginning.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn a_damaged_checkpoint_costs_work_and_no_job() {
    for damaged in [1, 2] {
        let server = Server::start(&["--slice", "0"], "");
        let mut client = server.client("alice").await;
        let mut owner = Owner::new(15);
        let id = salaries(&mut owner, 64).submit(&mut client, 1).await;
        let reached = |status: &_| ended(status) || status.windows >= 3;
        until(&mut client, &id, reached).await;
        let folder = server.root.path().join("data/jobs").join(&id);
        server.stop.send(()).await.unwrap();
        // What lies there when it has ended.
        let damage = move || {
            let entries = std::fs::read_dir(&folder)
                .unwrap()
                .map(|entry| entry.unwrap().path());
            let number = |path: &std::path::PathBuf| {
                let name = path.file_name()?.to_str()?.strip_prefix("checkpoint-")?;
                name.parse::<u64>().ok()
            };
            let mut checkpoints: Vec<_> = entries.filter(|path| number(path).is_some()).collect();
            checkpoints.sort_by_key(number);
            assert_eq!(checkpoints.len(), 2);
            for path in checkpoints.iter().rev().take(damaged) {
                let mut bytes = std::fs::read(path).unwrap();
                let middle = bytes.len() / 2;
                bytes[middle] ^= 1;
                std::fs::write(path, bytes).unwrap();
            }
        };
        let mut server = server.after_stop_with(&[], damage).await;
        let mut client = server.client("alice").await;
        let status = until(&mut client, &id, ended).await;
        assert_eq!(status.state(), JobState::Done, "{status:?}");
        check_salaries(&owner, &fetch(&mut client, &id).await.unwrap());
        server.end().await;
    }
}

/// What a program wrote is shorter than the last checkpoint says: the one before counts, or the
/// beginning.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 4 s"]
async fn lost_bytes_that_a_program_wrote_cost_work_and_no_job() {
    const JOBS: TableDefinition<'_, &str, &[u8]> = TableDefinition::new("jobs");
    for lost in [1, 2] {
        let server = Server::start(&["--slice", "0"], "");
        let mut client = server.client("alice").await;
        let mut owner = Owner::new(15);
        let job = salaries(&mut owner, 64);
        let id = job.submit(&mut client, 1).await;
        let reached = |status: &_| ended(status) || status.windows >= 3;
        until(&mut client, &id, reached).await;
        let (data, of) = (server.root.path().join("data"), id.clone());
        server.stop.send(()).await.unwrap();
        // As if it had written five bytes by then, and none were there any more.
        let change = move || {
            let database = Database::open(data.join("jobs.redb")).unwrap();
            let writing = database.begin_write().unwrap();
            let mut jobs = writing.open_table(JOBS).unwrap();
            let found = jobs.get(of.as_str()).unwrap().unwrap().value().to_vec();
            let mut record: serde_json::Value = serde_json::from_slice(&found).unwrap();
            for checkpoint in ["checkpoint", "earlier_checkpoint"].iter().take(lost) {
                assert_eq!(record[checkpoint]["written"], 0, "{record}");
                record[checkpoint]["written"] = 5.into();
            }
            let record = serde_json::to_vec(&record).unwrap();
            jobs.insert(of.as_str(), record.as_slice()).unwrap();
            drop(jobs);
            writing.commit().unwrap();
            // Only who begins anew needs its inputs.
            if lost == 1 {
                let name = hash(&job.inputs);
                let name: String = name.iter().map(|byte| format!("{byte:02x}")).collect();
                let clients = std::fs::read_dir(data.join("blobs")).unwrap();
                for client in clients {
                    std::fs::remove_file(client.unwrap().path().join(&name)).unwrap();
                }
            }
        };
        let mut server = server.after_stop_with(&[], change).await;
        let mut client = server.client("alice").await;
        let status = until(&mut client, &id, ended).await;
        assert_eq!(status.state(), JobState::Done, "{status:?}");
        check_salaries(&owner, &fetch(&mut client, &id).await.unwrap());
        server.end().await;
    }
}
