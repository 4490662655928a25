//! What costs: `profile` divides exactly what `plan` counts.

use serde_json::Value;

use super::command::{Place, fixture, repository};
use super::examples::{EXAMPLES, branches, cases};

fn document(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn sum(parts: &Value, field: &str) -> u64 {
    let parts = parts.as_array().unwrap().iter();
    parts.map(|part| part[field].as_u64().unwrap()).sum()
}

/// Every division of a program's bootstraps adds up to what `plan` counts.
fn agrees(program: &str, arguments: &[&str]) -> u64 {
    let place = Place::new();
    let ask = |command: &str| {
        let own = [command, program, "--json", "--threads", "2"];
        document(&place.done(&[&own[..], arguments].concat()))
    };
    let total = ask("plan")["bootstraps"].as_u64().unwrap();
    let profile = ask("profile");
    assert_eq!(profile["bootstraps"], total, "{program}");
    for (parts, field) in [
        ("functions", "own"),
        ("lines", "bootstraps"),
        ("instructions", "bootstraps"),
        ("stacks", "bootstraps"),
    ] {
        assert_eq!(sum(&profile[parts], field), total, "{program}: {parts}");
    }
    total
}

fn example(name: &str) -> u64 {
    let program = repository(&format!("examples/{name}/{name}.elf"));
    let case = cases(name).swap_remove(0);
    let names: Vec<&str> = case["inputs"]
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    let asked = branches(name).iter().take(2).copied();
    agrees(
        &program,
        &names.into_iter().chain(asked).collect::<Vec<_>>(),
    )
}

#[test]
#[ignore = "slow: 27 s"]
fn profiles_add_up_to_the_plan() {
    assert!(example("salaries") > 100);
    assert!(example("premium") > 50);
    let gcd = repository("examples/gcd/gcd.elf");
    assert!(agrees(&gcd, &["a", "b", "--bound", "8"]) > 100);
    let assembly = repository("examples/assembly/nibbles.hea");
    assert!(agrees(&assembly, &["a", "b"]) > 0);
    let logistic = repository("examples/floats/logistic.c");
    assert!(agrees(&logistic, &[]) > 1000);
}

#[test]
#[ignore = "all examples, about 40 seconds on two cores"]
fn profiles_add_up_to_the_plan_on_all_examples() {
    for name in EXAMPLES {
        example(name);
    }
    for name in ["mortgage", "network", "network_fixed"] {
        agrees(&repository(&format!("examples/floats/{name}.c")), &[]);
    }
}

/// What a person reads: functions, lines and hints; the source; a picture.
#[test]
#[ignore = "slow: 5 s"]
fn a_profile_names_lines_and_what_to_change() {
    let place = Place::new();
    place.write(
        "mean.c",
        "#include <blindcore.h>\n\
         SECRET unsigned sum, count;\n\
         SECRET double rate;\n\
         OUTPUT unsigned mean, square;\n\
         OUTPUT double twice;\n\
         __attribute__((noinline)) unsigned divided(unsigned a, unsigned b) {\n\
         \x20   return a / b + 1;\n\
         }\n\
         int main(void) {\n\
         \x20   mean = divided(sum, count);\n\
         \x20   square = sum * count;\n\
         \x20   twice = rate + 1.5;\n\
         \x20   return 0;\n\
         }\n",
    );
    let told = place.done(&["profile", "mean.c", "--threads", "2", "--flame", "mean.svg"]);
    let lines = |start: &str| {
        let found: Vec<&str> = told.lines().filter(|line| line.contains(start)).collect();
        assert_eq!(found.len(), 1, "{start:?} in {told}");
        found[0].to_owned()
    };
    assert!(
        lines("mean.c:7  divided")
            .trim_start()
            .starts_with(char::is_numeric)
    );
    assert!(lines("this division").contains("use a constant divisor or narrower types (16 bits: "));
    assert!(lines("this multiplication").starts_with("  mean.c:11: "));
    assert!(lines("this addition in double").contains("(in float: "));

    // Costs stand beside the lines that they belong to, and nowhere else.
    let source = String::from_utf8(place.read("mean.c")).unwrap();
    let annotated = place.done(&["profile", "mean.c", "--threads", "2", "--annotate"]);
    let costs: Vec<(u64, &str)> = annotated
        .lines()
        .filter_map(|line| line.split_once('|'))
        .filter_map(|(cost, line)| Some((cost.trim().parse().ok()?, line.trim())))
        .collect();
    let total: u64 = annotated.split(' ').next().unwrap().parse().unwrap();
    assert_eq!(costs.iter().map(|(cost, _)| cost).sum::<u64>(), total);
    for line in [
        "return a / b + 1;",
        "square = sum * count;",
        "twice = rate + 1.5;",
    ] {
        assert!(
            costs.iter().any(|(cost, text)| *cost > 50 && *text == line),
            "{annotated}"
        );
    }
    assert!(source.lines().all(|line| annotated.contains(line)));

    let picture = String::from_utf8(place.read("mean.svg")).unwrap();
    assert!(picture.contains("<title>divided: ") && picture.contains("<title>main: "));
    let refused = ["profile", "mean.c", "--flame", "mean.svg"];
    place.fails(10, &["mean.svg", "exists"], &refused);
    place.done(&[&refused[..], &["--force"]].concat());
}

/// A plan that ends early is counted until there, and says so.
#[test]
fn a_profile_ends_where_the_plan_does() {
    let place = Place::new();
    let gcd = repository("examples/gcd/gcd.elf");
    let told = place.done(&["profile", &gcd, "a", "b", "--threads", "1"]);
    assert!(
        told.contains("counted until     the plan ends at a secret branch, "),
        "{told}"
    );
    let calls = fixture("calls.elf");
    let told = place.done(&[
        "profile",
        &calls,
        "--call",
        "score(income, 25)",
        "--threads",
        "1",
    ]);
    assert!(
        told.contains(" function\n") && !told.contains("counted until"),
        "{told}"
    );
}
