//! Ciphertexts in the bulk of a message.

use std::sync::Arc;

use tfhe::{KeyId, LweCiphertext, Parameters};

use crate::ClusterError;

/// Of a bit at scale 1/32, and of one at scale 1/2.
const WHOLE: u8 = 0;
const HALF: u8 = 1;

/// What ciphertexts of a run have in common.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Codec {
    pub(crate) parameters: Parameters,
    pub(crate) key: KeyId,
}

impl Codec {
    /// Bytes of one.
    pub(crate) fn length(&self) -> usize {
        1 + size_of::<u64>() * (self.parameters.big_lwe_dimension().get() + 1)
    }

    /// Appends one.
    pub(crate) fn write(bit: &LweCiphertext, bytes: &mut Vec<u8>) {
        bytes.push(if bit.is_half() { HALF } else { WHOLE });
        for element in bit.elements().iter() {
            bytes.extend(element.to_le_bytes());
        }
    }

    /// Reads so many.
    ///
    /// # Errors
    /// [`ClusterError::Message`] if there are not exactly these.
    pub(crate) fn read(
        &self,
        count: usize,
        bytes: &[u8],
    ) -> Result<Vec<Arc<LweCiphertext>>, ClusterError> {
        let wrong = |reason: String| ClusterError::Message { reason };
        if count.checked_mul(self.length()) != Some(bytes.len()) {
            return Err(wrong(format!(
                "{} bytes for {count} ciphertexts",
                bytes.len()
            )));
        }
        let each = bytes.chunks_exact(self.length()).map(|one| {
            let words = one[1..].chunks_exact(size_of::<u64>());
            let elements = words.map(|word| {
                let mut bytes = [0; size_of::<u64>()];
                bytes.copy_from_slice(word);
                u64::from_le_bytes(bytes)
            });
            let elements = elements.collect();
            let bit = match one[0] {
                WHOLE => LweCiphertext::from_parts(&self.parameters, self.key, elements),
                HALF => LweCiphertext::half_from_parts(&self.parameters, self.key, elements),
                other => return Err(wrong(format!("a ciphertext of kind {other}"))),
            };
            bit.map(Arc::new).map_err(|error| wrong(error.to_string()))
        });
        each.collect()
    }
}
