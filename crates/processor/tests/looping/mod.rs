//! C functions made at random whose control flow depends on their arguments: loops that a value
//! ends, with `break` and `continue`, `switch`, early returns, recursion, an array.

use std::fmt::Write as _;

use crate::simulated::Random;

/// How often any loop of such a function goes round at most, and how deep it calls itself.
pub(crate) const ROUNDS: u64 = 16;

/// A function under way.
struct Writer<'r> {
    random: &'r mut Random,
    text: String,
    /// Loops around the place.
    loops: usize,
    /// Whether a `continue` reaches a loop's step, and a `break` a loop.
    in_loop: bool,
    counters: usize,
}

/// `functions` functions `run_N`, from `in_a` and `in_b` to `out`, with a `main` for the host.
pub(crate) fn source(random: &mut Random, functions: usize) -> String {
    let mut text = "\
typedef unsigned int u32; typedef int i32;
u32 in_a, in_b, out;
static u32 t[8];
"
    .to_owned();
    for number in 0..functions {
        let mut writer = Writer {
            random,
            text: String::new(),
            loops: 0,
            in_loop: false,
            counters: 0,
        };
        let call = writer.expression();
        writer.block(1, 2 + number % 3);
        let body = writer.text;
        writeln!(
            text,
            "static u32 down_{number}(u32 n, u32 x) {{ u32 y = n, z = 1;\n\
             if ((n & 7) == 0) return x; z = down_{number}((n & 7) - 1, x ^ (n << 3));\n\
             return n & 1 ? z + n : z ^ ({call}); }}\n\
             static u32 twice_{number}(u32 n, u32 x) {{ u32 y = n, z = x;\n\
             if ((n & 7) < 2) return x + n; y = twice_{number}((n & 7) - 1, {call});\n\
             return y + 3 * twice_{number}((n & 7) - 2, y); }}\n\
             static u32 f_{number}(u32 x, u32 y) {{ u32 z = 1;\n\
             for (u32 k = 0; k < 8; k++) t[k] = k * 5;\n{body}    return x + 3 * y + 5 * z + t[1] + t[6]; }}\n\
             void run_{number}(void) {{ out = f_{number}(in_a, in_b) {}; }}",
            match number % 2 {
                0 => format!("+ down_{number}(in_b, in_a)"),
                _ => format!("+ twice_{number}(in_b, in_a)"),
            }
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

    fn variable(&mut self) -> &'static str {
        ["x", "y", "z"][self.below(3) as usize]
    }

    fn expression(&mut self) -> String {
        let (a, b) = (self.variable(), self.variable());
        let number = self.below(40);
        match self.below(7) {
            0 => format!("{a} + {number}"),
            1 => format!("{a} ^ {b}"),
            2 => format!("{a} - {b}"),
            3 => format!("{a} >> {}", number % 7),
            4 => format!("({a} << {}) + {b}", number % 5),
            5 => format!("t[{a} & 7]"),
            _ => format!("{a} & {}", 3 * number),
        }
    }

    fn condition(&mut self) -> String {
        let (a, number) = (self.expression(), self.below(300));
        match self.below(5) {
            0 => format!("({a}) > {number}u"),
            1 => format!("((i32)({a})) < {number}"),
            2 => format!("({a}) & 1"),
            3 => format!("(({a}) & 7) == {}", number % 8),
            _ => format!("({a}) != {}", self.variable()),
        }
    }

    fn line(&mut self, depth: usize, text: &str) {
        writeln!(self.text, "{:indent$}{text}", "", indent = 4 * depth).unwrap();
    }

    fn block(&mut self, depth: usize, statements: usize) {
        for _ in 0..statements {
            self.statement(depth);
        }
    }

    fn statement(&mut self, depth: usize) {
        let choice = if depth > 3 {
            self.below(3)
        } else {
            self.below(11)
        };
        match choice {
            0 | 1 => {
                let text = format!("{} = {};", self.variable(), self.expression());
                self.line(depth, &text);
            }
            2 => {
                let text = format!("t[{} & 7] = {};", self.variable(), self.expression());
                self.line(depth, &text);
            }
            3 | 4 => self.choice(depth),
            5 => {
                let text = format!("if ({}) return {};", self.condition(), self.expression());
                self.line(depth, &text);
            }
            6 if self.in_loop => {
                let word = ["break", "continue"][self.below(2) as usize];
                let text = format!("if ({}) {word};", self.condition());
                self.line(depth, &text);
            }
            7 => self.switch(depth),
            _ if self.loops < 2 => self.repetition(depth),
            _ => self.choice(depth),
        }
    }

    fn choice(&mut self, depth: usize) {
        let text = format!("if ({}) {{", self.condition());
        self.line(depth, &text);
        let statements = 1 + self.below(2) as usize;
        self.block(depth + 1, statements);
        if self.below(2) == 0 {
            self.line(depth, "} else {");
            self.block(depth + 1, 1);
        }
        self.line(depth, "}");
    }

    fn switch(&mut self, depth: usize) {
        // With many cases compilers make it a table of jumps.
        let (mask, cases) = match self.below(2) {
            0 => (3, 2 + self.below(2)),
            _ => (15, 6 + self.below(6)),
        };
        let text = format!("switch (({}) & {mask}) {{", self.expression());
        self.line(depth, &text);
        // A `break` within belongs to the switch.
        let in_loop = std::mem::replace(&mut self.in_loop, false);
        for case in 0..cases {
            self.line(depth, &format!("case {case}:"));
            // Cases of many are short.
            self.block(if cases > 4 { depth + 4 } else { depth + 1 }, 1);
            if self.below(4) > 0 {
                self.line(depth + 1, "break;");
            }
        }
        self.line(depth, "default:");
        self.block(depth + 1, 1);
        self.line(depth, "}");
        self.in_loop = in_loop;
    }

    fn repetition(&mut self, depth: usize) {
        let counter = format!("k{}", self.counters);
        self.counters += 1;
        let mask = if self.loops == 0 { 15 } else { 3 };
        let of = self.expression();
        let (begin, end) = match self.below(4) {
            0 => (
                format!("for (u32 {counter} = ({of}) & {mask}; {counter}; {counter}--) {{"),
                "}".to_owned(),
            ),
            1 => (
                format!(
                    "u32 {counter} = ({of}) & {mask}; while ({counter} > 0) {{ {counter} >>= 1;"
                ),
                "}".to_owned(),
            ),
            2 => {
                let condition = self.condition();
                (
                    format!(
                        "for (u32 {counter} = 0; {counter} < {}; {counter}++) {{ if ({condition}) break;",
                        mask / 2 + 1
                    ),
                    "}".to_owned(),
                )
            }
            _ => {
                let condition = self.condition();
                (
                    format!("u32 {counter} = ({of}) & {mask}; do {{"),
                    format!("}} while ({counter} && {counter}-- && ({condition}));"),
                )
            }
        };
        // A declaration needs a block of its own behind a label.
        self.line(depth, &format!("{{ {begin}"));
        self.loops += 1;
        let outside = std::mem::replace(&mut self.in_loop, true);
        let statements = 1 + self.below(3) as usize;
        self.block(depth + 1, statements);
        self.in_loop = outside;
        self.loops -= 1;
        self.line(depth, &format!("{end} }}"));
    }
}
