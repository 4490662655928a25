//! Two processes and a network between them: a server, and clients that submit, answer, lose it and
//! find it again.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::command::{Place, ended, fixture};

/// A directory with keys and certificates, and a server that works there.
struct Service {
    place: Place,
    port: u16,
    server: Option<Child>,
}

impl Service {
    fn start() -> Service {
        let place = Place::with_keys();
        place.done(&["tls", "init", "tls", "--client", "alice", "--client", "bob"]);
        // Free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let mut service = Service {
            place,
            port,
            server: None,
        };
        service.serve();
        service
    }

    fn address(&self) -> String {
        format!("localhost:{}", self.port)
    }

    fn serve(&mut self) {
        let listen = format!("127.0.0.1:{}", self.port);
        let mut command = self.place.command(&[
            "serve",
            "--dir",
            "jobs",
            "--tls",
            "tls/server",
            "--listen",
            &listen,
            "--no-metrics",
        ]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        self.server = Some(command.spawn().unwrap());
    }

    fn kill(&mut self) {
        let mut server = self.server.take().unwrap();
        server.kill().unwrap();
        server.wait().unwrap();
    }

    /// A client's command with the server in its environment.
    fn command(&self, arguments: &[&str]) -> std::process::Command {
        let mut command = self.place.command(arguments);
        command
            .env("BLINDCORE_SERVER", self.address())
            .env("BLINDCORE_TLS", "tls/alice")
            .env("XDG_STATE_HOME", self.place.path("state"));
        command
    }

    #[track_caller]
    fn done(&self, arguments: &[&str]) -> String {
        let ended = ended(self.command(arguments).output().unwrap());
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.out
    }

    #[track_caller]
    fn fails(&self, code: i32, parts: &[&str], arguments: &[&str]) {
        let ended = ended(self.command(arguments).output().unwrap());
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        let line = ended.err.trim_end().lines().last().unwrap_or_default();
        for part in parts {
            assert!(line.contains(part), "no {part:?} in {line:?}");
        }
    }

    fn document(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done(arguments)).unwrap()
    }

    #[track_caller]
    fn decrypts(&self, file: &str, answer: &str) {
        let place = &self.place;
        assert_eq!(
            place.done(&["decrypt", "--key", "alice.secret", file]),
            answer
        );
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        if self.server.is_some() {
            self.kill();
        }
    }
}

/// Waits for what another process does.
#[track_caller]
fn until(what: &str, mut condition: impl FnMut() -> bool) {
    let begin = Instant::now();
    while !condition() {
        assert!(begin.elapsed() < Duration::from_secs(300), "never {what}");
        std::thread::sleep(Duration::from_millis(20));
    }
}

#[test]
fn a_program_on_another_machine() {
    let service = Service::start();
    let program = fixture("calls.elf");
    let call = ["--call", "score(income, debt)"];
    for (value, out) in [("debt=25", "debt.bct"), ("income=17", "income.bct")] {
        let encrypt = ["encrypt", "--key", "alice.secret", &program, value];
        let rest = [&call[..], &["--out", out]].concat();
        service.place.done(&[&encrypt[..], &rest].concat());
    }
    // Each in a file of its own.
    let submit = ["submit", "--key", "alice.server", &program, "debt.bct"];
    let submit = [&submit[..], &["income.bct"], &call].concat();
    let told = service.done(&[&submit[..], &["--out", "out.bct"]].concat());
    assert!(told.starts_with("out.bct: calls, score"), "{told}");
    service.decrypts("out.bct", "calls = 1\nscore = -999\n");

    // Nothing is sent a second time; the same request is the same job.
    let request = ["--detach", "--request", "00112233445566778899aabbccddeeff"];
    let again = [&submit[..], &request].concat();
    let job = service.done(&again);
    assert_eq!(service.done(&again), job);
    let job = job.trim();
    service.done(&[
        "fetch",
        job,
        "--wait",
        "--out",
        "again.bct",
        "--key",
        "alice.server",
    ]);
    service.decrypts("again.bct", "calls = 1\nscore = -999\n");
    let status = service.document(&["status", job, "--json"]);
    assert_eq!(status["state"], "done");
    // Of the program's path, only the last part travelled.
    assert_eq!(status["name"], "calls.elf");
    assert_eq!(
        service
            .document(&["jobs", "--json"])
            .as_array()
            .unwrap()
            .len(),
        2
    );
    assert!(service.done(&["status", job, "--watch"]).contains("done"));

    // Others see nothing of it.
    let mut bob = service.command(&["status", job]);
    let bob = ended(bob.env("BLINDCORE_TLS", "tls/bob").output().unwrap());
    assert_eq!(bob.code, Some(14), "{bob:?}");

    assert_eq!(
        service.done(&["cancel", job, "--forget"]).lines().count(),
        2
    );
    service.fails(14, &[job], &["fetch", job, "--out", "gone.bct"]);
}

#[test]
fn a_server_that_is_killed_while_it_asks() {
    let mut service = Service::start();
    let program = fixture("branches.elf");
    service.place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "a=12",
        "b=42",
        "--out",
        "inputs.bct",
    ]);
    let submit = [
        "submit",
        "--key",
        "alice.server",
        &program,
        "inputs.bct",
        "--call",
        "gcd()",
        "--output",
        "result",
        "--branches",
        "ask",
        "--answer-with",
        "alice.secret",
    ];
    // What the policy refuses waits, and can be answered later.
    let refused = [&submit[..], &["--out", "out.bct"]].concat();
    service.fails(15, &["allows no answers", "blindcore attend"], &refused);
    let jobs = service.document(&["jobs", "--unfinished", "--json"]);
    let job = jobs[0]["job"].as_str().unwrap();
    // Jobs that this client did not submit are not answered, whatever a server says; nor is the
    // right job with another program or key.
    let invented = "0123456789abcdef0123456789abcdef";
    let calls = fixture("calls.elf");
    service.place.done(&["keygen", "--out", "bob"]);
    for (job, program, key, part) in [
        (
            invented,
            &program,
            "alice.secret",
            "a server can invent jobs",
        ),
        (job, &calls, "alice.secret", "with another program"),
        (job, &program, "bob.secret", "with another key"),
    ] {
        let attend = ["attend", job, program, "--answer-with", key];
        service.fails(15, &[part], &attend);
    }
    let attend = ["attend", job, &program, "--answer-with", "alice.secret"];
    let allowed = ["--allow", "gcd", "--out", "late.bct"];
    service.done(&[&attend[..], &allowed].concat());
    service.decrypts("late.bct", "result = 6\n");

    let more = [
        "--allow",
        "gcd",
        "--audit",
        "audit.jsonl",
        "--out",
        "out.bct",
    ];
    let mut client = service.command(&[&submit[..], &more].concat());
    let client = client.stderr(Stdio::piped()).stdout(Stdio::piped());
    let client = client.spawn().unwrap();
    let audit = service.place.path("audit.jsonl");
    let lines = || {
        let text = std::fs::read_to_string(&audit).unwrap_or_default();
        text.lines().count()
    };
    until("asked", || lines() >= 2);
    service.kill();
    service.serve();
    let ended = ended(client.wait_with_output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    service.decrypts("out.bct", "result = 6\n");
    // Every question was paid for once, however often it came.
    let text = std::fs::read_to_string(&audit).unwrap();
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let numbers = lines.iter().map(|line| line["number"].as_u64().unwrap());
    let different: std::collections::BTreeSet<u64> = numbers.collect();
    let bits: u64 = lines
        .iter()
        .map(|line| line["bits"].as_u64().unwrap())
        .sum();
    assert_eq!(bits, 2 * different.len() as u64, "{text}");
}

#[test]
fn what_keeps_a_job_from_being_submitted() {
    let service = Service::start();
    let program = fixture("calls.elf");
    let place = &service.place;
    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "--call",
        "score(income, debt)",
        "debt=25",
        "income=17",
        "--out",
        "inputs.bct",
    ]);
    let submit = |key: &'static str, more: &[&'static str]| {
        let fixed = [
            "submit",
            "--key",
            key,
            &program,
            "inputs.bct",
            "--call",
            "score(income, debt)",
            "--out",
            "out.bct",
        ];
        service.command(&[&fixed, more].concat())
    };
    let said = |mut command: std::process::Command, code: i32, part: &str| {
        let ended = ended(command.output().unwrap());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.err.contains(part), "no {part:?} in {ended:?}");
    };
    // A secret key is never sent.
    said(submit("alice.secret", &[]), 4, "alice.secret");
    said(
        submit("alice.server", &["--branches", "ask"]),
        2,
        "--answer-with",
    );
    said(
        submit("alice.server", &["--tls", "nowhere"]),
        13,
        "tls init",
    );
    said(
        submit("alice.server", &["--server", "a b"]),
        2,
        "is no server",
    );
    // Another authority on both sides.
    place.done(&["tls", "init", "other"]);
    said(
        submit("alice.server", &["--tls", "other/client"]),
        13,
        "unknown authority",
    );
    // The server's side of it as well: its authority is known, one's own is foreign.
    std::fs::copy(place.path("tls/ca.pem"), place.path("other/client/ca.pem")).unwrap();
    said(
        submit("alice.server", &["--tls", "other/client"]),
        13,
        "does not accept",
    );
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    let mut unreachable = submit("alice.server", &["--patience", "1"]);
    unreachable.env("BLINDCORE_SERVER", format!("localhost:{port}"));
    said(unreachable, 12, "cannot be reached");
    service.fails(3, &["32 hexadecimal digits"], &["status", "../../etc"]);
    service.fails(14, &["0000"], &["status", &"0".repeat(32)]);
    assert!(!place.names().contains(&"out.bct".to_owned()));
}
