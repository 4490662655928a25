//! Parameter sets in headers.
//!
//! | bytes of the fingerprint | field |
//! |---|---|
//! | 0–3 | index m |
//! | 4, 5 | bits of big and of small primes |
//! | 6–7 | the top level |
//! | 8, 9 | special primes: how many, bits of each |
//! | 10 | primes of a digit |
//! | 11 | security: 0 none, 1 of 80 bits, 2 of 128 bits |
//! | 12–31 | the first 20 bytes of BLAKE3 of `bgv` and the bytes before |
//!
//! So equal fingerprints are equal sets, a set is found from its fingerprint, and an accident is
//! noticed.

use bgv::{Level, ParameterLiteral, Parameters, Security};

use crate::{Fingerprint, ParameterSet, WireError};

/// Bytes that spell the set out.
const SPELLED: usize = 12;
/// By their codes.
const SECURITIES: [Security; 3] = [Security::Toy, Security::Weak80, Security::Bits128];

/// A parameter set of BGV with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Set {
    parameters: Parameters,
    name: String,
}

impl Set {
    /// Of these parameters.
    #[must_use]
    pub fn new(parameters: Parameters) -> Self {
        let name = parameters.name();
        Self { parameters, name }
    }

    /// The parameters.
    #[must_use]
    pub fn parameters(&self) -> &Parameters {
        &self.parameters
    }
}

/// The bytes that spell a set out, if its numbers fit.
fn spelled(literal: &ParameterLiteral) -> [u8; SPELLED] {
    let security = SECURITIES.iter().position(|&one| one == literal.security);
    let mut bytes = [0; SPELLED];
    bytes[..4].copy_from_slice(&literal.index.to_le_bytes());
    bytes[6..8].copy_from_slice(&literal.top.number().to_le_bytes());
    // Valid sets have primes of at most 50 bits and at most 16 of what is counted.
    for (at, value) in [
        (4, literal.big_bits),
        (5, literal.small_bits),
        (8, literal.specials),
        (9, literal.special_bits),
        (10, literal.digit),
        (11, security.map_or(u32::MAX, |code| code as u32)),
    ] {
        bytes[at] = u8::try_from(value).unwrap_or(u8::MAX);
    }
    bytes
}

fn sealed(spelled: [u8; SPELLED]) -> Fingerprint {
    let mut hasher = blake3::Hasher::new();
    hasher.update(b"bgv").update(&spelled);
    let mut bytes = [0; 32];
    bytes[..SPELLED].copy_from_slice(&spelled);
    bytes[SPELLED..].copy_from_slice(&hasher.finalize().as_bytes()[..32 - SPELLED]);
    Fingerprint(bytes)
}

impl ParameterSet for Set {
    fn fingerprint(&self) -> Fingerprint {
        sealed(spelled(&self.parameters.literal()))
    }

    fn find(fingerprint: &Fingerprint) -> Result<Self, WireError> {
        let unknown = WireError::UnknownParameters {
            fingerprint: *fingerprint,
        };
        let bytes = &fingerprint.0;
        let spelled: [u8; SPELLED] = std::array::from_fn(|at| bytes[at]);
        let security = SECURITIES.get(usize::from(bytes[11]));
        let (true, Some(&security)) = (sealed(spelled) == *fingerprint, security) else {
            return Err(unknown);
        };
        let literal = ParameterLiteral {
            index: u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]),
            big_bits: bytes[4].into(),
            small_bits: bytes[5].into(),
            top: Level::from_number(u16::from_le_bytes([bytes[6], bytes[7]])),
            specials: bytes[8].into(),
            special_bits: bytes[9].into(),
            digit: bytes[10].into(),
            security,
        };
        let parameters = Parameters::new(literal).map_err(|_| unknown)?;
        Ok(Self::new(parameters))
    }

    fn name(&self) -> &str {
        &self.name
    }
}
