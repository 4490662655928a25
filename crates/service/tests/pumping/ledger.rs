//! The count of a key's bits: over jobs, by several clients at once, and what is wrong with its
//! file.

use std::path::{Path, PathBuf};

use blindcore_service::proto::Question;
use session::policy::{Asks, Guard, Journal, Ledger, LedgerError, Refusal, Rules};
use tfhe::KeyId;

use super::party::{Owner, Server, parties, policy, program, rules};

fn key() -> KeyId {
    KeyId::from_bytes([7; 16])
}

fn limited(of_key: u64) -> Rules {
    Rules {
        max_bits_of_key: Some(of_key),
        ..rules(64)
    }
}

fn guard<'a>(program: &'a processor::Program, rules: &Rules, path: &Path, key: KeyId) -> Guard<'a> {
    let ledger = Ledger::open(path, key).unwrap();
    Guard::new(
        program,
        policy(program, rules),
        Journal::in_memory(),
        Asks::Anything,
    )
    .counting(ledger)
}

/// A question of some job about one bit of the secret.
fn question(server: &Server, job: usize, number: u64) -> Question {
    let mut question = server.condition(number, vec![server.bit(number as usize)]);
    question.job = format!("{job:032x}");
    question.blake3 = blindcore_service::question::question_hash(&question).to_vec();
    question
}

fn place() -> (tempfile::TempDir, PathBuf) {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("alice.ledger");
    (directory, path)
}

/// Ten submissions are ten jobs, and one budget.
#[test]
fn ten_jobs_have_one_budget_of_the_key() {
    let (owner, server) = parties();
    let program = program();
    let (_directory, path) = place();
    let mut answers = 0;
    for job in 0..10 {
        let mut guard = guard(&program, &limited(7), &path, owner.key_id());
        for number in 0..3 {
            let reply = owner.answer(&mut guard, &question(&server, job, number));
            match reply.unwrap() {
                Ok(_) => answers += 1,
                Err(refusal) => {
                    assert!(
                        matches!(
                            refusal,
                            Refusal::KeyBits {
                                bits: 2,
                                used: 6,
                                limit: 7,
                                ..
                            }
                        ),
                        "{refusal}"
                    );
                    assert!(refusal.is_matter_of_rules());
                }
            }
        }
    }
    assert_eq!((answers, owner.decrypted.get()), (3, 3));
}

/// Two clients attend at once, to the same job and to others: both count in one ledger, and one
/// question is paid for once.
#[test]
fn two_clients_at_once_count_together() {
    let (_, server) = parties();
    let program = program();
    let (_directory, path) = place();
    let questions_of_clients: Vec<Vec<Question>> = (0..2)
        .map(|own| {
            let questions =
                (0..40).map(|n| question(&server, n % 2 * (own + 1), n as u64 / 2 % 16));
            questions.collect()
        })
        .collect();
    std::thread::scope(|scope| {
        for questions in &questions_of_clients {
            let (program, path) = (&program, &path);
            scope.spawn(move || {
                let owner: Owner = parties().0;
                let mut guard = guard(program, &limited(41), path, owner.key_id());
                for question in questions {
                    let _ = owner.answer(&mut guard, question).unwrap();
                }
                assert!(owner.decrypted.get() > 0);
            });
        }
    });
    let owner = parties().0;
    let ledger = Ledger::open(&path, owner.key_id()).unwrap();
    assert_eq!(ledger.bits(), 40);
    let text = std::fs::read_to_string(&path).unwrap();
    let charges = text.lines().filter(|line| line.contains("\"charge\""));
    let mut charges: Vec<_> = charges
        .map(|line| line.split("\"job\"").nth(1).unwrap().to_owned())
        .collect();
    assert_eq!(charges.len(), 20);
    charges.sort();
    charges.dedup();
    assert_eq!(charges.len(), 20, "a question was paid for twice");
}

/// A journal that knows more than the ledger, as one does that is older, counts.
#[test]
fn what_a_journal_knows_is_counted() {
    let (owner, server) = parties();
    let program = program();
    let (directory, path) = place();
    let audit = directory.path().join("audit.jsonl");
    let journal = Journal::open(&audit).unwrap();
    let mut old = Guard::new(
        &program,
        policy(&program, &rules(64)),
        journal,
        Asks::Anything,
    );
    for number in 0..2 {
        let reply = owner.answer(&mut old, &question(&server, 0, number));
        reply.unwrap().unwrap();
    }
    drop(old);
    let ledger = Ledger::open(&path, owner.key_id()).unwrap();
    let journal = Journal::open(&audit).unwrap();
    let mut guard = Guard::new(
        &program,
        policy(&program, &limited(5)),
        journal,
        Asks::Anything,
    )
    .counting(ledger);
    let reply = owner.answer(&mut guard, &question(&server, 0, 2)).unwrap();
    assert!(matches!(reply, Err(Refusal::KeyBits { used: 4, .. })));
    assert_eq!(guard.ledger().bits(), 4);
}

/// A ledger with three charges.
fn filled(path: &Path) -> Vec<u8> {
    let (owner, server) = parties();
    let program = program();
    let mut guard = guard(&program, &rules(64), path, key());
    for number in 0..3 {
        let reply = owner.answer(&mut guard, &question(&server, 0, number));
        reply.unwrap().unwrap();
    }
    std::fs::read(path).unwrap()
}

/// Every single byte, and every line: nothing that was changed is counted by.
#[test]
#[ignore = "slow: 2 s"]
fn a_damaged_ledger_refuses_and_stays() {
    let (_directory, path) = place();
    let whole = filled(&path);
    let refused = |content: &[u8], what: &str| {
        std::fs::write(&path, content).unwrap();
        let error = Ledger::open(&path, key()).unwrap_err();
        let fits = matches!(
            error,
            LedgerError::Damaged { .. } | LedgerError::OtherKey { .. }
        );
        assert!(fits, "{what}: {error}");
        assert_eq!(std::fs::read(&path).unwrap(), content, "{what}");
    };
    for index in 0..whole.len() {
        for mask in [1, 0x80] {
            let mut changed = whole.clone();
            changed[index] ^= mask;
            refused(&changed, &format!("byte {index}"));
        }
    }
    let lines: Vec<&[u8]> = whole.split_inclusive(|byte| *byte == b'\n').collect();
    assert_eq!(lines.len(), 4);
    refused(&lines[1..].concat(), "no first line");
    refused(&[lines[0], lines[2], lines[3]].concat(), "no second line");
    refused(
        &[lines[0], lines[2], lines[1], lines[3]].concat(),
        "reordered",
    );
    refused(&[&whole[..], lines[1]].concat(), "a line twice");
    refused(b"hello\n", "another file");
    std::fs::write(&path, &whole).unwrap();
    let other = KeyId::from_bytes([8; 16]);
    assert!(matches!(
        Ledger::open(&path, other),
        Err(LedgerError::OtherKey { .. })
    ));
    assert_eq!(Ledger::open(&path, key()).unwrap().bits(), 6);
}

/// A crash while a line is written leaves what was there before: it had not been used yet.
#[test]
fn a_torn_line_is_taken_away() {
    let (_directory, path) = place();
    let whole = filled(&path);
    let last = whole.len()
        - 1
        - whole[..whole.len() - 1]
            .iter()
            .rev()
            .position(|b| *b == b'\n')
            .unwrap();
    for length in last..whole.len() {
        std::fs::write(&path, &whole[..length]).unwrap();
        let bits = Ledger::open(&path, key()).unwrap().bits();
        // A line that lacks nothing but its end is one.
        let expected = if length == whole.len() - 1 { 6 } else { 4 };
        assert_eq!(bits, expected, "{length}");
        assert_eq!(
            Ledger::open(&path, key()).unwrap().bits(),
            expected,
            "{length} again"
        );
    }
    // What is in use is not cut off under one's hands.
    std::fs::write(&path, &whole).unwrap();
    let (owner, server) = parties();
    let program = program();
    let mut guard = guard(&program, &rules(64), &path, key());
    let mut gone = |what: &str, number| {
        let reply = owner
            .answer(&mut guard, &question(&server, 0, number))
            .unwrap();
        let refused = matches!(&reply, Err(Refusal::Ledger(LedgerError::Gone { .. })));
        assert!(refused, "{what}: {reply:?}");
    };
    std::fs::write(&path, &whole[..last]).unwrap();
    gone("cut off", 4);
    if cfg!(unix) {
        std::fs::write(&path, &whole).unwrap();
        std::fs::remove_file(&path).unwrap();
        gone("removed", 4);
    }
    assert_eq!(owner.decrypted.get(), 0);
}
