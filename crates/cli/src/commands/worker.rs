//! `blindcore worker`: evaluates its share of runs that others drive.

use std::num::NonZeroUsize;
use std::sync::Arc;

use cluster::tcp::{Certificates, Listener};
use cluster::{ClusterError, Keys, Transport};

use super::{print, threads};
use crate::arguments;
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;

/// Works for one driver after the other, until it is interrupted.
pub(crate) fn worker(arguments: &arguments::Worker, interrupt: &Interrupt) -> Result<(), Failure> {
    let certificates = arguments.tls.as_deref().map(Certificates::read).transpose();
    let certificates = certificates.map_err(|error| failure(&error))?;
    let listener =
        Listener::open(&arguments.listen, certificates).map_err(|error| failure(&error))?;
    let worker = cluster::Worker {
        threads: threads(arguments.threads),
        fft: arguments.fft,
    };
    print(&format!(
        "listening on {}, {} {}\n",
        listener.address(),
        worker.threads,
        if worker.threads == NonZeroUsize::MIN {
            "thread"
        } else {
            "threads"
        }
    ))?;
    let keys = Keys::new(arguments.keys);
    let cancel = interrupt.cancel();
    while !cancel.is_cancelled() {
        let Some(session) = listener.session() else {
            continue;
        };
        let transport: Arc<dyn Transport> = Arc::new(session);
        let worked = worker.work(&transport, &keys, &cancel);
        match worked {
            Ok(()) => print("a run has ended\n")?,
            Err(ClusterError::Cancelled) => break,
            // The driver has heard of it, or is gone: another may come.
            Err(error) => eprintln!("{error}"),
        }
        if arguments.once {
            break;
        }
    }
    Ok(())
}

/// As a failure of a command.
pub(crate) fn failure(error: &ClusterError) -> Failure {
    let code = match error {
        ClusterError::Run(error) => return Failure::from(error.clone()),
        ClusterError::Cancelled => return Failure::from(session::Error::interrupted()),
        ClusterError::Certificate { .. } => Code::Certificate,
        ClusterError::Unreachable { .. }
        | ClusterError::Listen { .. }
        | ClusterError::NobodyLeft { .. }
        | ClusterError::Ray { .. }
        | ClusterError::Gone(_) => Code::Io,
        _ => Code::Internal,
    };
    Failure::new(code, error.to_string())
}
