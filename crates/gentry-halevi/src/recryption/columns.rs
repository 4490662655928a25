//! The sum of s numbers of p + 1 bits modulo 2, under encryption.
//!
//! Bit h of the number of ones among some bits is e_(2^h) of them modulo 2, where e_q is the
//! elementary symmetric polynomial of degree q (Boyar, Peralta, Pochuev; used so by Gentry and
//! Halevi, §8). So the columns of bits are added from the least significant one on: e_(2^h) of a
//! column is a bit of the h-th column above.
//!
//! The symmetric polynomials are the coefficients of Π(1 + x_i·z), which are computed as a tree of
//! truncated products of polynomials. Each coefficient is transformed once for all products that it
//! is in, each coefficient of a product takes one inverse transform and one reduction, and at the
//! root only the coefficients that are asked for are computed: 34 reductions for the first column
//! instead of 92 products one bit at a time.

use bignum::{Kept, Modulus, Operand};

use crate::noise::carries;
use crate::{Error, limbs};
use work::Threads;

/// Products that are summed before a reduction: this many have room in transforms that reduce
/// rarely, and longer sums are few.
pub(crate) const LARGEST_SUM: usize = 5;

/// Residues modulo d.
type Residue = Vec<u64>;

/// The integer part of the sum of the numbers whose bits are in `columns`, rounded, modulo 2:
/// column 0 has the units, and the others fractions, the last the least.
pub(crate) fn rounded_sum(
    modulus: &Modulus,
    mut columns: Vec<Vec<Residue>>,
    threads: &Threads,
) -> Result<Residue, Error> {
    for k in (2..columns.len()).rev() {
        let bits = std::mem::take(&mut columns[k]);
        let last = carries(bits.len(), k);
        let carried = symmetric(modulus, bits, last, threads)?;
        for (h, carry) in (1..).zip(carried) {
            columns[k - h].push(carry);
        }
    }
    // Units and halves: the sum of the halves' column, 0 or 1 modulo 2 after its carry, rounds up.
    let d = modulus.modulus();
    let mut sum = vec![0; d.len()];
    if let [units, halves, ..] = columns.as_slice() {
        if carries(halves.len(), 1) > 0 {
            limbs::add_modulo(&mut sum, &pairs(modulus, halves)?, d);
        }
        for bit in units.iter().chain(halves) {
            limbs::add_modulo(&mut sum, bit, d);
        }
    }
    Ok(sum)
}

/// `out = Σ aᵢ·bᵢ mod d`.
fn sum_of_products<'a, A, B>(
    modulus: &Modulus,
    out: &mut [u64],
    pairs: &[(A, B)],
) -> Result<(), Error>
where
    A: Into<Operand<'a>> + Copy,
    B: Into<Operand<'a>> + Copy,
{
    let (first, rest) = pairs.split_at(pairs.len().min(LARGEST_SUM));
    modulus.sum_of_products(out, first)?;
    let mut sum = vec![0; out.len()];
    for pairs in rest.chunks(LARGEST_SUM) {
        modulus.sum_of_products(&mut sum, pairs)?;
        limbs::add_modulo(out, &sum, modulus.modulus());
    }
    Ok(())
}

/// e_2 of the bits: Σ x_i·(x_0 + … + x_(i−1)), with one reduction.
fn pairs(modulus: &Modulus, bits: &[Residue]) -> Result<Residue, Error> {
    let d = modulus.modulus();
    let mut before: Vec<Residue> = Vec::with_capacity(bits.len());
    let mut sum = vec![0; d.len()];
    for bit in bits {
        before.push(sum.clone());
        limbs::add_modulo(&mut sum, bit, d);
    }
    let pairs: Vec<_> = bits.iter().zip(&before).skip(1).collect();
    sum_of_products(modulus, &mut sum, &pairs)?;
    Ok(sum)
}

/// e_2, e_4, …, e_(2^last) of the bits.
fn symmetric(
    modulus: &Modulus,
    bits: Vec<Residue>,
    last: usize,
    threads: &Threads,
) -> Result<Vec<Residue>, Error> {
    let degree = 1 << last;
    // Each polynomial by its coefficients of z, z², …; the constant one is 1.
    let mut polynomials: Vec<Vec<Residue>> = bits.into_iter().map(|bit| vec![bit]).collect();
    while polynomials.len() > 1 {
        let root = polynomials.len() == 2;
        let wanted = |q: usize| !root || (q > 1 && q.is_power_of_two());
        polynomials = level(modulus, polynomials, degree, wanted, threads)?;
    }
    let mut product = polynomials.pop().unwrap_or_default();
    let mut carried = Vec::with_capacity(last);
    for h in 1..=last {
        carried.push(std::mem::take(&mut product[(1 << h) - 1]));
    }
    Ok(carried)
}

/// Products of neighbours, truncated; coefficients that are not wanted are left empty.
fn level(
    modulus: &Modulus,
    polynomials: Vec<Vec<Residue>>,
    degree: usize,
    wanted: impl Fn(usize) -> bool,
    threads: &Threads,
) -> Result<Vec<Vec<Residue>>, Error> {
    let mut left = polynomials;
    let single = (left.len() % 2 == 1).then(|| left.pop()).flatten();
    let kept: Vec<Kept> = threads.try_map(left.iter().flatten().collect(), |coefficient| {
        modulus.keep(coefficient)
    })?;
    let mut rest = kept.as_slice();
    let kept: Vec<&[Kept]> = left
        .iter()
        .map(|polynomial| {
            let (these, after) = rest.split_at(polynomial.len());
            rest = after;
            these
        })
        .collect();
    // The largest sums first, so that threads end together.
    let mut jobs: Vec<(usize, usize)> = Vec::new();
    for (index, pair) in kept.chunks_exact(2).enumerate() {
        let terms = degree.min(pair[0].len() + pair[1].len());
        jobs.extend((1..=terms).filter(|&q| wanted(q)).map(|q| (index, q)));
    }
    let coefficients = threads.try_map(jobs.clone(), |(index, q)| {
        coefficient(modulus, kept[2 * index], kept[2 * index + 1], q)
    })?;
    let mut products: Vec<Vec<Residue>> = kept
        .chunks_exact(2)
        .map(|pair| vec![Residue::new(); degree.min(pair[0].len() + pair[1].len())])
        .collect();
    for ((index, q), coefficient) in jobs.into_iter().zip(coefficients) {
        products[index][q - 1] = coefficient;
    }
    products.extend(single);
    Ok(products)
}

/// Coefficient q of the product of 1 + a_1·z + … and 1 + b_1·z + …
fn coefficient(modulus: &Modulus, a: &[Kept], b: &[Kept], q: usize) -> Result<Residue, Error> {
    let pairs: Vec<(&Kept, &Kept)> = (1..q)
        .filter_map(|i| Some((a.get(i - 1)?, b.get(q - i - 1)?)))
        .collect();
    let mut sum = vec![0; modulus.limbs()];
    if !pairs.is_empty() {
        sum_of_products(modulus, &mut sum, &pairs)?;
    }
    for alone in [a.get(q - 1), b.get(q - 1)].into_iter().flatten() {
        limbs::add_modulo(&mut sum, alone.limbs(), modulus.modulus());
    }
    Ok(sum)
}

#[cfg(test)]
mod tests {
    use std::num::NonZeroUsize;

    use bignum::Options;
    use random::Generator;

    use super::*;

    /// Bits in the clear are residues 0 and 1, and the scheme is correct on them modulo 2, for the
    /// numbers stay far below the modulus.
    #[test]
    fn sums_in_the_clear_are_rounded() {
        let options = Options {
            sums: LARGEST_SUM,
            ..Options::default()
        };
        let modulus = Modulus::new(&[u64::MAX; 8], options).unwrap();
        let mut generator = Generator::from_key([2; 32]);
        for threads in [1, 2] {
            let threads = Threads::new(NonZeroUsize::new(threads).unwrap()).unwrap();
            for round in 0..40 {
                let p = 4;
                let numbers: Vec<u64> = (0..15)
                    .map(|_| u64::from(generator.below(if round < 20 { 17 } else { 32 })))
                    .collect();
                let columns = (0..=p)
                    .map(|column| {
                        let bit = |number: &u64| {
                            let mut residue = vec![0; 8];
                            residue[0] = number >> (p - column) & 1;
                            residue
                        };
                        numbers.iter().map(bit).collect()
                    })
                    .collect();
                let sum = rounded_sum(&modulus, columns, &threads).unwrap();
                let expected = (numbers.iter().sum::<u64>() + 8) >> 4;
                assert_eq!(sum[0] & 1, expected & 1, "{numbers:?}");
                assert!(sum[4..].iter().all(|&limb| limb == 0));
            }
        }
    }
}
