//! Measures how long a worker takes for a batch of each size, alone and beside others.
//!
//! Threads evaluate batches of the same size at the same time, size after size, for one thread, two
//! and so on, and all of it again: whatever else the machine does then meets all of them alike. The
//! median of the rounds counts, since runs meet the ordinary machine too, not the best one.

use std::sync::Barrier;
use std::time::{Duration, Instant};

use circuits::{Gates, Job, Timing};

/// Rounds at least, and at most where they are short.
const ROUNDS: std::ops::Range<usize> = 5..33;
/// What a measurement may take before it is left with the fewest rounds.
const ENOUGH: Duration = Duration::from_millis(1500);

/// Times of the batches of the first job, the first two and so on, for one busy thread up to
/// `threads`.
pub(crate) fn measure<G>(
    gates: &G,
    jobs: &[Job<'_, G::Bit>],
    threads: usize,
) -> Result<Rows, G::Error>
where
    G: Gates,
{
    let threads = threads.max(1);
    let mut scratches: Vec<G::Scratch> = (0..threads).map(|_| gates.scratch()).collect();
    let mut samples = vec![vec![Vec::new(); jobs.len()]; threads];
    let start = Instant::now();
    for round in 0..ROUNDS.end {
        if round >= ROUNDS.start && start.elapsed() >= ENOUGH {
            break;
        }
        for (busy, samples) in samples.iter_mut().enumerate() {
            for times in together(gates, &mut scratches[..=busy], jobs) {
                for (samples, time) in samples.iter_mut().zip(times?) {
                    samples.push(time);
                }
            }
        }
    }
    let rows = samples
        .into_iter()
        .map(|row| row.into_iter().map(median).collect());
    Ok(Rows(rows.collect()))
}

/// Times in nanoseconds by busy threads and number of jobs.
pub(crate) struct Rows(Vec<Vec<f64>>);

impl Rows {
    /// As a table, if times were measured at all.
    pub(crate) fn timing(&self) -> Option<Timing> {
        Timing::new(self.0.clone())
    }

    /// The time of a number of jobs on one thread by itself.
    pub(crate) fn alone(&self, jobs: usize) -> Option<f64> {
        self.0.first()?.get(jobs.checked_sub(1)?).copied()
    }
}

/// By thread the times of all sizes; no thread begins a size before the others do.
fn together<G: Gates>(
    gates: &G,
    scratches: &mut [G::Scratch],
    jobs: &[Job<'_, G::Bit>],
) -> Vec<Result<Vec<f64>, G::Error>> {
    let barrier = Barrier::new(scratches.len());
    let work = |scratch: &mut G::Scratch| {
        let mut times = Vec::with_capacity(jobs.len());
        // A thread's first batch finds nothing in its caches, a run's later ones do.
        let first = gates.apply_many(scratch, &jobs[..1.min(jobs.len())]);
        let mut failed = first.into_iter().find_map(Result::err);
        for count in 1..=jobs.len() {
            barrier.wait();
            let start = Instant::now();
            let results = gates.apply_many(scratch, &jobs[..count]);
            times.push(start.elapsed().as_nanos() as f64);
            // The others count on this thread at the barrier.
            failed = failed.or(results.into_iter().find_map(Result::err));
        }
        failed.map_or(Ok(times), Err)
    };
    std::thread::scope(|scope| {
        let work = &work;
        let threads: Vec<_> = scratches
            .iter_mut()
            .map(|scratch| scope.spawn(move || work(scratch)))
            .collect();
        threads
            .into_iter()
            .map(|thread| match thread.join() {
                Ok(times) => times,
                Err(panic) => std::panic::resume_unwind(panic),
            })
            .collect()
    })
}

/// The middle one, or the lower of two; infinite for none.
fn median(mut times: Vec<f64>) -> f64 {
    times.sort_by(f64::total_cmp);
    let middle = times.len().saturating_sub(1) / 2;
    times.get(middle).copied().unwrap_or(f64::INFINITY)
}
