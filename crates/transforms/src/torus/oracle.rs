//! The definition of the product in `Z/2^64[X]/(X^N + 1)`: the oracle for every transform.

/// `a·b` by the schoolbook rule, modulo 2^64 and `X^N + 1`; quadratic time.
///
/// # Panics
/// If the lengths differ.
pub fn negacyclic_product(a: &[u64], b: &[u64]) -> Vec<u64> {
    assert!(
        a.len() == b.len(),
        "polynomials of {} and {} coefficients",
        a.len(),
        b.len()
    );
    let n = a.len();
    let mut product = vec![0u64; n];
    for (i, &x) in a.iter().enumerate() {
        for (j, &y) in b.iter().enumerate() {
            let term = x.wrapping_mul(y);
            if i + j < n {
                product[i + j] = product[i + j].wrapping_add(term);
            } else {
                product[i + j - n] = product[i + j - n].wrapping_sub(term);
            }
        }
    }
    product
}

/// `X^exponent · a` modulo `X^N + 1`, the exponent modulo `2N`.
pub fn rotate(a: &[u64], exponent: usize) -> Vec<u64> {
    let n = a.len();
    let mut rotated = vec![0u64; n];
    for (j, &x) in a.iter().enumerate() {
        let place = (j + exponent) % (2 * n);
        rotated[place % n] = if place < n { x } else { x.wrapping_neg() };
    }
    rotated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_product_by_hand() {
        // (1 + 2X)(3 + X^3) = 3 + 6X + X^3 + 2X^4, and X^4 = −1.
        assert_eq!(
            negacyclic_product(&[1, 2, 0, 0], &[3, 0, 0, 1]),
            [1, 6, 0, 1]
        );
    }

    #[test]
    fn rotation_is_the_product_by_a_monomial() {
        let a = [5, 7, 11, 13, 17, 19, 23, 29];
        for exponent in 0..16 {
            let mut monomial = [0u64; 8];
            monomial[exponent % 8] = if exponent < 8 { 1 } else { u64::MAX };
            assert_eq!(rotate(&a, exponent), negacyclic_product(&a, &monomial));
        }
    }
}
