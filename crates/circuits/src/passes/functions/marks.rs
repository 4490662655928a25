//! Small sets of numbers, one after the other.

/// A set of numbers below a bound. Emptying it takes no time, however many it had.
pub(super) struct Marks {
    round: u32,
    rounds: Vec<u32>,
}

impl Marks {
    /// Empty, for numbers below `bound`.
    pub(super) fn new(bound: usize) -> Self {
        Self {
            round: 1,
            rounds: vec![0; bound],
        }
    }

    pub(super) fn clear(&mut self) {
        self.round = self.round.checked_add(1).unwrap_or_else(|| {
            self.rounds.fill(0);
            1
        });
    }

    /// Whether it was not there.
    pub(super) fn insert(&mut self, number: usize) -> bool {
        std::mem::replace(&mut self.rounds[number], self.round) != self.round
    }

    pub(super) fn contains(&self, number: usize) -> bool {
        self.rounds[number] == self.round
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_is_left_of_a_set_before() {
        let mut marks = Marks::new(3);
        for _ in 0..2 {
            assert!(marks.insert(1) && !marks.insert(1));
            assert_eq!([0, 1, 2].map(|at| marks.contains(at)), [false, true, false]);
            marks.clear();
            // The rounds that a counter of 32 bits holds are over.
            marks.round = u32::MAX;
            assert!(marks.insert(2));
            marks.clear();
            assert!(!marks.contains(2));
        }
    }
}
