//! Every bootstrap of a plan belongs to one instruction: on all examples and fixtures, with both
//! paths of branches and in windows of two sizes.

use std::fs;
use std::path::{Path, PathBuf};

use blindcore_processor::{
    Attribution, Bound, Branches, Entry, Limits, Otherwise, Program, Task, attribute, plan,
};
use circuits::Profile;
use circuits::exec::Cancel;

use crate::compiled;
use crate::simulated::secret;

/// With everything secret that nobody gives and the program reads.
fn task(program: &Program, entry: &Entry, window: usize) -> Option<Task> {
    let limits = Limits {
        window,
        instructions: 200_000,
        ..Limits::default()
    };
    let branches = Branches {
        both: Some(20_000),
        otherwise: Otherwise::Refuse,
    };
    let bounds = vec![Bound::of_all(8)];
    let complete = |task: Task| Task {
        entry: entry.clone(),
        limits,
        branches,
        bounds: bounds.clone(),
        ..task
    };
    let clear = complete(Task::default());
    let unset = plan(program, &clear, &Profile::lookup_simulation())
        .ok()?
        .unset;
    let names: Vec<&str> = unset.iter().map(|variable| &*variable.name).collect();
    let known = names.iter().filter(|name| program.variable(name).is_ok());
    Some(complete(secret(
        program,
        &known.copied().collect::<Vec<_>>(),
    )))
}

/// The total, if the program can be planned.
fn agrees(program: &Program, entry: &Entry, window: usize, profile: &Profile) -> Option<u64> {
    let task = task(program, entry, window)?;
    let planned = plan(program, &task, profile).ok()?;
    let found = attribute(program, &task, profile, &Cancel::new()).unwrap();
    let Attribution { plan, charges, .. } = &found;
    // Asking changes nothing.
    assert_eq!(planned.windows.len(), plan.windows.len());
    for (own, other) in plan.windows.iter().zip(&planned.windows) {
        assert_eq!((&own.cost, own.nodes), (&other.cost, other.nodes));
    }
    let total = planned.total().bootstraps as u64;
    let lines = found.lines(program);
    assert_eq!(lines.iter().map(|line| line.bootstraps).sum::<u64>(), total);
    assert_eq!(found.stacks(program).values().sum::<u64>(), total);
    let functions = found.functions(program);
    assert_eq!(functions.iter().map(|cost| cost.own).sum::<u64>(), total);
    assert!(functions.iter().all(|cost| cost.own <= cost.with_callees));
    if total > 0 {
        let most = functions.iter().map(|cost| cost.with_callees).max();
        assert_eq!(most, Some(total), "all is called by the outermost");
    }
    // Only what was executed costs something, and what costs worked on secrets.
    for charge in charges {
        assert!(
            plan.touched.contains_key(&charge.address),
            "{:#x}: {charge:?}",
            charge.address
        );
        assert!(charge.call < found.calls.len());
    }
    for (number, call) in found.calls.iter().enumerate() {
        assert!(call.caller.is_none_or(|(caller, _)| caller < number));
    }
    Some(total)
}

fn programs(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let extension = path.extension().and_then(|name| name.to_str());
        match (path.is_dir(), extension) {
            (true, _) => found.extend(programs(&path)),
            (false, Some("elf" | "hea")) => found.push(path),
            _ => {}
        }
    }
    found.sort();
    found
}

#[test]
#[ignore = "slow: 5 s"]
fn all_charges_are_the_total_on_every_example() {
    let folder = Path::new("../../examples");
    let profile = Profile::lookup_simulation();
    let paths = programs(folder);
    assert!(paths.len() >= 16, "{paths:?}");
    let mut costly = 0;
    for path in paths {
        let program = Program::load(&fs::read(&path).unwrap()).unwrap();
        let entry = Task::default().entry;
        let large = agrees(&program, &entry, Limits::default().window, &profile);
        let name = path.display();
        let large = large.unwrap_or_else(|| panic!("{name} cannot be planned"));
        costly += usize::from(large > 0);
        let small = agrees(&program, &entry, 300, &profile);
        assert!(small.is_some_and(|small| small >= large), "{name}");
    }
    // Two of the paper's snippets have nothing secret, one has numbers for addresses.
    assert!(costly >= 14, "{costly}");
}

#[test]
#[ignore = "slow: 7 s"]
fn all_charges_are_the_total_on_every_fixture() {
    let mut costly = 0;
    for path in programs(Path::new("tests/programs")) {
        let Ok(program) = Program::load(&fs::read(&path).unwrap()) else {
            continue;
        };
        for (number, function) in program.functions().iter().enumerate() {
            let entry = Entry::Symbol(function.name.clone());
            let (window, profile) = match number % 2 {
                0 => (Limits::default().window, Profile::lookup_simulation()),
                _ => (200, Profile::lookup_simulation().with_cores(16)),
            };
            let total = agrees(&program, &entry, window, &profile);
            costly += usize::from(total > Some(0));
        }
    }
    assert!(costly >= 40, "{costly}");
}

/// Calls of every kind: direct, through a pointer, in the place of a return, recursive, and under a
/// secret condition of which both paths are executed.
const CALLS: &str = "\
#define APART __attribute__((noinline, noclone))
unsigned in, other, out;
APART unsigned halved(unsigned x, unsigned y) { return x / (y | 1); }
APART unsigned squared(unsigned x) { return x * x + other; }
APART unsigned tail(unsigned x) { return halved(x + 3, other); }
APART unsigned down(unsigned n, unsigned x) { return n ? down(n - 1, x ^ n) * x : squared(x); }
unsigned (*volatile through)(unsigned) = squared;
int main(void) {
    unsigned a = tail(in);
    unsigned b = through(in);
    unsigned c = down(2, in);
    if (in > other) out = halved(in, a);
    else out = b;
    out += c;
    return 0;
}
";

#[test]
fn callers_are_charged_with_their_callees() {
    let folder = compiled::folder("charged");
    let source = folder.join("calls.c");
    fs::write(&source, CALLS).unwrap();
    for (clang, level) in [
        (false, "-O0"),
        (false, "-O2"),
        (false, "-Os"),
        (true, "-O1"),
    ] {
        let elf = folder.join(format!("calls{clang}{level}.elf"));
        let program = compiled::compile(&source, &elf, clang, &[level, "-g"]);
        let entry = Entry::Symbol("main".to_owned());
        let task = Task {
            entry,
            branches: Branches {
                both: Some(10_000),
                otherwise: Otherwise::Refuse,
            },
            ..secret(&program, &["in", "other"])
        };
        let profile = Profile::lookup_simulation();
        let found = attribute(&program, &task, &profile, &Cancel::new()).unwrap();
        assert!(found.plan.is_runnable(), "{:?}", found.plan.findings);
        let stacks = found.stacks(&program);
        let costs = |stack: &[&str]| {
            let stack: Vec<String> = stack.iter().map(|name| (*name).to_owned()).collect();
            stacks.get(&stack).copied().unwrap_or(0)
        };
        let told = format!("{level}: {stacks:?}");
        // A division costs some hundreds, a square about a hundred.
        assert!(costs(&["main", "halved"]) > 300, "{told}");
        assert!(costs(&["main", "squared"]) > 60, "{told}");
        let down = costs(&["main", "down", "down", "down", "squared"]);
        // Recursion may have become a loop. Some of the product was there before.
        assert!(
            down > 40 || costs(&["main", "down", "squared"]) > 40,
            "{told}"
        );
        // A jump to a function is a call by main.
        let called = costs(&["main", "tail", "halved"]) > 300;
        assert_eq!(called, level == "-O0" || clang, "{told}");
        let functions = found.functions(&program);
        let of = |name: &str| functions.iter().find(|cost| cost.name == name).unwrap();
        assert_eq!(
            of("main").with_callees,
            found.plan.total().bootstraps as u64
        );
        assert_eq!(of("halved").own, of("halved").with_callees);
        assert!(of("halved").own > 600 && of("down").with_callees > of("down").own);
        // And by line.
        for (line, least) in [(3, 600), (4, 120)] {
            let cost: u64 = found
                .lines(&program)
                .iter()
                .filter(|cost| {
                    cost.line
                        .as_ref()
                        .is_some_and(|(_, number)| *number == line)
                })
                .map(|cost| cost.bootstraps)
                .sum();
            assert!(cost >= least, "{level}: line {line} costs {cost}");
        }
    }
}

/// Without symbols and line numbers, addresses take their places.
#[test]
fn a_program_without_names_is_charged_by_address() {
    // add r0, r0, r1 three times, the first in a function.
    let text = "\
.data a
main:
 LOAD R0, a
 LOAD R1, a
 MUL R0, R0, R1
 STORE R0, a
";
    let program = Program::load(text.as_bytes()).unwrap();
    let task = secret(&program, &["a"]);
    let profile = Profile::lookup_simulation();
    let found = attribute(&program, &task, &profile, &Cancel::new()).unwrap();
    let instructions = found.instructions();
    let costly: Vec<_> = instructions.iter().filter(|(_, cost)| cost.0 > 0).collect();
    // A square, by the one instruction that computes it, once.
    let [(_, (bootstraps, times))] = costly[..] else {
        panic!("{costly:?}")
    };
    assert_eq!(*bootstraps, found.plan.total().bootstraps as u64);
    assert_eq!(*times, 1);
}
