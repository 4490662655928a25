//! What a worker is to run, as it came.

use std::num::NonZeroUsize;

use processor::Task;

use super::post::{Order, Post};
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
}

impl Job {
    pub(super) fn receive(post: &Post) -> Result<Self, ClusterError> {
        let (message, bulk) = post.order_of(|order| match order {
            Order::Job(message, bulk) => Some((message, bulk)),
            _ => None,
        })?;
        Self::of(*message, bulk)
    }

    fn of(message: JobMessage, mut bulk: Vec<u8>) -> Result<Self, ClusterError> {
        let wrong = |reason: &str| ClusterError::Message {
            reason: reason.to_owned(),
        };
        let mut take = |length: u64| {
            let length = usize::try_from(length)
                .ok()
                .filter(|length| *length <= bulk.len());
            let length = length.ok_or_else(|| wrong("a job whose parts are longer than it is"))?;
            let rest = bulk.split_off(length);
            Ok::<_, ClusterError>(std::mem::replace(&mut bulk, rest))
        };
        let program = take(message.program)?;
        let mut inputs = Vec::new();
        for (name, length) in message.inputs {
            inputs.push((name, take(length)?));
        }
        let checkpoint = message.checkpoint.map(&mut take).transpose()?;
        if !bulk.is_empty() {
            return Err(wrong("a job that is longer than its parts"));
        }
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
        })
    }
}

impl From<JobMessage> for Letter {
    fn from(job: JobMessage) -> Self {
        crate::message::Message::Job(Box::new(job)).into()
    }
}
