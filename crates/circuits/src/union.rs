//! Disjoint sets of numbers, which are joined two by two.

/// By number one of its set; the least of a set stands for it, so that it does not matter who asks.
pub(crate) struct Union(Vec<u32>);

impl Union {
    /// The numbers below `count`, each by itself.
    pub(crate) fn new(count: usize) -> Self {
        Self((0..count as u32).collect())
    }

    /// The number that stands for a number's set.
    pub(crate) fn root(&mut self, number: u32) -> u32 {
        let mut root = number;
        while self.0[root as usize] != root {
            self.0[root as usize] = self.0[self.0[root as usize] as usize];
            root = self.0[root as usize];
        }
        root
    }

    /// Makes one set of two numbers' sets, and answers what stands for it.
    pub(crate) fn join(&mut self, one: u32, other: u32) -> u32 {
        let (one, other) = (self.root(one), self.root(other));
        self.0[one.max(other) as usize] = one.min(other);
        one.min(other)
    }
}
