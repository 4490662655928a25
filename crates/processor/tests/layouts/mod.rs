//! Random structures in C, with functions that write their members from numbers and read them back.
//!
//! As in `programs/layouts.c`: `fill_NAME` takes the members of the object `NAME` from `in`, one
//! after another in the order of the source, and `show_NAME` leaves them in `plain_NAME`.

use std::fmt::Write;

use crate::simulated::Random;

/// As many numbers as there are in `in`, and as many elements as a structure has at most.
pub(crate) const NUMBERS: usize = 64;

/// C types of whole numbers, with their bits.
const WHOLE: [(&str, u64); 16] = [
    ("unsigned char", 8),
    ("signed char", 8),
    ("char", 8),
    ("unsigned short", 16),
    ("short", 16),
    ("unsigned", 32),
    ("int", 32),
    ("word", 32),
    ("number", 32),
    ("unsigned long long", 64),
    ("long long", 64),
    ("enum few", 8),
    ("enum signs", 8),
    ("enum more", 16),
    ("enum most", 32),
    ("_Bool", 1),
];

const PRELUDE: &str = "\
enum few { ZERO, ONE, SEVEN = 7 };
enum signs { LESS = -3, SAME, GREATER = 100 };
enum more { HERE = -300, THERE = 300 };
enum most { LEAST = -2000000000, GREATEST = 2000000000 };
typedef int number;
#ifdef HOST
typedef unsigned word;
#else
typedef unsigned long word;
#endif
long long in[64];
";

const MAIN: &str = "\
#ifndef HOST
int main(void) { return 0; }
#else
int printf(const char *, ...);
int scanf(const char *, ...);
int main(void) {
    for (;;) {
        for (int k = 0; k < 64; k++)
            if (scanf(\"%lld\", &in[k]) != 1) return 0;
        for (int n = 0; n < sizeof runs / sizeof *runs; n++) {
            runs[n].fill();
            runs[n].show();
            for (int k = 0; k < *runs[n].count; k++) printf(\"%lld \", runs[n].plain[k]);
            printf(\"\\n\");
        }
    }
}
#endif
";

/// A source with the objects `s0`, `s1`, ….
pub(crate) fn source(random: &mut Random, structures: usize) -> String {
    let mut text = PRELUDE.to_owned();
    let mut runs = String::new();
    for number in 0..structures {
        let name = format!("s{number}");
        let mut generator = Generator {
            random,
            elements: Vec::new(),
            names: 0,
        };
        let body = generator.members(&name, 0);
        let attributes = ["", "", " __attribute__((packed))"][generator.below(3)];
        writeln!(text, "struct {{\n{body}}}{attributes} {name};").unwrap();
        writeln!(text, "long long plain_{name}[64];\nunsigned count_{name};").unwrap();
        let elements = &generator.elements;
        for (function, statement) in [("fill", "{} = in[#];"), ("show", "plain_@[#] = {};")] {
            writeln!(text, "void {function}_{name}(void) {{").unwrap();
            for (k, element) in elements.iter().enumerate() {
                let statement = statement.replace('@', &name);
                let statement = statement.replace('#', &k.to_string());
                writeln!(text, "    {}", statement.replace("{}", element)).unwrap();
            }
            if function == "show" {
                writeln!(text, "    count_{name} = {};", elements.len()).unwrap();
            }
            writeln!(text, "}}").unwrap();
        }
        write!(
            runs,
            "{{fill_{name}, show_{name}, plain_{name}, &count_{name}}}, "
        )
        .unwrap();
    }
    let table = "struct { void (*fill)(void), (*show)(void); long long *plain; unsigned *count; }";
    write!(
        text,
        "#ifdef HOST\n{table} runs[] = {{{runs}}};\n#endif\n{MAIN}"
    )
    .unwrap();
    text
}

struct Generator<'r> {
    random: &'r mut Random,
    /// Expressions for the elements that have names, in the order of the source.
    elements: Vec<String>,
    names: usize,
}

impl Generator<'_> {
    fn below(&mut self, limit: usize) -> usize {
        (self.random.next() % limit as u64) as usize
    }

    fn fresh(&mut self) -> String {
        self.names += 1;
        format!("m{}", self.names)
    }

    /// The members of a structure that is reached by this path.
    fn members(&mut self, path: &str, depth: usize) -> String {
        let count = 2 + self.below(if depth == 0 { 9 } else { 4 });
        let mut text = String::new();
        for at in 0..count {
            // A structure needs a member with a name.
            let kind = if at == 0 { 0 } else { self.below(16) };
            text += &self.member(kind, path, depth);
        }
        text
    }

    fn member(&mut self, kind: usize, path: &str, depth: usize) -> String {
        let (ty, bits) = WHOLE[self.below(WHOLE.len())];
        let name = self.fresh();
        let room = NUMBERS - self.elements.len();
        match kind {
            // Nothing but more bit-fields when there is no room for more.
            _ if room < 16 => format!("{ty} : {};\n", 1 + self.below(bits as usize)),
            0..9 => {
                let width = 1 + self.below(bits as usize);
                self.elements.push(format!("{path}.{name}"));
                format!("{ty} {name} : {width};\n")
            }
            9 => format!("{ty} : {};\n", self.below(1 + bits as usize)),
            10 | 11 => {
                self.elements.push(format!("{path}.{name}"));
                format!("{ty} {name};\n")
            }
            12 => {
                let (rows, columns) = (1 + self.below(3), 1 + self.below(2));
                for row in 0..rows {
                    for column in 0..columns {
                        self.elements
                            .push(format!("{path}.{name}[{row}][{column}]"));
                    }
                }
                format!("{ty} {name}[{rows}][{columns}];\n")
            }
            13 if depth < 2 => format!("struct {{\n{}}};\n", self.members(path, depth + 1)),
            14 if depth < 2 => {
                let inner = self.members(&format!("{path}.{name}"), depth + 1);
                format!("struct {{\n{inner}}} {name};\n")
            }
            // An array of structures: what the first has, the others have.
            15 if depth == 0 => {
                let from = self.elements.len();
                let inner = self.members(&format!("{path}.{name}[0]"), 2);
                let own = self.elements.split_off(from);
                let first = format!("{path}.{name}[0]");
                let most = (room / own.len()).min(2);
                for index in 0..most {
                    let next = format!("{path}.{name}[{index}]");
                    self.elements
                        .extend(own.iter().map(|own| own.replacen(&first, &next, 1)));
                }
                format!("struct {{\n{inner}}} {name}[{most}];\n")
            }
            _ => {
                self.elements.push(format!("{path}.{name}"));
                format!("{ty} {name};\n")
            }
        }
    }
}
