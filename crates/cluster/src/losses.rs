//! With what workers were lost, a row of a table or a job: whether it is the worker's fault or its own.

/// Workers that may be lost with it, each another one if there are as many; and twice as many at most.
const DEADLY: usize = 3;

/// Why a worker is lost that was stopped on its machine: nothing that it had is to blame.
pub const STOPPED: &str = "it was stopped on its machine";

/// Places of workers that were lost with it.
///
/// ```
/// use blindcore_cluster::Losses;
///
/// let mut losses = Losses::default();
/// // A bad machine takes whatever it gets with it.
/// (0..5).for_each(|_| losses.add(1));
/// assert!(!losses.are_deadly(3) && losses.are_deadly(1));
/// // It is not tried there again while somebody is elsewhere.
/// assert!(!losses.fits(1, [0, 1]) && losses.fits(0, [0, 1]) && losses.fits(1, [1]));
/// [0, 2].into_iter().for_each(|place| losses.add(place));
/// assert!(losses.are_deadly(3));
/// // Twice as many are too many wherever they were.
/// let mut losses = Losses::default();
/// (0..6).for_each(|time| losses.add(time % 2));
/// assert!(losses.are_deadly(3));
/// ```
#[derive(Clone, Debug, Default)]
pub struct Losses(Vec<usize>);

impl Losses {
    /// One more was lost, at that place.
    pub fn add(&mut self, place: usize) {
        self.0.push(place);
    }

    /// Whether there were none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// As if none had been.
    pub fn clear(&mut self) {
        self.0.clear();
    }

    /// Whether it is not the workers', of whom there are so many.
    #[must_use]
    pub fn are_deadly(&self, workers: usize) -> bool {
        let mut distinct = self.0.clone();
        distinct.sort_unstable();
        distinct.dedup();
        let lost = self.0.len();
        // Some of those that there are may never come back.
        lost >= 2 * DEADLY || lost >= DEADLY && distinct.len() >= DEADLY.min(workers)
    }

    /// Whether it may be tried at a place where `all` of these could have it: not where somebody was lost with it
    /// already, unless that is so everywhere.
    #[must_use]
    pub fn fits(&self, place: usize, all: impl IntoIterator<Item = usize>) -> bool {
        !self.0.contains(&place) || all.into_iter().all(|place| self.0.contains(&place))
    }
}
