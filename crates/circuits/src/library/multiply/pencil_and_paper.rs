//! Pencil and paper with its additions in a tree, lowest bits kept.
//!
//! Rows 2i and 2i + 1 are added, then their sums in pairs, and so on. Of two rows the one that
//! begins lower keeps the columns below the other as they are, and only the rest is added: the row
//! that begins in column r takes an addition of n − r bits, cut at n columns. So the n − 1
//! additions take `(n − 1)(n − 2)/2` full adders in whatever order, and the tree makes them as
//! shallow as the last. Any number of rows will do: a row without a partner waits for the next
//! level.
//!
//! With the one-AND ripple adder of the paper (algorithm 1), n ≥ 2, cut to n bits:
//!
//! | | |
//! |---|---|
//! | ANDs | `n(n + 1)/2 + (n − 1)(n − 2)/2 = n² − n + 1` |
//! | XORs | `2n² − 7n + 7` |
//! | ANDs on the longest path | n |
//! | gates on it, n ≥ 3 | `3n − 7 + ⌈log₂n⌉ + ⌈log₂(n − 1)⌉` |
//!
//! The long product adds rows of n bits and more (a row more for each level) and is the paper's
//! circuit without the cut.
//!
//! Source: C. Xu, J. Chen, W. Wu, Y. Feng, Homomorphically encrypted arithmetic operations over the
//! integer ring, 2016, §3.3, figure 2 and algorithm 3, whose line 1 begins at i = 1; row 0 is meant
//! too.

use super::rows::Row;
use crate::architectures::{Adder, Formula};
use crate::library::add::add_with;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Adds rows of which row i begins in column i and has up to n bits (the first and the last one
/// more): modulo 2^`width`.
pub(super) fn add_rows(
    b: &mut Builder,
    adder: Adder,
    n: usize,
    width: usize,
    rows: Vec<Row>,
) -> Word {
    let mut level: Vec<(Row, usize)> = rows.into_iter().map(|row| (row, 1)).collect();
    while level.len() > 1 {
        let mut next = Vec::with_capacity(level.len().div_ceil(2));
        let mut pairs = level.into_iter();
        while let Some((low, count)) = pairs.next() {
            next.push(match pairs.next() {
                Some((high, more)) => {
                    // k rows from column s on are less than 2ⁿ⁺ᵏ·2ˢ.
                    let end = (low.start + n + count + more).min(width);
                    (add_two(b, adder, &low, &high, end), count + more)
                }
                None => (low, count),
            });
        }
        level = next;
    }
    match level.pop() {
        Some((row, _)) => row.padded(width),
        None => vec![Wire::FALSE; width],
    }
}

/// The sum of two rows, of which `high` does not begin lower, up to column `end`.
fn add_two(b: &mut Builder, adder: Adder, low: &Row, high: &Row, end: usize) -> Row {
    let kept = high.start - low.start;
    let mut bits: Word = low.bits.iter().copied().take(kept).collect();
    bits.resize(kept, Wire::FALSE);
    let extended = |word: &[Wire]| -> Word {
        let mut word = word.to_vec();
        word.resize(end.saturating_sub(high.start), Wire::FALSE);
        word
    };
    let (x, y) = (
        extended(low.bits.get(kept..).unwrap_or_default()),
        extended(&high.bits),
    );
    bits.extend(add_with(b, adder, &x, &y, Wire::FALSE).sum);
    Row {
        start: low.start,
        bits,
    }
}

/// The lowest n bits by the one-AND ripple adder.
pub(super) const fn gates(n: usize) -> Formula {
    let (xors, depth) = match n {
        0 | 1 => (0, n),
        2 => (1, 2),
        _ => {
            let (log, log_less) = (ceil_log(n), ceil_log(n - 1));
            (2 * n * n + 7 - 7 * n, 3 * n + log + log_less - 7)
        }
    };
    Formula {
        ands: match n {
            0 => 0,
            _ => n * n + 1 - n,
        },
        xors,
        muxes: 0,
        depth,
    }
}

/// `⌈log₂n⌉`.
const fn ceil_log(n: usize) -> usize {
    n.next_power_of_two().ilog2() as usize
}
