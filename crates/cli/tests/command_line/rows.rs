//! A table under TFHE: one run for each row of a CSV file.

use std::process::Stdio;
use std::time::{Duration, Instant};

use serde_json::Value;

use super::command::{Place, assert_failed, ended, repository};

const HEADER: &str = "age,income,debt,years_employed,late_payments\n";
const ROWS: [[i64; 5]; 4] = [
    [79, 1046, 6076, 22, 8],
    [3, 1907, 6356, 15, 0],
    [20, 463, 3045, 30, 3],
    [65_535, 0, 65_535, 0, 65_535],
];

fn program() -> String {
    repository("examples/credit/credit.elf")
}

fn table() -> String {
    let rows = ROWS.map(|row| row.map(|cell| cell.to_string()).join(",") + "\n");
    HEADER.to_owned() + &rows.concat()
}

/// What the program computes, from its source.
fn score(&[age, income, debt, years, late]: &[i64; 5]) -> (i64, usize) {
    let points = 300 + 2 * age + income / 2 - debt / 8 + 10 * years - 40 * late;
    let grade = [450, 600, 750].iter().filter(|&&least| points >= least);
    (points, grade.count())
}

fn scores() -> String {
    let rows = ROWS.iter().map(|row| {
        let (score, grade) = score(row);
        format!("{score},{grade}\n")
    });
    "score,grade\n".to_owned() + &rows.collect::<String>()
}

/// Keys and the encrypted table.
fn story() -> (Place, String) {
    let place = Place::with_keys();
    place.write("people.csv", table());
    let encrypt = ["encrypt", "--key", "alice.secret", &program()];
    let told = place.done(&[&encrypt[..], &["@people.csv", "--out", "in.bct"]].concat());
    (place, told)
}

#[test]
#[ignore = "slow: 6 s"]
fn every_row_is_a_run() {
    let (place, told) = story();
    assert!(told.contains("4 rows of 80 encrypted bits, "), "{told}");
    let program = program();
    let run = ["run", "--key", "alice.server", &program, "in.bct"];
    let run = [&run[..], &["--out", "out.bct"]].concat();
    let told = place.done(&run);
    assert!(told.contains("4 rows"), "{told}");
    let decrypt = ["decrypt", "--key", "alice.secret"];
    assert_eq!(place.done(&[&decrypt[..], &["out.bct"]].concat()), scores());
    assert_eq!(place.done(&[&decrypt[..], &["in.bct"]].concat()), table());
    let json = place.done(&[&decrypt[..], &["out.bct", "--json"]].concat());
    let json: Value = serde_json::from_str(&json).unwrap();
    for (row, found) in ROWS.iter().zip(json.as_array().unwrap()) {
        let (score, grade) = score(row);
        assert_eq!(*found, serde_json::json!({"score": score, "grade": grade}));
    }
    let told = place.done(&["inspect", "in.bct"]);
    assert!(told.contains("4 rows of values"), "{told}");
    for left in ["out.bct.checkpoint", "out.bct.checkpoint.rows"] {
        assert!(!place.path(left).exists());
    }

    // Through pipes, with the public key.
    let line = format!(
        "\"$blindcore\" encrypt --key alice.public {program} @- --out - < people.csv \
         | \"$blindcore\" run --key alice.server {program} - --out - --quiet \
         | \"$blindcore\" decrypt --key alice.secret -"
    );
    let ended = place.shell(&line);
    assert_eq!(
        (ended.code, ended.out),
        (Some(0), scores()),
        "{}",
        ended.err
    );

    // A file that lacks a row, or the end of one, is refused before anything is computed.
    let whole = place.read("in.bct");
    let row = whole.len() / 4;
    for length in [whole.len() - 1, whole.len() - row, 200] {
        place.write("in.bct", &whole[..length]);
        place.fails(4, &["in.bct"], &run);
    }
    place.write("in.bct", [&whole[..], b"x"].concat());
    place.fails(4, &["in.bct"], &run);
}

#[test]
#[ignore = "slow: 4 s"]
fn a_killed_run_of_a_table_goes_on_in_its_row() {
    let (place, _) = story();
    let program = program();
    let run = ["run", "--key", "alice.server", &program, "in.bct"];
    let run = [
        &run[..],
        &["--out", "out.bct", "--checkpoint-every", "0.05"],
    ]
    .concat();
    let mut command = place.command(&run);
    let mut child = command.stderr(Stdio::null()).spawn().unwrap();
    let begin = Instant::now();
    while !place.path("out.bct.checkpoint.rows").exists() {
        assert!(begin.elapsed() < Duration::from_secs(300), "no row");
        assert!(child.try_wait().unwrap().is_none(), "it ended before a row");
        std::thread::sleep(Duration::from_millis(2));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    assert!(!place.path("out.bct").exists());

    // Other inputs are another run.
    place.write("kept", place.read("in.bct"));
    let encrypt = ["encrypt", "--key", "alice.secret", &program, "@people.csv"];
    place.done(&[&encrypt[..], &["--out", "in.bct"]].concat());
    let resume = [&run[..], &["--resume"]].concat();
    assert_failed(&place.run(&resume), 3, &["of another run"]);

    place.write("in.bct", place.read("kept"));
    let ended = ended(place.command(&resume).output().unwrap());
    assert_eq!(ended.code, Some(0), "{ended:?}");
    assert!(ended.err.contains("going on after"), "{ended:?}");
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, scores());
    let kept = place.names().into_iter();
    let kept: Vec<_> = kept.filter(|name| name.contains("checkpoint")).collect();
    assert!(kept.is_empty(), "{kept:?}");
}
