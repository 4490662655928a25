//! Arithmetic modulo one number of at most 50 bits, one number at a time: what tables are made
//! with.

pub(super) fn multiply(a: u64, b: u64, q: u64) -> u64 {
    (u128::from(a) * u128::from(b) % u128::from(q)) as u64
}

pub(super) fn power(base: u64, mut exponent: u64, q: u64) -> u64 {
    let (mut result, mut square) = (1 % q, base % q);
    while exponent > 0 {
        if exponent & 1 == 1 {
            result = multiply(result, square, q);
        }
        square = multiply(square, square, q);
        exponent >>= 1;
    }
    result
}

/// Modulo a prime that does not divide it.
pub(super) fn invert(x: u64, q: u64) -> u64 {
    power(x, q - 2, q)
}

/// Miller–Rabin with the bases that decide below `3·10^24` (Sorenson and Webster, *Strong
/// pseudoprimes to twelve prime bases*, 2017).
pub(super) fn is_prime(n: u64) -> bool {
    const BASES: [u64; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];
    if n < 2 || BASES.iter().any(|&base| n.is_multiple_of(base)) {
        return BASES.contains(&n);
    }
    let twos = (n - 1).trailing_zeros();
    BASES.iter().all(|&base| {
        let mut x = power(base, (n - 1) >> twos, n);
        let mut passes = x == 1 || x == n - 1;
        for _ in 1..twos {
            x = multiply(x, x, n);
            passes |= x == n - 1;
        }
        passes
    })
}

/// The different primes that divide it, ascending.
pub(super) fn prime_factors(mut n: u64) -> Vec<u64> {
    let mut factors = Vec::new();
    let mut candidate = 2;
    while candidate * candidate <= n {
        if n.is_multiple_of(candidate) {
            factors.push(candidate);
            while n.is_multiple_of(candidate) {
                n /= candidate;
            }
        }
        candidate += 1;
    }
    if n > 1 {
        factors.push(n);
    }
    factors
}

/// The least generator of the multiplicative group modulo a prime below 2^32.
pub(super) fn generator(p: u64) -> u64 {
    let factors = prime_factors(p - 1);
    let generates = |&g: &u64| factors.iter().all(|f| power(g, (p - 1) / f, p) != 1);
    (1..p).find(generates).unwrap_or(1)
}

/// A number of that order modulo a prime `q`; `order` divides `q − 1` and `factors` are the primes
/// that divide the order.
pub(super) fn root_of_unity(order: u64, factors: &[u64], q: u64) -> u64 {
    let has_order = |x: &u64| factors.iter().all(|f| power(*x, order / f, q) != 1);
    (2..q)
        .map(|x| power(x, (q - 1) / order, q))
        .find(has_order)
        .unwrap_or(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primes_are_told_from_others() {
        let naive = |n: u64| {
            n > 1
                && (2..n)
                    .take_while(|d| d * d <= n)
                    .all(|d| !n.is_multiple_of(d))
        };
        for n in 0..20_000 {
            assert_eq!(is_prime(n), naive(n), "{n}");
        }
        assert!(is_prime((1 << 61) - 1));
        assert!(!is_prime(3_215_031_751)); // A strong pseudoprime to the bases 2, 3, 5 and 7.
    }

    #[test]
    fn generators_generate() {
        for p in [3, 5, 7, 17, 257, 8191, 65_537] {
            let g = generator(p);
            let order = (1..p).find(|&e| power(g, e, p) == 1);
            assert_eq!(order, Some(p - 1));
        }
        assert_eq!(prime_factors(65_535), [3, 5, 17, 257]);
        assert_eq!(prime_factors(720), [2, 3, 5]);
    }
}
