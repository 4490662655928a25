//! Which parameters a file belongs to.

use std::fmt;

use tfhe::{KeyId, SETS};

use crate::WireError;

/// The parameter sets of one scheme, as files name them.
pub trait ParameterSet: Clone + PartialEq {
    /// The fingerprint, equal exactly when every parameter is.
    fn fingerprint(&self) -> Fingerprint;

    /// The set that has this fingerprint, among those this release knows.
    ///
    /// # Errors
    /// [`WireError::UnknownParameters`].
    fn find(fingerprint: &Fingerprint) -> Result<Self, WireError>;

    /// Its name.
    fn name(&self) -> &str;
}

impl ParameterSet for tfhe::Parameters {
    fn fingerprint(&self) -> Fingerprint {
        Fingerprint(blake3::hash(&self.canonical_bytes()).into())
    }

    fn find(fingerprint: &Fingerprint) -> Result<Self, WireError> {
        known(SETS, fingerprint)
    }

    fn name(&self) -> &str {
        self.name()
    }
}

/// The set of a list that has this fingerprint.
pub(crate) fn known<P: ParameterSet>(
    sets: impl IntoIterator<Item = P>,
    fingerprint: &Fingerprint,
) -> Result<P, WireError> {
    sets.into_iter()
        .find(|set| set.fingerprint() == *fingerprint)
        .ok_or(WireError::UnknownParameters {
            fingerprint: *fingerprint,
        })
}

/// Fingerprint of a parameter set: BLAKE3 of all its parameters in a fixed form, for TFHE
/// [`tfhe::Parameters::canonical_bytes`].
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Fingerprint(pub [u8; 32]);

impl Fingerprint {
    /// The fingerprint of a set.
    pub fn of(parameters: &impl ParameterSet) -> Fingerprint {
        parameters.fingerprint()
    }

    /// The set of TFHE that has this fingerprint, among those this release knows.
    ///
    /// # Errors
    /// [`WireError::UnknownParameters`].
    pub fn parameters(&self) -> Result<tfhe::Parameters, WireError> {
        ParameterSet::find(self)
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
pub fn match_keys<P: ParameterSet>(
    found: (&P, KeyId),
    expected: (&P, KeyId),
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
