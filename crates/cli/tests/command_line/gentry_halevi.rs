//! The Gentry–Halevi scheme from the command line: the same story as everything else's, and its
//! refusals.

use serde_json::Value;

use super::command::{Place, fixture, repository};

const USAGE: i32 = 2;
const FILE: i32 = 4;
const KEY: i32 = 5;
const IO: i32 = 10;

/// x³ of four bits: more than a product of inputs can be without a refresh.
const CUBE: &str = "\
.bits 16
.data x
.data cube

LOAD R0, x
AND R0, R0, 15
MUL R1, R0, R0
MUL R1, R1, R0
MUL R1, R1, R1
STORE R1, cube
";

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

/// A directory with a key pair `history` of a dimension.
fn with_keys(dimension: &str) -> Place {
    let place = Place::new();
    let keygen = [
        "keygen",
        "--scheme",
        "gentry-halevi",
        "--dimension",
        dimension,
    ];
    let ended = place.run(&[&keygen[..], &["--out", "history"]].concat());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("PROTECTS NOTHING"), "{ended:?}");
    place
}

/// Encrypts with one key, runs, decrypts.
fn story(place: &Place, key: &str, program: &str, values: &[&str]) -> String {
    let encrypt = [
        "encrypt", "--quiet", "--key", key, program, "--out", "in.bct",
    ];
    place.done(&[&encrypt[..], values].concat());
    let run = [
        "run",
        "--engine",
        "gentry-halevi",
        "--key",
        "history.server",
        program,
    ];
    place.done(&[&run[..], &["in.bct", "--out", "out.bct"]].concat());
    place.done(&["decrypt", "--key", "history.secret", "out.bct"])
}

#[test]
#[ignore = "slow: 2 s"]
fn two_numbers_of_four_bits_at_dimension_512() {
    let place = with_keys("512");
    let program = repository("examples/assembly/nibbles.hea");
    let answer = story(&place, "history.secret", &program, &["a=13", "b=6"]);
    assert_eq!(answer, "sum = 19\n");
    // Whoever has the public key can encrypt, too; what is above four bits does not count.
    let answer = story(&place, "history.server", &program, &["a=0xff", "b=1"]);
    assert_eq!(answer, "sum = 16\n");
    let described = document(&place.done(&["inspect", "--json", "history.server", "out.bct"]));
    assert_eq!(described[0]["parameters"], "BROKEN_512");
    assert_eq!(described[0]["kind"], "server key");
    assert_eq!(described[1]["key"], described[0]["key"]);
    assert_eq!(described[1]["variables"][0]["secret_bits"], 5);
    let bytes = described[0]["bytes"].as_u64().unwrap();
    assert!((17_000_000..17_500_000).contains(&bytes), "{bytes}");
}

#[test]
#[ignore = "slow: 10 s"]
fn refreshes_are_planned_and_made() {
    let place = with_keys("32");
    place.write("cube.hea", CUBE);
    let plan = [
        "plan",
        "--engine",
        "gentry-halevi",
        "--dimension",
        "32",
        "cube.hea",
        "x",
    ];
    let planned = document(&place.done(&[&plan[..], &["--json"]].concat()));
    let number = |name: &str| planned[name].as_f64().unwrap();
    assert!(number("refreshes") >= 1.0, "{planned}");
    assert!(
        number("ands") >= 10.0 && number("seconds") > 0.0,
        "{planned}"
    );
    assert!(
        number("noise_bits") <= number("noise_limit_bits"),
        "{planned}"
    );
    assert_eq!(planned["security_bits"], 0);
    let text = place.done(&plan);
    assert!(
        text.contains("refreshes         ") && text.contains("a refresh"),
        "{text}"
    );
    for x in [0_u64, 3, 11] {
        let answer = story(&place, "history.secret", "cube.hea", &[&format!("x={x}")]);
        assert_eq!(answer, format!("cube = {}\n", x.pow(6) & 0xffff));
    }
    // Inputs are files like any other: the owner may look into them.
    let inputs = place.done(&["decrypt", "--key", "history.secret", "in.bct"]);
    assert_eq!(inputs, "x = 11\n");
    let described = place.done(&["inspect", "history.secret", "in.bct"]);
    assert!(described.contains("protects nothing"), "{described}");
    assert!(described.contains("x: u16, secret"), "{described}");
}

#[test]
#[ignore = "slow: 3 s"]
fn compiled_programs_run_too() {
    let place = with_keys("32");
    let program = fixture("calls.elf");
    let call = ["--call", "score(income, debt)"];
    let encrypt = [
        "encrypt",
        "--quiet",
        "--key",
        "history.secret",
        &program,
        "--out",
        "in.bct",
    ];
    place.done(&[&encrypt[..], &call, &["debt=25", "income=17"]].concat());
    // Without --engine it is the inputs' one.
    let run = [
        "run",
        "--key",
        "history.server",
        &program,
        "in.bct",
        "--out",
        "out.bct",
    ];
    let told = place.done(&[&run[..], &call].concat());
    assert!(told.starts_with("out.bct: calls, score, "), "{told}");
    let answer = place.done(&["decrypt", "--key", "history.secret", "out.bct"]);
    assert_eq!(answer, "calls = 1\nscore = -999\n");
}

#[test]
fn circuits_run_on_the_same_keys() {
    let place = with_keys("32");
    place.done(&[
        "circuit", "build", "add", "--width", "4", "--out", "add4.txt",
    ]);
    let encrypt = ["circuit", "encrypt", "--key", "history.secret", "add4.txt"];
    place.done(&[&encrypt[..], &["9", "12", "--quiet", "--out", "in.bct"]].concat());
    let run = ["circuit", "run", "add4.txt", "--key", "history.server"];
    let told = place.done(&[&run[..], &["--inputs", "in.bct", "--out", "out.bct"]].concat());
    assert!(told.contains("3 ANDs, 0 refreshes, depth 3"), "{told}");
    let answer = place.done(&["decrypt", "--key", "history.secret", "out.bct"]);
    assert_eq!(answer, format!("out = {}\n", (9 + 12) % 16));
}

#[test]
#[ignore = "slow: 2 s"]
fn what_does_not_belong_together_is_refused() {
    let place = with_keys("32");
    place.done(&["keygen", "--out", "alice"]);
    let program = repository("examples/assembly/nibbles.hea");
    let values = ["a=1", "b=2"];
    let encrypt = |key: &str, out: &str| {
        let encrypt = ["encrypt", "--quiet", "--key", key, &program, "--out", out];
        place.done(&[&encrypt[..], &values].concat());
    };
    encrypt("history.secret", "theirs.bct");
    encrypt("alice.secret", "alice.bct");
    let run = |key: &'static str, inputs: &'static str, more: &[&'static str]| {
        let run = ["run", "--key", key, &program, inputs, "--out", "out.bct"];
        run.iter()
            .map(|part| (*part).to_owned())
            .chain(more.iter().map(|part| (*part).to_owned()))
            .collect::<Vec<_>>()
    };
    let fails = |code: i32, parts: &[&str], arguments: Vec<String>| {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        place.fails(code, parts, &arguments);
    };
    let public = "a public key of the Gentry–Halevi scheme";
    fails(
        FILE,
        &["alice.server: this is a server key", public],
        run("alice.server", "theirs.bct", &[]),
    );
    fails(
        FILE,
        &[public, "a server key was expected"],
        run("history.server", "alice.bct", &[]),
    );
    let engine = ["--engine", "gentry-halevi"];
    fails(
        FILE,
        &["alice.bct: this is an inputs file"],
        run("history.server", "alice.bct", &engine),
    );
    let tfhe = ["--engine", "tfhe"];
    fails(
        FILE,
        &["an inputs file was expected"],
        run("alice.server", "theirs.bct", &tfhe),
    );
    for flag in ["--resume", "--fft=scalar"] {
        fails(
            USAGE,
            &["is not for the Gentry–Halevi scheme"],
            run("history.server", "theirs.bct", &[flag]),
        );
    }
    // Another pair of the same dimension.
    let keygen = [
        "keygen",
        "--scheme",
        "gentry-halevi",
        "--dimension",
        "32",
        "--out",
        "other",
    ];
    let other = place.run(&keygen);
    assert_eq!(other.code, Some(0), "{other:?}");
    fails(
        KEY,
        &["theirs.bct: made with key"],
        run("other.server", "theirs.bct", &[]),
    );
    place.fails(
        KEY,
        &["made with key"],
        &["decrypt", "--key", "other.secret", "theirs.bct"],
    );
    place.fails(
        FILE,
        &["this is an inputs file"],
        &["decrypt", "--key", "alice.secret", "theirs.bct"],
    );
    place.fails(IO, &["it exists already"], &keygen);
    place.fails(
        USAGE,
        &["--dimension is for"],
        &["keygen", "--out", "new", "--dimension", "512"],
    );
    let dimension = ["plan", &program, "a", "b", "--dimension", "512"];
    place.fails(USAGE, &["--dimension is for"], &dimension);
    place.fails(
        USAGE,
        &["512"],
        &["keygen", "--out", "new", "--dimension", "513"],
    );
    // A server does not take such files.
    let submit = [
        "submit",
        "--key",
        "history.server",
        &program,
        "theirs.bct",
        "--out",
        "out.bct",
    ];
    let submit = place.run(&[&submit[..], &["--server", "localhost:1", "--tls", "."]].concat());
    assert!(submit.code.is_some_and(|code| code != 0), "{submit:?}");
}

#[test]
fn damaged_keys_are_named() {
    let place = with_keys("32");
    let program = repository("examples/assembly/nibbles.hea");
    let encrypt = [
        "encrypt",
        "--quiet",
        "--key",
        "history.secret",
        &program,
        "a=1",
        "b=2",
    ];
    place.done(&[&encrypt[..], &["--out", "in.bct"]].concat());
    let run = [
        "run",
        "--key",
        "history.server",
        &program,
        "in.bct",
        "--out",
        "out.bct",
    ];
    let good = place.read("history.server");
    for (at, part) in [
        (good.len() / 2, "corrupted"),
        (30, "does not know"),
        (61, "bytes are not"),
    ] {
        let mut bytes = good.clone();
        bytes[at] ^= 4;
        place.write("history.server", &bytes);
        let code = if part == "does not know" { KEY } else { FILE };
        place.fails(code, &["history.server: ", part], &run);
        place.fails(code, &[part], &["inspect", "history.server"]);
    }
    place.write("history.server", &good[..good.len() - 1]);
    place.fails(FILE, &["truncated", "copy or make the file again"], &run);
    place.write("history.server", &good);
    place.done(&run);
}
