//! One type per dimension, base and level.

/// Number of mask elements of an LWE ciphertext: n or kN.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LweDimension(pub(crate) u32);

/// Number of mask polynomials of a GLWE ciphertext, k.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct GlweDimension(pub(crate) u32);

/// Number of coefficients of a ring polynomial, N, a power of two.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct PolynomialSize(pub(crate) u32);

/// log2 of a gadget's base, b: digits lie in [-2^(b-1), 2^(b-1)].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct BaseLog(pub(crate) u32);

/// Number of digits of a gadget decomposition, l.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LevelCount(pub(crate) u32);

/// A gadget: digit j (counted from 1) weighs 2^(64 - b·j).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decomposition {
    /// The base.
    pub base_log: BaseLog,
    /// The number of digits.
    pub levels: LevelCount,
}

macro_rules! count {
    ($($name:ident),*) => {$(
        impl $name {
            /// The number itself.
            #[must_use]
            pub fn get(self) -> usize {
                self.0 as usize
            }
        }
    )*};
}

count!(
    LweDimension,
    GlweDimension,
    PolynomialSize,
    BaseLog,
    LevelCount
);

impl Decomposition {
    /// `levels` digits of `base_log` bits.
    pub(crate) fn of(base_log: u32, levels: u32) -> Self {
        Self {
            base_log: BaseLog(base_log),
            levels: LevelCount(levels),
        }
    }

    /// The weight of digit `level` (0 is the most significant), in units of 2^-64.
    #[cfg(any(test, feature = "secret"))]
    pub(crate) fn weight(self, level: usize) -> u64 {
        1 << (64 - self.base_log.get() * (level + 1))
    }
}
