//! Workers, and where they are.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;

use blindcore::Cancel;
use pyo3::prelude::*;

use crate::errors::{OrRaise, usage};
use crate::keys::ServerKey;
use crate::work::Manner;

/// A worker in this process: evaluates its share of runs that others drive, ``Program.run(...,
/// workers=[...])``, one after the other, on threads of its own. It sees no value.
///
/// Args:
///     listen: Where, ``HOST:PORT``; port 0 takes a free one.
///     threads: Its threads; all that the machine has if nobody says.
///     tls: A directory of certificates that ``blindcore tls server --worker`` made; without one
///         there is no TLS, and the network must be one that nobody else is in.
///
/// >>> import blindcore as bc
/// >>> worker = bc.Worker(threads=1)
/// >>> worker.address.startswith("127.0.0.1:")
/// True
/// >>> worker.stop()
#[pyclass(frozen, module = "blindcore")]
pub struct Worker {
    address: String,
    /// Until it is stopped: then its port is free.
    worker: Mutex<Option<Arc<blindcore::Worker>>>,
    cancel: Cancel,
    thread: Mutex<Option<JoinHandle<()>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

#[pymethods]
impl Worker {
    #[new]
    #[pyo3(signature = (listen="127.0.0.1:0", *, threads=None, tls=None))]
    fn new(
        py: Python<'_>,
        listen: &str,
        threads: Option<i64>,
        tls: Option<PathBuf>,
    ) -> PyResult<Self> {
        let manner = Manner::of(py, threads, None)?;
        let mut worker = blindcore::Worker::listen(listen, tls.as_deref()).or_raise(py)?;
        if let Some(threads) = manner.threads {
            worker = worker.threads(threads.get());
        }
        let (worker, cancel) = (Arc::new(worker), Cancel::new());
        let own = (Arc::clone(&worker), cancel.clone());
        let thread = std::thread::spawn(move || own.0.work(&own.1));
        Ok(Self {
            address: worker.address().to_string(),
            worker: Mutex::new(Some(worker)),
            cancel,
            thread: Mutex::new(Some(thread)),
        })
    }

    /// Where it listens, ``HOST:PORT``.
    #[getter]
    fn address(&self) -> &str {
        &self.address
    }

    /// Expands a key before a run wants it: a second, and 60 MB.
    fn expect(&self, py: Python<'_>, server_key: &Bound<'_, ServerKey>) -> PyResult<()> {
        let key = Arc::clone(&server_key.get().0);
        let worker = lock(&self.worker).clone();
        match worker {
            Some(worker) => py.detach(|| worker.expect(&key)).or_raise(py),
            None => Err(usage(py, "the worker was stopped")),
        }
    }

    /// Ends it, and the run that it is at.
    fn stop(&self, py: Python<'_>) {
        self.cancel.cancel();
        drop(lock(&self.worker).take());
        let thread = lock(&self.thread).take();
        if let Some(thread) = thread {
            // It has no more to say.
            py.detach(|| drop(thread.join()));
        }
    }

    fn __repr__(&self) -> String {
        format!("<worker at {}>", self.address())
    }
}

impl Drop for Worker {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}

/// Where the workers of a run are, which may change while it goes on: a worker that is lost may come
/// again elsewhere.
///
/// >>> import blindcore as bc
/// >>> addresses = bc.Addresses(["machine-1:7420", "machine-2:7420"])
/// >>> addresses[1] = "machine-3:7420"
/// >>> list(addresses)
/// ['machine-1:7420', 'machine-3:7420']
/// >>> addresses.append("machine-4:7420")
/// >>> len(addresses)
/// 3
#[pyclass(frozen, module = "blindcore")]
pub struct Addresses(pub(crate) blindcore::Addresses);

#[pymethods]
impl Addresses {
    #[new]
    fn new(addresses: Vec<String>) -> Self {
        Self(blindcore::Addresses::from(addresses))
    }

    fn __len__(&self) -> usize {
        self.0.len()
    }

    fn __getitem__(&self, place: usize) -> PyResult<String> {
        let address = self.0.get(place);
        address.ok_or_else(|| pyo3::exceptions::PyIndexError::new_err("there is no such worker"))
    }

    fn __setitem__(&self, place: usize, address: String) -> PyResult<()> {
        self.__getitem__(place)?;
        self.0.set(place, address);
        Ok(())
    }

    /// One more worker, which a run that goes on takes in.
    fn append(&self, address: String) {
        self.0.push(address);
    }
}
