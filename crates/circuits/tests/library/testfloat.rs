//! Circuits and the interpreter's arithmetic against Berkeley TestFloat, by J. Hauser: its generator
//! gives operands, results and exceptions by SoftFloat, built for ARM's rules. It is no part of this
//! repository: `TESTFLOAT_GEN` names the program, `TESTFLOAT_LEVEL` the level (1 if not named).

use std::io::{BufRead, BufReader};
use std::process::{Command, Stdio};

use a32::{FloatFormat, FloatMode, FloatOperation, Invalid, Precision, Signedness};
use blindcore_circuits::{Circuit, Profile, sim};

use super::floats::{circuit, operands};

/// Names of modes, and RMode in FPSCR.
const MODES: [(&str, u32); 4] = [
    ("-rnear_even", 0),
    ("-rmax", 1),
    ("-rmin", 2),
    ("-rminMag", 3),
];

/// How a result is read.
#[derive(Clone, Copy, PartialEq)]
enum Reading {
    Bits,
    /// All NaNs count as one: what TestFloat says of three operands is no rule of ARM's.
    AnyNan,
    /// Less, or equal, or one of both, by N and Z in bits 31 and 30.
    Flags(u32),
}

fn functions() -> Vec<(String, FloatOperation, Reading)> {
    let mut all = Vec::new();
    for (f, precision) in [("f32", Precision::Single), ("f64", Precision::Double)] {
        let mut push = |name: &str, operation, reading| {
            all.push((format!("{f}_{name}"), operation, reading));
        };
        push("add", FloatOperation::Add(precision), Reading::Bits);
        push("sub", FloatOperation::Subtract(precision), Reading::Bits);
        push("mul", FloatOperation::Multiply(precision), Reading::Bits);
        push("div", FloatOperation::Divide(precision), Reading::Bits);
        push("sqrt", FloatOperation::SquareRoot(precision), Reading::Bits);
        push(
            "mulAdd",
            FloatOperation::MultiplyAdd(precision),
            Reading::AnyNan,
        );
        let quiet = FloatOperation::Compare(precision, Invalid::Signaling);
        let every = FloatOperation::Compare(precision, Invalid::Every);
        push("eq", quiet, Reading::Flags(1));
        push("eq_signaling", every, Reading::Flags(1));
        push("lt", every, Reading::Flags(2));
        push("lt_quiet", quiet, Reading::Flags(2));
        push("le", every, Reading::Flags(3));
        push("le_quiet", quiet, Reading::Flags(3));
        let whole = FloatOperation::RoundToIntegral {
            precision,
            rounding: None,
            inexact: true,
        };
        push("roundToInt", whole, Reading::Bits);
        for (i, signedness) in [("i32", Signedness::Signed), ("ui32", Signedness::Unsigned)] {
            let to = FloatOperation::ToFixed {
                precision,
                signedness,
                width: 32,
                fraction_bits: 0,
                rounding: None,
            };
            all.push((format!("{f}_to_{i}"), to, Reading::Bits));
            let from = FloatOperation::FromFixed {
                precision,
                signedness,
                fraction_bits: 0,
                rounding: None,
            };
            all.push((format!("{i}_to_{f}"), from, Reading::Bits));
        }
    }
    let formats = [
        ("f16", FloatFormat::Half),
        ("f32", FloatFormat::Single),
        ("f64", FloatFormat::Double),
    ];
    for (a, from) in formats {
        for (c, to) in formats {
            if from != to {
                let convert = FloatOperation::Convert { from, to };
                all.push((format!("{a}_to_{c}"), convert, Reading::Bits));
            }
        }
    }
    all
}

/// Exceptions as SoftFloat numbers them, in the places of FPSCR.
fn flags(theirs: u64) -> u64 {
    (0..5).map(|bit| (theirs >> bit & 1) << (4 - bit)).sum()
}

struct Line {
    operands: Vec<u64>,
    result: u64,
    flags: u64,
}

fn is_nan(bits: u64, format: FloatFormat) -> bool {
    match format {
        FloatFormat::Half => bits & 0x7fff > 0x7c00,
        FloatFormat::Single => bits & 0x7fff_ffff > 0x7f80_0000,
        FloatFormat::Double => bits & (u64::MAX >> 1) > 0x7ff0_0000_0000_0000,
    }
}

fn agrees(reading: Reading, format: FloatFormat, found: (u64, u64), line: &Line) -> bool {
    let value = match reading {
        Reading::Flags(asked) => {
            let (less, equal) = (found.0 >> 31 & 1, found.0 >> 30 & 1);
            u64::from(asked & 1 == 1 && equal == 1 || asked & 2 == 2 && less == 1)
        }
        Reading::AnyNan if is_nan(found.0, format) && is_nan(line.result, format) => line.result,
        _ => found.0,
    };
    value == line.result && found.1 == line.flags
}

fn compare(
    operation: FloatOperation,
    reading: Reading,
    mode: u32,
    circuit: &Circuit,
    lines: &[Line],
) {
    let formats = operands(operation);
    let mut lanes = Vec::new();
    for (number, format) in formats.iter().enumerate() {
        let width = if *format == FloatFormat::Half {
            16
        } else {
            32 * format.words()
        };
        for at in 0..width {
            let bit = |(lane, line): (usize, &Line)| (line.operands[number] >> at & 1) << lane;
            lanes.push(lines.iter().enumerate().map(bit).sum());
        }
    }
    let outputs = sim::evaluate(circuit, &lanes).unwrap();
    let (value, met) = outputs.split_at(outputs.len() - 6);
    let gather = |bits: &[u64], lane: usize| {
        let bit = |(at, bits): (usize, &u64)| (bits >> lane & 1) << at;
        bits.iter().enumerate().map(bit).sum::<u64>()
    };
    for (lane, line) in lines.iter().enumerate() {
        let words = line.operands.iter().zip(&formats);
        let words: Vec<u32> = words
            .flat_map(|(&value, format)| {
                [value as u32, (value >> 32) as u32]
                    .into_iter()
                    .take(format.words())
            })
            .collect();
        let plain = operation.compute(FloatMode::of(mode << 22), &words);
        let wide = u64::from(plain.words[1]) << 32 | u64::from(plain.words[0]);
        let format = formats[0];
        for found in [
            (wide, u64::from(plain.exceptions)),
            (gather(value, lane), gather(met, lane) & 31),
        ] {
            assert!(
                agrees(reading, format, found, line),
                "{operation:?} mode {mode} of {:x?}: {found:x?} and not {:x} {:x}",
                line.operands,
                line.result,
                line.flags,
            );
        }
    }
}

#[test]
#[ignore = "needs Berkeley TestFloat, TESTFLOAT_GEN=PROGRAM; minutes"]
fn berkeley_testfloat_agrees() {
    let generator = std::env::var("TESTFLOAT_GEN").expect("the generator of Berkeley TestFloat");
    let level = std::env::var("TESTFLOAT_LEVEL").unwrap_or_else(|_| "1".to_owned());
    let only = std::env::var("TESTFLOAT_ONLY").unwrap_or_default();
    let profile = Profile::lookup_simulation();
    for (name, operation, reading) in functions() {
        if !name.contains(&only) {
            continue;
        }
        let mut count = 0usize;
        for (rounding, mode) in MODES {
            let circuit = circuit(&profile, operation, FloatMode::of(mode << 22), true);
            let mut command = Command::new(&generator);
            command.args([
                "-level",
                &level,
                rounding,
                "-tininessbefore",
                "-exact",
                &name,
            ]);
            let mut child = command.stdout(Stdio::piped()).spawn().unwrap();
            let mut lines = Vec::new();
            for line in BufReader::new(child.stdout.take().unwrap()).lines() {
                let numbers = line.unwrap();
                let words = numbers.split_whitespace();
                let words = words.map(|word| u64::from_str_radix(word, 16).unwrap());
                let mut words: Vec<u64> = words.collect();
                let theirs = flags(words.pop().unwrap());
                let result = words.pop().unwrap();
                lines.push(Line {
                    operands: words,
                    result,
                    flags: theirs,
                });
                count += 1;
                if lines.len() == 64 {
                    compare(operation, reading, mode, &circuit, &lines);
                    lines.clear();
                }
            }
            compare(operation, reading, mode, &circuit, &lines);
            assert!(child.wait().unwrap().success());
        }
        println!("{name}: {count} agree");
    }
}
