//! What goes wrong, one test a reason: an exit code of its own, one line, nothing written.

use std::sync::LazyLock;

use super::command::{Place, assert_failed, ended, fixture, repository};

const USAGE: i32 = 2;
const INPUT: i32 = 3;
const FILE: i32 = 4;
const KEY: i32 = 5;
const PROGRAM: i32 = 6;
const FAULT: i32 = 7;
const LIMIT: i32 = 8;
const SECRET: i32 = 9;
const IO: i32 = 10;

/// Keys and encrypted inputs that the tests only read.
static SHARED: LazyLock<Place> = LazyLock::new(|| {
    let place = Place::with_keys();
    let salaries = salaries();
    place.done(&encrypt(
        &salaries,
        &["count=8", "salary=1,2,3"],
        "inputs.bct",
    ));
    place
});

fn salaries() -> String {
    repository("examples/salaries/salaries.elf")
}

fn encrypt<'a>(program: &'a str, values: &[&'a str], out: &'a str) -> Vec<&'a str> {
    [
        &["encrypt", "--key", "alice.secret", program],
        values,
        &["--out", out],
    ]
    .concat()
}

fn run<'a>(program: &'a str, inputs: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [
        &[
            "run",
            "--key",
            "alice.server",
            program,
            inputs,
            "--out",
            "out.bct",
        ],
        more,
    ]
    .concat()
}

#[test]
fn values_that_do_not_fit() {
    let program = salaries();
    for (value, parts) in [
        (
            "count=4294967296",
            &["count: 4294967296 does not fit u32 (0 to 4294967295)"][..],
        ),
        ("count=-1", &["count: -1 does not fit"]),
        ("salary=0,1,-1", &["salary[2]: -1 does not fit u32"]),
        (
            "salary=1,2,3,4,5,6,7,8,9",
            &["salary: 9 values, but u32[8] holds 8"],
        ),
        ("count=1.5", &["'1.5' is not a value of type u32"]),
        ("count=", &["a value is missing"]),
        ("salary=\"abc\"", &["only arrays of bytes hold text"]),
        ("salary:u32[9]=1", &["36 bytes", "only 32"]),
        ("count:u33=1", &["unknown type 'u33'"]),
    ] {
        SHARED.fails(INPUT, parts, &encrypt(&program, &[value], "x.bct"));
    }
    let usage = encrypt(&program, &["count"], "x.bct");
    SHARED.fails(USAGE, &["'count' is not NAME=VALUE"], &usage);
    SHARED.fails(
        INPUT,
        &["given twice"],
        &encrypt(&program, &["count=1", "count=2"], "x.bct"),
    );
}

#[test]
fn values_from_files_that_do_not_fit() {
    let place = Place::with_keys();
    place.write("t.csv", "name,amount\nAda,5200\nBob,many\n");
    place.write(
        "t.json",
        r#"{"count": 1.5, "big": 99999999999, "deep": {"x": null}}"#,
    );
    place.write("broken.json", "{");
    place.write("t.bin", [1, 2, 3, 4, 5, 6, 7, 8, 9]);
    let program = salaries();
    for (code, value, part) in [
        (
            INPUT,
            "salary=@t.csv:amount",
            "line 3: 'many' is not a whole number",
        ),
        (
            INPUT,
            "salary=@t.csv:wage",
            "no column 'wage' (there are: name, amount)",
        ),
        (INPUT, "salary=@t.csv", "several columns"),
        (
            INPUT,
            "count=@t.json:count",
            "'1.5' is not a value of type u32: not a whole number",
        ),
        (INPUT, "count=@t.json:big", "99999999999 does not fit u32"),
        (INPUT, "count=@t.json:none", "no key 'none'"),
        (
            INPUT,
            "count=@t.json:deep.x",
            "a number, a text, a list or an object was expected",
        ),
        (INPUT, "count=@broken.json", "EOF"),
        (INPUT, "count=@t.bin", "more than the 4 bytes"),
        (
            INPUT,
            "salary=@t.bin",
            "9 bytes do not make whole elements of u32",
        ),
        (IO, "count=@missing.bin", "missing.bin"),
        (IO, "count=@missing.json", "missing.json"),
        (IO, "count=@missing.csv:a", "missing.csv"),
    ] {
        place.fails(code, &[part], &encrypt(&program, &[value], "x.bct"));
    }
}

#[test]
fn unknown_symbols() {
    let (program, calls) = (salaries(), fixture("calls.elf"));
    let misspelt = encrypt(&program, &["cuont=3"], "x.bct");
    SHARED.fails(
        INPUT,
        &["no variable 'cuont'", "did you mean 'count'?"],
        &misspelt,
    );
    SHARED.fails(INPUT, &["'nosuch'"], &["plan", &program, "nosuch"]);
    SHARED.fails(
        INPUT,
        &["'nosuch'"],
        &["plan", &program, "count", "--output", "nosuch"],
    );
    SHARED.fails(
        INPUT,
        &["'nosuch'"],
        &["plan", &program, "count", "--entry", "nosuch"],
    );
    SHARED.fails(
        INPUT,
        &["'nosuch'"],
        &["plan", &calls, "--call", "nosuch(1)"],
    );
    SHARED.fails(
        INPUT,
        &["'nosuch'"],
        &["plan", &calls, "--call", "score(1, &nosuch)"],
    );
    let few = ["plan", calls.as_str(), "--call", "score(1)"];
    SHARED.fails(INPUT, &["score takes 2 arguments, not 1"], &few);
    let large = ["plan", calls.as_str(), "--call", "near(1, 200)"];
    SHARED.fails(
        INPUT,
        &["argument 2 of near", "200 does not fit i8"],
        &large,
    );
    // A call whose secret is not among the inputs.
    let missing = run(&calls, "empty.bct", &["--call", "score(income, 1)"]);
    let place = Place::with_keys();
    place.done(&encrypt(&calls, &["calls=1"], "empty.bct"));
    place.fails(INPUT, &["the call needs a value for income"], &missing);
}

#[test]
fn command_lines_that_cannot_be_read() {
    for arguments in [
        &["keygen"][..],
        &["fly"],
        &["plan", "x.elf", "--call", "f(1"],
        &["plan", "x.elf", "--max-instructions", "many"],
        &["plan", "x.elf", "--threads", "0"],
        &["plan", "x.elf", "--threads", "1025"],
        &["plan", "x.elf", "--call", "f()", "--entry", "f"],
        &["keygen", "--out", "x", "--set", "p15"],
    ] {
        let ended = SHARED.run(arguments);
        assert_failed(&ended, USAGE, &["--help"]);
    }
    let missing = SHARED.run(&["keygen"]);
    assert_failed(&missing, USAGE, &["not provided: --out <NAME>"]);
    let unknown = SHARED.run(&["keygen", "--out", "x", "--set", "p15"]);
    assert_failed(
        &unknown,
        USAGE,
        &["'p15'", "[possible values: p16, p16-uniform]"],
    );
    let misspelt = SHARED.run(&["keygen", "--outt", "x"]);
    assert_failed(
        &misspelt,
        USAGE,
        &[
            "unexpected argument '--outt' found; tip: ",
            "'--out' (see --help)",
        ],
    );
    let help = SHARED.run(&["--help"]);
    assert_eq!((help.code, help.err.as_str()), (Some(0), ""));
    assert!(help.out.contains("\n    1  a defect"), "{help:?}");
}

#[test]
fn files_of_the_wrong_kind() {
    let program = salaries();
    let key = ["decrypt", "--key", "alice.server", "inputs.bct"];
    SHARED.fails(
        FILE,
        &[
            "alice.server",
            "this is a server key, a secret key was expected",
        ],
        &key,
    );
    let file = ["decrypt", "--key", "alice.secret", "alice.server"];
    SHARED.fails(
        FILE,
        &["this is a server key, an outputs file was expected"],
        &file,
    );
    let inputs = run(&program, "alice.server", &[]);
    SHARED.fails(
        FILE,
        &["this is a server key, an inputs file was expected"],
        &inputs,
    );
    let secret = [
        "run",
        "--key",
        "alice.secret",
        &program,
        "inputs.bct",
        "--out",
        "out.bct",
    ];
    SHARED.fails(
        FILE,
        &["this is a secret key, a server key was expected"],
        &secret,
    );
    SHARED.fails(FILE, &["not a Blindcore file"], &["inspect", &program]);
    SHARED.fails(
        FILE,
        &["not a Blindcore file"],
        &run(&program, &program, &[]),
    );
    SHARED.fails(
        IO,
        &["missing.bct: cannot open"],
        &["inspect", "missing.bct"],
    );
    SHARED.fails(IO, &["missing.elf"], &["plan", "missing.elf"]);
    let missing = ["decrypt", "--key", "missing.secret", "inputs.bct"];
    SHARED.fails(IO, &["missing.secret: cannot open"], &missing);
}

#[test]
#[ignore = "slow: 8 s"]
fn damaged_files() {
    let place = Place::with_keys();
    let program = salaries();
    place.done(&encrypt(&program, &["count=8"], "good.bct"));
    let good = place.read("good.bct");
    for name in ["good.bct", "alice.secret", "alice.public", "alice.server"] {
        let good = place.read(name);
        let full = good.len().to_string();
        for length in [0, 7, 8, 50, 99, 100, 101, good.len() / 2, good.len() - 1] {
            place.write("bad.bct", &good[..length]);
            let total = if length < 100 { "100" } else { full.as_str() };
            let expected = format!("truncated: the file ends at byte {length} of {total}");
            place.fails(FILE, &["bad.bct", &expected], &["inspect", "bad.bct"]);
        }
        place.write("bad.bct", [&good[..], b"\n"].concat());
        place.fails(FILE, &["over-long"], &["inspect", "bad.bct"]);
    }
    // Every byte of a small file, changed.
    for position in 0..good.len() {
        let mut bad = good.clone();
        bad[position] ^= 0x40;
        place.write("bad.bct", &bad);
        // In the fingerprint, a change names parameters that nobody has.
        let code = if (12..44).contains(&position) {
            KEY
        } else {
            FILE
        };
        place.fails(
            code,
            &["bad.bct: "],
            &["decrypt", "--key", "alice.secret", "bad.bct"],
        );
    }
    let mut newer = good.clone();
    newer[8] = 5;
    place.write("bad.bct", &newer);
    place.fails(
        FILE,
        &["format version 5", "update Blindcore"],
        &run(&program, "bad.bct", &[]),
    );
    let mut server = place.read("alice.server");
    let middle = server.len() / 2;
    server[middle] ^= 1;
    place.write("bad.server", &server);
    let arguments = [
        "run",
        "--key",
        "bad.server",
        &program,
        "good.bct",
        "--default-zero",
        "--out",
        "out.bct",
    ];
    place.fails(FILE, &["bad.server: corrupted"], &arguments);
}

#[test]
#[ignore = "slow: 3 s"]
fn keys_that_do_not_belong() {
    let place = Place::with_keys();
    let program = salaries();
    place.done(&["keygen", "--out", "bob"]);
    place.done(&["keygen", "--out", "carol", "--set", "p16-uniform"]);
    place.done(&encrypt(&program, &["count=8", "salary=1"], "alice.bct"));
    let bob = ["decrypt", "--key", "bob.secret", "alice.bct"];
    place.fails(KEY, &["alice.bct: made with key", "use the key pair"], &bob);
    let carol = ["decrypt", "--key", "carol.secret", "alice.bct"];
    place.fails(
        KEY,
        &[
            "alice.bct: made with parameter set P16_",
            "the key has P16_UNIFORM_",
        ],
        &carol,
    );
    for key in ["bob.server", "carol.server"] {
        let arguments = [
            "run",
            "--key",
            key,
            &program,
            "alice.bct",
            "--out",
            "out.bct",
        ];
        place.fails(KEY, &["alice.bct: made with"], &arguments);
    }
}

#[test]
fn keys_are_not_overwritten() {
    let place = Place::with_keys();
    let before = (place.read("alice.secret"), place.read("alice.server"));
    let again = ["keygen", "--out", "alice"];
    place.fails(
        IO,
        &["alice.secret: cannot create: it exists already", "--force"],
        &again,
    );
    std::fs::remove_file(place.path("alice.secret")).unwrap();
    place.fails(
        IO,
        &["alice.server: cannot create: it exists already"],
        &again,
    );
    assert_eq!(place.read("alice.server"), before.1);
    std::fs::remove_file(place.path("alice.server")).unwrap();
    place.fails(
        IO,
        &["alice.public: cannot create: it exists already"],
        &again,
    );
    place.done(&["keygen", "--out", "alice", "--force"]);
    assert_ne!(place.read("alice.secret"), before.0);
}

#[test]
fn programs_that_cannot_be_loaded() {
    let host = env!("CARGO_BIN_EXE_blindcore");
    SHARED.fails(
        PROGRAM,
        &["64-bit ELF", "compile for 32-bit ARM"],
        &["plan", host],
    );
    SHARED.fails(PROGRAM, &["not an ELF file"], &["plan", "alice.server"]);
    SHARED.fails(PROGRAM, &["not linked"], &["plan", &fixture("unlinked.o")]);
    SHARED.fails(
        PROGRAM,
        &["Thumb", "-marm"],
        &["plan", &fixture("thumb.elf")],
    );
    let place = Place::new();
    let good = std::fs::read(salaries()).unwrap();
    place.write("short.elf", &good[..good.len() / 2]);
    place.fails(PROGRAM, &["short.elf"], &["plan", "short.elf", "count"]);
}

#[test]
fn programs_that_make_a_fault() {
    let refused = fixture("refused.elf");
    for (entry, parts) in [
        (
            "outside",
            &[
                "outside",
                "refused.c:",
                "load from 0xf0000000",
                "outside the program's memory",
            ][..],
        ),
        ("readonly", &["store to", "read-only"]),
        ("undefined", &["refused.c:", "udf #0"]),
        ("thumb", &["Thumb", "-marm"]),
        ("unaligned", &["aligned"]),
        ("call", &["svc #0"]),
        ("forever", &["endless loop"]),
        ("overflow", &["the stack overflowed"]),
    ] {
        SHARED.fails(FAULT, parts, &["plan", &refused, "--entry", entry]);
    }
}

#[test]
fn programs_that_run_too_long() {
    let refused = fixture("refused.elf");
    let plan = [
        "plan",
        &refused,
        "--entry",
        "running",
        "--max-instructions",
        "1000",
    ];
    SHARED.fails(
        LIMIT,
        &[
            "still running after 1000 instructions",
            "--max-instructions",
        ],
        &plan,
    );
    let program = salaries();
    let run = run(&program, "inputs.bct", &["--max-instructions", "20"]);
    SHARED.fails(
        LIMIT,
        &[
            "main+",
            "salaries.c:",
            "still running after 20 instructions",
        ],
        &run,
    );
}

#[test]
#[ignore = "slow: 2 s"]
fn programs_that_look_at_secrets() {
    let place = Place::with_keys();
    let refused = fixture("refused.elf");
    place.done(&encrypt(&refused, &["secret=12"], "secret.bct"));
    place.fails(
        SECRET,
        &[
            "branch+",
            "refused.c:",
            "depends on secret data",
            "x = c ? a : b",
        ],
        &run(&refused, "secret.bct", &["--entry", "branch"]),
    );
    // To a plan that is an answer.
    let text = place.done(&["plan", &refused, "secret", "--entry", "branch"]);
    assert!(
        text.contains("cannot run like this") && text.contains("refused.c:"),
        "{text}"
    );
    // Secret addresses within an object are no obstacle, and the plan tells them.
    for entry in ["load", "store"] {
        let text = place.done(&["plan", &refused, "secret", "--entry", entry]);
        assert!(
            !text.contains("cannot run like this") && text.contains("table"),
            "{text}"
        );
    }
}

#[cfg(unix)]
#[test]
fn a_full_disk() {
    let place = Place::with_keys();
    let program = salaries();
    // Files may grow to one block; the signal that says so is ignored, so that writes fail as on a
    // full disk, in the middle of a file.
    let limited = |arguments: &str| {
        let before = place.names();
        let ended = place.shell(&format!(
            "trap '' XFSZ; ulimit -f 1; exec \"$blindcore\" {arguments}"
        ));
        assert_failed(&ended, IO, &["cannot write"]);
        assert_eq!(place.names(), before);
    };
    limited("keygen --out bob");
    limited(&format!(
        "encrypt --key alice.secret {program} salary=1 --out inputs.bct"
    ));
    place.done(&encrypt(&program, &["salary=1"], "inputs.bct"));
    let precious = place.read("inputs.bct");
    limited(&format!(
        "encrypt --key alice.secret {program} salary=1 --out inputs.bct"
    ));
    assert_eq!(place.read("inputs.bct"), precious);
    let missing = encrypt(&program, &["count=1"], "missing/inputs.bct");
    place.fails(IO, &["missing/inputs.bct: cannot create"], &missing);
    if std::path::Path::new("/dev/full").exists() {
        place.fails(
            IO,
            &["/dev/full: cannot write"],
            &encrypt(&program, &["count=1"], "/dev/full"),
        );
        let ended = place.shell("\"$blindcore\" inspect alice.secret > /dev/full");
        assert_failed(&ended, IO, &["standard output: cannot write"]);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn an_interrupt_in_the_middle_of_a_run() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let place = Place::with_keys();
    let program = salaries();
    place.done(&encrypt(
        &program,
        &["count=8", "salary=1,2,3"],
        "inputs.bct",
    ));
    let names = place.names();
    let child = place
        .command(&run(&program, "inputs.bct", &[]))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // The temporary file of the outputs appears when the command is about to begin.
    let begin = Instant::now();
    while place.names() == names {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    std::thread::sleep(Duration::from_millis(300));
    // Ctrl-C means nothing to a background job; then SIGTERM stands for it.
    let signal = if ignores(child.id(), 2) {
        "-TERM"
    } else {
        "-INT"
    };
    send(signal, child.id());
    let ended = ended(child.wait_with_output().unwrap());
    assert_failed(&ended, 130, &["interrupted"]);
    // What it had computed by then is kept, and it says so.
    let mut left = place.names();
    left.retain(|name| name != "out.bct.checkpoint.part");
    let is_kept = left.len() < place.names().len();
    assert_eq!(ended.err.contains("--resume"), is_kept, "{ended:?}");
    assert_eq!(left, names);
}

/// Neither leaves anything behind, so that a signal ends them at once, in whatever they are at:
/// these instructions, of which every eleven hundred fill a window, go on for days.
#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: 3 s"]
fn an_interrupt_in_the_middle_of_plans_and_checks() {
    use std::process::Stdio;
    use std::time::Duration;
    let place = Place::new();
    let text = ".data a\n LOAD R0, a\n MOV R1, 2000000000\n\
        next: MUL R0, R0, R0\n SUBS R1, R1, 1\n B_NE next\n STORE R0, a\n HALT\n";
    place.write("long.hea", text);
    let long = ["long.hea", "--max-instructions", "9000000000"];
    let plan = [&["plan"], &long[..], &["a"]].concat();
    let check = [&["check", "--quiet"], &long[..], &["a=3"]].concat();
    for (command, milliseconds) in [(&plan, 100), (&plan, 1500), (&check, 100), (&check, 1500)] {
        let child = place
            .command(command)
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(milliseconds));
        send("-TERM", child.id());
        let ended = ended(child.wait_with_output().unwrap());
        assert_failed(&ended, 130, &["interrupted"]);
    }
}

/// Whether a process ignores a signal.
#[cfg(target_os = "linux")]
fn ignores(process: u32, signal: u32) -> bool {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).unwrap();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    u64::from_str_radix(mask.unwrap().trim(), 16).unwrap() >> (signal - 1) & 1 == 1
}

#[cfg(target_os = "linux")]
fn send(signal: &str, process: u32) {
    let id = process.to_string();
    let sent = std::process::Command::new("kill")
        .args([signal, &id])
        .status();
    assert!(sent.unwrap().success());
}

/// A run goes on when its terminal is gone: nobody reads what it says, and `nohup` had SIGHUP
/// ignored.
#[cfg(target_os = "linux")]
#[test]
fn a_terminal_that_goes_away() {
    use std::process::Stdio;
    use std::time::{Duration, Instant};
    let place = Place::with_keys();
    let program = salaries();
    place.done(&encrypt(&program, &["count=8", "salary=1,2,3"], "in.bct"));
    let names = place.names();
    let mut child = std::process::Command::new("sh");
    child.args([
        "-c",
        "trap '' HUP; exec \"$0\" \"$@\"",
        env!("CARGO_BIN_EXE_blindcore"),
    ]);
    let mut child = child
        .args(run(&program, "in.bct", &[]))
        .current_dir(place.path(""))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stderr.take());
    let begin = Instant::now();
    while place.names() == names {
        assert!(begin.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(ignores(child.id(), 1));
    send("-HUP", child.id());
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert!(place.path("out.bct").exists());
    // An error that nobody reads keeps its code.
    let mut missing = place.command(&["inspect", "missing.bct"]);
    let mut missing = missing.stderr(Stdio::piped()).spawn().unwrap();
    drop(missing.stderr.take());
    assert_eq!(missing.wait().unwrap().code(), Some(IO));
}

#[test]
fn files_that_are_something_else() {
    let place = Place::with_keys();
    let calls = fixture("calls.elf");
    place.done(&encrypt(&calls, &["calls=1"], "in.bct"));
    place.write("notes.txt", "precious");
    let before = (place.read("alice.secret"), place.read("in.bct"));
    for out in ["alice.secret", "alice.server", "notes.txt"] {
        let parts = [
            out,
            "exists already and is not an inputs file",
            "another name",
        ];
        place.fails(IO, &parts, &encrypt(&calls, &["calls=1"], out));
    }
    let call = "score(1, 2)";
    for out in ["alice.secret", "in.bct", "notes.txt"] {
        let key = ["run", "--key", "alice.server"];
        let rest = [calls.as_str(), "in.bct", "--call", call, "--out", out];
        let parts = [out, "exists already and is not an outputs file"];
        place.fails(IO, &parts, &[&key[..], &rest].concat());
    }
    // Neither is a key replaced by force, if it is none.
    place.write("bob.secret", "precious");
    let force = ["keygen", "--out", "bob", "--force"];
    place.fails(IO, &["bob.secret", "is not a secret key"], &force);
    assert_eq!(place.read("alice.secret"), before.0);
    assert_eq!(place.read("in.bct"), before.1);
    assert_eq!(place.read("notes.txt"), b"precious");
    // One's own kind is replaced.
    place.done(&encrypt(&calls, &["calls=2"], "in.bct"));
    assert_ne!(place.read("in.bct"), before.1);
}

/// What can be known to fail is known before the key is even looked at.
#[test]
fn outputs_without_a_place() {
    let place = Place::with_keys();
    let calls = fixture("calls.elf");
    place.done(&encrypt(&calls, &["calls=1"], "in.bct"));
    place.write("alice.server", "no key at all");
    let attempt = |more: &[&'static str]| {
        let fixed = ["run", "--key", "alice.server", &calls, "in.bct"];
        let call = ["--call", "score(1, 2)"];
        [&fixed[..], &call, more]
            .concat()
            .iter()
            .map(ToString::to_string)
            .collect::<Vec<_>>()
    };
    for (code, part, more) in [
        (
            IO,
            "nowhere/out.bct: cannot create",
            &["--out", "nowhere/out.bct"][..],
        ),
        (
            INPUT,
            "calls is given twice",
            &["--out", "out.bct", "--output", "calls", "--output", "calls"],
        ),
        (
            INPUT,
            "calls is given twice",
            &[
                "--out", "out.bct", "--output", "calls", "--output", "calls:u8",
            ],
        ),
        (FILE, "not a Blindcore file", &["--out", "out.bct"]),
    ] {
        let arguments = attempt(more);
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        place.fails(code, &[part], &arguments);
    }
    let missing = ["keygen", "--out", "nowhere/alice"];
    place.fails(IO, &["nowhere/alice.secret: cannot create"], &missing);
}

#[cfg(target_os = "linux")]
#[test]
fn a_result_that_cannot_be_written_is_kept_elsewhere() {
    let place = Place::with_keys();
    let calls = fixture("calls.elf");
    place.done(&encrypt(&calls, &["calls=1"], "in.bct"));
    let fixed = ["run", "--key", "alice.server", &calls, "in.bct", "--quiet"];
    let rest = ["--call", "score(1, 2)", "--out", "/dev/full"];
    let mut command = place.command(&[&fixed[..], &rest].concat());
    let failed = ended(command.env("TMPDIR", place.path("")).output().unwrap());
    assert_failed(
        &failed,
        IO,
        &["/dev/full: cannot write", "the outputs are kept in"],
    );
    let names = place.names();
    let kept = names
        .iter()
        .find(|name| name.starts_with("blindcore-outputs-"))
        .unwrap();
    let answer = place.done(&["decrypt", "--key", "alice.secret", kept]);
    assert!(answer.contains("calls = 2\n"), "{answer}");
}

#[test]
fn arguments_of_another_width() {
    let calls = fixture("calls.elf");
    let wide = ["plan", &calls, "--call", "score(income, 1)", "income:u64"];
    SHARED.fails(INPUT, &["income: score takes i32 there, not u64"], &wide);
    let sign = ["plan", &calls, "--call", "score(income, 1)", "income:u32"];
    let parts = &["income: u32 does not fit the program's variable, which is i32"];
    SHARED.fails(INPUT, parts, &sign);
    let narrow = ["plan", &calls, "--call", "near(x, 1)", "x:u8[2]"];
    SHARED.fails(INPUT, &["x: "], &narrow);
}
