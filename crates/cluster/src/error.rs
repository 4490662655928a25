//! Errors of a cluster.

use crate::transport::Member;

/// Why a cluster cannot go on.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum ClusterError {
    /// A frame's checksum is not that of its bytes.
    #[error("a message was damaged on its way")]
    Corrupt,
    /// A frame that is sound and is no message of this protocol.
    #[error("not a message: {reason}")]
    Message {
        /// What is wrong with it.
        reason: String,
    },
    /// A worker that does not answer, or is none.
    #[error("{address}: {reason}: is `blindcore worker` running there?")]
    Unreachable {
        /// Where it was looked for.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// A run on nobody.
    #[error("no worker is named")]
    NoWorkers,
    /// A port that cannot be listened on.
    #[error("{address}: {reason}")]
    Listen {
        /// Which.
        address: String,
        /// What the system says.
        reason: String,
    },
    /// Certificates that cannot be used.
    #[error("{reason}")]
    Certificate {
        /// What is wrong, and with which file.
        reason: String,
    },
    /// MPI that cannot be used.
    #[cfg(feature = "mpi")]
    #[error("MPI: {reason}")]
    Mpi {
        /// Why not.
        reason: String,
    },
    /// A Ray cluster that gives no workers.
    #[error("the Ray cluster at {cluster}: {reason}")]
    Ray {
        /// Where it is.
        cluster: String,
        /// What it says, or what Python does.
        reason: String,
    },
    /// Nobody is left.
    #[error(
        "all workers are lost, the last one, {last}, since {reason}: `run --resume` goes on from the last checkpoint"
    )]
    NobodyLeft {
        /// Who went last.
        last: String,
        /// Why.
        reason: String,
    },
    /// Workers are lost whenever they compute a row.
    #[error(
        "row {row}: three workers were lost while they computed it, the last one, {last}, since {reason}: is there \
         memory enough?"
    )]
    Deadly {
        /// Which, from 0.
        row: u32,
        /// Who went last.
        last: String,
        /// Why.
        reason: String,
    },
    /// Workers recorded another circuit or placed it otherwise.
    #[error(
        "{worker} does not agree with the others about window {window}: are all workers of one version?"
    )]
    Disagreement {
        /// The one that is alone with it.
        worker: String,
        /// Which window.
        window: u32,
    },
    /// A run failed as it would have on one machine.
    #[error("{0}")]
    Run(session::Error),
    /// The driver went away.
    #[error("{0} is gone")]
    Gone(Member),
    /// Somebody cancelled.
    #[error("interrupted")]
    Cancelled,
}

impl From<session::Error> for ClusterError {
    fn from(error: session::Error) -> Self {
        Self::Run(error)
    }
}
