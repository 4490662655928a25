//! The client's policy, by value: what is answered, what it costs, what is refused and why; and the
//! journal that remembers it.
//!
//! The program is a fixture of the processor's, with `bxeq lr` and `bne` in its function `branch`.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::cell::Cell;
use std::convert::Infallible;
use std::path::{Path, PathBuf};

use a32::Condition;
use blindcore_session::policy::{
    Asking, Asks, Guard, Journal, JournalError, Policy, PolicyError, Refusal, Rules,
};
use processor::{Answer, Asked, Operands, Otherwise, Program};
use serde_json::Value;

/// The program's file.
const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../processor/tests/programs/refused.elf"
);
/// Offsets of the two branches into `branch`, and of what the second leads to.
const RETURN: u32 = 0x10;
const LOOP: u32 = 0x30;
const LOOP_TARGET: u32 = 0x18;

struct Fixture {
    program: Program,
    base: u32,
}

impl Fixture {
    fn new() -> Fixture {
        Fixture::of(&std::fs::read(PROGRAM).unwrap())
    }

    fn of(image: &[u8]) -> Fixture {
        let program = Program::load(image).unwrap();
        let base = program.function("branch").unwrap().address;
        Fixture { program, base }
    }

    /// The instruction at this offset into `branch`.
    fn word(&self, offset: u32) -> u32 {
        let function = self.program.function("branch").unwrap();
        let mut words = self.program.words(function);
        let found = words.find(|(at, _)| *at == self.base + offset);
        found.unwrap().1
    }

    fn guard(&self, bits: u64, allow: &[&str], journal: Journal) -> Guard<'_> {
        let rules = Rules {
            max_bits: Some(bits),
            max_bits_of_key: None,
            allow: allow.iter().map(|text| text.parse().unwrap()).collect(),
        };
        let policy = Policy::new(&rules, &self.program).unwrap();
        Guard::new(&self.program, policy, journal, Asks::Anything)
    }

    /// Does `ne` hold at the loop's end?
    fn question(&self, number: u64) -> Asking<'static> {
        Asking {
            job: "job",
            number,
            address: self.base + LOOP,
            asked: Asked::Condition(Condition::NotEqual),
            hash: [number as u8; 32],
        }
    }

    /// Where does the branch at the loop's end go?
    fn branch(&self, number: u64, condition: Condition, of: Operands) -> Asking<'static> {
        Asking {
            asked: Asked::Operands {
                condition,
                of,
                holds: self.base + LOOP_TARGET,
                fails: self.base + LOOP + 4,
            },
            ..self.question(number)
        }
    }

    /// The branch's answer.
    fn next(&self, holds: bool) -> Answer {
        Answer::Next(self.base + if holds { LOOP_TARGET } else { LOOP + 4 })
    }
}

fn ask(guard: &mut Guard<'_>, asking: &Asking<'_>, bits: &[bool]) -> Result<Answer, Refusal> {
    guard.answer(asking, || Ok::<_, Infallible>(bits.to_vec()))
}

/// Asserts that a question is refused without anything being decrypted.
#[track_caller]
fn refused(guard: &mut Guard<'_>, asking: &Asking<'_>) -> Refusal {
    let decrypted = Cell::new(false);
    let answer = guard.answer(asking, || {
        decrypted.set(true);
        Ok::<_, Infallible>(vec![true])
    });
    assert!(!decrypted.get(), "{asking:?} was decrypted");
    answer.unwrap_err()
}

#[test]
fn nothing_is_answered_by_default() {
    let fixture = Fixture::new();
    let policy = Policy::new(&Rules::default(), &fixture.program).unwrap();
    let mut guard = Guard::new(
        &fixture.program,
        policy,
        Journal::in_memory(),
        Asks::Anything,
    );
    let refusal = refused(&mut guard, &fixture.question(0));
    let place = Box::new(fixture.program.place(fixture.base + LOOP));
    assert_eq!(refusal, Refusal::Site { place });
    assert!(refusal.is_matter_of_rules());
    let text = refusal.to_string();
    assert!(text.ends_with("--allow branch+0x30"), "{text}");
}

#[test]
fn a_site_is_a_function_a_place_in_it_or_an_address() {
    let fixture = Fixture::new();
    let address = format!("{:#x}", fixture.base + LOOP);
    for site in ["branch", "branch+0x30", &address] {
        let mut guard = fixture.guard(8, &[site], Journal::in_memory());
        for (number, bit) in [(0, true), (1, false)] {
            let answer = ask(&mut guard, &fixture.question(number), &[bit]);
            assert_eq!(answer, Ok(Answer::Holds(bit)), "{site}");
        }
    }
    for site in ["load", "branch+0x10", "branch+0x34"] {
        let mut guard = fixture.guard(8, &[site], Journal::in_memory());
        let refusal = refused(&mut guard, &fixture.question(0));
        assert!(matches!(refusal, Refusal::Site { .. }), "{site}: {refusal}");
    }
}

#[test]
fn sites_that_the_program_lacks_are_errors() {
    let fixture = Fixture::new();
    let policy = |site: &str| {
        let rules = Rules {
            allow: vec![site.parse().unwrap()],
            ..Rules::default()
        };
        Policy::new(&rules, &fixture.program).unwrap_err()
    };
    let unknown = policy("branhc");
    assert!(matches!(unknown, PolicyError::Unknown { .. }), "{unknown}");
    assert!(unknown.to_string().contains("branch"), "{unknown}");
    for (site, address) in [("0x4", 4), ("branch+2", fixture.base + 2)] {
        let expected = PolicyError::NoCode {
            site: site.parse().unwrap(),
            address,
        };
        assert_eq!(policy(site), expected);
    }
}

#[test]
fn answers_at_a_site_are_counted_by_job() {
    let fixture = Fixture::new();
    let mut guard = fixture.guard(100, &["branch", "branch+0x30:2"], Journal::in_memory());
    for number in 0..2 {
        ask(&mut guard, &fixture.question(number), &[true]).unwrap();
    }
    // The rule for the place comes before that for the function.
    let spent = Refusal::Answers {
        site: "branch+0x30".parse().unwrap(),
        limit: 2,
    };
    assert_eq!(refused(&mut guard, &fixture.question(2)), spent);
    let other = Asking {
        job: "other",
        ..fixture.question(2)
    };
    assert_eq!(ask(&mut guard, &other, &[true]), Ok(Answer::Holds(true)));
    let elsewhere = Asking {
        address: fixture.base + RETURN,
        asked: Asked::Condition(Condition::Equal),
        ..fixture.question(3)
    };
    let answer = ask(&mut guard, &elsewhere, &[false]);
    assert_eq!(answer, Ok(Answer::Holds(false)));
}

#[test]
fn bits_are_bounded_over_all_sites() {
    let fixture = Fixture::new();
    let mut guard = fixture.guard(7, &["branch"], Journal::in_memory());
    for number in 0..3 {
        ask(&mut guard, &fixture.question(number), &[true]).unwrap();
    }
    assert_eq!(guard.journal().used("job").unwrap().bits(), 6);
    let spent = Refusal::Bits {
        place: Box::new(fixture.program.place(fixture.base + LOOP)),
        bits: 2,
        used: 6,
        limit: 7,
    };
    assert_eq!(refused(&mut guard, &fixture.question(3)), spent);
}

#[test]
fn a_repeated_question_costs_nothing_and_a_changed_one_is_refused() {
    let fixture = Fixture::new();
    let mut guard = fixture.guard(2, &["branch:1"], Journal::in_memory());
    let question = fixture.question(7);
    assert_eq!(ask(&mut guard, &question, &[true]), Ok(Answer::Holds(true)));
    // The same, though the limits are reached and the bit would be another one.
    for _ in 0..3 {
        let answer = ask(&mut guard, &question, &[false]);
        assert_eq!(answer, Ok(Answer::Holds(true)));
    }
    assert_eq!(guard.journal().used("job").unwrap().bits(), 2);
    let changed = Asking {
        hash: [9; 32],
        ..question
    };
    let refusal = refused(&mut guard, &changed);
    assert_eq!(refusal, Refusal::Changed { number: 7 });
    assert!(!refusal.is_matter_of_rules());
}

#[test]
fn only_what_the_program_asks_is_answered() {
    let fixture = Fixture::new();
    let names = fixture.program.functions().iter();
    let all: Vec<&str> = names.map(|function| function.name.as_str()).collect();
    let mut guard = fixture.guard(1000, &all, Journal::in_memory());
    let (base, at) = (fixture.base, fixture.base + LOOP);
    let condition = Asked::Condition;
    let operands = |holds: u32, fails: u32| Asked::Operands {
        condition: Condition::NotEqual,
        of: Operands::Flags,
        holds,
        fails,
    };
    for (address, asked, expected) in [
        (at, condition(Condition::Equal), "condition ne, not eq"),
        (base, condition(Condition::Equal), "under no condition"),
        (at + 1, condition(Condition::NotEqual), "no instruction"),
        (4, condition(Condition::NotEqual), "no instruction"),
        (at, operands(base + LOOP_TARGET, base), "does not lead to"),
        (at, operands(base, at + 4), "does not lead to"),
        // A branch jumps where its own bits say.
        (at, Asked::Target, "jumps to no address of the data"),
        (base, Asked::Target, "jumps to no address of the data"),
        (at + 1, Asked::Target, "no instruction"),
    ] {
        let asking = Asking {
            address,
            asked,
            ..fixture.question(0)
        };
        let refusal = refused(&mut guard, &asking);
        let fits = matches!(&refusal, Refusal::Foreign { reason, .. } if reason.contains(expected));
        assert!(fits, "{refusal}");
        assert!(!refusal.is_matter_of_rules());
    }
}

/// Of every instruction of the program: one that jumps by data has an address to ask for, and one
/// that something else can follow a condition. (The old check took any instruction for the first,
/// and any that stands under a condition for the second.)
#[test]
fn only_jumps_are_asked_about() {
    let mut image = std::fs::read(PROGRAM).unwrap();
    let fixture = Fixture::new();
    let own = fixture.word(RETURN).to_le_bytes();
    let at = image.windows(4).position(|bytes| bytes == own).unwrap();
    for (word, address, condition) in [
        (0x012f_ff1e_u32, true, true), // bxeq lr
        (0x012f_ff33, true, true),     // blxeq r3
        (0x08bd_8010, true, true),     // popeq {r4, pc}
        (0x079f_f103, true, true),     // ldreq pc, [pc, r3, lsl #2]
        (0x008f_f103, true, true),     // addeq pc, pc, r3, lsl #2
        (0x01a0_f003, true, true),     // moveq pc, r3
        (0x0a00_0000, false, true),    // beq
        (0x0b00_0000, false, true),    // bleq
        (0x0f00_0000, false, true),    // svceq #0
        (0x0300_0005, false, false),   // movweq r0, #5
        (0x0590_3004, false, false),   // ldreq r3, [r0, #4]
        (0x0083_3004, false, false),   // addeq r3, r3, r4
        (0x08bd_4010, false, false),   // popeq {r4, lr}
    ] {
        image[at..at + 4].copy_from_slice(&word.to_le_bytes());
        let fixture = Fixture::of(&image);
        assert_eq!(fixture.word(RETURN), word);
        for (asked, expected) in [
            (Asked::Target, address),
            (Asked::Condition(Condition::Equal), condition),
        ] {
            let mut guard = fixture.guard(64, &["branch"], Journal::in_memory());
            let asking = Asking {
                address: fixture.base + RETURN,
                asked,
                ..fixture.question(0)
            };
            if expected {
                let bits = vec![false; if asked == Asked::Target { 31 } else { 2 }];
                // It is decrypted, and found to be of another length.
                let answer = ask(&mut guard, &asking, &bits);
                assert!(
                    matches!(answer, Err(Refusal::Undecryptable { .. })),
                    "{word:#010x} {answer:?}"
                );
            } else {
                let refusal = refused(&mut guard, &asking);
                assert!(
                    matches!(refusal, Refusal::Foreign { .. }),
                    "{word:#010x} {refusal}"
                );
            }
        }
    }
}

/// Each kind of question under each way in which a job can be submitted.
#[test]
fn only_what_was_submitted_is_answered() {
    let fixture = Fixture::new();
    let target = Asking {
        address: fixture.base + RETURN,
        asked: Asked::Target,
        ..fixture.question(0)
    };
    let operands = fixture.branch(0, Condition::NotEqual, Operands::Flags);
    let sum = fixture.branch(0, Condition::NotEqual, Operands::Sum);
    let condition = fixture.question(0);
    for (otherwise, expected) in [
        (Otherwise::Refuse, [false, false, false, false]),
        (Otherwise::Ask, [true, false, false, false]),
        (Otherwise::ClientHeld, [false, true, true, true]),
    ] {
        for (asking, expected) in [condition, operands, sum, target].iter().zip(expected) {
            let rules = Rules {
                allow: vec!["branch".parse().unwrap()],
                ..Rules::default()
            };
            let policy = Policy::new(&rules, &fixture.program).unwrap();
            let asks = Asks::from(otherwise);
            let mut guard = Guard::new(&fixture.program, policy, Journal::in_memory(), asks);
            if expected {
                let answer = ask(&mut guard, asking, &[]);
                assert!(matches!(answer, Err(Refusal::Undecryptable { .. })));
                continue;
            }
            let refusal = refused(&mut guard, asking);
            assert!(!refusal.is_matter_of_rules());
            let reason = asks.to_string();
            let fits = matches!(&refusal, Refusal::Foreign { reason: own, .. } if *own == reason);
            assert!(fits, "{otherwise:?} {asking:?}: {refusal}");
        }
    }
}

#[test]
fn the_client_finds_the_next_instruction_itself() {
    let fixture = Fixture::new();
    let mut guard = fixture.guard(64, &["branch"], Journal::in_memory());
    let not_equal = |number, of| fixture.branch(number, Condition::NotEqual, of);
    // N Z C V.
    for (number, zero) in [(0, false), (1, true)] {
        let flags = [false, zero, true, false];
        let answer = ask(&mut guard, &not_equal(number, Operands::Flags), &flags);
        assert_eq!(answer, Ok(fixture.next(!zero)));
    }
    // a compared with c is a + ¬c + 1.
    let sum = |a: u32, c: u32| {
        let bits = |word: u32| (0..32).map(move |place| word >> place & 1 == 1);
        bits(a).chain(bits(!c)).chain([true]).collect::<Vec<bool>>()
    };
    for (number, a, c) in [(2, 5, 5), (3, 5, 6), (4, u32::MAX, 0), (5, 0, 0)] {
        let answer = ask(&mut guard, &not_equal(number, Operands::Sum), &sum(a, c));
        assert_eq!(answer, Ok(fixture.next(a != c)), "{a} {c}");
    }
    let short = ask(&mut guard, &not_equal(6, Operands::Sum), &[true; 64]);
    assert!(matches!(short, Err(Refusal::Undecryptable { .. })));
    // Each answer named one of two places, and the last question none.
    assert_eq!(guard.journal().used("job").unwrap().bits(), 2 * 7);
}

/// The loop's branch under every condition, on all sixteen flags, against the manual's table
/// (DDI 0406C, A8.3) written out.
#[test]
fn conditions_mean_what_the_architecture_says() {
    let mut image = std::fs::read(PROGRAM).unwrap();
    let fixture = Fixture::new();
    let function = fixture.program.function("branch").unwrap();
    let mut words = fixture.program.words(function);
    let (_, word) = words.find(|(at, _)| *at == fixture.base + LOOP).unwrap();
    let own = word.to_le_bytes();
    let at = image.windows(4).position(|bytes| bytes == own).unwrap();
    let conditions = Condition::ALL.into_iter();
    for condition in conditions.filter(|condition| *condition != Condition::Always) {
        let other = word & 0x0fff_ffff | (condition as u32) << 28;
        image[at..at + 4].copy_from_slice(&other.to_le_bytes());
        let fixture = Fixture::of(&image);
        let mut guard = fixture.guard(32, &["branch"], Journal::in_memory());
        for number in 0..16 {
            let flags = [0, 1, 2, 3].map(|place| number >> place & 1 == 1);
            let [n, z, c, v] = flags;
            let expected = match condition.to_string().as_str() {
                "eq" => z,
                "ne" => !z,
                "cs" => c,
                "cc" => !c,
                "mi" => n,
                "pl" => !n,
                "vs" => v,
                "vc" => !v,
                "hi" => c && !z,
                "ls" => !c || z,
                "ge" => n == v,
                "lt" => n != v,
                "gt" => !z && n == v,
                "le" => z || n != v,
                other => panic!("{other}"),
            };
            let asking = fixture.branch(number, condition, Operands::Flags);
            let answer = ask(&mut guard, &asking, &flags);
            assert_eq!(answer, Ok(fixture.next(expected)), "{condition} {flags:?}");
        }
    }
}

#[test]
fn a_jump_costs_what_it_tells() {
    let fixture = Fixture::new();
    let asking = |number| Asking {
        address: fixture.base + RETURN,
        asked: Asked::Target,
        ..fixture.question(number)
    };
    let bits = |target: u32| {
        [(); 32].map({
            let mut place = 0;
            move |()| {
                place += 1;
                target >> (place - 1) & 1 == 1
            }
        })
    };
    let code = fixture.program.segments().iter().filter(|s| s.executable);
    let code: u64 = code.map(|segment| u64::from(segment.size / 4)).sum();
    let cost: u64 = (1 + code).next_power_of_two().ilog2().into();
    let mut guard = fixture.guard(2 * cost, &["branch"], Journal::in_memory());
    let target = fixture.base + LOOP_TARGET;
    let answer = ask(&mut guard, &asking(0), &bits(target));
    assert_eq!(answer, Ok(Answer::Next(target)));
    assert_eq!(guard.journal().used("job").unwrap().bits(), cost);
    // That it leads nowhere is information too, and the question is not decrypted again.
    let answer = ask(&mut guard, &asking(1), &bits(3));
    assert!(matches!(answer, Err(Refusal::Nowhere { .. })));
    let again = refused(&mut guard, &asking(1));
    assert!(
        matches!(again, Refusal::Closed { number: 1, .. }),
        "{again}"
    );
    assert_eq!(guard.journal().used("job").unwrap().bits(), 2 * cost);
}

fn lines(path: &Path) -> Vec<Value> {
    let text = std::fs::read_to_string(path).unwrap();
    let lines = text.lines().map(|line| serde_json::from_str(line).unwrap());
    lines.collect()
}

fn place_for_journal() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("audit.jsonl");
    (directory, path)
}

#[test]
fn the_journal_says_what_happened() {
    let fixture = Fixture::new();
    let (_directory, path) = place_for_journal();
    let mut guard = fixture.guard(2, &["branch"], Journal::open(&path).unwrap());
    ask(&mut guard, &fixture.question(0), &[true]).unwrap();
    ask(&mut guard, &fixture.question(0), &[true]).unwrap();
    refused(&mut guard, &fixture.question(1));
    let lines = lines(&path);
    assert_eq!(lines.len(), 3);
    let address = format!("{:#010x}", fixture.base + LOOP);
    let zeros = "00".repeat(32);
    for (field, expected) in [
        ("job", Value::from("job")),
        ("number", Value::from(0)),
        ("address", Value::from(address)),
        ("site", Value::from("branch+0x30")),
        ("asked", Value::from("condition")),
        ("condition", Value::from("ne")),
        ("question", Value::from(zeros)),
        ("bits", Value::from(2)),
        ("answer", Value::from(true)),
    ] {
        assert_eq!(lines[0][field], expected, "{field}");
    }
    assert!(lines[0]["time"].as_str().unwrap().ends_with('Z'));
    assert_eq!(
        (&lines[1]["bits"], &lines[1]["answer"]),
        (&0.into(), &true.into())
    );
    assert_eq!(lines[2]["bits"], 0);
    assert_eq!(lines[2].get("answer"), None);
    let reason = lines[2]["refused"].as_str().unwrap();
    assert!(reason.contains("--max-bits"), "{reason}");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        let mode = std::fs::metadata(&path).unwrap().permissions().mode();
        assert_eq!(mode & 0o777, 0o600);
    }
}

#[test]
fn the_journal_is_a_memory() {
    let fixture = Fixture::new();
    let (_directory, path) = place_for_journal();
    let mut guard = fixture.guard(4, &["branch:2"], Journal::open(&path).unwrap());
    ask(&mut guard, &fixture.question(0), &[true]).unwrap();
    ask(&mut guard, &fixture.question(1), &[false]).unwrap();
    drop(guard);
    let whole = std::fs::read(&path).unwrap();
    // Crashes in the middle of a line, and none.
    for torn in ["{\"ti", "{\"time\":\"2026", ""] {
        std::fs::write(&path, [&whole, torn.as_bytes()].concat()).unwrap();
        let mut guard = fixture.guard(4, &["branch:2"], Journal::open(&path).unwrap());
        let answer = ask(&mut guard, &fixture.question(1), &[true]);
        assert_eq!(answer, Ok(Answer::Holds(false)));
        let refusal = refused(&mut guard, &fixture.question(2));
        assert!(
            matches!(refusal, Refusal::Answers { limit: 2, .. }),
            "{refusal}"
        );
        assert_eq!(guard.journal().used("job").unwrap().bits(), 4);
    }
}

#[test]
fn other_files_are_no_journals_and_stay() {
    let (_directory, path) = place_for_journal();
    for content in ["hello", "hello\n", "{\"time\":3}\n", "{}\n", "{\"timer\":"] {
        std::fs::write(&path, content).unwrap();
        let error = Journal::open(&path).unwrap_err();
        assert!(
            matches!(error, JournalError::Foreign { line: 1, .. }),
            "{error}"
        );
        assert_eq!(std::fs::read_to_string(&path).unwrap(), content);
    }
}

#[test]
fn one_process_at_a_time() {
    let (_directory, path) = place_for_journal();
    let first = Journal::open(&path).unwrap();
    let second = Journal::open(&path).unwrap_err();
    assert_eq!(second, JournalError::InUse { path: path.clone() });
    drop(first);
    Journal::open(&path).unwrap();
}
