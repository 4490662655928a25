//! Jobs that a server invents, and records of those that it was given.

use blindcore_service::client::{Submission, SubmissionError};
use blindcore_service::proto::{JobSpec, Limits, Task};
use session::policy::{Asks, Rules};
use tfhe::KeyId;

use super::party::{JOB, rules};

fn key() -> KeyId {
    KeyId::from_bytes([7; 16])
}

fn spec(request: u8) -> JobSpec {
    JobSpec {
        request_id: vec![request; 16],
        program: vec![1; 32],
        inputs: vec![2; 32],
        key: vec![3; 32],
        task: Some(Task::default()),
        ..JobSpec::default()
    }
}

fn submission(spec: &JobSpec, rules: Rules) -> Submission {
    Submission::new(
        JOB,
        "compute.example:7410",
        spec,
        key(),
        (Asks::Places, rules),
    )
}

/// What a client before there was this field wrote is read, and is the same submission.
#[test]
fn a_record_of_an_older_client_says_nothing_of_what_is_asked() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(format!("{JOB}.json"));
    let own = submission(&spec(1), rules(64));
    own.keep(&path).unwrap();
    assert_eq!(Submission::read(&path, JOB).unwrap().asks(), Asks::Places);
    let text = std::fs::read_to_string(&path).unwrap();
    let older = text.replace("\"asks\":\"places\",", "");
    assert_ne!(text, older);
    std::fs::write(&path, older).unwrap();
    assert_eq!(Submission::read(&path, JOB).unwrap().asks(), Asks::Anything);
    own.keep(&path).unwrap();
    assert_eq!(Submission::read(&path, JOB).unwrap(), own);
}

#[test]
fn a_job_that_was_never_submitted_is_not_known() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(format!("{JOB}.json"));
    let error = Submission::read(&path, JOB).unwrap_err();
    assert!(matches!(error, SubmissionError::Unknown { .. }), "{error}");
    submission(&spec(1), rules(64)).keep(&path).unwrap();
    let found = Submission::read(&path, JOB).unwrap();
    assert_eq!(found, submission(&spec(1), rules(64)));
    assert_eq!(found.rules(), &rules(64));
    // As it was before there were selector keys.
    assert!(
        !std::fs::read_to_string(&path)
            .unwrap()
            .contains("selectors")
    );
    // A record under another job's name is none.
    let other = "f".repeat(32);
    let renamed = place.path().join(format!("{other}.json"));
    std::fs::copy(&path, &renamed).unwrap();
    let error = Submission::read(&renamed, &other).unwrap_err();
    assert!(
        matches!(error, SubmissionError::Malformed { .. }),
        "{error}"
    );
    for content in ["", "{}", "hello", "{\"job\":3}"] {
        std::fs::write(&path, content).unwrap();
        let error = Submission::read(&path, JOB).unwrap_err();
        assert!(
            matches!(error, SubmissionError::Malformed { .. }),
            "{error}"
        );
    }
}

#[test]
fn program_and_key_are_those_that_were_submitted() {
    let submitted = submission(&spec(1), rules(64));
    assert_eq!(submitted.check([1; 32], key()), Ok(()));
    for (program, key, what) in [
        ([9; 32], key(), "program"),
        ([1; 32], KeyId::from_bytes([8; 16]), "key"),
    ] {
        let job = JOB.to_owned();
        let error = SubmissionError::Other { job, what };
        assert_eq!(submitted.check(program, key), Err(error));
    }
}

/// A server that answers each submission with the id of an earlier one.
#[test]
fn one_id_is_one_submission() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join(format!("{JOB}.json"));
    submission(&spec(1), rules(64)).keep(&path).unwrap();
    // The same request after a lost connection, under other rules.
    submission(&spec(1), rules(8)).keep(&path).unwrap();
    assert_eq!(Submission::read(&path, JOB).unwrap().rules(), &rules(8));
    let changes: [fn(&mut JobSpec); 6] = [
        |spec| spec.request_id[0] += 1,
        |spec| spec.program[0] += 1,
        |spec| spec.inputs[0] += 1,
        |spec| spec.key[0] += 1,
        |spec| spec.selectors = vec![4; 32],
        |spec| {
            spec.task = Some(Task {
                limits: Some(Limits {
                    instructions: 1,
                    ..Limits::default()
                }),
                ..Task::default()
            });
        },
    ];
    for change in changes {
        let mut other = spec(1);
        change(&mut other);
        let kept = submission(&other, rules(8)).keep(&path);
        let job = JOB.to_owned();
        assert_eq!(kept, Err(SubmissionError::Taken { job }));
    }
}
