//! Products below the transforms: schoolbook, Karatsuba and Toom by thresholds, for operands of any
//! lengths.

use crate::{karatsuba, schoolbook, toom};

/// From how many limbs each algorithm is taken. `bench/micro`'s `thresholds` measures them.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Ladder {
    pub(crate) karatsuba: usize,
    pub(crate) toom: usize,
    pub(crate) square_karatsuba: usize,
    pub(crate) square_toom: usize,
}

impl Ladder {
    pub(crate) const MEASURED: Self = Self {
        karatsuba: 32,
        toom: 600,
        square_karatsuba: 48,
        square_toom: 700,
    };
    pub(crate) const SCHOOLBOOK: Self = Self {
        karatsuba: usize::MAX,
        toom: usize::MAX,
        square_karatsuba: usize::MAX,
        square_toom: usize::MAX,
    };
    pub(crate) const KARATSUBA: Self = Self {
        toom: usize::MAX,
        square_toom: usize::MAX,
        ..Self::MEASURED
    };

    /// Limbs of working memory for operands of `n` limbs, `S(n) = 4n + 16·(log₂ n + 2)`: a step of
    /// Toom takes `8k + 8` and `S(k + 1)` with `k ≤ (n + 2)/3`, together `4n + 20 + 16·(log₂ n −
    /// log₂ 3 + 2)` at most; one of Karatsuba takes `n + 1` and the larger of `n + 2` and `S((n +
    /// 1)/2)`.
    fn scratch(n: usize) -> usize {
        4 * n + 16 * (n.max(1).ilog2() as usize + 3)
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
    if b.len() < with.karatsuba {
        return schoolbook::multiply(out, a, b);
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
        crate::limbs::add_assign(&mut out[at * n..], product);
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
    if a.len() < with.karatsuba {
        schoolbook::multiply(out, a, b);
    } else if a.len() < with.toom {
        karatsuba::multiply(out, a, b, scratch, with);
    } else {
        toom::multiply(out, a, b, scratch, with);
    }
}

/// `out = a²`, with working memory for it.
pub(crate) fn square_any(out: &mut [u64], a: &[u64], scratch: &mut [u64], with: &Ladder) {
    if a.len() < with.square_karatsuba {
        schoolbook::square(out, a);
    } else if a.len() < with.square_toom {
        karatsuba::square(out, a, scratch, with);
    } else {
        toom::square(out, a, scratch, with);
    }
}
