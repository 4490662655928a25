//! Squashing: the secret w written as a sparse sum, w ≡ Σ x_i·R^(e_i) modulo d.
//!
//! All x_i but the last are uniform, and so are the indices e_i; the last x is what is missing,
//! divided by R^(e_s). R is a power of two: multiplying is shifting, and dividing is adding the
//! multiple of the odd d that makes the low bits vanish, and shifting (Montgomery's reduction, limb
//! by limb).

use bignum::Modulus;
use random::Generator;
use zeroize::Zeroizing;

use crate::recryption::pair;
use crate::{Error, Parameters, limbs};

/// A squashed key.
pub(super) struct Squashed {
    /// x_1 … x_s: public.
    pub(super) elements: Vec<Vec<u64>>,
    /// e_1 … e_s: secret.
    pub(super) indices: Zeroizing<Vec<usize>>,
}

/// Squashes `w`.
pub(super) fn squash(
    parameters: &Parameters,
    modulus: &Modulus,
    w: &[u64],
    generator: &mut Generator,
) -> Result<Squashed, Error> {
    let d = modulus.modulus();
    let mut rest = Zeroizing::new(w.to_vec());
    let mut elements = Vec::with_capacity(parameters.subset());
    let mut indices = Zeroizing::new(Vec::with_capacity(parameters.subset()));
    for _ in 0..parameters.subset() {
        // S is below 2^32: it is at most n/15 or 512.
        indices.push(generator.below(parameters.set_size() as u32) as usize);
    }
    for &index in &indices[1..] {
        let element = residue(d, generator);
        let mut term = Zeroizing::new(vec![0; d.len()]);
        let shifted = Zeroizing::new(limbs::shifted_left(
            &element,
            index * parameters.log_ratio(),
        ));
        modulus.reduce(&mut term, &shifted)?;
        limbs::subtract_modulo(&mut rest, &term, d);
        elements.push(element);
    }
    elements.insert(0, halved(&rest, indices[0] * parameters.log_ratio(), d));
    Ok(Squashed { elements, indices })
}

/// The bits that encode the indices, c for each.
pub(super) fn encoded(parameters: &Parameters, indices: &[usize]) -> Zeroizing<Vec<bool>> {
    let columns = parameters.columns();
    let mut bits = Zeroizing::new(vec![false; columns * indices.len()]);
    for (block, &index) in bits.chunks_exact_mut(columns).zip(indices) {
        let (a, b) = pair(index, columns);
        block[a] = true;
        block[b] = true;
    }
    bits
}

/// A uniform residue modulo d: as many uniform bits as d has, again until they are below it.
fn residue(d: &[u64], generator: &mut Generator) -> Vec<u64> {
    let spare = d.last().map_or(0, |top| top.leading_zeros());
    loop {
        let mut drawn: Vec<u64> = d.iter().map(|_| generator.uniform()).collect();
        if let Some(top) = drawn.last_mut() {
            *top >>= spare;
        }
        if limbs::compare(&drawn, d).is_lt() {
            return drawn;
        }
    }
}

/// `a/2^by mod d` for an odd d.
fn halved(a: &[u64], by: usize, d: &[u64]) -> Vec<u64> {
    // Newton's iteration for −1/d modulo 2^64: right to 3 bits at first, to twice as many at each
    // step.
    let low = d[0];
    let mut inverse = low;
    for _ in 0..5 {
        inverse = inverse.wrapping_mul(2_u64.wrapping_sub(low.wrapping_mul(inverse)));
    }
    let negative = inverse.wrapping_neg();
    let mut out = a.to_vec();
    let mut left = by;
    while left > 0 {
        let bits = left.min(64);
        let mask = u64::MAX >> (64 - bits);
        let multiple = out[0].wrapping_mul(negative) & mask;
        // a < d, so that a + multiple·d < 2^bits·d: it fits again when it is shifted.
        let top = limbs::add_product(&mut out, d, multiple);
        if bits == 64 {
            out.rotate_left(1);
            if let Some(last) = out.last_mut() {
                *last = top;
            }
        } else {
            limbs::shift_right(&mut out, bits as u32, top);
        }
        left -= bits;
    }
    if limbs::compare(&out, d).is_ge() {
        limbs::subtract_assign(&mut out, d);
    }
    out
}

#[cfg(test)]
mod tests {
    use bignum::Options;

    use super::*;

    #[test]
    fn dividing_undoes_multiplying() {
        let mut generator = Generator::from_key([4; 32]);
        for top in [1, u64::MAX, 1 << 40] {
            let mut d: Vec<_> = (0..5).map(|_| generator.uniform()).collect();
            d[0] |= 1;
            d[4] = top;
            let modulus = Modulus::new(&d, Options::default()).unwrap();
            for by in [0, 1, 63, 64, 65, 200, 1000] {
                let a = residue(&d, &mut generator);
                let mut back = vec![0; 5];
                let shifted = limbs::shifted_left(&halved(&a, by, &d), by);
                modulus.reduce(&mut back, &shifted).unwrap();
                assert_eq!(back, a);
            }
        }
    }

    #[test]
    fn the_sparse_sum_is_the_secret() {
        let mut generator = Generator::from_key([5; 32]);
        let set = Parameters::TOY_32;
        let mut d: Vec<_> = (0..201).map(|_| generator.uniform()).collect();
        d[0] |= 1;
        let modulus = Modulus::new(&d, Options::default()).unwrap();
        let w = residue(&d, &mut generator);
        let squashed = squash(&set, &modulus, &w, &mut generator).unwrap();
        let mut sum = vec![0; 201];
        for (element, index) in squashed.elements.iter().zip(&*squashed.indices) {
            let mut term = vec![0; 201];
            let shifted = limbs::shifted_left(element, index * set.log_ratio());
            modulus.reduce(&mut term, &shifted).unwrap();
            limbs::add_modulo(&mut sum, &term, &d);
        }
        assert_eq!(sum, w);
        assert_eq!(squashed.elements.len(), 15);
    }
}
