//! Random C functions that index arrays by secrets: on the stack, static, in structures, of two
//! dimensions, through pointers into their middle and in functions that are called with them.
//!
//! Every function is valid C: each index is generated for the range that its array has, from inputs
//! whose ranges are known. What a function leaves is a hash of what it read, of its own arrays and
//! of all static ones, so that a store that is lost or goes astray shows.

use std::fmt::Write;

use crate::simulated::Random;

/// The inputs: C type, name, least and greatest value.
pub(crate) const INPUTS: [(&str, &str, i64, i64); 4] = [
    ("s32", "i", 4, 11),
    ("u32", "j", 0, 7),
    ("u8", "b", 2, 9),
    ("u32", "v", 0, u32::MAX as i64),
];

const TYPES: [&str; 6] = ["u8", "s8", "u16", "s16", "u32", "s32"];

/// What the constants are that functions with a pointer argument add to their index.
const MOVES: [i32; 6] = [0, -1, 1, -3, 6, -20];

const PRELUDE: &str = "\
typedef unsigned char u8;
typedef signed char s8;
typedef unsigned short u16;
typedef short s16;
typedef unsigned u32;
typedef int s32;
#define MIX(h, x) (h) = (((h) << 7) | ((h) >> 25)) ^ (u32)(x)
#define APART __attribute__((noinline))
s32 in_i;
u32 in_j;
u8 in_b;
u32 in_v;
static APART u32 step(u32 k) { return k * 37u + 11u; }
static APART u32 same(u32 n) { return n; }
";

/// What compilers call where the source does not, and the host's program around the functions.
const LIBRARY: &str = "\
#ifndef HOST
#define PLAIN __attribute__((noinline, used))
PLAIN void *memcpy(void *to, const void *from, u32 n) {
    for (u32 k = 0; k < n; k++) ((volatile u8 *)to)[k] = ((const u8 *)from)[k];
    return to;
}
PLAIN void *memmove(void *to, const void *from, u32 n) {
    if (to < from) return memcpy(to, from, n);
    for (u32 k = n; k > 0; k--) ((volatile u8 *)to)[k - 1] = ((const u8 *)from)[k - 1];
    return to;
}
PLAIN void *memset(void *to, int byte, u32 n) {
    for (u32 k = 0; k < n; k++) ((volatile u8 *)to)[k] = (u8)byte;
    return to;
}
PLAIN void __aeabi_memcpy(void *to, const void *from, u32 n) { memcpy(to, from, n); }
PLAIN void __aeabi_memcpy4(void *to, const void *from, u32 n) { memcpy(to, from, n); }
PLAIN void __aeabi_memcpy8(void *to, const void *from, u32 n) { memcpy(to, from, n); }
PLAIN void __aeabi_memset(void *to, u32 n, int byte) { memset(to, byte, n); }
PLAIN void __aeabi_memset4(void *to, u32 n, int byte) { memset(to, byte, n); }
PLAIN void __aeabi_memset8(void *to, u32 n, int byte) { memset(to, byte, n); }
PLAIN void __aeabi_memclr(void *to, u32 n) { memset(to, 0, n); }
PLAIN void __aeabi_memclr4(void *to, u32 n) { memset(to, 0, n); }
PLAIN void __aeabi_memclr8(void *to, u32 n) { memset(to, 0, n); }
int main(void) { return 0; }
#else
int printf(const char *, ...);
int scanf(const char *, ...);
int main(void) {
    while (scanf(\"%d %u %hhu %u\", &in_i, &in_j, &in_b, &in_v) == 4) {
        for (u32 k = 0; k < sizeof runs / sizeof *runs; k++) {
            runs[k]();
            printf(\"%u\\n\", out[k]);
        }
    }
    return 0;
}
#endif
";

/// Something that can be indexed.
#[derive(Clone)]
struct Array {
    /// An expression for a pointer to its first element.
    name: String,
    ty: &'static str,
    length: i32,
    writable: bool,
    /// Elements in a row, where there are rows.
    row: Option<i32>,
}

/// A source file with functions `run_0`, `run_1`, …, which take the inputs from `in_i`… and leave
/// their results in `out[0]`, `out[1]`, ….
pub(crate) fn source(random: &mut Random, functions: usize) -> String {
    let mut generator = Generator {
        random,
        text: PRELUDE.to_owned(),
    };
    generator.file(functions);
    generator.text
}

struct Generator<'r> {
    random: &'r mut Random,
    text: String,
}

impl Generator<'_> {
    fn below(&mut self, limit: i32) -> i32 {
        (self.random.next() % limit as u64) as i32
    }

    fn between(&mut self, least: i32, greatest: i32) -> i32 {
        least + self.below(greatest - least + 1)
    }

    fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as i32) as usize]
    }

    fn line(&mut self, line: &str) {
        self.text.push_str(line);
        self.text.push('\n');
    }

    fn file(&mut self, functions: usize) {
        let _ = writeln!(self.text, "u32 out[{functions}];");
        for ty in TYPES {
            for (number, by) in MOVES.iter().enumerate() {
                let index = format!("x + ({by})");
                let _ = writeln!(
                    self.text,
                    "static APART u32 load_{ty}_{number}(const {ty} *p, s32 x) {{ return (u32)p[{index}]; }}\n\
                     static APART void store_{ty}_{number}({ty} *p, s32 x, u32 v) {{ p[{index}] = ({ty})v; }}"
                );
            }
        }
        let mut statics = Vec::new();
        for number in 0..self.between(3, 6) {
            let array = self.array("static ", &format!("g{number}"));
            if self.below(3) == 0 {
                let _ = writeln!(self.text, "static u32 single{number} = {number};");
                let _ = writeln!(self.text, "u32 *const single{number}_at = &single{number};");
            }
            statics.push(array);
        }
        for number in 0..self.between(0, 2) {
            let (ty, length) = (self.one_of(&TYPES), self.length());
            let values: Vec<String> = (0..length).map(|_| self.below(100).to_string()).collect();
            let values = values.join(", ");
            self.line(&format!(
                "static const {ty} c{number}[{length}] = {{ {values} }};"
            ));
            statics.push(Array {
                name: format!("c{number}"),
                ty,
                length,
                writable: false,
                row: None,
            });
        }
        self.line("static APART void reset(void) {");
        for array in statics.clone().iter().filter(|array| array.writable) {
            let fill = self.fill(array, false);
            self.line(&fill);
        }
        self.line("}\nstatic APART u32 all(u32 h) {");
        for array in &statics {
            let mix = mixed(array);
            self.line(&mix);
        }
        self.line("return h;\n}");
        for number in 0..functions {
            self.function(number, &statics);
        }
        let names: Vec<String> = (0..functions)
            .map(|number| format!("run_{number}"))
            .collect();
        let names = names.join(", ");
        self.line(&format!(
            "#ifdef HOST\nstatic void (*const runs[])(void) = {{ {names} }};\n#endif"
        ));
        self.text.push_str(LIBRARY);
    }

    fn length(&mut self) -> i32 {
        match self.below(8) {
            0 => self.between(2, 5),
            1 => self.between(25, 60),
            _ => self.between(8, 24),
        }
    }

    /// Declares an array by itself, within a structure or of rows.
    fn array(&mut self, storage: &str, name: &str) -> Array {
        let (ty, length) = (self.one_of(&TYPES), self.length());
        let mut array = Array {
            name: name.to_owned(),
            ty,
            length,
            writable: true,
            row: None,
        };
        match self.below(6) {
            0 => {
                let (before, after) = (self.one_of(&TYPES), self.one_of(&TYPES));
                self.line(&format!(
                    "{storage}struct {{ {before} first; {ty} of[{length}]; {after} last[3]; }} {name};"
                ));
                array.name = format!("{name}.of");
            }
            1 => {
                let (rows, row) = (self.between(2, 4), self.between(2, 9));
                self.line(&format!("{storage}{ty} {name}[{rows}][{row}];"));
                array.name = format!("(&{name}[0][0])");
                array.length = rows * row;
                array.row = Some(row);
            }
            2 if storage.is_empty() => {
                self.line(&format!("{ty} {name}[same({length})];"));
            }
            _ => self.line(&format!("{storage}{ty} {name}[{length}];")),
        }
        array
    }

    /// A loop that fills an array with clear numbers, or with some that come from a secret.
    fn fill(&mut self, array: &Array, secrets: bool) -> String {
        let Array {
            name, ty, length, ..
        } = array;
        let (first, by) = (self.below(50), self.between(1, 9));
        let value = match self.below(3) {
            0 if secrets => format!("v ^ step((u32)k * {by}u)"),
            1 => format!("step((u32)k * {by}u + {first}u)"),
            _ => format!("(u32)k * {by}u + {first}u"),
        };
        format!("for (s32 k = 0; k < {length}; k++) {name}[k] = ({ty})({value});")
    }

    /// An expression from the inputs with all values from `least` to `greatest` at most.
    fn index(&mut self, least: i32, greatest: i32) -> String {
        let span = greatest - least;
        let (_, x, low, high) = INPUTS[self.below(3) as usize];
        let (_, y, low_y, high_y) = INPUTS[self.below(3) as usize];
        let (low, high) = (low as i32, high as i32);
        let sign = |number: i32| match number {
            0 => String::new(),
            1.. => format!(" + {number}"),
            _ => format!(" - {}", -number),
        };
        if span >= 7 {
            match self.below(8) {
                0..3 => {
                    let by = self.between(least - low, greatest - high);
                    return format!("(s32){x}{}", sign(by));
                }
                3 => {
                    let from = self.between(least + high, greatest + low);
                    return format!("{from} - (s32){x}");
                }
                4 if span >= 14 => {
                    let by = self.between(least - 2 * low, greatest - 2 * high);
                    return format!("2 * (s32){x}{}", sign(by));
                }
                5 if span >= 14 => {
                    let (low, high) = (low + low_y as i32, high + high_y as i32);
                    let by = self.between(least - low, greatest - high);
                    return format!("(s32){x} + (s32){y}{}", sign(by));
                }
                6 if span >= 21 => {
                    let by = self.between(least - 3 * low, greatest - 3 * high);
                    return format!("3 * (s32){x}{}", sign(by));
                }
                _ => {}
            }
        }
        let masks: Vec<i32> = [1, 3, 7].into_iter().filter(|mask| *mask <= span).collect();
        if masks.is_empty() {
            return format!("{least}");
        }
        let mask = self.one_of(&masks);
        let by = self.between(least, greatest - mask);
        format!("(s32)({x} & {mask}){}", sign(by))
    }

    fn value(&mut self) -> String {
        match self.below(5) {
            0 => "v".to_owned(),
            1 => "v + h".to_owned(),
            2 => "j * 3u + b".to_owned(),
            3 => format!("{}u", self.below(1000)),
            _ => "h".to_owned(),
        }
    }

    /// The element at a secret index.
    fn element(&mut self, array: &Array) -> String {
        let Array {
            name, length, row, ..
        } = array;
        if let Some(row) = row {
            let (r, c) = (self.index(0, length / row - 1), self.index(0, row - 1));
            let name = name.trim_start_matches("(&").trim_end_matches("[0][0])");
            return format!("{name}[{r}][{c}]");
        }
        let index = self.index(0, length - 1);
        format!("{name}[{index}]")
    }

    fn operation(&mut self, arrays: &[Array]) -> String {
        let number = self.below(arrays.len() as i32) as usize;
        let array = &arrays[number];
        let Array {
            name, ty, length, ..
        } = array;
        let (ty, length) = (*ty, *length);
        let element = self.element(array);
        let writable = array.writable;
        match self.below(12) {
            0 | 1 if writable => {
                let value = self.value();
                format!("{element} = ({ty})({value});")
            }
            2 if writable => {
                let value = self.value();
                format!("{element} += ({ty})({value});")
            }
            3 if writable => {
                let other = self.element(array);
                format!("{{ {ty} t = {element}; {element} = {other}; {other} = t; }}")
            }
            4 if writable => {
                let value = self.value();
                format!("if (v & 1) {element} = ({ty})({value});")
            }
            5 => {
                let middle = self.between(0, length - 1);
                let index = self.index(-middle, length - 1 - middle);
                format!("{{ const {ty} *p = {name} + {middle}; MIX(h, p[{index}]); }}")
            }
            6 | 7 => {
                let which = self.below(MOVES.len() as i32) as usize;
                let middle = self.between(0, length - 1);
                let from = -middle - MOVES[which];
                let index = self.index(from, from + length - 1);
                if writable && self.below(2) == 0 {
                    let value = self.value();
                    format!("store_{ty}_{which}({name} + {middle}, {index}, {value});")
                } else {
                    format!("MIX(h, load_{ty}_{which}({name} + {middle}, {index}));")
                }
            }
            8 => {
                let index = self.index(0, length - 2);
                format!(
                    "{{ const {ty} *p = &{name}[{index}]; MIX(h, (u32)p[0] * 3u + (u32)p[1]); }}"
                )
            }
            9 => {
                let others = arrays.iter().filter(|other| other.ty == ty);
                let others: Vec<Array> = others.cloned().collect();
                let at = self.below(others.len() as i32) as usize;
                let other = &others[at];
                let index = self.index(0, length.min(other.length) - 1);
                let other = &other.name;
                format!("{{ const {ty} *p = (v & 2) ? {name} : {other}; MIX(h, p[{index}]); }}")
            }
            10 if length >= 12 => {
                format!("for (s32 k = 0; k < 4; k++) MIX(h, {name}[k + (s32)j]);")
            }
            _ => format!("MIX(h, {element});"),
        }
    }

    fn function(&mut self, number: usize, statics: &[Array]) {
        let keyword = ["", "static ", "static APART "][self.below(3) as usize];
        self.line(&format!(
            "{keyword}u32 f_{number}(s32 i, u32 j, u8 b, u32 v) {{\nu32 h = {number};"
        ));
        let mut locals = Vec::new();
        for local in 0..self.between(1, 3) {
            let array = self.array("", &format!("t{local}"));
            let fill = self.fill(&array, true);
            self.line(&fill);
            locals.push(array);
        }
        for _ in 0..self.between(1, 4) {
            let operation = match self.below(3) {
                0 => self.operation(statics),
                _ => self.operation(&locals),
            };
            self.line(&operation);
        }
        for array in &locals {
            let mix = mixed(array);
            self.line(&mix);
        }
        self.line("return h;\n}");
        self.line(&format!(
            "void run_{number}(void) {{ reset(); out[{number}] = all(f_{number}(in_i, in_j, in_b, in_v)); }}"
        ));
    }
}

/// A loop over all elements.
fn mixed(array: &Array) -> String {
    let Array { name, length, .. } = array;
    format!("for (s32 k = 0; k < {length}; k++) MIX(h, {name}[k]);")
}
