//! How far `<math.h>` is from the true values: what docs/c.md states.

use std::process::Command;

use crate::sides::source;

/// Units in the last place, of floats and of doubles.
const STATED: [(&str, f64, f64); 24] = [
    ("floor", 0.0, 0.0),
    ("ceil", 0.0, 0.0),
    ("trunc", 0.0, 0.0),
    ("round", 0.0, 0.0),
    ("rint", 0.0, 0.0),
    ("exp", 1.2, 1.1),
    ("exp2", 1.2, 1.1),
    ("log", 1.0, 1.3),
    ("log2", 1.7, 1.7),
    ("log10", 1.7, 2.0),
    ("atan", 2.8, 2.0),
    ("asin", 0.6, 2.7),
    ("acos", 0.6, 2.7),
    ("sinh", 0.6, 4.0),
    ("cosh", 0.6, 3.5),
    ("tanh", 0.6, 5.0),
    ("atan2", 0.6, 2.0),
    ("sin", 1.6, 1.0),
    ("cos", 1.6, 1.0),
    ("tan", 16.0, 2.6),
    ("pow", 0.6, 16.0),
    ("hypot", 0.6, 2.0),
    ("fmin", 0.0, 0.0),
    ("fmax", 0.0, 0.0),
];

fn measured(points: u32) -> String {
    let made = tempfile::tempdir().unwrap();
    let binary = made.path().join("accuracy");
    let mut cc = Command::new("cc");
    cc.args(["-O2", "-w", "-fno-builtin", "-ffp-contract=off", "-o"]);
    let done = cc
        .arg(&binary)
        .arg(source("accuracy.c"))
        .arg("-lm")
        .status();
    assert!(done.unwrap().success());
    let output = Command::new(&binary)
        .arg(points.to_string())
        .output()
        .unwrap();
    assert!(output.status.success());
    String::from_utf8(output.stdout).unwrap()
}

fn holds(points: u32) {
    let text = measured(points);
    assert_eq!(text.lines().count(), STATED.len());
    for (line, (name, single, double)) in text.lines().zip(STATED) {
        let words: Vec<&str> = line.split(' ').collect();
        let [found_single, found_double] = [1, 2].map(|at| words[at].parse::<f64>().unwrap());
        assert_eq!(words[0], name);
        assert!(found_single <= single && found_double <= double, "{line}");
    }
}

#[test]
#[ignore = "slow: 3 s"]
fn functions_are_as_near_as_stated() {
    holds(50_000);
}

#[test]
#[ignore = "ten million points a function, a minute"]
fn functions_are_as_near_as_stated_everywhere() {
    holds(10_000_000);
}
