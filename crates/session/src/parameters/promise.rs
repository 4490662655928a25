//! What a parameter set promises, and against what, in words.

use std::fmt;

/// Bits of security that a key has at least. `docs/parameters.md` says how they are computed.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SecurityPromise {
    /// log2 of the cost of the cheapest known attack.
    pub bits: f64,
    /// The attacks that decide.
    pub attacks: &'static str,
}

impl SecurityPromise {
    /// What a set of TFHE promises.
    #[must_use]
    pub fn of_tfhe(parameters: &tfhe::Parameters) -> Self {
        Self {
            bits: parameters.promise().security_bits,
            attacks: "the cheapest attack is dual hybrid",
        }
    }

    /// What parameters of BGV promise.
    #[must_use]
    pub fn of_bgv(parameters: &bgv::Parameters) -> Self {
        Self {
            bits: parameters.security().bits().into(),
            attacks: "against primal and dual hybrid attacks",
        }
    }
}

impl fmt::Display for SecurityPromise {
    /// ```
    /// use blindcore_session::parameters::SecurityPromise;
    ///
    /// let promise = SecurityPromise::of_tfhe(&tfhe::P16).to_string();
    /// assert!(promise.starts_with("at least 128 bits of security"));
    /// ```
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.bits < 1.0 {
            return f.write_str("no security");
        }
        let (bits, attacks) = (self.bits.floor(), self.attacks);
        write!(
            f,
            "at least {bits:.0} bits of security ({attacks}, cost model MATZOV)"
        )
    }
}
