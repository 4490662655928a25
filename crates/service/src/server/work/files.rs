//! What a run of a job leaves on the disk while it goes on: its checkpoints, and what the program writes.

use std::fs::File;
use std::io::Write;

use super::host::Halt;
use crate::proto::ErrorCode;
use crate::server::board::Board;
use crate::server::store::{CheckpointRecord, JobRecord};

/// Most clear bytes that a program may write.
const WRITTEN_LIMIT: u64 = 16 << 20;

/// How far a run is at a checkpoint.
#[derive(Clone, Copy, Debug)]
pub(super) struct At {
    pub(super) windows: u64,
    pub(super) instructions: u64,
    pub(super) nodes: u64,
}

/// See the module.
pub(super) struct JobFiles<'a> {
    pub(super) board: &'a Board,
    pub(super) record: &'a JobRecord,
    written: File,
    written_length: u64,
    checkpoint: Option<CheckpointRecord>,
}

impl<'a> JobFiles<'a> {
    /// For a run that begins at the record's checkpoint, if it has one: what the program wrote after that is cut
    /// off, since it will write it again.
    pub(super) fn open(board: &'a Board, record: &'a JobRecord) -> Result<Self, Halt> {
        let length = record.checkpoint.as_ref().map_or(0, |c| c.written);
        Ok(Self {
            board,
            record,
            written: board.store.written(&record.id, length)?,
            written_length: length,
            checkpoint: record.checkpoint.clone(),
        })
    }

    /// What the program wrote is on disk: so many bytes.
    pub(super) fn settle(&mut self) -> Result<u64, Halt> {
        let synchronised = self.written.sync_all();
        synchronised.map_err(|error| Halt::of_file(&error))?;
        Ok(self.written_length)
    }

    /// Keeps a checkpoint, which is the moment at which others may have their turn.
    pub(super) fn keep(&mut self, file: &wire::Checkpoint, at: At) -> Result<(), Halt> {
        self.settle()?;
        let number = self.checkpoint.as_ref().map_or(0, |c| c.number + 1);
        let parameters = wire::Record::parameters(file);
        let estimate = file.state().len() as u64
            + file.bits().len() as u64 * 8 * (parameters.big_lwe_dimension().get() as u64 + 1);
        let JobRecord {
            client,
            client_name,
            ..
        } = self.record;
        let room = self.board.check_room(client, client_name, estimate);
        room.map_err(Halt::no_room)?;
        let store = &self.board.store;
        let length = store.keep_checkpoint(&self.record.id, number, file);
        let length = length.map_err(|error| Halt::of_wire(&error))?;
        let record = CheckpointRecord {
            number,
            windows: at.windows,
            instructions: at.instructions,
            nodes: at.nodes,
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

    /// Keeps what the program writes.
    pub(super) fn write(&mut self, bytes: &[u8]) -> Result<(), Halt> {
        let length = self.written_length.saturating_add(bytes.len() as u64);
        if length > WRITTEN_LIMIT {
            let message = format!("the program wrote more than {WRITTEN_LIMIT} bytes");
            return Err(Halt::Failed(ErrorCode::Limit, message));
        }
        let written = self.written.write_all(bytes);
        written.map_err(|error| Halt::of_file(&error))?;
        self.written_length = length;
        Ok(())
    }
}
