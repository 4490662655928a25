//! Runs that are killed or interrupted, and go on.

use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::command::{Place, assert_failed, ended, fixture};

const SALARIES: [u32; 8] = [31_000, 52_000, 18_500, 47_250, 99_999, 1, 60_000, 7];

/// Keys, inputs of the salaries, and the arguments of a run in small windows.
fn story() -> (Place, Vec<String>) {
    let place = Place::with_keys();
    let program = fixture("salaries.elf");
    let salary = format!(
        "salary={}",
        SALARIES.map(|salary| salary.to_string()).join(",")
    );
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        &salary,
        "--out",
        "in.bct",
    ];
    place.done(&encrypt);
    for (value, out) in [("count=8", "count.bct"), ("count=7", "seven.bct")] {
        let encrypt = ["encrypt", "--key", "alice.secret", &program, value];
        place.done(&[&encrypt[..], &["--out", out]].concat());
    }
    let run = [
        "run",
        "--key",
        "alice.server",
        &program,
        "in.bct",
        "count.bct",
        "--window",
        "12",
    ];
    let run = run.iter().chain(&["--out", "out.bct"]);
    let run = run.map(|argument| (*argument).to_owned()).collect();
    (place, run)
}

/// A command that Ctrl-C interrupts, also where tests run in the background of a shell, which ignores it there.
fn interruptible(place: &Place, run: &[&str]) -> Command {
    let command = place.command(run);
    let mut heeding = Command::new("env");
    heeding
        .arg("--default-signal=INT")
        .arg(command.get_program())
        .args(command.get_args())
        .current_dir(place.path(""))
        .stdin(Stdio::null());
    heeding
}

/// Begins a run and waits for its first checkpoint.
fn begun(place: &Place, run: &[&str]) -> Child {
    let mut command = interruptible(place, run);
    let mut child = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begin = Instant::now();
    while !place.path("out.bct.checkpoint").exists() {
        assert!(begin.elapsed() < Duration::from_secs(300), "no checkpoint");
        assert!(
            child.try_wait().unwrap().is_none(),
            "it ended before its first checkpoint"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child
}

/// Sends a signal at once: a shell that does it starts late where everything is busy.
fn send(child: &Child, signal: Signal) {
    kill_process(Pid::from_child(child), signal).unwrap();
}

#[track_caller]
fn right(place: &Place) {
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    let (total, highest) = (SALARIES.iter().sum::<u32>(), SALARIES.iter().max().unwrap());
    assert!(answer.contains(&format!("total = {total}\n")), "{answer}");
    assert!(
        answer.contains(&format!("highest = {highest}\n")),
        "{answer}"
    );
    assert!(!place.path("out.bct.checkpoint").exists());
}

#[test]
#[ignore = "slow: 34 s"]
fn a_killed_run_goes_on_where_it_was() {
    let (place, run) = story();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let mut child = begun(&place, &run);
    // SIGKILL: nothing is left but what is on the disk.
    child.kill().unwrap();
    assert_eq!(child.wait().unwrap().code(), None);
    assert!(!place.path("out.bct").exists());

    let described = place.done(&["inspect", "out.bct.checkpoint"]);
    assert!(
        described.contains("a checkpoint") && described.contains("instructions in"),
        "{described}"
    );
    // Of other inputs, or with other public values, it is another run; and it is no outputs file.
    place.write("kept", place.read("out.bct.checkpoint"));
    let resume = [&run[..], &["--resume"]].concat();
    let instead = |replacement: &'static str| -> Vec<&str> {
        let resume = resume.iter();
        resume
            .map(|argument| match *argument {
                "count.bct" => replacement,
                other => other,
            })
            .collect()
    };
    for replacement in ["count=8", "seven.bct"] {
        let ended = place.run(&instead(replacement));
        assert_failed(&ended, 3, &["out.bct.checkpoint", "another run"]);
    }
    let ended = place.run(&["decrypt", "--key", "alice.secret", "out.bct.checkpoint"]);
    assert_failed(&ended, 4, &["a checkpoint"]);

    // The order of the files does not matter.
    let mut turned = resume.clone();
    turned.swap(4, 5);
    assert_eq!(&turned[4..6], ["count.bct", "in.bct"]);
    let ended = place.run(&turned);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("going on after"), "{ended:?}");
    right(&place);
    let ended = place.run(&resume);
    assert_failed(&ended, 10, &["out.bct.checkpoint"]);
    // With other windows and threads, and the checkpoint elsewhere.
    let elsewhere = [
        "--resume",
        "--checkpoint",
        "kept",
        "--threads",
        "1",
        "--window",
        "1000",
    ];
    let mut again: Vec<&str> = run.clone();
    let window = again
        .iter()
        .position(|argument| *argument == "--window")
        .unwrap();
    again.drain(window..window + 2);
    place.done(&[&again[..], &elsewhere].concat());
    right(&place);
    assert!(!place.path("kept").exists());
}

/// Two would replace each other's checkpoints. A killed one keeps nobody out.
#[test]
#[ignore = "slow: 41 s"]
fn one_run_at_a_time_keeps_a_checkpoint() {
    let (place, run) = story();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    let mut child = begun(&place, &run);
    // It stands still, so that it cannot end meanwhile.
    send(&child, Signal::STOP);
    let kept = place.read("out.bct.checkpoint");
    let elsewhere = ["--checkpoint", "out.bct.checkpoint", "--out", "other.bct"];
    let mut other: Vec<&str> = run.clone();
    other.truncate(run.len() - 2);
    for again in [
        run.clone(),
        [&run[..], &["--resume"]].concat(),
        [&other[..], &elsewhere].concat(),
    ] {
        let refused = ["out.bct.checkpoint", "another run", "--checkpoint"];
        assert_failed(&place.run(&again), 10, &refused);
    }
    assert_eq!(place.read("out.bct.checkpoint"), kept);
    // Another checkpoint is another matter.
    let apart = [&other[..], &["--checkpoint", "own", "--out", "own.bct"]].concat();
    place.done(&apart);
    child.kill().unwrap();
    child.wait().unwrap();
    let ended = place.run(&[&run[..], &["--resume"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    right(&place);
    let left = place.names();
    assert!(!left.iter().any(|name| name.ends_with(".lock")), "{left:?}");
}

#[test]
#[ignore = "slow: 21 s"]
fn an_interrupted_run_says_how_to_go_on() {
    let (place, run) = story();
    let run: Vec<&str> = run.iter().map(String::as_str).collect();
    // On a busy machine a run may end before the signal comes.
    let interrupted = |_| {
        let child = begun(&place, &run);
        send(&child, Signal::INT);
        let ended = ended(child.wait_with_output().unwrap());
        (ended.code != Some(0)).then_some(ended)
    };
    let ended = (0..20)
        .find_map(interrupted)
        .expect("a run that is interrupted");
    assert_eq!(ended.code, Some(130), "{ended:?}");
    for part in [
        "interrupted after",
        "--resume goes on from out.bct.checkpoint",
    ] {
        assert!(ended.err.contains(part), "{ended:?}");
    }
    place.done(&[&run[..], &["--resume", "--quiet"]].concat());
    right(&place);
}

/// Begins a run in one window and waits until something of it is kept.
fn begun_within(place: &Place, run: &[&str]) -> Child {
    let mut command = interruptible(place, run);
    command.stdout(Stdio::piped()).stderr(Stdio::piped());
    let mut child = command.spawn().unwrap();
    let begin = Instant::now();
    while !place.path("out.bct.checkpoint.part").exists() {
        assert!(begin.elapsed() < Duration::from_secs(300), "nothing kept");
        assert!(child.try_wait().unwrap().is_none(), "it ended too soon");
        std::thread::sleep(Duration::from_millis(2));
    }
    child
}

/// No checkpoint between windows is there yet: what goes on is the first window itself.
#[test]
#[ignore = "slow: 32 s"]
fn a_run_goes_on_within_its_first_window() {
    let (place, run) = story();
    let run = run.iter().map(String::as_str);
    let mut run: Vec<&str> = run
        .filter(|own| *own != "--window" && *own != "12")
        .collect();
    run.extend(["--checkpoint-every", "0.05"]);
    let resume = [&run[..], &["--resume"]].concat();

    let mut child = begun_within(&place, &run);
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("out.bct.checkpoint").exists());
    let part = place.read("out.bct.checkpoint.part");
    let ended = place.run(&resume);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(
        ended.err.contains("going on within a window, after"),
        "{ended:?}"
    );
    right(&place);
    assert!(!place.path("out.bct.checkpoint.part").exists());

    // Of another circuit it is not gone on with, and neither is it of other inputs.
    place.write("out.bct.checkpoint.part", &part);
    let ended = place.run(&[&resume[..], &["--adder", "ripple"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("it is computed again"), "{ended:?}");
    right(&place);
    place.write("out.bct.checkpoint.part", &part);
    let others = resume.iter().map(|own| match *own {
        "count.bct" => "seven.bct",
        own => own,
    });
    let ended = place.run(&others.collect::<Vec<_>>());
    assert_failed(&ended, 10, &["out.bct.checkpoint"]);
    // Cut off or damaged, it costs no more than its own work.
    let mut damaged = part.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 1;
    for content in [&part[..part.len() / 2], &damaged] {
        place.write("out.bct.checkpoint.part", content);
        assert_failed(&place.run(&resume), 10, &["out.bct.checkpoint"]);
    }
    std::fs::remove_file(place.path("out.bct.checkpoint.part")).unwrap();

    // Ctrl-C keeps what is done, however long ago something was kept.
    let child = begun_within(&place, &run);
    send(&child, Signal::INT);
    let output = super::command::ended(child.wait_with_output().unwrap());
    if output.code != Some(0) {
        assert_eq!(output.code, Some(130), "{output:?}");
        assert!(output.err.contains("--resume goes on from"), "{output:?}");
        let ended = place.run(&resume);
        assert_eq!(ended.code, Some(0), "{ended:?}");
    }
    right(&place);
}
