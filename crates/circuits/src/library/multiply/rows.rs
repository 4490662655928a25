//! The partial products of pencil and paper: a row for each bit of the second factor.
//!
//! Row i has `x_j·y_i` in column i + j. In two's complement a product with exactly one sign bit
//! counts negatively, `−p·2^c = ¬p·2^c − 2^c`, and all these −2^c together are 1 in column n and 1
//! in column 2n − 1: the modified form of Baugh and Wooley. The two ones stand where the first and
//! the last row have a free place, so that there are still n rows.
//!
//! Cost: n² ANDs for the long product, n(n + 1)/2 for the lowest n bits; depth 1.
//!
//! Source: C. R. Baugh and B. A. Wooley, A two's complement parallel array multiplication
//! algorithm, IEEE Trans. Computers, 1973; C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically
//! encrypted arithmetic operations over the integer ring, 2016, figure 2; X. Gong, D. Negrut,
//! CryptoEmu, 2020, figures 12 and 15.

use crate::library::word::{Signedness, Word};
use crate::{Builder, Wire};

/// A row: its bits from column `start` on.
#[derive(Clone, Debug)]
pub(super) struct Row {
    pub(super) start: usize,
    pub(super) bits: Word,
}

impl Row {
    /// The bits of columns 0 to `width`, FALSE where the row has none.
    pub(super) fn padded(&self, width: usize) -> Word {
        let mut word = vec![Wire::FALSE; self.start];
        word.extend_from_slice(&self.bits);
        word.resize(width, Wire::FALSE);
        word
    }
}

/// `x_j·y_i` for the lowest `count` j, inverted where exactly one of the two is a sign.
pub(super) fn products(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    i: usize,
    count: usize,
) -> Word {
    let is_sign =
        |at: usize, word: &[Wire]| signedness == Signedness::Signed && at + 1 == word.len();
    let row = x.iter().enumerate().take(count).map(|(j, &x_bit)| {
        let product = b.and(x_bit, y[i]);
        if is_sign(i, y) != is_sign(j, x) {
            !product
        } else {
            product
        }
    });
    row.collect()
}

/// The rows of `x·y` for words of n bits, cut at `width` columns. Rows without any are left out.
pub(super) fn rows(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    width: usize,
) -> Vec<Row> {
    let n = y.len();
    let mut rows = Vec::with_capacity(n.min(width));
    for start in 0..n.min(width) {
        let mut bits = products(b, signedness, x, y, start, width - start);
        // Words of one bit have both ones in the same column, where they are nothing.
        let has_one = signedness == Signedness::Signed && n > 1 && (start == 0 || start + 1 == n);
        if has_one && start + bits.len() < width {
            bits.push(Wire::TRUE);
        }
        rows.push(Row { start, bits });
    }
    rows
}
