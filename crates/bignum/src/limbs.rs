//! Vectors of limbs as numbers: little-endian, 64 bits each, with as many leading zeros as the
//! slice has room for. What takes linear time is here.

use std::cmp::Ordering;

/// Limbs without the zeros at the top; 0 for zero.
pub(crate) fn length(a: &[u64]) -> usize {
    a.iter().rposition(|&limb| limb != 0).map_or(0, |at| at + 1)
}

/// The number without the zeros at its top.
pub(crate) fn trim(a: &[u64]) -> &[u64] {
    &a[..length(a)]
}

/// Compares numbers, whatever the lengths of their slices.
pub(crate) fn compare(a: &[u64], b: &[u64]) -> Ordering {
    let (a, b) = (trim(a), trim(b));
    a.len()
        .cmp(&b.len())
        .then_with(|| a.iter().rev().cmp(b.iter().rev()))
}

/// `a + b + carry`, with the carry out.
#[inline(always)]
pub(crate) fn add_with_carry(a: u64, b: u64, carry: bool) -> (u64, bool) {
    let (sum, first) = a.overflowing_add(b);
    let (sum, second) = sum.overflowing_add(u64::from(carry));
    (sum, first | second)
}

/// `a − b − borrow`, with the borrow out.
#[inline(always)]
pub(crate) fn subtract_with_borrow(a: u64, b: u64, borrow: bool) -> (u64, bool) {
    let (difference, first) = a.overflowing_sub(b);
    let (difference, second) = difference.overflowing_sub(u64::from(borrow));
    (difference, first | second)
}

/// Limbs that are added in one go: the carries between them stay in the processor's flag.
const UNROLLED: usize = 16;

/// `a = step(a, b, carry)` limb by limb, for slices of one length; the carry out.
#[inline(always)]
fn chain(a: &mut [u64], b: &[u64], step: impl Fn(u64, u64, bool) -> (u64, bool)) -> bool {
    let mut carry = false;
    let (a, a_rest) = a.as_chunks_mut::<UNROLLED>();
    let (b, b_rest) = b.as_chunks::<UNROLLED>();
    for (a, b) in a.iter_mut().zip(b) {
        let (left, right) = (*a, *b);
        for at in 0..UNROLLED {
            (a[at], carry) = step(left[at], right[at], carry);
        }
    }
    for (a, &b) in a_rest.iter_mut().zip(b_rest) {
        (*a, carry) = step(*a, b, carry);
    }
    carry
}

/// `out = step(a, b, carry)` limb by limb, for slices of one length; the carry out.
#[inline(always)]
fn chain_into(
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    step: impl Fn(u64, u64, bool) -> (u64, bool),
) -> bool {
    let mut carry = false;
    let (out, out_rest) = out.as_chunks_mut::<UNROLLED>();
    let (a, a_rest) = a.as_chunks::<UNROLLED>();
    let (b, b_rest) = b.as_chunks::<UNROLLED>();
    for ((out, a), b) in out.iter_mut().zip(a).zip(b) {
        let (left, right) = (*a, *b);
        for at in 0..UNROLLED {
            (out[at], carry) = step(left[at], right[at], carry);
        }
    }
    for ((out, &a), &b) in out_rest.iter_mut().zip(a_rest).zip(b_rest) {
        (*out, carry) = step(a, b, carry);
    }
    carry
}

/// `a += b` for `b` no longer than `a`; the carry out of `a`.
pub(crate) fn add_assign(a: &mut [u64], b: &[u64]) -> bool {
    let (low, high) = a.split_at_mut(b.len());
    chain(low, b, add_with_carry) && increment(high)
}

/// `a −= b` for `b` no longer than `a`; the borrow out of `a`.
pub(crate) fn subtract_assign(a: &mut [u64], b: &[u64]) -> bool {
    let (low, high) = a.split_at_mut(b.len());
    chain(low, b, subtract_with_borrow) && decrement(high)
}

/// `a = b − a` for slices of one length; the borrow out.
pub(crate) fn subtract_from(a: &mut [u64], b: &[u64]) -> bool {
    chain(a, b, |a, b, borrow| subtract_with_borrow(b, a, borrow))
}

/// `out = a + b` for `b` no longer than `a`, and `out` as long; the carry out.
pub(crate) fn add(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let (low, high) = out.split_at_mut(b.len());
    high.copy_from_slice(&a[b.len()..]);
    chain_into(low, &a[..b.len()], b, add_with_carry) && increment(high)
}

/// `out = a − b` for `b` no longer than `a`, and `out` as long; the borrow out.
pub(crate) fn subtract(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let (low, high) = out.split_at_mut(b.len());
    high.copy_from_slice(&a[b.len()..]);
    chain_into(low, &a[..b.len()], b, subtract_with_borrow) && decrement(high)
}

/// `out = |a − b|` for `b` no longer than `a`, and `out` as long as `a`; whether `a < b`.
pub(crate) fn absolute_difference(out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
    let negative = compare(a, b) == Ordering::Less;
    if negative {
        // Then `b` is the longer number, and what `a` has beyond `b`'s slice is zero.
        out[..b.len()].copy_from_slice(b);
        out[b.len()..].fill(0);
        subtract_assign(&mut out[..b.len()], &a[..b.len()]);
    } else {
        out.copy_from_slice(a);
        subtract_assign(out, b);
    }
    negative
}

/// `a += 1`; whether it wrapped.
pub(crate) fn increment(a: &mut [u64]) -> bool {
    a.iter_mut().all(|limb| {
        *limb = limb.wrapping_add(1);
        *limb == 0
    })
}

/// `a −= 1`; whether it wrapped.
pub(crate) fn decrement(a: &mut [u64]) -> bool {
    a.iter_mut().all(|limb| {
        let wrapped = *limb == 0;
        *limb = limb.wrapping_sub(1);
        wrapped
    })
}

/// `a <<= by` for less than 64 bits; the bits shifted out.
pub(crate) fn shift_left(a: &mut [u64], by: u32) -> u64 {
    if by == 0 {
        return 0;
    }
    a.iter_mut().fold(0, |carry, limb| {
        let out = *limb >> (64 - by);
        *limb = *limb << by | carry;
        out
    })
}

/// `a >>= by` for less than 64 bits.
pub(crate) fn shift_right(a: &mut [u64], by: u32) {
    if by == 0 {
        return;
    }
    a.iter_mut().rev().fold(0, |carry, limb| {
        let out = *limb << (64 - by);
        *limb = *limb >> by | carry;
        out
    });
}

/// `a += b·by` for `b` no longer than `a`; the limb out of `a`.
pub(crate) fn add_product(a: &mut [u64], b: &[u64], by: u64) -> u64 {
    let (low, high) = a.split_at_mut(b.len());
    let mut carry = 0;
    for (a, &b) in low.iter_mut().zip(b) {
        let t = u128::from(b) * u128::from(by) + u128::from(*a) + u128::from(carry);
        (*a, carry) = (t as u64, (t >> 64) as u64);
    }
    for limb in high {
        if carry == 0 {
            break;
        }
        let (sum, overflow) = limb.overflowing_add(carry);
        (*limb, carry) = (sum, u64::from(overflow));
    }
    carry
}

/// `a −= b·by` for `b` no longer than `a`; the limb borrowed.
pub(crate) fn subtract_product(a: &mut [u64], b: &[u64], by: u64) -> u64 {
    let (low, high) = a.split_at_mut(b.len());
    let mut borrow = 0;
    for (a, &b) in low.iter_mut().zip(b) {
        let t = u128::from(b) * u128::from(by) + u128::from(borrow);
        let (difference, under) = a.overflowing_sub(t as u64);
        // The top half of the product is at most 2^64 − 2, so the borrow fits.
        (*a, borrow) = (difference, (t >> 64) as u64 + u64::from(under));
    }
    for limb in high {
        if borrow == 0 {
            break;
        }
        let (difference, under) = limb.overflowing_sub(borrow);
        (*limb, borrow) = (difference, u64::from(under));
    }
    borrow
}
/// Bits of the number; 0 for zero.
pub(crate) fn bits(a: &[u64]) -> usize {
    let length = length(a);
    match length.checked_sub(1) {
        Some(top) => 64 * length - a[top].leading_zeros() as usize,
        None => 0,
    }
}
