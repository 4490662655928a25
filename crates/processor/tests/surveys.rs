//! What a survey finds past the first secret branch.

use crate::compiled;
use crate::looping;
use crate::simulated::{Random, interpreter};

use a32::Register;
use blindcore_processor::{
    Branches, Content, Entry, Input, Otherwise, Program, Rounds, SecretUse, Survey, Task, plan,
    survey,
};
use circuits::Profile;
use circuits::exec::Cancel;

const BRANCHES: &[u8] = include_bytes!("programs/branches.elf");

fn task(program: &Program, function: &str, names: &[&str]) -> Task {
    let inputs = names.iter().map(|name| Input {
        variable: program.variable(name).unwrap().clone(),
        content: Content::Secret,
    });
    Task {
        entry: Entry::Symbol(function.to_owned()),
        inputs: inputs.collect(),
        ..Task::default()
    }
}

fn surveyed(program: &Program, task: &Task) -> Survey {
    survey(program, task, &Cancel::new()).unwrap()
}

/// The lines on which something depends on a secret, of some kind.
fn lines(survey: &Survey, kind: impl Fn(&SecretUse) -> bool) -> Vec<u32> {
    let found = survey.found.iter().filter(|found| kind(&found.found));
    let mut lines: Vec<u32> = found
        .filter_map(|found| Some(found.site.place.line.as_ref()?.1))
        .collect();
    lines.sort_unstable();
    lines.dedup();
    lines
}

fn is_branch(found: &SecretUse) -> bool {
    matches!(found, SecretUse::Branch { .. })
}

fn is_loop(found: &SecretUse) -> bool {
    matches!(found, SecretUse::Loop { .. })
}

/// Where a plan meets a secret branch that a run would stop at, the survey has it, and more.
#[test]
#[ignore = "slow: 19 s"]
fn every_branch_of_the_fixtures_is_found() {
    let program = Program::load(BRANCHES).unwrap();
    for (function, at_least) in [
        ("arms", 1),
        ("call", 1),
        ("returns", 3),
        ("search", 1),
        ("nested", 4),
        ("loops", 2),
        ("clamp", 2),
        ("gcd", 2),
        ("ends", 1),
        ("says", 1),
        ("faults", 1),
        ("forever", 1),
        ("stacks", 1),
        ("pointer", 1),
        ("conditional_forms", 4),
    ] {
        let task = task(&program, function, &["a", "b", "list", "bytes"]);
        let survey = surveyed(&program, &task);
        assert!(survey.found.len() >= at_least, "{function}: {survey:#?}");
        assert!(survey.found.iter().any(|found| found.stops), "{function}");
        let plan = plan(&program, &task, &Profile::lookup_simulation()).unwrap();
        for finding in &plan.findings {
            let at = survey
                .found
                .iter()
                .find(|found| found.site == *finding.site());
            assert!(
                at.is_some_and(|at| at.stops),
                "{function}: {finding:?}\n{survey:#?}"
            );
        }
        assert!(survey.found.iter().all(|found| !found.remedy().is_empty()));
    }
}

#[test]
fn what_was_compared_is_said() {
    let program = Program::load(BRANCHES).unwrap();
    let survey = surveyed(&program, &task(&program, "ends", &["a"]));
    let SecretUse::Branch {
        compared: Some(compared),
        apart: Some(_),
    } = &survey.found[0].found
    else {
        panic!("{survey:#?}")
    };
    assert!(compared.instruction.starts_with("cmp ") && compared.instruction.ends_with("#7"));
    assert!(
        compared.to_string().contains(": 32 secret bits"),
        "{compared}"
    );
    assert!(survey.found[0].remedy().contains("cannot both be executed"));
}

const LOOPS: &str = "
unsigned a, n, out;
unsigned char few;
unsigned table[16];
__attribute__((noinline)) unsigned deep(unsigned x) { return x < 3 ? x : deep(x / 3) + 1; }
int main(void) {
    unsigned x = a, count = 0;
    while (x) { count++; x >>= 1; asm volatile(\"\"); }
    for (unsigned i = 0; i < few; i++) { count += i; asm volatile(\"\"); }
    while (n != 1) n = n & 1 ? 3 * n + 1 : n / 2;
    if (count == 7) { out = 5; asm volatile(\"\"); }
    else out = table[count & 15];
    for (int i = 0; i < 10; i++) if (table[i] == a) break;
    out += deep(a);
    return 0;
}
";

/// A program with loops of each kind.
#[test]
#[ignore = "slow: 14 s"]
fn loops_are_told_by_what_ends_them() {
    let folder = compiled::folder("surveys");
    let source = folder.join("loops.c");
    std::fs::write(&source, LOOPS.trim_start()).unwrap();
    for level in ["-O0", "-O1"] {
        let flags = ["-g", level];
        let program = compiled::compile(&source, &folder.join("loops.elf"), false, &flags);
        let task = task(&program, "main", &["a", "n", "few", "table"]);
        let survey = surveyed(&program, &task);
        let what = format!("{level}: {survey:#?}");
        let rounds = |line: u32| {
            survey.found.iter().find_map(|found| match &found.found {
                SecretUse::Loop { rounds, .. }
                    if found
                        .site
                        .place
                        .line
                        .as_ref()
                        .is_some_and(|at| at.1 == line) =>
                {
                    Some(*rounds)
                }
                _ => None,
            })
        };
        assert_eq!(rounds(7), Some(Rounds::Ends(32)), "{what}");
        assert!(
            matches!(
                rounds(8),
                Some(Rounds::Ends(256 | 255) | Rounds::Open(Some(256)))
            ),
            "{what}"
        );
        assert!(matches!(rounds(9), Some(Rounds::Open(None))), "{what}");
        assert!(matches!(rounds(12), Some(Rounds::Ends(9..=11))), "{what}");
        let branches = lines(&survey, is_branch);
        assert!(
            branches.iter().any(|line| (10..=11).contains(line)),
            "{what}"
        );
        assert!(
            lines(&survey, |found| matches!(found, SecretUse::Access { .. })).contains(&11),
            "{what}"
        );
        assert!(!lines(&survey, is_loop).is_empty());
    }
}

/// With bounds where the survey wants them, and both paths, the run goes through, and nothing stops.
#[test]
#[ignore = "slow: 30 s"]
fn the_remedies_let_a_run_go_through() {
    let program = Program::load(BRANCHES).unwrap();
    let mut task = task(&program, "gcd", &["a", "b"]);
    task.branches = Branches {
        both: Some(20_000),
        otherwise: Otherwise::Refuse,
    };
    let before = surveyed(&program, &task);
    let open: Vec<_> = before
        .found
        .iter()
        .filter(|found| {
            matches!(
                found.found,
                SecretUse::Loop {
                    rounds: Rounds::Open(_),
                    ..
                }
            )
        })
        .collect();
    assert!(
        !open.is_empty() && open.iter().all(|found| found.stops),
        "{before:#?}"
    );
    assert!(
        !plan(&program, &task, &Profile::lookup_simulation())
            .unwrap()
            .is_runnable()
    );
    task.bounds = open
        .iter()
        .map(|found| blindcore_processor::Bound {
            address: found.site.place.address,
            size: 4,
            rounds: 12,
        })
        .collect();
    let after = surveyed(&program, &task);
    assert!(after.found.iter().all(|found| !found.stops), "{after:#?}");
    assert!(
        plan(&program, &task, &Profile::lookup_simulation())
            .unwrap()
            .is_runnable()
    );
}

/// The addresses that a function goes through on these inputs.
fn trace(program: &Program, entry: u32, inputs: &[(&str, u32)]) -> Vec<u32> {
    const END: u32 = 0xffff_ff00;
    let mut machine = interpreter(program);
    for (name, value) in inputs {
        let address = program.variable(name).unwrap().address;
        machine.write_bytes(address, &value.to_le_bytes()).unwrap();
    }
    machine.write_register(Register::LR, END);
    machine.write_register(Register::PC, entry);
    let mut trace = Vec::new();
    while machine.read_register(Register::PC) != END && trace.len() < 50_000 {
        trace.push(machine.read_register(Register::PC));
        machine.step().unwrap();
    }
    trace
}

/// Where runs on two inputs part, a secret has decided: each such place is in the list.
fn divergences_are_listed(seed: u64, files: usize) {
    const FUNCTIONS: usize = 4;
    let folder = compiled::folder("surveyed");
    let (mut parted, mut missing) = (0, Vec::new());
    for file in 0..files {
        let mut random = Random(seed + file as u64);
        let source = folder.join(format!("{seed}-{file}.c"));
        std::fs::write(&source, looping::source(&mut random, FUNCTIONS)).unwrap();
        let (clang, level) = (file % 2 == 1, ["-O0", "-O1", "-O2", "-Os"][file / 2 % 4]);
        let elf = folder.join(format!("{seed}-{file}.elf"));
        let program = compiled::compile(&source, &elf, clang, &[level, "-g"]);
        for function in 0..FUNCTIONS {
            let name = format!("run_{function}");
            let survey = surveyed(&program, &task(&program, &name, &["in_a", "in_b"]));
            let listed: Vec<u32> = survey
                .found
                .iter()
                .map(|found| found.site.place.address)
                .collect();
            let entry = program.label(&name).unwrap();
            let mut before: Option<Vec<u32>> = None;
            for _ in 0..40 {
                let limit = [16, 300, u64::from(u32::MAX)][random.next() as usize % 3];
                let [a, b] = [0, 1].map(|_| (random.next() % limit) as u32);
                let now = trace(&program, entry, &[("in_a", a), ("in_b", b)]);
                if let Some(before) = before.replace(now.clone()) {
                    let same = now.iter().zip(&before).take_while(|(a, b)| a == b).count();
                    if same < now.len().max(before.len()) {
                        parted += 1;
                        let at = now[same - 1];
                        if !listed.contains(&at) {
                            missing.push(format!("{seed}-{file} {name} {level}: {at:#x}"));
                        }
                    }
                }
            }
        }
    }
    assert!(parted > 100, "{parted}");
    missing.sort();
    missing.dedup();
    assert!(
        missing.is_empty(),
        "{} missing: {missing:#?}",
        missing.len()
    );
}

#[test]
#[ignore = "random programs of two compilers, minutes"]
fn where_runs_part_is_listed() {
    divergences_are_listed(1, 4);
}
