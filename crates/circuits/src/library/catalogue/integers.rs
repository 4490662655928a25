//! Widths and signs of integers that stand for words.

/// A mask of the lowest bits.
pub(super) fn low(width: usize) -> u128 {
    match width {
        0..128 => (1 << width) - 1,
        _ => u128::MAX,
    }
}

/// A word's value in two's complement.
pub(super) fn signed(width: usize, value: u128) -> i128 {
    let shift = 128 - width as u32;
    ((value << shift) as i128) >> shift
}

/// Operands of one width.
pub(super) const ONE: fn(usize) -> Vec<usize> = |n| vec![n];
/// Two operands of one width.
pub(super) const TWO: fn(usize) -> Vec<usize> = |n| vec![n, n];
/// Three operands of one width.
pub(super) const THREE: fn(usize) -> Vec<usize> = |n| vec![n; 3];
