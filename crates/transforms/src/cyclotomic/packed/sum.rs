//! Sums of packed rows.

use super::arch::{Kernel, LOWS, Line, Lines};
use super::{MOST_PLANES, rolled};

/// `a ← a + b`.
pub(super) struct Sum<'a> {
    pub(super) a: &'a mut [Line],
    pub(super) b: &'a [Line],
    pub(super) planes: usize,
    pub(super) q: u64,
}

/// One bit for each word of a chunk, sixteen for each line of lower halves.
type Masks = [u16; LOWS];

impl Kernel for Sum<'_> {
    #[inline(always)]
    fn run<V: Lines>(self, v: V) {
        let low = v.splat(self.q as u32);
        // Subtracting q is adding its complement and 1.
        let mut complement = [0; MOST_PLANES];
        for (j, bits) in complement.iter_mut().enumerate() {
            *bits = (self.q >> (32 + j) & 1).wrapping_sub(1) as u32;
        }
        let complement = &complement[..self.planes.min(MOST_PLANES)];
        let mut differences = [Line::ZERO; MOST_PLANES];
        let lows = rolled(LOWS);
        let size = lows + complement.len();
        let chunks = self.a.chunks_exact_mut(size);
        for (a, b) in chunks.zip(self.b.chunks_exact(size)) {
            let (a, a_planes) = a.split_at_mut(lows);
            let (b, b_planes) = b.split_at(lows);
            let (mut carry, mut reached) = (v.splat(0), v.splat(0));
            let fours = a.as_chunks_mut::<4>().0.iter_mut();
            for (number, (a, b)) in fours.zip(b.as_chunks::<4>().0).enumerate() {
                let (mut carries, mut reaching) = ([0; 4], [0; 4]);
                for k in 0..4 {
                    let y = v.load(&b[k]);
                    let sum = v.add(v.load(&a[k]), y);
                    carries[k] = v.below(sum, y);
                    reaching[k] = !v.below(sum, low);
                    v.store(&mut a[k], sum);
                }
                carry = v.with_masks(carry, number, carries);
                reached = v.with_masks(reached, number, reaching);
            }
            let planes = (a_planes, b_planes, complement);
            let chosen = upper(v, planes, &mut differences, carry, reached);
            for (a, &chosen) in a.iter_mut().zip(&chosen) {
                let difference = v.sub_where(chosen, v.load(a), low);
                v.store(a, difference);
            }
        }
    }
}

/// Adds the upper bits, subtracts those of q where the sum reaches it, and says where that is.
///
/// Of the lower halves it takes where their sum carried, and where it is no less than q's.
#[inline(always)]
fn upper<V: Lines>(
    v: V,
    (a, b, complement): (&mut [Line], &[Line], &[u32]),
    differences: &mut [Line; MOST_PLANES],
    mut carry: V::Bits,
    mut reached: V::Bits,
) -> Masks {
    let bits = a.iter_mut().zip(b).zip(complement);
    for (((a, b), &complement), difference) in bits.zip(&mut *differences) {
        let (x, y, c) = (v.load(a), v.load(b), v.splat(complement));
        let sum = v.odd(x, y, carry);
        carry = v.most(x, y, carry);
        v.store(a, sum);
        v.store(difference, v.odd(sum, c, reached));
        reached = v.most(sum, c, reached);
    }
    // A sum that carries out of the highest bit is above q as well.
    let chosen = v.or(carry, reached);
    for (a, difference) in a.iter_mut().zip(&*differences) {
        let x = v.choose(chosen, v.load(difference), v.load(a));
        v.store(a, x);
    }
    let mut masks = Line::ZERO;
    v.store(&mut masks, chosen);
    bytemuck::cast(masks.0)
}
