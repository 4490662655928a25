//! Long work: split over threads, watched, and stopped.
//!
//! [`Threads`] does independent jobs; a [`Counter`] reports every step of a stage to a [`Watch`],
//! which may stop the work. Nothing here knows what the work is; timing depends on the jobs alone.
//!
//! ```
//! use std::num::NonZeroUsize;
//! use std::ops::ControlFlow;
//!
//! use blindcore_work::{Counter, Interrupted, Progress, Threads};
//!
//! let threads = Threads::new(NonZeroUsize::new(2).unwrap())?;
//! let stop_after_two = |progress: Progress<&str>| match progress.done {
//!     2 => ControlFlow::Break(()),
//!     _ => ControlFlow::Continue(()),
//! };
//! let counter = Counter::new(&stop_after_two, "squares", 3);
//! let squares = threads.try_map(vec![1, 2, 3], |n| counter.step().map(|()| n * n));
//! assert_eq!(squares, Err(Interrupted));
//! # Ok::<(), blindcore_work::NoThreads>(())
//! ```
#![forbid(unsafe_code)]

mod threads;
mod watch;

pub use threads::{NoThreads, Threads};
pub use watch::{Counter, Interrupted, Progress, Watch};
