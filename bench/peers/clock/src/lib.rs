//! What every contest shares: rounds that are interleaved, so that whatever else the machine
//! does falls on all sides, their medians and extremes, and the CSV files that keep them.

mod record;
mod times;

use std::error::Error;
use std::time::Duration;

pub use record::{Provenance, append};
pub use times::Times;

/// What went wrong, for one line on the terminal.
pub type Failure = Box<dyn Error>;

/// One side of a contest: does round `number`'s work, checks its answer, says how long the
/// work took. Round 0 warms caches and makes what is made once.
pub type Side<'a> = Box<dyn FnMut(u64) -> Result<Duration, Failure> + 'a>;

/// A round 0 that takes as long counts as the first: it is not repeated for the sake of caches.
const LONG: Duration = Duration::from_secs(10);

/// First side, second side, …, first side again: `rounds` counted rounds of each, after round 0, which
/// is not counted unless it takes ten seconds or more.
///
/// # Errors
/// The first failure of a side.
pub fn interleave(rounds: u64, sides: &mut [Side<'_>]) -> Result<Vec<Times>, Failure> {
    let mut all = vec![Vec::new(); sides.len()];
    for round in 0..=rounds {
        for (side, times) in sides.iter_mut().zip(&mut all) {
            // Counted already.
            if round == 1 && !times.is_empty() {
                continue;
            }
            let time = side(round)?;
            if round > 0 || time >= LONG {
                times.push(time);
            }
        }
    }
    Ok(all.into_iter().map(Times::of).collect())
}
