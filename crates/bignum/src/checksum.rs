//! Residues modulo the prime `2^61 − 1`, by which products are checked.
//!
//! A wrong digit changes a product by a power of two times a small number, which the prime does not
//! divide: one wrong digit is always found, and several are missed with a chance of about `2^−61`.
//! It costs two additions a limb: `2^64 = 2^3` modulo the prime, so limbs that are 61 apart have
//! the same weight and are summed in two words before anything is reduced.

/// The prime.
pub(crate) const PRIME: u64 = (1 << 61) - 1;

/// Limbs after which weights repeat.
pub(crate) const PERIOD: usize = 61;

/// Lanes that are summed side by side: as many as fit into registers with two words each.
const LANES: usize = 4;

/// The number modulo the prime, below it.
pub(crate) fn residue(a: &[u64]) -> u64 {
    let (rows, rest) = a.as_chunks::<PERIOD>();
    let mut sums = [0u128; PERIOD];
    for (block, sums) in sums.chunks_mut(LANES).enumerate() {
        let start = LANES * block;
        // The last block is shorter; the others are summed in registers.
        if let Ok(sums) = <&mut [u128; LANES]>::try_from(&mut *sums) {
            *sums = rows.iter().fold([0; LANES], |mut sums, row| {
                let row: &[u64] = &row[start..start + LANES];
                for (sum, &limb) in sums.iter_mut().zip(row) {
                    *sum += u128::from(limb);
                }
                sums
            });
        } else {
            for row in rows {
                for (sum, &limb) in sums.iter_mut().zip(&row[start..]) {
                    *sum += u128::from(limb);
                }
            }
        }
    }
    for (sum, &limb) in sums.iter_mut().zip(rest) {
        *sum += u128::from(limb);
    }
    let lanes = sums.iter().enumerate();
    lanes.fold(0, |total, (at, &sum)| {
        add(total, rotate(reduce(sum), 3 * at % 61))
    })
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
