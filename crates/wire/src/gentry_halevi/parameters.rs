//! What files have to know of parameter sets.

use std::ops::RangeInclusive;

use gentry_halevi::Parameters;

use super::server_key::PREAMBLE_BYTES;
use crate::identity::known;
use crate::payload::LENGTH_BYTES;
use crate::{Fingerprint, Header, ParameterSet, WireError};

impl ParameterSet for Parameters {
    fn fingerprint(&self) -> Fingerprint {
        let fields = [
            self.dimension(),
            self.coefficient_bits(),
            self.subset(),
            self.precision(),
            self.set_size(),
            self.log_ratio(),
            self.columns(),
            self.noise(),
        ];
        let mut hasher = blake3::Hasher::new();
        hasher.update(b"gentry-halevi");
        for field in fields {
            hasher.update(&(field as u64).to_le_bytes());
        }
        Fingerprint(hasher.finalize().into())
    }

    fn find(fingerprint: &Fingerprint) -> Result<Self, WireError> {
        known(Parameters::SETS, fingerprint)
    }

    fn name(&self) -> &str {
        Parameters::name(self)
    }
}

/// The most bits that a modulus of the dimension has.
pub(super) fn most_bits(parameters: &Parameters) -> u32 {
    // Far below 2^32: 32,768 coefficients of 1,024 bits.
    parameters.largest_modulus_bits() as u32
}

/// Whether the parameters of a file are known.
pub(crate) fn check_known(header: &Header) -> Result<(), WireError> {
    Parameters::find(&header.fingerprint).map(|_| ())
}

/// Whether a secret key can have the length that is declared.
pub(crate) fn check_secret(header: &Header) -> Result<(), WireError> {
    // A varint of 32 bits has five bytes at most.
    check(header, 3, LENGTH_BYTES as u64 + 1..=LENGTH_BYTES as u64 + 5)
}

/// Whether a public key can have the length that is declared.
pub(crate) fn check_server(header: &Header) -> Result<(), WireError> {
    let count = Parameters::find(&header.fingerprint)?.public_parts();
    check(header, count, PREAMBLE_BYTES as u64..=PREAMBLE_BYTES as u64)
}

/// Whether `count` numbers of some length below the limit, after `before` bytes, have the declared
/// length.
fn check(header: &Header, count: usize, before: RangeInclusive<u64>) -> Result<(), WireError> {
    let parameters = Parameters::find(&header.fingerprint)?;
    let each = 8 * count as u64;
    let most = u64::from(most_bits(&parameters).div_ceil(64));
    let fits = |before: u64| {
        let bulk = header.payload_length.checked_sub(before);
        bulk.is_some_and(|bulk| bulk % each == 0 && (1..=most).contains(&(bulk / each)))
    };
    if before.clone().any(fits) {
        return Ok(());
    }
    Err(WireError::malformed(format!(
        "{} of the set {} has {count} numbers of at most {most} limbs, which the declared {} bytes \
         are not",
        header.kind,
        parameters.name(),
        header.payload_length
    )))
}
