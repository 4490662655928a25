//! The threads of a value that computes in parallel.
//!
//! Work is split by residues: the rows of an element modulo one prime, each on one thread. There are dozens of
//! them in a product, and inside a row of a hundred kilobytes there is nothing left for another thread to do.

use std::num::NonZeroUsize;

use rayon::{ThreadPool, ThreadPoolBuilder};

use crate::Error;

/// A pool of threads, or none for one thread: then everything runs on the caller's.
pub(crate) struct Threads(Option<ThreadPool>);

impl Threads {
    pub(crate) fn new(count: NonZeroUsize) -> Result<Self, Error> {
        if count == NonZeroUsize::MIN {
            return Ok(Self(None));
        }
        ThreadPoolBuilder::new()
            .num_threads(count.get())
            .build()
            .map(|pool| Self(Some(pool)))
            .map_err(|error| Error::NoThreads {
                reason: error.to_string(),
            })
    }

    /// The caller's thread alone.
    pub(crate) fn one() -> Self {
        Self(None)
    }

    /// The results of `work` for each job, in order.
    pub(crate) fn map<Job: Send, Out: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(Job) -> Result<Out, Error> + Sync + Send,
    ) -> Result<Vec<Out>, Error> {
        use rayon::prelude::*;
        match &self.0 {
            None => jobs.into_iter().map(work).collect(),
            // Jobs are few and large: each may be taken by itself.
            Some(pool) => pool.install(|| jobs.into_par_iter().with_max_len(1).map(work).collect()),
        }
    }
    /// The results of work that cannot fail and is short: jobs are taken several at a time.
    pub(crate) fn map_light<Job: Send + Copy + Sync, Out: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(usize, Job) -> Out + Sync + Send,
    ) -> Vec<Out> {
        use rayon::prelude::*;
        let numbered = |(number, job)| work(number, job);
        match &self.0 {
            None => jobs.into_iter().enumerate().map(numbered).collect(),
            Some(pool) => pool.install(|| jobs.into_par_iter().enumerate().map(numbered).collect()),
        }
    }
}
