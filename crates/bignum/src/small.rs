//! Products below the transforms: schoolbook, Karatsuba and Toom by thresholds, for operands of any
//! lengths.

use std::sync::LazyLock;

use transforms::integers::columns::Columns;

use crate::{karatsuba, limbs, schoolbook, toom};

/// Limbs of the shorter operand from which columns are faster than rows.
const COLUMNS: usize = 6;

/// From how many limbs each algorithm is taken. `--example thresholds` measures them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ladder {
    /// By which products below Karatsuba's are computed, unless they are the shortest.
    pub(crate) columns: Option<Columns>,
    pub(crate) karatsuba: usize,
    pub(crate) toom: usize,
    pub(crate) square_karatsuba: usize,
    pub(crate) square_toom: usize,
}

impl Ladder {
    /// Everything, by rows.
    pub(crate) const ROWS: Self = Self {
        columns: None,
        karatsuba: 32,
        toom: 600,
        square_karatsuba: 48,
        square_toom: 700,
    };
    pub(crate) const SCHOOLBOOK: Self = Self {
        karatsuba: usize::MAX,
        square_karatsuba: usize::MAX,
        ..Self::ROWS
    };
    pub(crate) const KARATSUBA: Self = Self {
        toom: usize::MAX,
        square_toom: usize::MAX,
        ..Self::ROWS
    };

    /// By columns, and by Karatsuba's products above: transforms overtake these before Toom's do.
    const fn by_columns(columns: Columns) -> Self {
        Self {
            columns: Some(columns),
            karatsuba: 240,
            square_karatsuba: 240,
            ..Self::KARATSUBA
        }
    }

    /// The fastest of this machine.
    pub(crate) fn fastest() -> &'static Self {
        static FASTEST: LazyLock<Ladder> =
            LazyLock::new(|| Columns::detect().map_or(Ladder::ROWS, Ladder::by_columns));
        &FASTEST
    }

    /// By columns, above the longest by Karatsuba's products of halves. `None` if this machine has
    /// none.
    pub(crate) fn columns() -> Option<&'static Self> {
        static COLUMNS: LazyLock<Option<Ladder>> = LazyLock::new(|| {
            Columns::detect().map(|columns| Ladder {
                karatsuba: Columns::MOST + 1,
                square_karatsuba: Columns::MOST + 1,
                ..Ladder::by_columns(columns)
            })
        });
        COLUMNS.as_ref()
    }

    /// Limbs of working memory for operands of `n` limbs, `S(n) = 4n + 16·(log₂ n + 2)`: a step of
    /// Toom takes `8k + 8` and `S(k + 1)` with `k ≤ (n + 2)/3`, together `4n + 20 + 16·(log₂ n −
    /// log₂ 3 + 2)` at most; one of Karatsuba takes `n + 1` and the larger of `n + 2` and `S((n +
    /// 1)/2)`.
    fn scratch(n: usize) -> usize {
        4 * n + 16 * (n.max(1).ilog2() as usize + 3)
    }

    /// `out = a·b` for `b` no longer than `a`, if that is too short for Karatsuba: such products
    /// need no working memory.
    pub(crate) fn shortest(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> bool {
        if b.len() >= self.karatsuba {
            return false;
        }
        match self.columns {
            Some(columns) if b.len() >= COLUMNS && a.len() <= Columns::MOST => {
                columns.multiply(out, a, b);
            }
            Some(columns) if b.len() >= COLUMNS => {
                out.fill(0);
                let mut product = [0; 2 * Columns::MOST];
                for (at, piece) in a.chunks(Columns::MOST).enumerate() {
                    let product = &mut product[..piece.len() + b.len()];
                    columns.multiply(product, piece, b);
                    limbs::add_assign(&mut out[at * Columns::MOST..], product);
                }
            }
            _ => schoolbook::multiply(out, a, b),
        }
        true
    }

    /// [`Self::shortest`] of a square.
    pub(crate) fn shortest_square(&self, out: &mut [u64], a: &[u64]) -> bool {
        if a.len() >= self.square_karatsuba {
            return false;
        }
        match self.columns {
            Some(columns) if a.len() >= COLUMNS => columns.multiply(out, a, a),
            _ => schoolbook::square(out, a),
        }
        true
    }
}

/// `out = a·b` for operands of any lengths: the longer is cut into pieces of the shorter's length.
/// `scratch` grows to what is needed and is used again by the next product.
pub(crate) fn multiply(
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut Vec<u64>,
    with: &Ladder,
) {
    let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
    if with.shortest(out, a, b) {
        return;
    }
    let n = b.len();
    let needed = Ladder::scratch(n) + 2 * n;
    if scratch.len() < needed {
        scratch.resize(needed, 0);
    }
    if a.len() == n {
        return multiply_balanced(out, a, b, scratch, with);
    }
    let (product, rest) = scratch.split_at_mut(2 * n);
    out.fill(0);
    for (at, piece) in a.chunks(n).enumerate() {
        let product = &mut product[..piece.len() + n];
        if piece.len() == n {
            multiply_balanced(product, piece, b, rest, with);
        } else {
            // The last piece is shorter; in turn, `b` is cut into pieces of its length.
            multiply(product, b, piece, &mut Vec::new(), with);
        }
        limbs::add_assign(&mut out[at * n..], product);
    }
}

/// `out = a²`.
pub(crate) fn square(out: &mut [u64], a: &[u64], scratch: &mut Vec<u64>, with: &Ladder) {
    let needed = Ladder::scratch(a.len());
    if scratch.len() < needed {
        scratch.resize(needed, 0);
    }
    square_any(out, a, scratch, with);
}

/// `out = a·b` for operands of one length.
pub(crate) fn multiply_balanced(
    out: &mut [u64],
    a: &[u64],
    b: &[u64],
    scratch: &mut [u64],
    with: &Ladder,
) {
    if with.shortest(out, a, b) {
        return;
    }
    if a.len() < with.toom {
        karatsuba::multiply(out, a, b, scratch, with);
    } else {
        toom::multiply(out, a, b, scratch, with);
    }
}

/// `out = a²`, with working memory for it.
pub(crate) fn square_any(out: &mut [u64], a: &[u64], scratch: &mut [u64], with: &Ladder) {
    if with.shortest_square(out, a) {
        return;
    }
    if a.len() < with.square_toom {
        karatsuba::square(out, a, scratch, with);
    } else {
        toom::square(out, a, scratch, with);
    }
}
