//! Programs that ask whoever has the secret key: what is answered, what is refused, what is
//! recorded. The program is a greatest common divisor by subtraction.

use serde_json::Value;

use super::command::{Place, fixture};

/// Keys, and a = 12, b = 18 encrypted.
fn asked() -> Place {
    let place = Place::with_keys();
    let program = fixture("branches.elf");
    place.done(&[
        "encrypt",
        "--key",
        "alice.secret",
        &program,
        "a=12",
        "b=18",
        "--out",
        "inputs.bct",
    ]);
    place
}

/// A run of `gcd` with more arguments.
fn run<'a>(program: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    let fixed = [
        "run",
        "--key",
        "alice.server",
        program,
        "inputs.bct",
        "--call",
        "gcd()",
        "--output",
        "result",
        "--out",
        "out.bct",
    ];
    [&fixed, more].concat()
}

fn lines(place: &Place, name: &str) -> Vec<Value> {
    let text = String::from_utf8(place.read(name)).unwrap();
    text.lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect()
}

const ASK: [&str; 4] = ["--branches", "ask", "--answer-with", "alice.secret"];

/// A run that begins and ends at a question: it leaves its checkpoint, and may speak of one that it
/// found.
#[track_caller]
fn refuses(place: &Place, code: i32, parts: &[&str], arguments: &[&str]) {
    let outputs = || place.names().contains(&"out.bct".to_owned());
    let before = outputs();
    let ended = place.run(arguments);
    assert_eq!(ended.code, Some(code), "{ended:?}");
    for part in parts {
        assert!(ended.err.contains(part), "no {part:?} in {ended:?}");
    }
    assert_eq!(outputs(), before, "{ended:?}");
}

#[test]
#[ignore = "slow: 6 s"]
fn questions_are_answered_as_far_as_the_policy_allows() {
    let place = asked();
    let program = fixture("branches.elf");
    let with = |more: &[&'static str]| run(&program, &[&ASK, more].concat());
    place.fails(9, &["--answer-with", "gcd+0x"], &run(&program, &ASK[..2]));
    refuses(
        &place,
        15,
        &["allows no answers", "--allow gcd+0x"],
        &with(&[]),
    );
    refuses(
        &place,
        15,
        &["allows 1 bits"],
        &with(&["--allow", "gcd", "--max-bits", "1"]),
    );
    refuses(
        &place,
        15,
        &["allows 2 answers at gcd"],
        &with(&["--allow", "gcd:2"]),
    );
    place.fails(
        3,
        &["the policy allows gdc", "no function"],
        &with(&["--allow", "gdc"]),
    );
    let told = place.done(&with(&["--allow", "gcd", "--audit", "audit.jsonl"]));
    assert!(told.contains("revealed"), "{told}");
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "result = 6\n");
    let audit = lines(&place, "audit.jsonl");
    // 12 and 18, 12 and 6, 6 and 6: asked after each comparison that the program makes.
    assert!((3..=8).contains(&audit.len()), "{audit:?}");
    for (number, line) in audit.iter().enumerate() {
        assert_eq!(line["number"], number);
        assert_eq!(line["bits"], 2);
        assert_eq!(line["asked"], "condition");
        assert!(line["answer"].is_boolean(), "{line}");
        assert!(
            line["site"].as_str().unwrap().starts_with("gcd+0x"),
            "{line}"
        );
        assert!(
            line["source"].as_str().unwrap().contains("branches.c:"),
            "{line}"
        );
    }
}

#[test]
#[ignore = "slow: 5 s"]
fn a_run_that_goes_on_counts_on() {
    let place = asked();
    let program = fixture("branches.elf");
    let with = |more: &[&'static str]| {
        let fixed = [&ASK[..], &["--audit", "audit.jsonl"]].concat();
        run(&program, &[&fixed, more].concat())
    };
    refuses(
        &place,
        15,
        &["allows 2 answers at gcd"],
        &with(&["--allow", "gcd:2"]),
    );
    refuses(
        &place,
        15,
        &["allows 2 answers at gcd"],
        &with(&["--resume", "--allow", "gcd:2"]),
    );
    place.done(&with(&["--resume", "--allow", "gcd"]));
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "result = 6\n");
    let audit = lines(&place, "audit.jsonl");
    assert!(
        audit.iter().all(|line| line["job"] == audit[0]["job"]),
        "{audit:?}"
    );
    let answered = audit.iter().filter(|line| !line["answer"].is_null());
    for (number, line) in answered.enumerate() {
        assert_eq!(line["number"], number);
    }
    // Beginning anew is another run, whose limits are its own.
    refuses(
        &place,
        15,
        &["allows 2 answers at gcd"],
        &with(&["--allow", "gcd:2"]),
    );
    let audit = lines(&place, "audit.jsonl");
    assert_ne!(audit[0]["job"], audit[audit.len() - 1]["job"]);
}

#[test]
#[ignore = "slow: 4 s"]
fn a_policy_file_allows_what_it_says() {
    let place = asked();
    let program = fixture("branches.elf");
    let with = run(&program, &[&ASK[..], &["--policy", "policy.toml"]].concat());
    for (policy, code, part) in [
        ("max_bit = 3", 3, "policy.toml: line 1"),
        (
            "[[allow]]\nsite = \"gcd\"\nanswers = 1\n",
            15,
            "allows 1 answers",
        ),
        (
            "max_bits = 0\n[[allow]]\nsite = \"gcd\"\n",
            15,
            "allows 0 bits",
        ),
    ] {
        place.write("policy.toml", policy);
        refuses(&place, code, &[part], &with);
    }
    place.write("policy.toml", "max_bits = 20\n[[allow]]\nsite = \"gcd\"\n");
    place.done(&with);
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "result = 6\n");
}

#[test]
#[ignore = "slow: 2 s"]
fn the_client_can_name_the_next_instruction() {
    let place = asked();
    let program = fixture("branches.elf");
    let mut held = ASK;
    held[1] = "client";
    let more = ["--allow", "gcd", "--audit", "audit.jsonl", "-q"];
    place.done(&run(&program, &[&held[..], &more].concat()));
    let answer = place.done(&["decrypt", "--key", "alice.secret", "out.bct"]);
    assert_eq!(answer, "result = 6\n");
    for line in lines(&place, "audit.jsonl") {
        assert!(
            ["sum", "flags"].contains(&line["asked"].as_str().unwrap()),
            "{line}"
        );
        assert!(
            line["answer"].as_str().unwrap().starts_with("0x0000"),
            "{line}"
        );
        assert_eq!(line["bits"], 2);
    }
}

/// The ledger beside the key counts every run; one that was changed answers nothing.
#[test]
#[ignore = "slow: 5 s"]
fn a_key_has_limits_of_its_own() {
    let place = asked();
    let program = fixture("branches.elf");
    let with = |limit: &'static str| {
        let more = ["--allow", "gcd", "--max-bits-of-key", limit];
        run(&program, &[&ASK[..], &more].concat())
    };
    let told = place.done(&with("16"));
    assert!(told.contains("by this key in all"), "{told}");
    let ledger = String::from_utf8(place.read("alice.ledger")).unwrap();
    let charges = ledger.matches("\"charge\"").count();
    assert!((3..=8).contains(&charges), "{ledger}");
    refuses(&place, 15, &["--max-bits-of-key"], &with("16"));
    place.write("alice.ledger", ledger.replace("\"bits\":2", "\"bits\":0"));
    refuses(
        &place,
        4,
        &["alice.ledger, line 2", "damaged"],
        &with("1000"),
    );
}

#[test]
#[ignore = "slow: 2 s"]
fn another_key_does_not_answer() {
    let place = asked();
    let program = fixture("branches.elf");
    place.done(&["keygen", "--out", "bob"]);
    let mut other = ASK;
    other[3] = "bob.secret";
    let more = ["--allow", "gcd"];
    place.fails(
        5,
        &["inputs.bct"],
        &run(&program, &[&other[..], &more].concat()),
    );
    place.fails(
        2,
        &["--answer-with"],
        &run(&program, &["--branches", "ask", "--allow", "gcd"]),
    );
}
