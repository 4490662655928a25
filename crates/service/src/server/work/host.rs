//! The world of a run on the server: questions go to the board, checkpoints and written bytes to
//! the job's files.

use std::io;
use std::sync::Arc;

use engines::tfhe_lookup::TfheLookup;
use processor::{Answer, Checkpoint, Host, HostError, Question};
use prost::Message;
use tfhe::LweCiphertext;
use wire::WireError;

use super::files::{At, JobFiles};
use crate::proto::{self, ErrorCode};
use crate::server::board::{Ask, Board, NoRoom, Pause};
use crate::server::store::{JobRecord, StoreError, is_transient};
use session::evaluator;

/// Why the host ends a run.
#[derive(Debug, thiserror::Error)]
pub(in crate::server) enum Halt {
    /// It goes on later.
    #[error("set aside")]
    Paused(Pause),
    /// It was told to end.
    #[error("stopped")]
    Stopped,
    /// The disk has no room: it is tried again later.
    #[error("set aside: {0}")]
    Full(String),
    /// The disk failed: it is tried again later.
    #[error("set aside: {0}")]
    Postponed(String),
    /// It cannot go on.
    #[error("{1}")]
    Failed(ErrorCode, String),
}

impl Halt {
    /// A failure of the store: one that may pass sets the job aside.
    fn of_store(error: &StoreError) -> Self {
        tracing::error!(%error, "storage failed");
        match error {
            // A damaged database is the server's: its jobs wait until it is mended.
            StoreError::Database { .. } => Self::Postponed(error.to_string()),
            error if error.is_transient() => Self::Postponed(error.to_string()),
            _ => Self::lost(),
        }
    }

    /// The same of a file.
    pub(super) fn of_file(error: &io::Error) -> Self {
        Self::of_wire(&WireError::io("use a file of the job", error))
    }

    /// The same of one of our files.
    pub(super) fn of_wire(error: &WireError) -> Self {
        tracing::error!(%error, "storage failed");
        match error {
            WireError::Io { kind, .. } if is_transient(*kind) => Self::Postponed(error.to_string()),
            _ => Self::lost(),
        }
    }

    fn lost() -> Self {
        let message = "the server's storage failed: ask its operator to look into its log";
        Self::Failed(ErrorCode::Storage, message.to_owned())
    }

    /// A full disk sets the job aside, a quota ends it.
    pub(super) fn no_room(why: NoRoom) -> Self {
        match why {
            NoRoom::Quota(message) => Self::Failed(ErrorCode::Quota, message),
            NoRoom::Disk(message) => Self::Full(message),
        }
    }
}

impl From<StoreError> for Halt {
    fn from(error: StoreError) -> Self {
        Self::of_store(&error)
    }
}

/// See the module.
pub(super) struct JobHost<'a> {
    files: JobFiles<'a>,
    engine: &'a TfheLookup,
    /// What a checkpoint belongs to.
    run: [u8; 32],
}

impl<'a> JobHost<'a> {
    pub(super) fn new(files: JobFiles<'a>, engine: &'a TfheLookup, run: [u8; 32]) -> Self {
        Self { files, engine, run }
    }

    /// What the program wrote is on disk.
    pub(super) fn settle(&mut self) -> Result<u64, Halt> {
        self.files.settle()
    }

    fn keep(&mut self, checkpoint: &Checkpoint<'_, LweCiphertext>) -> Result<(), Halt> {
        let key = self.engine.key();
        let file = evaluator::checkpoint(key.parameters(), key.key_id(), self.run, checkpoint)
            .map_err(|error| Halt::Failed(ErrorCode::Internal, error.to_string()))?;
        self.files.keep(
            &file,
            At {
                windows: checkpoint.progress.window as u64,
                instructions: checkpoint.progress.instructions,
                nodes: checkpoint.progress.nodes as u64,
            },
        )
    }

    fn answer(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, Halt> {
        let JobFiles { board, record, .. } = self.files;
        let id = record.id.as_str();
        let number = question.number;
        let stored = board.question(id, number)?;
        match stored {
            // Asked before a pause or a crash: it stays as it was sent.
            Some(stored) if stored.address == question.address => {
                if !board.is_asked(id, number)? {
                    board.ask(&stored)?;
                }
            }
            Some(_) => {
                return Err(Halt::Failed(
                    ErrorCode::Internal,
                    format!(
                        "question {number} was asked from another place before: please report it"
                    ),
                ));
            }
            None => {
                let asked = evaluator::question(self.engine, id, question)
                    .map_err(|error| Halt::Failed(ErrorCode::Internal, error.to_string()))?;
                let message = crate::question::to_message(&asked);
                let JobRecord {
                    client,
                    client_name,
                    ..
                } = record;
                let bytes = message.encoded_len() as u64;
                let room = board.check_room(client, client_name, bytes);
                room.map_err(Halt::no_room)?;
                board.ask(&message)?;
            }
        }
        match board.await_answer(id, number)? {
            Ask::Answered(answer) => answer_of(&answer),
            Ask::Paused(pause) => Err(Halt::Paused(pause)),
            Ask::Stopped => Err(Halt::Stopped),
        }
    }
}

fn answer_of(answer: &proto::Answer) -> Result<Answer, Halt> {
    use proto::answer::Answer as Message;
    match &answer.answer {
        Some(Message::Holds(holds)) => Ok(Answer::Holds(*holds)),
        Some(Message::Next(next)) => Ok(Answer::Next(*next)),
        Some(Message::Refused(reason)) => {
            let (_, message) = crate::server::board::refusal(answer.number, reason);
            Err(Halt::Failed(ErrorCode::Refused, message))
        }
        None => Err(Halt::Failed(
            ErrorCode::Internal,
            format!("the answer to question {} is empty", answer.number),
        )),
    }
}

impl Host<LweCiphertext> for JobHost<'_> {
    fn ask(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, HostError> {
        Ok(self.answer(question)?)
    }

    fn checkpoint(&mut self, checkpoint: &Checkpoint<'_, LweCiphertext>) -> Result<(), HostError> {
        Ok(self.keep(checkpoint)?)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        Ok(self.files.write(bytes)?)
    }
}

/// What a run's error means, if the host ended it.
pub(super) fn halt(source: &HostError) -> Option<&Halt> {
    source.downcast_ref()
}

/// Shared by everything that only looks.
pub(super) type Shared = Arc<Board>;
