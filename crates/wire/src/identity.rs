//! Which parameters a file belongs to.

use std::fmt;

use tfhe::{KeyId, Parameters, SETS};

use crate::WireError;

/// Fingerprint of a parameter set: BLAKE3 of [`Parameters::canonical_bytes`], so that it is equal
/// exactly when every parameter is.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a set.
    pub fn of(parameters: &Parameters) -> Fingerprint {
        Fingerprint(blake3::hash(&parameters.canonical_bytes()).into())
    }

    /// The set that has this fingerprint, among those this release knows.
    ///
    /// # Errors
    /// [`WireError::UnknownParameters`].
    pub fn parameters(&self) -> Result<Parameters, WireError> {
        SETS.into_iter()
            .find(|set| Fingerprint::of(set) == *self)
            .ok_or(WireError::UnknownParameters { fingerprint: *self })
    }
}

impl fmt::Display for Fingerprint {
    /// The first eight bytes: enough to tell sets apart by eye.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0[..8]
            .iter()
            .try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

impl fmt::Debug for Fingerprint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Refuses to use things of two key pairs together.
///
/// # Errors
/// [`WireError::OtherParameters`], then [`WireError::OtherKey`].
pub fn match_keys(
    found: (&Parameters, KeyId),
    expected: (&Parameters, KeyId),
) -> Result<(), WireError> {
    if found.0 != expected.0 {
        return Err(WireError::OtherParameters {
            found: found.0.name().to_owned(),
            expected: expected.0.name().to_owned(),
        });
    }
    if found.1 != expected.1 {
        return Err(WireError::OtherKey {
            found: found.1,
            expected: expected.1,
        });
    }
    Ok(())
}
