//! Two processes and a network between them: a server, and clients that submit, answer, lose it and
//! find it again.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::cluster::Worker;
use super::command::{Place, assert_failed, ended, fixture, repository};

/// A directory with keys and certificates, and a server that works there.
struct Service {
    place: Place,
    port: u16,
    server: Option<Child>,
    /// More for its command line.
    more: Vec<String>,
}

impl Service {
    fn start() -> Service {
        Self::in_place(Place::with_keys(), &[])
    }

    /// In a directory that has keys.
    fn in_place(place: Place, more: &[&str]) -> Service {
        place.done(&["tls", "init", "tls", "--client", "alice", "--client", "bob"]);
        // Free a moment ago.
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let mut service = Service {
            place,
            port,
            server: None,
            more: more.iter().map(|&word| word.to_owned()).collect(),
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
        command.args(&self.more);
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

/// Loaded into a client: kills it when a file of which a text is a part has reached the disk.
#[cfg(target_os = "linux")]
const KILLER: &str = r#"
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
int fdatasync(int file)
{
    static char text[1 << 16];
    int done = syscall(SYS_fdatasync, file);
    if (pread(file, text, sizeof text - 1, 0) > 0 && strstr(text, getenv("KILL_AT")))
        kill(getpid(), SIGKILL);
    return done;
}
"#;

/// A client that is killed between the charge and the decryption, and again between the decryption
/// and the answer, has paid for its question once, and goes on where it was.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: 5 s"]
fn a_client_that_is_killed_has_paid() {
    let service = Service::start();
    let place = &service.place;
    place.write("killer.c", KILLER);
    let compile = "cc -shared -fPIC -o killer.so killer.c";
    assert_eq!(place.shell(compile).code, Some(0));
    let program = fixture("branches.elf");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "a=12", "b=18"];
    place.done(&[&encrypt[..], &["--out", "inputs.bct"]].concat());
    let answering = ["--answer-with", "alice.secret", "--audit", "audit.jsonl"];
    let killed = |arguments: &[&str], text: &str| {
        let mut command = service.command(&[arguments, &answering].concat());
        let command = command.env("LD_PRELOAD", place.path("killer.so"));
        let status = command.env("KILL_AT", text).output().unwrap().status;
        use std::os::unix::process::ExitStatusExt;
        assert_eq!(status.signal(), Some(9), "{status}");
    };
    let read = |name: &str| String::from_utf8(place.read(name)).unwrap();
    let charges = || read("alice.ledger").matches("\"charge\"").count();

    let submit = ["submit", "--key", "alice.server", &program, "inputs.bct"];
    let task = ["--call", "gcd()", "--output", "result", "--branches", "ask"];
    let more = ["--allow", "gcd", "--out", "out.bct"];
    killed(&[&submit[..], &task, &more].concat(), "\"charge\"");
    assert_eq!((charges(), read("audit.jsonl")), (1, String::new()));

    // Nothing was said, so that the job waits; this time the answer is on the record.
    let jobs = service.document(&["jobs", "--unfinished", "--json"]);
    let job = jobs[0]["job"].as_str().unwrap();
    let attend = ["attend", job, &program];
    killed(&attend, "\"answer\"");
    assert_eq!(charges(), 1);
    let audit: Value = serde_json::from_str(read("audit.jsonl").trim_end()).unwrap();
    assert_eq!((&audit["number"], &audit["bits"]), (&0.into(), &2.into()));
    assert!(audit["answer"].is_boolean(), "{audit}");

    // It is answered from there; the next question is one too many for the key.
    let attend = [&attend[..], &answering].concat();
    let limited = [&attend[..], &["--max-bits-of-key", "2"]].concat();
    service.fails(15, &["2 bits", "--max-bits-of-key"], &limited);
    assert_eq!(charges(), 1);

    service.done(&[&attend[..], &["--out", "late.bct"]].concat());
    service.decrypts("late.bct", "result = 6\n");
    let audit = read("audit.jsonl");
    let answers = audit.lines().filter(|line| {
        let line: Value = serde_json::from_str(line).unwrap();
        line["answer"].is_boolean() && line["bits"] == 2
    });
    assert_eq!(charges(), answers.count());
}

/// Every command here that reads a secret key, which is behind a passphrase.
#[cfg(unix)]
#[test]
#[ignore = "slow: 7 s"]
fn who_answers_gives_a_passphrase() {
    use std::os::unix::fs::PermissionsExt;
    const PASSPHRASE: i32 = 17;
    let service = Service::start();
    let place = &service.place;
    for (file, text) in [("pw", "correct horse\n"), ("other", "another\n")] {
        place.write(file, text);
        let mode = std::fs::Permissions::from_mode(0o600);
        std::fs::set_permissions(place.path(file), mode).unwrap();
    }
    let protect = ["key", "passphrase", "alice.secret"];
    place.done(&[&protect[..], &["--new-passphrase-file", "pw"]].concat());
    let program = fixture("branches.elf");
    // With the public key, which needs none.
    let encrypt = ["encrypt", "--key", "alice.public", &program, "a=12", "b=12"];
    place.done(&[&encrypt[..], &["--out", "inputs.bct"]].concat());

    let submit = ["submit", "--key", "alice.server", &program, "inputs.bct"];
    let task = ["--call", "gcd()", "--output", "result", "--branches", "ask"];
    let submit = [&submit[..], &task].concat();
    let job = service.done(&[&submit[..], &["--detach"]].concat());
    let attend = ["attend", job.trim(), &program];
    let answering = ["--answer-with", "alice.secret", "--allow", "gcd"];
    for (command, out) in [(&attend[..], "attended.bct"), (&submit, "submitted.bct")] {
        let command = [command, &answering, &["--out", out]].concat();
        let other = [&command[..], &["--passphrase-file", "other"]].concat();
        service.fails(PASSPHRASE, &["alice.secret: wrong passphrase"], &other);
        // Without a terminal to ask on.
        let mut detached = std::process::Command::new("setsid");
        let detached = detached
            .args(["--wait", env!("CARGO_BIN_EXE_blindcore")])
            .args(&command)
            .current_dir(place.path("."))
            .env_remove("BLINDCORE_PASSPHRASE_FILE")
            .env("BLINDCORE_SERVER", service.address())
            .env("BLINDCORE_TLS", "tls/alice")
            .env("XDG_STATE_HOME", place.path("state"))
            .stdin(Stdio::null());
        let nobody = ended(detached.output().unwrap());
        assert_failed(
            &nobody,
            PASSPHRASE,
            &["alice.secret", "--passphrase-file FILE"],
        );
        assert!(!place.names().contains(&out.to_owned()));
        // Nothing was submitted, and nothing answered.
        let jobs = service.document(&["jobs", "--json"]);
        assert_eq!(jobs.as_array().unwrap().len(), 1);
        assert!(!place.names().contains(&"alice.ledger".to_owned()) || out == "submitted.bct");
        let mut command = service.command(&command);
        let done = ended(
            command
                .env("BLINDCORE_PASSPHRASE_FILE", "pw")
                .output()
                .unwrap(),
        );
        assert_eq!(done.code, Some(0), "{done:?}");
        let decrypt = ["decrypt", "--key", "alice.secret", out];
        let answer = place.done(&[&decrypt[..], &["--passphrase-file", "pw"]].concat());
        assert_eq!(answer, "result = 12\n");
    }
}

#[test]
#[ignore = "slow: 5 s"]
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

/// Jobs that ask nobody run on workers, and go on elsewhere when one of these is killed; what asks runs on the
/// server.
#[test]
#[ignore = "slow: 53 s"]
fn jobs_run_on_workers() {
    let place = Place::with_keys();
    let [first, second] = ["--plain"; 2].map(|plain| Worker::start(&place, &[plain]));
    let addresses = format!("{},{}", first.address, second.address);
    let crew = ["--workers", &addresses, "--workers-plain", "--threads", "1"];
    let service = Service::in_place(place, &crew);
    let place = &service.place;
    place.write(
        "chain.hea",
        ".bits 16\n.data x\n MOV R0, 30\n LOAD R1, x\nnext: MUL R1, R1, R1\n ADD R1, R1, 7\n SUBS R0, R0, 1\n \
         B_NE next\n STORE R1, x\n",
    );
    let chain = |x: u16| (0..30).fold(x, |x, _| x.wrapping_mul(x).wrapping_add(7));
    let submit = |x: u16, name: &str| {
        let value = format!("x={x}");
        let encrypt = [
            "encrypt",
            "chain.hea",
            &value,
            "--key",
            "alice.secret",
            "--out",
            name,
        ];
        place.done(&encrypt);
        let submit = [
            "submit",
            "--key",
            "alice.server",
            "--window",
            "2000",
            "--detach",
        ];
        service
            .done(&[&submit[..], &["chain.hea", name]].concat())
            .trim()
            .to_owned()
    };
    let jobs = [(3, "three"), (5, "five"), (7, "seven")].map(|(x, name)| (x, submit(x, name)));
    let status = |job: &str| service.document(&["status", job, "--json"]);
    until("a run began", || {
        let begun = |(_, job): &(u16, String)| status(job)["bootstraps"].as_u64() > Some(50);
        jobs.iter().filter(|job| begun(job)).count() == 2
    });
    drop(first);
    for (x, job) in &jobs {
        service.done(&[
            "fetch",
            job,
            "--wait",
            "--out",
            "out",
            "--key",
            "alice.server",
        ]);
        service.decrypts("out", &format!("x = {}\n", chain(*x)));
    }

    let program = fixture("branches.elf");
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "a=12", "b=18"];
    place.done(&[&encrypt[..], &["--out", "two"]].concat());
    let submit_asking = [
        "submit",
        "--key",
        "alice.server",
        &program,
        "two",
        "--out",
        "asked",
    ];
    let task = ["--call", "gcd()", "--output", "result", "--branches", "ask"];
    let answering = ["--answer-with", "alice.secret", "--allow", "gcd"];
    service.done(&[&submit_asking[..], &task, &answering].concat());
    service.decrypts("asked", "result = 6\n");

    // Without workers a job waits for one, and can be cancelled.
    drop(second);
    let job = submit(9, "nine");
    std::thread::sleep(Duration::from_secs(2));
    assert_ne!(status(&job)["state"], "done");
    service.done(&["cancel", &job]);
    until("it was cancelled", || status(&job)["state"] == "cancelled");
}

#[test]
#[ignore = "slow: 19 s"]
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

/// A shift by a secret: the selector key goes along where it lies beside the server key.
#[test]
#[ignore = "slow: 15 s"]
fn a_job_with_the_second_part_of_the_key() {
    let service = Service::start();
    let place = &service.place;
    let program =
        ".bits 32\n.data a\n.data n\n LOAD R0, a\n LOAD R1, n\n LLS R0, R0, R1\n STORE R0, a";
    place.write("shift.hea", program);
    let encrypt = ["encrypt", "--key", "alice.secret", "--out", "in.bct"];
    place.done(&[&encrypt[..], &["shift.hea", "a=12345", "n=7"]].concat());
    let submit = ["submit", "--key", "alice.server", "shift.hea", "in.bct"];
    let submit = [
        &submit[..],
        &["--out", "out.bct", "--output", "a", "--json"],
    ]
    .concat();
    // What a run has to do, which differs.
    let operations = |more: &[&str]| {
        let status = service.document(&[&submit[..], more].concat());
        service.decrypts("out.bct", "a = 1580160\n");
        status["bootstraps"].as_u64().unwrap()
    };
    // Lengths of what the server has.
    let blobs = || {
        let mut clients = std::fs::read_dir(place.path("jobs/blobs")).unwrap();
        let files = std::fs::read_dir(clients.next().unwrap().unwrap().path()).unwrap();
        let lengths = files.map(|file| file.unwrap().metadata().unwrap().len());
        lengths.collect::<Vec<u64>>()
    };
    let lookups = operations(&[]);
    assert_eq!(blobs().len(), 3);

    // What is none, or another pair's, is refused by name before anything is sent.
    place.write("alice.selectors", "notes");
    service.fails(4, &["alice.selectors: ", "not a Blindcore file"], &submit);
    place.done(&["keygen", "--out", "bob", "--no-selectors"]);
    place.done(&["key", "selectors", "bob.secret"]);
    let length = place.read("bob.selectors").len() as u64;
    let other = [&submit[..], &["--selectors", "bob.selectors"]].concat();
    service.fails(5, &["bob.selectors: ", "another server key"], &other);
    let missing = [&submit[..], &["--selectors", "none.selectors"]].concat();
    service.fails(10, &["none.selectors"], &missing);
    assert_eq!(blobs().len(), 3);
    assert_eq!(operations(&["--no-selectors"]), lookups);

    std::fs::remove_file(place.path("alice.selectors")).unwrap();
    place.done(&["key", "selectors", "alice.secret"]);
    let chosen = operations(&[]);
    assert_ne!(chosen, lookups);
    assert_eq!(blobs().iter().filter(|&&found| found == length).count(), 1);
    // Under another name, sent once; and a job without it, though it lies there.
    std::fs::rename(place.path("alice.selectors"), place.path("second")).unwrap();
    assert_eq!(operations(&["--selectors", "second"]), chosen);
    assert_eq!(operations(&["--no-selectors"]), lookups);
    assert_eq!(blobs().len(), 4);
}

#[test]
#[ignore = "slow: 8 s"]
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
    let fails_with = |mut command: std::process::Command, code: i32, part: &str| {
        let ended = ended(command.output().unwrap());
        assert_eq!(ended.code, Some(code), "{ended:?}");
        assert!(ended.err.contains(part), "no {part:?} in {ended:?}");
    };
    // A secret key is never sent.
    fails_with(submit("alice.secret", &[]), 4, "alice.secret");
    fails_with(
        submit("alice.server", &["--branches", "ask"]),
        2,
        "--answer-with",
    );
    fails_with(
        submit("alice.server", &["--tls", "nowhere"]),
        13,
        "tls init",
    );
    fails_with(
        submit("alice.server", &["--server", "a b"]),
        2,
        "is no server",
    );
    // Another authority on both sides.
    place.done(&["tls", "init", "other"]);
    fails_with(
        submit("alice.server", &["--tls", "other/client"]),
        13,
        "unknown authority",
    );
    // The server's side of it as well: its authority is known, one's own is foreign.
    std::fs::copy(place.path("tls/ca.pem"), place.path("other/client/ca.pem")).unwrap();
    fails_with(
        submit("alice.server", &["--tls", "other/client"]),
        13,
        "does not accept",
    );
    let nobody = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = nobody.local_addr().unwrap().port();
    drop(nobody);
    let mut unreachable = submit("alice.server", &["--patience", "1"]);
    unreachable.env("BLINDCORE_SERVER", format!("localhost:{port}"));
    fails_with(unreachable, 12, "cannot be reached");
    // What only the run's plan tells.
    let nibbles = repository("examples/assembly/nibbles.hea");
    let encrypt = ["encrypt", "--key", "alice.public", &nibbles, "a=5"];
    place.done(&[&encrypt[..], &["--out", "a.bct"]].concat());
    let submit = ["submit", "--key", "alice.server", "--out", "out.bct"];
    let missing = [&submit[..], &[&nibbles, "a.bct"]].concat();
    service.fails(3, &["b (2 bytes) is read", "--default-zero"], &missing);
    let mut silent = std::fs::read(&program).unwrap();
    silent[0x18..0x1c].fill(0);
    for at in 0..silent.len() - 6 {
        if silent[at..].starts_with(b"\0main\0") {
            silent[at + 1..at + 5].copy_from_slice(b"mine");
        }
    }
    place.write("mine.elf", silent);
    let encrypt = ["encrypt", "--key", "alice.public", "mine.elf", "calls=1"];
    place.done(&[&encrypt[..], &["--out", "c.bct"]].concat());
    let nowhere = [&submit[..], &["mine.elf", "c.bct"]].concat();
    service.fails(3, &["failed: the program has no main", "--call"], &nowhere);
    service.fails(3, &["32 hexadecimal digits"], &["status", "../../etc"]);
    service.fails(14, &["0000"], &["status", &"0".repeat(32)]);
    assert!(!place.names().contains(&"out.bct".to_owned()));
}
