//! Comparisons as two compilers write them: what they cost, and that every outcome is the interpreter's.

use std::fs;

use blindcore_processor::plan;
use circuits::Profile;

use crate::compiled::{compile, folder};
use crate::simulated::{agrees, secret};

/// A type, an expression of two variables of it, and the most lookups that it may take.
const EXPRESSIONS: [(&str, &str, usize); 36] = [
    ("unsigned", "x == y", 9),
    ("unsigned", "x != y", 9),
    ("unsigned", "x == 0", 3),
    ("unsigned", "x == 1000", 3),
    ("unsigned", "!!x", 3),
    ("unsigned", "x <= y", 8),
    ("unsigned", "x > y", 8),
    ("unsigned", "x <= 1000", 7),
    ("unsigned", "x > 1000", 7),
    ("int", "x <= y", 8),
    ("int", "x > y", 8),
    ("unsigned", "x < y", 8),
    ("int", "x < y", 8),
    ("int", "x >= y ? 3 : 9", 8),
    ("int", "x < 100", 7),
    ("int", "x > 0", 4),
    ("unsigned char", "x == y", 3),
    ("unsigned char", "x == 'a'", 1),
    ("unsigned char", "x >= 'a' && x <= 'z'", 3),
    ("unsigned char", "x >= 'a' && x <= 'z' ? x - 32 : x", 3),
    ("int", "x >= '0' && x <= '9'", 4),
    ("int", "x >= 'a' && x <= 'z'", 6),
    ("int", "x < '0' || x > '9' ? y : x - '0'", 47),
    ("int", "x >= 3 && x <= 1000", 17),
    ("unsigned", "x - 97 <= 903", 17),
    ("unsigned", "x - 4294967000u <= 295", 17),
    ("unsigned", "x == 3 && y == 5", 7),
    // Several questions to one comparison share its difference.
    ("unsigned", "(x < y) + 2 * (x == y)", 12),
    ("int", "(x < y) + 2 * (x == y)", 20),
    ("unsigned", "x > y ? x - y : y - x", 42),
    ("int", "(x > y) - (x < y)", 16),
    ("unsigned", "x == y ? 7 : x - y", 36),
    ("int", "x == -5 ? y : x", 34),
    ("unsigned", "x == y ? x : y", 0),
    ("short", "x <= y && y != 7", 13),
    ("unsigned", "(x - y) & -(x == 97)", 30),
];

#[test]
fn comparisons_cost_what_they_ask() {
    let folder = folder("comparisons");
    for (number, (ty, expression, most)) in EXPRESSIONS.iter().enumerate() {
        let source = folder.join(format!("{number}.c"));
        let text =
            format!("{ty} x, y;\nint r;\nint main(void) {{ r = {expression}; return 0; }}\n");
        fs::write(&source, text).unwrap();
        for clang in [false, true] {
            let elf = folder.join(format!("{number}{clang}.elf"));
            let program = compile(&source, &elf, clang, &["-O2"]);
            let task = secret(&program, &["x", "y"]);
            let planned = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
            let found = planned.total().bootstraps;
            assert!(
                found <= *most,
                "{expression}, clang {clang}: {found} lookups"
            );
            // Numbers that meet, and now and then any.
            let value = |_: &str, random: u64| match random % 8 {
                0 => random >> 8,
                1 => (-5_i64).cast_unsigned(),
                other => [0, 3, 5, 7, 97, 1000][other as usize - 2],
            };
            agrees(&fs::read(&elf).unwrap(), &["x", "y"], number as u64, value);
        }
    }
}
