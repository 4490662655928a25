//! C functions made at random that compute with floats and doubles: from integers and from any
//! bits, with branches, conversions and a loop.

use std::fmt::Write as _;

use crate::simulated::Random;

/// A function under way.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
}

/// What stands before the functions: a NaN's bits are no part of C, so all are made one.
const HEAD: &str = "\
typedef unsigned int u32; typedef int i32; typedef unsigned long long u64;
u32 in_a, in_b, out;
static float single(u32 bits) { float x; __builtin_memcpy(&x, &bits, 4); return x; }
static u32 of_single(float x) { u32 bits; if (x != x) return 0x7fc00000; __builtin_memcpy(&bits, &x, 4); return bits; }
static u32 of_double(double x) { u64 bits; if (x != x) return 0x7ff80000; __builtin_memcpy(&bits, &x, 8); return bits ^ bits >> 32; }
static i32 whole(float x) { return x > -2e9f && x < 2e9f ? (i32)x : 7; }
static u32 natural(double x) { return x > -1.0 && x < 4e9 ? (u32)x : 9; }
";

/// `functions` functions `run_N`, from `in_a` and `in_b` to `out`, with a `main` for the host.
pub(crate) fn source(random: &mut Random, functions: usize) -> String {
    let mut text = HEAD.to_owned();
    for number in 0..functions {
        let mut writer = Writer {
            random,
            text: String::new(),
        };
        let from = ["(float)(i32)", "single(", "(float)", "single("][number % 4];
        let close = if number % 2 == 1 { ")" } else { "" };
        for _ in 0..3 + number % 3 {
            writer.statement();
        }
        let body = writer.text;
        writeln!(
            text,
            "static u32 f_{number}(u32 a, u32 b) {{\n\
             float x = {from}a{close}, y = {from}b{close}, z = 1.5f; double v = (i32)a, w = y; i32 n = b;\n\
             {body}    return of_single(x) + 3 * of_single(y) + 5 * of_single(z) + of_double(v) + 7 * of_double(w) + n; }}\n\
             void run_{number}(void) {{ out = f_{number}(in_a, in_b); }}",
        )
        .unwrap();
    }
    text.push_str("#ifdef HOST\n#include <stdio.h>\nint main(void) { while (scanf(\"%u %u\", &in_a, &in_b) == 2) {\n");
    for number in 0..functions {
        writeln!(text, "run_{number}(); printf(\"%u\\n\", out);").unwrap();
    }
    text.push_str("} return 0; }\n#else\nint main(void) { return 0; }\n#endif\n");
    text
}

impl Writer<'_> {
    fn below(&mut self, limit: u64) -> u64 {
        self.random.next() % limit
    }

    fn pick(&mut self, of: &[&'static str]) -> &'static str {
        of[self.below(of.len() as u64) as usize]
    }

    fn single(&mut self) -> String {
        let (a, b) = (self.pick(&["x", "y", "z"]), self.pick(&["x", "y", "z"]));
        let number = self.pick(&["0.5f", "3.0f", "1e-30f", "-7.25f", "1e30f", "0.0f"]);
        match self.below(12) {
            0 | 1 => format!("{a} + {b}"),
            2 | 3 => format!("{a} - {b}"),
            4 | 5 => format!("{a} * {b}"),
            6 => format!("{a} * {number}"),
            7 => format!("{a} + {number}"),
            8 => format!("{a} / {b}"),
            9 => format!("{number} / {a}"),
            10 => "(float)n".to_owned(),
            _ => format!("-(float)({} * 0.75)", self.pick(&["v", "w"])),
        }
    }

    fn double(&mut self) -> String {
        let (a, b) = (self.pick(&["v", "w"]), self.pick(&["v", "w"]));
        match self.below(8) {
            0 => format!("{a} + {b}"),
            1 => format!("{a} - {b}"),
            2 => format!("{a} * {b}"),
            3 => format!("{a} * 1.1"),
            4 => format!("{a} / 3.7"),
            5 => "(double)n".to_owned(),
            _ => self
                .pick(&["(double)x", "(double)z", "(double)y"])
                .to_owned(),
        }
    }

    fn condition(&mut self) -> String {
        let relation = self.pick(&["<", "<=", ">", ">=", "==", "!="]);
        match self.below(4) {
            0 => format!("v {relation} w"),
            1 => format!("{} {relation} 0.0f", self.pick(&["x", "y", "z"])),
            2 => "n & 1".to_owned(),
            _ => format!("x {relation} {}", self.pick(&["y", "z"])),
        }
    }

    fn assignment(&mut self) -> String {
        match self.below(8) {
            0..=3 => {
                let value = self.single();
                format!("{} = {value};", self.pick(&["x", "y", "z"]))
            }
            4 | 5 => {
                let value = self.double();
                format!("{} = {value};", self.pick(&["v", "w"]))
            }
            6 => format!("n = n + whole({});", self.pick(&["x", "y", "z"])),
            _ => format!("n = n ^ (i32)natural({});", self.pick(&["v", "w"])),
        }
    }

    fn statement(&mut self) {
        let (condition, first, second) = (self.condition(), self.assignment(), self.assignment());
        let line = match self.below(5) {
            0 => format!("if ({condition}) {{ {first} }} else {{ {second} }}"),
            1 => format!("for (int i = 0; i < 2; i++) {{ {first} }}"),
            _ => first,
        };
        writeln!(self.text, "    {line}").unwrap();
    }
}
