//! Runs on several machines, and the workers that they are shared out among.

use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use circuits::exec::Cancel;
use cluster::tcp::{Certificates, Listener};
use cluster::{Addresses, ClusterError, Keys, Patience, Reach, SharedRun, Transport};
use session::evaluator::{self, CheckpointFile};
use session::schemes::tfhe::Selectors;
use session::{Control, Error, ErrorKind};

use crate::run::Job;
use crate::{Inputs, Outputs, ServerKey};

/// Bits a second of a link between two machines, where nobody says.
const LINK: f64 = 1e10;

/// Workers that a run is shared out among, by [`Run::on`](crate::Run::on).
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Cancel, Keys, Program, Values, Worker, Workers};
///
/// # let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/salaries/salaries.elf");
/// let program = Program::open(path)?.public("count", 3)?;
/// let keys = Keys::generate()?;
/// let inputs = keys.secret.encrypt(&program, &Values::new().set("salary", [1, 2, 3]))?;
///
/// // Two workers, each with one thread of its own; elsewhere they are `blindcore worker`.
/// let end = Cancel::new();
/// let workers = [Worker::listen("127.0.0.1:0", None)?.threads(1), Worker::listen("127.0.0.1:0", None)?.threads(1)];
/// let addresses = workers.each_ref().map(|worker| worker.address().to_string());
/// let outputs = std::thread::scope(|scope| {
///     for worker in &workers {
///         scope.spawn(|| worker.work(&end));
///     }
///     let ended = program.runner(&keys.server).threads(1).on(Workers::plain(addresses)).run(&inputs);
///     end.cancel();
///     ended
/// })?;
/// assert_eq!(keys.secret.decrypt(&outputs)?.get::<u32>("total")?, 6);
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Workers {
    addresses: Addresses,
    certificates: Option<PathBuf>,
    bits_per_second: f64,
}

impl Workers {
    /// At these addresses, `HOST:PORT`, without TLS: in a network that nobody else is in.
    #[must_use]
    pub fn plain(addresses: impl Into<Addresses>) -> Self {
        Self {
            addresses: addresses.into(),
            certificates: None,
            bits_per_second: LINK,
        }
    }

    /// By TLS, with the certificate in a directory that `blindcore tls` made.
    #[must_use]
    pub fn tls(addresses: impl Into<Addresses>, certificates: impl AsRef<Path>) -> Self {
        Self {
            certificates: Some(certificates.as_ref().to_path_buf()),
            ..Self::plain(addresses)
        }
    }

    /// What each one's link carries each way, in bits a second; ten thousand million if nobody says.
    #[must_use]
    pub fn network(mut self, bits_per_second: f64) -> Self {
        self.bits_per_second = bits_per_second;
        self
    }
}

/// A worker in this process: what `blindcore worker` is.
pub struct Worker {
    listener: Listener,
    worker: cluster::Worker,
    keys: Keys,
}

/// Keys that a worker keeps from run to run.
const KEPT: NonZeroUsize = NonZeroUsize::new(4).unwrap();

impl Worker {
    /// Listens at `HOST:PORT`, where port 0 takes a free one; by TLS if there is a directory of
    /// certificates that `blindcore tls server --worker` made.
    ///
    /// # Errors
    /// [`ErrorKind::Io`] if the port is taken, [`ErrorKind::File`] for certificates.
    pub fn listen(address: &str, certificates: Option<&Path>) -> Result<Self, Error> {
        let certificates = certificates.map(Certificates::read).transpose();
        let listener = Listener::open(address, certificates.map_err(error)?).map_err(error)?;
        Ok(Self {
            listener,
            worker: cluster::Worker {
                threads: Control::default().threads,
                fft: None,
            },
            keys: Keys::new(KEPT),
        })
    }

    /// Its threads; 0 is taken for 1. By default all that the machine has.
    #[must_use]
    pub fn threads(mut self, threads: usize) -> Self {
        self.worker.threads = NonZeroUsize::new(threads).unwrap_or(NonZeroUsize::MIN);
        self
    }

    /// Expands a key before a run wants it: 60 MB.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for one that is not TFHE's.
    pub fn expect(&self, key: &ServerKey) -> Result<(), Error> {
        self.keys.add(&key.to_bytes()?, &self.worker).map_err(error)
    }

    /// Where it listens.
    #[must_use]
    pub fn address(&self) -> std::net::SocketAddr {
        self.listener.address()
    }

    /// Works for one driver after the other until somebody cancels. What goes wrong with a run its driver
    /// is told.
    pub fn work(&self, cancel: &Cancel) {
        while !cancel.is_cancelled() {
            let Some(session) = self.listener.session() else {
                continue;
            };
            let transport: Arc<dyn Transport> = Arc::new(session);
            // As above; if it is gone, another may come.
            let _ = self.worker.work(&transport, &self.keys, cancel);
        }
    }
}

fn error(error: ClusterError) -> Error {
    match error {
        ClusterError::Run(error) => error,
        ClusterError::Cancelled => Error::interrupted(),
        error => {
            let kind = match error {
                ClusterError::Unreachable { .. }
                | ClusterError::Listen { .. }
                | ClusterError::NobodyLeft { .. }
                | ClusterError::Gone(_) => ErrorKind::Io,
                ClusterError::Certificate { .. } => ErrorKind::File,
                ClusterError::NoWorkers => ErrorKind::Usage,
                _ => ErrorKind::Internal,
            };
            Error::new(kind, error.to_string())
        }
    }
}

/// A run on workers, which this machine watches.
pub(crate) fn run(
    mut job: Job<'_, session::schemes::tfhe::Tfhe>,
    inputs: &Inputs,
    key: &ServerKey,
    workers: &Workers,
    control: &Control,
    checkpoint: Option<&Path>,
) -> Result<Outputs, Error> {
    let all = control
        .threads
        .get()
        .saturating_mul(workers.addresses.len());
    job.target.threads = NonZeroUsize::new(all).unwrap_or(NonZeroUsize::MIN);
    job.target.selectors = Selectors::Unused;
    let planned = job.plan(false, control)?;
    let program = &job.program.program;
    let given = evaluator::inputs_hash(inputs.to_bytes());
    let run = evaluator::run_hash(program.hash(), given, &job.task, &job.places);
    let (_, first) = job.given.first()?;
    let lock = checkpoint.map(evaluator::lock_checkpoints);
    // To the end of the run.
    let _lock = lock.transpose()?;
    let mut file = checkpoint
        .map(|path| CheckpointFile::new(path.to_path_buf(), run, first, Box::new(|_| {})));
    let resumed = match &mut file {
        Some(file) if checkpoint.is_some_and(Path::exists) => Some(file.read()?),
        _ => None,
    };
    let certificates = workers.certificates.as_deref().map(Certificates::read);
    let shared = SharedRun {
        program,
        task: &job.task,
        places: &job.places,
        inputs: vec![(crate::run::INPUTS.to_owned(), inputs.to_bytes().to_vec())],
        key: key.to_bytes()?,
        planned: &planned,
        threads: job.target.threads,
        run,
        resumed,
        // They may become more.
        memory: 0,
    };
    let workers = cluster::Workers {
        addresses: workers.addresses.clone(),
        reach: Reach::Tcp(certificates.transpose().map_err(error)?),
        bits_per_second: workers.bits_per_second,
        may_grow: true,
        is_halved: false,
        patience: Patience::default(),
    };
    let ended = shared.on(&workers, file.as_mut(), control, &mut |_| {});
    let ended = ended.map_err(error)?;
    if let Some(file) = &file {
        file.finish();
    }
    Outputs::from_bytes(ended.outputs)
}
