//! The exact noise of a weighted sum.
//!
//! The outputs of one rotation share its noise: output `j` of a lookup is the combination `v_j`
//! of window edges, so a sum of several of them has the variance `‖Σ wⱼ·vⱼ‖²`, which may be less or
//! more than the sum of the single ones (a register added with an offset of one bit against the
//! slices that made it has 280 instead of 112). Different rotations and inputs are independent.
//! Units: the variance of one rotation's output with `‖v‖² = 1`.

use super::table::{ENTRIES, edges};

/// Where a bit's noise comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A constant has none.
    Constant,
    /// An input, independent of everything else but itself.
    Fresh,
    /// The function `mask` of a rotation, by the number of its node.
    Rotation { node: u32, mask: u16 },
}

/// The variance of `Σ weight·bit` over distinct bits.
pub(crate) fn variance_of(
    terms: impl IntoIterator<Item = (Origin, i8)>,
    fresh: f64,
    buffer: &mut Vec<(u32, u16, i8)>,
) -> f64 {
    buffer.clear();
    let mut inputs = 0i32;
    for (origin, weight) in terms {
        match origin {
            Origin::Constant => {}
            Origin::Fresh => inputs += i32::from(weight) * i32::from(weight),
            Origin::Rotation { node, mask } => buffer.push((node, mask, weight)),
        }
    }
    buffer.sort_unstable();
    let mut total = f64::from(inputs) * fresh;
    for outputs in buffer.chunk_by(|a, b| a.0 == b.0) {
        let mut combined = [0i32; ENTRIES];
        for &(_, mask, weight) in outputs {
            for (sum, edge) in combined.iter_mut().zip(edges(mask)) {
                *sum += i32::from(weight) * edge;
            }
        }
        total += f64::from(combined.iter().map(|edge| edge * edge).sum::<i32>());
    }
    total
}
