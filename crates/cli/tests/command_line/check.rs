//! `blindcore check`: in the clear, so every case of every example takes seconds.

use serde_json::Value;

use super::command::{Place, fixture, repository};
use super::examples::{EXAMPLES, branches, cases};

#[test]
#[ignore = "slow: 11 s"]
fn every_case_of_every_example_agrees() {
    let place = Place::new();
    for example in EXAMPLES {
        let program = repository(&format!("examples/{example}/{example}.elf"));
        for case in cases(example) {
            place.write("values.json", case["inputs"].to_string());
            // Here the interpreter answers, not the owner of a key.
            let branches = branches(example).get(..2).unwrap_or_default();
            let check = ["check", &program, "@values.json", "--json"];
            let answer = place.done(&[&check[..], branches].concat());
            let answer: Value = serde_json::from_str(&answer).unwrap();
            for (name, expected) in case["outputs"].as_object().unwrap() {
                assert_eq!(&answer[name], expected, "{example}, {name}");
            }
        }
    }
}

#[test]
fn windows_calls_and_public_values() {
    let place = Place::new();
    let calls = fixture("calls.elf");
    let call = ["--call", "score(income, 25)"];
    let output = place.done(&[&["check", &calls, "income=17"], &call[..]].concat());
    assert!(output.contains("score = -999\n"), "{output}");
    assert!(
        output.contains("agreed over ") && output.contains(" in 1 window\n"),
        "{output}"
    );
    let salaries = fixture("salaries.elf");
    let values = ["salary=5200,4100,3950", "--public", "count=3"];
    let one = place.done(&[&["check", &salaries, "--quiet"], &values[..]].concat());
    let many = place.done(&[&["check", &salaries, "--window", "40"], &values[..]].concat());
    assert!(
        many.starts_with(&one) && many.contains(" windows\n"),
        "{one}{many}"
    );
}

#[test]
fn what_a_run_refuses_is_refused() {
    let place = Place::new();
    let refused = fixture("refused.elf");
    place.fails(3, &["no_such"], &["check", &refused, "no_such=1"]);
    let calls = fixture("calls.elf");
    place.fails(
        3,
        &["the call needs a value for income"],
        &["check", &calls, "--call", "score(income, 25)"],
    );
}
