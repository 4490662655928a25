//! The same question again, another one under its number, questions in any order, and clients that
//! are killed.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::Path;

use processor::Answer;
use session::policy::{Asking, Asks, Guard, Journal, Ledger, Refusal};

use super::party::{BITS, JOB, Owner, Probe, SECRET, Server, parties, policy, program, rules};

fn open<'a>(
    program: &'a processor::Program,
    owner: &Owner,
    bits: u64,
    directory: &Path,
) -> Guard<'a> {
    let journal = Journal::open(&directory.join("audit.jsonl")).unwrap();
    let ledger = Ledger::open(&directory.join("alice.ledger"), owner.key_id()).unwrap();
    Guard::new(
        program,
        policy(program, &rules(bits)),
        journal,
        Asks::Anything,
    )
    .counting(ledger)
}

fn bit(server: &Server, number: u64, index: usize) -> blindcore_service::proto::Question {
    server.condition(number, vec![server.bit(index)])
}

fn holds(index: usize) -> Answer {
    Answer::Holds(SECRET >> index & 1 == 1)
}

/// A question gets one answer, however often it is repeated. After another question under its
/// number, nothing of the job is answered, by any client or with any other record.
#[test]
fn another_question_under_an_old_number_ends_the_job() {
    let (owner, server) = parties();
    let program = program();
    let place = tempfile::tempdir().unwrap();
    let mut guard = open(&program, &owner, 64, place.path());
    for _ in 0..3 {
        let answer = owner.answer(&mut guard, &bit(&server, 5, 0)).unwrap();
        assert_eq!(answer, Ok(holds(0)));
    }
    assert_eq!(owner.decrypted.get(), 1);
    let answer = owner.answer(&mut guard, &bit(&server, 5, 1)).unwrap();
    assert_eq!(answer, Err(Refusal::Changed { number: 5 }));
    drop(guard);
    for name in ["audit.jsonl", "other.jsonl"] {
        let journal = Journal::open(&place.path().join(name)).unwrap();
        let ledger = Ledger::open(&place.path().join("alice.ledger"), owner.key_id()).unwrap();
        let mut guard = Guard::new(
            &program,
            policy(&program, &rules(64)),
            journal,
            Asks::Anything,
        )
        .counting(ledger);
        // New ones, and the one that was answered.
        for question in [bit(&server, 6, 1), bit(&server, 5, 0)] {
            let refusal = owner.answer(&mut guard, &question).unwrap().unwrap_err();
            assert!(matches!(refusal, Refusal::Closed { .. }), "{refusal}");
            assert!(!refusal.is_matter_of_rules());
        }
    }
    assert_eq!(owner.decrypted.get(), 1);
}

/// What does not decrypt is told like any other refusal, and ends the job.
#[test]
fn what_does_not_decrypt_ends_the_job() {
    let (owner, server) = parties();
    let program = program();
    let place = tempfile::tempdir().unwrap();
    let mut guard = open(&program, &owner, 64, place.path());
    let wrong = server.condition(0, vec![server.if_it_is(0, SECRET & 1 == 0)]);
    let refusal = owner.answer(&mut guard, &wrong).unwrap().unwrap_err();
    assert!(
        matches!(refusal, Refusal::Undecryptable { number: 0, .. }),
        "{refusal}"
    );
    assert!(!refusal.is_matter_of_rules());
    assert_eq!(guard.ledger().bits(), 2);
    for question in [wrong, bit(&server, 1, 0)] {
        let refusal = owner.answer(&mut guard, &question).unwrap().unwrap_err();
        assert!(matches!(refusal, Refusal::Closed { .. }), "{refusal}");
    }
    assert_eq!((owner.decrypted.get(), guard.ledger().bits()), (1, 2));
}

/// A client that dies while it decrypts, or after it wrote its answer down: the question was paid
/// for once, and the answer is what it would have been.
#[test]
fn a_killed_client_pays_once_and_answers_alike() {
    let (owner, server) = parties();
    let program = program();
    let place = tempfile::tempdir().unwrap();
    let question = bit(&server, 0, 0);
    let mut guard = open(&program, &owner, 2, place.path());
    let asking = Asking {
        job: JOB,
        number: 0,
        address: question.address,
        asked: processor::Asked::Condition(a32::Condition::NotEqual),
        hash: question.blake3.as_slice().try_into().unwrap(),
    };
    let died = catch_unwind(AssertUnwindSafe(|| {
        guard.answer(&asking, || -> Result<Vec<bool>, String> {
            panic!("killed")
        })
    }));
    assert!(died.is_err());
    drop(guard);
    let ledger = Ledger::open(&place.path().join("alice.ledger"), owner.key_id()).unwrap();
    assert_eq!(ledger.bits(), 2, "paid before it was decrypted");
    drop(ledger);
    for round in 0..3 {
        let mut guard = open(&program, &owner, 2, place.path());
        let answer = owner.answer(&mut guard, &question).unwrap();
        assert_eq!(answer, Ok(holds(0)), "{round}");
        assert_eq!(guard.ledger().bits(), 2);
        assert_eq!(guard.journal().used(JOB).unwrap().bits(), 2);
        let more = owner.answer(&mut guard, &bit(&server, 1, 1)).unwrap();
        assert!(matches!(more, Err(Refusal::Bits { used: 2, .. })));
    }
    assert_eq!(owner.decrypted.get(), 1);
}

/// Numbers in any order, with gaps and repetitions, reveal no more bits than were paid for.
#[test]
fn order_changes_nothing() {
    let (owner, server) = parties();
    let program = program();
    let place = tempfile::tempdir().unwrap();
    let mut guard = open(&program, &owner, 11, place.path());
    let mut answered = std::collections::BTreeSet::new();
    for number in [9, 3, 9, u64::MAX, 0, 3, 4, 5, 6, 9] {
        let index = (number % BITS as u64) as usize;
        let answer = owner.answer(&mut guard, &bit(&server, number, index));
        if let Ok(Ok(answer)) = answer {
            assert_eq!(answer, holds(index));
            answered.insert(number);
        }
    }
    let expected = [0, 3, 4, 9, u64::MAX];
    assert_eq!(answered.into_iter().collect::<Vec<_>>(), expected);
    assert_eq!(guard.ledger().bits(), 10);
}

/// Clear bits where secret ones are asked about reveal nothing, and cost the same.
#[test]
fn what_is_charged_does_not_depend_on_what_is_decrypted() {
    let (owner, server) = parties();
    let program = program();
    for probe in [
        Probe::Clear(true),
        Probe::Clear(false),
        server.bit(0),
        server.bit(1),
        server.if_it_is(0, SECRET & 1 == 0),
    ] {
        let place = tempfile::tempdir().unwrap();
        let mut guard = open(&program, &owner, 64, place.path());
        let _ = owner.answer(&mut guard, &server.condition(0, vec![probe]));
        assert_eq!(guard.ledger().bits(), 2);
    }
}
