//! Selections as programs write them: what they cost with selectors and without.

use std::fs;

use blindcore_processor::plan;
use circuits::Profile;

use crate::compiled::{compile, folder};
use crate::simulated::{agrees, secret};

/// Statements on a, b, c and d that set r and s, and the most lookups that they may take: without selectors
/// and with.
const STATEMENTS: [(&str, [usize; 2]); 8] = [
    ("r = a < b ? c : d;", [33, 12]),
    ("r = a < b ? a : b; s = a < b ? b : a;", [43, 12]),
    (
        "unsigned m = -(a & 1); r = b ^ ((b ^ c) & m); s = c ^ ((b ^ c) & m);",
        [32, 1],
    ),
    (
        "unsigned m = -(a & 1); r = (b & m) | (c & ~m); s = (b & m) ^ (d & ~m);",
        [43, 1],
    ),
    (
        "if (a < b) { r = c; s = d; } else { r = d + 1; s = c; }",
        [54, 23],
    ),
    (
        "unsigned char t[4] = {a, b, c, d}; if (a & 256) { t[1] = t[3]; t[2] = t[0]; } r = t[1]; s = t[2];",
        [12, 1],
    ),
    // What was chosen is compared again: it is too noisy for four columns in a lookup.
    (
        "r = a; if (b > r) r = b; if (c > r) r = c; if (d > r) r = d;",
        [120, 40],
    ),
    // Few bits are selected by lookups as ever.
    ("r = (a & 1) ? b & 7 : c & 7;", [2, 2]),
];

#[test]
#[ignore = "slow: 4 s"]
fn selections_cost_a_selector_where_that_is_cheaper() {
    let folder = folder("selections");
    for (number, (statements, most)) in STATEMENTS.iter().enumerate() {
        let source = folder.join(format!("{number}.c"));
        let text =
            format!("unsigned a, b, c, d, r, s;\nint main(void) {{ {statements} return 0; }}\n");
        fs::write(&source, text).unwrap();
        for clang in [false, true] {
            let elf = folder.join(format!("{number}{clang}.elf"));
            let program = compile(&source, &elf, clang, &["-O2"]);
            let mut task = secret(&program, &["a", "b", "c", "d"]);
            task.branches.both = Some(100);
            let profiles = [Profile::lookup_simulation(), Profile::selector_simulation()];
            let found =
                profiles.map(|profile| plan(&program, &task, &profile).unwrap().total().bootstraps);
            assert!(
                found[0] <= most[0] && found[1] <= most[1],
                "{statements} clang {clang}: {found:?} lookups"
            );
            if !statements.starts_with("if") {
                let elf = fs::read(&elf).unwrap();
                agrees(&elf, &["a", "b", "c", "d"], number as u64, |_, random| {
                    random
                });
            }
        }
    }
}
