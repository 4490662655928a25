//! Cones of gates with few inputs: priority cuts (Mishchenko, Cho, Chatterjee, Brayton, ICCAD
//! 2007).
//!
//! A cut of a gate is a set of signals that determine it; with it goes the gate's truth table over
//! them. Each gate keeps a few cuts, merged from those of its operands and ranked by area flow:
//! rotations, shared among readers.

use super::forms::{Form, Forms, LEAVES};

/// Cuts kept for each gate, besides the trivial one.
pub(super) const KEPT: usize = 4;

/// A gate as a function of at most four signals.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Cut {
    /// The signals in ascending order; 0 beyond `len`.
    pub(super) leaves: [u32; LEAVES],
    pub(super) len: u8,
    /// Bit `m` is the value where leaf `i` is bit `i` of `m`; does not depend on `i ≥ len`.
    pub(super) function: u16,
}

/// The tables of the leaves.
const VARIABLES: [u16; LEAVES] = [0xaaaa, 0xcccc, 0xf0f0, 0xff00];

impl Cut {
    /// A signal as a function of itself.
    pub(super) fn trivial(signal: u32) -> Self {
        Self {
            leaves: [signal, 0, 0, 0],
            len: 1,
            function: VARIABLES[0],
        }
    }

    /// The signals in use.
    pub(super) fn leaves(&self) -> &[u32] {
        &self.leaves[..usize::from(self.len)]
    }

    /// This cut over the leaves of `union`, which contain its own.
    fn spread(&self, union: &[u32; LEAVES], count: usize) -> u16 {
        let mut function = self.function;
        // From the last leaf on, each moves up through places that nothing depends on.
        let mut place = count;
        for (i, leaf) in self.leaves().iter().enumerate().rev() {
            while place > 0 && union[place - 1] != *leaf {
                place -= 1;
            }
            place = place.saturating_sub(1);
            for j in i..place {
                function = swap_with_next(function, j);
            }
        }
        function
    }

    /// The cut without leaves that its function does not depend on.
    fn reduced(mut self) -> Self {
        let mut i = 0;
        while i < usize::from(self.len) {
            if depends(self.function, i) {
                i += 1;
                continue;
            }
            let len = usize::from(self.len);
            for j in i..len - 1 {
                self.function = swap_with_next(self.function, j);
                self.leaves[j] = self.leaves[j + 1];
            }
            self.leaves[len - 1] = 0;
            self.len -= 1;
        }
        self
    }
}

/// The merged cut of operands' cuts; `function` combines their tables. `None` beyond four leaves.
pub(super) fn merge<const N: usize>(
    cuts: [&Cut; N],
    function: impl FnOnce([u16; N]) -> u16,
) -> Option<Cut> {
    let mut union = [0u32; LEAVES];
    let mut count = 0;
    for cut in cuts {
        for &leaf in cut.leaves() {
            let place = union[..count].partition_point(|&known| known < leaf);
            if place < count && union[place] == leaf {
                continue;
            }
            if count == LEAVES {
                return None;
            }
            union.copy_within(place..count, place + 1);
            union[place] = leaf;
            count += 1;
        }
    }
    let function = function(cuts.map(|cut| cut.spread(&union, count)));
    Some(
        Cut {
            leaves: union,
            len: count as u8,
            function,
        }
        .reduced(),
    )
}

/// Exchanges variables `j` and `j + 1`.
fn swap_with_next(function: u16, j: usize) -> u16 {
    let (kept, up, shift) = match j {
        0 => (0x9999, 0x2222, 1),
        1 => (0xc3c3, 0x0c0c, 2),
        _ => (0xf00f, 0x00f0, 4),
    };
    function & kept | (function & up) << shift | function >> shift & up
}

/// Whether a function depends on variable `i`.
fn depends(function: u16, i: usize) -> bool {
    (function >> (1 << i) ^ function) & !VARIABLES[i] != 0
}

/// What is known of a signal while cones are chosen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Reach {
    /// Rotations that lead to it, each shared among its readers.
    pub(super) flow: f32,
    /// Rotations on the longest path to it.
    pub(super) depth: u32,
    /// An estimate of its variance.
    pub(super) variance: f32,
}

/// A cut with its merits.
#[derive(Clone, Copy, Debug)]
pub(super) struct Ranked {
    pub(super) cut: Cut,
    pub(super) flow: f32,
    pub(super) depth: u32,
    pub(super) form: Option<Form>,
}

/// Rates a cut; `limit` is the largest variance of a sum.
pub(super) fn rank(cut: Cut, forms: &Forms, reach: &[Reach], limit: f32) -> Ranked {
    let form = forms.best(cut.function);
    let leaves = cut.leaves();
    let mut variances = [0.0; LEAVES];
    let (mut flow, mut depth) = (0.0, 0);
    for (variance, &leaf) in variances.iter_mut().zip(leaves) {
        let reach = reach[leaf as usize];
        (flow, depth) = (flow + reach.flow, depth.max(reach.depth));
        *variance = reach.variance;
    }
    // A sum that is too noisy needs refreshes; one that does not exist, other cuts.
    flow += match form {
        Some(form) if form.variance(&variances) <= limit => form.rotations(),
        Some(form) => form.rotations() + leaves.len() as f32,
        None => f32::INFINITY,
    };
    Ranked {
        cut,
        flow,
        depth: depth + u32::from(cut.len > 1),
        form,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn merged_functions() {
        let [a, b, c, d] = [3, 5, 9, 2].map(Cut::trivial);
        let both = merge([&a, &c], |[x, y]| x & y).unwrap();
        assert_eq!(
            (both.leaves(), both.function),
            (&[3, 9][..], 0xaaaa & 0xcccc)
        );
        let odd = merge([&b, &d], |[x, y]| x ^ y).unwrap();
        let all = merge([&both, &odd], |[x, y]| x & !y).unwrap();
        // Leaves 2, 3, 5, 9.
        assert_eq!(
            (all.leaves(), all.function),
            (&[2, 3, 5, 9][..], 0xcccc & 0xff00 & !(0xaaaa ^ 0xf0f0))
        );
        assert!(merge([&all, &Cut::trivial(1)], |[x, y]| x | y).is_none());
        let less = merge([&all, &both], |[x, y]| x | y).unwrap();
        assert_eq!(
            (less.leaves(), less.function),
            (&[3, 9][..], 0xaaaa & 0xcccc)
        );
    }
}
