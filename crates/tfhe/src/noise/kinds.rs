//! The kinds of lookup that circuits are made of, and how often each fails.
//!
//! A lookup's noise is that of the sum that goes in, so a kind says what that sum is made of when
//! the operands come from lookups of the same kind, as they do in the middle of a long computation:
//! which functions of which rotations, with which weights. Inputs fresh from their owner have less.

use super::{HALF_WINDOW, NoiseBudget, log2_two_sided};
use crate::table::{Range, TruthTable};

/// Half of the window of a parity lookup: a bit held at scale 1/2 leaves 1/4 to either side.
pub const HALF_WINDOW_OF_PARITY: f64 = 1.0 / 4.0;

/// What `count` rotations of one form give to a sum: each the same outputs, with the same weights.
/// Outputs of one rotation share its noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Source {
    /// How many such rotations.
    pub count: u32,
    /// The functions taken from each, and their weights in the sum.
    pub outputs: &'static [(TruthTable, i8)],
}

/// A kind of lookup.
///
/// ```
/// use blindcore_tfhe::noise::{HALF_WINDOW_OF_PARITY, KINDS, Kind, NoiseBudget, Source};
/// use blindcore_tfhe::{P16, TruthTable};
///
/// let budget = NoiseBudget::new(&P16);
/// // Two outputs of other ANDs: each steps up once and down once, so that ‖v‖² is 2.
/// let and = Kind::named("and").unwrap();
/// assert_eq!(and.sources, [Source { count: 2, outputs: &[(TruthTable(0b100), 1)] }]);
/// assert!(and.factor(&budget) <= 2.0 * 2.0);
/// assert_eq!(and.variance(&budget), budget.lookup(and.factor(&budget)));
/// // All that are listed are safe; parities have a window of their own.
/// assert!(KINDS.iter().all(|kind| kind.log2_failure(&budget) <= -100.0));
/// assert!(KINDS.iter().any(|kind| kind.half_window == HALF_WINDOW_OF_PARITY));
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Kind {
    /// A short name.
    pub name: &'static str,
    /// What it computes, from what.
    pub description: &'static str,
    /// What its sum is made of.
    pub sources: &'static [Source],
    /// Half of the window in which the sum has to stay: [`HALF_WINDOW`], or
    /// [`HALF_WINDOW_OF_PARITY`] where the weights hold bits at scale 1/2.
    pub half_window: f64,
}

impl Source {
    /// ‖Σ_j w_j·v_j‖² of one rotation.
    #[must_use]
    fn norm_squared(&self) -> f64 {
        let mut sum = [0_i32; 16];
        for (table, weight) in self.outputs {
            for (sum, step) in sum.iter_mut().zip(table.vector(Range::Half).steps()) {
                *sum += i32::from(*weight) * i32::from(*step);
            }
        }
        f64::from(sum.iter().map(|x| x * x).sum::<i32>())
    }

    /// Mean of (Σ_j w_j·f_j)² over the sixteen values of a rotation.
    #[must_use]
    fn mean_square(&self) -> f64 {
        let value = |t| {
            let on = self.outputs.iter().filter(|(table, _)| table.at(t));
            on.map(|(_, weight)| i32::from(*weight)).sum::<i32>()
        };
        f64::from((0..16).map(|t| value(t).pow(2)).sum::<i32>()) / 16.0
    }
}

impl Kind {
    /// The kind of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        KINDS.into_iter().find(|kind| kind.name == name)
    }

    /// The variance of the sum that goes in, in units of a rotation's.
    #[must_use]
    pub fn factor(&self, budget: &NoiseBudget) -> f64 {
        let one = |source: &Source| {
            f64::from(source.count) * budget.output(source.norm_squared(), source.mean_square())
        };
        self.sources.iter().map(one).sum::<f64>() / budget.rotation
    }

    /// The variance of what is rounded in the end.
    #[must_use]
    pub fn variance(&self, budget: &NoiseBudget) -> f64 {
        budget.lookup(self.factor(budget))
    }

    /// log2 of the probability that one such lookup goes wrong.
    ///
    /// ```
    /// use blindcore_tfhe::{P16, noise::{Kind, NoiseBudget}};
    /// let budget = NoiseBudget::new(&P16);
    /// let and = Kind::named("and").unwrap();
    /// assert!(and.log2_failure(&budget) < -100.0);
    /// ```
    #[must_use]
    pub fn log2_failure(&self, budget: &NoiseBudget) -> f64 {
        log2_two_sided(self.half_window, self.variance(budget))
    }
}

/// The bits of t: the outputs of a slice of an addition, or of a compressor.
const BIT: [TruthTable; 4] = [
    TruthTable(0xaaaa),
    TruthTable(0xcccc),
    TruthTable(0xf0f0),
    TruthTable(0xff00),
];

/// Every kind that figures are given for. The worst that a set allows is
/// [`NoiseBudget::largest_factor`].
pub const KINDS: [Kind; 8] = [
    Kind {
        name: "and",
        description: "a AND b, of two ANDs",
        sources: &[Source {
            count: 2,
            outputs: &[(TruthTable(0b100), 1)],
        }],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "two-xors",
        description: "two independent XORs in one lookup, of four of their like",
        // t = (a + b) + 3(c + d): the noisier of the two is t = 1, 4, 7.
        sources: &[
            Source {
                count: 2,
                outputs: &[(TruthTable(0b1001_0010), 1)],
            },
            Source {
                count: 2,
                outputs: &[(TruthTable(0b1001_0010), 3)],
            },
        ],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "mux",
        description: "s ? a : b, of three multiplexers",
        sources: &[
            Source {
                count: 1,
                outputs: &[(TruthTable(0b1100_1010), 1)],
            },
            Source {
                count: 1,
                outputs: &[(TruthTable(0b1100_1010), 2)],
            },
            Source {
                count: 1,
                outputs: &[(TruthTable(0b1100_1010), 4)],
            },
        ],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "full-adder",
        description: "both bits of a + b + c, of two sums and a carry",
        sources: &[
            Source {
                count: 2,
                outputs: &[(TruthTable(0b1010), 1)],
            },
            Source {
                count: 1,
                outputs: &[(TruthTable(0b1100), 1)],
            },
        ],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "slice",
        description: "three columns of an addition, of two such sums and a carry",
        sources: &[
            Source {
                count: 2,
                outputs: &[(BIT[0], 1), (BIT[1], 2), (BIT[2], 4)],
            },
            Source {
                count: 1,
                outputs: &[(BIT[3], 1)],
            },
        ],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "slice-shifted",
        description: "the same, both sums shifted by one bit against their slices",
        sources: &[
            Source {
                count: 2,
                outputs: &[(BIT[1], 1), (BIT[2], 2)],
            },
            Source {
                count: 2,
                outputs: &[(BIT[0], 4)],
            },
            Source {
                count: 1,
                outputs: &[(BIT[3], 1)],
            },
        ],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "compressor",
        description: "the four bits of how many of 15 are set, of 15 lowest such bits",
        sources: &[Source {
            count: 15,
            outputs: &[(BIT[0], 1)],
        }],
        half_window: HALF_WINDOW,
    },
    Kind {
        name: "parity",
        description: "the parity of 32 bits held at scale 1/2, of 32 XORs",
        sources: &[Source {
            count: 32,
            outputs: &[(TruthTable(0b10), 16)],
        }],
        half_window: HALF_WINDOW_OF_PARITY,
    },
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parameters::{P16, P16_UNIFORM};

    #[test]
    fn factors_where_nothing_is_common() {
        let mut budget = NoiseBudget::new(&P16);
        budget.common = 0.0;
        for (name, factor) in [
            ("and", 4.0),
            ("two-xors", 2.0 * 6.0 * (1.0 + 9.0)),
            ("mux", 6.0 * 21.0),
            ("full-adder", 2.0 * 4.0 + 2.0),
            ("slice", 226.0),
            ("slice-shifted", 562.0),
            ("compressor", 240.0),
            ("parity", 32.0 * 256.0 * 2.0),
        ] {
            let found = Kind::named(name).unwrap().factor(&budget);
            assert!((found / factor - 1.0).abs() < 1e-12, "{name}: {found}");
        }
    }

    /// No lookup that the default circuits are made of breaks the sets' promise.
    #[test]
    fn every_kind_keeps_the_promise() {
        for set in [P16, P16_UNIFORM] {
            let budget = NoiseBudget::new(&set);
            for kind in KINDS {
                let failure = kind.log2_failure(&budget);
                assert!(
                    failure <= set.promise().log2_failure,
                    "{}: {failure}",
                    kind.name
                );
            }
        }
    }
}
