//! Comparisons as two compilers write them: what they cost, and that every outcome is the interpreter's.

use std::fs;

use blindcore_processor::{Branches, Task, plan};
use circuits::Profile;

use crate::compiled::{compile, folder, seeds};
use crate::simulated::{Random, agrees_as, secret};

/// A type, an expression of two variables of it, and the most lookups that it may take.
const EXPRESSIONS: [(&str, &str, usize); 47] = [
    ("unsigned", "x == y", 9),
    ("unsigned", "x != y", 9),
    ("unsigned", "x == 0", 3),
    ("unsigned", "x == 1000", 3),
    ("unsigned", "!!x", 3),
    ("unsigned", "x <= y", 8),
    ("unsigned", "x > y", 8),
    ("unsigned", "x <= 1000", 4),
    ("unsigned", "x > 1000", 4),
    ("unsigned", "x < 10", 3),
    ("unsigned", "x <= 127", 2),
    // As `cmn`, with a number near 2³².
    ("unsigned", "x <= 0x0fffffff", 2),
    ("unsigned", "x > 4294967000u", 5),
    ("int", "x < -5", 4),
    ("int", "x <= -256 ? 3 : 9", 4),
    ("int", "x <= y", 8),
    ("int", "x > y", 8),
    ("unsigned", "x < y", 8),
    ("int", "x < y", 8),
    ("int", "x >= y ? 3 : 9", 8),
    ("int", "x < 100", 4),
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
    // A comparison under the condition of another.
    ("int", "x == ' ' || x - 9u < 5u", 7),
    ("int", "x == ' ' || y > 5", 9),
    ("int", "x == 7 || x < y", 12),
    ("unsigned", "x != 9 && x > y", 12),
    ("unsigned", "x == 9 || (x > 100 && x < 110)", 7),
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
#[ignore = "slow: 8 s"]
fn comparisons_cost_what_they_ask() {
    // Numbers that meet, ends of ranges, and now and then any.
    cost_what_they_ask("comparisons", &EXPRESSIONS, |_, random| match random % 24 {
        at if at < 3 => random >> 8,
        at => MEETING[at as usize - 3],
    });
}

/// Expressions of `x` and `y` by two compilers: no more lookups than is said, and the interpreter's answers.
pub(crate) fn cost_what_they_ask(
    name: &str,
    expressions: &[(&str, &str, usize)],
    value: fn(&str, u64) -> u64,
) {
    let folder = folder(name);
    let mut dearer = Vec::new();
    for (number, (ty, expression, most)) in expressions.iter().enumerate() {
        let source = folder.join(format!("{number}.c"));
        let text =
            format!("{ty} x, y;\nint r;\nint main(void) {{ r = {expression}; return 0; }}\n");
        fs::write(&source, text).unwrap();
        for clang in [false, true] {
            let elf = folder.join(format!("{number}{clang}.elf"));
            let program = compile(&source, &elf, clang, &["-O2"]);
            let task = both(secret(&program, &["x", "y"]));
            let planned = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
            let found = planned.total().bootstraps;
            if found > *most {
                dearer.push(format!("{ty} {expression}, clang {clang}: {found} lookups"));
            }
            let elf = fs::read(&elf).unwrap();
            agrees_as(&elf, &["x", "y"], number as u64, value, both);
        }
    }
    assert!(dearer.is_empty(), "{dearer:#?}");
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

/// A program of two compilers, with whatever `limit` makes of random secrets.
fn agrees_by_both(name: &str, text: &str, limit: fn(u64) -> u64) {
    let source = folder(name).join("main.c");
    fs::write(&source, text).unwrap();
    for clang in [false, true] {
        let elf = source.with_extension(format!("{clang}.elf"));
        compile(&source, &elf, clang, &["-O2"]);
        let elf = fs::read(&elf).unwrap();
        agrees_as(&elf, &["x", "y"], 1, |_, random| limit(random), both);
    }
}

#[test]
fn differences_with_the_same_bits_keep_their_carries() {
    agrees_by_both("twins", TWINS, |random| random);
}

/// Every condition of `cmn` and `adds` with numbers, the two among them that are no difference with another one.
const SUMMED: &str = r#"
unsigned x, y;
unsigned r;
#define ASK(condition, sum) \
    __asm__(sum "\n mov %0, #0\n mov" condition " %0, #1" : "=&r"(one) : "r"(x) : "r12", "cc"); r = r * 5 + one;
#define ALL(sum) \
    ASK("eq", sum) ASK("ne", sum) ASK("cs", sum) ASK("cc", sum) ASK("mi", sum) ASK("pl", sum) ASK("vs", sum) \
    ASK("vc", sum) ASK("hi", sum) ASK("ls", sum) ASK("ge", sum) ASK("lt", sum) ASK("gt", sum) ASK("le", sum)
int main(void) {
    unsigned one;
    r = y;
    ALL("cmn %1, #0") ALL("cmn %1, #1") ALL("cmn %1, #0x80000000") ALL("cmn %1, #0x3e8")
    ALL("adds r12, %1, #0x0f000000") ALL("adds r12, %1, #0")
    return 0;
}
"#;

#[test]
#[ignore = "slow: 3 s"]
fn sums_with_numbers_say_what_differences_do() {
    let near = |random: u64| match random % 4 {
        0 => 0u64.wrapping_sub(random >> 8 & 3),
        1 => 0u64.wrapping_sub(0x3e8).wrapping_add(random >> 8 & 3),
        2 => 0x8000_0000 - (random >> 8 & 3),
        _ => random >> 8,
    };
    agrees_by_both("summed", SUMMED, near);
}

/// Leading zeros as they are counted by hand.
const COUNTED: &str = r#"
unsigned x, y;
unsigned r;
int main(void) {
    unsigned word = x, n = 0;
    if (word == 0) { r = 32 + (y & 1); return 0; }
    if (word <= 0x0000ffff) { n += 16; word <<= 16; }
    if (word <= 0x00ffffff) { n += 8; word <<= 8; }
    if (word <= 0x0fffffff) { n += 4; word <<= 4; }
    if (word <= 0x3fffffff) { n += 2; word <<= 2; }
    if (word <= 0x7fffffff) n += 1;
    r = n;
    return 0;
}
"#;

#[test]
fn leading_zeros_that_are_counted_by_hand() {
    agrees_by_both("counted", COUNTED, |random| random >> 8 >> (random % 33));
    let source = folder("counted").join("planned.c");
    fs::write(&source, COUNTED).unwrap();
    let program = compile(&source, &source.with_extension("elf"), false, &["-O2"]);
    let task = both(secret(&program, &["x", "y"]));
    let planned = plan(&program, &task, &Profile::selector_simulation()).unwrap();
    let found = planned.total().bootstraps;
    assert!(found <= 24, "{found} lookups");
}

/// A pointer that is the same on a path whichever was chosen there, and another one elsewhere.
const MOVED: &str = r#"
unsigned char x, y;
unsigned r;
unsigned char a[16] = {3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 238, 46, 26, 43};
int main(void) {
    unsigned i = x & 15, n = y & 15, there = 0, here;
    const unsigned char *base = a;
    __asm__ volatile("add r2, %2, %3\n cmp %3, %4\n bhi 1f\n"
            "cmp %4, #0\n mov r3, r2\n moveq r3, %2\n ldrb %1, [r3]\n"
            "1: ldrb %0, [r2]"
            : "=&r"(here), "+&r"(there) : "r"(base), "r"(i), "r"(n) : "r2", "r3", "cc", "memory");
    r = here << 8 | there;
    return 0;
}
"#;

#[test]
fn what_a_path_knows_of_a_pointer_stays_there() {
    agrees_by_both("moved", MOVED, |random| random & 7);
}

/// What a function of `x` and `y` does with `r`, and the most lookups that it may take.
const STATEMENTS: [(&str, usize); 15] = [
    // A branch asks what a choice would.
    (
        "if (x - '0' < 10u || (x | 32) - 'a' < 6u) r = 1; else r = 0;",
        6,
    ),
    (
        "if (x - 1 > 6u) { r = x / 8; if (x < -99) r ^= y; } else r = y;",
        76,
    ),
    (
        "if (x >= 90) r = 'A'; else if (x >= 80) r = 'B'; else r = 'F';",
        13,
    ),
    (
        "if (x == y) r = 3; else if (x < y) r = 5; else r = x == 9 ? 2 : 1;",
        17,
    ),
    (
        "r = x; for (int i = 0; i < 4; i++) if (r - 1 > 6u) { r = r / 8; y++; } r = r ^ y << 8;",
        279,
    ),
    // What a comparison says of a word: upper bits are not chosen, numbers have few bits.
    ("r = x - 'a' < 26u ? x & 0x5f : x;", 5),
    ("r = x - 'A' < 26u ? x | 32 : x;", 5),
    (
        "if (x >= '0' && x <= '9') r = x - '0'; else if (x >= 'a' && x <= 'f') r = x - 'a' + 10; else r = -1;",
        12,
    ),
    ("r = x >= '0' && x <= '9' ? x - '0' : -1;", 5),
    ("r = x < 10u ? x * 7 + 5 : y;", 39),
    ("r = x < 16u ? x * x : -1;", 12),
    ("r = x < 200u && y - 1 < 20u ? x / y : 0;", 82),
    (
        "if (x < 0) r = 0; else if (x > 200) r = 200; else r = x + 3;",
        33,
    ),
    (
        "r = x; if (r < 16u) { r = r * r; if (r > 99) r -= 99; } else r = r & 15;",
        143,
    ),
    (
        "r = 0; for (int i = 0; i < 3; i++) if (x < 100u) { r += x; x += y & 7; }",
        138,
    ),
];

#[test]
#[ignore = "slow: 4 s"]
fn statements_cost_what_they_ask() {
    let folder = folder("statements");
    for (number, (body, most)) in STATEMENTS.iter().enumerate() {
        let source = folder.join(format!("{number}.c"));
        let text = format!(
            "int first, second;\nint r;\n\
             __attribute__((noinline)) void act(int x, int y) {{ {body} }}\n\
             int main(void) {{ act(first, second); return 0; }}\n"
        );
        fs::write(&source, text).unwrap();
        for clang in [false, true] {
            let elf = folder.join(format!("{number}{clang}.elf"));
            let program = compile(&source, &elf, clang, &["-O2"]);
            let task = both(secret(&program, &["first", "second"]));
            let planned = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
            assert!(planned.is_runnable(), "{body}: {:?}", planned.findings);
            let found = planned.total().bootstraps;
            assert!(found <= *most, "{body}, clang {clang}: {found} lookups");
            let value = |_: &str, random: u64| match random % 24 {
                at if at < 3 => random >> 8,
                at => MEETING[at as usize - 3],
            };
            let elf = fs::read(&elf).unwrap();
            agrees_as(&elf, &["first", "second"], number as u64, value, both);
        }
    }
}

/// Both paths of every branch.
pub(crate) fn both(task: Task) -> Task {
    Task {
        branches: Branches {
            both: Some(10_000),
            ..Branches::default()
        },
        ..task
    }
}

/// Random statements that ask where `x`, `y` and `r` lie, and compute with them where that is known.
struct Written {
    random: Random,
    text: String,
}

impl Written {
    fn pick<'a>(&mut self, from: &[&'a str]) -> &'a str {
        from[self.random.next() as usize % from.len()]
    }

    fn number(&mut self) -> u64 {
        match self.random.next() % 4 {
            0 => 1 << (self.random.next() % 9),
            1 => MEETING[self.random.next() as usize % 17],
            _ => self.random.next() % 130,
        }
    }

    fn condition(&mut self) -> String {
        let (word, number) = (self.pick(&["x", "y", "r"]), self.number());
        let length = 1 + self.random.next() % 40;
        match self.random.next() % 7 {
            0 => format!("{word} - {number}u < {length}u"),
            1 => format!("(unsigned){word} < {number}u"),
            2 => format!(
                "{word} {} {number}",
                self.pick(&["<", ">", "<=", ">=", "==", "!="])
            ),
            3 => format!("({word} | 32) - {number}u <= {length}u"),
            4 => format!(
                "{word} == {number} || {} < {}",
                self.pick(&["x", "y", "r"]),
                number + length
            ),
            5 => format!("{word} == {number} || {word} - {length}u < {number}u"),
            _ => format!("{word} > {number} && {word} < {}", number + length),
        }
    }

    fn statement(&mut self, depth: u32) {
        match self.random.next() % if depth > 0 { 6 } else { 3 } {
            0..3 => {
                let [to, a, b] = std::array::from_fn(|at| match at {
                    0 => self.pick(&["r", "r", "r", "x", "y"]),
                    _ => self.pick(&["x", "y", "r"]),
                });
                let number = self.number();
                let text = match self.random.next() % 8 {
                    0 => format!("{to} = {a} + {number}u;"),
                    1 => format!("{to} = {a} - {number}u;"),
                    2 => format!("{to} = {a} * {}u + {b};", number % 16),
                    3 => format!(
                        "{to} = (unsigned){a} {} {}u;",
                        self.pick(&["/", "%"]),
                        number | 1
                    ),
                    4 => format!("{to} = {a} {} {b};", self.pick(&["&", "|", "^", "-", "+"])),
                    5 => format!("{to} = (unsigned){a} >> {};", number % 8),
                    6 => format!("{to} = {a} & {number}u;"),
                    _ => format!("{to} = tab[({a} + {}u) & 15];", number % 16),
                };
                self.text += &text;
            }
            3 => {
                let (to, condition, number) =
                    (self.pick(&["r", "x"]), self.condition(), self.number());
                let text = format!("{to} = {condition} ? {to} + {number}u : {to} ^ y;");
                self.text += &text;
            }
            _ => {
                let condition = self.condition();
                self.text += &format!("if ({condition}) {{");
                self.statements(depth - 1);
                self.text += "} else {";
                self.statements(depth - 1);
                self.text += "}\n";
            }
        }
    }

    fn statements(&mut self, depth: u32) {
        for _ in 0..1 + self.random.next() % 3 {
            self.statement(depth);
        }
    }
}

/// What is known on a path is used on it, and nowhere else.
fn random_ranges(seeds: std::ops::Range<u64>) {
    let folder = folder("ranges");
    for seed in seeds {
        let mut written = Written {
            random: Random(seed),
            text: String::new(),
        };
        written.statements(3);
        let text = format!(
            "int first, second;\nint r;\n\
             const unsigned char tab[16] = {{3, 1, 4, 15, 9, 2, 6, 5, 35, 8, 97, 93, 238, 46, 26, 43}};\n\
             __attribute__((noinline)) int act(int x, int y) {{ int r = x ^ 5; {} return r + 3 * x + 5 * y; }}\n\
             int main(void) {{ r = act(first, second); return 0; }}\n",
            written.text
        );
        let source = folder.join(format!("{seed}.c"));
        fs::write(&source, text).unwrap();
        let level = ["-O1", "-O2", "-Os"][seed as usize % 3];
        let elf = folder.join(format!("{seed}.elf"));
        compile(&source, &elf, seed % 2 == 0, &[level]);
        let value = |_: &str, random: u64| match random % 32 {
            at if at < 3 => random >> 8,
            at if at < 12 => random >> 8 & 0x7f,
            at => MEETING[at as usize % 21],
        };
        let elf = fs::read(&elf).unwrap();
        agrees_as(&elf, &["first", "second"], seed, value, both);
    }
}

#[test]
#[ignore = "slow: 10 s"]
fn random_ranges_agree() {
    random_ranges(0..24);
}

#[test]
#[ignore = "slow: hundreds of programs"]
fn many_random_ranges_agree() {
    let (first, count) = seeds(24, 400);
    random_ranges(first..first + count);
}
