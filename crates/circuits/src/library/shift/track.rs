//! A track of wires that are shifted to higher places, and what stands below its lowest.

use crate::Wire;

/// What stands below place 0.
#[derive(Clone, Copy)]
pub(super) enum Ends {
    /// This bit, again and again.
    Fill(Wire),
    /// The top of the track: a rotation.
    Joined,
}

/// Places from the lowest on.
#[derive(Clone)]
pub(super) struct Track {
    pub(super) places: Vec<Wire>,
    /// Places that belong to the word; a carry may follow them.
    pub(super) word: usize,
    pub(super) ends: Ends,
}

impl Track {
    /// How far `2^at` places move: to the end at most, and round where the ends are joined.
    pub(super) fn step(&self, at: usize) -> usize {
        let length = self.places.len();
        match self.ends {
            Ends::Joined => (0..at).fold(1 % length.max(1), |power, _| power * 2 % length.max(1)),
            Ends::Fill(_) => {
                let step = u32::try_from(at).ok().and_then(|at| 1usize.checked_shl(at));
                step.unwrap_or(length).min(length)
            }
        }
    }

    /// What the places hold once all have moved.
    pub(super) fn moved(&self, by: usize) -> Vec<Wire> {
        let length = self.places.len();
        let from = |at: usize| match (self.ends, at.checked_sub(by)) {
            (_, Some(from)) => self.places[from],
            (Ends::Fill(fill), None) => fill,
            (Ends::Joined, None) => self.places[(at + length - by % length) % length],
        };
        (0..length).map(from).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_and_moves() {
        let [a, b, c] = [2, 4, 6].map(|number| Wire::from(crate::ir::Signal(number)));
        let track = |ends| Track {
            places: vec![a, b, c],
            word: 3,
            ends,
        };
        let (joined, filled) = (track(Ends::Joined), track(Ends::Fill(Wire::TRUE)));
        assert_eq!([0, 1, 2, 3].map(|at| joined.step(at)), [1, 2, 1, 2]);
        assert_eq!([0, 1, 2, 200].map(|at| filled.step(at)), [1, 2, 3, 3]);
        assert_eq!(joined.moved(1), [c, a, b]);
        assert_eq!(joined.moved(5), [b, c, a]);
        assert_eq!(filled.moved(2), [Wire::TRUE, Wire::TRUE, a]);
        assert_eq!(filled.moved(9), [Wire::TRUE; 3]);
    }
}
