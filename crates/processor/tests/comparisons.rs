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

/// What words are compared with, and what is next to it.
const MEETING: [u64; 21] = [
    0,
    3,
    5,
    7,
    47,
    48,
    57,
    58,
    96,
    97,
    122,
    123,
    127,
    128,
    255,
    256,
    1000,
    1001,
    (-5_i64).cast_unsigned(),
    0xffff_fed7,
    0xffff_fed8,
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
            // Numbers that meet, ends of ranges, and now and then any.
            let value = |_: &str, random: u64| match random % 24 {
                at if at < 3 => random >> 8,
                at => MEETING[at as usize - 3],
            };
            agrees(&fs::read(&elf).unwrap(), &["x", "y"], number as u64, value);
        }
    }
}

/// Two differences with the same bits, `c − 128` and `c − 256` of a byte, whose carries are not the same.
const TWINS: &str = r#"
unsigned char x, y;
unsigned r;
int main(void) {
    unsigned moved, within = 0, below = 0, above = 0, byte = x;
    __asm__("sub %0, %4, #128\n cmp %0, #128\n movlo %1, #1\n"
            "cmp %4, #256\n movlo %2, #1\n cmp %0, #128\n movhi %3, #1"
            : "=&r"(moved), "+r"(within), "+r"(below), "+r"(above) : "r"(byte) : "cc");
    r = within + 2 * below + 4 * above + 8 * (moved >> 31) + y;
    return 0;
}
"#;

#[test]
fn differences_with_the_same_bits_keep_their_carries() {
    let source = folder("twins").join("twins.c");
    fs::write(&source, TWINS).unwrap();
    for clang in [false, true] {
        let elf = source.with_extension(format!("{clang}.elf"));
        compile(&source, &elf, clang, &["-O2"]);
        agrees(&fs::read(&elf).unwrap(), &["x", "y"], 1, |_, random| random);
    }
}
