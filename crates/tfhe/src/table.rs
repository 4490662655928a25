//! Truth tables of a lookup, and the vectors that extract them.
//!
//! Multi-value bootstrapping (Carpov, Izabachène, Mollimard 2018, eprint
//! 2018/622, §3): the test polynomial of a function f of t in 0..16 factors as
//! v_f·T with one polynomial T = Δ/2·ΣX^i for all functions, and a v_f that is
//! zero but at the window edges X^(e·N/16), where it holds the step of f:
//! v\[e\] = f(e) − f(e−1), and v\[0\] = f(0) + f(15) because the ring is
//! negacyclic. T is rotated once; each function then costs one addition of an
//! extracted ciphertext per non-zero step, and multiplies the rotation's
//! variance by ‖v_f‖².
//!
//! The ring's own turn of the sign is a function, too: v_g·T for g = f − 1/2 is
//! g(t) in the first sixteen windows and −g(t) in the other sixteen, so that 1/2
//! more is f(t) and then f(t + 16) = 1 − f(t). Only v\[0\] differs: it is
//! f(0) + f(15) − 1. For such *negacyclic* functions sums may go up to 31.

use crate::parameters::LOOKUP_VALUES;

/// A function from 0..16 to a bit: bit t of the mask is f(t).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct TruthTable(pub u16);

impl TruthTable {
    /// The table of a function.
    ///
    /// ```
    /// use blindcore_tfhe::TruthTable;
    /// assert_eq!(TruthTable::of(|t| t & 1 == 1), TruthTable(0xaaaa));
    /// assert!(TruthTable(0xaaaa).at(3));
    /// ```
    #[must_use]
    pub fn of(f: impl Fn(u32) -> bool) -> Self {
        Self((0..LOOKUP_VALUES as u32).fold(0, |mask, t| mask | u16::from(f(t)) << t))
    }

    /// f(`t`), for `t` below 16.
    #[must_use]
    pub fn at(self, t: u32) -> bool {
        self.0 >> (t % LOOKUP_VALUES as u32) & 1 == 1
    }

    /// The steps of f, or of f − 1/2 where f goes on as f(t + 16) = 1 − f(t).
    #[must_use]
    pub(crate) fn vector(self, range: Range) -> TableVector {
        let f = |t: usize| (self.0 >> t & 1) as i8;
        let mut steps = [0; LOOKUP_VALUES];
        steps[0] = f(0) + f(LOOKUP_VALUES - 1) - i8::from(range == Range::Whole);
        for (edge, step) in steps.iter_mut().enumerate().skip(1) {
            *step = f(edge) - f(edge - 1);
        }
        TableVector(steps)
    }
}

/// How far a lookup's sum goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Range {
    /// To 15, over half of the torus: any functions.
    Half,
    /// To 31, over the whole torus: functions of which f(t + 16) = ¬f(t), as the ring has it. A
    /// table holds the values up to 15.
    Whole,
}

/// The coefficients of v_f at the sixteen window edges: each in -1..=1, but the
/// first may be 2.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct TableVector([i8; LOOKUP_VALUES]);

impl TableVector {
    /// The coefficient at each edge.
    #[must_use]
    pub(crate) fn steps(&self) -> &[i8; LOOKUP_VALUES] {
        &self.0
    }

    /// ‖v‖²: by what the output's variance exceeds the rotation's.
    #[cfg(test)]
    #[must_use]
    pub(crate) fn norm_squared(&self) -> u32 {
        self.0
            .iter()
            .map(|&step| i32::from(step).pow(2) as u32)
            .sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The definition, for all 65,536 functions: v·ΣX^i = 2f at every window.
    #[test]
    fn every_vector_rebuilds_its_table() {
        for mask in 0..=u16::MAX {
            let table = TruthTable(mask);
            for range in [Range::Half, Range::Whole] {
                let steps = *table.vector(range).steps();
                for t in 0..16 {
                    let sign = |e: usize| if e <= t { 1 } else { -1 };
                    let sum: i32 = (0..16).map(|e| sign(e) * i32::from(steps[e])).sum();
                    let half = i32::from(range == Range::Whole);
                    assert_eq!(sum + half, 2 * i32::from(table.at(t as u32)));
                }
            }
        }
    }

    #[test]
    fn norms_of_the_bits_of_t() {
        let norm = |bit: u32| {
            TruthTable::of(|t| t >> bit & 1 == 1)
                .vector(Range::Half)
                .norm_squared()
        };
        assert_eq!([0, 1, 2, 3].map(norm), [16, 8, 4, 2]);
        assert_eq!(TruthTable(0xffff).vector(Range::Half).norm_squared(), 4);
        assert_eq!(TruthTable(0).vector(Range::Half).norm_squared(), 0);
        // The carry of a sum that goes up to 31, and its bits 1 to 3 each XOR bit 4.
        let whole = |mask| TruthTable(mask).vector(Range::Whole).norm_squared();
        assert_eq!([0, 0xcccc, 0xf0f0, 0xff00].map(whole), [1, 7, 3, 1]);
    }
}
