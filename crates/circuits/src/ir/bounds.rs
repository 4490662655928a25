//! The most noise of many bits: that of an array is the same for all its bits, and is kept once.

use super::chosen::Most;

/// By number of a node, or of a signal: the most noise of some.
#[derive(Clone, Debug, Default)]
pub(crate) struct Bounds {
    kinds: Vec<Most>,
    /// By number: 0 for none, else 1 + the number of its kind; nothing beyond the last.
    kind_of: Vec<u32>,
}

impl Bounds {
    pub(crate) fn get(&self, number: usize) -> Option<&Most> {
        let kind = *self.kind_of.get(number)? as usize;
        self.kinds.get(kind.checked_sub(1)?)
    }

    /// Says what the most is; what was said last is found again.
    pub(crate) fn set(&mut self, number: usize, most: Most) {
        if self.kinds.last() != Some(&most) {
            self.kinds.push(most);
        }
        if self.kind_of.len() <= number {
            self.kind_of.resize(number + 1, 0);
        }
        self.kind_of[number] = self.kinds.len() as u32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ir::HalfNoise;

    #[test]
    fn neighbours_share_what_was_said() {
        let most = |carried: f64| {
            Most::of_input(&HalfNoise {
                carried,
                ..HalfNoise::default()
            })
        };
        let mut bounds = Bounds::default();
        for (number, carried) in [(2, 1.0), (3, 1.0), (9, 2.0), (5, 1.0), (3, 2.0)] {
            bounds.set(number, most(carried));
        }
        let carried = |number| bounds.get(number).map(|most| most.carried);
        assert_eq!([2, 3, 5, 9].map(carried), [1.0, 2.0, 1.0, 2.0].map(Some));
        assert_eq!([0, 4, 10].map(carried), [None; 3]);
        assert_eq!(bounds.kinds.len(), 4);
    }
}
