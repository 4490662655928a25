//! What clients and servers send each other: any bytes are a message or none, a task or a question
//! is refused or is the same after another journey, and nothing that a message says is shown with
//! characters that a terminal takes for commands.

#![no_main]

use libfuzzer_sys::fuzz_target;
use prost::Message;
use service::proto::{
    Answer, BlobHeader, ClientMessage, FetchRequest, JobSpec, Question, ServerMessage, Task,
};
use service::{question, task};

fuzz_target!(|data: &[u8]| {
    let Some((choice, bytes)) = data.split_first() else {
        return;
    };
    match choice % 6 {
        0 => of_task(Task::decode(bytes).ok()),
        1 => {
            let spec = again::<JobSpec>(bytes);
            of_task(spec.and_then(|spec| spec.task));
        }
        2 => of_question(again::<Question>(bytes)),
        3 => {
            again::<ClientMessage>(bytes);
        }
        4 => {
            again::<ServerMessage>(bytes);
        }
        _ => {
            again::<Answer>(bytes);
            again::<BlobHeader>(bytes);
            again::<FetchRequest>(bytes);
        }
    }
});

/// A message, which is written and read as itself.
fn again<M: Message + Default>(bytes: &[u8]) -> Option<M> {
    let message = M::decode(bytes).ok()?;
    let written = message.encode_to_vec();
    // As bytes, since a message may hold a number that is none.
    let again = M::decode(&written[..]).expect("what was written can be read");
    assert_eq!(again.encode_to_vec(), written);
    Some(message)
}

fn of_task(message: Option<Task>) {
    let Some(message) = message else {
        return;
    };
    match task::from_message(&message) {
        Ok((read, places)) => {
            let written = task::to_message(&read, &places);
            assert_eq!(task::from_message(&written), Ok((read, places)));
        }
        Err(error) => shown(&error),
    }
}

fn of_question(message: Option<Question>) {
    let Some(mut message) = message else {
        return;
    };
    // Its hash stops almost everything.
    message.blake3 = question::question_hash(&message).to_vec();
    match question::from_message(&message) {
        Ok(received) => assert_eq!(received.asking().number, message.number),
        Err(error) => shown(&error),
    }
}

fn shown(error: &dyn std::error::Error) {
    let text = error.to_string();
    assert!(!text.chars().any(char::is_control), "{text:?}");
}
