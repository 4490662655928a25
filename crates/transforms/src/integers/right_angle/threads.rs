//! Pools of threads, made once for each number of them and kept.

use super::error::RightAngleError;
use rayon::{ThreadPool, ThreadPoolBuilder};
use std::num::NonZeroUsize;
use std::sync::{Arc, Mutex, PoisonError};

/// The pool of that number of threads; none for one.
pub(super) fn pool(threads: NonZeroUsize) -> Result<Option<Arc<ThreadPool>>, RightAngleError> {
    static POOLS: Mutex<Vec<Arc<ThreadPool>>> = Mutex::new(Vec::new());
    let threads = threads.get();
    if threads == 1 {
        return Ok(None);
    }
    // A vector of pools is whole whenever a panic may come.
    let mut pools = POOLS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(pool) = pools
        .iter()
        .find(|pool| pool.current_num_threads() == threads)
    {
        return Ok(Some(pool.clone()));
    }
    let pool = ThreadPoolBuilder::new()
        .num_threads(threads)
        .thread_name(|number| format!("right-angle-{number}"))
        .build();
    let pool = Arc::new(pool.map_err(|_| RightAngleError::Threads { threads })?);
    pools.push(pool.clone());
    Ok(Some(pool))
}
