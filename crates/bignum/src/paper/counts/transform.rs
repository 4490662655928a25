//! The paper's product on the counting unit: stages of sixteen points by butterflies and shifts,
//! elements of one word that are reduced after every operation, as software without 192-bit
//! registers has to.

use super::super::field::{PRIME, ROOT, power};
use super::super::{DIGIT_BITS, LARGEST_DIGIT};
use super::alu::Alu;

const LOW: u64 = 0xffff_ffff;

/// `a + b` of canonical elements.
fn add(alu: &mut Alu, a: u64, b: u64) -> u64 {
    // a − (p − b) borrows where a + b is below p.
    let rest = alu.sub(PRIME, b);
    let (sum, borrow) = alu.sub_borrow(a, rest);
    let more = alu.add(sum, PRIME);
    alu.choose(borrow, more, sum)
}

/// `a − b`, canonical if `b` is and `a` is.
fn sub(alu: &mut Alu, a: u64, b: u64) -> u64 {
    let (difference, borrow) = alu.sub_borrow(a, b);
    let more = alu.add(difference, PRIME);
    alu.choose(borrow, more, difference)
}

/// `2^64·high`, for which `2^32·low half − low half − high half` is.
fn fold(alu: &mut Alu, high: u64) -> u64 {
    let upper = alu.shift_right(high, 32);
    let lower = alu.and(high, LOW);
    let shifted = alu.shift_left(high, 32);
    let minus = alu.add(upper, lower);
    sub(alu, shifted, minus)
}

/// `a·b`, by the four halves of the product.
fn multiply(alu: &mut Alu, a: u64, b: u64) -> u64 {
    let (low, high) = alu.multiply(a, b);
    let folded = fold(alu, high);
    // The lower word may be p or more, and so the sum twice that.
    let sum = add(alu, low, folded);
    let below = alu.less(sum, PRIME);
    let less = alu.sub(sum, PRIME);
    alu.choose(below, sum, less)
}

/// `2^bits·a`, for fewer than 96 bits but 64.
fn shift(alu: &mut Alu, a: u64, bits: u32) -> u64 {
    match bits {
        0 => a,
        1..=32 => {
            let low = alu.shift_left(a, bits);
            let high = alu.shift_right(a, 64 - bits);
            // 2^64·high = 2^32·high − high. The lower word may be p or more, but not by as much as
            // the sum lacks.
            let shifted = alu.shift_left(high, 32);
            let folded = alu.sub(shifted, high);
            add(alu, low, folded)
        }
        33..=63 => {
            let low = alu.shift_left(a, bits);
            let high = alu.shift_right(a, 64 - bits);
            // The lower word ends in more than 32 zeros and is below p.
            let folded = fold(alu, high);
            add(alu, low, folded)
        }
        _ => {
            // 2^64·middle + 2^128·top; 2^128 = −2^32, and top has fewer than 32 bits.
            let middle = alu.shift_left(a, bits - 64);
            let top = alu.shift_right(a, 128 - bits);
            let upper = alu.shift_right(middle, 32);
            let lower = alu.and(middle, LOW);
            let shifted = alu.shift_left(middle, 32);
            let minus = alu.add(upper, lower);
            let top = alu.shift_left(top, 32);
            let minus = alu.add(minus, top);
            sub(alu, shifted, minus)
        }
    }
}

/// Sixteen points in place, in the natural order: four levels of eight butterflies and seventeen
/// shifts.
fn radix_16(alu: &mut Alu, x: &mut [u64; 16]) {
    for level in 0..4 {
        let half = 8 >> level;
        for block in x.chunks_exact_mut(2 * half) {
            for n in 0..half {
                let (a, b) = (block[n], block[n + half]);
                block[n] = add(alu, a, b);
                let difference = sub(alu, a, b);
                block[n + half] = shift(alu, difference, 12 * (n << level) as u32);
            }
        }
    }
    // Butterflies leave the order of reversed bits, which costs names of registers only.
    for n in 0..16usize {
        let reversed = (n.reverse_bits() >> (usize::BITS - 4)) & 15;
        if n < reversed {
            x.swap(n, reversed);
        }
    }
}

/// The transform of 16^s points, forward, in the order of reversed digits; with the way back as its
/// reading from the other end. Factors that are 1 are not multiplied.
fn transform(alu: &mut Alu, data: &mut [u64], powers: &[u64]) {
    let (points, mut stride) = (data.len(), data.len() / 16);
    while stride > 0 {
        let step = points / (16 * stride);
        for block in data.chunks_exact_mut(16 * stride) {
            for low in 0..stride {
                let mut x = std::array::from_fn(|k| block[k * stride + low]);
                radix_16(alu, &mut x);
                for (k, x) in x.into_iter().enumerate() {
                    block[k * stride + low] = match step * k * low {
                        0 => x,
                        exponent => {
                            let factor = alu.constant(powers[exponent]);
                            multiply(alu, x, factor)
                        }
                    };
                }
            }
        }
        stride /= 16;
    }
}

/// The order of reversed digits to the base 16.
fn reversed(mut index: usize, points: usize) -> usize {
    let (mut result, mut rest) = (0, points);
    while rest > 1 {
        result = result << 4 | (index & 15);
        index >>= 4;
        rest >>= 4;
    }
    result
}

/// Limbs of the operands whose product has a transform of exactly `points` points, a power of 16:
/// half of them are digits.
pub(super) const fn limbs(points: usize) -> usize {
    points / 2 * DIGIT_BITS / 64
}

/// `out = a·b` of operands of [`limbs`] words each.
pub(super) fn product(alu: &mut Alu, out: &mut [u64], a: &[u64], b: &[u64], points: usize) {
    let root = power(ROOT, (65_536 / points) as u64);
    let mut powers = vec![1; points];
    for at in 1..points {
        // Tables are made once.
        powers[at] = super::super::field::multiply(powers[at - 1], root);
    }
    let (mut x, mut y) = (digits(alu, a, points), digits(alu, b, points));
    transform(alu, &mut x, &powers);
    transform(alu, &mut y, &powers);
    let mut spectrum = vec![0; points];
    for at in 0..points {
        spectrum[reversed(at, points)] = multiply(alu, x[at], y[at]);
    }
    transform(alu, &mut spectrum, &powers);
    // 1/n is 2^(192 − log n), which is −2^(96 − log n).
    let bits = 96 - points.ilog2();
    let mut carry = 0;
    out.fill(0);
    for number in 0..points {
        let value = spectrum[reversed((points - number) % points, points)];
        let scaled = shift(alu, value, bits);
        let sum = sub(alu, 0, scaled);
        let digit = carried(alu, &mut carry, sum);
        put(alu, out, number, digit);
    }
}

/// The digits, and zeros: of every eight, five lie in one word and three across two.
fn digits(alu: &mut Alu, limbs: &[u64], points: usize) -> Vec<u64> {
    let mut digits = vec![0; points];
    for (number, digit) in digits.iter_mut().enumerate().take(points / 2) {
        let (at, bit) = (number * DIGIT_BITS / 64, (number * DIGIT_BITS % 64) as u32);
        let mut word = match bit {
            0 => limbs[at],
            bit => alu.shift_right(limbs[at], bit),
        };
        if bit > 64 - DIGIT_BITS as u32 {
            let upper = alu.shift_left(limbs[at + 1], 64 - bit);
            word = alu.or(word, upper);
        }
        *digit = alu.and(word, LARGEST_DIGIT);
    }
    digits
}

/// Adds a sum to what is carried, and takes the lowest digit, which is finished.
fn carried(alu: &mut Alu, carry: &mut u64, sum: u64) -> u64 {
    let (low, more) = alu.add_carry(*carry, sum);
    let digit = alu.and(low, LARGEST_DIGIT);
    let below = alu.shift_right(low, DIGIT_BITS as u32);
    let above = alu.shift_left(more, 64 - DIGIT_BITS as u32);
    *carry = alu.or(below, above);
    digit
}

/// Puts a digit into its place.
fn put(alu: &mut Alu, out: &mut [u64], number: usize, digit: u64) {
    let (at, bit) = (number * DIGIT_BITS / 64, (number * DIGIT_BITS % 64) as u32);
    if bit == 0 {
        out[at] = digit;
        return;
    }
    let shifted = alu.shift_left(digit, bit);
    out[at] = alu.or(out[at], shifted);
    if bit > 64 - DIGIT_BITS as u32 {
        out[at + 1] = alu.shift_right(digit, 64 - bit);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shifts_are_products_by_powers_of_two() {
        let mut alu = Alu::default();
        for a in [
            0,
            1,
            LOW,
            1 << 32,
            0xffff_ffff_0000_0000,
            0x1234_5678_9abc_def0,
            ROOT,
        ] {
            for bits in (0..96).filter(|&bits| bits != 64) {
                let expected = multiply(&mut alu, a, power(2, u64::from(bits)));
                assert_eq!(shift(&mut alu, a, bits), expected, "{a} by 2^{bits}");
            }
        }
    }

    #[test]
    fn products_of_every_size() {
        for points in [16, 256, 4096] {
            let n = limbs(points);
            let a: Vec<u64> = (1..=n as u64).map(|i| i.wrapping_mul(ROOT << 9)).collect();
            for b in [vec![u64::MAX; n], a.clone()] {
                let (mut alu, mut out, mut other) =
                    (Alu::default(), vec![9; 2 * n], vec![0; 2 * n]);
                product(&mut alu, &mut out, &a, &b, points);
                crate::multiply(&mut other, &a, &b).unwrap();
                assert_eq!(out, other, "{points} points");
            }
        }
    }
}
