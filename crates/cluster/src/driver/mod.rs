//! The driver: it has a run's files, gives them to workers, hears what they do, and goes on without those that
//! are lost. It computes nothing.

mod dialler;
mod epoch;
mod members;
mod table;
mod watch;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use processor::Task;
use session::ErrorKind;

use crate::message::{JobMessage, Letter, Message};
use crate::transport::{Event, Member, Transport};
use crate::{Addresses, ClusterError};
use dialler::Dialler;
use members::Members;
pub use table::{Files, Rows, Table, drive_table};
use watch::Watch;

/// A run for workers.
#[derive(Clone, Debug)]
pub struct Job {
    /// What the program is called in messages.
    pub name: String,
    /// Its file.
    pub program: Vec<u8>,
    /// What to execute.
    pub task: Task,
    /// Which variable of the inputs each secret of the task is.
    pub places: Vec<usize>,
    /// Files of inputs, with their names.
    pub inputs: Vec<(String, Vec<u8>)>,
    /// A checkpoint to go on from.
    pub checkpoint: Option<Vec<u8>>,
    /// The run's name in checkpoints.
    pub run: [u8; 32],
    /// The server key's file.
    pub key: Arc<[u8]>,
    /// For how many cores circuits are recorded.
    pub threads: NonZeroUsize,
    /// Whether the plan was [wide](session::evaluator::Planned::is_wide): workers record as it did.
    pub is_wide: bool,
    /// Bits that a worker's link carries in a second.
    pub bits_per_second: f64,
    /// Whether workers send each other half of the bytes of a ciphertext: what comes of the run decrypts alike,
    /// and is no longer the very ciphertexts of one machine.
    pub is_halved: bool,
    /// For one worker, and no other that comes later: bytes that its ciphertexts may take. It then runs as a machine
    /// alone does, and keeps no result longer than it is read.
    pub alone: Option<u64>,
    /// Threads that it may take then, if not all that it has.
    pub most_threads: Option<NonZeroUsize>,
    /// Bytes that the program had written at the checkpoint.
    pub written: u64,
    /// Nodes of each window that progress counts, as planned.
    pub windows: Vec<usize>,
}

/// What came of it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Ended {
    /// The outputs file.
    pub outputs: Vec<u8>,
    /// Executed instructions.
    pub instructions: u64,
    /// From when all were ready to the program's end: without keys and what travels before and after.
    pub evaluation: Duration,
    /// Workers that were lost, and why.
    pub lost: Vec<(String, String)>,
}

/// How far the workers are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Progress {
    /// The window that is evaluated, from 0.
    pub window: usize,
    /// Nodes that are done.
    pub nodes: usize,
    /// Instructions whose nodes have been evaluated, as the slowest worker counts them.
    pub instructions: u64,
    /// Workers that are there.
    pub workers: usize,
}

/// What a driver tells whoever called it.
pub trait Watcher {
    /// How far it is; often.
    fn progress(&mut self, progress: Progress);

    /// The state before a window, as a checkpoint file.
    fn checkpoint(&mut self, window: u32, file: &[u8]);

    /// Clear bytes that the program wrote.
    fn written(&mut self, bytes: &[u8]);

    /// Something that a person wants to know: a worker was lost, or has come.
    fn told(&mut self, text: &str);
}

/// How a driver treats its workers.
#[derive(Clone, Copy, Debug)]
pub struct Patience {
    /// A worker that says nothing for so long is lost.
    pub silent: Duration,
    /// How often it looks for workers that were lost; for one that is lost again and again, less and less often.
    pub redial: Duration,
}

impl Default for Patience {
    fn default() -> Self {
        Self {
            silent: Duration::from_secs(10),
            redial: Duration::from_secs(5),
        }
    }
}

/// Runs a job on workers at these addresses.
///
/// # Errors
/// [`ClusterError`]: at the start if a worker cannot be reached, later only if none is left, or if the run
/// itself fails.
pub fn drive(
    transport: &Arc<dyn Transport>,
    addresses: &Addresses,
    job: Job,
    patience: Patience,
    watcher: &mut dyn Watcher,
    cancel: &Cancel,
) -> Result<Ended, ClusterError> {
    let written = job.written;
    let mut driver = Driver {
        transport: Arc::clone(transport),
        dialler: Dialler::new(transport, patience.redial),
        members: Members::new(addresses),
        job,
        patience,
        watcher,
        epoch: 0,
        window: 0,
        started: false,
        checkpoint: None,
        written,
        instructions: None,
        evaluating: None,
        evaluation: Duration::ZERO,
        asked: None,
        lost: Vec::new(),
    };
    let ended = driver.run(cancel);
    driver.end();
    ended
}

struct Driver<'a> {
    transport: Arc<dyn Transport>,
    dialler: Dialler,
    members: Members,
    job: Job,
    patience: Patience,
    watcher: &'a mut dyn Watcher,
    epoch: u32,
    /// The window that is evaluated.
    window: u32,
    /// Whether an epoch has begun: everybody had said what is there.
    started: bool,
    /// The last checkpoint, and the window that follows it.
    checkpoint: Option<(u32, Vec<u8>)>,
    /// Bytes of what the program wrote that were passed on.
    written: u64,
    /// Once the program has ended: instructions.
    instructions: Option<u64>,
    /// When evaluation began.
    evaluating: Option<Instant>,
    /// How long it took.
    evaluation: Duration,
    /// Who was asked for the outputs.
    asked: Option<Member>,
    lost: Vec<(String, String)>,
}

impl Driver<'_> {
    fn run(&mut self, cancel: &Cancel) -> Result<Ended, ClusterError> {
        if self.members.places() == 0 {
            return Err(ClusterError::NoWorkers);
        }
        for place in 0..self.members.places() {
            let (member, address) = (self.members.next_number(), self.members.address(place));
            self.transport.connect(member, &address)?;
            self.welcome(member, place, &address)?;
        }
        self.halt()?;
        let mut watch = Watch::begin(self.patience.silent, &mut self.members);
        loop {
            if cancel.is_cancelled() {
                return Err(ClusterError::Cancelled);
            }
            match watch.next(self.transport.as_ref(), &mut self.members) {
                Some(Event::Frame { from, bytes }) => {
                    if let Some(ended) = self.hear(from, bytes)? {
                        return Ok(ended);
                    }
                }
                Some(Event::Lost { member, reason }) => self.lose(member, &reason)?,
                Some(Event::Coming(_)) | None => {}
            }
            for (member, reason) in watch.silent(&self.members) {
                self.lose(member, &reason)?;
            }
            self.look_around()?;
        }
    }

    fn send(&self, to: Member, letter: &Letter) -> Result<(), ClusterError> {
        self.transport.send(to, letter.seal()?);
        Ok(())
    }

    fn send_all(&self, message: Message) -> Result<(), ClusterError> {
        let frame = Letter::from(message).seal()?;
        for member in self.members.numbers() {
            self.transport.send(member, frame.clone());
        }
        Ok(())
    }

    /// Gives a worker that is connected the job.
    fn welcome(&mut self, member: Member, place: usize, address: &str) -> Result<(), ClusterError> {
        self.members.add(member, place, address);
        self.send(member, &self.job_letter())?;
        match self.epoch {
            0 => Ok(()),
            epoch => self.send(member, &Message::Halt { epoch }.into()),
        }
    }

    fn job_letter(&self) -> Letter {
        let job = &self.job;
        let checkpoint = match &self.checkpoint {
            Some((_, bytes)) => Some(bytes),
            None => job.checkpoint.as_ref(),
        };
        let mut bulk = job.program.clone();
        job.inputs.iter().for_each(|(_, bytes)| bulk.extend(bytes));
        checkpoint.iter().for_each(|bytes| bulk.extend(*bytes));
        let inputs = job.inputs.iter();
        let message = JobMessage {
            name: job.name.clone(),
            program: job.program.len() as u64,
            task: job.task.clone(),
            places: job.places.iter().map(|&place| place as u64).collect(),
            inputs: inputs
                .map(|(name, bytes)| (name.clone(), bytes.len() as u64))
                .collect(),
            checkpoint: checkpoint.map(|bytes| bytes.len() as u64),
            run: job.run,
            key: blake3::hash(&job.key).into(),
            threads: u32::try_from(job.threads.get()).unwrap_or(u32::MAX),
            is_wide: job.is_wide,
            bits_per_second: job.bits_per_second,
            is_halved: job.is_halved,
            alone: job.alone,
            most_threads: job
                .most_threads
                .map(|most| u32::try_from(most.get()).unwrap_or(u32::MAX)),
        };
        Letter {
            bulk,
            ..message.into()
        }
    }

    /// What a worker says.
    fn hear(&mut self, from: Member, bytes: Vec<u8>) -> Result<Option<Ended>, ClusterError> {
        if !self.members.hears(from) {
            // It was lost, and says something that was under way.
            return Ok(None);
        }
        let Letter { message, bulk } = match Letter::of_worker(bytes) {
            Ok(letter) => letter,
            Err(error) => {
                self.lose(from, &error.to_string())?;
                return Ok(None);
            }
        };
        match message {
            Message::KeyWanted => {
                let letter = Letter {
                    message: Message::Key,
                    bulk: self.job.key.to_vec(),
                };
                self.send(from, &letter)?;
            }
            Message::Ready { cores, lookup } => self.ready(from, cores, lookup)?,
            Message::Have {
                epoch,
                window,
                fingerprint,
                nodes,
            } => {
                self.have(from, (epoch, window), (fingerprint, nodes), bulk)?;
            }
            Message::Placed {
                epoch,
                window,
                agreement,
            } => self.placed(from, (epoch, window), agreement)?,
            Message::Finished {
                epoch,
                window,
                agreement,
            } => {
                self.finished(from, (epoch, window), agreement)?;
            }
            Message::Checkpoint { window } => {
                self.watcher.checkpoint(window, &bulk);
                self.checkpoint = Some((window, bulk));
            }
            Message::Written { offset } => self.pass_on(offset, &bulk),
            Message::Progress {
                window,
                nodes,
                instructions,
            } => {
                self.members.progressed(from, window, nodes, instructions);
                if self.job.alone.is_some() {
                    // Nobody has to wait for anybody between two windows.
                    self.window = self.window.max(window);
                }
                self.report();
            }
            Message::Done { instructions } => {
                if let Some(begin) = self.evaluating.take() {
                    self.evaluation = begin.elapsed();
                }
                self.instructions = Some(instructions);
                if let Some(state) = self.members.state(from) {
                    state.is_done = true;
                }
                if self.asked.is_none_or(|asked| asked == from) {
                    self.asked = Some(from);
                    self.send(from, &Message::Give.into())?;
                }
            }
            Message::Outputs if self.asked == Some(from) => {
                return Ok(Some(Ended {
                    outputs: bulk,
                    instructions: self.instructions.unwrap_or(0),
                    evaluation: self.evaluation,
                    lost: std::mem::take(&mut self.lost),
                }));
            }
            // It was ended on its machine: no defect of the run.
            Message::Failed {
                kind: ErrorKind::Interrupted,
                reason,
            } => self.lose(from, &reason)?,
            Message::Failed { kind, reason } => {
                return Err(ClusterError::Run(session::Error::new(kind, reason)));
            }
            Message::Accused { member, reason } => self.accuse(from, member, reason)?,
            Message::Alive => {}
            other => {
                let reason = format!("it says what it must not: {}", name(&other));
                self.lose(from, &reason)?;
            }
        }
        Ok(None)
    }

    /// Passes on what was not passed on before: every worker executes the program and says the same.
    fn pass_on(&mut self, offset: u64, bytes: &[u8]) {
        let end = offset.saturating_add(bytes.len() as u64);
        if offset <= self.written && end > self.written {
            let new = (self.written - offset) as usize;
            self.watcher.written(&bytes[new..]);
            self.written = end;
        }
    }

    fn report(&mut self) {
        let before: usize = self.job.windows.iter().take(self.window as usize).sum();
        let (own, instructions) = self.members.nodes(self.window, before as u64);
        self.watcher.progress(Progress {
            window: self.window as usize,
            nodes: before.saturating_add(usize::try_from(own).unwrap_or(usize::MAX)),
            instructions,
            workers: self.members.count(),
        });
    }

    /// Those that were lost may be there again, and others may have come.
    fn look_around(&mut self) -> Result<(), ClusterError> {
        for call in self.dialler.answered() {
            let mut vacant = self.members.vacant().into_iter();
            // Somebody may have come there meanwhile.
            if vacant.any(|(vacant, _)| vacant == call.place) {
                self.watcher.told(&self.dialler.found(&call));
                self.welcome(call.member, call.place, &call.address)?;
            }
        }
        if self.instructions.is_none() && self.job.alone.is_none() {
            self.dialler.call_vacant(&mut self.members);
        }
        Ok(())
    }

    fn end(&mut self) {
        // It has no bulk, so that it can be written.
        let _ = self.send_all(Message::End);
    }
}

fn name(message: &Message) -> &'static str {
    match message {
        Message::Job(_) | Message::Table(_) => "a job",
        Message::Row { .. } => "a row",
        Message::RowDone { .. } => "outputs of a row",
        Message::Key => "a key",
        Message::Halt { .. } => "halt",
        Message::Begin { .. } => "begin",
        Message::Continue { .. } => "continue",
        Message::Give => "give",
        Message::End => "end",
        Message::Outputs => "outputs that nobody asked for",
        _ => "what goes from worker to worker",
    }
}
