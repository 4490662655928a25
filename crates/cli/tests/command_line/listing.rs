//! `plan --list`: all that secrets decide, and the exit code of a run.

use serde_json::Value;

use super::command::{Place, assert_failed, fixture, repository};

#[test]
#[ignore = "slow: 25 s"]
fn a_list_says_whether_a_run_would_go_through() {
    let place = Place::new();
    let gcd = repository("examples/gcd/gcd.elf");
    let list = ["plan", &gcd, "a", "b", "--list"];
    // As `run` would end: at the branch.
    let refused = place.run(&list);
    assert_failed(&refused, 9, &["gcd.c:", "--branches both"]);
    for part in [
        "a secret loop",
        "cmp r",
        "32 secret bits",
        "--bound gcd.c:",
        "would not go through",
    ] {
        assert!(refused.out.contains(part), "no {part:?} in {}", refused.out);
    }
    // Bounded, it goes through.
    let bounded = [&list[..], &["--bound", "12"]].concat();
    let text = place.done(&bounded);
    assert!(
        text.contains("bounded: 12 rounds") && text.contains("\nA run would go through."),
        "{text}"
    );
    // For programs.
    let read = |arguments: &[&str]| -> (Option<i32>, Value) {
        let ended = place.run(&[arguments, &["--json"]].concat());
        (ended.code, serde_json::from_str(&ended.out).unwrap())
    };
    let (code, document) = read(&list);
    assert_eq!((code, &document["exit_code"]), (Some(9), &9.into()));
    assert_eq!(document["runnable"], false);
    let found = document["found"].as_array().unwrap();
    let repeated = found.iter().find(|found| found["kind"] == "loop").unwrap();
    assert_eq!(
        (&repeated["stops"], &repeated["symbol"]),
        (&true.into(), &"main".into())
    );
    assert!(
        repeated["compared"]["instruction"]
            .as_str()
            .unwrap()
            .starts_with("cmp")
    );
    let (code, document) = read(&bounded);
    assert_eq!((code, &document["runnable"]), (Some(0), &true.into()));
    // What nobody gave keeps a run from beginning.
    let (code, document) = read(&["plan", &gcd, "a", "--list", "--bound", "12"]);
    assert_eq!((code, &document["exit_code"]), (Some(3), &3.into()));
}

#[test]
fn a_list_goes_past_the_first_branch() {
    let place = Place::new();
    let branches = fixture("branches.elf");
    let list = [
        "plan", &branches, "a", "b", "list", "--entry", "loops", "--list", "--json",
    ];
    let document: Value = serde_json::from_str(&place.run(&list).out).unwrap();
    let found = document["found"].as_array().unwrap();
    // The exchange is done by conditional instructions.
    let lines: Vec<_> = found.iter().map(|found| &found["line"]).collect();
    assert_eq!(lines, [80, 82], "{document:#}");
    assert_eq!(found[1]["ends_after"], 3);
    assert_eq!(document["unexplored"], Value::Array(Vec::new()));
    assert!(
        found
            .iter()
            .all(|found| !found["remedy"].as_str().unwrap().is_empty())
    );
}
