//! Secret keys behind a passphrase: out of files, of the variable, and typed on a terminal.

use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::os::unix::fs::PermissionsExt;
use std::process::{Command, Stdio};
use std::time::Duration;

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::fs::{Mode, OFlags, open};
use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::tcgetattr;

use super::command::{Ended, Place, assert_failed, ended, fixture, repository};

const USAGE: i32 = 2;
const INPUT: i32 = 3;
const FILE: i32 = 4;
const IO: i32 = 10;
const PASSPHRASE: i32 = 17;
const INTERRUPTED: i32 = 130;
const VARIABLE: &str = "BLINDCORE_PASSPHRASE_FILE";

/// A directory with a passphrase in `pw`, another in `other`.
fn place() -> Place {
    let place = Place::new();
    secret_file(&place, "pw", "correct horse battery staple\n");
    secret_file(&place, "other", "another\r\n");
    place
}

fn secret_file(place: &Place, name: &str, content: impl AsRef<[u8]>) {
    place.write(name, content);
    let mode = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(place.path(name), mode).unwrap();
}

fn with_key() -> Place {
    let place = place();
    place.done(&["keygen", "--out", "alice", "--passphrase-file", "pw"]);
    place
}

fn salaries() -> String {
    repository("examples/salaries/salaries.elf")
}

/// Without a terminal, whoever started the tests.
fn detached(place: &Place, arguments: &[&str]) -> Ended {
    let mut command = Command::new("setsid");
    command
        .args(["--wait", env!("CARGO_BIN_EXE_blindcore")])
        .args(arguments)
        .env_remove(VARIABLE)
        .current_dir(place.path("."))
        .stdin(Stdio::null());
    ended(command.output().unwrap())
}

/// With a terminal of its own, on which each text is typed when its prompt is there; what was shown
/// is returned, too.
fn typed(place: &Place, arguments: &[&str], dialogue: &[(&str, &str)]) -> (Ended, String) {
    let master = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY).unwrap();
    grantpt(&master).unwrap();
    unlockpt(&master).unwrap();
    let name = ptsname(&master, Vec::new()).unwrap();
    let slave = open(
        name.as_c_str(),
        OFlags::RDWR | OFlags::NOCTTY,
        Mode::empty(),
    )
    .unwrap();
    let slave = File::from(slave);
    let settings = || tcgetattr(&slave).unwrap().local_modes;
    let before = settings();
    let child = Command::new("setsid")
        .args(["--ctty", "--wait", env!("CARGO_BIN_EXE_blindcore")])
        .args(arguments)
        .env_remove(VARIABLE)
        .current_dir(place.path("."))
        .stdin(slave.try_clone().unwrap())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut terminal = File::from(master);
    let mut shown = String::new();
    for (prompt, answer) in dialogue {
        let from = shown.len();
        while !shown[from..].contains(prompt) {
            read_more(&mut terminal, &mut shown);
        }
        // The prompt is written just before echo is switched off.
        std::thread::sleep(Duration::from_millis(200));
        terminal.write_all(answer.as_bytes()).unwrap();
    }
    let ended = ended(child.wait_with_output().unwrap());
    // Echo, editing and signals are on again, however it ended.
    assert_eq!(settings(), before);
    // What is left to be read: all of it is there, since nobody writes any more.
    (&slave).write_all(b"<end>\n").unwrap();
    while !shown.contains("<end>") {
        read_more(&mut terminal, &mut shown);
    }
    (ended, shown)
}

/// Waits for more, and not for ever: a command that failed shows no prompt.
fn read_more(terminal: &mut File, shown: &mut String) {
    let limit = Timespec {
        tv_sec: 60,
        tv_nsec: 0,
    };
    let ready = poll(&mut [PollFd::new(&*terminal, PollFlags::IN)], Some(&limit));
    assert_eq!(ready, Ok(1), "after {shown:?}");
    let mut bytes = [0; 256];
    let read = terminal.read(&mut bytes).unwrap();
    shown.push_str(std::str::from_utf8(&bytes[..read]).unwrap());
}

/// Every command that reads the key, with the file, with the variable, and without either.
#[test]
#[ignore = "slow: 2 s"]
fn commands_take_the_passphrase_from_a_file() {
    let place = with_key();
    let program = salaries();
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=2",
        "salary=1,2",
        "--out",
        "in.bct",
    ];
    let with_file: Vec<&str> = [&encrypt[..], &["--passphrase-file", "pw"]].concat();
    place.done(&with_file);
    let ended = super::command::ended(
        place
            .command(&["decrypt", "--key", "alice.secret", "in.bct"])
            .env(VARIABLE, "pw")
            .output()
            .unwrap(),
    );
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
    assert!(ended.out.contains("count = 2"), "{ended:?}");

    let nobody = detached(&place, &encrypt);
    let parts = [
        "alice.secret",
        "behind a passphrase",
        "no terminal",
        "--passphrase-file FILE",
        VARIABLE,
    ];
    assert_failed(&nobody, PASSPHRASE, &parts);
    let other = [
        "decrypt",
        "--key",
        "alice.secret",
        "in.bct",
        "--passphrase-file",
        "other",
    ];
    place.fails(PASSPHRASE, &["alice.secret: wrong passphrase"], &other);
    let missing = [
        "decrypt",
        "--key",
        "alice.secret",
        "in.bct",
        "--passphrase-file",
        "none",
    ];
    place.fails(IO, &["none"], &missing);
    // The flag goes before the variable.
    let ended = super::command::ended(place.command(&other).env(VARIABLE, "pw").output().unwrap());
    assert_failed(&ended, PASSPHRASE, &["wrong passphrase"]);
}

/// Of the commands that have secrets of circuits or answer questions: the file, the variable, a
/// wrong one, and nobody to ask.
#[test]
#[ignore = "slow: 3 s"]
fn circuits_and_answers_take_the_passphrase() {
    let place = with_key();
    let asking = fixture("branches.elf");
    let encrypt = ["encrypt", "--key", "alice.public", &asking, "a=12", "b=12"];
    place.done(&[&encrypt[..], &["--out", "in.bct"]].concat());
    let build = ["circuit", "build", "negate", "--width", "4"];
    place.done(&[&build[..], &["--out", "negate.txt"]].concat());
    let circuit = ["circuit", "encrypt", "--key", "alice.secret", "negate.txt"];
    let run = ["run", "--key", "alice.server", &asking, "in.bct", "--quiet"];
    let task = ["--call", "gcd()", "--output", "result", "--branches", "ask"];
    let answering = ["--answer-with", "alice.secret", "--allow", "gcd"];
    for (command, out, answer) in [
        ([&circuit[..], &["3"]].concat(), "word.bct", "a = 3\n"),
        (
            [&run[..], &task, &answering].concat(),
            "out.bct",
            "result = 12\n",
        ),
    ] {
        let command = [&command[..], &["--out", out]].concat();
        let other = [&command[..], &["--passphrase-file", "other"]].concat();
        place.fails(PASSPHRASE, &["alice.secret: wrong passphrase"], &other);
        let nobody = detached(&place, &command);
        assert_failed(&nobody, PASSPHRASE, &["alice.secret", "no terminal"]);
        let mut with_variable = place.command(&command);
        let done = ended(with_variable.env(VARIABLE, "pw").output().unwrap());
        assert_eq!(done.code, Some(0), "{done:?}");
        let decrypt = ["decrypt", "--key", "alice.secret", out];
        let found = place.done(&[&decrypt[..], &["--passphrase-file", "pw"]].concat());
        assert_eq!(found, answer);
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn files_that_hold_no_passphrase_are_refused() {
    let place = with_key();
    secret_file(&place, "empty", "\n");
    secret_file(&place, "large", vec![b'a'; 5000]);
    for (file, part) in [
        ("empty", "empty: no usable passphrase: it is empty"),
        ("large", "longer"),
    ] {
        let keygen = ["keygen", "--out", "bob", "--passphrase-file", file];
        place.fails(PASSPHRASE, &[part], &keygen);
        let change = [
            "key",
            "passphrase",
            "alice.secret",
            "--passphrase-file",
            "pw",
        ];
        let change = [&change[..], &["--new-passphrase-file", file]].concat();
        place.fails(PASSPHRASE, &[part], &change);
    }
    place.write("shared", "correct horse battery staple");
    let mode = std::fs::Permissions::from_mode(0o644);
    std::fs::set_permissions(place.path("shared"), mode).unwrap();
    let ended = place.run(&[
        "key",
        "passphrase",
        "alice.secret",
        "--remove",
        "--passphrase-file",
        "shared",
    ]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("shared: others may read"), "{ended:?}");
    // A pipe will do, once.
    place.done(&[
        "key",
        "passphrase",
        "alice.secret",
        "--new-passphrase-file",
        "pw",
    ]);
    let ended = place.shell(
        "cat pw | \"$blindcore\" key passphrase alice.secret --remove --passphrase-file /dev/stdin",
    );
    assert_eq!((ended.code, ended.err.as_str()), (Some(0), ""), "{ended:?}");
}

/// The file of the key at every step, as `inspect` tells it without a passphrase.
#[test]
#[ignore = "slow: 3 s"]
fn a_passphrase_is_set_changed_and_removed() {
    let place = place();
    let program = salaries();
    place.done(&["keygen", "--out", "alice"]);
    let open = place.read("alice.secret");
    let inspect = || place.done(&["inspect", "alice.secret", "--json"]);
    let passphrase = |more: &[&str]| -> Vec<u8> {
        let arguments = [&["key", "passphrase", "alice.secret"], more].concat();
        place.done(&arguments);
        let mode = std::fs::metadata(place.path("alice.secret")).unwrap();
        assert_eq!(mode.permissions().mode() & 0o777, 0o600);
        place.read("alice.secret")
    };
    assert!(inspect().contains("\"passphrase\": false"));
    place.fails(
        INPUT,
        &["alice.secret: the key is not behind a passphrase"],
        &["key", "passphrase", "alice.secret", "--remove"],
    );
    let first = passphrase(&["--new-passphrase-file", "pw"]);
    let described = inspect();
    for part in [
        "\"passphrase\": true",
        "\"memory_kib\": 65536",
        "\"version\": 2",
        "secret key",
    ] {
        assert!(described.contains(part), "{described}");
    }
    let text = place.done(&["inspect", "alice.secret"]);
    assert!(
        text.contains("behind a passphrase: Argon2id with 65536 KiB, 3 passes"),
        "{text}"
    );
    // The old one opens, and no other.
    let change = [
        "key",
        "passphrase",
        "alice.secret",
        "--passphrase-file",
        "other",
    ];
    let change = [&change[..], &["--new-passphrase-file", "pw"]].concat();
    place.fails(PASSPHRASE, &["wrong passphrase"], &change);
    assert_eq!(place.read("alice.secret"), first);
    let second = passphrase(&["--passphrase-file", "pw", "--new-passphrase-file", "other"]);
    assert_ne!(first, second);
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=7",
        "--out",
        "in.bct",
    ];
    place.done(&[&encrypt[..], &["--passphrase-file", "other"]].concat());
    assert_eq!(
        passphrase(&["--passphrase-file", "other", "--remove"]),
        open
    );
    let out = place.done(&["decrypt", "--key", "alice.secret", "in.bct"]);
    assert!(out.contains("count = 7"), "{out}");
    // An empty variable is none.
    let mut decrypt = place.command(&["decrypt", "--key", "alice.secret", "in.bct"]);
    let ended = ended(decrypt.env(VARIABLE, "").output().unwrap());
    assert_eq!((ended.code, ended.out), (Some(0), out), "{}", ended.err);
    // Nothing but secret keys.
    place.fails(
        FILE,
        &["alice.server: this is a server key, which needs no passphrase"],
        &[
            "key",
            "passphrase",
            "alice.server",
            "--new-passphrase-file",
            "pw",
        ],
    );
    place.fails(
        USAGE,
        &["--remove"],
        &[
            "key",
            "passphrase",
            "alice.secret",
            "--remove",
            "--new-passphrase-file",
            "pw",
        ],
    );
    // A damaged file is no wrong passphrase.
    let mut damaged = passphrase(&["--new-passphrase-file", "pw"]);
    let last = damaged.len() - 1;
    damaged[last] ^= 1;
    place.write("alice.secret", damaged);
    place.fails(
        FILE,
        &["alice.secret: corrupted"],
        &[
            "decrypt",
            "--key",
            "alice.secret",
            "in.bct",
            "--passphrase-file",
            "pw",
        ],
    );
}

#[test]
#[ignore = "slow: 3 s"]
fn keys_of_the_other_schemes_have_passphrases() {
    let place = place();
    let protect = ["--passphrase-file", "pw"];
    let bgv = ["keygen", "--scheme", "bgv", "--depth", "1", "--out", "bob"];
    let toy = [
        "keygen",
        "--scheme",
        "gentry-halevi",
        "--dimension",
        "32",
        "--out",
        "carl",
    ];
    for (name, keygen) in [("bob", &bgv[..]), ("carl", &toy[..])] {
        let output = place.done(&[keygen, &protect].concat());
        assert!(
            output.contains("the secret key behind its passphrase"),
            "{output}"
        );
        let key = format!("{name}.secret");
        let described = place.done(&["inspect", &key, "--json"]);
        assert!(described.contains("\"passphrase\": true"), "{described}");
        let change = ["key", "passphrase", &key, "--new-passphrase-file", "other"];
        place.done(&[&change[..], &protect].concat());
    }
    let program = salaries();
    place.write("t.csv", "count\n3\n5\n");
    for (key, values, answer) in [
        ("bob.secret", "@t.csv", "count\n3\n5\n"),
        ("carl.secret", "count=9", "count = 9\n"),
    ] {
        let encrypt = ["encrypt", "--key", key, &program, values, "--out", "in.bct"];
        place.fails(
            PASSPHRASE,
            &["wrong passphrase"],
            &[
                "encrypt",
                "--key",
                key,
                &program,
                values,
                "--out",
                "x",
                "--passphrase-file",
                "pw",
            ],
        );
        let other = ["--passphrase-file", "other"];
        place.done(&[&encrypt[..], &other].concat());
        let decrypt = ["decrypt", "--key", key, "in.bct"];
        assert_eq!(place.done(&[&decrypt[..], &other].concat()), answer);
        std::fs::remove_file(place.path("in.bct")).unwrap();
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn passphrases_are_typed_and_not_shown() {
    let place = place();
    let keygen = ["keygen", "--out", "alice", "--passphrase"];
    let (ended, shown) = typed(
        &place,
        &keygen,
        &[
            ("New passphrase of alice.secret: ", "tea spoon\r"),
            ("again: ", "tea spooon\r"),
        ],
    );
    assert_failed(&ended, PASSPHRASE, &["the two passphrases differ"]);
    assert_eq!(place.names(), ["other", "pw"]);
    assert!(!shown.contains("spo"), "{shown:?}");
    let (ended, shown) = typed(
        &place,
        &keygen,
        &[
            ("New passphrase of alice.secret: ", "tea spoon\r"),
            ("again: ", "tea spoon\r"),
        ],
    );
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(!shown.contains("spo"), "{shown:?}");

    let program = salaries();
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=6",
        "--out",
        "in.bct",
    ];
    let prompt = "Passphrase of alice.secret: ";
    let (ended, shown) = typed(&place, &encrypt, &[(prompt, "tea spoon\r")]);
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert_eq!(shown.matches("assphrase").count(), 1, "{shown:?}");
    // What was typed is what a file holds.
    secret_file(&place, "spoon", "tea spoon");
    let decrypt = ["decrypt", "--key", "alice.secret", "in.bct"];
    let out = place.done(&[&decrypt[..], &["--passphrase-file", "spoon"]].concat());
    assert_eq!(out, "count = 6\n");
    let (ended, _) = typed(&place, &decrypt, &[(prompt, "tea\r")]);
    assert_failed(&ended, PASSPHRASE, &["wrong passphrase"]);
    let (ended, _) = typed(&place, &decrypt, &[(prompt, "\r")]);
    assert_failed(&ended, PASSPHRASE, &["it is empty"]);
}

/// In a command that listens for Ctrl-C and in one that does not: the terminal gets its settings
/// back.
#[test]
#[ignore = "slow: 2 s"]
fn ctrl_c_ends_a_question() {
    let place = with_key();
    let program = salaries();
    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=6",
        "--out",
        "in.bct",
        "--passphrase-file",
        "pw",
    ]);
    let before = place.names();
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "count=6",
        "--out",
        "x.bct",
    ];
    let decrypt = ["decrypt", "--key", "alice.secret", "in.bct"];
    for arguments in [&encrypt[..], &decrypt] {
        let (ended, shown) = typed(&place, arguments, &[("alice.secret: ", "half\x03")]);
        assert_failed(&ended, INTERRUPTED, &["interrupted"]);
        assert!(!shown.contains("half"), "{shown:?}");
        assert_eq!(place.names(), before);
    }
}

/// Killed at whatever moment, there is a key that the old or the new passphrase opens.
#[test]
#[ignore = "slow: 6 s"]
fn a_kill_leaves_a_key() {
    let place = with_key();
    let program = salaries();
    let (mut now, mut then) = ("pw", "other");
    for delay in [0, 40, 90, 140, 190, 240, 300, 400] {
        let change = [
            "key",
            "passphrase",
            "alice.secret",
            "--passphrase-file",
            now,
        ];
        let mut child = place
            .command(&[&change[..], &["--new-passphrase-file", then]].concat())
            .stdout(Stdio::null())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(delay));
        let _ = child.kill();
        child.wait().unwrap();
        let opens = |file: &str| {
            let encrypt = [
                "encrypt",
                "--key",
                "alice.secret",
                &program,
                "count=1",
                "--out",
                "in.bct",
            ];
            let ended = place.run(&[&encrypt[..], &["--passphrase-file", file]].concat());
            assert!(matches!(ended.code, Some(0 | PASSPHRASE)), "{ended:?}");
            ended.code == Some(0)
        };
        let (old, new) = (opens(now), opens(then));
        assert!(old != new, "after {delay} ms: {old} {new}");
        if new {
            (now, then) = (then, now);
        }
    }
}

/// What the kernel says of a process that has read a key: no core dump, and nobody else looks in.
#[cfg(target_os = "linux")]
#[test]
fn a_process_with_a_key_is_closed() {
    let place = Place::with_keys();
    // A pipe that nobody writes into: the command has its key, and waits for the file.
    let made = Command::new("mkfifo")
        .arg(place.path("pipe"))
        .status()
        .unwrap();
    assert!(made.success());
    let mut child = place
        .command(&["decrypt", "--key", "alice.secret", "pipe"])
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let limits = format!("/proc/{}/limits", child.id());
    let closed = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(10));
        let limits = std::fs::read_to_string(&limits).unwrap();
        let core = limits
            .lines()
            .find(|line| line.starts_with("Max core file size"))
            .unwrap();
        core.split_whitespace().skip(4).take(2).eq(["0", "0"])
    });
    let owner = std::os::unix::fs::MetadataExt::uid(
        &std::fs::metadata(format!("/proc/{}/mem", child.id())).unwrap(),
    );
    // Then its files in /proc are root's, whoever runs it.
    let _ = OpenOptions::new()
        .write(true)
        .open(place.path("pipe"))
        .unwrap();
    child.wait().unwrap();
    assert!(closed);
    assert_eq!(owner, 0);
}
