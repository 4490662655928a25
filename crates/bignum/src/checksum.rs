//! Residues modulo the prime `2^61 − 1`, by which products are checked.
//!
//! A wrong digit changes a product by a power of two times a small number, which the prime does not divide:
//! one wrong digit is always found, and several are missed with a chance of about `2^−61`. It costs two
//! additions a limb: `2^64 = 2^3` modulo the prime, so limbs that are 61 apart have the same weight and
//! are summed before anything is reduced.

/// The prime.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// Limbs after which weights repeat.
const PERIOD: usize = 61;

/// Rows that are summed in halves of 32 bits, which 64 bits have room for.
const ROWS: usize = 1 << 16;

/// The number modulo the prime, below it.
pub(crate) fn residue(a: &[u64]) -> u64 {
    let mut total = 0;
    for rows in a.chunks(PERIOD * ROWS) {
        let (mut low, mut high) = ([0u64; PERIOD], [0u64; PERIOD]);
        let (whole, rest) = rows.as_chunks::<PERIOD>();
        for row in whole {
            for ((low, high), &limb) in low.iter_mut().zip(&mut high).zip(row) {
                *low += limb & 0xFFFF_FFFF;
                *high += limb >> 32;
            }
        }
        for ((low, high), &limb) in low.iter_mut().zip(&mut high).zip(rest) {
            *low += limb & 0xFFFF_FFFF;
            *high += limb >> 32;
        }
        for (at, (&low, &high)) in low.iter().zip(&high).enumerate() {
            let sum = u128::from(low) + (u128::from(high) << 32);
            total = add(total, rotate(reduce(sum), 3 * at % 61));
        }
    }
    total
}

/// The sum of two residues.
pub(crate) fn add(a: u64, b: u64) -> u64 {
    once(a + b)
}

/// The product of two residues.
pub(crate) fn multiply(a: u64, b: u64) -> u64 {
    reduce(u128::from(a) * u128::from(b))
}

/// A number below `2^122` modulo the prime.
fn reduce(a: u128) -> u64 {
    let folded = (a as u64 & PRIME) + (a >> 61) as u64;
    once(folded)
}

/// A number below twice the prime, and one more, modulo it.
fn once(a: u64) -> u64 {
    let a = (a & PRIME) + (a >> 61);
    if a == PRIME { 0 } else { a }
}

/// A residue times a power of two is its rotation.
fn rotate(a: u64, by: usize) -> u64 {
    once((a << by & PRIME) | (a >> (61 - by) & if by == 0 { 0 } else { PRIME }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Horner's rule from the top.
    fn by_definition(a: &[u64]) -> u64 {
        a.iter().rev().fold(0, |rest, &limb| {
            ((u128::from(rest) << 64 | u128::from(limb)) % u128::from(PRIME)) as u64
        })
    }

    #[test]
    fn it_is_the_remainder() {
        let mut limb = 1u64;
        let a: Vec<u64> = std::iter::repeat_with(|| {
            limb = limb.wrapping_mul(0x5851_F42D_4C95_7F2D).wrapping_add(1);
            limb ^ limb >> 29
        })
        .take(400)
        .collect();
        for length in [0, 1, 2, 60, 61, 62, 121, 122, 123, 183, 400] {
            assert_eq!(
                residue(&a[..length]),
                by_definition(&a[..length]),
                "{length}"
            );
        }
        for length in [1, 61, 62, 300] {
            let ones = vec![u64::MAX; length];
            assert_eq!(
                residue(&ones),
                by_definition(&ones),
                "{length} limbs of ones"
            );
        }
    }

    #[test]
    fn any_wrong_bit_changes_it() {
        let mut a = vec![0x0123_4567_89AB_CDEF; 130];
        let right = residue(&a);
        for bit in 0..130 * 64 {
            a[bit / 64] ^= 1 << (bit % 64);
            assert_ne!(residue(&a), right, "bit {bit}");
            a[bit / 64] ^= 1 << (bit % 64);
        }
    }
}
