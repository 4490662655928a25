//! Files of encrypted inputs, of any scheme.
//!
//! | field | bytes |
//! |---|---|
//! | metadata: what the scheme says of its ciphertexts, the variables | |
//! | the ciphertexts, one for each bit, variable after variable | |
//!
//! Those of TFHE:
//!
//! | field | bytes |
//! |---|---|
//! | seed of the masks | 32 |
//! | one body for each bit | 8 each |
//!
//! In format version 2, made with a public key:
//!
//! | field | bytes |
//! |---|---|
//! | the masks, one for each N bits or fewer | 8N each |
//! | one body for each bit | 8 each |
//!
//! In format versions 3 (as 1) and 4 (as 2) a variable of N bits or more begins at a multiple of N, and
//! zeros fill the ciphertexts before it and behind it: they are encrypted as bits are ([`Layout`]).

use random::Seed;
use tfhe::{KeyId, Layout, Masks, PackedInputs, Parameters};
use zeroize::Zeroizing;

use crate::ciphertexts::{Ciphertexts, InputBits, Metadata};
use crate::container::{FORMAT_VERSION, GIVEN_MASKS_VERSION, PADDED_MASKS_VERSION, PADDED_VERSION};
use crate::payload::{PayloadReader, PayloadWriter};
use crate::record::payload::Payload;
use crate::record::{Record, refused};
use crate::variable::{self, Variable, Variables};
use crate::{Header, Kind, ParameterSet, WireError};

/// Encrypted values of some variables; bits of TFHE unless another scheme is named.
#[derive(Clone, Debug, PartialEq)]
pub struct Inputs<C = PackedInputs> {
    variables: Vec<Variable>,
    bits: C,
}

impl<C: InputBits> Inputs<C> {
    /// Names and types for encrypted bits.
    ///
    /// # Errors
    /// [`WireError::Unstorable`] when the variables' bits are not as many as the ciphertexts, or a
    /// name or a type breaks a rule (see [`Variable`]).
    pub fn new(variables: Vec<Variable>, bits: C) -> Result<Self, WireError> {
        let total = variable::check_written(&variables)?;
        let count = bits.count();
        if total != count {
            return Err(WireError::Unstorable {
                reason: format!("{count} ciphertexts for variables of {total} bits"),
            });
        }
        Ok(Inputs { variables, bits })
    }
}

impl<C> Inputs<C> {
    /// The variables, in the order of their bits.
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The encrypted bits.
    pub fn bits(&self) -> &C {
        &self.bits
    }
}

impl<C: InputBits> Record for Inputs<C> {
    const KIND: Kind = C::KIND;
    type Parameters = C::Parameters;

    fn parameters(&self) -> &C::Parameters {
        self.bits.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.bits.key_id()
    }
}

impl<C: InputBits> Payload for Inputs<C> {
    fn version(&self) -> u16 {
        self.bits.version()
    }

    fn write(&self) -> Result<Zeroizing<Vec<u8>>, WireError> {
        let metadata = Metadata {
            shape: self.bits.shape(),
            variables: Variables {
                variables: self.variables.clone(),
            },
        };
        let mut writer = PayloadWriter::new(&metadata, self.bits.bytes())?;
        self.bits.write(&mut writer);
        Ok(writer.finish())
    }

    fn read(header: &Header, payload: &[u8]) -> Result<Self, WireError> {
        C::Parameters::find(&header.fingerprint)?;
        let (metadata, mut reader) = PayloadReader::new::<Metadata<C::Shape>>(payload)?;
        let variables = metadata.variables.variables;
        variable::check_read(&variables)?;
        let sizes = variables.iter().map(|variable| variable.kind.bits());
        let sizes: Vec<usize> = sizes.collect();
        let bits = C::read_of(header, metadata.shape, &sizes, &mut reader)?;
        Ok(Inputs { variables, bits })
    }
}

impl Ciphertexts for PackedInputs {
    type Parameters = Parameters;
    type Shape = ();

    fn parameters(&self) -> &Parameters {
        self.parameters()
    }

    fn key_id(&self) -> KeyId {
        self.key_id()
    }

    fn count(&self) -> usize {
        self.len()
    }

    fn shape(&self) {}

    fn bytes(&self) -> usize {
        let masks = match self.masks() {
            Masks::Seeded(_) => Seed::LENGTH,
            Masks::Given(masks) => 8 * masks.len(),
        };
        masks + 8 * self.bodies().len()
    }

    fn version(&self) -> u16 {
        match (self.masks(), self.layout().has_padding()) {
            (Masks::Seeded(_), false) => FORMAT_VERSION,
            (Masks::Given(_), false) => GIVEN_MASKS_VERSION,
            (Masks::Seeded(_), true) => PADDED_VERSION,
            (Masks::Given(_), true) => PADDED_MASKS_VERSION,
        }
    }

    fn write(&self, writer: &mut PayloadWriter) {
        match self.masks() {
            Masks::Seeded(seed) => writer.bytes(seed.as_bytes()),
            Masks::Given(masks) => writer.words64(masks),
        }
        writer.words64(self.bodies());
    }

    fn read(
        header: &Header,
        (): (),
        count: usize,
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        let parameters = header.fingerprint.parameters()?;
        if [GIVEN_MASKS_VERSION, PADDED_MASKS_VERSION].contains(&header.version) {
            let masks = PackedInputs::mask_elements(&parameters, count);
            let words = masks.and_then(|masks| masks.checked_add(count));
            reader.expect_bulk(words.and_then(|words| words.checked_mul(8)))?;
            let masks = reader.words64(masks.unwrap_or(0))?;
            let bodies = reader.words64(count)?;
            return PackedInputs::with_masks(parameters, header.key, masks, bodies)
                .map_err(refused);
        }
        let bodies = count.checked_mul(8);
        reader.expect_bulk(bodies.and_then(|bytes| bytes.checked_add(Seed::LENGTH)))?;
        let seed = Seed::from_bytes(reader.array()?);
        let bodies = reader.words64(count)?;
        Ok(PackedInputs::from_parts(
            parameters, header.key, seed, bodies,
        ))
    }
}

impl InputBits for PackedInputs {
    const KIND: Kind = Kind::INPUTS;

    fn read_of(
        header: &Header,
        (): (),
        sizes: &[usize],
        reader: &mut PayloadReader<'_>,
    ) -> Result<Self, WireError> {
        if ![PADDED_VERSION, PADDED_MASKS_VERSION].contains(&header.version) {
            return Self::read(header, (), sizes.iter().sum(), reader);
        }
        let parameters = header.fingerprint.parameters()?;
        let layout = Layout::of(&parameters, sizes)
            .filter(Layout::has_padding)
            .ok_or_else(|| {
                WireError::malformed("values that leave no gaps, in a file with gaps")
            })?;
        let packed = Self::read(header, (), layout.coefficients(), reader)?;
        packed.with_layout(layout).map_err(refused)
    }
}
