//! Threads that do independent jobs.

use std::convert::Infallible;
use std::num::NonZeroUsize;

use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// A pool of threads, or none for one thread: then everything runs on the caller's.
#[derive(Debug)]
pub struct Threads(Option<ThreadPool>);

/// The system has no threads to give.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the system gives no threads: {reason}")]
pub struct NoThreads {
    /// What it says.
    pub reason: String,
}

impl Threads {
    /// `count` threads.
    ///
    /// # Errors
    /// [`NoThreads`].
    pub fn new(count: NonZeroUsize) -> Result<Self, NoThreads> {
        if count == NonZeroUsize::MIN {
            return Ok(Self::one());
        }
        let pool = ThreadPoolBuilder::new().num_threads(count.get()).build();
        pool.map(|pool| Self(Some(pool)))
            .map_err(|error| NoThreads {
                reason: error.to_string(),
            })
    }

    /// The caller's thread alone.
    #[must_use]
    pub fn one() -> Self {
        Self(None)
    }

    /// Does `work` for each job; the first error stops it. Jobs are few and large: each is taken by
    /// itself.
    ///
    /// # Errors
    /// That of `work`.
    pub fn try_each<Job: Send, E: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(Job) -> Result<(), E> + Sync + Send,
    ) -> Result<(), E> {
        match &self.0 {
            None => jobs.into_iter().try_for_each(work),
            Some(pool) => pool.install(|| jobs.into_par_iter().with_max_len(1).try_for_each(work)),
        }
    }

    /// As [`try_each`](Self::try_each), of work that cannot fail.
    pub fn each<Job: Send>(&self, jobs: Vec<Job>, work: impl Fn(Job) + Sync + Send) {
        let Ok(()) = self.try_each(jobs, |job| {
            work(job);
            Ok::<_, Infallible>(())
        });
    }

    /// The results of `work` for each job, in order; the first error stops it. Jobs are few and
    /// large.
    ///
    /// # Errors
    /// That of `work`.
    pub fn try_map<Job: Send, Out: Send, E: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(Job) -> Result<Out, E> + Sync + Send,
    ) -> Result<Vec<Out>, E> {
        match &self.0 {
            None => jobs.into_iter().map(work).collect(),
            Some(pool) => pool.install(|| jobs.into_par_iter().with_max_len(1).map(work).collect()),
        }
    }

    /// As [`try_map`](Self::try_map), of work that cannot fail.
    pub fn map<Job: Send, Out: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(Job) -> Out + Sync + Send,
    ) -> Vec<Out> {
        match &self.0 {
            None => jobs.into_iter().map(work).collect(),
            Some(pool) => pool.install(|| jobs.into_par_iter().with_max_len(1).map(work).collect()),
        }
    }

    /// The results of work that cannot fail and is short: jobs are taken several at a time, with
    /// their numbers.
    pub fn map_light<Job: Send, Out: Send>(
        &self,
        jobs: Vec<Job>,
        work: impl Fn(usize, Job) -> Out + Sync + Send,
    ) -> Vec<Out> {
        let numbered = |(number, job)| work(number, job);
        match &self.0 {
            None => jobs.into_iter().enumerate().map(numbered).collect(),
            Some(pool) => pool.install(|| jobs.into_par_iter().enumerate().map(numbered).collect()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_in_order() {
        for count in [1, 3, 20] {
            let threads = Threads::new(NonZeroUsize::new(count).unwrap()).unwrap();
            let mut out = vec![0; 50];
            threads.each(out.iter_mut().enumerate().collect(), |(at, slot)| {
                *slot += at + 1
            });
            assert_eq!(out, (1..=50).collect::<Vec<_>>());
            let squares = threads.map(out.clone(), |n| n * n);
            assert_eq!(squares[49], 2500);
            assert_eq!(threads.map_light(out, |at, n| n - at), vec![1; 50]);
            assert_eq!(
                threads.try_each(vec![1, 2], |n| if n == 2 { Err(n) } else { Ok(()) }),
                Err(2)
            );
        }
    }
}
