//! Numbers of many words on the counting unit: sums, differences, and products by schoolbook and by
//! Karatsuba.

use super::alu::Alu;

/// Operands of at most this many words are multiplied by schoolbook, as the paper says of its own.
const BASE: usize = 3;

/// `out += a`, and the carry out of `out`, which is the longer.
pub(super) fn add_assign(alu: &mut Alu, out: &mut [u64], a: &[u64]) -> u64 {
    let (low, high) = out.split_at_mut(a.len());
    let mut carry = None;
    for (out, &a) in low.iter_mut().zip(a) {
        carry = Some(match carry {
            // Nothing is carried into the first word.
            None => {
                let (sum, carry) = alu.add_carry(*out, a);
                *out = sum;
                carry
            }
            Some(carry) => {
                let (sum, first) = alu.add_carry(*out, a);
                let (sum, second) = alu.add_carry(sum, carry);
                *out = sum;
                alu.add(first, second)
            }
        });
    }
    propagate(alu, high, carry.unwrap_or(0), Alu::add_carry)
}

/// `out −= a`, and the borrow out of `out`, which is the longer.
fn sub_assign(alu: &mut Alu, out: &mut [u64], a: &[u64]) -> u64 {
    let (low, high) = out.split_at_mut(a.len());
    let mut borrow = None;
    for (out, &a) in low.iter_mut().zip(a) {
        borrow = Some(match borrow {
            None => {
                let (difference, borrow) = alu.sub_borrow(*out, a);
                *out = difference;
                borrow
            }
            Some(borrow) => {
                let (difference, first) = alu.sub_borrow(*out, a);
                let (difference, second) = alu.sub_borrow(difference, borrow);
                *out = difference;
                alu.add(first, second)
            }
        });
    }
    propagate(alu, high, borrow.unwrap_or(0), Alu::sub_borrow)
}

/// Carries into words until nothing is carried: a branch, as in any library.
fn propagate(
    alu: &mut Alu,
    words: &mut [u64],
    mut carry: u64,
    step: fn(&mut Alu, u64, u64) -> (u64, u64),
) -> u64 {
    for word in words {
        if carry == 0 {
            break;
        }
        (*word, carry) = step(alu, *word, carry);
    }
    carry
}

/// `out = a·b` of operands of the same length, word by word.
fn schoolbook(alu: &mut Alu, out: &mut [u64], a: &[u64], b: &[u64]) {
    let n = a.len();
    for (i, &a) in a.iter().enumerate() {
        let mut carry = None;
        for (j, &b) in b.iter().enumerate() {
            let (mut low, mut high) = alu.multiply(a, b);
            if i > 0 {
                let (sum, more) = alu.add_carry(low, out[i + j]);
                low = sum;
                high = alu.add(high, more);
            }
            if let Some(carry) = carry {
                let (sum, more) = alu.add_carry(low, carry);
                low = sum;
                high = alu.add(high, more);
            }
            out[i + j] = low;
            carry = Some(high);
        }
        out[i + n] = carry.unwrap_or(0);
    }
}

/// `out = a·b` of operands of the same length: three products of halves, the third of sums one word
/// longer.
pub(super) fn karatsuba(alu: &mut Alu, out: &mut [u64], a: &[u64], b: &[u64]) {
    let n = a.len();
    if n <= BASE {
        return schoolbook(alu, out, a, b);
    }
    let half = n.div_ceil(2);
    let ((a0, a1), (b0, b1)) = (a.split_at(half), b.split_at(half));
    let (low, high) = out.split_at_mut(2 * half);
    karatsuba(alu, low, a0, b0);
    karatsuba(alu, high, a1, b1);
    let sum = |alu: &mut Alu, low: &[u64], high: &[u64]| {
        let mut sum = low.to_vec();
        let carry = add_assign(alu, &mut sum, high);
        sum.push(carry);
        sum
    };
    let (a, b) = (sum(alu, a0, a1), sum(alu, b0, b1));
    let mut middle = vec![0; 2 * a.len()];
    karatsuba(alu, &mut middle, &a, &b);
    sub_assign(alu, &mut middle, low);
    sub_assign(alu, &mut middle, high);
    // The middle is below 2^(64·(n + 1)).
    let longest = middle.len().min(2 * n - half);
    add_assign(alu, &mut out[half..], &middle[..longest]);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(seed: u64, length: usize) -> Vec<u64> {
        let step = |x: &u64| Some(x.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1));
        let limbs = std::iter::successors(Some(seed), step).skip(9);
        limbs.map(|x| x ^ x >> 29).take(length).collect()
    }

    #[test]
    fn products_are_right_and_as_many_as_the_recursion_says() {
        fn expected(n: usize) -> u64 {
            match n {
                0..=BASE => (n * n) as u64,
                _ => expected(n / 2) + expected(n.div_ceil(2)) + expected(n.div_ceil(2) + 1),
            }
        }
        for n in [1, 2, 3, 4, 5, 6, 7, 12, 13, 48, 100, 257] {
            for (a, b) in [
                (numbers(n as u64, n), numbers(77, n)),
                (vec![u64::MAX; n], vec![u64::MAX; n]),
            ] {
                let (mut alu, mut out, mut other) =
                    (Alu::default(), vec![0; 2 * n], vec![0; 2 * n]);
                karatsuba(&mut alu, &mut out, &a, &b);
                crate::multiply(&mut other, &a, &b).unwrap();
                assert_eq!(out, other, "{n} limbs");
                assert_eq!(alu.counts.products, expected(n));
                assert_eq!(alu.counts.halves, 2 * expected(n));
            }
        }
        // A third of the paper's 26,138,787.
        assert_eq!(expected(12_288), 8_712_929);
    }
}
