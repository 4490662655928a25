//! Random elements: uniform masks from public seeds, ternary secrets, errors.

use random::{Generator, MaskGenerator, SecretBuffer, Seed, StandardDeviation};
use transforms::cyclotomic::Index;

use crate::noise::ERROR;

/// Uniform residues modulo q, from a public seed and a stream number, by rejection of words.
///
/// Equal arguments give equal residues on every machine and in every version: files hold seeds
/// only.
pub(crate) fn uniform(seed: &Seed, stream: u64, q: u64, length: usize) -> Vec<u64> {
    let mut masks = MaskGenerator::new(seed, stream);
    let mask = q.next_power_of_two() - 1;
    let mut row = Vec::with_capacity(length);
    let mut words = [0_u64; 256];
    while row.len() < length {
        masks.fill(&mut words);
        let room = length - row.len();
        row.extend(
            words
                .iter()
                .map(|word| word & mask)
                .filter(|word| *word < q)
                .take(room),
        );
    }
    row
}

/// Coefficients −1, 0, 1, equally likely.
pub(crate) fn ternary(generator: &mut Generator, length: usize) -> SecretBuffer<i8> {
    let mut coefficients = SecretBuffer::new(vec![0_i8; length]);
    for coefficient in coefficients.expose_mut() {
        *coefficient = generator.below(3) as i8 - 1;
    }
    coefficients
}

/// An error that is spherical in the canonical embedding: m independent coefficients of deviation σ
/// modulo x^m − 1, reduced to the basis. Along each prime p the powers of ζ_p add up to 0, so the
/// coefficient with exponent 0 is taken off all others.
pub(crate) fn error(generator: &mut Generator, index: &Index) -> SecretBuffer<i64> {
    let m = index.m() as usize;
    let mut words = SecretBuffer::new(vec![0_u64; m]);
    if let Some(deviation) = StandardDeviation::from_log2(ERROR.log2() - 64.0) {
        generator.add_gaussian(words.expose_mut(), deviation);
    }
    let full = words.expose_mut();
    for p in index.primes() {
        let p = p as usize;
        // A step that changes the exponent modulo p only.
        let cofactor = m / p;
        for place in (0..m).step_by(p) {
            let zero = full[place];
            for k in 1..p {
                let other = &mut full[(place + k * cofactor) % m];
                *other = other.wrapping_sub(zero);
            }
        }
    }
    let reduced =
        (0..index.degree()).map(|position| full[index.exponent(position) as usize] as i64);
    SecretBuffer::new(reduced.collect())
}

/// Small signed coefficients modulo q.
pub(crate) fn residues(coefficients: impl Iterator<Item = i64>, q: u64) -> Vec<u64> {
    coefficients
        .map(|c| (c + (q as i64 & (c >> 63))) as u64)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn masks_are_below_their_prime_and_even() {
        let q = 1_099_510_054_913;
        let row = uniform(&Seed::from_bytes([1; 32]), 7, q, 40_000);
        assert!(row.iter().all(|&word| word < q));
        let mean = row.iter().map(|&word| word as f64 / q as f64).sum::<f64>() / 40_000.0;
        // The mean has deviation 1/√(12·40,000) = 0.0014; six of them.
        assert!((mean - 0.5).abs() < 0.0087, "{mean}");
    }

    #[test]
    fn coefficients_of_errors_have_the_variance_of_the_derivation() {
        let index = Index::new(255).unwrap();
        let mut generator = Generator::from_key([2; 32]);
        let mut sum = 0.0;
        let rounds = 400;
        for _ in 0..rounds {
            let error = error(&mut generator, &index);
            sum += error.expose().iter().map(|&e| (e * e) as f64).sum::<f64>();
        }
        // σ² and 1/12 of rounding, doubled along each of three primes. Samples within an error
        // depend on each other; the tolerance is six deviations of 400 independent ones.
        let found = sum / f64::from(rounds) / 128.0;
        let expected = 8.0 * (ERROR * ERROR + 1.0 / 12.0);
        assert!((found / expected - 1.0).abs() < 0.1, "{found} {expected}");
    }

    #[test]
    fn signs_become_residues() {
        assert_eq!(residues([-1, 0, 1].into_iter(), 17), [16, 0, 1]);
    }
}
