//! Divisions by clear numbers as two compilers write them: what they cost, and that every outcome is the
//! interpreter's.

use std::fs;
use std::path::Path;

use crate::comparisons::{both, cost_what_they_ask};
use crate::compiled::{compile, folder, seeds};
use crate::simulated::{Random, agrees_as};

/// A type, an expression of a variable of it, and the most lookups that it may take.
const EXPRESSIONS: [(&str, &str, usize); 71] = [
    ("unsigned", "x / 10", 31),
    ("unsigned", "x % 10", 4),
    ("unsigned", "x / 10 * 16 + x % 10", 35),
    ("unsigned", "x / 3", 16),
    ("unsigned", "x % 3", 3),
    ("unsigned", "x / 5", 32),
    ("unsigned", "x % 5", 4),
    ("unsigned", "x / 7", 36),
    ("unsigned", "x % 7", 7),
    ("unsigned", "x / 14", 35),
    ("unsigned", "x % 14", 7),
    ("unsigned", "x % 28", 6),
    ("unsigned", "x / 38 * 64 + x % 38", 64),
    ("unsigned", "x / 9", 31),
    ("unsigned", "x % 9", 23),
    ("unsigned", "x / 12", 15),
    ("unsigned", "x % 12", 3),
    ("unsigned", "x / 60", 44),
    ("unsigned", "x % 60", 24),
    ("unsigned", "x / 100", 51),
    ("unsigned", "x % 100", 38),
    ("unsigned", "x / 1000", 50),
    ("unsigned", "x % 1000", 45),
    ("unsigned", "x / 11", 59),
    ("unsigned", "x % 11", 40),
    ("unsigned", "x / 19", 60),
    ("unsigned", "x % 3 == 0", 3),
    ("unsigned", "x % 10 == 0", 5),
    ("unsigned", "x % 10 == 3", 16),
    ("unsigned", "x % 12 != 0", 3),
    ("unsigned", "x % 15 ? x % 5 ? x % 3 ? 4 : 3 : 2 : 1", 39),
    ("unsigned", "(x / 10) % 10", 35),
    ("unsigned", "x / 3600 % 24", 54),
    ("unsigned", "(x / 10) / 10", 51),
    ("unsigned", "x - x / 10 * 9", 47),
    ("unsigned", "x / 10 == y / 10", 71),
    ("unsigned", "(x >> 3) / 5", 29),
    ("unsigned", "(x & 0xffff) * 52429u >> 19", 13),
    ("unsigned", "(x & 0xffff) * 52429u >> 15", 23),
    ("unsigned", "x * 0xaaaaaaab <= 0x55555554", 45),
    ("unsigned", "(x * 0xaaaaaaab >> 3) + x / 3", 61),
    ("unsigned short", "x / 10", 13),
    ("unsigned short", "x % 10", 2),
    ("unsigned short", "x / 7", 30),
    ("unsigned short", "x % 7", 37),
    ("unsigned short", "x / 100", 17),
    ("unsigned short", "x % 1000", 21),
    ("unsigned short", "x % 6 == 0", 21),
    ("unsigned char", "x / 10", 4),
    ("unsigned char", "x % 10", 1),
    ("unsigned char", "x / 3 + x % 7 * 256", 17),
    ("unsigned char", "x % 60", 7),
    ("unsigned char", "(x / 49) * 8192 ^ (x % 49)", 22),
    ("unsigned char", "(x / 97) * 8192 ^ (x % 97)", 17),
    ("short", "x / 10", 26),
    ("short", "x % 10", 34),
    ("signed char", "x / 3", 9),
    ("int", "x / 10", 48),
    ("int", "x % 10", 6),
    ("int", "x / 10 * 16 + x % 10", 47),
    ("int", "x / 3", 30),
    ("int", "x % 3", 3),
    ("int", "x / 7", 57),
    ("int", "x % 7", 9),
    ("int", "x % 60", 27),
    ("int", "x / -10", 74),
    ("int", "x % 3 == 0", 3),
    ("int", "x % 10 == 0", 5),
    ("int", "x % 2 == 0 && x % 3 == 0", 4),
    ("int", "(x & 0xffff) / 7", 30),
    ("int", "(x & 0xffff) % 60", 11),
];

#[test]
#[ignore = "slow: 52 s"]
fn divisions_by_numbers_cost_what_they_ask() {
    // Any numbers, small ones, and those next to the ends.
    cost_what_they_ask("quotients", &EXPRESSIONS, |_, random| match random % 4 {
        0 => random >> 8,
        1 => random >> 8 & 0xfff,
        2 => (random >> 8) % 300,
        _ => 0u64.wrapping_sub((random >> 8) % 300) ^ (random & 4) << 29,
    });
}

/// Expressions of `x` and `y` by divisors D and E, with a number R.
const SHAPES: [&str; 16] = [
    "x / D",
    "x % D",
    "x % D == 0",
    "x % D == R",
    "x % D != R && y % E",
    "x / D * 16 + x % D",
    "x - x / D * E",
    "(x >> 3) / D",
    "x / D / E",
    "x / D % E",
    "x % D % E",
    "y % D + x / D",
    "(x / D == y / D) + 2 * (x % E < R)",
    "(x ^ y) % D",
    "(x & 0x3fff) / D + (y & 0xff) % E",
    "x < y ? x / D : y % D",
];

/// Numbers that programs divide by, small ones of few factors, and any.
fn divisor(random: &mut Random) -> u64 {
    const USUAL: [u64; 12] = [3, 5, 6, 7, 10, 12, 60, 100, 365, 1000, 3600, 86_400];
    let any = random.next() >> 8;
    match any % 4 {
        0 => USUAL[(any >> 8) as usize % USUAL.len()],
        1 => 2 + (any >> 8) % 30,
        2 => [3, 5, 7, 9, 15, 21, 25, 105][(any >> 8) as usize % 8] << ((any >> 16) % 9),
        _ => 1 + ((any >> 8) & 0x7fff_ffff) % (1 << (1 + (any >> 40) % 31)),
    }
}

/// Programs of random divisions, by two compilers at four levels.
fn divisions_agree(default_count: u64) {
    let folder = folder("divided");
    let (first, count) = seeds(1, default_count);
    for seed in first..first + count {
        let mut random = Random(seed);
        let mut divisors = vec![];
        let types = [
            "unsigned",
            "int",
            "unsigned short",
            "short",
            "unsigned char",
            "unsigned",
        ];
        let ty = types[random.next() as usize % types.len()];
        let lines: String = (0..4)
            .map(|at| {
                let shape = SHAPES[random.next() as usize % SHAPES.len()];
                let (d, e) = (divisor(&mut random), divisor(&mut random));
                let sign = if ty == "int" && random.next().is_multiple_of(8) {
                    "-"
                } else {
                    ""
                };
                divisors.extend([d, e]);
                let rest = (random.next() >> 8) % d;
                let text = shape
                    .replace('D', &format!("({sign}{d})"))
                    .replace('E', &e.to_string());
                format!("    r[{at}] = {};\n", text.replace('R', &rest.to_string()))
            })
            .collect();
        let source = folder.join(format!("{seed}.c"));
        let text = format!("{ty} x, y;\nint r[4];\nint main(void) {{\n{lines}    return 0;\n}}\n");
        fs::write(&source, text).unwrap();
        let level = ["-O1", "-O2", "-O3", "-Os"][random.next() as usize % 4];
        for clang in [false, true] {
            let elf = folder.join(format!("{seed}{clang}.elf"));
            compile(&source, &elf, clang, &[level]);
            let elf = fs::read(&elf).unwrap();
            // Any numbers, short ones, and those beside multiples and ends.
            let value = |_: &str, random: u64| {
                let at = random >> 8;
                let divisor = divisors[(random >> 3) as usize % divisors.len()];
                match random % 6 {
                    0 => at,
                    1 => at & 0xfff,
                    2 => 0u64.wrapping_sub(at & 0xff),
                    3 => (1u64 << 31).wrapping_add(at & 7).wrapping_sub(4),
                    _ => (at % (1 << 32) / divisor * divisor)
                        .wrapping_add(at >> 40 & 3)
                        .wrapping_sub(1),
                }
            };
            println!("seed {seed}, clang {clang}");
            agrees_as(&elf, &["x", "y"], seed, value, both);
        }
    }
}

/// One of several.
fn one_of<T: Copy>(random: &mut Random, from: &[T]) -> T {
    from[(random.next() >> 8) as usize % from.len()]
}

/// A number that compilers multiply by for a divisor, now and then next to it, and how many bits of the upper word
/// are below the quotient.
fn factor(random: &mut Random) -> (u32, u64) {
    let divisor = one_of(random, &[3_u64, 5, 7, 10, 12, 60, 100]);
    let below = 32 + (divisor.ilog2() as u64 + random.next() % 2).saturating_sub(random.next() % 2);
    let near = one_of(random, &[0_u64, 0, 0, 0, 0, 0, 1, u64::MAX]);
    let factor = (1_u64 << below).div_ceil(divisor).wrapping_add(near);
    (factor as u32, below - 32)
}

/// The inverse modulo 2³² of a small odd number.
fn inverse(random: &mut Random) -> u32 {
    let odd = one_of(random, &[3_u32, 5, 7, 9, 15, 25]);
    (0..5).fold(odd, |guess, _| {
        guess.wrapping_mul(2_u32.wrapping_sub(odd.wrapping_mul(guess)))
    })
}

/// Instructions of which divisions are made, in orders of which many make none: %0 and %1 are secret words, %2 to
/// %4 what comes of them, %5 a number.
fn instructions(random: &mut Random) -> String {
    let mut lines = String::new();
    let (mut last, mut below) = (2, 1);
    for _ in 0..4 + random.next() % 8 {
        let to = 2 + (random.next() >> 8) % 3;
        // Mostly what came last.
        let mut from = || match random.next() >> 8 & 7 {
            0 | 1 => (random.next() >> 8) % 2,
            2 => 2 + (random.next() >> 8) % 3,
            _ => last,
        };
        let (a, b) = (from(), from());
        let secret = (random.next() >> 8) % 2;
        let any = 1 + (random.next() >> 8) % one_of(random, &[1, 3, 32]);
        let shift = one_of(random, &[below.max(1), below.max(1), any]);
        let few = 1 + (random.next() >> 8) % 3;
        let load = |number: u32| {
            format!(
                "movw %5, #{}\n movt %5, #{}\n ",
                number & 0xffff,
                number >> 16
            )
        };
        let product = |random: &mut Random, below: &mut u64| {
            let (factor, bits) = factor(random);
            *below = bits;
            load(factor)
        };
        lines += &match (random.next() >> 8) % 25 {
            0..=2 => product(random, &mut below) + &format!("umull %5, %{to}, %{secret}, %5\n "),
            3 => product(random, &mut below) + &format!("smull %5, %{to}, %{secret}, %5\n "),
            4 => product(random, &mut below) + &format!("smmul %{to}, %{secret}, %5\n "),
            5 => product(random, &mut below) + &format!("smmla %{to}, %{secret}, %5, %{secret}\n "),
            6 => product(random, &mut below) + &format!("mul %{to}, %{secret}, %5\n "),
            7 => load(inverse(random)) + &format!("mul %{to}, %{a}, %5\n "),
            24 => {
                // What asks for a remainder that is not 0.
                let (factor, rest) = (inverse(random), one_of(random, &[0_u32, 1, 2]));
                let moved = factor.wrapping_mul(rest).wrapping_neg();
                load(moved)
                    + &format!("mov %{to}, %5\n ")
                    + &load(factor)
                    + &format!("mla %{to}, %{secret}, %5, %{to}\n ")
            }
            8 | 9 => format!("lsr %{to}, %{a}, #{shift}\n "),
            10 | 11 => format!("asr %{to}, %{a}, #{shift}\n "),
            12 => format!(
                "ror %{to}, %{a}, #{}\n ",
                shift % 32 + u64::from(shift == 32)
            ),
            13 => format!("bic %{to}, %{a}, #{}\n ", (1 << few) - 1),
            14 => format!("add %{to}, %{a}, %{secret}\n "),
            15 => format!("sub %{to}, %{secret}, %{a}\n "),
            16 => format!("add %{to}, %{a}, %{b}, lsl #{few}\n "),
            17 => format!("rsb %{to}, %{a}, %{b}, lsl #{few}\n "),
            18 => format!("sub %{to}, %{secret}, %{a}, lsl #{few}\n "),
            19 => format!("sub %{to}, %{a}, %{secret}, asr #31\n "),
            20 => format!("add %{to}, %{a}, %{b}, lsr #31\n "),
            21 => {
                let divisor = one_of(random, &[3, 10, 12, 14]);
                format!(
                    "mov %5, #{divisor}\n udiv %{to}, %{secret}, %5\n mls %{to}, %{to}, %5, %{secret}\n "
                )
            }
            22 => {
                let most = u32::MAX / one_of(random, &[3, 5, 10, 15]);
                let most = most.wrapping_add(one_of(random, &[0, 0, 1]));
                let first = one_of(random, &[true, false]);
                let compared = if first {
                    format!("%{a}, %5")
                } else {
                    format!("%5, %{a}")
                };
                let condition = one_of(random, &["ls", "hi", "cs", "cc"]);
                load(most)
                    + &format!("cmp {compared}\n mov %{to}, #0\n mov{condition} %{to}, #1\n ")
            }
            _ => format!("and %{secret}, %{secret}, #0xff\n "),
        };
        last = to;
    }
    lines
}

/// A program of such instructions agrees with the interpreter.
fn agrees_of_instructions(folder: &Path, seed: u64, lines: &str) {
    let registers: String = (0..6).map(|at| format!(", \"+r\"(w{at})")).collect();
    let text = format!(
        "unsigned x, y;\nunsigned r[5];\nint main(void) {{\n\
         unsigned w0 = x, w1 = y, w2 = x, w3 = y, w4 = x, w5 = 0;\n\
         __asm__ volatile(\"{}\" : {} : : \"cc\");\n\
         r[0] = w0; r[1] = w1; r[2] = w2; r[3] = w3; r[4] = w4;\n return 0;\n}}\n",
        lines.replace('\n', "\\n"),
        &registers[2..]
    );
    let source = folder.join(format!("{seed}.c"));
    fs::write(&source, text).unwrap();
    let elf = source.with_extension("elf");
    compile(&source, &elf, false, &["-O1"]);
    let elf = fs::read(&elf).unwrap();
    let value = |_: &str, random: u64| match random % 4 {
        0 => random >> 8 & 0x3fff,
        1 => 0u64.wrapping_sub(random >> 8 & 0xff),
        2 => (1u64 << 31).wrapping_add(random >> 8 & 15).wrapping_sub(8),
        _ => random >> 8,
    };
    println!("seed {seed}");
    agrees_as(&elf, &["x", "y"], seed, value, both);
}

/// Made-up programs of such instructions.
fn instructions_agree(default_count: u64) {
    let folder = folder("instructions");
    let (first, count) = seeds(1, default_count);
    for seed in first..first + count {
        let lines = instructions(&mut Random(seed));
        agrees_of_instructions(&folder, seed, &lines);
    }
}

#[test]
#[ignore = "slow: 6 s"]
fn made_up_instructions_of_divisions_agree() {
    instructions_agree(12);
}

#[test]
#[ignore = "slow: hundreds of programs"]
fn many_random_instructions_of_divisions_agree() {
    instructions_agree(600);
}

/// What looks like a quotient and is none: a sign that is shifted, a half of a half, words that are two products.
#[test]
fn near_misses_agree() {
    const ASKED: [&str; 4] = [
        "movw %5, #0xaaab\n movt %5, #0xaaaa\n umull %5, %2, %0, %5\n asr %2, %2, #1",
        "movw %5, #52429\n uxth %2, %0\n mul %2, %2, %5\n asr %2, %2, #19",
        "movw %5, #0x4925\n movt %5, #0x2492\n umull %5, %2, %0, %5\n sub %3, %0, %2\n lsr %3, %3, #1\n \
         lsr %3, %3, #1\n add %3, %3, %2\n lsr %3, %3, #2",
        "bic %0, %0, #0xf0000000\n movw %5, #0xaaad\n movt %5, #0x2aaa\n lsl %2, %0, #1\n \
         umull %4, %3, %2, %5\n sub %4, %2, %3\n lsl %5, %5, #1\n umull %2, %3, %0, %5\n lsr %4, %4, #1\n \
         add %4, %4, %3\n lsr %4, %4, #1",
    ];
    let folder = folder("near");
    for (number, lines) in ASKED.iter().enumerate() {
        agrees_of_instructions(&folder, number as u64, lines);
    }
}

#[test]
#[ignore = "slow: 15 s"]
fn random_divisions_agree() {
    divisions_agree(8);
}

#[test]
#[ignore = "slow: hundreds of programs"]
fn many_random_divisions_agree() {
    divisions_agree(200);
}
