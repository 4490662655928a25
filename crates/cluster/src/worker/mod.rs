//! A worker: it gets a program, its inputs and the key, executes the program as everybody does, and evaluates
//! its share of each window.

mod job;
mod keys;
mod parts;
mod post;
mod reporter;
mod solver;
mod table;

use std::num::NonZeroUsize;
use std::sync::Arc;

use circuits::exec::Cancel;
use processor::{Host, HostError, Start};
use session::Program;
use session::evaluator::{self, Given, Target};
use session::schemes::tfhe::{Selectors, Tfhe};
use session::schemes::{self, Adapter};
use tfhe::LweCiphertext;
use wire::Record;

use crate::ClusterError;
use crate::bits::Codec;
use crate::losses::STOPPED;
use crate::message::{Letter, Message};
use crate::transport::{Member, Transport};
use job::Job;
pub use keys::Keys;
use post::{Order, Post};
use reporter::Reporter;
use solver::Shared;

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
            let worked = self.work_by(&post, keys);
            if cancel.is_cancelled() {
                // This machine is wanted for something else: the others go on without it.
                post.tell_driver(Message::Failed {
                    kind: session::ErrorKind::Interrupted,
                    reason: STOPPED.to_owned(),
                });
                return Err(ClusterError::Cancelled);
            }
            if let Err(error) = &worked
                && let Some(message) = failure(error)
            {
                post.tell_driver(message);
            }
            worked
        })
    }

    fn work_by(&self, post: &Post, keys: &Keys) -> Result<(), ClusterError> {
        let first = post.order_of(|order| match order {
            Order::Job(..) | Order::Table(..) => Some(order),
            _ => None,
        })?;
        match first {
            Order::Table(table, program) => self.work_on_rows(post, keys, *table, &program),
            Order::Job(job, bulk) => match self.work_on(Job::of(*job, bulk)?, post, keys) {
                // It was stopped in the midst.
                Err(ClusterError::Run(error)) if post.ended.is_cancelled() => {
                    tracing::info!(%error, "nobody wants the run any more");
                    Err(ClusterError::Gone(Member::DRIVER))
                }
                worked => worked,
            },
            _ => Ok(()),
        }
    }

    /// Evaluates this machine's share of a run.
    fn work_on(&self, job: Job, post: &Post, keys: &Keys) -> Result<(), ClusterError> {
        let (key, lookup) = keys.tfhe(post, &job.key, self)?;
        let threads = match job.most_threads {
            Some(most) => self.threads.min(most),
            None => self.threads,
        };
        let cores = threads.get() as u32;
        let ready = Message::Ready { cores, lookup };

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
        let engine = schemes::tfhe::engine_again(job.is_wide, &parameters, &target, key);
        let secrets = || -> Result<_, session::Error> {
            let bits = Tfhe::bits(&engine, &given)?;
            let variables = wire::variables_of(&given.inputs());
            let placed = evaluator::placed(&variables, bits.into_iter(), &job.task, &job.places);
            placed
                .map_err(|error| session::Error::new(session::ErrorKind::Input, error.to_string()))
        };
        let (written, start) = match job.checkpoint {
            None => (0, Start::Fresh(secrets()?)),
            Some(bytes) => {
                let decoded = wire::decode(&bytes);
                let decoded = decoded
                    .map_err(|error| session::Error::file("the checkpoint".as_ref(), &error))?;
                let resumed = evaluator::resume(decoded, job.run);
                let (state, start) = resumed.map_err(session::Error::internal)?;
                (state.written(), start)
            }
        };
        let codec = Codec {
            parameters,
            key: key_id,
            is_halved: job.is_halved,
        };
        let speed = job.bits_per_second;
        let mut shared = Shared::new(post, &engine, codec, speed, ready.clone());
        let windows = shared.windows();
        let mut host = Reporting {
            post,
            codec,
            run: job.run,
            windows: &windows,
            written,
        };
        let control = control(post, threads, job.alone);
        let run = processor::Run::new(program.image(), &job.task, &engine)
            .host(&mut host)
            .control(&control);
        let ran = match job.alone {
            Some(_) => {
                windows.report_always();
                post.tell_driver(ready);
                run.start(start)
            }
            None => run.solver(&mut shared).start(start),
        };
        let outcome = match (ran, shared.into_error()) {
            (_, Some(error)) => return Err(error),
            (ran, None) => ran.map_err(|error| program.error(&error))?,
        };
        let instructions = outcome.instructions;
        post.tell_driver(Message::Done { instructions });
        let outputs = Tfhe::outputs(&engine, &given, &outcome)?;
        let bytes = wire::encode(&outputs).map_err(session::Error::internal)?;
        post.give(&bytes)
    }
}

/// Threads, a way to stop, memory if there is a bound, and what the driver is told of progress.
fn control(post: &Post, threads: NonZeroUsize, memory: Option<u64>) -> processor::Control {
    let reporter = Reporter::of(post);
    let observer = move |progress: processor::Progress| {
        reporter.tell(progress.window, progress.nodes, progress.instructions);
    };
    processor::Control {
        threads: threads.get(),
        observer: Some(Arc::new(observer)),
        cancel: post.ended.clone(),
        memory,
    }
}

/// What the driver is told of a failure; nothing where it is the reason, or gone.
fn failure(error: &ClusterError) -> Option<Message> {
    match error {
        ClusterError::Gone(_) | ClusterError::Cancelled => None,
        ClusterError::Run(error) => Some(Message::Failed {
            kind: error.kind,
            reason: error.message.clone(),
        }),
        other => Some(Message::Failed {
            kind: session::ErrorKind::Internal,
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
        let Codec {
            parameters, key, ..
        } = self.codec;
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
