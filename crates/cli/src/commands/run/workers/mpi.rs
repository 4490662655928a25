//! A run on the ranks of an MPI program: `mpirun -n 5 blindcore run … --workers mpi`. All of them have the same command
//! line; rank 0 does what it says, the others work for it.

use crate::arguments::{Run, Scheme};
use crate::failure::Failure;
use crate::interrupt::Interrupt;

#[cfg(feature = "mpi")]
pub(super) fn run(arguments: &Run, engine: Scheme, interrupt: &Interrupt) -> Result<(), Failure> {
    use std::num::NonZeroUsize;

    use cluster::mpi::Mpi;
    use cluster::{ClusterError, Keys, Reach, Worker};

    let mpi = Mpi::start().map_err(|error| super::failure(&error))?;
    let threads = crate::commands::threads(arguments.threads);
    if mpi.is_driver() {
        let workers = super::workers(arguments, mpi.workers(), Reach::By(mpi.transport()));
        return super::run_on(arguments, engine, &workers, threads, interrupt);
    }
    let worker = Worker { threads, fft: None };
    let keys = Keys::new(NonZeroUsize::MIN);
    match worker.work(&mpi.transport(), &keys, &interrupt.cancel()) {
        // The driver says what there is to say.
        Ok(()) | Err(ClusterError::Gone(_) | ClusterError::Run(_)) => Ok(()),
        Err(error) => Err(super::failure(&error)),
    }
}

#[cfg(not(feature = "mpi"))]
pub(super) fn run(_: &Run, _: Scheme, _: &Interrupt) -> Result<(), Failure> {
    let message =
        "--workers mpi: this blindcore was built without MPI: build it with --features mpi";
    Err(Failure::new(crate::failure::Code::Usage, message))
}
