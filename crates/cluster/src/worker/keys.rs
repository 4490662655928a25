//! Expanded server keys, kept from run to run: a worker that waits for the next one has the key already.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use engines::tfhe_lookup::calibrate_on;
use session::schemes::tfhe::expand;
use tfhe::{Fft, SeededServerKey, ServerKey};

use super::Worker;
use super::job::Job;
use super::post::{Order, Post};
use crate::ClusterError;
use crate::message::Message;

/// Keys by the hash of their files.
pub struct Keys {
    kept: Mutex<Vec<([u8; 32], Expanded)>>,
    most: NonZeroUsize,
}

#[derive(Clone)]
struct Expanded {
    key: Arc<ServerKey>,
    /// Nanoseconds of a lookup in a batch.
    lookup: f64,
}

impl Keys {
    /// At most so many: 60 MB each.
    #[must_use]
    pub fn new(most: NonZeroUsize) -> Self {
        Self {
            kept: Mutex::default(),
            most,
        }
    }

    /// The key of a job, from the driver if it is not here, and how long a lookup takes on this machine.
    pub(super) fn expanded(
        &self,
        post: &Post,
        job: &Job,
        worker: &Worker,
    ) -> Result<(Arc<ServerKey>, f64), ClusterError> {
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(place) = kept.iter().position(|(hash, _)| *hash == job.key) {
            let found = kept.remove(place);
            let Expanded { key, lookup } = found.1.clone();
            // Last is who was used last.
            kept.push(found);
            return Ok((key, lookup));
        }
        drop(kept);
        post.tell_driver(Message::KeyWanted);
        let bytes = post.order_of(|order| match order {
            Order::Key(bytes) => Some(bytes),
            _ => None,
        })?;
        if *blake3::hash(&bytes).as_bytes() != job.key {
            return Err(ClusterError::Message {
                reason: "another key than was announced".to_owned(),
            });
        }
        let Expanded { key, lookup } = self.expand(&bytes, worker)?;
        Ok((key, lookup))
    }

    /// Expands a key before a run wants it. Its file may come by other ways than from a driver.
    ///
    /// # Errors
    /// [`ClusterError::Run`] for what is no key.
    pub fn add(&self, file: &[u8], worker: &Worker) -> Result<(), ClusterError> {
        self.expand(file, worker).map(drop)
    }

    fn expand(&self, file: &[u8], worker: &Worker) -> Result<Expanded, ClusterError> {
        let decoded = wire::decode(file);
        let seeded: SeededServerKey =
            decoded.map_err(|error| session::Error::file("the server key".as_ref(), &error))?;
        let begin = Instant::now();
        let key = expand(&seeded, worker.fft, worker.threads).map_err(session::Error::internal)?;
        tracing::info!(seconds = begin.elapsed().as_secs_f64(), "key is expanded");
        let fft = worker.fft.unwrap_or_else(Fft::detect);
        let measured = calibrate_on(seeded.parameters(), fft).map_err(session::Error::internal)?;
        let expanded = Expanded {
            key,
            lookup: measured.batched.as_nanos() as f64,
        };
        let mut kept = self.kept.lock().unwrap_or_else(PoisonError::into_inner);
        if kept.len() == self.most.get() {
            kept.remove(0);
        }
        kept.push((blake3::hash(file).into(), expanded.clone()));
        Ok(expanded)
    }
}
