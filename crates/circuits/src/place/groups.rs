//! Operations that belong together: most of what they read of each other nobody else reads.
//!
//! A result that one operation alone reads need not travel if that one is where it is made. So the tree of
//! lines behind a table goes to one machine, and only its index and the word at its end travel. Groups grow
//! along such results in the circuit's order, and stop at a share of a machine's work: what follows its group
//! must not wait for longer than the slack that it has.

use super::tasks::Tasks;
use crate::union::Union;

/// What belongs together.
pub(super) struct Groups {
    /// By task its group.
    pub(super) of: Vec<u32>,
    /// By group: how many of its tasks take time.
    pub(super) sizes: Vec<u32>,
}

impl Groups {
    /// Groups of at most a share of all that takes time.
    pub(super) fn new(tasks: &Tasks, share: f64) -> Self {
        let size = |task: usize| u32::from(!tasks.is_free(task));
        let mut union = Union::new(tasks.len());
        let mut sizes: Vec<u32> = (0..tasks.len()).map(size).collect();
        let whole: u32 = sizes.iter().sum();
        let most = (share * f64::from(whole)) as u32;
        for (task, signal) in read_once(tasks) {
            let owner = tasks.owner(signal);
            if owner >= tasks.len() {
                continue;
            }
            let (one, other) = (union.root(owner as u32), union.root(task));
            let together = sizes[one as usize] + sizes[other as usize];
            if one != other && together <= most {
                sizes[union.join(one, other) as usize] = together;
            }
        }
        let of = (0..tasks.len() as u32).map(|task| union.root(task));
        Self {
            of: of.collect(),
            sizes,
        }
    }
}

/// Signals that one task alone reads, with this task.
fn read_once(tasks: &Tasks) -> Vec<(u32, u32)> {
    let mut reads: Vec<(u32, u32)> = (0..tasks.len())
        .flat_map(|task| {
            tasks
                .reads
                .of(task)
                .iter()
                .map(move |&signal| (signal, task as u32))
        })
        .collect();
    reads.sort_unstable();
    let alone = reads.chunk_by(|one, other| one.0 == other.0);
    let mut alone: Vec<(u32, u32)> = alone
        .filter_map(|same| match same {
            [(signal, task)] => Some((*task, *signal)),
            _ => None,
        })
        .collect();
    alone.sort_unstable();
    alone
}
