//! A server in this process, over TLS on the loopback interface, with keys that protect nothing.

use crate::rig;

use std::path::PathBuf;
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use blindcore_service::proto::chunk::Part;
use blindcore_service::proto::{
    Answer, Attendance, BlobKind, CHUNK_BYTES, Chunk, ClientMessage, ForgetRequest, Hashes, JobId,
    JobState, JobsRequest, Question, ServerMessage, answer, client_message, server_message,
};
use blindcore_service::server::{Serve, ServerError, serve};
use clap::Parser;
use processor::Otherwise;
use rig::*;
use tempfile::TempDir;
use tokio::sync::mpsc;
use tonic::Code;

#[derive(Parser)]
pub(crate) struct Line {
    #[command(flatten)]
    pub(crate) serve: Serve,
}

/// A server that ends with the test.
pub(crate) struct Server {
    pub(crate) root: TempDir,
    pub(crate) port: u16,
    metrics: u16,
    /// Of `--web`, where it is asked for.
    pub(crate) web: Option<std::net::SocketAddr>,
    pub(crate) stop: mpsc::Sender<()>,
    thread: Option<JoinHandle<Result<(), ServerError>>>,
}

impl Server {
    pub(crate) fn start(options: &[&str], config: &str) -> Server {
        let root = tempfile::tempdir().unwrap();
        certificates(&root.path().join("tls"), &["alice", "bob", "carol", "root"]);
        std::fs::write(root.path().join("config.toml"), config).unwrap();
        Server::at(root, options)
    }

    pub(crate) fn at(root: TempDir, options: &[&str]) -> Server {
        let path = |name: &str| root.path().join(name).display().to_string();
        let (dir, tls, config) = (path("data"), path("tls/server"), path("config.toml"));
        let mut line = vec!["serve", "--dir", &dir, "--tls", &tls, "--config", &config];
        line.extend(["--listen", "127.0.0.1:0", "--metrics", "127.0.0.1:0"]);
        line.extend(["--threads", "1"]);
        line.extend(options);
        let arguments = Line::parse_from(line).serve;
        let (stop, mut stopped) = mpsc::channel(1);
        let (ready, addresses) = std::sync::mpsc::channel();
        let thread = std::thread::spawn(move || {
            let runtime = tokio::runtime::Runtime::new().unwrap();
            let served = runtime.block_on(serve(&arguments, &mut stopped, |addresses| {
                ready.send(addresses).unwrap();
            }));
            runtime.shutdown_timeout(Duration::from_secs(1));
            served
        });
        let addresses = addresses.recv_timeout(Duration::from_secs(20)).unwrap();
        Server {
            root,
            port: addresses.clients.port(),
            metrics: addresses.metrics.unwrap().port(),
            web: addresses.web,
            stop,
            thread: Some(thread),
        }
    }

    pub(crate) fn tls(&self, name: &str) -> PathBuf {
        self.root.path().join("tls").join(name)
    }

    pub(crate) async fn client(&self, name: &str) -> Client {
        connect(self.port, &self.tls(name)).await
    }

    pub(crate) async fn end(&mut self) {
        self.stop.send(()).await.unwrap();
        let thread = self.thread.take().unwrap();
        tokio::task::spawn_blocking(move || thread.join().unwrap().unwrap())
            .await
            .unwrap();
    }

    /// Another server on the same directory.
    pub(crate) async fn restart(self, options: &[&str]) -> Server {
        self.stop.send(()).await.unwrap();
        self.restart_after_stop(options).await
    }

    /// The same once this one, which was told to stop, has ended.
    pub(crate) async fn restart_after_stop(self, options: &[&str]) -> Server {
        self.after_stop_with(options, || ()).await
    }

    /// The same after something was done to the directory.
    pub(crate) async fn after_stop_with(
        mut self,
        options: &[&str],
        change: impl FnOnce(),
    ) -> Server {
        let thread = self.thread.take().unwrap();
        tokio::task::spawn_blocking(move || thread.join().unwrap().unwrap())
            .await
            .unwrap();
        change();
        let root = std::mem::replace(&mut self.root, tempfile::tempdir().unwrap());
        let options: Vec<String> = options.iter().map(|text| (*text).to_owned()).collect();
        tokio::task::spawn_blocking(move || {
            let options: Vec<&str> = options.iter().map(String::as_str).collect();
            Server::at(root, &options)
        })
        .await
        .unwrap()
    }

    /// Files in the directory that holds uploads on their way.
    pub(crate) fn temporaries(&self) -> usize {
        let path = self.root.path().join("data/temporary");
        std::fs::read_dir(path).unwrap().count()
    }

    /// The body of a plain HTTP answer.
    pub(crate) async fn http(&self, path: &str) -> String {
        use tokio::io::{AsyncReadExt, AsyncWriteExt};
        let mut stream = tokio::net::TcpStream::connect(("127.0.0.1", self.metrics))
            .await
            .unwrap();
        let request = format!("GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
        stream.write_all(request.as_bytes()).await.unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).await.unwrap();
        answer
    }
}

/// Asserts a refusal by its status and a part of its message.
pub(crate) fn refused<T: std::fmt::Debug>(
    result: Result<T, tonic::Status>,
    code: Code,
    part: &str,
) {
    let status = result.unwrap_err();
    assert_eq!(status.code(), code, "{status:?}");
    assert!(status.message().contains(part), "{status:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn several_files_of_inputs_are_one_blob() {
    let server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(7);
    let mut job = salaries(&mut owner, 1 << 14);
    let own = |owner: &mut Owner, name, values: &[i128]| {
        owner.job(SALARIES, None, &[(name, values)], |_| ()).inputs
    };
    let salary = own(
        &mut owner,
        "salary",
        &[4200, 9100, 3100, 5000, 7777, 1, 2, 3],
    );
    let count = own(&mut owner, "count", &[5]);
    job.inputs = [&salary[..], &count].concat();
    let id = job.submit(&mut client, 1).await;
    assert_eq!(until(&mut client, &id, ended).await.state(), JobState::Done);
    check_salaries(&owner, &fetch(&mut client, &id).await.unwrap());

    let foreign = own(&mut Owner::new(8), "count", &[5]);
    for (inputs, part) in [
        (
            [&salary[..], &salary].concat(),
            "salary is in file 1 and in file 2",
        ),
        (
            [&salary[..], &foreign].concat(),
            "file 2 of the inputs: made with key",
        ),
        ([&salary[..], &count[..50]].concat(), "truncated"),
        ([&salary[..], &job.key].concat(), "this is a server key"),
    ] {
        let refusal = upload(&mut client, BlobKind::Inputs, &inputs).await;
        refused(refusal, Code::InvalidArgument, part);
    }
    // A job that lacks a variable, or has one that nobody wants.
    for inputs in [
        salary,
        [&job.inputs[..], &own(&mut owner, "highest", &[1])].concat(),
    ] {
        upload(&mut client, BlobKind::Inputs, &inputs)
            .await
            .unwrap();
        let spec = blindcore_service::proto::JobSpec {
            inputs: hash(&inputs),
            ..job.spec(2)
        };
        refused(client.submit(spec).await, Code::InvalidArgument, "task: ");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_goes_through() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(1);
    let job = salaries(&mut owner, 1 << 18);
    let lacking = Hashes {
        blake3: vec![hash(&job.program), hash(&job.key)],
    };
    let missing = client.missing(lacking.clone()).await.unwrap().into_inner();
    assert_eq!(missing, lacking);
    let id = job.submit(&mut client, 1).await;
    assert_eq!(
        client
            .missing(lacking)
            .await
            .unwrap()
            .into_inner()
            .blake3
            .len(),
        0
    );

    let mut watched = Vec::new();
    let mut stream = client
        .watch(JobId { id: id.clone() })
        .await
        .unwrap()
        .into_inner();
    while let Some(status) = stream.message().await.unwrap() {
        watched.push(status);
    }
    let last = watched.last().unwrap();
    assert_eq!(last.state(), JobState::Done, "{last:?}");
    assert!(
        last.instructions > 50 && last.nodes > 100 && last.end_known,
        "{last:?}"
    );
    check_salaries(&owner, &fetch(&mut client, &id).await.unwrap());

    // The same request again is the same job; another job under its number is refused.
    let again = client.submit(job.spec(1)).await.unwrap().into_inner();
    assert_eq!(
        (again.id.as_str(), again.repeated_request),
        (id.as_str(), true)
    );
    let mut other = job.spec(1);
    other.name = "another".to_owned();
    refused(client.submit(other).await, Code::AlreadyExists, &id);
    let jobs = client
        .jobs(JobsRequest::default())
        .await
        .unwrap()
        .into_inner()
        .jobs;
    assert_eq!(jobs.len(), 1);

    // Others do not see it, nor what was uploaded for it.
    let mut bob = server.client("bob").await;
    let theirs = JobId { id: id.clone() };
    refused(bob.status(theirs.clone()).await, Code::NotFound, "no job");
    refused(bob.cancel(theirs).await, Code::NotFound, "no job");
    refused(fetch(&mut bob, &id).await, Code::NotFound, "no job");
    refused(
        bob.submit(job.spec(9)).await,
        Code::FailedPrecondition,
        "upload it first",
    );
    assert_eq!(
        bob.jobs(JobsRequest::default())
            .await
            .unwrap()
            .into_inner()
            .jobs
            .len(),
        0
    );

    let metrics = server.http("/metrics").await;
    for line in [
        "blindcore_jobs_ended_total{kind=\"done\"} 1",
        "blindcore_requests_refused_total{kind=\"not_found\"} 3",
        "blindcore_key_expansions_total 1",
    ] {
        assert!(metrics.contains(line), "{line} is not in:\n{metrics}");
    }
    assert!(server.http("/healthz").await.starts_with("HTTP/1.1 200"));

    // A job that ended makes room when it is forgotten, with its blobs.
    let forget = ForgetRequest {
        jobs: vec![id.clone()],
        blobs: vec![hash(&job.program), hash(&job.inputs), hash(&job.key)],
    };
    let freed = client.forget(forget).await.unwrap().into_inner().bytes;
    assert!(freed > job.key.len() as u64, "{freed}");
    refused(client.status(JobId { id }).await, Code::NotFound, "no job");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_job_survives_the_end_of_its_server() {
    let server = Server::start(&["--slice", "0"], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(2);
    let job = salaries(&mut owner, 64);
    let id = job.submit(&mut client, 1).await;
    until(&mut client, &id, |status| {
        status.windows >= 2 || ended(status)
    })
    .await;
    let mut server = server.restart(&[]).await;
    let mut client = server.client("alice").await;
    let status = until(&mut client, &id, ended).await;
    assert_eq!(status.state(), JobState::Done, "{status:?}");
    check_salaries(&owner, &fetch(&mut client, &id).await.unwrap());
    // What was accepted before is known still.
    let again = client.submit(job.spec(1)).await.unwrap().into_inner();
    assert!(again.repeated_request);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_frees_the_core_within_a_second() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(3);
    let endless = owner.job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    let id = endless.submit(&mut client, 1).await;
    until(&mut client, &id, |status| {
        status.state() == JobState::Running
    })
    .await;
    let waits = salaries(&mut owner, 1 << 18).submit(&mut client, 2).await;
    assert_eq!(status(&mut client, &waits).await.ahead, 0);
    let begin = Instant::now();
    let cancelled = client
        .cancel(JobId { id: id.clone() })
        .await
        .unwrap()
        .into_inner();
    assert_eq!(cancelled.state(), JobState::Cancelled);
    assert!(
        begin.elapsed() < Duration::from_secs(3),
        "{:?}",
        begin.elapsed()
    );
    let status = until(&mut client, &waits, ended).await;
    assert_eq!(status.state(), JobState::Done);
    refused(
        fetch(&mut client, &id).await,
        Code::FailedPrecondition,
        "cancelled",
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn quotas_are_kept() {
    let config = "[client.alice]\njobs = 1\nwall_seconds = 1\ninstructions = 1000000000\n\
                  [client.bob]\nbytes = 1000";
    let mut server = Server::start(&[], config);
    let mut alice = server.client("alice").await;
    let mut owner = Owner::new(4);
    let mut endless = owner.job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    let id = endless.submit(&mut alice, 1).await;
    refused(
        alice.submit(endless.spec(2)).await,
        Code::ResourceExhausted,
        "its quota is 1",
    );
    let status = until(&mut alice, &id, ended).await;
    assert_eq!(status.state(), JobState::Failed);
    let message = status.error.unwrap().message;
    assert!(message.contains("quota is 1 s"), "{message}");
    let limits = endless.task.limits.as_mut().unwrap();
    limits.instructions += 1;
    refused(
        alice.submit(endless.spec(3)).await,
        Code::ResourceExhausted,
        "may execute 1000000001",
    );
    let mut bob = server.client("bob").await;
    refused(
        upload(&mut bob, BlobKind::Program, SALARIES).await,
        Code::ResourceExhausted,
        "quota of 1000",
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_uploads_are_refused_and_leave_nothing() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(5);
    let job = salaries(&mut owner, 1 << 18);
    let key = &job.key;
    let good = header(BlobKind::ServerKey, key);
    let changed = |change: fn(&mut Vec<u8>)| {
        let mut bytes = key.clone();
        change(&mut bytes);
        chunks(header(BlobKind::ServerKey, &bytes), &bytes)
    };
    let announce = |change: fn(&mut blindcore_service::proto::BlobHeader)| {
        let mut header = good.clone();
        change(&mut header);
        chunks(header, key)
    };
    let data = |bytes: &[u8]| Chunk {
        part: Some(Part::Data(bytes.to_vec())),
    };
    let headless = vec![data(key)];
    let half = chunks(good.clone(), &key[..key.len() / 2]);
    let mut long = chunks(good.clone(), key);
    long.push(data(b"x"));
    let mut empty = chunks(good.clone(), key);
    empty.insert(1, Chunk { part: None });
    let large = vec![
        chunks(good.clone(), b"")[0].clone(),
        data(&vec![0; CHUNK_BYTES + 1]),
    ];
    let cases: Vec<(Vec<Chunk>, &str)> = vec![
        (headless, "begins with a header"),
        (half, "ended after"),
        (long, "more than the"),
        (empty, "an empty message"),
        (large, "a chunk of"),
        (
            announce(|header| header.kind = BlobKind::Outputs as i32),
            "nothing else",
        ),
        (announce(|header| header.kind = 99), "nothing else"),
        (announce(|header| header.length = 0), "length is 0"),
        (
            announce(|header| header.length = 1 << 40),
            "length is 1099511627776",
        ),
        (
            announce(|header| header.blake3.truncate(7)),
            "32 bytes, not 7",
        ),
        (
            announce(|header| header.blake3[0] ^= 1),
            "the content's hash is",
        ),
        // Rightly hashed, but no key: the file's own header and checksum say so.
        (changed(|bytes| bytes[0] ^= 1), "not a Blindcore file"),
        (changed(|bytes| bytes[20] ^= 1), "parameter"),
        (changed(|bytes| bytes[5000] ^= 1), "checksum"),
        (chunks(header(BlobKind::Inputs, key), key), "an inputs file"),
        (chunks(header(BlobKind::Program, key), key), "the program: "),
    ];
    for (chunks, part) in cases {
        let refusal = send(&mut client, chunks).await;
        refused(refusal, Code::InvalidArgument, part);
    }
    assert_eq!(server.temporaries(), 0);
    let blobs = std::fs::read_dir(server.root.path().join("data/blobs")).unwrap();
    assert_eq!(blobs.count(), 0);
    // The server is none the worse.
    let id = job.submit(&mut client, 1).await;
    assert_eq!(until(&mut client, &id, ended).await.state(), JobState::Done);
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_submissions_are_refused() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(6);
    let job = salaries(&mut owner, 1 << 18);
    job.upload(&mut client).await;
    let stranger = Owner::new(7);
    upload(&mut client, BlobKind::ServerKey, &stranger.server_key)
        .await
        .unwrap();
    type Change = fn(&mut blindcore_service::proto::JobSpec);
    let cases: [(Change, Code, &str); 8] = [
        (
            |spec| spec.request_id.clear(),
            Code::InvalidArgument,
            "request_id has 0 bytes",
        ),
        (
            |spec| spec.name = "\u{7}".to_owned(),
            Code::InvalidArgument,
            "control characters",
        ),
        (
            |spec| spec.key = vec![1; 31],
            Code::InvalidArgument,
            "32 bytes, not 31",
        ),
        (
            |spec| spec.program = vec![1; 32],
            Code::FailedPrecondition,
            "upload it first",
        ),
        (
            |spec| spec.program = spec.key.clone(),
            Code::FailedPrecondition,
            "another kind",
        ),
        (
            |spec| spec.task.as_mut().unwrap().inputs[0].content = None,
            Code::InvalidArgument,
            "content is missing",
        ),
        (
            |spec| drop(spec.task.as_mut().unwrap().inputs.pop()),
            Code::InvalidArgument,
            "is not used by the task",
        ),
        (
            |spec| {
                let inputs = &mut spec.task.as_mut().unwrap().inputs;
                let (salary, count) = inputs.split_at_mut(1);
                std::mem::swap(&mut salary[0].content, &mut count[0].content);
            },
            Code::InvalidArgument,
            "bits are wanted",
        ),
    ];
    for (index, (change, code, part)) in cases.into_iter().enumerate() {
        let mut spec = job.spec(50 + index as u8);
        change(&mut spec);
        refused(client.submit(spec).await, code, part);
    }
    let mut spec = job.spec(90);
    spec.key = hash(&stranger.server_key);
    refused(client.submit(spec).await, Code::InvalidArgument, "key pair");

    // What only running finds out is the job's own error.
    let lost = owner.job(REFUSED, Some("nowhere_to_be_found"), &[], |_| {});
    let id = lost.submit(&mut client, 91).await;
    let error = until(&mut client, &id, ended).await.error.unwrap();
    assert!(error.message.contains("nowhere_to_be_found"), "{error:?}");
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_certificates_are_refused() {
    let mut server = Server::start(&[], "[client.bob]\nrefused = true");
    let strangers = tempfile::tempdir().unwrap();
    certificates(strangers.path(), &["alice"]);
    let ours = server.tls("alice");
    let theirs = strangers.path().join("alice");
    // Nobody, somebody of another authority, and the server's own certificate.
    for own in [
        None,
        Some(theirs.as_path()),
        Some(server.tls("server").as_path()),
    ] {
        let reached = match connect_as(server.port, &ours, own).await {
            Ok(mut client) => client
                .about(blindcore_service::proto::AboutRequest {})
                .await
                .is_ok(),
            Err(_) => false,
        };
        assert!(!reached, "{own:?}");
    }
    // A client does not talk to a server of another authority either.
    assert!(
        connect_as(server.port, &theirs, Some(&theirs))
            .await
            .is_err()
    );
    // Refused by the configuration.
    let bob = server.tls("bob");
    let reached = match connect_as(server.port, &bob, Some(&bob)).await {
        Ok(mut client) => client
            .about(blindcore_service::proto::AboutRequest {})
            .await
            .is_ok(),
        Err(_) => false,
    };
    assert!(!reached);
    let mut alice = server.client("alice").await;
    let about = alice
        .about(blindcore_service::proto::AboutRequest {})
        .await
        .unwrap();
    assert_eq!(about.into_inner().client, "alice");
    server.end().await;
}

/// A client that attends.
pub(crate) struct Attendant {
    requests: mpsc::Sender<ClientMessage>,
    messages: tonic::Streaming<ServerMessage>,
}

impl Attendant {
    pub(crate) async fn new(client: &mut Client, id: &str) -> Attendant {
        let (requests, queue) = mpsc::channel(4);
        let jobs = vec![id.to_owned()];
        let of = Some(client_message::Of::Attend(Attendance { jobs }));
        requests.send(ClientMessage { of }).await.unwrap();
        let stream = tokio_stream::wrappers::ReceiverStream::new(queue);
        let messages = client.attend(stream).await.unwrap().into_inner();
        Attendant { requests, messages }
    }

    /// The next question, or the status with which the job ended.
    pub(crate) async fn next(&mut self) -> Result<Question, blindcore_service::proto::JobStatus> {
        loop {
            match self.messages.message().await.unwrap().unwrap().of.unwrap() {
                server_message::Of::Question(question) => return Ok(question),
                server_message::Of::Status(status) if ended(&status) => return Err(status),
                _ => {}
            }
        }
    }

    pub(crate) async fn answer(&self, question: &Question, answer: answer::Answer) {
        let answer = Answer {
            job: question.job.clone(),
            number: question.number,
            blake3: question.blake3.clone(),
            answer: Some(answer),
        };
        let of = Some(client_message::Of::Answer(answer));
        self.requests.send(ClientMessage { of }).await.unwrap();
    }

    /// Whether the last answer is stored; else why not.
    pub(crate) async fn stored(&mut self) -> Result<u64, tonic::Status> {
        loop {
            if let Some(server_message::Of::Stored(stored)) =
                self.messages.message().await?.unwrap().of
            {
                return Ok(stored.number);
            }
        }
    }
}

/// The Collatz sequence from 6 has eight steps; the program asks at each whether it has come to 1.
pub(crate) fn asking(owner: &mut Owner) -> Prepared {
    owner.job(REFUSED, Some("branch"), &[("secret", &[6])], |task| {
        task.branches.otherwise = Otherwise::Ask;
    })
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 4 s"]
async fn questions_survive_connections_servers_and_places_in_the_queue() {
    // Without grace every question has its job leave its place.
    let server = Server::start(&["--grace", "0"], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(8);
    let id = asking(&mut owner).submit(&mut client, 1).await;
    let mut attendant = Attendant::new(&mut client, &id).await;
    let first = attendant.next().await.unwrap();
    assert_eq!((first.number, first.symbol.as_str()), (0, "branch"));
    assert_eq!(
        blindcore_service::question::question_hash(&first).to_vec(),
        first.blake3
    );
    until(&mut client, &id, |status| {
        status.state() == JobState::Waiting
    })
    .await;
    drop(attendant);
    // Who comes back hears the same question, from another server too.
    let mut server = server.restart(&["--grace", "0"]).await;
    let mut client = server.client("alice").await;
    let mut attendant = Attendant::new(&mut client, &id).await;
    let mut next = attendant.next().await;
    assert_eq!(next.as_ref().unwrap(), &first);

    // Somebody else's answers, wrong ones and answers of another kind are refused.
    let mut bob = server.client("bob").await;
    let mut stranger = Attendant::new(&mut bob, "").await;
    assert_eq!(
        stranger.messages.message().await.unwrap_err().code(),
        Code::NotFound
    );
    for (change, part) in [
        (true, "its hash differs"),
        (false, "whether the condition holds"),
    ] {
        let mut wrong = Attendant::new(&mut client, &id).await;
        let mut question = first.clone();
        let mut given = answer::Answer::Next(4);
        if change {
            question.blake3[0] ^= 1;
            given = answer::Answer::Holds(true);
        }
        wrong.answer(&question, given).await;
        refused(wrong.stored().await, Code::InvalidArgument, part);
    }

    let mut questions = 0;
    let last = loop {
        let question = match next {
            Ok(question) => question,
            Err(status) => break status,
        };
        assert_eq!(question.number, questions);
        let holds = owner.read_question(&question)[0] == 1;
        attendant
            .answer(&question, answer::Answer::Holds(holds))
            .await;
        assert_eq!(attendant.stored().await.unwrap(), questions);
        if questions == 2 {
            // The same answer again is harmless, another one is not taken.
            attendant
                .answer(&question, answer::Answer::Holds(holds))
                .await;
            let mut other = Attendant::new(&mut client, &id).await;
            other.answer(&question, answer::Answer::Holds(!holds)).await;
            refused(
                other.stored().await,
                Code::AlreadyExists,
                "the first one counts",
            );
        }
        questions += 1;
        next = attendant.next().await;
    };
    assert_eq!(last.state(), JobState::Done, "{last:?}");
    assert!(
        questions >= 8 && last.questions == questions,
        "{questions}: {last:?}"
    );
    let values = owner.decrypt(&fetch(&mut client, &id).await.unwrap());
    assert!(
        values.contains(&("result".to_owned(), vec![8])),
        "{values:?}"
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 3 s"]
async fn a_refusal_to_answer_ends_the_job() {
    let mut server = Server::start(&[], "");
    let mut client = server.client("alice").await;
    let mut owner = Owner::new(9);
    let id = asking(&mut owner).submit(&mut client, 1).await;
    let mut attendant = Attendant::new(&mut client, &id).await;
    let question = attendant.next().await.unwrap();
    let reason = answer::Answer::Refused("not\u{1b}[31m allowed".to_owned());
    attendant.answer(&question, reason).await;
    let error = attendant.next().await.unwrap_err().error.unwrap();
    assert_eq!(
        error.code,
        blindcore_service::proto::ErrorCode::Refused as i32
    );
    assert!(
        error.message.contains("question 0: not[31m allowed"),
        "{error:?}"
    );
    server.end().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn one_directory_has_one_server() {
    let mut server = Server::start(&[], "");
    let dir = server.root.path().join("data").display().to_string();
    let tls = server.tls("server").display().to_string();
    let line = [
        "serve",
        "--dir",
        &dir,
        "--tls",
        &tls,
        "--listen",
        "127.0.0.1:0",
        "--no-metrics",
    ];
    let second = Line::parse_from(line).serve;
    let (_stop, mut stopped) = mpsc::channel(1);
    let error = serve(&second, &mut stopped, |_| {}).await.unwrap_err();
    assert!(
        error.to_string().contains("in use by another server"),
        "{error}"
    );
    server.end().await;
}
