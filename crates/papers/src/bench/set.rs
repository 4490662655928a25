//! What a report says of a parameter set.

use serde::Serialize;
use tfhe::Parameters;
use tfhe::gate::GateParameters;

use super::super::report::promise;

/// A parameter set and its promise.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Set {
    pub(crate) name: &'static str,
    dimension: usize,
    polynomial_size: usize,
    pub(crate) security_bits: f64,
    log2_failure: f64,
}

impl Set {
    /// One of the gate engine.
    pub(crate) fn gates(parameters: &GateParameters) -> Self {
        Self {
            name: parameters.name(),
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
        }
    }

    /// One of the lookup engine.
    pub(crate) fn lookups(parameters: &Parameters) -> Self {
        Self {
            name: parameters.name(),
            dimension: parameters.lwe_dimension().get(),
            polynomial_size: parameters.polynomial_size().get(),
            security_bits: parameters.promise().security_bits,
            log2_failure: parameters.promise().log2_failure,
        }
    }

    /// The fact that a report lists.
    pub(crate) fn fact(&self, what: &str) -> (String, String) {
        let description = format!(
            "{what}: n = {}, N = {}; {}",
            self.dimension,
            self.polynomial_size,
            promise(self.security_bits, self.log2_failure)
        );
        (self.name.to_owned(), description)
    }

    /// What stands above its figures.
    pub(crate) fn heading(&self) -> String {
        format!("ours, {} ({} bits)", self.name, self.security_bits.floor())
    }
}
