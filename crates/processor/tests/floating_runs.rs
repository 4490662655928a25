//! Floats and doubles: random functions by two compilers at five levels against what the host's
//! compiler makes of the same source, sixty-four inputs at a time.

use std::fmt::Write as _;
use std::fs;

use blindcore_processor::{Branches, Control, Entry, Otherwise, Program, Task, Wanted, run};
use circuits::Profile;
use circuits::sim::Simulator;

use crate::simulated::{LANES, Random, secret, spread, values};
use crate::{compiled, floating};

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];
/// Functions of a file.
const FUNCTIONS: usize = 4;

fn task(program: &Program, entry: &str) -> Task {
    let out = program.variable("out").unwrap();
    Task {
        entry: Entry::Symbol(entry.to_owned()),
        wanted: Wanted::Variables(vec![out.with_type("u32".parse().unwrap())]),
        branches: Branches {
            both: Some(2_000_000),
            otherwise: Otherwise::Refuse,
        },
        ..secret(program, &["in_a", "in_b"])
    }
}

/// Any bits, small numbers, bits of what is special.
fn input(random: &mut Random) -> [u128; LANES] {
    std::array::from_fn(|_| {
        let bits = random.next();
        let number = match bits >> 32 & 7 {
            0 => bits as u32 & 15,
            1 => [
                0x7f80_0000,
                0xff80_0000,
                0x8000_0000,
                0,
                0x7fc0_0000,
                0x3f80_0000,
            ][bits as usize % 6],
            2 => bits as u32 & 0x807f_ffff,
            3 => (bits as u32 & 0x83ff_ffff) + 0x3e00_0000,
            4 => bits as u32 & 0xffff,
            _ => bits as u32,
        };
        u128::from(number)
    })
}

fn agree(seed: u64, files: u64) {
    let mut wrong = Vec::new();
    for file in 0..files {
        let mut random = Random(seed + file);
        let folder = compiled::folder("floating");
        let name = format!("{seed}-{file}");
        let source = folder.join(format!("{name}.c"));
        fs::write(&source, floating::source(&mut random, FUNCTIONS)).unwrap();
        let inputs = [input(&mut random), input(&mut random)];
        let mut lines = String::new();
        for (a, b) in inputs[0].iter().zip(&inputs[1]) {
            writeln!(lines, "{a} {b}").unwrap();
        }
        let (clang, level) = (file % 2 == 1, LEVELS[file as usize / 2 % 5]);
        // Clang has its own signs of zero (`x <= 0 ? v - v : v` at -0, from -O1 on, on every
        // machine): it is compared with itself.
        let (by, like) = if clang {
            ("clang", level)
        } else {
            ("cc", "-O1")
        };
        let host = compiled::of_host_by(by, &source, &["-ffp-contract=off", like], &lines);
        let host: Vec<u32> = host.lines().map(|line| line.parse().unwrap()).collect();
        let elf = folder.join(format!("{name}.elf"));
        let unit = ["vfpv3-d16", "vfpv4"][file as usize / 3 % 2];
        let unit = format!("-mfpu={unit}");
        let flags = [
            level,
            "-g",
            "-mfloat-abi=softfp",
            &unit,
            "-ffp-contract=off",
        ];
        let program = compiled::compile(&source, &elf, clang, &flags);
        let bits: Vec<_> = inputs.iter().flat_map(|lanes| spread(lanes, 32)).collect();
        for function in 0..FUNCTIONS {
            let task = task(&program, &format!("run_{function}"));
            let engine = Simulator::new(Profile::lookup_simulation());
            let outcome = run(&program, &task, &engine, bits.clone(), &Control::default());
            let outcome =
                outcome.unwrap_or_else(|error| panic!("{name}.c run_{function}: {error}"));
            for lane in 0..LANES {
                let found = values(&outcome, lane)[0].1[0] as u32;
                let expected = host[lane * FUNCTIONS + function];
                if found != expected {
                    wrong.push(format!(
                        "{name}.c run_{function} clang {clang} {level} lane {lane}: {found:#x}, not {expected:#x}"
                    ));
                    break;
                }
            }
        }
    }
    let report = wrong.join("\n");
    assert!(wrong.is_empty(), "{} wrong:\n{report}", wrong.len());
}

#[test]
#[ignore = "slow: 9 s"]
fn random_functions_compute_as_on_the_host() {
    agree(1, 10);
}

#[test]
#[ignore = "a thousand random functions, minutes"]
fn many_random_functions_compute_as_on_the_host() {
    let (first, files) = compiled::seeds(1000, 250);
    agree(first, files);
}
