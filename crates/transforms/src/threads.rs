//! Work on several threads, those of a `rayon` pool.
//!
//! What `rayon` compiles for a pair of closures is longer than most of what they call here. So it
//! gets closures by reference, which makes all pairs one type; a call through that reference costs
//! nothing beside waking a thread.

use rayon::ThreadPool;

/// Work that is called once.
type Work<'a> = &'a mut (dyn FnMut() + Send);

/// Two operations, at the same time.
pub(crate) fn join<A: Send, B: Send>(
    first: impl FnOnce() -> A + Send,
    second: impl FnOnce() -> B + Send,
) -> (A, B) {
    let mut result = None;
    let a = by_reference(first, |first| {
        result = Some(by_reference(second, |second| pair(first, second)));
    });
    match result {
        Some(b) => (a, b),
        None => unreachable!("both operations are called"),
    }
}

/// Does all of `work` on a thread of the pool, or of the common one: every change between a pool
/// and a thread outside costs more than a pass.
pub(crate) fn inside<R: Send>(pool: Option<&ThreadPool>, work: impl FnOnce() -> R + Send) -> R {
    by_reference(work, |work| enter(pool, work))
}

/// Calls `work` on each item, cut into pieces of equal length.
pub(crate) fn each<T: Send>(pieces: usize, items: &mut [T], work: &(impl Fn(&mut T) + Sync)) {
    if pieces <= 1 {
        items.iter_mut().for_each(work);
    } else {
        let (first, second) = items.split_at_mut(items.len() * (pieces / 2) / pieces);
        pair(&mut || each(pieces / 2, &mut *first, work), &mut || {
            each(pieces - pieces / 2, &mut *second, work)
        });
    }
}

fn by_reference<R: Send>(work: impl FnOnce() -> R + Send, call: impl FnOnce(Work<'_>)) -> R {
    let (mut work, mut result) = (Some(work), None);
    call(&mut || result = work.take().map(|work| work()));
    match result {
        Some(result) => result,
        None => unreachable!("what is passed on is called"),
    }
}

#[inline(never)]
fn pair(first: Work<'_>, second: Work<'_>) {
    rayon::join(first, second);
}

#[inline(never)]
fn enter(pool: Option<&ThreadPool>, work: Work<'_>) {
    match pool {
        Some(pool) => pool.install(work),
        None => rayon::scope(|_| work()),
    }
}
