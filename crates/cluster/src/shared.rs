//! A planned run on workers by TCP: what all faces have in common.

use std::num::NonZeroUsize;
use std::sync::Arc;

use processor::Task;
use session::evaluator::{self, CheckpointFile, Planned};
use session::{Control, Program};
use wire::Checkpoint;

use crate::tcp::{Certificates, Connections, Tcp};
use crate::transport::Transport;
use crate::{Addresses, ClusterError, Ended, Job, Patience, Progress, Watcher, drive};

/// How workers are reached.
#[derive(Clone)]
pub enum Reach {
    /// By TCP. What is shown to them; without, there is no TLS.
    Tcp(Option<Certificates>),
    /// By connections that there are.
    By(Arc<dyn Transport>),
}

impl Reach {
    /// The driver's connections, of one session.
    ///
    /// # Errors
    /// [`ClusterError::Certificate`] if the system gives no random numbers.
    pub fn driver(&self) -> Result<Arc<dyn Transport>, ClusterError> {
        Ok(match self {
            Self::Tcp(certificates) => {
                Arc::new(Connections::of(Tcp::driver(certificates.clone())?))
            }
            Self::By(transport) => Arc::clone(transport),
        })
    }
}

/// Which workers, and how they are reached.
#[derive(Clone)]
pub struct Workers {
    /// Where they are.
    pub addresses: Addresses,
    /// How they are reached.
    pub reach: Reach,
    /// Bits that each one's link carries in a second, each way.
    pub bits_per_second: f64,
    /// Whether others may come while a run goes on.
    pub may_grow: bool,
    /// Whether they send each other [half](Job::is_halved) of a ciphertext.
    pub is_halved: bool,
    /// How they are treated.
    pub patience: Patience,
}

/// A run that was planned for all workers together, with its files.
pub struct SharedRun<'a> {
    /// The program.
    pub program: &'a Program,
    /// What to execute.
    pub task: &'a Task,
    /// Which variable of the inputs each secret of the task is.
    pub places: &'a [usize],
    /// Files of inputs, with their names.
    pub inputs: Vec<(String, Vec<u8>)>,
    /// The server key's file, which is that of the inputs.
    pub key: Vec<u8>,
    /// The plan.
    pub planned: &'a Planned,
    /// The threads that it is for: those of all workers.
    pub threads: NonZeroUsize,
    /// The run's name in checkpoints.
    pub run: [u8; 32],
    /// Where to go on from.
    pub resumed: Option<Checkpoint>,
    /// Bytes that ciphertexts may take where there is one worker.
    pub memory: u64,
}

impl SharedRun<'_> {
    /// Runs. Checkpoints go to a file, if there is one; `tell` gets what a person wants to know.
    ///
    /// # Errors
    /// Those of [`drive`].
    pub fn on(
        self,
        workers: &Workers,
        checkpoint: Option<&mut CheckpointFile>,
        control: &Control,
        tell: &mut dyn FnMut(&str),
    ) -> Result<Ended, ClusterError> {
        let (mut bytes, mut written) = (None, 0);
        if let Some(resumed) = self.resumed {
            let mut file = Vec::new();
            resumed
                .encode_to(&mut |part| file.extend_from_slice(part))
                .map_err(session::Error::internal)?;
            let (state, _) =
                evaluator::resume(resumed, self.run).map_err(session::Error::internal)?;
            (bytes, written) = (Some(file), state.written());
        }
        let windows = self.planned.plan.windows.iter();
        let job = Job {
            name: self.program.name().to_owned(),
            program: self.program.bytes().to_vec(),
            task: self.task.clone(),
            places: self.places.to_vec(),
            inputs: self.inputs,
            checkpoint: bytes,
            run: self.run,
            key: self.key.into(),
            threads: self.threads,
            is_wide: self.planned.is_wide,
            bits_per_second: workers.bits_per_second,
            is_halved: workers.is_halved,
            alone: (workers.addresses.len() == 1 && !workers.may_grow).then_some(self.memory),
            most_threads: None,
            written,
            windows: windows.map(|window| window.nodes).collect(),
        };
        let connections = workers.reach.driver()?;
        let mut telling = Telling {
            control,
            planned: self.planned,
            checkpoint,
            tell,
        };
        let (patience, cancel) = (workers.patience, &control.cancel);
        drive(
            &connections,
            &workers.addresses,
            job,
            patience,
            &mut telling,
            cancel,
        )
    }
}

/// Passes on what the driver says.
struct Telling<'a> {
    control: &'a Control,
    planned: &'a Planned,
    checkpoint: Option<&'a mut CheckpointFile>,
    tell: &'a mut dyn FnMut(&str),
}

impl Watcher for Telling<'_> {
    fn progress(&mut self, progress: Progress) {
        let Some(observer) = &self.control.observer else {
            return;
        };
        let plan = &self.planned.plan;
        observer(session::Progress::Run {
            batch: 0,
            progress: processor::Progress {
                window: progress.window,
                windows: plan.windows.len(),
                end_known: plan.complete,
                instructions: progress.instructions,
                executed: progress.instructions,
                instructions_planned: plan.instructions,
                nodes: progress.nodes,
                nodes_planned: plan.nodes(),
            },
        });
    }

    fn checkpoint(&mut self, _: u32, file: &[u8]) {
        let Some(checkpoint) = &mut self.checkpoint else {
            return;
        };
        match wire::decode::<Checkpoint>(file) {
            Ok(record) => checkpoint.replace(&record),
            Err(error) => (self.tell)(&format!("a checkpoint of a worker: {error}")),
        }
    }

    fn written(&mut self, _: &[u8]) {
        // As for a run on one machine: nobody reads it.
    }

    fn told(&mut self, text: &str) {
        (self.tell)(text);
    }
}
