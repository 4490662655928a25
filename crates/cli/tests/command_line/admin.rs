//! `blindcore admin`: a server, its administrator, and a client that loses its rights.

use std::net::TcpListener;
use std::process::{Child, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::command::{Ended, Place, ended};

/// A server with an administrator, `root`, and a client, `alice`.
struct Service {
    place: Place,
    port: u16,
    server: Child,
}

impl Service {
    fn start() -> Service {
        let place = Place::new();
        let line = ["tls", "init", "tls", "--client", "alice", "--admin", "root"];
        let told = place.done(&line);
        // What is printed is what the configuration needs.
        let at = told.find("[client.").unwrap();
        place.write("server.toml", &told[at..]);
        let port = TcpListener::bind("127.0.0.1:0").unwrap();
        let port = port.local_addr().unwrap().port();
        let listen = format!("127.0.0.1:{port}");
        let mut command = place.command(&["serve", "--dir", "jobs", "--tls", "tls/server"]);
        command.args([
            "--config",
            "server.toml",
            "--listen",
            &listen,
            "--no-metrics",
        ]);
        command.stdout(Stdio::null()).stderr(Stdio::null());
        let server = command.spawn().unwrap();
        Service {
            place,
            port,
            server,
        }
    }

    fn run(&self, who: &str, arguments: &[&str]) -> Ended {
        let mut command = self.place.command(arguments);
        command
            .env("BLINDCORE_SERVER", format!("localhost:{}", self.port))
            .env("BLINDCORE_TLS", format!("tls/{who}"));
        ended(command.output().unwrap())
    }

    #[track_caller]
    fn done(&self, who: &str, arguments: &[&str]) -> String {
        let ended = self.run(who, arguments);
        assert_eq!(ended.code, Some(0), "{arguments:?}: {ended:?}");
        ended.out
    }

    #[track_caller]
    fn document(&self, arguments: &[&str]) -> Value {
        serde_json::from_str(&self.done("root", arguments)).unwrap()
    }

    #[track_caller]
    fn fails(&self, who: &str, code: i32, part: &str, arguments: &[&str]) {
        let ended = self.run(who, arguments);
        assert_eq!(ended.code, Some(code), "{arguments:?}: {ended:?}");
        assert!(ended.err.contains(part), "no {part:?} in {ended:?}");
    }
}

impl Drop for Service {
    fn drop(&mut self) {
        let _ = self.server.kill();
        let _ = self.server.wait();
    }
}

#[test]
fn an_administrator_sees_drains_revokes_and_reloads() {
    let mut service = Service::start();
    service.done("alice", &["jobs"]);
    let part = "this is for administrators";
    for line in [
        &["jobs", "--all"][..],
        &["admin", "quota"],
        &["admin", "drain"],
        &["admin", "cancel", "0123456789abcdef0123456789abcdef"],
    ] {
        service.fails("alice", 14, part, line);
    }
    assert_eq!(
        service.document(&["jobs", "--all", "--json"]),
        Value::Array(vec![])
    );
    let table = service.done("root", &["admin", "jobs", "--all"]);
    assert!(table.starts_with("CLIENT  JOB"), "{table}");
    let quota = service.document(&["admin", "quota", "--json", "alice"]);
    assert_eq!(quota[0]["used"]["jobs"], 0, "{quota}");
    assert_eq!(quota[0]["limit"]["jobs"], 1000, "{quota}");
    let table = service.done("root", &["admin", "quota"]);
    assert!(
        table.contains("0 of 1000") && table.contains("admin"),
        "{table}"
    );

    // What a client could not do either.
    let nobodys = &["admin", "cancel", "0123456789abcdef0123456789abcdef"];
    service.fails("root", 14, "of any client", nobodys);
    service.fails("root", 3, "no job's id", &["admin", "cancel", "1"]);

    let drained = service.document(&["admin", "drain", "--wait", "--json"]);
    assert_eq!(
        (&drained["draining"], &drained["running"]),
        (&true.into(), &0.into())
    );
    let undone = service.done("root", &["admin", "drain", "--undo"]);
    assert!(undone.contains("takes jobs"), "{undone}");

    let revoked = service.document(&["admin", "revoke", "--json", "tls/alice/cert.pem"]);
    assert_eq!(
        (&revoked["client"], &revoked["revoked"]),
        (&"alice".into(), &true.into())
    );
    service.fails("alice", 13, "told to refuse it", &["jobs"]);
    let list = service.done("root", &["admin", "revoke", "--list"]);
    let sha256 = revoked["certificate"].as_str().unwrap();
    assert!(list.contains(sha256) && list.contains("root"), "{list}");
    service.fails(
        "root",
        10,
        "tls/nobody.pem",
        &["admin", "revoke", "tls/nobody.pem"],
    );
    service.fails("root", 14, "you call with", &["admin", "revoke", "root"]);
    service.done("root", &["admin", "revoke", "--undo", sha256]);
    service.done("alice", &["jobs"]);

    // Files that are wrong change nothing; those that are right do, by a signal as well.
    let good = String::from_utf8(service.place.read("server.toml")).unwrap();
    service.place.write("server.toml", "[quota]\njobz = 1\n");
    service.fails("root", 14, "jobz", &["admin", "reload"]);
    let closed = format!("{good}[client.alice]\nrefused = true\n");
    service.place.write("server.toml", &closed);
    let read = service.done("root", &["admin", "reload"]);
    assert!(read.contains("anew"), "{read}");
    service.fails("alice", 13, "told to refuse it", &["jobs"]);
    #[cfg(unix)]
    {
        service.place.write("server.toml", &good);
        let process = service.server.id().to_string();
        let told = std::process::Command::new("kill")
            .args(["-HUP", &process])
            .status();
        assert!(told.unwrap().success());
        let begin = Instant::now();
        while service.run("alice", &["jobs"]).code != Some(0) {
            assert!(begin.elapsed() < Duration::from_secs(60));
        }
    }

    // A certificate takes the place of another one, and clients that trust the authority come.
    service.done("root", &["tls", "server", "tls", "next"]);
    let before = service.place.read("tls/server/cert.pem");
    for name in ["cert.pem", "key.pem"] {
        let next = service.place.read(&format!("tls/next/{name}"));
        service.place.write(&format!("tls/server/{name}"), next);
    }
    assert_ne!(service.place.read("tls/server/cert.pem"), before);
    service.done("root", &["admin", "reload"]);
    service.done("alice", &["jobs"]);

    let stops = service.done("root", &["admin", "drain", "--stop"]);
    assert!(stops.contains("stops"), "{stops}");
    assert!(service.server.wait().unwrap().success());
}
