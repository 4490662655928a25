//! Halving polynomials down to their resultant on GMP, by Kronecker's substitution.

use blindcore_gentry_halevi::Parameters;
use random::Generator;
use rug::Integer;
use rug::integer::Order;

/// n uniform t-bit coefficients of odd sum.
pub(crate) fn draw(parameters: &Parameters, generator: &mut Generator) -> Vec<Integer> {
    let t = parameters.coefficient_bits() as u32;
    let mut v: Vec<Integer> = (0..parameters.dimension())
        .map(|_| {
            let limbs: Vec<u64> = (0..t.div_ceil(64)).map(|_| generator.uniform()).collect();
            Integer::from_digits(&limbs, Order::Lsf).keep_bits(t) - (Integer::from(1) << (t - 1))
        })
        .collect();
    let sum: Integer = v.iter().sum();
    if sum.is_even() {
        v[1] += 1;
    }
    v
}

/// The resultant of v and x^n + 1, and the two lowest coefficients of its multiple of 1/v.
pub(crate) fn resultant(mut v: Vec<Integer>) -> (Integer, [Integer; 2]) {
    let (even, odd) = halves(&v);
    let negated = odd.iter().map(|c| Integer::from(-c)).collect();
    v = minus_shifted(times(&even, &even), &times(&odd, &odd));
    let mut inverse = [even, negated];
    while v.len() > 1 {
        let (even, odd) = halves(&v);
        for u in &mut inverse {
            let (u_even, u_odd) = halves(u);
            *u = minus_shifted(times(&u_even, &even), &times(&u_odd, &odd));
        }
        v = minus_shifted(times(&even, &even), &times(&odd, &odd));
    }
    (v.remove(0), inverse.map(|mut u| u.remove(0)))
}

fn halves(v: &[Integer]) -> (Vec<Integer>, Vec<Integer>) {
    let half = |parity| v.iter().skip(parity).step_by(2).cloned().collect();
    (half(0), half(1))
}

/// `a − y·b mod y^N + 1`.
fn minus_shifted(mut a: Vec<Integer>, b: &[Integer]) -> Vec<Integer> {
    let last = b.len() - 1;
    a[0] += &b[last];
    for (a, b) in a[1..].iter_mut().zip(b) {
        *a -= b;
    }
    a
}

/// `a·b mod y^N + 1`.
fn times(a: &[Integer], b: &[Integer]) -> Vec<Integer> {
    let bits = |v: &[Integer]| v.iter().map(Integer::significant_bits).max().unwrap_or(0);
    let slot = (bits(a) + bits(b) + a.len().ilog2() + 3).div_ceil(64) as usize;
    let product = if std::ptr::eq(a, b) {
        packed(a, slot).square()
    } else {
        packed(a, slot) * packed(b, slot)
    };
    let negative = product < 0;
    let mut digits: Vec<u64> = product.to_digits(Order::Lsf);
    // Digits are those of the absolute value; signs of coefficients change with its sign.
    digits.resize(2 * a.len() * slot, 0);
    let mut borrowed = 0;
    let mut coefficients: Vec<Integer> = digits
        .chunks_exact(slot)
        .map(|digit| {
            let below_zero = digit[slot - 1] >> 63;
            let mut number = Integer::from_digits(digit, Order::Lsf) + borrowed;
            number -= Integer::from(below_zero) << (64 * slot as u32);
            borrowed = below_zero;
            if negative { -number } else { number }
        })
        .collect();
    let high = coefficients.split_off(a.len());
    for (low, high) in coefficients.iter_mut().zip(high) {
        *low -= high;
    }
    coefficients
}

/// The polynomial's value at 2^(64·slot).
fn packed(v: &[Integer], slot: usize) -> Integer {
    let part = |negative: bool| {
        let mut digits = vec![0_u64; v.len() * slot];
        for (digit, number) in digits.chunks_exact_mut(slot).zip(v) {
            if (*number < 0) == negative {
                let limbs: Vec<u64> = number.to_digits(Order::Lsf);
                digit[..limbs.len()].copy_from_slice(&limbs);
            }
        }
        Integer::from_digits(&digits, Order::Lsf)
    };
    part(false) - part(true)
}
