//! Small rounds of `scripts/soak`: a server that is killed, and one that is sent what is wrong.
//!
//! The scripts say themselves what they saw; their exit code is the verdict.

use std::process::Command;

/// Runs a script on the built binary.
#[track_caller]
fn soak(script: &str, arguments: &[&str]) {
    let root = concat!(env!("CARGO_MANIFEST_DIR"), "/../..");
    let script = format!("{root}/scripts/soak/{script}");
    let ended = Command::new("python3")
        .args([&script, "--blindcore", env!("CARGO_BIN_EXE_blindcore")])
        .args(arguments)
        .output();
    // ./test installs it; elsewhere there may be none.
    let ended = match ended {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            eprintln!("left out: there is no python3");
            return;
        }
        ended => ended.unwrap(),
    };
    let out = String::from_utf8_lossy(&ended.stdout);
    let err = String::from_utf8_lossy(&ended.stderr);
    assert!(ended.status.success(), "{out}{err}");
    assert!(out.contains(", 0 wrong"), "{out}{err}");
}

#[test]
#[ignore = "eight jobs of three clients and a kill of their server, 20 s"]
fn a_killed_server_ends_every_job_once() {
    soak(
        "service.py",
        &["--jobs", "8", "--clients", "3", "--kills", "1"],
    );
}

#[test]
#[ignore = "twenty-five attacks on a server, 45 s"]
fn whatever_is_wrong_is_refused() {
    soak("refusals.py", &["--rounds", "1"]);
}

#[test]
#[ignore = "twenty attacks on a server's HTTP, and a kill, 15 s"]
fn the_web_loses_nothing() {
    soak("web.py", &["--rounds", "1", "--kills", "1"]);
}

#[test]
#[ignore = "six jobs on a server whose disk fails at their writes, 20 s"]
fn a_disk_that_fails_loses_nothing() {
    soak("faults.py", &["--rounds", "6"]);
}

#[test]
#[ignore = "honest clients beside attackers, kills, full disks and clocks that jump, 90 s"]
fn everything_at_once_loses_nothing() {
    let line = "--seconds 40 --quiet 10 --clients 3 --attackers 3 --kills 2 --fillings 2 --jumps 2";
    let line: Vec<&str> = line.split(' ').collect();
    // On a machine that runs other tests, times say nothing.
    soak(
        "hour.py",
        &[&line[..], &["--pause", "5", "--no-times"]].concat(),
    );
}

#[test]
#[ignore = "a run on two workers, again and again, of which one is killed, hangs or is slow, 40 s"]
fn workers_that_die_lose_nothing() {
    soak("cluster.py", &["--faults", "3"]);
}
