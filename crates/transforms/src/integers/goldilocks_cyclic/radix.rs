//! Sixteen points by shifts and sums, on pairs of limbs: two transforms of eight after one level of
//! differences.
//!
//! With `ω = 2^12`, of order 16, `X_2j` is the transform of eight points of `x_n + x_(n+8)`, and
//! `X_(2j+1)` that of `ω^n·(x_n − x_(n+8))`. The transform of eight shifts its odd points by 24
//! bits, and limbs of 64 bits hold no second shift as long: so five of the differences are shifted
//! and carried between their limbs at once ([`turn`]). The points 0 and 4 are never shifted again,
//! and 6, shifted by 8, has room for the 16 that follow.

use crate::torus::ntt::arch::Lanes;
use crate::torus::ntt::limbs::{BETA, Pair, add, sub, transform};

/// A multiple of `p` as limbs near `2^61`, as in `limbs::OFFSET`, which is added to it; together
/// they make limbs positive whose magnitude is below `2^61`.
const WIDE: [u64; 2] = [(1 << 29) + (1 << 61), (1 << 61) - (1 << 30)];

/// What the results are wanted as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Form {
    /// Words of two signed limbs, after `limbs::reduce`.
    Words,
    /// Unsigned numbers that are the element or `p` more, after `limbs::reduce_unsigned`.
    Numbers,
}

/// What is added to the first point.
#[inline(always)]
fn offset<V: Lanes>(v: V, form: Form, x: Pair<V>) -> Pair<V> {
    // The transform of eight adds what makes words of the results, `BETA`: half a limb to each.
    let half = match form {
        Form::Words => 0,
        Form::Numbers => BETA & 0xffff_ffff,
    };
    Pair {
        low: v.add(x.low, v.splat(WIDE[0] - half)),
        high: v.add(x.high, v.splat(WIDE[1] - half)),
    }
}

/// `2^(R + 32·Q)·x` for `R` from 1 to 28, `Q` from 0 to 2, with limbs below `2^34` if those of `x`
/// are below `2^35`.
///
/// With `l·2^R = l₀ + φ·l₁` and `h·2^R` likewise, `x·2^R = (l₀ − h₁) + φ·(l₁ + h₀ + h₁)`; and
/// `φ·(a + φ·b)` is `−b + φ·(a + b)`.
#[inline(always)]
fn turn<V: Lanes, const R: u32, const BACK: u32, const Q: u32>(v: V, x: Pair<V>) -> Pair<V> {
    let zero = v.splat(0);
    let (l0, l1) = (v.low(v.shl::<R>(x.low)), v.sar::<BACK>(x.low));
    let (h0, h1) = (v.low(v.shl::<R>(x.high)), v.sar::<BACK>(x.high));
    let middle = v.add(l1, h0);
    match Q {
        0 => Pair {
            low: v.sub(l0, h1),
            high: v.add(middle, h1),
        },
        1 => Pair {
            low: v.sub(v.sub(zero, middle), h1),
            high: v.add(l0, middle),
        },
        _ => Pair {
            low: v.sub(v.sub(zero, middle), l0),
            high: v.sub(l0, h1),
        },
    }
}

/// `x/65,536`: `2^−16` is `−2^80`, which is `−2^16·φ²`. Limbs below `2^35` become limbs below
/// `2^34`.
#[inline(always)]
pub(super) fn divide_by_points<V: Lanes>(v: V, x: Pair<V>) -> Pair<V> {
    let minus = turn::<V, 16, 16, 2>(v, x);
    let zero = v.splat(0);
    Pair {
        low: v.sub(zero, minus.low),
        high: v.sub(zero, minus.high),
    }
}

/// `X_k = Σ x_n·2^(12·n·k)`: the even results and the odd ones, ready to be reduced to the form
/// asked for. Limbs of the points are below `2^34` in magnitude.
#[inline(always)]
pub(super) fn radix_16<V: Lanes>(v: V, x: &[Pair<V>; 16], form: Form) -> [[Pair<V>; 8]; 2] {
    [even(v, x, form), odd(v, x, form)]
}

/// The results of even number, `X_2j`.
#[inline(always)]
pub(super) fn even<V: Lanes>(v: V, x: &[Pair<V>; 16], form: Form) -> [Pair<V>; 8] {
    let mut sums = [
        add(v, x[0], x[8]),
        add(v, x[1], x[9]),
        add(v, x[2], x[10]),
        add(v, x[3], x[11]),
        add(v, x[4], x[12]),
        add(v, x[5], x[13]),
        add(v, x[6], x[14]),
        add(v, x[7], x[15]),
    ];
    sums[0] = offset(v, form, sums[0]);
    transform(v, &mut sums);
    sums
}

/// The results of odd number, `X_(2j + 1)`.
#[inline(always)]
pub(super) fn odd<V: Lanes>(v: V, x: &[Pair<V>; 16], form: Form) -> [Pair<V>; 8] {
    let fourth = sub(v, x[4], x[12]);
    let sixth = sub(v, x[6], x[14]);
    let zero = v.splat(0);
    let mut turned = [
        sub(v, x[0], x[8]),
        turn::<V, 12, 20, 0>(v, sub(v, x[1], x[9])),
        turn::<V, 24, 8, 0>(v, sub(v, x[2], x[10])),
        turn::<V, 4, 28, 1>(v, sub(v, x[3], x[11])),
        // 2^16·φ.
        Pair {
            low: v.shl::<16>(v.sub(zero, fourth.high)),
            high: v.shl::<16>(v.add(fourth.low, fourth.high)),
        },
        turn::<V, 28, 4, 1>(v, sub(v, x[5], x[13])),
        // 2^8·φ².
        Pair {
            low: v.shl::<8>(v.sub(v.sub(zero, sixth.low), sixth.high)),
            high: v.shl::<8>(sixth.low),
        },
        turn::<V, 20, 12, 2>(v, sub(v, x[7], x[15])),
    ];
    turned[0] = offset(v, form, turned[0]);
    transform(v, &mut turned);
    turned
}
