//! What goes right: from keys to answers, with the built binary and real parameters.

use super::command::{Place, fixture, repository};
use serde_json::{Value, json};

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

#[test]
fn a_call_with_secret_arguments() {
    let place = Place::with_keys();
    let program = fixture("calls.elf");
    let encrypt = [
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "--call",
        "score(income, debt)",
    ];
    place.done(
        &[
            &encrypt[..],
            &["debt=25", "income=17", "--out", "inputs.bct"],
        ]
        .concat(),
    );
    let run = [
        "run",
        "--key",
        "alice.server",
        &program,
        "inputs.bct",
        "--out",
        "out.bct",
    ];
    place.done(&[&run[..], &["--call", "score(income, debt)"]].concat());
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    // 3 · 17 − 2 · 25, and 1000 less since 25 > 17; how often it was called is public.
    assert_eq!(answer, "calls = 1\nscore = -999\n");
    let described = place.done(&["inspect", "out.bct"]);
    assert!(described.contains("calls: u32, public"), "{described}");
}

/// What scripts need: documents of what was written, single values, a file that nobody else reads.
#[test]
#[ignore = "slow: 2 s"]
fn commands_describe_what_they_wrote() {
    let place = Place::with_keys();
    let program = fixture("calls.elf");
    let call = ["--call", "score(income, debt)"];
    let encrypt = ["encrypt", "--json", "--key", "alice.secret", &program];
    let values = ["debt=25", "income=17", "--out", "inputs.bct"];
    let told = document(&place.done(&[&encrypt[..], &call, &values].concat()));
    assert_eq!(told["file"], "inputs.bct");
    assert_eq!(
        (&told["bits"], &told["variables"][0]["type"]),
        (&json!(64), &json!("i32"))
    );
    assert_eq!(told["bytes"], place.read("inputs.bct").len());
    let run = [
        "run",
        "--json",
        "--key",
        "alice.server",
        &program,
        "inputs.bct",
    ];
    let told = document(&place.done(&[&run[..], &call, &["--out", "out.bct"]].concat()));
    assert_eq!(told["outputs"], json!(["calls", "score"]));
    assert_eq!(told["bytes"], place.read("out.bct").len());
    assert!(told["instructions"].as_u64().unwrap() > 5);
    assert!(told["seconds"].as_f64().unwrap() > 0.0);

    let decrypt = ["decrypt", "--key", "alice.secret", "out.bct"];
    let only = [&decrypt[..], &["--only", "score"]].concat();
    assert_eq!(place.done(&only), "score = -999\n");
    let both = [&only[..], &["--only", "calls", "--json"]].concat();
    assert_eq!(
        document(&place.done(&both)),
        json!({ "score": -999, "calls": 1 })
    );
    let unknown = [&decrypt[..], &["--only", "scor"]].concat();
    place.fails(3, &["has no scor; it has calls, score"], &unknown);

    let written = [&decrypt[..], &["--out", "values.txt"]].concat();
    assert_eq!(place.done(&written), "");
    assert_eq!(place.read("values.txt"), b"calls = 1\nscore = -999\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(place.path("values.txt"))
            .unwrap()
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }
    place.fails(10, &["values.txt"], &written);
    place.done(&[&written[..], &["--force", "--only", "calls"]].concat());
    assert_eq!(place.read("values.txt"), b"calls = 1\n");
}

#[test]
fn symbols_of_a_program() {
    let place = Place::new();
    let told = place.done(&["symbols", &fixture("types.elf")]);
    for part in [
        "variables\n",
        "  count.0:u32            4 bytes  0x00009090  static\n",
        "  a_matrix:i8[3][4]     12 bytes  0x000090e8\n",
        "  a_rows {12 fields}    48 bytes  0x000090f8\n",
        "\nfunctions\n  main() -> i32  140 bytes  0x00008000  types.c:",
    ] {
        assert!(told.contains(part), "{part:?} in {told}");
    }
    assert!(!told.contains("a_rows[0]"), "{told}");
    let told = place.done(&["symbols", "--fields", &fixture("types.elf")]);
    assert!(told.contains("    a_rows[1].at[0].x:i16  "), "{told}");
    let told = place.done(&["symbols", &fixture("calls.elf")]);
    assert!(
        told.contains("  score(income:i32, debt:i32) -> i32  "),
        "{told}"
    );
    let told = document(&place.done(&["symbols", "--json", &fixture("calls.elf")]));
    assert_eq!(told["variables"][0]["type"], "u32");
    assert_eq!(
        told["functions"][1]["parameters"][0],
        json!({ "name": "income", "type": "i32" })
    );
    assert_eq!(told["functions"][1]["result"], "i32");
    place.fails(
        6,
        &["alice"],
        &["symbols", &{
            place.write("alice", "\u{1}");
            "alice".to_owned()
        }],
    );
}

/// A bare command shows what there is, in lines; `-h` what most people need.
#[test]
fn help_has_two_levels() {
    let place = Place::new();
    let bare = place.run(&[]);
    assert_eq!(bare.code, Some(2));
    assert!(bare.err.contains("\n  keygen "), "{}", bare.err);
    assert!(bare.err.contains("\nFor research:\n"), "{}", bare.err);
    let (short, long) = (place.done(&["run", "-h"]), place.done(&["run", "--help"]));
    for flag in ["--adder", "--window", "--fft", "--ledger"] {
        assert!(!short.contains(flag) && long.contains(flag), "{flag}");
    }
    assert!(short.contains("--resume"), "{short}");
    assert!(place.done(&["--help"]).contains("Exit codes:"));
}

/// A loop that secrets end goes round as often as it is bound to; where that is too little, nobody
/// gets an answer.
#[test]
#[ignore = "slow: 10 s"]
fn a_loop_goes_round_as_often_as_it_may() {
    let place = Place::with_keys();
    let program = repository("examples/gcd/gcd.elf");
    let key = ["--key", "alice.secret"];
    let encrypt = [&["encrypt"][..], &key, &[&program, "a=84", "b=36"]].concat();
    place.done(&[&encrypt[..], &["--out", "inputs.bct"]].concat());
    let told = document(&place.done(&["plan", "--json", &program, "a", "b", "--bound", "6"]));
    assert_eq!(told["runnable"], true);
    assert_eq!(told["loops_at_a_bound"].as_array().unwrap().len(), 1);
    let run = |bound: &str| {
        let run = [
            "run",
            "--key",
            "alice.server",
            &program,
            "inputs.bct",
            "--bound",
            bound,
        ];
        place.done(&[&run[..], &["--out", "out.bct"]].concat());
    };
    let decrypt = [&["decrypt"][..], &key, &["out.bct"]].concat();
    run("main=6");
    assert_eq!(place.done(&decrypt), "divisor = 12\n");
    run("2");
    place.fails(9, &["beyond its bound", "--bound"], &decrypt);
    let check = ["check", &program, "a=84", "b=36", "--quiet", "--bound"];
    assert_eq!(
        place.done(&[&check[..], &["gcd.c:10=6"]].concat()),
        "divisor = 12\n"
    );
    place.fails(9, &["beyond its bound"], &[&check[..], &["2"]].concat());
    place.fails(3, &["--bound", "gc"], &[&check[..], &["gc=2"]].concat());
    place.fails(2, &["is no bound"], &[&check[..], &["main=x"]].concat());
}

#[test]
fn secret_and_public_variables_of_every_type() {
    let place = Place::with_keys();
    let program = fixture("types.elf");
    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "a_u32=4000000000",
        "a_text=ada \"x\"",
        "a_rows[1].at[0].x=-5",
        "a_matrix={1,2},{3}",
        "a_bool=true",
        "--out",
        "inputs.bct",
    ]);
    let inputs = place.done(&["decrypt", "--key", "alice.secret", "inputs.bct"]);
    assert_eq!(
        inputs,
        "a_u32 = 4000000000\na_text = \"ada \\\"x\\\"\"\na_rows[1].at[0].x = -5\n\
         a_matrix = {{1, 2, 0, 0}, {3, 0, 0, 0}, {0, 0, 0, 0}}\na_bool = true\n"
    );
    let described = document(&place.done(&["inspect", "inputs.bct", "--json"]));
    assert_eq!(described[0]["kind"], "inputs");
    assert_eq!(described[0]["variables"][1]["type"], "char[16]");
    place.done(&[
        "run",
        "--key",
        "alice.server",
        &program,
        "inputs.bct",
        "a_u64=9",
        "--output",
        "a_u32",
        "--output",
        "a_text",
        "--output",
        "a_matrix",
        "--output",
        "a_rows",
        "--output",
        "an_either:u32",
        "--out",
        "out.bct",
    ]);
    let answer = document(&place.done(&["decrypt", "--key", "alice.secret", "out.bct", "--json"]));
    // a_u32 += 11 + 42; the program overwrites the matrix; value = 9 · 9.
    assert_eq!(answer["a_u32"], 4_000_000_053_u32);
    assert_eq!(answer["an_either"], 4_000_000_053_u32);
    assert_eq!(answer["a_text"], "ada \"x\"");
    assert_eq!(
        answer["a_matrix"],
        json!([[0, -1, -2, -3], [4, 3, 2, 1], [8, 7, 6, 5]])
    );
    let row = &answer["a_rows"][1];
    assert_eq!(
        (&row["at"][0]["x"], &row["value"]),
        (&json!(-5), &json!(81))
    );
}

#[test]
fn values_come_from_files() {
    let place = Place::with_keys();
    let program = repository("examples/salaries/salaries.elf");
    place.write(
        "people.csv",
        "name, amount\nAda, 5200\n\"Blaise, P.\", 0x10\n",
    );
    place.write("people.json", r#"{"staff": {"pay": [7, 8]}, "n": 3}"#);
    place.write("all.json", r#"{"salary": [1, 2], "count": 2}"#);
    place.write("raw.bin", [1, 0, 0, 0, 2, 1, 0, 0]);
    for (values, shown) in [
        (
            &["salary=@people.csv:amount"][..],
            "salary = 5200, 16, 0, 0, 0, 0, 0, 0\n",
        ),
        (
            &["salary=@people.json:staff.pay", "count=@people.json:n"],
            "salary = 7, 8, 0, 0, 0, 0, 0, 0\ncount = 3\n",
        ),
        (
            &["@all.json"],
            "salary = 1, 2, 0, 0, 0, 0, 0, 0\ncount = 2\n",
        ),
        (&["salary=@raw.bin"], "salary = 1, 258, 0, 0, 0, 0, 0, 0\n"),
        (
            &["salary:u32[8]=1,2,3"],
            "salary = 1, 2, 3, 0, 0, 0, 0, 0\n",
        ),
    ] {
        let fixed = [
            "encrypt",
            "--key",
            "alice.secret",
            &program,
            "--out",
            "inputs.bct",
        ];
        place.done(&[&fixed, values].concat());
        assert_eq!(
            place.done(&["decrypt", "--key", "alice.secret", "inputs.bct"]),
            shown
        );
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn a_plan_tells_the_cost() {
    let place = Place::new();
    let program = repository("examples/salaries/salaries.elf");
    let plan = document(&place.done(&["plan", &program, "salary", "count", "--json"]));
    assert_eq!(plan["runnable"], true);
    assert_eq!(plan["entry"], "main");
    for figure in [
        "instructions",
        "secret_instructions",
        "gates",
        "bootstraps",
        "depth",
    ] {
        assert!(plan[figure].as_u64().unwrap() > 10, "{figure}: {plan}");
    }
    let promise = plan["log2_failure"].as_f64().unwrap();
    assert!(promise <= -100.0);
    // The worst lookup of this program keeps the promise, and is not better than the best can be.
    let worst = plan["log2_worst_failure"].as_f64().unwrap();
    assert!((-1000.0..=promise).contains(&worst), "{worst}");
    assert_eq!(plan["outputs"].as_array().unwrap().len(), 3);
    // With a public count there is less to do.
    let cheaper = document(&place.done(&["plan", &program, "salary", "count=8", "--json"]));
    assert!(cheaper["bootstraps"].as_u64() < plan["bootstraps"].as_u64());
    let text = place.done(&["plan", &program, "salary", "count"]);
    for title in [
        "instructions",
        "gates",
        "bootstraps",
        "memory",
        "time",
        "secret branches   none",
        "at most 2^-100; the worst of this program with 2^-",
    ] {
        assert!(text.contains(title), "{text}");
    }
}

#[test]
fn a_listing_marks_what_is_secret() {
    let place = Place::new();
    let program = repository("examples/salaries/salaries.elf");
    let text = place.done(&["disasm", &program, "salary", "count"]);
    assert!(
        text.lines()
            .any(|line| line.starts_with("S ") && line.contains("udiv")),
        "{text}"
    );
    assert!(
        text.lines()
            .any(|line| line.starts_with("· ") && line.contains("bne")),
        "{text}"
    );
    let refused = place.done(&[
        "disasm",
        &fixture("refused.elf"),
        "secret",
        "--entry",
        "branch",
    ]);
    assert!(
        refused
            .lines()
            .any(|line| line.starts_with("! ") && line.contains("bx")),
        "{refused}"
    );
    let plain = place.done(&["disasm", &program]);
    assert!(plain.contains("\nmain:\n"), "{plain}");
}

#[cfg(unix)]
#[test]
fn files_may_be_pipes() {
    let place = Place::with_keys();
    let program = repository("examples/salaries/salaries.elf");
    let encrypt = format!("encrypt --key alice.secret --quiet {program} count=8 --out /dev/stdout");
    let line =
        format!("\"$blindcore\" {encrypt} | \"$blindcore\" decrypt --key alice.secret /dev/stdin");
    let ended = place.shell(&line);
    assert_eq!(
        (ended.code, ended.out.as_str()),
        (Some(0), "count = 8\n"),
        "{ended:?}"
    );
    let ended = place.shell("\"$blindcore\" inspect /dev/stdin < alice.server");
    assert!(ended.out.contains("a server key"), "{ended:?}");
    let ended = place.shell("cat alice.server | \"$blindcore\" inspect /dev/stdin");
    assert!(ended.out.contains("a server key"), "{ended:?}");
}

/// The demo's key is called alice too.
#[test]
fn the_demo_leaves_other_files_alone() {
    let place = Place::with_keys();
    let before = place.read("alice.secret");
    place.fails(10, &["not empty", "--dir"], &["demo", "--dir", "."]);
    assert_eq!(place.read("alice.secret"), before);
}

#[cfg(target_os = "linux")]
#[test]
#[ignore = "slow: 4 s"]
fn an_interrupted_demo_leaves_no_key() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    for signals in [1, 2] {
        let place = Place::new();
        let mut child = place
            .command(&["demo"])
            .env("TMPDIR", place.path(""))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // Keys are there: what follows is the long run.
        let key = |place: &Place| {
            let directory = place.names().pop();
            directory.is_some_and(|name| place.path(&name).join("alice.secret").exists())
        };
        let begin = Instant::now();
        while !key(&place) {
            assert!(begin.elapsed() < Duration::from_secs(60));
            std::thread::sleep(Duration::from_millis(5));
        }
        for _ in 0..signals {
            let id = child.id().to_string();
            let sent = Command::new("kill").args(["-TERM", &id]).status().unwrap();
            assert!(sent.success());
            std::thread::sleep(Duration::from_millis(50));
        }
        assert_eq!(child.wait().unwrap().code(), Some(130));
        assert!(place.names().is_empty(), "{:?}", place.names());
    }
}

#[cfg(unix)]
#[test]
fn the_secret_key_is_for_its_owner_whatever_the_umask() {
    use std::os::unix::fs::PermissionsExt;
    let place = Place::new();
    let ended = place.shell("umask 000; \"$blindcore\" keygen --out alice --json");
    assert_eq!(ended.code, Some(0), "{ended:?}");
    let keys = document(&ended.out);
    assert_eq!(keys["secret"], "alice.secret");
    assert!(keys["security_bits"].as_f64().unwrap() >= 128.0);
    let mode = |name| {
        std::fs::metadata(place.path(name))
            .unwrap()
            .permissions()
            .mode()
            & 0o777
    };
    assert_eq!(mode("alice.secret"), 0o600);
    assert_eq!(mode("alice.public"), 0o666);
    assert_eq!(mode("alice.server"), 0o666);
    assert_eq!(mode("alice.selectors"), 0o666);
    let four = ["public", "secret", "selectors", "server"].map(|end| format!("alice.{end}"));
    assert_eq!(place.names(), four);
    assert_eq!(keys["public"], "alice.public");
    assert!(place.read("alice.public").len() < 20_000);
    assert!(place.read("alice.server").len() < 100_000_000);
}

#[test]
#[ignore = "two thousand bootstraps with real parameters: 20 s on two cores"]
fn the_four_commands_of_the_readme() {
    let place = Place::with_keys();
    let program = repository("examples/salaries/salaries.elf");
    let table = format!(
        "salary=@{}:amount",
        repository("examples/salaries/salaries.csv")
    );
    place.done(&["plan", &program, "salary", "count"]);
    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        &table,
        "count=8",
        "--out",
        "inputs.bct",
    ]);
    place.done(&[
        "run",
        "--key",
        "alice.server",
        &program,
        "inputs.bct",
        "--out",
        "outputs.bct",
    ]);
    let answer = place.done(&["decrypt", "--key", "alice.secret", "outputs.bct"]);
    assert_eq!(answer, "total = 41250\nhighest = 9100\nmean = 5156\n");
    let described = place.done(&["inspect", "outputs.bct"]);
    assert!(described.contains("total: u32, secret"), "{described}");
}

/// The package carries copies: they are the example's files.
#[test]
fn the_demo_is_the_example_salaries() {
    for name in ["salaries.elf", "salaries.csv"] {
        let example = std::fs::read(repository(&format!("examples/salaries/{name}"))).unwrap();
        let carried = std::fs::read(repository(&format!("crates/cli/assets/{name}"))).unwrap();
        assert!(
            example == carried,
            "crates/cli/assets/{name} is out of date: copy it again"
        );
    }
}

#[test]
#[ignore = "two thousand bootstraps with real parameters: 20 s on two cores"]
fn the_demo_tells_the_whole_story() {
    let place = Place::new();
    let text = place.done(&["demo", "--dir", "story"]);
    for line in [
        "  total   = 41250   (in the clear: 41250)\n",
        "  highest = 9100    (in the clear: 9100)\n",
        "  mean    = 5156    (in the clear: 5156)\n",
    ] {
        assert!(text.contains(line), "{text}");
    }
    for command in ["keygen", "encrypt", "run", "decrypt"] {
        assert!(text.contains(&format!("  blindcore {command} ")), "{text}");
    }
    assert!(place.path("story/outputs.bct").exists());
}
