//! What a worker is to run, as it came.

use std::num::NonZeroUsize;

use processor::Task;

use super::parts::{Parts, wrong};
use crate::ClusterError;
use crate::message::{JobMessage, Letter};

pub(super) struct Job {
    pub(super) name: String,
    pub(super) program: Vec<u8>,
    pub(super) task: Task,
    pub(super) places: Vec<usize>,
    pub(super) inputs: Vec<(String, Vec<u8>)>,
    pub(super) checkpoint: Option<Vec<u8>>,
    pub(super) run: [u8; 32],
    pub(super) key: [u8; 32],
    pub(super) threads: NonZeroUsize,
    pub(super) is_wide: bool,
    pub(super) bits_per_second: f64,
    pub(super) is_halved: bool,
    pub(super) alone: Option<u64>,
    pub(super) most_threads: Option<NonZeroUsize>,
}

impl Job {
    pub(super) fn of(message: JobMessage, bulk: Vec<u8>) -> Result<Self, ClusterError> {
        let mut parts = Parts::of(bulk);
        let program = parts.take(message.program)?;
        let inputs = parts.take_files(message.inputs)?;
        let checkpoint = message
            .checkpoint
            .map(|length| parts.take(length))
            .transpose()?;
        parts.end()?;
        let threads = NonZeroUsize::new(message.threads as usize);
        Ok(Self {
            name: message.name,
            program,
            task: message.task,
            places: message
                .places
                .into_iter()
                .map(|place| place as usize)
                .collect(),
            inputs,
            checkpoint,
            run: message.run,
            key: message.key,
            threads: threads.ok_or_else(|| wrong("a job for no cores"))?,
            is_wide: message.is_wide,
            bits_per_second: message.bits_per_second,
            is_halved: message.is_halved,
            alone: message.alone,
            most_threads: message
                .most_threads
                .and_then(|most| NonZeroUsize::new(most as usize)),
        })
    }
}

impl From<JobMessage> for Letter {
    fn from(job: JobMessage) -> Self {
        crate::message::Message::Job(Box::new(job)).into()
    }
}
