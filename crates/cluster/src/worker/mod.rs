//! A worker: it gets a program, its inputs and the key, executes the program as everybody does, and evaluates
//! its share of each window.

mod job;
mod keys;
mod post;
mod solver;

use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use circuits::exec::Cancel;
use processor::{Host, HostError, Start};
use session::evaluator::{self, Evaluation, Given, Target};
use session::schemes::tfhe::{Selectors, Tfhe};
use session::schemes::{self, Adapter};
use session::{Control, Program, Progress};
use tfhe::LweCiphertext;
use wire::Record;

use crate::ClusterError;
use crate::bits::Codec;
use crate::message::{Letter, Message};
use crate::transport::{Member, Transport};
use job::Job;
pub use keys::Keys;
use post::Post;
use solver::Shared;

/// How often a worker says how far it is, at most.
const REPORT: Duration = Duration::from_millis(200);

/// What a worker has to give.
#[derive(Clone, Debug)]
pub struct Worker {
    /// Its threads.
    pub threads: NonZeroUsize,
    /// The FFT processor; this machine's fastest if none is named.
    pub fft: Option<tfhe::Fft>,
}

impl Worker {
    /// Works for a driver that has connected, until the run ends, the driver is gone, or somebody cancels.
    /// `keys` holds expanded keys from run to run.
    ///
    /// # Errors
    /// [`ClusterError::Gone`], [`ClusterError::Cancelled`], or why the run failed, which the driver knows too.
    pub fn work(
        &self,
        transport: &Arc<dyn Transport>,
        keys: &Keys,
        cancel: &Cancel,
    ) -> Result<(), ClusterError> {
        let post = Post::new(Arc::clone(transport), cancel.clone());
        std::thread::scope(|scope| {
            let _end = post.ending();
            scope.spawn(|| post.sort());
            scope.spawn(|| post.show_life());
            let worked = self.work_by(&post, keys, cancel);
            if let Err(error) = &worked
                && let Some(message) = failure(error)
            {
                post.tell_driver(message);
            }
            worked
        })
    }

    fn work_by(&self, post: &Post, keys: &Keys, cancel: &Cancel) -> Result<(), ClusterError> {
        let job = Job::receive(post)?;
        let (key, lookup) = keys.expanded(post, &job, self)?;
        let cores = self.threads.get() as u32;
        post.tell_driver(Message::Ready { cores, lookup });

        let program = Program::from_bytes(job.name.as_ref(), &job.program)?;
        let mut files = Vec::with_capacity(job.inputs.len());
        for (name, bytes) in job.inputs {
            let read = Tfhe::read(Box::new(std::io::Cursor::new(bytes)), None);
            let (inputs, _) = read.map_err(|error| session::Error::file(name.as_ref(), &error))?;
            files.push((name, inputs));
        }
        let given: Given<Tfhe> = Given::joined(files)?;
        let (_, first) = given.first()?;
        let (parameters, key_id) = (*first.parameters(), first.key_id());
        let target = Target {
            // All record for all.
            threads: job.threads,
            architectures: circuits::library::Architectures::default(),
            fft: self.fft,
            selectors: Selectors::Unused,
        };
        let planned =
            schemes::tfhe::plan_until(program.image(), &job.task, &parameters, &target, cancel)
                .map_err(|error| program.error(&error))?;
        let engine = planned.engine(key);
        let evaluation: Evaluation<'_, Tfhe> = Evaluation {
            program: &program,
            task: &job.task,
            places: &job.places,
            planned: &planned,
            engine,
        };
        let (written, start) = match job.checkpoint {
            None => (0, Start::Fresh(evaluation.secrets(&given)?)),
            Some(bytes) => {
                let decoded = wire::decode(&bytes);
                let decoded = decoded
                    .map_err(|error| session::Error::file("the checkpoint".as_ref(), &error))?;
                let resumed = evaluator::resume(decoded, job.run);
                let (state, start) = resumed.map_err(session::Error::internal)?;
                (state.written(), start)
            }
        };
        // The solver's own: the evaluation's engine is borrowed by the run.
        let engine = planned.engine(Arc::clone(evaluation.engine.key()));
        let codec = Codec {
            parameters,
            key: key_id,
        };
        let mut shared = Shared::new(post, &engine, codec, job.bits_per_second);
        let windows = shared.windows();
        let mut host = Reporting {
            post,
            codec,
            run: job.run,
            windows: &windows,
            written,
        };
        let control = self.control(post, cancel);
        let ran = evaluation.run_by(&mut shared, &given, start, &mut host, &control);
        let ran = match (ran, shared.into_error()) {
            (_, Some(error)) => return Err(error),
            (ran, None) => ran?,
        };
        let instructions = ran.instructions;
        post.tell_driver(Message::Done { instructions });
        let bytes = wire::encode(&ran.outputs).map_err(session::Error::internal)?;
        post.give(&bytes)
    }

    /// Threads, a way to stop, and what the driver is told of progress.
    fn control(&self, post: &Post, cancel: &Cancel) -> Control {
        let last = Arc::new((Instant::now(), AtomicU64::new(0)));
        let teller = post.teller();
        let observer = move |progress: Progress| {
            let Progress::Run { progress, .. } = progress else {
                return;
            };
            let now = last.0.elapsed().as_millis() as u64;
            let before = last.1.load(Ordering::Relaxed);
            let due = now >= before + REPORT.as_millis() as u64;
            if due
                && last
                    .1
                    .compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed)
                    .is_ok()
            {
                teller.tell(Message::Progress {
                    window: progress.window as u32,
                    nodes: progress.nodes as u64,
                    instructions: progress.instructions,
                });
            }
        };
        Control {
            threads: self.threads,
            cancel: cancel.clone(),
            observer: Some(Arc::new(observer)),
            ..Control::default()
        }
    }
}

/// What the driver is told of a failure; nothing where it is the reason, or gone.
fn failure(error: &ClusterError) -> Option<Message> {
    match error {
        ClusterError::Gone(_) | ClusterError::Cancelled => None,
        ClusterError::Run(error) => Some(Message::Failed {
            kind: error.kind.into(),
            reason: error.message.clone(),
        }),
        other => Some(Message::Failed {
            kind: session::ErrorKind::Internal.into(),
            reason: other.to_string(),
        }),
    }
}

/// Sends the driver checkpoints, if this machine is the one that does, and what the program writes.
struct Reporting<'a> {
    post: &'a Post,
    codec: Codec,
    run: [u8; 32],
    windows: &'a solver::Windows,
    /// Bytes that the program has written.
    written: u64,
}

impl Host<LweCiphertext> for Reporting<'_> {
    fn checkpoint(
        &mut self,
        checkpoint: &processor::Checkpoint<'_, LweCiphertext>,
    ) -> Result<(), HostError> {
        if !self.windows.reports() {
            return Ok(());
        }
        let Codec { parameters, key } = self.codec;
        let file = evaluator::checkpoint(&parameters, key, self.run, checkpoint)?;
        let mut bulk = Vec::new();
        file.encode_to(&mut |bytes| bulk.extend_from_slice(bytes))?;
        let window = u32::try_from(checkpoint.state.windows()).unwrap_or(u32::MAX);
        let message = Message::Checkpoint { window };
        self.post.send(Member::DRIVER, &Letter { message, bulk });
        Ok(())
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), HostError> {
        let message = Message::Written {
            offset: self.written,
        };
        self.written += bytes.len() as u64;
        let bulk = bytes.to_vec();
        self.post.send(Member::DRIVER, &Letter { message, bulk });
        Ok(())
    }
}
