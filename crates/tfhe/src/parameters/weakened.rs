//! Sets weakened on purpose: one kind of lookup goes wrong once in 2^12 times.
//!
//! A promise like 2^-100 cannot be watched. What can be is whether the formulas of
//! [`crate::noise`] name the right probability where it is large enough to count: these sets are
//! small rings with errors so wide that the kind of lookup in their name fails with 2^-12, and
//! otherwise like the real ones: every step contributes, and a fifth to two fifths of a
//! rotation's variance is common to its coefficients (P16: nine twentieths).
//!
//! They give **no security** and no reliability, and are not among [`super::SETS`]: no file can
//! name them.

use super::sets::set;
use super::{ParameterLiteral, Parameters, Promise, SmallKey};

const LITERAL: ParameterLiteral = ParameterLiteral {
    name: "WEAK_BLOCK_AND_PFAIL_2M12",
    promise: Promise {
        security_bits: 0.0,
        log2_failure: -12.0,
    },
    lwe_dimension: 32,
    small_key: SmallKey::Block(4),
    glwe_dimension: 1,
    polynomial_size: 512,
    log2_lwe_deviation: -18.0,
    log2_glwe_deviation: -28.704,
    bootstrap_base_log: 13,
    bootstrap_levels: 1,
    key_switch_base_log: 4,
    key_switch_levels: 5,
    key_switch_polynomial_size: 32,
};

const TWO_XORS: ParameterLiteral = ParameterLiteral {
    name: "WEAK_BLOCK_TWO_XORS_PFAIL_2M12",
    log2_glwe_deviation: -33.802,
    bootstrap_base_log: 16,
    ..LITERAL
};

const SLICE: ParameterLiteral = ParameterLiteral {
    name: "WEAK_BLOCK_SLICE_SHIFTED_PFAIL_2M12",
    log2_glwe_deviation: -35.971,
    bootstrap_base_log: 17,
    ..LITERAL
};

/// The sets, each with the name of the [kind of lookup](crate::noise::Kind) that fails.
///
/// ```
/// use blindcore_tfhe::noise::{Kind, NoiseBudget};
/// use blindcore_tfhe::{SETS, WEAKENED};
///
/// for (set, kind) in &WEAKENED {
///     let failure = Kind::named(kind).unwrap().log2_failure(&NoiseBudget::new(set));
///     assert!((-12.5..-11.5).contains(&failure), "{}: 2^{failure}", set.name());
///     assert!(!SETS.contains(set));
/// }
/// ```
pub const WEAKENED: [(Parameters, &str); 6] = [
    (set(LITERAL), "and"),
    (set(TWO_XORS), "two-xors"),
    (set(SLICE), "slice-shifted"),
    (
        set(ParameterLiteral {
            name: "WEAK_UNIFORM_AND_PFAIL_2M12",
            small_key: SmallKey::Uniform,
            log2_glwe_deviation: -28.493,
            ..LITERAL
        }),
        "and",
    ),
    (
        set(ParameterLiteral {
            name: "WEAK_UNIFORM_TWO_XORS_PFAIL_2M12",
            small_key: SmallKey::Uniform,
            log2_glwe_deviation: -33.381,
            ..TWO_XORS
        }),
        "two-xors",
    ),
    (
        set(ParameterLiteral {
            name: "WEAK_UNIFORM_SLICE_SHIFTED_PFAIL_2M12",
            small_key: SmallKey::Uniform,
            log2_glwe_deviation: -35.573,
            ..SLICE
        }),
        "slice-shifted",
    ),
];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::noise::{Kind, NoiseBudget};

    #[test]
    fn the_names_are_true() {
        for (set, name) in WEAKENED {
            let kind = Kind::named(name).unwrap();
            let failure = kind.log2_failure(&NoiseBudget::new(&set));
            assert!((failure + 12.0).abs() < 0.01, "{}: {failure}", set.name());
            assert_eq!(Parameters::named(set.name()), None);
        }
    }
}
