//! Any machine: a line as a plain array.

use super::{Kernel, Line, Lines};
use crate::arch::{Scalar, vectorize};

type Halves = [u32; 16];

#[inline(always)]
fn halves(x: [u64; 8]) -> Halves {
    let mut halves = [0; 16];
    for i in 0..16 {
        halves[i] = (x[i / 2] >> (32 * (i % 2))) as u32;
    }
    halves
}

#[inline(always)]
fn each(a: Halves, b: Halves, f: impl Fn(u32, u32) -> u32) -> Halves {
    let mut result = a;
    for (x, y) in result.iter_mut().zip(b) {
        *x = f(*x, y);
    }
    result
}

impl Lines for Scalar {
    type Bits = Halves;

    vectorize!(Scalar -> ());

    #[inline(always)]
    fn load(self, from: &Line) -> Halves {
        halves(from.0)
    }
    #[inline(always)]
    fn store(self, into: &mut Line, x: Halves) {
        for (word, [low, high]) in into.0.iter_mut().zip(x.as_chunks::<2>().0) {
            *word = u64::from(*low) | u64::from(*high) << 32;
        }
    }
    #[inline(always)]
    fn splat(self, x: u32) -> Halves {
        [x; 16]
    }
    #[inline(always)]
    fn add(self, a: Halves, b: Halves) -> Halves {
        each(a, b, u32::wrapping_add)
    }
    #[inline(always)]
    fn below(self, a: Halves, b: Halves) -> u16 {
        let mut mask = 0;
        for i in 0..16 {
            mask |= u16::from(a[i] < b[i]) << i;
        }
        mask
    }
    #[inline(always)]
    fn with_masks(self, mut x: Halves, number: usize, masks: [u16; 4]) -> Halves {
        for (half, [low, high]) in x[2 * number..].iter_mut().zip(masks.as_chunks::<2>().0) {
            *half = u32::from(*low) | u32::from(*high) << 16;
        }
        x
    }
    #[inline(always)]
    fn sub_where(self, chosen: u16, a: Halves, b: Halves) -> Halves {
        let mut result = a;
        for i in 0..16 {
            let all = 0u32.wrapping_sub(u32::from(chosen >> i & 1));
            result[i] = a[i].wrapping_sub(b[i] & all);
        }
        result
    }
    #[inline(always)]
    fn odd(self, a: Halves, b: Halves, c: Halves) -> Halves {
        each(each(a, b, |a, b| a ^ b), c, |x, c| x ^ c)
    }
    #[inline(always)]
    fn most(self, a: Halves, b: Halves, c: Halves) -> Halves {
        let either = each(each(a, b, |a, b| a | b), c, |x, c| x & c);
        each(each(a, b, |a, b| a & b), either, |x, y| x | y)
    }
    #[inline(always)]
    fn or(self, a: Halves, b: Halves) -> Halves {
        each(a, b, |a, b| a | b)
    }
    #[inline(always)]
    fn choose(self, chosen: Halves, a: Halves, b: Halves) -> Halves {
        let differing = each(each(a, b, |a, b| a ^ b), chosen, |x, chosen| x & chosen);
        each(b, differing, |b, x| b ^ x)
    }
}
