//! Directories that servers of older versions wrote: a newer one takes them over as they are.
//!
//! They are real ones, kept beside this file; `README.md` there says how one is made.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::Duration;

use blindcore_service::proto::{JobState, JobStatus, JobsRequest, answer};
use blindcore_service::server::run;
use clap::Parser;
use tempfile::TempDir;

use crate::rig::*;
use crate::server::{Attendant, Line, Server, asking};

/// The seed of the owner of all jobs.
const OWNER: u8 = 41;
/// A job that asks leaves its place.
const OPTIONS: [&str; 2] = ["--grace", "0"];

fn here() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/upgrade")
}

/// Every directory that is kept, by the name of its archive.
fn archives() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(here()).unwrap();
    let paths = entries.map(|entry| entry.unwrap().path());
    let archives = paths.filter(|path| path.extension().is_some_and(|ending| ending == "gz"));
    archives.collect()
}

fn unpack(archive: &Path) -> TempDir {
    let root = tempfile::tempdir().unwrap();
    let done = Command::new("tar")
        .arg("xzf")
        .arg(archive)
        .arg("-C")
        .arg(root.path())
        .status();
    assert!(done.unwrap().success());
    std::fs::write(root.path().join("config.toml"), "").unwrap();
    root
}

/// What `--check` says of a directory that no server has.
async fn must_be_sound(data: PathBuf) {
    let checked = tokio::task::spawn_blocking(move || {
        let data = data.display().to_string();
        run(&Line::parse_from(["serve", "--dir", &data, "--check"]).serve)
    });
    checked.await.unwrap().unwrap();
}

async fn jobs(client: &mut Client) -> Vec<JobStatus> {
    let all = client.jobs(JobsRequest::default()).await.unwrap();
    let mut jobs = all.into_inner().jobs;
    jobs.sort_by(|a, b| a.name.cmp(&b.name));
    jobs
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 8 s"]
async fn a_directory_of_an_older_version_is_taken_over() {
    let archives = archives();
    assert!(!archives.is_empty());
    for archive in archives {
        let root = unpack(&archive);
        let data = root.path().join("data");
        must_be_sound(data.clone()).await;
        let begin = || Server::at(root, &OPTIONS);
        let mut server = tokio::task::block_in_place(begin);
        let mut client = server.client("alice").await;
        let jobs = jobs(&mut client).await;
        let names: Vec<&str> = jobs.iter().map(|job| job.name.as_str()).collect();
        assert_eq!(names, ["test 1", "test 2", "test 3", "test 4", "test 5"]);
        let [done, failed, asks, ran, queued] = &jobs[..] else {
            unreachable!("five names");
        };
        let owner = Owner::new(OWNER);

        // What had ended stays as it ended, and its results are to be had.
        assert_eq!(done.state(), JobState::Done);
        check_salaries(&owner, &fetch(&mut client, &done.id).await.unwrap());
        assert_eq!(failed.state(), JobState::Failed);
        let error = failed.error.as_ref().unwrap();
        assert!(error.message.contains("nowhere_to_be_found"), "{error:?}");

        // What was interrupted goes on from its checkpoint.
        assert!(!ended(ran) && ran.windows > 0, "{ran:?}");
        let last = until(&mut client, &ran.id, ended).await;
        assert_eq!(last.state(), JobState::Done, "{last:?}");
        assert!(last.recoveries > 0, "{last:?}");
        let outputs = fetch(&mut client, &ran.id).await.unwrap();
        let cipher = ("cipher".to_owned(), enciphered());
        assert_eq!(owner.decrypt(&outputs), [cipher]);

        // What waited its turn gets it.
        let last = until(&mut client, &queued.id, ended).await;
        assert_eq!(last.state(), JobState::Done, "{last:?}");
        check_salaries(&owner, &fetch(&mut client, &queued.id).await.unwrap());

        // What waited for an answer takes it.
        assert_eq!(asks.state(), JobState::Waiting);
        let mut attendant = Attendant::new(&mut client, &asks.id).await;
        let last = loop {
            match attendant.next().await {
                Ok(question) => {
                    let holds = owner.read_question(&question)[0] == 1;
                    let answer = answer::Answer::Holds(holds);
                    attendant.answer(&question, answer).await;
                    attendant.stored().await.unwrap();
                }
                Err(status) => break status,
            }
        };
        assert_eq!(last.state(), JobState::Done, "{last:?}");
        let values = owner.decrypt(&fetch(&mut client, &asks.id).await.unwrap());
        let result = ("result".to_owned(), vec![8]);
        assert!(values.contains(&result), "{values:?}");

        // The same request is the same job still.
        let again = salaries(&mut Owner::new(OWNER), 1 << 14).spec(1);
        let again = client.submit(again).await.unwrap().into_inner();
        assert_eq!((&again.id, again.repeated_request), (&done.id, true));
        server.end().await;
        must_be_sound(data).await;
    }
}

/// A server of another version; killed at the end.
struct Older(Child);

impl Drop for Older {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "makes an archive with the program of an older version: README.md beside this file"]
async fn make_an_archive() {
    use std::io::{BufRead, BufReader};
    let variable = |name: &str| std::env::var_os(name).map(PathBuf::from);
    let (Some(program), Some(archive)) = (variable("OLDER_BLINDCORE"), variable("OLDER_ARCHIVE"))
    else {
        eprintln!("left out: OLDER_BLINDCORE and OLDER_ARCHIVE say what to make");
        return;
    };
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let tls = root.path().join("tls/alice");
    let mut child = Command::new(program)
        .args(["serve", "--listen", "127.0.0.1:0", "--no-metrics", "--dir"])
        .arg(root.path().join("data"))
        .arg("--tls")
        .arg(root.path().join("tls/server"))
        .args(["--threads", "1"])
        .args(OPTIONS)
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut line = String::new();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut older = Older(child);
    out.read_line(&mut line).unwrap();
    let port = line.trim().rsplit_once(':').unwrap().1.parse().unwrap();
    let mut client = connect(port, &tls).await;
    let mut owner = Owner::new(OWNER);

    let short = salaries(&mut owner, 1 << 14);
    let id = short.submit(&mut client, 1).await;
    assert_eq!(until(&mut client, &id, ended).await.state(), JobState::Done);
    let lost = owner.job(REFUSED, Some("nowhere_to_be_found"), &[], |_| {});
    let id = lost.submit(&mut client, 2).await;
    assert_eq!(
        until(&mut client, &id, ended).await.state(),
        JobState::Failed
    );
    let id = asking(&mut owner).submit(&mut client, 3).await;
    let waits = |status: &JobStatus| status.state() == JobState::Waiting;
    until(&mut client, &id, waits).await;
    let id = cipher(&mut owner).submit(&mut client, 4).await;
    short.submit(&mut client, 5).await;
    let status = until(&mut client, &id, |status| {
        status.windows > 1 || ended(status)
    })
    .await;
    older.0.kill().unwrap();
    older.0.wait().unwrap();
    assert!(!ended(&status), "{status:?}");
    // Whatever it left is there now.
    tokio::time::sleep(Duration::from_millis(100)).await;
    let packed = Command::new("tar")
        .arg("czf")
        .arg(archive)
        .arg("-C")
        .arg(root.path())
        .args(["data", "tls"])
        .status();
    assert!(packed.unwrap().success());
}
