//! Numbers for signals: an array of a megabyte has millions.

/// Numbers from 0 on, in the order in which keys are first asked for. Keys are small: it takes four bytes
/// for each up to the largest.
#[derive(Default)]
pub(crate) struct Numbering {
    /// By key: 1 + its number, 0 for none.
    of: Vec<u32>,
    count: u32,
}

impl Numbering {
    /// The number of a key, the next one for a new key.
    pub(crate) fn number(&mut self, key: usize) -> usize {
        if self.of.len() <= key {
            self.of.resize(key + 1, 0);
        }
        let number = &mut self.of[key];
        if *number == 0 {
            self.count += 1;
            *number = self.count;
        }
        *number as usize - 1
    }

    /// The number of a key that has one.
    pub(crate) fn get(&self, key: usize) -> Option<usize> {
        (*self.of.get(key)? as usize).checked_sub(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_follow_one_another() {
        let mut numbering = Numbering::default();
        let numbers = [7, 3, 7, 0, 3].map(|key| numbering.number(key));
        assert_eq!(numbers, [0, 1, 0, 2, 1]);
        assert_eq!(
            [0, 3, 5, 7, 8].map(|key| numbering.get(key)),
            [Some(2), Some(1), None, Some(0), None]
        );
    }
}
