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
    /// Whether of each element only the upper 32 bits travel, rounded.
    ///
    /// That changes each of the kN + 1 elements by an error that is uniform within ±2⁻³³ of the torus and so has the
    /// variance 2⁻⁶⁴/12. The phase is the body minus those mask elements at which the key is 1, half of them: its
    /// variance grows by (1 + kN/2)·2⁻⁶⁴/12. For P16 that is 2⁻⁵⁷·⁶, at most 2⁻⁴⁹·⁶ in a sum or at scale 1/2,
    /// beside the 2⁻¹⁹·⁶ of what a lookup rounds (`blindcore params P16`): log2 of the probability of a failure, which is
    /// proportional to the inverse, changes by less than 2⁻²².
    pub(crate) is_halved: bool,
}

impl Codec {
    /// Bytes of one.
    pub(crate) fn length(&self) -> usize {
        1 + self.element_bytes() * (self.parameters.big_lwe_dimension().get() + 1)
    }

    fn element_bytes(&self) -> usize {
        match self.is_halved {
            true => size_of::<u32>(),
            false => size_of::<u64>(),
        }
    }

    /// Appends one.
    pub(crate) fn write(&self, bit: &LweCiphertext, bytes: &mut Vec<u8>) {
        bytes.push(if bit.is_half() { HALF } else { WHOLE });
        for &element in bit.elements().iter() {
            match self.is_halved {
                true => bytes.extend(upper_half(element).to_le_bytes()),
                false => bytes.extend(element.to_le_bytes()),
            }
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
            let words = one[1..].chunks_exact(self.element_bytes());
            let elements = words.map(|word| {
                // The upper half alone: the lower is zero.
                let mut bytes = [0; size_of::<u64>()];
                bytes[size_of::<u64>() - word.len()..].copy_from_slice(word);
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

/// The nearest multiple of 2⁻³² of the torus.
fn upper_half(element: u64) -> u32 {
    (element.wrapping_add(1 << 31) >> 32) as u32
}

#[cfg(test)]
mod tests {
    use tfhe::TOY_BLOCK;

    use super::*;

    /// Numbers that look random.
    fn numbers(seed: u64) -> impl Iterator<Item = u64> {
        let mut state = seed;
        std::iter::repeat_with(move || {
            // SplitMix64.
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mixed = (state ^ state >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
            mixed ^ mixed >> 31
        })
    }

    fn ciphertext(seed: u64) -> LweCiphertext {
        let length = TOY_BLOCK.big_lwe_dimension().get() + 1;
        let elements = numbers(seed).take(length).collect();
        LweCiphertext::from_parts(&TOY_BLOCK, KeyId::from_bytes([7; 16]), elements)
            .expect("of that length")
    }

    fn codec(is_halved: bool) -> Codec {
        Codec {
            parameters: TOY_BLOCK,
            key: KeyId::from_bytes([7; 16]),
            is_halved,
        }
    }

    fn sent(codec: Codec, bit: &LweCiphertext) -> Arc<LweCiphertext> {
        let mut bytes = Vec::new();
        codec.write(bit, &mut bytes);
        assert_eq!(bytes.len(), codec.length());
        codec.read(1, &bytes).expect("one").remove(0)
    }

    /// Whole ones come as they were sent.
    #[test]
    fn ciphertexts_come_as_they_were_sent() {
        let bit = ciphertext(3);
        assert_eq!(sent(codec(false), &bit).elements(), bit.elements());
        let (whole, halved) = (codec(false).length(), codec(true).length());
        assert_eq!(2 * (halved - 1), whole - 1);
        for length in [0, whole - 1, whole + 1] {
            assert!(codec(false).read(1, &vec![0; length]).is_err());
        }
    }

    /// What halving adds to the phase under a key of random bits has the variance that is stated, on both sides.
    #[test]
    fn what_halving_adds_is_as_stated() {
        let key: Vec<bool> = numbers(99)
            .take(TOY_BLOCK.big_lwe_dimension().get())
            .map(|number| number & 1 == 1)
            .collect();
        let ones = key.iter().filter(|&&bit| bit).count() as f64;
        let (count, mut squares) = (2_000, 0.0);
        for seed in 0..count {
            let bit = ciphertext(1_000 + seed);
            let came = sent(codec(true), &bit);
            let (after, before) = (came.elements(), bit.elements());
            let errors: Vec<f64> = after
                .iter()
                .zip(before.iter())
                .map(|(&came, &was)| came.wrapping_sub(was) as i64 as f64 / 2f64.powi(64))
                .collect();
            assert!(errors.iter().all(|error| error.abs() <= 2f64.powi(-33)));
            let (body, mask) = errors.split_last().expect("a body");
            let chosen = mask.iter().zip(&key).filter(|(_, bit)| **bit);
            let phase = body - chosen.map(|(error, _)| error).sum::<f64>();
            squares += phase * phase;
        }
        let stated = (1.0 + ones) * 2f64.powi(-64) / 12.0;
        let ratio = squares / count as f64 / stated;
        // Its own deviation is √(2/2000) = 0.032.
        assert!((0.87..1.13).contains(&ratio), "{ratio}");
    }
}
