//! How a product is computed: the algorithms by name, and what a caller may choose.

use std::fmt;
use std::num::NonZeroUsize;

/// An algorithm for products.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[non_exhaustive]
pub enum Route {
    /// The fastest for the size, by thresholds that were measured.
    #[default]
    Automatic,
    /// Row by row.
    Schoolbook,
    /// Column by column of digits of 52 bits, for operands of up to 256 limbs; above, Karatsuba's
    /// products of halves, down to these.
    Columns,
    /// Karatsuba's three products of halves, down to schoolbook.
    Karatsuba,
    /// Toom's five products of thirds, down to Karatsuba.
    Toom,
    /// Certified floating-point transforms of digits, with exact ones where the certificate does
    /// not hold.
    Float,
    /// Transforms of limbs modulo three primes.
    Exact,
}

impl Route {
    /// Every route.
    pub const ALL: &'static [Self] = &[
        Self::Automatic,
        Self::Schoolbook,
        Self::Columns,
        Self::Karatsuba,
        Self::Toom,
        Self::Float,
        Self::Exact,
    ];

    /// The name by which it is chosen.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Automatic => "automatic",
            Self::Schoolbook => "schoolbook",
            Self::Columns => "columns",
            Self::Karatsuba => "karatsuba",
            Self::Toom => "toom",
            Self::Float => "float",
            Self::Exact => "exact",
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// What a [`Multiplier`](crate::Multiplier) or a [`Modulus`](crate::Modulus) may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// The algorithm.
    pub route: Route,
    /// Threads for one product; transforms of large operands use up to two.
    pub threads: NonZeroUsize,
    /// How many products a sum of products may have. More need smaller digits, hence longer
    /// transforms.
    pub sums: usize,
}

impl Default for Options {
    /// The fastest route, one thread, no sums.
    fn default() -> Self {
        Self {
            route: Route::Automatic,
            threads: NonZeroUsize::MIN,
            sums: 1,
        }
    }
}
