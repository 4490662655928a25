//! Arithmetic modulo one prime of at most 50 bits, for constants.

pub(crate) fn multiply(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

pub(crate) fn power(mut base: u64, mut exponent: u64, q: u64) -> u64 {
    let mut result = 1 % q;
    base %= q;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, base, q);
        }
        base = multiply(base, base, q);
        exponent >>= 1;
    }
    result
}

/// The inverse modulo a prime of what it does not divide.
pub(crate) fn inverse(a: u64, q: u64) -> u64 {
    power(a, q - 2, q)
}

pub(crate) fn negate(a: u64, q: u64) -> u64 {
    if a == 0 { 0 } else { q - a }
}

/// The product of numbers modulo a prime.
pub(crate) fn product(factors: impl IntoIterator<Item = u64>, q: u64) -> u64 {
    factors
        .into_iter()
        .fold(1 % q, |product, factor| multiply(product, factor % q, q))
}
