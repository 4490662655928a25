//! Random functions with arrays at secret indexes, by two compilers at five levels, with and
//! without debugging information: sixty-four inputs at a time against what the host's compiler
//! makes of the same source, and one against the plain interpreter.

use crate::compiled;
use crate::indexed;
use crate::simulated;

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use blindcore_processor::{
    Branches, Control, Entry, Otherwise, Program, Progress, Task, Wanted, plan, run,
};
use circuits::Profile;
use circuits::sim::Simulator;
use indexed::INPUTS;
use simulated::{LANES, Random, gather, interpreter, secret, spread};

const LEVELS: [&str; 5] = ["-O0", "-O1", "-O2", "-O3", "-Os"];

/// What came of some runs.
#[derive(Debug, Default)]
struct Tally {
    functions: usize,
    results: usize,
    /// Nodes of the circuits.
    nodes: usize,
    refused: Vec<String>,
    astray: Vec<String>,
    wrong: Vec<String>,
}

fn folder(name: &str) -> PathBuf {
    compiled::folder(&format!("indexed-{name}"))
}

fn compile(source: &Path, elf: &Path, clang: bool, level: &str, debug: bool) -> Program {
    let flags = [level, "-g"];
    compiled::compile(source, elf, clang, &flags[..1 + usize::from(debug)])
}

/// By function and lane: what the host says.
fn of_host(source: &Path, inputs: &[[u128; LANES]; 4], functions: usize) -> Vec<Vec<u32>> {
    let mut lines = String::new();
    for lane in 0..LANES {
        let [i, j, b, v] = inputs.each_ref().map(|input| input[lane]);
        writeln!(lines, "{i} {j} {b} {v}").unwrap();
    }
    let output = compiled::of_host(source, &["-fno-builtin"], &lines);
    let numbers: Vec<u32> = output.lines().map(|line| line.parse().unwrap()).collect();
    assert_eq!(numbers.len(), functions * LANES);
    (0..functions)
        .map(|function| {
            let of_lane = |lane| numbers[lane * functions + function];
            (0..LANES).map(of_lane).collect()
        })
        .collect()
}

fn compare(
    program: &Program,
    inputs: &[[u128; LANES]; 4],
    expected: &[Vec<u32>],
    what: &str,
    tally: &mut Tally,
) {
    let names = ["in_i", "in_j", "in_b", "in_v"];
    let bits: Vec<_> = names
        .iter()
        .zip(inputs)
        .flat_map(|(name, lanes)| spread(lanes, 8 * program.variable(name).unwrap().size as usize))
        .collect();
    for (number, expected) in expected.iter().enumerate() {
        let entry = format!("run_{number}");
        let mut machine = interpreter(program);
        for (name, lanes) in names.iter().zip(inputs) {
            let variable = program.variable(name).unwrap();
            let bytes = lanes[0].to_le_bytes();
            let bytes = &bytes[..variable.size as usize];
            machine.write_bytes(variable.address, bytes).unwrap();
        }
        machine
            .call(program.label(&entry).unwrap(), &[], 1_000_000)
            .unwrap();
        let out = program.variable("out").unwrap();
        let at = out.address + 4 * number as u32;
        let found = machine.read_bytes(at, 4).unwrap();
        assert_eq!(
            found,
            expected[0].to_le_bytes(),
            "the interpreter's {entry} of {what}"
        );

        let task = Task {
            entry: Entry::Symbol(entry.clone()),
            wanted: Wanted::Variables(vec![out.clone()]),
            branches: Branches {
                both: Some(20_000),
                otherwise: Otherwise::Refuse,
            },
            ..secret(program, &names)
        };
        tally.functions += 1;
        let engine = Simulator::new(match number % 2 {
            0 => Profile::lookup_simulation(),
            _ => Profile::selector_simulation(),
        });
        let nodes = Arc::new(AtomicUsize::new(0));
        let seen = Arc::clone(&nodes);
        let control = Control {
            threads: 1,
            observer: Some(Arc::new(move |progress: Progress| {
                seen.store(progress.nodes_planned, Ordering::Relaxed);
            })),
            ..Control::default()
        };
        let outcome = match run(program, &task, &engine, bits.clone(), &control) {
            Ok(outcome) => outcome,
            Err(error) => {
                tally.refused.push(format!("{entry} of {what}: {error}"));
                continue;
            }
        };
        let bytes =
            |output: usize, lane| values::bytes_of(&gather(&outcome.outputs[output].bits, lane));
        let is_astray = |lane| outcome.outputs.len() > 1 && bytes(1, lane) != [0];
        let wrong: Vec<usize> = (0..LANES)
            .filter(|&lane| {
                !is_astray(lane)
                    && bytes(0, lane)[4 * number..][..4] != expected[lane].to_le_bytes()
            })
            .collect();
        tally.results += LANES;
        tally.nodes += nodes.load(Ordering::Relaxed);
        let astray = (0..LANES).filter(|lane| is_astray(*lane)).count();
        if astray > 0 {
            tally
                .astray
                .push(format!("{entry} of {what}: in {astray} lanes"));
        }
        if !wrong.is_empty() {
            tally
                .wrong
                .push(format!("{entry} of {what}: in {} lanes", wrong.len()));
        }
    }
}

/// Without and with debugging information.
fn tallied(name: &str, seeds: std::ops::Range<u64>, functions: usize) -> [Tally; 2] {
    let folder = folder(name);
    let mut tallies = [Tally::default(), Tally::default()];
    for seed in seeds {
        let mut random = Random(seed << 32);
        let path = folder.join(format!("{seed}.c"));
        fs::write(&path, indexed::source(&mut random, functions)).unwrap();
        let inputs = INPUTS.map(|(_, _, least, greatest)| {
            std::array::from_fn(|_| {
                let width = (greatest - least + 1) as u64;
                u128::from(least as u64 + random.next() % width)
            })
        });
        let expected = of_host(&path, &inputs, functions);
        for clang in [false, true] {
            for level in LEVELS {
                for (debug, tally) in [false, true].into_iter().zip(&mut tallies) {
                    let what = format!("{seed}.c, clang {clang} {level} -g {debug}");
                    let elf = folder.join(format!("{seed}{level}-{clang}-{debug}.elf"));
                    let program = compile(&path, &elf, clang, level, debug);
                    compare(&program, &inputs, &expected, &what, tally);
                }
            }
        }
    }
    tallies
}

fn check(tallies: &[Tally; 2]) {
    for (tally, what) in tallies.iter().zip(["without", "with"]) {
        println!("{what} debugging information:");
        check_one(tally);
    }
}

fn check_one(tally: &Tally) {
    let shown = |lines: &[String]| {
        lines
            .iter()
            .take(40)
            .map(|l| format!("\n  {l}"))
            .collect::<String>()
    };
    println!(
        "{} functions, {} results, {} nodes, {} astray:{}\n{} refused:{}",
        tally.functions,
        tally.results,
        tally.nodes,
        tally.astray.len(),
        shown(&tally.astray),
        tally.refused.len(),
        shown(&tally.refused)
    );
    assert!(
        tally.wrong.is_empty(),
        "{} wrong:{}",
        tally.wrong.len(),
        shown(&tally.wrong)
    );
    // What is refused or says that it went astray is not silently wrong, but few should be: of 600
    // functions 40 were without debugging information, and 34 with it.
    assert!(10 * (tally.refused.len() + tally.astray.len()) <= tally.functions);
}

/// GCC addresses such an array from the word above it, which holds a saved register.
#[test]
fn an_array_addressed_from_the_word_above_it_is_found() {
    let source = folder("above").join("above.c");
    let text = "unsigned char in[1]; int out[1];\n\
        __attribute__((noinline)) int h(int n) { return n + 1; }\n\
        __attribute__((noinline)) int q(int i) {\n\
        int t[4]; for (int k = 0; k < 4; k++) t[k] = h(k * 10); return t[i & 3]; }\n\
        int main(void) { out[0] = q(in[0]); return 0; }\n";
    fs::write(&source, text).unwrap();
    for level in LEVELS {
        for debug in [false, true] {
            let elf = source.with_extension("elf");
            let program = compile(&source, &elf, false, level, debug);
            let lanes: [u128; LANES] = std::array::from_fn(|lane| lane as u128);
            let bits = spread(&lanes, 8);
            let profile = Profile::lookup_simulation();
            let outcome = simulated::simulate(&program, &secret(&program, &["in"]), profile, &bits);
            // Nothing can go astray.
            assert_eq!(outcome.outputs.len(), 1);
            for lane in 0..LANES {
                let found = gather(&outcome.outputs[0].bits, lane);
                let expected = 10 * (lane as u32 & 3) + 1;
                assert_eq!(
                    values::bytes_of(&found),
                    expected.to_le_bytes(),
                    "{level} in lane {lane}"
                );
            }
        }
    }
}

/// How many bytes each access at a secret address selects over, all its objects together.
fn selected(program: &Program) -> Vec<u32> {
    let task = secret(program, &["in"]);
    let plan = plan(program, &task, &Profile::lookup_simulation()).unwrap();
    let sizes = plan.selections.iter();
    sizes
        .map(|selection| selection.objects.iter().map(|object| object.size).sum())
        .collect()
}

/// Of the two arrays of a frame the one that is meant, in a function that is called as well.
#[test]
#[ignore = "slow: 2 s"]
fn an_array_that_debugging_information_names_is_selected_over_alone() {
    let folder = folder("named");
    let text = "int in, out;\n\
        __attribute__((noinline)) int step(int n) { return n * 37 + 11; }\n\
        __attribute__((noinline)) int at(const int *p, int i) { return p[i]; }\n\
        __attribute__((noinline)) int q(int i) {\n\
        int a[200], b[4];\n\
        for (int k = 0; k < 200; k++) a[k] = step(k);\n\
        for (int k = 0; k < 4; k++) b[k] = step(k);\n\
        b[i] = 5;\n\
        int sum = at(b, i) + at(a, i);\n\
        for (int k = 0; k < 4; k++) sum = sum * 31 + b[k];\n\
        return sum; }\n\
        int main(void) { out = q(in); return 0; }\n";
    for clang in [false, true] {
        for level in LEVELS {
            let source = folder.join("named.c");
            fs::write(&source, text).unwrap();
            let elf = source.with_extension("elf");
            // The store; the load, once for each array.
            let named = selected(&compile(&source, &elf, clang, level, true));
            assert!(named.contains(&16), "clang {clang} {level}: {named:?}");
            assert!(named.contains(&816), "clang {clang} {level}: {named:?}");
            let unnamed = selected(&compile(&source, &elf, clang, level, false));
            let are_whole = unnamed.iter().all(|size| *size >= 816);
            assert!(are_whole, "clang {clang} {level}: {unnamed:?}");
        }
    }
}

#[test]
#[ignore = "slow: 11 s"]
fn random_functions_at_secret_indexes_agree() {
    check(&tallied("few", 1..2, 6));
}

#[test]
#[ignore = "a hundred times as many, 10 min"]
fn many_random_functions_at_secret_indexes_agree() {
    let (first, count) = compiled::seeds(100, 50);
    check(&tallied("many", first..first + count, 10));
}
