//! A hash for small numbers that the program itself has counted: multiply and rotate.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

pub(super) type Map<K, V> = HashMap<K, V, BuildHasherDefault<Mixed>>;

/// The hash so far.
#[derive(Clone, Debug, Default)]
pub(super) struct Mixed(u64);

impl Hasher for Mixed {
    fn write(&mut self, bytes: &[u8]) {
        bytes.iter().for_each(|byte| self.write_u32((*byte).into()));
    }

    fn write_u32(&mut self, number: u32) {
        let mixed = self.0.rotate_left(23) ^ u64::from(number);
        self.0 = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    }

    fn write_usize(&mut self, number: usize) {
        self.write_u32(number as u32);
    }

    fn finish(&self) -> u64 {
        self.0 ^ self.0 >> 32
    }
}
