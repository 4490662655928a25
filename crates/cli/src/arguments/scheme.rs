//! Which scheme encrypts and computes.

use clap::ValueEnum;
use gentry_halevi::Parameters;

/// Schemes to choose from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Scheme {
    /// TFHE: what everything is made for
    #[default]
    Tfhe,
    /// BGV: vectors of bits, so that one run serves as many rows of values as there are slots; the
    /// program's depth decides the parameters, and nothing is refreshed
    Bgv,
    /// Gentry and Halevi's of 2011, reproduced to be compared with: it protects nothing
    GentryHalevi,
}

impl From<wire::Scheme> for Scheme {
    fn from(scheme: wire::Scheme) -> Scheme {
        match scheme {
            wire::Scheme::Bgv => Scheme::Bgv,
            wire::Scheme::GentryHalevi => Scheme::GentryHalevi,
            _ => Scheme::Tfhe,
        }
    }
}

/// Dimensions of the Gentry–Halevi scheme.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum Dimension {
    /// Public key of 17 MB; broken in 2015
    #[default]
    #[value(name = "512")]
    N512,
    /// Public key of 69 MB; lattice reduction breaks it
    #[value(name = "2048")]
    N2048,
    /// Public key of 284 MB; lattice reduction breaks it, too
    #[value(name = "8192")]
    N8192,
    /// For tests
    #[value(name = "32", hide = true)]
    N32,
    /// For tests
    #[value(name = "128", hide = true)]
    N128,
}

impl Dimension {
    /// The parameters behind the number.
    pub fn parameters(self) -> Parameters {
        match self {
            Dimension::N512 => Parameters::BROKEN_512,
            Dimension::N2048 => Parameters::BROKEN_2048,
            Dimension::N8192 => Parameters::BROKEN_8192,
            Dimension::N32 => Parameters::TOY_32,
            Dimension::N128 => Parameters::TOY_128,
        }
    }
}
