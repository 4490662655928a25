//! Numbers as little-endian slices of limbs: what takes linear time and stays in this crate.
//! Products are the crate `bignum`'s.

use std::cmp::Ordering;

/// Bits of the number; 0 for zero.
pub(crate) fn bits(a: &[u64]) -> usize {
    a.iter()
        .rposition(|&limb| limb != 0)
        .map_or(0, |at| 64 * (at + 1) - a[at].leading_zeros() as usize)
}

/// Compares numbers of one length.
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    debug_assert_eq!(a.len(), b.len());
    a.iter().rev().cmp(b.iter().rev())
}

/// Limbs that are added in one go: unrolled, the carry stays in the processor's flag, which halves
/// the time.
const UNROLLED: usize = 8;

/// `a += b` for slices of one length; the carry out.
pub(crate) fn add_assign(a: &mut [u64], b: &[u64]) -> bool {
    #[inline(always)]
    fn limb(a: &mut u64, b: u64, carry: bool) -> bool {
        let (sum, first) = a.overflowing_add(b);
        let (sum, second) = sum.overflowing_add(u64::from(carry));
        *a = sum;
        first | second
    }
    chained(a, b, limb)
}

/// `a −= b` for slices of one length; the borrow out.
pub(crate) fn subtract_assign(a: &mut [u64], b: &[u64]) -> bool {
    #[inline(always)]
    fn limb(a: &mut u64, b: u64, borrow: bool) -> bool {
        let (difference, first) = a.overflowing_sub(b);
        let (difference, second) = difference.overflowing_sub(u64::from(borrow));
        *a = difference;
        first | second
    }
    chained(a, b, limb)
}

#[inline(always)]
fn chained(a: &mut [u64], b: &[u64], limb: impl Fn(&mut u64, u64, bool) -> bool) -> bool {
    let (a, last_a) = a.as_chunks_mut::<UNROLLED>();
    let (b, last_b) = b.as_chunks::<UNROLLED>();
    let carry = a.iter_mut().zip(b).fold(false, |carry, (a, b)| {
        let limbs = a.iter_mut().zip(b);
        limbs.fold(carry, |carry, (a, &b)| limb(a, b, carry))
    });
    let limbs = last_a.iter_mut().zip(last_b);
    limbs.fold(carry, |carry, (a, &b)| limb(a, b, carry))
}

/// `a = −a` in two's complement.
#[cfg(any(test, feature = "secret"))]
pub(crate) fn negate(a: &mut [u64]) {
    let mut carry = true;
    for limb in a {
        (*limb, carry) = (!*limb).overflowing_add(u64::from(carry));
    }
}

/// `a += b mod d` for residues.
pub(crate) fn add_modulo(a: &mut [u64], b: &[u64], d: &[u64]) {
    let carry = add_assign(a, b);
    if carry || compare(a, d) != Ordering::Less {
        subtract_assign(a, d);
    }
}

/// `a −= b mod d` for residues.
pub(crate) fn subtract_modulo(a: &mut [u64], b: &[u64], d: &[u64]) {
    if subtract_assign(a, b) {
        add_assign(a, d);
    }
}

/// `a += b mod d` for a bit b.
pub(crate) fn add_bit_modulo(a: &mut [u64], bit: bool, d: &[u64]) {
    let mut carry = bit;
    for limb in a.iter_mut() {
        (*limb, carry) = limb.overflowing_add(u64::from(carry));
        if !carry {
            break;
        }
    }
    if carry || compare(a, d) != Ordering::Less {
        subtract_assign(a, d);
    }
}

/// `a = 2a mod d` for a residue.
pub(crate) fn double_modulo(a: &mut [u64], d: &[u64]) {
    let carry = a.iter_mut().fold(0, |carry, limb| {
        let out = *limb >> 63;
        *limb = *limb << 1 | carry;
        out
    });
    if carry == 1 || compare(a, d) != Ordering::Less {
        subtract_assign(a, d);
    }
}

/// `a += b·by` for slices of one length; the limb out.
#[cfg(any(test, feature = "secret"))]
pub(crate) fn add_product(a: &mut [u64], b: &[u64], by: u64) -> u64 {
    let mut carry = 0;
    for (a, &b) in a.iter_mut().zip(b) {
        let sum = u128::from(b) * u128::from(by) + u128::from(*a) + u128::from(carry);
        (*a, carry) = (sum as u64, (sum >> 64) as u64);
    }
    carry
}

/// `a·2^by` in as many limbs as that may need.
#[cfg(any(test, feature = "secret"))]
pub(crate) fn shifted_left(a: &[u64], by: usize) -> Vec<u64> {
    let (limbs, bits) = (by / 64, by % 64);
    let mut out = vec![0; a.len() + limbs + 1];
    out[limbs..limbs + a.len()].copy_from_slice(a);
    if bits > 0 {
        out[limbs..].iter_mut().fold(0, |carry, limb| {
            let high = *limb >> (64 - bits);
            *limb = *limb << bits | carry;
            high
        });
    }
    out
}

/// `a >>= by` for less than 64 bits, with `top` shifted in.
#[cfg(any(test, feature = "secret"))]
pub(crate) fn shift_right(a: &mut [u64], by: u32, top: u64) {
    if by == 0 {
        return;
    }
    a.iter_mut().rev().fold(top, |above, limb| {
        let low = *limb;
        *limb = low >> by | above << (64 - by);
        low
    });
}

/// The 64 bits from bit `at` on; zeros beyond the end.
pub(crate) fn window(a: &[u64], at: usize) -> u64 {
    let (limb, shift) = (at / 64, at % 64);
    let read = |index: usize| a.get(index).copied().unwrap_or(0);
    if shift == 0 {
        read(limb)
    } else {
        read(limb) >> shift | read(limb + 1) << (64 - shift)
    }
}

/// log2 of the number; −∞ for zero. Right to about 2^-50.
#[cfg(any(test, feature = "secret"))]
pub(crate) fn log2(a: &[u64]) -> f64 {
    let bits = bits(a);
    if bits <= 64 {
        return (a.first().copied().unwrap_or(0) as f64).log2();
    }
    (window(a, bits - 64) as f64).log2() + (bits - 64) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn residues_wrap_at_the_modulus() {
        let d = [5, u64::MAX];
        let mut a = [4, u64::MAX];
        add_modulo(&mut a, &[3, 0], &d);
        assert_eq!(a, [2, 0]);
        subtract_modulo(&mut a, &[3, 0], &d);
        assert_eq!(a, [4, u64::MAX]);
        double_modulo(&mut a, &d);
        assert_eq!(a, [3, u64::MAX]);
        add_bit_modulo(&mut a, true, &d);
        assert_eq!(a, [4, u64::MAX]);
        add_bit_modulo(&mut a, true, &d);
        assert_eq!(a, [0, 0]);
    }

    #[test]
    fn shifts_and_windows_agree() {
        let a = [0x0123_4567_89ab_cdef, 0xfedc_ba98_7654_3210, 7];
        for by in [0, 1, 63, 64, 65, 130] {
            let shifted = shifted_left(&a, by);
            for at in 0..130 {
                assert_eq!(window(&shifted, at + by), window(&a, at));
            }
            if by < 64 {
                let mut back = shifted.clone();
                shift_right(&mut back, by as u32, 0);
                assert_eq!(back[..3], a);
            }
        }
    }

    #[test]
    fn logarithms() {
        assert_eq!(log2(&[0, 0]), f64::NEG_INFINITY);
        assert_eq!(log2(&[8]), 3.0);
        assert_eq!(log2(&[0, 0, 1]), 128.0);
        assert_eq!(bits(&[0, 1, 0]), 65);
        let mut a = [1, 0];
        negate(&mut a);
        assert_eq!(a, [u64::MAX, u64::MAX]);
    }
}
