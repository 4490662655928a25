//! Programs that are linked with a compiler's own libraries: against the host, sixty-four inputs at
//! a time.

use std::fmt::Write as _;
use std::path::PathBuf;

use blindcore_processor::{Entry, Plan, Program, RunError, Task, Wanted, plan};
use circuits::Profile;

use crate::compiled::of_host;
use crate::simulated::{LANES, Random, secret, simulate, spread, values};

const THUMB: &[u8] = include_bytes!("programs/stock.elf");
const A32: &[u8] = include_bytes!("programs/stock_a32.elf");
const RESULTS: usize = 48;

/// Any bits, ordinary numbers with a fraction, few bits, what is special.
fn input(random: &mut Random) -> [u128; LANES] {
    std::array::from_fn(|_| {
        let bits = random.next();
        let number = match random.next() & 7 {
            0 => bits & 0xff,
            1 => bits & 0x800f_ffff_ffff_ffff | 0x4010_0000_0000_0000,
            2 => bits & 0x80ff_ffff_ffff_ffff | 0x3f00_0000_0000_0000,
            3 => bits & 0x8000_0000_0000_000f,
            4 => (bits & 1) << 63 | 0x7ff0_0000_0000_0000,
            5 => 0x4340_0000_3f80_0000 + (bits & 0xf_0000_000f),
            6 => u64::MAX << (bits & 63),
            _ => bits,
        };
        u128::from(number)
    })
}

fn task(program: &Program) -> Task {
    let ty = format!("u64[{RESULTS}]").parse().unwrap();
    Task {
        wanted: Wanted::Variables(vec![program.variable("r").unwrap().with_type(ty)]),
        ..secret(program, &["a", "b"])
    }
}

/// Quotients, numbers with a fraction, texts and the heap, without a branch on secrets.
#[test]
#[ignore = "slow: 33 s"]
fn routines_of_stock_libraries_agree_with_the_host() {
    let folder = crate::compiled::folder("stock");
    let source = folder.join("stock.c");
    let fixtures = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/programs");
    std::fs::copy(fixtures.join("stock.c"), &source).unwrap();
    let mut random = Random(0x5704_c4b1);
    for elf in [THUMB, A32] {
        let program = Program::load(elf).unwrap();
        let inputs = [input(&mut random), input(&mut random)];
        let mut lines = String::new();
        for (a, b) in inputs[0].iter().zip(&inputs[1]) {
            writeln!(lines, "{a} {b}").unwrap();
        }
        let flags = ["-ffp-contract=off", "-fno-builtin-memcmp"];
        let host = of_host(&source, &flags, &lines);
        let host: Vec<i128> = host.lines().map(|line| line.parse().unwrap()).collect();
        assert_eq!(host.len(), LANES * RESULTS);
        let bits: Vec<_> = inputs.iter().flat_map(|of| spread(of, 64)).collect();
        let profile = Profile::lookup_simulation();
        let outcome = simulate(&program, &task(&program), profile, &bits);
        for (lane, expected) in host.chunks(RESULTS).enumerate() {
            let (_, found) = &values(&outcome, lane)[0];
            let (a, b) = (inputs[0][lane], inputs[1][lane]);
            for (i, (found, expected)) in found.iter().zip(expected).enumerate() {
                assert_eq!(found, expected, "result {i} of {a:#x} and {b:#x}");
            }
        }
    }
}

fn planned(program: &Program) -> Result<Plan, RunError> {
    plan(program, &task(program), &Profile::lookup_simulation())
}

/// With the name of the symbol that keeps stock libraries in place of another one's.
#[test]
#[ignore = "slow: 6 s"]
fn a_program_may_keep_its_libraries() {
    let refusal = b"\0BLINDCORE_STOCK_LIBRARY\0";
    let mut bytes = A32.to_vec();
    let old = b"\0__malloc_current_mallinfo\0";
    // The table of symbols' names comes last.
    let at = bytes.windows(old.len()).rposition(|window| window == old);
    let at = at.unwrap();
    bytes[at..at + refusal.len()].copy_from_slice(refusal);
    let program = Program::load(&bytes).unwrap();
    // libgcc's sums branch on secrets.
    assert!(!planned(&program).unwrap().is_runnable());
    let plan = planned(&Program::load(A32).unwrap()).unwrap();
    assert!(plan.is_runnable());
}

/// Start-up code that sets the stack pointer, a heap behind `end`, variables of the thread.
#[test]
fn start_up_code_has_the_memory_that_it_counts_on() {
    let program = Program::load(include_bytes!("programs/startup.elf")).unwrap();
    let mut random = Random(0x57a7_0b17);
    let given: [u128; LANES] = std::array::from_fn(|_| u128::from(random.next() as u32));
    let bits = spread(&given, 32);
    let answer = |entry| Task {
        entry,
        wanted: Wanted::Variables(vec![program.variable("answer").unwrap().clone()]),
        ..secret(&program, &["given"])
    };
    for entry in [Entry::Default, Entry::Image] {
        let profile = Profile::lookup_simulation();
        let outcome = simulate(&program, &answer(entry), profile, &bits);
        for (lane, given) in given.iter().enumerate() {
            let (_, found) = &values(&outcome, lane)[0];
            assert_eq!(found[0], (*given as u32).wrapping_add(40).into());
        }
    }
    // What start-up code clears cannot be given, but where it is left out.
    let cleared = |entry| Task {
        entry,
        ..secret(&program, &["cleared"])
    };
    let profile = Profile::lookup_simulation();
    let error = plan(&program, &cleared(Entry::Image), &profile).err();
    let overwritten =
        matches!(&error, Some(RunError::InputOverwritten { name }) if name == "cleared");
    assert!(overwritten, "{error:?}");
    assert!(plan(&program, &cleared(Entry::Default), &profile).is_ok());
}
