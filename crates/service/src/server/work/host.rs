//! The world of a run on the server: questions go to the board, checkpoints and written bytes to
//! the job's files.

use std::fs::File;
use std::io::{self, Write};
use std::sync::Arc;

use engines::tfhe_lookup::TfheLookup;
use processor::{Answer, Checkpoint, Host, HostError, Question};
use prost::Message;
use tfhe::LweCiphertext;
use wire::WireError;

use crate::proto::{self, ErrorCode};
use crate::server::board::{Ask, Board, NoRoom, Pause};
use crate::server::store::{CheckpointRecord, JobRecord, StoreError, is_transient};
use session::evaluator;

/// Most clear bytes that a program may write.
pub(super) const WRITTEN_LIMIT: u64 = 16 << 20;

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
    board: &'a Board,
    record: &'a JobRecord,
    engine: &'a TfheLookup,
    /// What a checkpoint belongs to.
    run: [u8; 32],
    written: File,
    written_length: u64,
    checkpoint: Option<CheckpointRecord>,
}

impl<'a> JobHost<'a> {
    /// A host for a run that begins at the record's checkpoint, if it has one: what the program
    /// wrote after that is cut off, since it will write it again.
    pub(super) fn new(
        board: &'a Board,
        record: &'a JobRecord,
        engine: &'a TfheLookup,
        run: [u8; 32],
    ) -> Result<Self, Halt> {
        let length = record.checkpoint.as_ref().map_or(0, |c| c.written);
        Ok(Self {
            board,
            record,
            engine,
            run,
            written: board.store.written(&record.id, length)?,
            written_length: length,
            checkpoint: record.checkpoint.clone(),
        })
    }

    /// What the program wrote is on disk.
    pub(super) fn settle(&mut self) -> Result<u64, Halt> {
        let synchronised = self.written.sync_all();
        synchronised.map_err(|error| Halt::of_file(&error))?;
        Ok(self.written_length)
    }

    fn keep(&mut self, checkpoint: &Checkpoint<'_, LweCiphertext>) -> Result<(), Halt> {
        self.settle()?;
        let number = self.checkpoint.as_ref().map_or(0, |c| c.number + 1);
        let key = self.engine.key();
        let file = evaluator::checkpoint(key.parameters(), key.key_id(), self.run, checkpoint)
            .map_err(|error| Halt::Failed(ErrorCode::Internal, error.to_string()))?;
        let estimate = file.state().len() as u64
            + file.bits().len() as u64
                * 8
                * (key.parameters().big_lwe_dimension().get() as u64 + 1);
        let JobRecord {
            client,
            client_name,
            ..
        } = self.record;
        let room = self.board.check_room(client, client_name, estimate);
        room.map_err(Halt::no_room)?;
        let store = &self.board.store;
        let length = store.keep_checkpoint(&self.record.id, number, &file);
        let length = length.map_err(|error| Halt::of_wire(&error))?;
        let record = CheckpointRecord {
            number,
            windows: checkpoint.progress.window as u64,
            instructions: checkpoint.progress.instructions,
            nodes: checkpoint.progress.nodes as u64,
            written: self.written_length,
            length,
        };
        self.board.checkpointed(&self.record.id, &record)?;
        self.checkpoint = Some(record);
        tracing::debug!(job = %self.record.id, number, length, "checkpoint kept");
        match self.board.makes_room(&self.record.id) {
            Some(pause) => Err(Halt::Paused(pause)),
            None => Ok(()),
        }
    }

    fn answer(&mut self, question: &Question<LweCiphertext>) -> Result<Answer, Halt> {
        let id = self.record.id.as_str();
        let number = question.number;
        let stored = self.board.question(id, number)?;
        match stored {
            // Asked before a pause or a crash: it stays as it was sent.
            Some(stored) if stored.address == question.address => {
                if !self.board.is_asked(id, number)? {
                    self.board.ask(&stored)?;
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
                } = self.record;
                let bytes = message.encoded_len() as u64;
                let room = self.board.check_room(client, client_name, bytes);
                room.map_err(Halt::no_room)?;
                self.board.ask(&message)?;
            }
        }
        match self.board.await_answer(id, number)? {
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
        let length = self.written_length.saturating_add(bytes.len() as u64);
        if length > WRITTEN_LIMIT {
            let message = format!("the program wrote more than {WRITTEN_LIMIT} bytes");
            return Err(Box::new(Halt::Failed(ErrorCode::Limit, message)));
        }
        let written = self.written.write_all(bytes);
        written.map_err(|error| Box::new(Halt::of_file(&error)))?;
        self.written_length = length;
        Ok(())
    }
}

/// What a run's error means, if the host ended it.
pub(super) fn halt(source: &HostError) -> Option<&Halt> {
    source.downcast_ref()
}

/// Shared by everything that only looks.
pub(super) type Shared = Arc<Board>;
