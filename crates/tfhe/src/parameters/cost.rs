//! What a set costs: transforms and bytes, counted.

use super::{Parameters, SmallKey};
use crate::seeded_server_key::{Layout, SeededServerKey};

/// Sizes of one set's keys, and the work of one lookup.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cost {
    /// Transforms of N/2 complex points in one rotation: (k + 1)·l forth and k + 1 back for each
    /// step, and a step for each bit or block.
    pub transforms: u64,
    /// Transforms of half the small ring's degree in one key switch; `None` where it takes none, as
    /// that of gates, which is classical.
    pub key_switch_transforms: Option<u64>,
    /// Bytes of bootstrapping key that a batch of rotations streams once, as double-precision
    /// spectra.
    pub streamed_bytes: u64,
    /// Bytes of the server's key expanded for a double-precision processor.
    pub expanded_bytes: u64,
    /// Bytes of the server's key as it is stored and sent: bodies and a seed, without the
    /// file's header.
    pub seeded_bytes: u64,
    /// Bytes of one computed bit.
    pub bit_bytes: u64,
}

impl Parameters {
    /// Counts what the set costs.
    ///
    /// ```
    /// use blindcore_tfhe::{Cost, P16};
    ///
    /// let cost: Cost = P16.cost();
    /// assert_eq!(cost.transforms, 896);
    /// assert_eq!(cost.streamed_bytes, 58_720_256);
    /// ```
    #[must_use]
    pub fn cost(&self) -> Cost {
        let layout = Layout::new(self);
        let [n, size, levels] = [layout.n, layout.size, layout.levels].map(|x| x as u64);
        let [pieces, levels_k, parts, m] =
            [layout.pieces, layout.levels_k, layout.parts, layout.m].map(|x| x as u64);
        let columns = self.glwe_dimension().get() as u64 + 1;
        let steps = match self.small_key() {
            SmallKey::Uniform => n,
            SmallKey::Block(bits) => n / u64::from(bits),
        };
        let streamed_bytes = 8 * n * levels * columns * columns * size;
        let (bootstrap, key_switch) = SeededServerKey::body_counts(self);
        Cost {
            transforms: steps * columns * (levels + 1),
            key_switch_transforms: Some(pieces * levels_k + parts + 1),
            streamed_bytes,
            expanded_bytes: streamed_bytes + 8 * pieces * levels_k * (parts + 1) * m,
            seeded_bytes: 8 * (bootstrap + key_switch) as u64 + random::Seed::LENGTH as u64,
            bit_bytes: 8 * (self.big_lwe_dimension().get() as u64 + 1),
        }
    }
}
