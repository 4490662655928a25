//! One run on several machines.
//!
//! Symbolic execution, recording, passes and placement are deterministic functions of program, task, profile
//! and machines. So every [`Worker`] executes the program itself, records the same window, computes the same
//! [placement](circuits::place), and evaluates its own share; results that another machine reads go from worker
//! to worker. No circuit travels. The driver ([`drive`]) has the run's files, and hears from workers what they
//! have done; it computes nothing. Workers compare a hash of window and placement, and a difference ends the
//! run.
//!
//! Whoever is lost (its connection breaks, it says nothing for ten seconds, what it sends is damaged) is named
//! and left out: the others stop, say what they have of the window, place what is missing, and go on. Evaluation
//! draws no randomness, so that a result computed again is the same ciphertext. A worker that comes again takes
//! part from a checkpoint on. Between windows the state goes to the driver as a checkpoint file, of the kind that
//! `run --resume` reads.
//!
//! Bytes travel by a [`Transport`]: [`tcp`] between machines, by TLS if they have certificates; `mpi` (a
//! feature) between the ranks of an MPI program; [`loopback`] between threads, for tests.
//!
//! Rows of a table need less: each is a run of its own on one worker, and [`drive_table`] gives them out, under TFHE
//! one by one, under BGV by batches.
//!
//! One run is shared out under TFHE only, by lookups: selectors stay on a machine. Programs that ask their key's owner run on one.
#![forbid(unsafe_code)]

mod addresses;
mod bits;
mod driver;
mod error;
pub mod loopback;
mod losses;
mod mailbox;
mod message;
#[cfg(feature = "mpi")]
pub mod mpi;
pub mod ray;
mod shared;
pub mod tcp;
mod transport;
mod worker;

pub use addresses::Addresses;
pub use driver::{Ended, Files, Job, Patience, Progress, Rows, Table, Watcher, drive, drive_table};
pub use error::ClusterError;
pub use losses::{Losses, STOPPED};
pub use message::TableScheme;
pub use shared::{Reach, SharedRun, Workers};
pub use transport::{Event, Member, Transport};
pub use worker::{Keys, Worker};
