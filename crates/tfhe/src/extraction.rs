//! Sample extraction: coefficients of a GLWE phase as LWE ciphertexts.
//!
//! The coefficient p of A·S in Z\[X\]/(X^N + 1) is Σ_i A\[p−i\]·S\[i\], where an
//! index below 0 means −A\[N + index\]. Reversing A once and doubling it with its
//! negation gives R\[j\] = A\[N−1−j\], R\[j+N\] = −R\[j\], in which the mask of every
//! coefficient's ciphertext is a contiguous slice: R\[N−1−p..\]. Extracting then
//! costs one streaming addition per term, and a linear combination of sixteen
//! extractions never materialises them.

use crate::parameters::{BIT_SCALE, LOOKUP_VALUES};
use crate::table::{Range, TruthTable};

/// Writes the doubled reversal R of a mask of N coefficients; `doubled` has 2N.
pub(crate) fn double_reversed(mask: &[u64], doubled: &mut [u64]) {
    let (reversed, negated) = doubled.split_at_mut(mask.len());
    for ((plain, negated), &coefficient) in reversed.iter_mut().zip(negated).zip(mask.iter().rev())
    {
        *plain = coefficient;
        *negated = coefficient.wrapping_neg();
    }
}

/// The LWE ciphertext (mask, then body) of coefficient `position`, from R and
/// the body polynomial.
pub(crate) fn extract(doubled: &[u64], body: &[u64], position: usize) -> Box<[u64]> {
    let n = body.len();
    let mask = &doubled[n - 1 - position..][..n];
    mask.iter()
        .chain(&body[position..=position])
        .copied()
        .collect()
}

/// The same from the mask itself: what one coefficient of a row is, without R for all of them.
pub(crate) fn extract_from_mask(mask: &[u64], body: &[u64], position: usize) -> Box<[u64]> {
    let (from, wrapped) = mask.split_at(position + 1);
    let negated = wrapped.iter().rev().map(|x| x.wrapping_neg());
    let elements = from.iter().rev().copied().chain(negated);
    elements.chain([body[position]]).collect()
}

/// Σ_e v\[e\] · Extract(X^(e·N/16)·ACC)_0, the output of one table, and 1/2 more where v is that
/// of f − 1/2. Coefficient 0 of X^s·ACC is −ACC\[N−s\] for s > 0.
pub(crate) fn extract_table(
    doubled: &[u64],
    body: &[u64],
    table: TruthTable,
    range: Range,
) -> Box<[u64]> {
    let vector = table.vector(range);
    let n = body.len();
    let mut elements = vec![0_u64; n + 1].into_boxed_slice();
    let (mask, sum) = elements.split_at_mut(n);
    for (edge, &step) in vector.steps().iter().enumerate() {
        let shift = edge * n / LOOKUP_VALUES;
        // Edge 0 reads coefficient 0 itself; the others, negated ones.
        let (slice, coefficient, step) = match shift {
            0 => (&doubled[n - 1..][..n], body[0], step),
            _ => (&doubled[shift - 1..][..n], body[n - shift], -step),
        };
        match step {
            0 => continue,
            1 => mask
                .iter_mut()
                .zip(slice)
                .for_each(|(x, y)| *x = x.wrapping_add(*y)),
            -1 => mask
                .iter_mut()
                .zip(slice)
                .for_each(|(x, y)| *x = x.wrapping_sub(*y)),
            step => {
                let step = i64::from(step) as u64;
                for (x, y) in mask.iter_mut().zip(slice) {
                    *x = x.wrapping_add(y.wrapping_mul(step));
                }
            }
        }
        sum[0] = sum[0].wrapping_add(coefficient.wrapping_mul(i64::from(step) as u64));
    }
    if range == Range::Whole {
        sum[0] = sum[0].wrapping_add(BIT_SCALE / 2);
    }
    elements
}

/// The output of a parity: coefficient 0 is −Δ/2 or Δ/2, Δ/2 more is 0 or Δ.
pub(crate) fn extract_parity(doubled: &[u64], body: &[u64]) -> Box<[u64]> {
    let mut elements = extract(doubled, body, 0);
    if let Some(sum) = elements.last_mut() {
        *sum = sum.wrapping_add(BIT_SCALE / 2);
    }
    elements
}

#[cfg(test)]
mod tests {
    use super::*;
    use random::Generator;

    const N: usize = 64;

    /// X^shift·p, by definition.
    fn rotate(p: &[u64], shift: usize) -> Vec<u64> {
        let mut out = vec![0; N];
        for (i, &x) in p.iter().enumerate() {
            let j = (i + shift) % (2 * N);
            out[j % N] = if j < N { x } else { x.wrapping_neg() };
        }
        out
    }

    fn phase_of_glwe(mask: &[u64], body: &[u64], key: &[u8]) -> Vec<u64> {
        let mut phase = body.to_vec();
        for (i, &bit) in key.iter().enumerate() {
            for (x, y) in phase.iter_mut().zip(rotate(mask, i)) {
                *x = x.wrapping_sub(y * u64::from(bit));
            }
        }
        phase
    }

    fn phase_of_lwe(elements: &[u64], key: &[u8]) -> u64 {
        key.iter()
            .zip(elements)
            .fold(elements[N], |phase, (&bit, element)| {
                phase.wrapping_sub(element * u64::from(bit))
            })
    }

    #[test]
    fn extraction_commutes_with_the_phase() {
        let mut generator = Generator::from_key([8; 32]);
        let mask: Vec<u64> = (0..N).map(|_| generator.uniform()).collect();
        let body: Vec<u64> = (0..N).map(|_| generator.uniform()).collect();
        let key = generator.binary_secret(N);
        let phase = phase_of_glwe(&mask, &body, key.expose());
        let mut doubled = vec![0; 2 * N];
        double_reversed(&mask, &mut doubled);
        for (position, &expected) in phase.iter().enumerate() {
            let lwe = extract(&doubled, &body, position);
            assert_eq!(phase_of_lwe(&lwe, key.expose()), expected);
            assert_eq!(extract_from_mask(&mask, &body, position), lwe);
        }
        for table in [0xaaaa, 0x8001, 0x0ff0, 0xffff, 0x0001].map(TruthTable) {
            for range in [Range::Half, Range::Whole] {
                let half = u64::from(range == Range::Whole) * BIT_SCALE / 2;
                let expected = (0..LOOKUP_VALUES).fold(half, |sum, e| {
                    let step = i64::from(table.vector(range).steps()[e]) as u64;
                    sum.wrapping_add(rotate(&phase, e * N / LOOKUP_VALUES)[0].wrapping_mul(step))
                });
                let lwe = extract_table(&doubled, &body, table, range);
                assert_eq!(phase_of_lwe(&lwe, key.expose()), expected);
            }
        }
    }
}
