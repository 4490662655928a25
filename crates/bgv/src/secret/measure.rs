//! The noise that a ciphertext really has.
//!
//! For tests and for whoever tunes parameters: with a ciphertext, exact noise gives the key away,
//! and running time depends on it.

use transforms::cyclotomic::Index;
use zeroize::Zeroizing;

use super::SecretKey;
use crate::residue::{inverse, multiply};
use crate::{Ciphertext, Error};

impl SecretKey {
    /// log2 of the measured standard deviation of a coordinate of the canonical embedding, what
    /// [`Noise::log2_deviation`](crate::Noise::log2_deviation) estimates: the root of the mean over
    /// all coordinates. Timing depends on the noise.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::WrongLength`], [`Error::LevelOutOfRange`].
    pub fn noise(&self, a: &Ciphertext) -> Result<f64, Error> {
        let phase = self.centred_phase(a)?;
        Ok(0.5 * mean_square(self.parameters().index(), &phase).log2())
    }

    /// log2 of half the modulus over the largest coefficient of the noise: how many bits a wrong
    /// decryption is away. Timing depends on the noise.
    ///
    /// # Errors
    /// [`Error::ForeignKey`], [`Error::WrongLength`], [`Error::LevelOutOfRange`].
    pub fn room(&self, a: &Ciphertext) -> Result<f64, Error> {
        let phase = self.centred_phase(a)?;
        let largest = phase.iter().fold(1.0_f64, |most, c| most.max(c.abs()));
        Ok(self.parameters().modulus_bits(a.level()) - 1.0 - largest.log2())
    }

    /// The coefficients of t between −Q/2 and Q/2, to double precision: by the digits of t and of Q
    /// − t in mixed radix (Garner), of which the smaller is taken.
    fn centred_phase(&self, a: &Ciphertext) -> Result<Zeroizing<Vec<f64>>, Error> {
        let mut rows = self.phase(a)?;
        let chosen = self.parameters().primes_of(a.level());
        for (row, &prime) in rows.iter_mut().zip(&chosen) {
            self.ring().plan(prime).interpolate(row);
        }
        let primes: Vec<u64> = chosen
            .iter()
            .map(|&prime| self.parameters().primes()[prime])
            .collect();
        // The inverse of each prime modulo each later one.
        let inverses: Vec<Vec<u64>> = primes
            .iter()
            .enumerate()
            .map(|(i, &q)| primes[..i].iter().map(|p| inverse(p % q, q)).collect())
            .collect();
        let mut digits = Zeroizing::new(Vec::with_capacity(primes.len()));
        let mut value = |residues: &[u64]| {
            digits.clear();
            for (i, &q) in primes.iter().enumerate() {
                let mut digit = residues[i] % q;
                for (earlier, inverse) in digits.iter().zip(&inverses[i]) {
                    digit = multiply(digit + q - earlier % q, *inverse, q);
                }
                digits.push(digit);
            }
            let pairs = digits.iter().zip(&primes).rev();
            pairs.fold(0.0, |value, (&digit, &q): (&u64, &u64)| {
                value * q as f64 + digit as f64
            })
        };
        let mut residues = Zeroizing::new(vec![0; primes.len()]);
        let coefficients = (0..self.parameters().degree()).map(|place| {
            for (residue, row) in residues.iter_mut().zip(rows.iter()) {
                *residue = row[place];
            }
            let above = value(&residues);
            for (residue, q) in residues.iter_mut().zip(&primes) {
                *residue = q - *residue;
            }
            let below = value(&residues);
            if above <= below { above } else { -below }
        });
        Ok(Zeroizing::new(coefficients.collect()))
    }
}

/// The mean square of the coordinates of an element's canonical embedding, from coefficients in the
/// basis.
///
/// Along a prime p it is Σ aᵢ² − 1/(p−1)·Σ_{i≠j} aᵢaⱼ = (p·Σ aᵢ² − (Σ aᵢ)²)/(p − 1), the quadratic
/// form of (pI − J)/(p − 1); for several primes that of the Kronecker product. It is applied axis
/// by axis.
fn mean_square(index: &Index, coefficients: &[f64]) -> f64 {
    let mut image = Zeroizing::new(coefficients.to_vec());
    let mut stride = coefficients.len();
    for length in index.axes() {
        stride /= length;
        let prime = (length + 1) as f64;
        for block in image.chunks_exact_mut(length * stride) {
            for offset in 0..stride {
                let sum: f64 = block[offset..].iter().step_by(stride).sum();
                for word in block[offset..].iter_mut().step_by(stride) {
                    *word = (prime * *word - sum) / (length as f64);
                }
            }
        }
    }
    image.iter().zip(coefficients).map(|(a, b)| a * b).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One has square 1 in every coordinate, and is ±the sum of the basis; so has every element of
    /// the basis.
    #[test]
    fn roots_of_unity_and_one_have_size_one() {
        for m in [51, 255, 1105] {
            let index = Index::new(m).unwrap();
            let ones = vec![f64::from(index.one()); index.degree()];
            assert!((mean_square(&index, &ones) - 1.0).abs() < 1e-9);
            let mut single = vec![0.0; index.degree()];
            single[index.degree() / 3] = 1.0;
            assert!((mean_square(&index, &single) - 1.0).abs() < 1e-9);
        }
    }
}
