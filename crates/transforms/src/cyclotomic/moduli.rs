//! The primes modulo which a ring has transforms.

use super::arithmetic::is_prime;
use super::error::CyclotomicError;
use super::index::Index;
use super::shape::convolution_lengths;

/// Moduli are below `2^50`: four times each fits the 52 bits of the vector multiplier.
pub const MOST_BITS: u32 = 50;

/// What moduli are 1 modulo: the index, for its roots, times the longest convolution.
pub(super) fn step(index: &Index) -> u64 {
    let longest = convolution_lengths(index).into_iter().max().unwrap_or(1);
    u64::from(index.m()) * longest as u64
}

/// The `count` largest primes below `2^bits` modulo which the ring has transforms, descending,
/// without those of `skip`.
///
/// # Errors
/// [`CyclotomicError::TooFewPrimes`] if there are fewer above `2^(bits − 1)`, or if `bits` is not
/// from 2 to [`MOST_BITS`].
pub fn primes(
    index: &Index,
    bits: u32,
    count: usize,
    skip: &[u64],
) -> Result<Vec<u64>, CyclotomicError> {
    let step = step(index);
    let mut found = Vec::new();
    if (2..=MOST_BITS).contains(&bits) {
        let candidates = (1 << (bits - 1)) / step + 1..=((1 << bits) - 2) / step;
        let candidates = candidates.rev().map(|multiple| multiple * step + 1);
        let suitable = candidates.filter(|q| !skip.contains(q) && is_prime(*q));
        found.extend(suitable.take(count));
    }
    if found.len() < count {
        return Err(CyclotomicError::TooFewPrimes {
            m: index.m(),
            bits,
            count,
            found: found.len(),
        });
    }
    Ok(found)
}

/// Refuses what is no modulus of the ring.
pub(super) fn check(index: &Index, q: u64) -> Result<(), CyclotomicError> {
    let step = step(index);
    if q >> MOST_BITS == 0 && q % step == 1 && is_prime(q) {
        return Ok(());
    }
    Err(CyclotomicError::UnsuitableModulus {
        q,
        m: index.m(),
        step,
        bits: MOST_BITS,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn largest_primes_come_first_and_each_is_a_modulus() {
        for m in [51, 255, 4369, 8191, 13_107, 21_845, 65_535, 65_537] {
            let index = Index::new(m).unwrap();
            for bits in [43, 48, 50] {
                let all = primes(&index, bits, 6, &[]).unwrap();
                assert!(all.is_sorted_by(|a, b| a > b));
                assert!(
                    all.iter()
                        .all(|&q| check(&index, q).is_ok() && q >> (bits - 1) == 1)
                );
                let others = primes(&index, bits, 4, &[all[0], all[2]]).unwrap();
                assert_eq!(others, [all[1], all[3], all[4], all[5]]);
            }
        }
        let index = Index::new(65_535).unwrap();
        assert!(primes(&index, 30, 1, &[]).is_ok());
    }

    #[test]
    fn what_is_not_there_is_an_error() {
        let index = Index::new(65_537).unwrap();
        let expected = CyclotomicError::TooFewPrimes {
            m: 65_537,
            bits: 30,
            count: 2,
            found: 0,
        };
        assert_eq!(primes(&index, 30, 2, &[]), Err(expected));
        assert!(primes(&index, 64, 1, &[]).is_err());
        assert!(primes(&index, 1, 1, &[]).is_err());
        for q in [0, 1, 65_537, (1 << 49) - 1, (1 << 60) + 1] {
            assert!(check(&index, q).is_err(), "{q}");
        }
    }
}
