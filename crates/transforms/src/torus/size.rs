//! The degree of the ring `Z[X]/(X^N + 1)`, validated once.

use crate::torus::TransformError;

/// Number of coefficients `N` of a polynomial modulo `X^N + 1`: a power of two from 32 to 65,536.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolynomialSize(u32);

impl PolynomialSize {
    /// Accepts a power of two from 32 to 65,536.
    pub const fn new(coefficients: usize) -> Result<Self, TransformError> {
        if coefficients.is_power_of_two() && coefficients >= 32 && coefficients <= 65_536 {
            Ok(Self(coefficients as u32))
        } else {
            Err(TransformError::UnsupportedSize { coefficients })
        }
    }

    /// Number of coefficients, `N`.
    pub const fn coefficients(self) -> usize {
        self.0 as usize
    }

    /// Number of complex points of a spectrum, `N / 2`.
    pub const fn points(self) -> usize {
        self.coefficients() / 2
    }

    /// Order `2N` of the roots of unity: exponents of monomials live modulo this.
    pub const fn root_order(self) -> usize {
        self.coefficients() * 2
    }
}
