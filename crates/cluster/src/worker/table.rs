//! Rows of a table: each, or each batch of them, is a run of its own on this machine.

use std::sync::Arc;

use circuits::library::Architectures;
use session::evaluator::{Evaluation, Given, Target};
use session::schemes::Adapter;
use session::schemes::bgv::BgvSlots;
use session::schemes::tfhe::{Selectors, Tfhe};
use session::{Control, Program, Progress};
use wire::Inputs;

use super::parts::Parts;
use super::post::{Post, Row};
use super::reporter::Reporter;
use super::{Keys, Worker};
use crate::ClusterError;
use crate::message::{Letter, Message, TableMessage, TableScheme};
use crate::transport::Member;

/// A scheme whose keys workers keep.
trait Keyed: Adapter {
    fn key(
        keys: &Keys,
        post: &Post,
        hash: &[u8; 32],
        worker: &Worker,
    ) -> Result<Self::Key, ClusterError>;
}

impl Keyed for Tfhe {
    fn key(
        keys: &Keys,
        post: &Post,
        hash: &[u8; 32],
        worker: &Worker,
    ) -> Result<Self::Key, ClusterError> {
        Ok(keys.tfhe(post, hash, worker)?.0.into())
    }
}

impl Keyed for BgvSlots {
    fn key(
        keys: &Keys,
        post: &Post,
        hash: &[u8; 32],
        worker: &Worker,
    ) -> Result<Self::Key, ClusterError> {
        keys.bgv(post, hash, worker)
    }
}

impl Worker {
    /// Runs the program on rows as they come, until no more do.
    pub(super) fn work_on_rows(
        &self,
        post: &Post,
        keys: &Keys,
        table: TableMessage,
        program: &[u8],
    ) -> Result<(), ClusterError> {
        let worked = match table.scheme {
            TableScheme::Tfhe => self.work_on_rows_of::<Tfhe>(post, keys, &table, program),
            TableScheme::Bgv => self.work_on_rows_of::<BgvSlots>(post, keys, &table, program),
        };
        match worked {
            // It was stopped in the midst of a row.
            Err(ClusterError::Run(error)) if post.ended.is_cancelled() => {
                tracing::info!(%error, "nobody wants the row any more");
                Err(ClusterError::Gone(Member::DRIVER))
            }
            worked => worked,
        }
    }

    fn work_on_rows_of<A: Keyed>(
        &self,
        post: &Post,
        keys: &Keys,
        table: &TableMessage,
        program: &[u8],
    ) -> Result<(), ClusterError> {
        let key = A::key(keys, post, &table.key, self)?;
        let program = Program::from_bytes(table.name.as_ref(), program)?;
        // Nobody is compared with anybody here.
        let (cores, lookup) = (self.threads.get() as u32, 1.0);
        post.tell_driver(Message::Ready { cores, lookup });

        let Some(mut row) = post.row()? else {
            return Ok(());
        };
        let mut given = read::<A>(&mut row)?;
        let control = Control {
            threads: self.threads,
            cancel: post.ended.clone(),
            memory: None,
            observer: Some(observer(post)),
        };
        let target = Target {
            threads: self.threads,
            architectures: Architectures::default(),
            fft: self.fft,
            selectors: Selectors::Unused,
        };
        // All rows have the shape of the first.
        let planned = A::plan(&program, &table.task, &given, &target, &control)?;
        let places: Vec<usize> = table.places.iter().map(|&place| place as usize).collect();
        let evaluation: Evaluation<'_, A> = Evaluation {
            program: &program,
            task: &table.task,
            places: &places,
            planned: &planned,
            engine: A::engine(planned.profile(), key, &control)?,
        };
        loop {
            let number = row.0;
            let ran = evaluation.batch(number, &given, &control)?;
            let message = Message::RowDone {
                number,
                instructions: ran.instructions,
            };
            let bulk = wire::encode(&ran.outputs).map_err(session::Error::internal)?;
            let bulk = bulk.to_vec();
            // One that is too long for a message must not be waited for.
            post.send_whole(Member::DRIVER, &Letter { message, bulk })?;
            row = match post.row()? {
                Some(next) => next,
                None => return Ok(()),
            };
            given = read::<A>(&mut row)?;
        }
    }
}

/// The inputs of a row, whose bytes are taken.
fn read<A: Adapter>((_, files, bulk): &mut Row) -> Result<Given<A>, ClusterError> {
    let mut parts = Parts::of(std::mem::take(bulk));
    let mut inputs = Vec::with_capacity(files.len().min(1 << 10));
    for (name, bytes) in parts.take_files(std::mem::take(files))? {
        let decoded: Result<Inputs<A::Content>, _> = wire::decode(&bytes);
        let decoded = decoded.map_err(|error| session::Error::file(name.as_ref(), &error))?;
        inputs.push((name, decoded));
    }
    parts.end()?;
    Ok(Given::joined(inputs)?)
}

/// Tells the driver how far a row is.
fn observer(post: &Post) -> session::Observer {
    let reporter = Reporter::of(post);
    Arc::new(move |progress| {
        if let Progress::Run { batch, progress } = progress {
            reporter.tell(batch as usize, progress.nodes, progress.instructions);
        }
    })
}
