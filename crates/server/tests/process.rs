//! The server as a process: killed at any moment, stopped by a signal, and what its log says.

#![cfg(unix)]
#![expect(
    clippy::unwrap_used,
    reason = "clippy knows test functions, not what they call"
)]

// The rig is of the service's own tests, which call it by its package's name.
extern crate service as blindcore_service;

#[path = "../../service/tests/rig/mod.rs"]
mod rig;
#[cfg(feature = "traces")]
#[path = "process/traces.rs"]
mod traces;

use std::io::{BufRead, BufReader, Read};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rig::*;
use service::proto::JobState;

/// A server process; killed at the end.
struct Process {
    child: Child,
    port: u16,
    /// What it printed when it was ready.
    lines: Vec<String>,
}

impl Process {
    fn start(root: &Path, options: &[&str]) -> Process {
        let log = std::fs::File::options()
            .create(true)
            .append(true)
            .open(root.join("log"))
            .unwrap();
        let metrics = options.contains(&"--metrics");
        let mut child = Command::new(env!("CARGO_BIN_EXE_blindcore-server"))
            .arg("--dir")
            .arg(root.join("data"))
            .arg("--tls")
            .arg(root.join("tls/server"))
            .args(["--listen", "127.0.0.1:0", "--threads", "1"])
            .args(options)
            .args((!metrics).then_some("--no-metrics"))
            .env("RUST_LOG", "trace")
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .unwrap();
        let mut line = String::new();
        let mut out = BufReader::new(child.stdout.take().unwrap());
        out.read_line(&mut line).unwrap();
        let port = line.trim().rsplit_once(':').unwrap().1.parse().unwrap();
        let mut lines = vec![line];
        if metrics {
            lines.push(String::new());
            out.read_line(&mut lines[1]).unwrap();
        }
        // Whatever else it says must find a reader.
        std::thread::spawn(move || out.read_to_end(&mut Vec::new()));
        Process { child, port, lines }
    }

    /// What it printed behind this.
    fn line(&self, begin: &str) -> String {
        let mut lines = self.lines.iter();
        let rest = lines.find_map(|line| line.strip_prefix(begin));
        rest.unwrap().trim_end().to_owned()
    }

    fn signal(&self, name: &str) {
        let sent = Command::new("kill")
            .args([&format!("-{name}"), &self.child.id().to_string()])
            .status();
        assert!(sent.unwrap().success());
    }

    /// Waits for the end, and gives the exit code.
    fn end(&mut self) -> Option<i32> {
        let begin = Instant::now();
        loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                return status.code();
            }
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(10));
        }
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 5 s"]
async fn a_killed_server_goes_on_from_its_checkpoint() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let tls = root.path().join("tls/alice");
    let mut owner = Owner::new(11);
    let job = cipher(&mut owner);
    let mut process = Process::start(root.path(), &[]);
    let mut client = connect(process.port, &tls).await;
    let id = job.submit(&mut client, 1).await;
    let mut killed_at = 0;
    for _ in 0..3 {
        let status = until(&mut client, &id, |status| {
            status.windows > killed_at || ended(status)
        })
        .await;
        if ended(&status) {
            break;
        }
        killed_at = status.windows;
        process.child.kill().unwrap();
        process.end();
        process = Process::start(root.path(), &[]);
        client = connect(process.port, &tls).await;
    }
    assert!(killed_at > 0, "the job ended before it could be disturbed");
    let last = until(&mut client, &id, ended).await;
    assert_eq!(last.state(), JobState::Done, "{last:?}");
    assert!(last.recoveries > 0, "{last:?}");
    let outputs = fetch(&mut client, &id).await.unwrap();
    assert_eq!(
        owner.decrypt(&outputs),
        [("cipher".to_owned(), enciphered())]
    );
    // A job that is done stays done, and what it needed on its way is gone.
    process.child.kill().unwrap();
    process.end();
    let process = Process::start(root.path(), &[]);
    let mut client = connect(process.port, &tls).await;
    assert_eq!(status(&mut client, &id).await.state(), JobState::Done);
    assert_eq!(fetch(&mut client, &id).await.unwrap(), outputs);
    let files = std::fs::read_dir(root.path().join("data/jobs").join(&id)).unwrap();
    let mut files: Vec<_> = files.map(|file| file.unwrap().file_name()).collect();
    files.sort();
    assert_eq!(files, ["outputs", "record", "spec", "written"]);
    check_log(root.path(), &job, &outputs);
}

/// Not one run of bytes of what was uploaded or computed stands in the log, neither as it is nor in
/// hexadecimal nor as a list of numbers, though everything that can be logged is.
fn check_log(root: &Path, job: &Prepared, outputs: &[u8]) {
    let log = std::fs::read(root.join("log")).unwrap();
    assert!(log.len() > 1_000);
    let contains = |part: &[u8]| log.windows(part.len()).any(|window| window == part);
    assert!(contains(b"job accepted"));
    for content in [&job.inputs, &job.key, &outputs.to_vec()] {
        let middle = &content[content.len() / 2..][..8];
        let hexadecimal: String = middle.iter().map(|byte| format!("{byte:02x}")).collect();
        let numbers: Vec<String> = middle.iter().map(u8::to_string).collect();
        assert!(!contains(middle));
        assert!(!contains(hexadecimal.as_bytes()));
        assert!(!contains(numbers.join(", ").as_bytes()));
    }
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "slow: 6 s"]
async fn a_stopped_server_drains_and_keeps_what_it_has() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let tls = root.path().join("tls/alice");
    let mut owner = Owner::new(12);
    let job = cipher(&mut owner);
    let mut process = Process::start(root.path(), &[]);
    let mut client = connect(process.port, &tls).await;
    let id = job.submit(&mut client, 1).await;
    until(&mut client, &id, |status| {
        status.windows > 0 || ended(status)
    })
    .await;
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    let mut process = Process::start(root.path(), &[]);
    let mut client = connect(process.port, &tls).await;
    let last = until(&mut client, &id, ended).await;
    assert_eq!(last.state(), JobState::Done, "{last:?}");
    let outputs = fetch(&mut client, &id).await.unwrap();
    assert_eq!(
        owner.decrypt(&outputs),
        [("cipher".to_owned(), enciphered())]
    );

    // What does not come to a checkpoint in time is stopped all the same, and not lost.
    let endless = owner.job(REFUSED, Some("running"), &[], |task| {
        task.limits.instructions = 1_000_000_000;
    });
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    let mut process = Process::start(root.path(), &["--drain", "1"]);
    let mut client = connect(process.port, &tls).await;
    let id = endless.submit(&mut client, 2).await;
    until(&mut client, &id, |status| {
        status.state() == JobState::Running
    })
    .await;
    let begin = Instant::now();
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    assert!(begin.elapsed() < Duration::from_secs(15));
    let process = Process::start(root.path(), &[]);
    let mut client = connect(process.port, &tls).await;
    let status = status(&mut client, &id).await;
    assert!(!ended(&status), "{status:?}");
}

/// A server that is copied while clients upload, run jobs and remove them.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
#[ignore = "slow: 15 s"]
async fn a_backup_under_load_is_whole_and_its_jobs_go_on() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice", "bob"]);
    let copies = root.path().join("copies");
    let copies_option = copies.display().to_string();
    let options = ["--backup", &copies_option, "--backup-keep", "0"];
    let mut process = Process::start(root.path(), &options);
    let mut owner = Owner::new(13);
    let job = cipher(&mut owner);
    let mut client = connect(process.port, &root.path().join("tls/alice")).await;
    let id = job.submit(&mut client, 1).await;

    // Bob's uploads and jobs come and go.
    let mut bob = connect(process.port, &root.path().join("tls/bob")).await;
    let passing = salaries(&mut owner, 64);
    let load = tokio::spawn(async move {
        for request in 1_u8.. {
            let id = passing.submit(&mut bob, request).await;
            tokio::time::sleep(Duration::from_millis(20)).await;
            let job = service::proto::JobId { id: id.clone() };
            bob.cancel(job).await.unwrap();
            let forget = service::proto::ForgetRequest {
                jobs: vec![id],
                blobs: vec![hash(&passing.inputs), hash(&passing.program)],
            };
            bob.forget(forget).await.unwrap();
        }
    });
    let made = || {
        let entries = std::fs::read_dir(&copies).into_iter().flatten();
        let names = entries.map(|entry| entry.unwrap().path());
        let whole = |path: &std::path::PathBuf| path.extension().is_none();
        let mut names: Vec<_> = names.filter(whole).collect();
        names.sort();
        names
    };
    const COPIES: usize = 4;
    for number in 1..=COPIES {
        process.signal("USR1");
        let begin = Instant::now();
        while made().len() < number {
            assert!(begin.elapsed() < Duration::from_secs(60));
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        // Names are seconds apart.
        tokio::time::sleep(Duration::from_millis(1100)).await;
    }
    assert!(!load.is_finished());
    load.abort();
    let last = until(&mut client, &id, ended).await;
    assert_eq!(last.state(), JobState::Done, "{last:?}");
    process.child.kill().unwrap();
    process.end();

    let mut resumed = 0;
    for copy in made() {
        let checked = Command::new(env!("CARGO_BIN_EXE_blindcore-server"))
            .args(["--check", "--dir"])
            .arg(&copy)
            .output()
            .unwrap();
        let said = String::from_utf8(checked.stdout).unwrap();
        assert_eq!(checked.status.code(), Some(0), "{}: {said}", copy.display());
        // A server on it, as if it were its own.
        let data = root.path().join("data");
        std::fs::remove_dir_all(&data).unwrap();
        std::fs::rename(&copy, &data).unwrap();
        let mut process = Process::start(root.path(), &[]);
        let mut client = connect(process.port, &root.path().join("tls/alice")).await;
        resumed += usize::from(!ended(&status(&mut client, &id).await));
        let last = until(&mut client, &id, ended).await;
        assert_eq!(last.state(), JobState::Done, "{last:?}");
        let outputs = fetch(&mut client, &id).await.unwrap();
        assert_eq!(
            owner.decrypt(&outputs),
            [("cipher".to_owned(), enciphered())]
        );
        process.signal("TERM");
        assert_eq!(process.end(), Some(0));
    }
    assert!(resumed > 0, "every copy was made after the job had ended");
}

/// Whoever quotes the id of a call has the lines of it found, on whatever thread they were written.
#[tokio::test(flavor = "multi_thread")]
async fn lines_of_a_call_have_its_id() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let process = Process::start(root.path(), &["--log", "json"]);
    let mut client = connect(process.port, &root.path().join("tls/alice")).await;
    let mut owner = Owner::new(14);
    let job = salaries(&mut owner, 1 << 14);
    job.upload(&mut client).await;
    let with = |spec, id: &str| {
        let mut request = tonic::Request::new(spec);
        let id = id.parse().unwrap();
        request.metadata_mut().insert("x-request-id", id);
        request
    };
    client.submit(with(job.spec(1), "taken-7")).await.unwrap();
    let mut wrong = job.spec(2);
    wrong.program = vec![1; 32];
    client.submit(with(wrong, "refused-7")).await.unwrap_err();
    let log = std::fs::read_to_string(root.path().join("log")).unwrap();
    for (message, id) in [
        ("job accepted", "taken-7"),
        ("request refused", "refused-7"),
    ] {
        let mut lines = log.lines().filter(|line| line.contains(message));
        let id = format!("\"id\":\"{id}\"");
        assert!(lines.any(|line| line.contains(&id)), "{message}: {log}");
    }
}

/// What nobody has to ask for: the first comes at once, old ones go.
#[test]
fn backups_come_by_themselves_and_old_ones_go() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let copies = root.path().join("copies");
    let old = ["blindcore-20010909T014640Z", "blindcore-20010910T014640Z"];
    for name in old {
        std::fs::create_dir_all(copies.join(name)).unwrap();
    }
    std::fs::create_dir(copies.join("mine")).unwrap();
    let path = copies.display().to_string();
    let options = [
        "--backup",
        &path,
        "--backup-every",
        "1",
        "--backup-keep",
        "2",
    ];
    let mut process = Process::start(root.path(), &options);
    let begin = Instant::now();
    while copies.join(old[0]).exists() {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    let count = std::fs::read_dir(&copies).unwrap().count();
    assert!(copies.join(old[1]).exists() && copies.join("mine").exists());
    assert_eq!(count, 3);
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    // Without a place for them there is none, and the server goes on.
    let mut process = Process::start(root.path(), &[]);
    process.signal("USR1");
    let begin = Instant::now();
    let said = || std::fs::read_to_string(root.path().join("log")).unwrap();
    while !said().contains("without --backup DIR") {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(10));
    }
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
}

/// Signals that mean something to a server that serves end none that starts, or looks.
#[test]
fn no_signal_for_a_server_ends_one_that_does_not_serve_yet() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let mut process = Process::start(root.path(), &[]);
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
    // Whoever opens the other end waits for what is written.
    let pipe = |name: &str| {
        let path = root.path().join(name);
        let made = Command::new("mkfifo").arg(&path).status().unwrap();
        assert!(made.success());
        path
    };
    let disturb = |mut process: Process, path: &Path, written: &str| {
        let mut waits = std::fs::File::options().write(true).open(path).unwrap();
        for name in ["USR1", "HUP"] {
            process.signal(name);
        }
        std::thread::sleep(Duration::from_millis(100));
        assert!(process.child.try_wait().unwrap().is_none());
        std::io::Write::write_all(&mut waits, written.as_bytes()).unwrap();
        process
    };
    let begin = |options: &[&str]| Process {
        child: Command::new(env!("CARGO_BIN_EXE_blindcore-server"))
            .arg("--dir")
            .arg(root.path().join("data"))
            .args(options)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap(),
        port: 0,
        lines: Vec::new(),
    };
    let revoked = pipe("data/revoked");
    let mut process = disturb(begin(&["--check"]), &revoked, "{}");
    assert_eq!(process.end(), Some(0));
    std::fs::remove_file(&revoked).unwrap();
    let config = pipe("config");
    let tls = root.path().join("tls/server");
    let mut options = vec!["--tls", tls.to_str().unwrap(), "--listen", "127.0.0.1:0"];
    options.extend(["--no-metrics", "--config", config.to_str().unwrap()]);
    let mut process = disturb(begin(&options), &config, "");
    // The hangup has it read its configuration once more: it has come to serve.
    drop(std::fs::File::options().write(true).open(&config).unwrap());
    process.signal("TERM");
    assert_eq!(process.end(), Some(0));
}

/// What a health check of a container calls.
#[test]
fn a_server_is_asked_how_it_is() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let ask = |address: &str, more: &[&str]| {
        let asked = Command::new(env!("CARGO_BIN_EXE_blindcore-server"))
            .args(["health", "--metrics", address])
            .args(more)
            .output()
            .unwrap();
        let said = [asked.stdout, asked.stderr].concat();
        (asked.status.code(), String::from_utf8(said).unwrap())
    };
    // Nobody is there, and somebody else is.
    let other = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
    let free = other.local_addr().unwrap().to_string();
    std::thread::spawn(move || {
        use std::io::Write;
        let (mut stream, _) = other.accept().unwrap();
        stream.write_all(b"hello\n").unwrap();
    });
    let (code, said) = ask(&free, &[]);
    assert!(code == Some(1) && said.contains("not well"), "{said}");
    let (code, said) = ask(&free, &["--live"]);
    assert!(code == Some(1) && said.contains("no answer"), "{said}");

    let mut process = Process::start(root.path(), &["--metrics", "127.0.0.1:0"]);
    let metrics = process.line("metrics on http://");
    let metrics = metrics.strip_suffix("/metrics").unwrap();
    assert_eq!(ask(metrics, &[]), (Some(0), "ok\n".to_owned()));
    assert_eq!(ask(metrics, &["--live"]), (Some(0), "ok\n".to_owned()));
    process.signal("TERM");
    process.end();

    // One without room runs, and takes no jobs.
    let spare = u64::MAX.to_string();
    let options = ["--metrics", "127.0.0.1:0", "--spare-disk", &spare];
    let process = Process::start(root.path(), &options);
    let metrics = process.line("metrics on http://");
    let metrics = metrics.strip_suffix("/metrics").unwrap();
    let (code, said) = ask(metrics, &[]);
    assert!(
        code == Some(1) && said.contains("503") && said.contains("bytes left"),
        "{said}"
    );
    assert_eq!(ask(metrics, &["--live"]).0, Some(0));
}

/// Sockets that somebody else opened, as systemd does, and what it is told.
#[cfg(target_os = "linux")]
#[tokio::test(flavor = "multi_thread")]
async fn listeners_that_are_passed_on_are_answered() {
    let root = tempfile::tempdir().unwrap();
    certificates(&root.path().join("tls"), &["alice"]);
    let told = std::os::unix::net::UnixDatagram::bind(root.path().join("notify")).unwrap();
    let hear = || {
        let mut text = [0; 64];
        let length = told.recv(&mut text).unwrap();
        String::from_utf8(text[..length].to_vec()).unwrap()
    };
    // The descriptors 3, 4, 5 of the process that becomes the server, whose id LISTEN_PID must be.
    let script = "import fcntl, os, socket, sys
names = ['metrics', 'grpc', 'web']
sockets = [socket.create_server(('127.0.0.1', 0)) for _ in names]
high = [fcntl.fcntl(s.fileno(), fcntl.F_DUPFD, 50) for s in sockets]
for place, d in enumerate(high): os.dup2(d, 3 + place, inheritable=True)
os.environ.update(LISTEN_FDS='3', LISTEN_PID=str(os.getpid()), LISTEN_FDNAMES=':'.join(names))
print(*[s.getsockname()[1] for s in sockets], flush=True)
os.execv(sys.argv[1], sys.argv[1:])";
    let mut child = Command::new("python3")
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_blindcore-server"),
            "--dir",
        ])
        .arg(root.path().join("data"))
        .arg("--tls")
        .arg(root.path().join("tls/server"))
        // What is passed on counts.
        .args(["--listen", "192.0.2.1:1", "--no-metrics", "--threads", "1"])
        .env("NOTIFY_SOCKET", root.path().join("notify"))
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut read = || {
        let mut line = String::new();
        out.read_line(&mut line).unwrap();
        line
    };
    let ports = read();
    let ports: Vec<u16> = ports
        .split_whitespace()
        .map(|port| port.parse().unwrap())
        .collect();
    let [metrics, grpc, web] = ports[..] else {
        panic!("{ports:?}");
    };
    assert_eq!(read(), format!("listening on 127.0.0.1:{grpc}\n"));
    assert_eq!(read(), format!("web on http://127.0.0.1:{web}/\n"));
    assert_eq!(
        read(),
        format!("metrics on http://127.0.0.1:{metrics}/metrics\n")
    );
    let mut process = Process {
        child,
        port: grpc,
        lines: Vec::new(),
    };
    assert!(hear().contains("READY=1"));
    let mut client = connect(grpc, &root.path().join("tls/alice")).await;
    let about = client.about(service::proto::AboutRequest {}).await.unwrap();
    assert_eq!(about.into_inner().client, "alice");
    process.signal("TERM");
    assert!(hear().contains("STOPPING=1"));
    assert_eq!(process.end(), Some(0));
}

#[test]
fn wrong_directories_are_named() {
    let root = tempfile::tempdir().unwrap();
    let output = Command::new(env!("CARGO_BIN_EXE_blindcore-server"))
        .arg("--dir")
        .arg(root.path().join("data"))
        .arg("--tls")
        .arg(root.path().join("nothing"))
        .output()
        .unwrap();
    assert_eq!(output.status.code(), Some(1));
    let output = String::from_utf8(output.stderr).unwrap();
    assert!(
        output.contains("nothing/ca.pem") && output.contains("tls init"),
        "{output}"
    );
}
