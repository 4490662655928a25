//! Mean-compensated modulus switching.
//!
//! A lookup needs its input as a rotation count in 0..2N, transport wants 16
//! bits per element. Rounding every element to a multiple of 2^(64−w) adds
//! rounding errors e_i, which reach the phase as Σ e_i·s_i. The key's bits have
//! mean m = 1/(d+1) (blocks of d; d = 1 for a uniform key), so m·Σ e_i of that is
//! public: adding it to the body before *its* rounding leaves Σ e_i·(s_i − m),
//! whose variance has Var(s) where E\[s²\] stood (eprint 2025/809). For P16 that
//! is 4/25 instead of 1/5.

/// Switches an LWE ciphertext (mask, then body) to the modulus 2^`bits`, with
/// `bits` in 1..=16, and writes the switched elements to `switched`, of equal
/// length.
pub(crate) fn modulus_switch(elements: &[u64], block_bits: usize, bits: u32, switched: &mut [u16]) {
    assert_eq!(elements.len(), switched.len(), "elements and room for them");
    let Some((&body, mask)) = elements.split_last() else {
        return;
    };
    let Some((switched_body, switched_mask)) = switched.split_last_mut() else {
        return;
    };
    let shift = 64 - bits;
    let half = 1_u64 << (shift - 1);
    let keep = ((1_u32 << bits) - 1) as u16;
    let mut errors = 0_i128;
    for (element, switched) in mask.iter().zip(switched_mask) {
        let rounded = element.wrapping_add(half) >> shift;
        errors += i128::from((rounded << shift).wrapping_sub(*element) as i64);
        *switched = rounded as u16 & keep;
    }
    let mean = (errors / (block_bits as i128 + 1)) as u64;
    *switched_body = (body.wrapping_add(mean).wrapping_add(half) >> shift) as u16 & keep;
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Generator;

    #[test]
    fn rounds_to_nearest_and_wraps() {
        let unit = 1_u64 << 52;
        let mut out = [0; 4];
        modulus_switch(
            &[3 * unit, u64::MAX, 5 * unit + 1, 7 * unit],
            1,
            12,
            &mut out,
        );
        assert_eq!(out, [3, 0, 5, 7]);
    }

    /// The phase moves by the formula's variance, and without a mean: 2,000
    /// samples, tolerances of 6 deviations of the estimators (σ/√n, σ²√(2/n)).
    #[test]
    fn noise_has_the_predicted_variance_and_no_mean() {
        let mut generator = Generator::from_key([7; 32]);
        let (n, samples) = (896, 2_000);
        for d in [1_usize, 4] {
            let mut errors = Vec::new();
            for _ in 0..samples {
                let key = match d {
                    1 => generator.binary_secret(n),
                    d => {
                        generator.block_binary_secret(n, random::BlockSize::new(d as u32).unwrap())
                    }
                };
                let elements: Vec<u64> = (0..=n).map(|_| generator.uniform()).collect();
                let mut switched = vec![0; n + 1];
                modulus_switch(&elements, d, 12, &mut switched);
                let mut moved = (u64::from(switched[n]) << 52).wrapping_sub(elements[n]);
                for i in 0..n {
                    let error = (u64::from(switched[i]) << 52).wrapping_sub(elements[i]);
                    moved = moved.wrapping_sub(error * u64::from(key.expose()[i]));
                }
                errors.push(moved as i64 as f64 / 2_f64.powi(52));
            }
            let count = samples as f64;
            let variance = errors.iter().map(|e| e * e).sum::<f64>() / count;
            let mean = errors.iter().sum::<f64>() / count;
            let expected = (1.0 + n as f64 * d as f64 / (d as f64 + 1.0).powi(2)) / 12.0;
            assert!(
                (variance / expected - 1.0).abs() < 6.0 * (2.0 / count).sqrt(),
                "{variance}"
            );
            assert!(mean.abs() < 6.0 * (expected / count).sqrt(), "{mean}");
        }
    }
}
