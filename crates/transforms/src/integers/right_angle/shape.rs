//! The shape of a transform: how many points, in which passes.
//!
//! `N = odd·2^k` points, `odd` one of 1, 3, 5, 7. From the top: stages of passes on columns (a
//! stage is done for one column of vectors at a time, in a buffer that stays in the first-level
//! cache), then rows that fit that cache: one or two passes on whole vectors, and the group pass on
//! `W²` points, `W` lanes.

/// One pass: every block is split into this many.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Radix {
    /// 3, 5 or 7; only as the first pass.
    Odd(usize),
    /// Two to this power: 1, 2 or 3.
    Power(u32),
}

impl Radix {
    pub(super) fn parts(self) -> usize {
        match self {
            Self::Odd(parts) => parts,
            Self::Power(levels) => 1 << levels,
        }
    }
}

/// Rows of a column at most: 32 KiB of the first-level cache with eight lanes.
pub(super) const COLUMN_ROWS: usize = 256;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Shape {
    pub(super) points: usize,
    /// Passes of each stage on columns, outermost first.
    pub(super) stages: Vec<Vec<Radix>>,
    /// Passes within a row, before its groups.
    pub(super) row: Vec<Radix>,
    /// Points of a row.
    pub(super) row_points: usize,
}

impl Shape {
    /// The passes for `odd·2^levels` points, which must hold a group of `lanes²`.
    pub(super) fn new(odd: usize, levels: u32, lanes: usize) -> Self {
        let group = lanes * lanes;
        let levels = levels - group.trailing_zeros();
        // Rows of 512 points: 8 KiB.
        let row_levels = levels.min(9 - group.trailing_zeros());
        let row = Self::passes(row_levels);
        let row_points = group << row_levels;

        let mut passes = Vec::new();
        if odd > 1 {
            passes.push(Radix::Odd(odd));
        }
        passes.extend(Self::passes(levels - row_levels));
        let mut stages: Vec<Vec<Radix>> = Vec::new();
        let mut rows = COLUMN_ROWS;
        for pass in passes {
            rows *= pass.parts();
            match stages.last_mut() {
                Some(stage) if rows <= COLUMN_ROWS => stage.push(pass),
                _ => {
                    rows = pass.parts();
                    stages.push(vec![pass]);
                }
            }
        }
        Self {
            points: odd << (levels + group.trailing_zeros()),
            stages,
            row,
            row_points,
        }
    }

    /// Radix-8 passes, after one that takes what is left over.
    fn passes(levels: u32) -> Vec<Radix> {
        let mut passes = Vec::new();
        if !levels.is_multiple_of(3) {
            passes.push(Radix::Power(levels % 3));
        }
        passes.extend((0..levels / 3).map(|_| Radix::Power(3)));
        passes
    }

    /// All passes on whole vectors, first pass first.
    pub(super) fn passes_on_vectors(&self) -> impl Iterator<Item = Radix> + '_ {
        self.stages.iter().flatten().chain(&self.row).copied()
    }
}
