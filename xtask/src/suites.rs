//! Files of tests that nobody compiles.
//!
//! A crate with `autotests = false` builds its tests as one program, `tests/testsuite.rs`: a file
//! that this does not name would be left out without a word.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;

/// The modules that a suite declares, and those beside it.
fn declared_and_present(tests: &Path) -> (BTreeSet<String>, BTreeSet<String>) {
    let suite = fs::read_to_string(tests.join("testsuite.rs")).unwrap();
    let name = |line: &str| {
        let name = line.strip_prefix("mod ")?.strip_suffix(';')?;
        Some(name.to_owned())
    };
    let declared = suite.lines().filter_map(name).collect();
    let present = fs::read_dir(tests)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .filter(|path| {
            path.extension().is_some_and(|it| it == "rs") || path.join("mod.rs").exists()
        })
        .map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned())
        .filter(|name| name != "testsuite")
        .collect();
    (declared, present)
}

#[test]
fn every_file_of_a_suite_is_compiled() {
    let crates = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates");
    let mut suites = 0;
    for package in fs::read_dir(crates).unwrap() {
        let package = package.unwrap().path();
        let manifest = fs::read_to_string(package.join("Cargo.toml")).unwrap_or_default();
        if !manifest.contains("autotests = false") {
            continue;
        }
        let (declared, present) = declared_and_present(&package.join("tests"));
        assert_eq!(declared, present, "{}", package.display());
        suites += 1;
    }
    assert!(suites > 5, "{suites}");
}
