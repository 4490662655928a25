//! A job on a worker of another machine: this one keeps its files, and computes nothing.

use std::fs;
use std::path::Path;
use std::sync::Arc;

use cluster::{Addresses, ClusterError, Ended, Files, Job, Progress, STOPPED, Watcher, drive};
use session::ErrorKind;
use tfhe::KeyId;
use wire::{Checkpoint, Inputs, Outputs, Record};

use super::crew::{Crew, Seat};
use super::files::{At, JobFiles};
use super::host::{Halt, Shared};
use super::job::{CIPHERTEXT_BYTES, LoadedJob, bound, latest_checkpoint, unusable};
use crate::proto::ErrorCode;
use crate::server::board::{Assignment, End};
use crate::server::store::{JobRecord, OUTPUTS, PlanRecord};

/// Bits a second of a worker's link, which matters only where several share a run.
const LINK: f64 = 1e10;

/// Runs a job, on one worker after the other if they are lost.
pub(super) fn run(
    board: &Shared,
    crew: &Crew,
    assignment: &Assignment,
    loaded: &LoadedJob,
    plan: &PlanRecord,
) -> Result<End, Halt> {
    let mut record = assignment.record.clone();
    let path = |hash: &str| board.store.blob_path(&record.client, hash);
    let key = fs::read(path(&record.key)).map_err(|error| Halt::of_file(&error))?;
    let (inputs, places, key_id) = inputs(&path(&record.inputs), &loaded.places)?;
    let key: Arc<[u8]> = key.into();
    // Since its last checkpoint, and before it waited for a worker.
    let (mut losses, mut since) = crew.losses_with(&record.id);
    let memory = CIPHERTEXT_BYTES.min(bound(board, &record).saturating_sub(plan.beside));
    loop {
        let resumed = latest_checkpoint(board, &mut record, loaded)?;
        let Some(seat) = crew.take(&record.key, &losses, &assignment.cancel) else {
            return Err(match assignment.cancel.is_cancelled() {
                true => Halt::Stopped,
                // It does not hold its place meanwhile.
                false => {
                    crew.keep_losses(&record.id, losses, since);
                    Halt::Full("no worker is there that is free".to_owned())
                }
            });
        };
        tracing::info!(job = %record.id, worker = %seat.address, "job runs on a worker");
        let job = Job {
            name: "the program".to_owned(),
            program: loaded.bytes.clone(),
            task: loaded.task.clone(),
            places: places.clone(),
            inputs: inputs.clone(),
            checkpoint: resumed,
            run: loaded.run,
            key: Arc::clone(&key),
            threads: assignment.threads,
            is_wide: plan.is_wide,
            bits_per_second: LINK,
            is_halved: false,
            alone: Some(memory),
            most_threads: Some(assignment.threads),
            written: record.checkpoint.as_ref().map_or(0, |c| c.written),
            windows: Vec::new(),
        };
        let mut watching = Watching {
            files: JobFiles::open(board, &record)?,
            assignment,
            plan,
            at: At {
                windows: 0,
                instructions: 0,
                nodes: 0,
            },
            halt: None,
        };
        let ended = on(crew, &seat, job, &mut watching);
        if let Some(halt) = watching.halt.take() {
            return Err(halt);
        }
        if let Ok(_) | Err(ClusterError::Run(_) | ClusterError::Cancelled) = &ended {
            seat.has(&record.key);
        }
        match ended {
            Ok(ended) if is_of(&ended, key_id) => {
                let written = watching.files.settle()?;
                return done(board, &record, ended, written);
            }
            // What is the worker's own fault another one may do better.
            Err(ClusterError::Run(error))
                if !matches!(error.kind, ErrorKind::Interrupted | ErrorKind::Internal) =>
            {
                return Err(Halt::Failed(code(error.kind), error.message));
            }
            Err(ClusterError::Cancelled) => return Err(Halt::Stopped),
            Err(error @ (ClusterError::Unreachable { .. } | ClusterError::Certificate { .. })) => {
                tracing::warn!(worker = %seat.address, %error, "a worker cannot be reached");
                seat.is_away();
            }
            // It cannot be said to any of them.
            Err(ClusterError::Message { reason }) => {
                return Err(Halt::Failed(ErrorCode::Limit, format!("the job: {reason}")));
            }
            Err(ClusterError::NobodyLeft { reason, .. }) if reason == STOPPED => {
                tracing::info!(job = %record.id, worker = %seat.address, "a worker was stopped");
                seat.is_away();
                drop(watching);
                record.checkpoint = board.checkpoint_of(&record.id);
            }
            other => {
                let error = match other {
                    Ok(_) => "its outputs are not of this job".to_owned(),
                    Err(error) => error.to_string(),
                };
                tracing::warn!(job = %record.id, worker = %seat.address, %error, "a worker is lost");
                seat.is_away();
                // Where it has come further, the next one begins there.
                drop(watching);
                record.checkpoint = board.checkpoint_of(&record.id);
                let now = record.checkpoint.as_ref().map(|c| c.number);
                if now != since {
                    losses.clear();
                }
                since = now;
                losses.add(seat.place);
                if losses.are_deadly(crew.len()) {
                    let message = format!(
                        "workers were lost with the job, one after the other: it may take more memory than they have; \
                         lower --window, or ask the server's operator (the last one: {error})"
                    );
                    return Err(Halt::Failed(ErrorCode::Internal, message));
                }
            }
        }
    }
}

/// Whether a worker's outputs are a file under the job's key: what no client could read is not the answer.
fn is_of(ended: &Ended, key: Option<KeyId>) -> bool {
    let read = wire::decode::<Outputs>(&ended.outputs);
    read.is_ok_and(|outputs| key == Some(outputs.key_id()))
}

/// Files of inputs, each by itself and in the order in which a run joins them; and where in these each secret of the
/// task is, of which `places` says where in the order of the file that was uploaded; and their key.
fn inputs(path: &Path, places: &[usize]) -> Result<(Files, Vec<usize>, Option<KeyId>), Halt> {
    let files: Vec<Inputs> = files::read_joined(path).map_err(|error| unusable(error.into()))?;
    let order = wire::join(&files.iter().collect::<Vec<_>>());
    let order = order.map_err(|error| unusable(error.into()))?;
    let lengths: Vec<usize> = files.iter().map(|file| file.variables().len()).collect();
    let places = reordered(&lengths, &order, places);
    let each = order.iter().filter_map(|&number| {
        let bytes = wire::encode(files.get(number)?).map_err(|error| unusable(error.into()));
        Some(bytes.map(|bytes| (format!("inputs {}", number + 1), bytes.to_vec())))
    });
    let key = files.first().map(Record::key_id);
    Ok((each.collect::<Result<_, Halt>>()?, places, key))
}

/// Places among the variables of files of so many, once the files stand in that order.
fn reordered(lengths: &[usize], order: &[usize], places: &[usize]) -> Vec<usize> {
    let mut begins = vec![0; lengths.len()];
    let mut begin = 0;
    for &number in order {
        if let (Some(own), Some(length)) = (begins.get_mut(number), lengths.get(number)) {
            *own = begin;
            begin += length;
        }
    }
    let moved = places.iter().map(|&place| {
        let mut left = place;
        for (length, begin) in lengths.iter().zip(&begins) {
            if left < *length {
                return begin + left;
            }
            left -= length;
        }
        // Of no file: as the task's own check says.
        place
    });
    moved.collect()
}

fn on(
    crew: &Crew,
    seat: &Seat<'_>,
    job: Job,
    watching: &mut Watching<'_>,
) -> Result<Ended, ClusterError> {
    let transport = crew.reach.driver()?;
    let addresses = Addresses::from([seat.address.clone()]);
    let cancel = watching.assignment.cancel.clone();
    drive(
        &transport,
        &addresses,
        job,
        crew.patience,
        watching,
        &cancel,
    )
}

fn done(board: &Shared, record: &JobRecord, ended: Ended, written: u64) -> Result<End, Halt> {
    let outputs_length = ended.outputs.len() as u64;
    let room = board.check_room(&record.client, &record.client_name, outputs_length);
    room.map_err(Halt::no_room)?;
    board
        .store
        .keep_job_file(&record.id, OUTPUTS, &ended.outputs)?;
    board.wrote(&record.id, written);
    Ok(End::Done {
        outputs_length,
        instructions: ended.instructions,
    })
}

/// Why a run failed, as clients know it.
fn code(kind: ErrorKind) -> ErrorCode {
    match kind {
        ErrorKind::Input | ErrorKind::File | ErrorKind::Key | ErrorKind::Usage => ErrorCode::Input,
        ErrorKind::Program => ErrorCode::Program,
        ErrorKind::Fault => ErrorCode::Fault,
        ErrorKind::Limit => ErrorCode::Limit,
        ErrorKind::Secret => ErrorCode::Secret,
        _ => ErrorCode::Internal,
    }
}

/// Keeps what comes of the run while it goes on.
struct Watching<'a> {
    files: JobFiles<'a>,
    assignment: &'a Assignment,
    plan: &'a PlanRecord,
    at: At,
    /// Why it is to end, if it is this server that wants it.
    halt: Option<Halt>,
}

impl Watching<'_> {
    fn keep(&mut self, kept: Result<(), Halt>) {
        if let Err(halt) = kept {
            self.halt.get_or_insert(halt);
            // The driver looks at it between two messages.
            self.assignment.cancel.cancel();
        }
    }
}

impl Watcher for Watching<'_> {
    fn progress(&mut self, progress: Progress) {
        let At {
            instructions,
            nodes,
            ..
        } = &mut self.at;
        *instructions = progress.instructions.max(*instructions);
        *nodes = (progress.nodes as u64).max(*nodes);
        self.assignment.reached.update(&processor::Progress {
            window: progress.window,
            windows: self.plan.windows as usize,
            end_known: self.plan.is_end,
            instructions: progress.instructions,
            executed: progress.instructions,
            instructions_planned: self.plan.instructions,
            nodes: progress.nodes,
            nodes_planned: self.plan.nodes as usize,
        });
    }

    fn checkpoint(&mut self, window: u32, file: &[u8]) {
        if self.halt.is_some() {
            return;
        }
        self.at.windows = window.into();
        let kept = match wire::decode::<Checkpoint>(file) {
            Ok(checkpoint) => self.files.keep(&checkpoint, self.at),
            Err(error) => Err(Halt::Failed(
                ErrorCode::Internal,
                format!("a worker's checkpoint: {error}"),
            )),
        };
        self.keep(kept);
    }

    fn written(&mut self, bytes: &[u8]) {
        if self.halt.is_none() {
            let kept = self.files.write(bytes);
            self.keep(kept);
        }
    }

    fn told(&mut self, text: &str) {
        tracing::info!(job = %self.assignment.record.id, "{text}");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three files of 2, 1 and 3 variables, the last of which comes first.
    #[test]
    fn places_follow_their_files() {
        let places = reordered(&[2, 1, 3], &[2, 0, 1], &[0, 1, 2, 3, 4, 5]);
        assert_eq!(places, [3, 4, 5, 0, 1, 2]);
        assert_eq!(reordered(&[1], &[0], &[0, 7]), [0, 7]);
    }
}
