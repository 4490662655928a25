//! Every example, encrypted at real parameters, against what the host's compiler answers: the
//! outputs in `cases.json` come from the same C source, compiled for the host by
//! `examples/expected.py`.

use serde_json::Value;

use super::command::{Place, repository};

/// The folders of `examples/`.
pub(crate) const EXAMPLES: [&str; 11] = [
    "aes",
    "auction",
    "credit",
    "edit",
    "gcd",
    "hamming",
    "histogram",
    "premium",
    "salaries",
    "tender",
    "xtea",
];

/// What `run` is told about the branches of an example.
pub(crate) fn branches(example: &str) -> &'static [&'static str] {
    match example {
        "gcd" => &[
            "--branches",
            "ask",
            "--answer-with",
            "alice.secret",
            "--allow",
            "main:64",
        ],
        "premium" => &["--branches", "both"],
        _ => &[],
    }
}

pub(crate) fn cases(example: &str) -> Vec<Value> {
    let text = std::fs::read(repository(&format!("examples/{example}/cases.json"))).unwrap();
    let document: Value = serde_json::from_slice(&text).unwrap();
    let cases = document["cases"].as_array().unwrap().clone();
    assert!(cases.len() >= 3, "{example}");
    cases
}

/// Encrypts a case's inputs, runs the example, decrypts, and compares every expected output.
fn check(place: &Place, example: &str, case: &Value) {
    let program = repository(&format!("examples/{example}/{example}.elf"));
    place.write("values.json", case["inputs"].to_string());
    let key = ["--key", "alice.secret"];
    place.done(
        &[
            &["encrypt"],
            &key[..],
            &[&program, "@values.json", "--out", "in.bct"],
        ]
        .concat(),
    );
    let run = [
        "run",
        "--key",
        "alice.server",
        &program,
        "in.bct",
        "--out",
        "out.bct",
    ];
    place.done(&[&run[..], branches(example)].concat());
    let answer = place.done(&[&["decrypt"], &key[..], &["out.bct", "--json"]].concat());
    let answer: Value = serde_json::from_str(&answer).unwrap();
    for (name, expected) in case["outputs"].as_object().unwrap() {
        assert_eq!(
            &answer[name], expected,
            "{example}, {name}, of {}",
            case["inputs"]
        );
    }
}

#[test]
#[ignore = "slow: 126 s"]
fn the_first_case_of_every_example() {
    let place = Place::with_keys();
    for example in EXAMPLES {
        check(&place, example, &cases(example)[0]);
    }
}

/// Block ciphers: more lookups than all other examples together. Their programs do the same with
/// every input, and what that is, `check` tells of all their cases
/// (`every_case_of_every_example_agrees`).
const CIPHERS: [&str; 2] = ["aes", "xtea"];

fn further_cases(examples: impl Iterator<Item = &'static str>) {
    let place = Place::with_keys();
    for example in examples {
        for case in &cases(example)[1..] {
            check(&place, example, case);
        }
    }
}

#[test]
#[ignore = "every case of every example but ciphers, about 20 seconds on two cores"]
fn all_further_cases_of_examples() {
    further_cases(
        EXAMPLES
            .into_iter()
            .filter(|example| !CIPHERS.contains(example)),
    );
}

#[test]
#[ignore = "every case of the ciphers, about 30 seconds on two cores"]
fn all_further_cases_of_ciphers() {
    further_cases(CIPHERS.into_iter());
}

#[test]
fn every_example_is_listed() {
    let mut folders: Vec<String> = std::fs::read_dir(repository("examples"))
        .unwrap()
        .map(|entry| entry.unwrap())
        .filter(|entry| entry.file_type().unwrap().is_dir())
        .map(|entry| entry.file_name().into_string().unwrap())
        // Circuits are no programs, assembly is no C, others are sources: `circuit.rs`,
        // `assembly.rs`, `sources.rs` and `scale.rs` run them. Notebooks are tested where Python is.
        .filter(|folder| {
            ![
                "circuits", "assembly", "floats", "memory", "python", "scale",
            ]
            .contains(&folder.as_str())
        })
        .collect();
    folders.sort();
    assert_eq!(folders, EXAMPLES);
}
