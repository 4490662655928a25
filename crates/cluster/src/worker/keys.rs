//! Expanded server keys, kept from run to run: a worker that waits for the next one has the key already.

use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use engines::tfhe_lookup::calibrate_on;
use session::schemes::Adapter;
use session::schemes::bgv::BgvSlots;
use session::schemes::tfhe::expand;
use tfhe::{Fft, SeededServerKey, ServerKey};
use wire::Record;

use super::Worker;
use super::parts::wrong;
use super::post::{Order, Post};
use crate::ClusterError;
use crate::message::Message;

/// Keys by the hash of their files.
pub struct Keys {
    kept: Mutex<Vec<(Hash, Kept)>>,
    most: NonZeroUsize,
}

type Hash = [u8; 32];

#[derive(Clone)]
enum Kept {
    /// With the nanoseconds of a lookup in a batch.
    Tfhe(Arc<ServerKey>, f64),
    Bgv(<BgvSlots as Adapter>::Key),
}

impl Keys {
    /// At most so many: 60 MB each under TFHE.
    #[must_use]
    pub fn new(most: NonZeroUsize) -> Self {
        Self {
            kept: Mutex::default(),
            most,
        }
    }

    /// A key of TFHE, from the driver if it is not here, and how long a lookup takes on this machine.
    pub(super) fn tfhe(
        &self,
        post: &Post,
        hash: &Hash,
        worker: &Worker,
    ) -> Result<(Arc<ServerKey>, f64), ClusterError> {
        match self.get(post, hash, |file| expand_tfhe(file, worker))? {
            Kept::Tfhe(key, lookup) => Ok((key, lookup)),
            Kept::Bgv(_) => Err(wrong("a key of BGV where one of TFHE was announced")),
        }
    }

    /// A key of BGV, from the driver if it is not here.
    pub(super) fn bgv(
        &self,
        post: &Post,
        hash: &Hash,
        worker: &Worker,
    ) -> Result<<BgvSlots as Adapter>::Key, ClusterError> {
        match self.get(post, hash, |file| expand_bgv(file, worker))? {
            Kept::Bgv(key) => Ok(key),
            Kept::Tfhe(..) => Err(wrong("a key of TFHE where one of BGV was announced")),
        }
    }

    /// Expands a key of TFHE before a run wants it. Its file may come by other ways than from a driver.
    ///
    /// # Errors
    /// [`ClusterError::Run`] for what is no key.
    pub fn add(&self, file: &[u8], worker: &Worker) -> Result<(), ClusterError> {
        let key = expand_tfhe(file, worker)?;
        self.keep(blake3::hash(file).into(), key);
        Ok(())
    }

    fn get(
        &self,
        post: &Post,
        hash: &Hash,
        expand: impl FnOnce(&[u8]) -> Result<Kept, ClusterError>,
    ) -> Result<Kept, ClusterError> {
        if let Some(key) = self.find(hash) {
            return Ok(key);
        }
        post.tell_driver(Message::KeyWanted);
        let file = post.order_of(|order| match order {
            Order::Key(bytes) => Some(bytes),
            _ => None,
        })?;
        if blake3::hash(&file).as_bytes() != hash {
            return Err(wrong("another key than was announced"));
        }
        let key = expand(&file)?;
        self.keep(*hash, key.clone());
        Ok(key)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<(Hash, Kept)>> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn find(&self, hash: &Hash) -> Option<Kept> {
        let mut kept = self.lock();
        let place = kept.iter().position(|(own, _)| own == hash)?;
        let found = kept.remove(place);
        let key = found.1.clone();
        // Last is who was used last.
        kept.push(found);
        Some(key)
    }

    fn keep(&self, hash: Hash, key: Kept) {
        let mut kept = self.lock();
        kept.retain(|(own, _)| *own != hash);
        if kept.len() >= self.most.get() {
            kept.remove(0);
        }
        kept.push((hash, key));
    }
}

fn expand_tfhe(file: &[u8], worker: &Worker) -> Result<Kept, ClusterError> {
    let seeded: SeededServerKey = decoded(file)?;
    let begin = Instant::now();
    let key = expand(&seeded, worker.fft, worker.threads).map_err(session::Error::internal)?;
    tracing::info!(seconds = begin.elapsed().as_secs_f64(), "key is expanded");
    let fft = worker.fft.unwrap_or_else(Fft::detect);
    let measured = calibrate_on(seeded.parameters(), fft).map_err(session::Error::internal)?;
    Ok(Kept::Tfhe(key, measured.batched.as_nanos() as f64))
}

fn expand_bgv(file: &[u8], worker: &Worker) -> Result<Kept, ClusterError> {
    let key: wire::bgv::ServerKey = decoded(file)?;
    let opened = key.open(worker.threads);
    let opened = opened.map_err(|error| session::Error::file(THE_KEY.as_ref(), &error))?;
    Ok(Kept::Bgv(Arc::new(opened)))
}

/// What its file is called where it has no name.
const THE_KEY: &str = "the server key";

fn decoded<K: Record>(file: &[u8]) -> Result<K, ClusterError> {
    let decoded = wire::decode(file);
    Ok(decoded.map_err(|error| session::Error::file(THE_KEY.as_ref(), &error))?)
}
