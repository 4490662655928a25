//! What a unit costs, as numbers of gates.

/// What a unit costs on targets that have gates of two inputs and selections only.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Formula {
    /// ANDs and ORs.
    pub ands: usize,
    /// XORs.
    pub xors: usize,
    /// Selections.
    pub muxes: usize,
    /// Gates on the longest path, whatever they are.
    pub depth: usize,
}

impl Formula {
    /// All gates, a selection counted as one.
    #[must_use]
    pub const fn gates(&self) -> usize {
        self.ands + self.xors + self.muxes
    }
}
