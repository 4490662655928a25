//! Programs in HE assembly: the examples encrypted, and the commands that check and format.

use super::command::{Place, assert_failed, repository};

fn example(name: &str) -> String {
    repository(&format!("examples/assembly/{name}.hea"))
}

/// Encrypts, runs and decrypts; gives what `decrypt` prints.
fn answer(place: &Place, program: &str, values: &[&str], more: &[&str]) -> String {
    let encrypt = ["encrypt", "--key", "alice.secret", program];
    place.done(&[&encrypt[..], values, &["--out", "in.bct"]].concat());
    let run = [
        "run",
        "--key",
        "alice.server",
        program,
        "in.bct",
        "--out",
        "out.bct",
    ];
    place.done(&[&run[..], more].concat());
    place.done(&["decrypt", "--key", "alice.secret", "out.bct"])
}

#[test]
#[ignore = "slow: 2 s"]
fn the_papers_snippets_as_they_stand() {
    let place = Place::with_keys();
    let sum = answer(
        &place,
        &example("add"),
        &["READ_ADDR1=40", "READ_ADDR2=2"],
        &[],
    );
    assert_eq!(sum, "WRITE_ADDR = 42\n");
    let shifted = answer(&place, &example("shift"), &["R0=3", "R1=33"], &[]);
    // The amount is taken modulo 32.
    assert_eq!(shifted, "R0 = 6\n");
    for (name, values) in [("while", "R7=1"), ("branch", "R7=1")] {
        let out = answer(&place, &example(name), &[values], &[]);
        assert_eq!(out, "R0 = 0\n", "{name}");
    }
}

#[test]
#[ignore = "slow: 2 s"]
fn readings_of_sixteen_bits_from_a_table() {
    let place = Place::with_keys();
    let readings = [-5, 7, 130, -2000, 44, 129, 0, -1];
    let rows: String = readings.iter().map(|value| format!("{value}\n")).collect();
    place.write("readings.csv", format!("value\n{rows}"));
    let values = ["reading:i16[8]=@readings.csv:value"];
    let wanted = ["--output", "mean:i16", "--output", "largest:i16"];
    let out = answer(&place, &example("readings"), &values, &wanted);
    let mean = readings.iter().sum::<i32>() >> 3;
    assert_eq!(out, format!("mean = {mean}\nlargest = 130\n"));
}

/// An index beyond the array's four words: what the program leaves then means nothing.
const BEYOND: &str = ".bits 16\n.data index\n.data table[4] = 7, 8, 9, 0\n.data total = 3\n\
    LOAD R0, index\nLOAD R1, table[R0]\nSTORE R1, total\n";

#[test]
fn an_index_beyond_its_array_is_told_by_check_and_decrypt() {
    let place = Place::with_keys();
    place.write("beyond.hea", BEYOND);
    let inside = answer(&place, "beyond.hea", &["index=2"], &[]);
    assert_eq!(inside, "total = 9\n");
    let checked = place.done(&["check", "beyond.hea", "index=2", "--quiet"]);
    assert_eq!(checked, "total = 9\n");
    let parts = [
        "outside the objects that `plan` names",
        "--object ADDRESS:SIZE",
    ];
    // Behind the table lies a 3, so that the interpreter reads something else; before it a 0.
    for index in ["index=4", "index=5000"] {
        place.fails(9, &parts, &["check", "beyond.hea", index]);
    }
    let encrypt = ["encrypt", "--key", "alice.secret", "beyond.hea", "index=4"];
    place.done(&[&encrypt[..], &["--out", "in.bct"]].concat());
    let run = ["run", "--key", "alice.server", "beyond.hea", "in.bct"];
    place.done(&[&run[..], &["--out", "out.bct"]].concat());
    place.fails(9, &parts, &["decrypt", "--key", "alice.secret", "out.bct"]);
}

#[test]
fn a_plan_knows_what_an_addition_takes() {
    let place = Place::new();
    let add = example("add");
    let arguments = [
        "plan",
        "--threads",
        "1",
        "--json",
        &add,
        "READ_ADDR1",
        "READ_ADDR2",
    ];
    let plan: serde_json::Value = serde_json::from_str(&place.done(&arguments)).unwrap();
    assert_eq!(plan["bootstraps"], 8);
    let listing = place.done(&["disasm", &example("while")]);
    for part in [
        "start:",
        "Loop_label:",
        "; while.hea:4",
        "bne 0x1000c <Loop_label>",
    ] {
        assert!(listing.contains(part), "no {part:?} in {listing}");
    }
}

#[test]
fn a_secret_branch_names_the_line() {
    let place = Place::new();
    place.write("secret.hea", "SUBS R0 R0 1\n\nB_NE there\nthere:\n");
    let plan = place.done(&["plan", "secret.hea", "R0"]);
    assert!(plan.contains("at secret.hea:3 (bne"), "{plan}");
}

#[test]
fn check_shows_errors_with_their_lines_and_warnings() {
    let place = Place::new();
    place.write("bad.hea", "LSL R0 R0 1 ; here LLS\n\tADD R0, R99, R1\n");
    let ended = place.run(&["assembly", "check", "bad.hea"]);
    assert_failed(&ended, 6, &["bad.hea: cannot be assembled"]);
    assert_eq!(
        ended.out,
        "bad.hea:1:1: error: there is no instruction 'LSL'; here it is called LLS\n   \
            1 | LSL R0 R0 1 ; here LLS\n     | ^^^\n"
    );
    place.fails(
        6,
        &["as HE assembly: line 1, column 1: there is no instruction 'LSL'"],
        &["plan", "bad.hea"],
    );
    let branch = example("branch");
    let out = place.done(&["assembly", "check", &branch]);
    assert!(
        out.contains("warning: the label 'ADDRESS_LABEL' is not defined"),
        "{out}"
    );
    assert!(
        out.ends_with("branch.hea: 3 instructions, 10 of A32; 32 registers of 32 bits; no data\n"),
        "{out}"
    );
    place.fails(10, &["none.hea"], &["assembly", "check", "none.hea"]);
    place.write("binary", [0xff, 0xfe]);
    place.fails(6, &["binary: no text"], &["assembly", "check", "binary"]);
}

#[test]
fn format_prints_writes_or_compares() {
    let place = Place::new();
    let (given, formatted) = ("add r0 r1,r2;sum\n", "    ADD   R0, R1, R2  ; sum\n");
    place.write("a.hea", given);
    assert_eq!(place.done(&["assembly", "format", "a.hea"]), formatted);
    assert_eq!(place.read("a.hea"), given.as_bytes());
    let check = ["assembly", "format", "--check", "a.hea"];
    place.fails(6, &["not formatted", "--write a.hea"], &check);
    assert_eq!(place.done(&["assembly", "format", "--write", "a.hea"]), "");
    assert_eq!(place.read("a.hea"), formatted.as_bytes());
    assert_eq!(place.done(&check), "");
    place.write("b.hea", "add 'x'\n");
    let format = ["assembly", "format", "b.hea"];
    place.fails(6, &["b.hea:1:5: '\\'' means nothing here"], &format);
    place.done(&["assembly", "format", "--check", &example("readings")]);
}
