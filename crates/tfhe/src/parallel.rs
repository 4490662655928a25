//! Independent jobs on a few threads, counted: key generation and expansion.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};

use work::Threads;

/// Told how many parts of how many are done; called from any thread, often.
pub type Progress<'a> = &'a (dyn Fn(usize, usize) + Sync);

/// Does every job, on at most `threads` threads, one at least. `span` is how
/// many parts were done before, and how many there are in all.
pub(crate) fn in_parallel<Job: Send>(
    jobs: Vec<Job>,
    threads: usize,
    progress: Progress<'_>,
    span: (usize, usize),
    work: impl Fn(Job) + Sync + Send,
) {
    let threads = NonZeroUsize::new(threads.min(jobs.len()));
    // Where the system gives no threads, the caller's does all.
    let threads = threads.and_then(|count| Threads::new(count).ok());
    let done = AtomicUsize::new(span.0);
    threads.unwrap_or_else(Threads::one).each(jobs, |job| {
        work(job);
        progress(done.fetch_add(1, Ordering::Relaxed) + 1, span.1);
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_job_is_done_once_and_counted() {
        for threads in [0, 1, 3, 100] {
            let mut out = vec![0; 50];
            let last = AtomicUsize::new(0);
            let progress = |done: usize, total: usize| {
                assert_eq!(total, 60);
                last.fetch_max(done, Ordering::Relaxed);
            };
            let jobs: Vec<_> = out.iter_mut().enumerate().collect();
            in_parallel(jobs, threads, &progress, (10, 60), |(i, slot)| {
                *slot = i + 1
            });
            assert_eq!(out, (1..=50).collect::<Vec<_>>());
            assert_eq!(last.into_inner(), 60);
        }
    }
}
