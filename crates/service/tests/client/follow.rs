//! A job that is followed: its questions, through lost connections, and those that are refused.

use std::time::Duration;

use blindcore_service::client::{Client, ClientError, Responder};
use blindcore_service::proto::{
    Answer, ConditionAsked, JobState, Question, answer, question as asked,
};
use blindcore_service::question::question_hash;
use processor::{Answer as OwnerAnswer, Program};
use session::policy::{Asks, Guard, Journal, Policy, Refusal, Rules};
use session::question::ReceivedQuestion;
use tfhe::{KeyId, ShrunkBits};
use values::{Element, Type};
use wire::{OutputBit, Outputs, Variable};

use super::certificates::{Authority, connect};
use super::deceiver::{Deceiver, JOB, status};

/// `bne` at the end of a loop in the function `branch`.
const PROGRAM: &str = concat!(
    env!("CARGO_MANIFEST_DIR"),
    "/../processor/tests/programs/refused.elf"
);
const LOOP: u32 = 0x30;

fn program() -> Program {
    Program::load(&std::fs::read(PROGRAM).unwrap()).unwrap()
}

/// A question whose bit is no secret, which saves the keys.
fn question(program: &Program, number: u64, bit: bool) -> Question {
    let variable = Variable {
        name: "condition".to_owned(),
        kind: Type::scalar(Element::Boolean),
    };
    let mut bits = vec![OutputBit::Clear(false); 8];
    bits[0] = OutputBit::Clear(bit);
    let none = ShrunkBits::from_parts(tfhe::P16, KeyId::from_bytes([1; 16]), Vec::new()).unwrap();
    let record = Outputs::new(vec![variable], bits, none).unwrap();
    let condition = ConditionAsked {
        condition: "ne".to_owned(),
    };
    let mut question = Question {
        job: JOB.to_owned(),
        number,
        address: program.function("branch").unwrap().address + LOOP,
        asked: Some(asked::Asked::Condition(condition)),
        record: wire::encode(&record).unwrap().to_vec(),
        ..Question::default()
    };
    question.blake3 = question_hash(&question).to_vec();
    question
}

struct Answerer<'a> {
    guard: Guard<'a>,
    numbers: Vec<u64>,
}

impl Responder for Answerer<'_> {
    fn answer(&mut self, question: &ReceivedQuestion) -> Result<OwnerAnswer, Refusal> {
        self.numbers.push(question.asking().number);
        self.guard.answer(&question.asking(), || {
            let all = question.record().merge(&[]).ok_or("too few bits")?;
            Ok::<_, &str>(question.bits(&all))
        })
    }
}

fn answerer<'a>(program: &'a Program, allow: &[&str]) -> Answerer<'a> {
    let rules = Rules {
        allow: allow.iter().map(|text| text.parse().unwrap()).collect(),
        ..Rules::default()
    };
    let policy = Policy::new(&rules, program).unwrap();
    Answerer {
        guard: Guard::new(program, policy, Journal::in_memory(), Asks::Anything),
        numbers: Vec::new(),
    }
}

fn both() -> (Deceiver, Client) {
    let authority = Authority::new();
    let server = Deceiver::start(&authority.server("localhost"));
    let patience = Duration::from_secs(20);
    let client = connect(server.port(), &authority.client(), patience).unwrap();
    (server, client)
}

fn answers(server: &Deceiver) -> Vec<Answer> {
    server.script.lock().unwrap().answers.clone()
}

#[test]
#[ignore = "slow: 2 s"]
fn a_job_is_followed_through_lost_connections() {
    let (server, client) = both();
    let program = program();
    let (first, second) = (question(&program, 0, true), question(&program, 1, false));
    {
        let mut script = server.script.lock().unwrap();
        let running = || vec![status(JobState::Running)];
        // The answer to the first question is lost with its connection.
        script.watched = vec![running(), running(), vec![], running()];
        script.questions = vec![vec![first.clone()], vec![first.clone(), second]];
        script.unavailable.insert("watch", 2);
        script.unavailable.insert("attend", 1);
        script.done_after = Some(1);
    }
    let mut answerer = answerer(&program, &["branch"]);
    let mut seen = 0;
    let followed = client.follow(JOB, Some(&mut answerer), &mut |_| seen += 1);
    assert_eq!(followed.unwrap().state(), JobState::Done);
    assert!(seen >= 2, "{seen}");
    let answers = answers(&server);
    for answer in &answers {
        let expected = answer.number == 0;
        assert_eq!(answer.answer, Some(answer::Answer::Holds(expected)));
    }
    assert_eq!(answers.first().unwrap().blake3, first.blake3);
    // A question that came twice cost nothing the second time.
    assert_eq!(answerer.guard.journal().used(JOB).unwrap().bits(), 4);
}

#[test]
fn what_the_rules_refuse_stays_open() {
    let (server, client) = both();
    let program = program();
    server.script.lock().unwrap().questions = vec![vec![question(&program, 0, true)]];
    let mut answerer = answerer(&program, &["load"]);
    let error = client
        .follow(JOB, Some(&mut answerer), &mut |_| {})
        .unwrap_err();
    let ClientError::Question { refusal, waits, .. } = &error else {
        panic!("{error}");
    };
    assert!(matches!(**refusal, Refusal::Site { .. }), "{error}");
    assert!(waits);
    assert_eq!(answers(&server), []);
}

#[test]
fn what_no_honest_server_asks_is_refused_to_its_face() {
    let program = program();
    let mut other = question(&program, 0, true);
    other.address -= 4;
    other.blake3 = question_hash(&other).to_vec();
    for questions in [
        vec![other],
        vec![question(&program, 0, true), question(&program, 0, false)],
    ] {
        let (server, client) = both();
        server.script.lock().unwrap().questions = vec![questions];
        let mut answerer = answerer(&program, &["branch"]);
        let error = client
            .follow(JOB, Some(&mut answerer), &mut |_| {})
            .unwrap_err();
        assert!(
            matches!(error, ClientError::Question { waits: false, .. }),
            "{error}"
        );
        let last = answers(&server).pop().unwrap();
        // The reason reveals nothing about the rules.
        let Some(answer::Answer::Refused(reason)) = last.answer else {
            panic!("{last:?}");
        };
        assert_eq!(
            reason,
            "the question is not one that the job's program asks"
        );
    }
}

#[test]
fn messages_that_are_no_questions_end_it() {
    let program = program();
    let whole = question(&program, 0, true);
    let mut cases = vec![Question {
        blake3: vec![0; 32],
        ..whole.clone()
    }];
    let sealed = |mut question: Question| {
        question.blake3 = question_hash(&question).to_vec();
        question
    };
    cases.push(sealed(Question {
        record: vec![1; 100],
        ..whole.clone()
    }));
    cases.push(sealed(Question {
        asked: None,
        ..whole.clone()
    }));
    cases.push(sealed(Question {
        job: "another".to_owned(),
        ..whole
    }));
    for case in cases {
        let (server, client) = both();
        server.script.lock().unwrap().questions = vec![vec![case]];
        let mut answerer = answerer(&program, &["branch"]);
        let error = client
            .follow(JOB, Some(&mut answerer), &mut |_| {})
            .unwrap_err();
        assert!(matches!(error, ClientError::Protocol { .. }), "{error}");
        assert!(answerer.numbers.is_empty());
        assert_eq!(answers(&server), []);
    }
}
