//! Tables at secret indexes.

use super::integers::low;
use super::unit::{Family, Unit};
use crate::Wire;
use crate::library::{self, Word};

/// Entries of the tables that are words: eight.
const INDEX: usize = 3;
const ENTRIES: usize = 1 << INDEX;
/// Bits of the index into constants.
const BYTE: usize = 8;

/// An index, and eight entries of n bits.
const READ: fn(usize) -> Vec<usize> = |n| [vec![INDEX], vec![n; ENTRIES]].concat();
/// An index, a condition, a value of n bits and eight entries.
const WRITE: fn(usize) -> Vec<usize> = |n| [vec![INDEX, 1, n], vec![n; ENTRIES]].concat();

/// Constants without a pattern: the upper bits of multiples of an odd number.
fn entry(at: u64) -> u64 {
    (at + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(29)
}

fn numbered(words: &[Word]) -> Vec<(u32, Word)> {
    (0..).zip(words.iter().cloned()).collect()
}

/// Reading and replacing words, and constants.
pub(super) fn units() -> Vec<Unit> {
    vec![
        Unit::new(
            Family::Table,
            "select_from_eight",
            READ,
            |b, w| {
                let (index, entries) = (&w[0], numbered(&w[1..]));
                vec![library::select_from(
                    b,
                    index,
                    Wire::TRUE,
                    w[1].len(),
                    &entries,
                )]
            },
            |_, v| vec![v[1 + v[0] as usize]],
        ),
        Unit::new(
            Family::Table,
            "replace_in_eight",
            WRITE,
            |b, w| library::replace_in(b, &w[0], w[1][0], &numbered(&w[3..]), &w[2]),
            |_, v| {
                let mut entries = v[3..].to_vec();
                if v[1] == 1 {
                    entries[v[0] as usize] = v[2];
                }
                entries
            },
        ),
        Unit::new(
            Family::Table,
            "constants_of_a_byte",
            |_| vec![BYTE],
            |b, w| {
                let values: Vec<u64> = (0..1 << BYTE).map(entry).collect();
                vec![library::rom(b, &w[0], 64, &values)]
            },
            |_, v| vec![u128::from(entry(v[0] as u64)) & low(64)],
        ),
    ]
}
