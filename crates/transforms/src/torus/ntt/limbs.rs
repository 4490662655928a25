//! Arithmetic modulo `p` on vectors: elements as two limbs, sums without carries, and one reduction
//! after each discrete Fourier transform of 2, 4 or 8 points.
//!
//! In memory an element is a **word** of two signed 32-bit limbs, `x₀ + φ·x₁` with `φ = 2^32`.
//! Every word is an element, and zero is zero; the same element may have two words, as `p < 2^64`.
//! It is the unsigned number `u = word XOR (2^63 + 2^31)` less `β = 2^63 + 2^31`: flipping the
//! upper bit of a half adds `2^31` to it.
//!
//! In registers it is a [`Pair`] of 64-bit limbs of any sign, so that sums and differences need no
//! carry, nor comparison. As `φ² = φ − 1`, a product by `2^48 = 2^16·φ` or another eighth root of
//! unity is a matter of shifts and a sum.
//!
//! A product has a **prepared** factor: the limbs of `w` and of `φ·w`. Then `x·w = x₀·w + x₁·(φ·w)`
//! is four products of 32 bits and two sums, with nothing to align: `A + φ·B`, and with `A = A₀ +
//! φ·A₁` and `B` likewise it is the pair `(A₀ − B₁, A₁ + B₀ + B₁)`. Neither sum overflows, unless
//! both limbs on both sides are `−2^31`: the tables have no such factors (which a test proves), and
//! spectra of torus elements no such words (`canonical`).

use super::arch::Lanes;
use super::field::{EPSILON, P, PHI, inverse, multiply};

/// `u` less the element.
pub(crate) const BETA: u64 = 1 << 63 | 1 << 31;

/// A multiple of `p`, plus [`BETA`], as limbs near `2^60`: it makes the limbs of a transform
/// positive. The multiple is `k·p = k·φ² − k·φ + k` with `j·φ` moved from one limb to the other:
/// `k + j·φ` and `k·φ − k − j`, where `k = j = 2^28`.
pub(crate) const OFFSET: [u64; 2] = [
    (1 << 28) + (PHI << 28) + (1 << 31),
    (PHI << 28) - (1 << 29) + (1 << 31),
];

/// A factor prepared for multiplication: the limbs of `w`, then those of `φ·w`.
pub(crate) type Factor = [i32; 4];

/// The word of an element given as a canonical representative. It is never the one of limbs `−2^31`
/// both.
pub(crate) const fn word(element: u64) -> u64 {
    let (sum, carry) = element.overflowing_add(BETA);
    // A carry of 2^64 is worth ε.
    let u = if carry { sum + EPSILON } else { sum };
    (if u == 0 { P } else { u }) ^ BETA
}

/// The canonical representative of a word's element.
#[cfg(test)]
pub(crate) fn element(word: u64) -> u64 {
    let difference = i128::from(word ^ BETA) - i128::from(BETA);
    difference.rem_euclid(i128::from(P)) as u64
}

/// The mean of some words' elements, as a signed integer below `p/2` in magnitude, modulo 2^64.
pub(crate) fn mean(words: &[u64]) -> u64 {
    let (p, count) = (u128::from(P), words.len() as u128);
    let sum: u128 = words.iter().map(|word| u128::from(word ^ BETA)).sum();
    let sum = (sum + count * (p - u128::from(BETA))) % p;
    let mean = multiply(sum as u64, inverse(words.len() as u64));
    if mean > P / 2 {
        mean.wrapping_sub(P)
    } else {
        mean
    }
}

/// Prepares an element.
pub(crate) fn factor(element: u64) -> Factor {
    let (w, shifted) = (word(element), word(multiply(element, PHI)));
    [
        w as i32,
        (w >> 32) as i32,
        shifted as i32,
        (shifted >> 32) as i32,
    ]
}

/// An element per lane, `low + φ·high`.
#[derive(Clone, Copy)]
pub(crate) struct Pair<V: Lanes> {
    pub(crate) low: V::Word,
    pub(crate) high: V::Word,
}

/// A prepared factor per lane, one limb in the lower half of each word.
pub(crate) type Prepared<V> = [<V as Lanes>::Word; 4];

#[inline(always)]
pub(crate) fn splat_factor<V: Lanes>(v: V, factor: &Factor) -> Prepared<V> {
    [
        v.splat_low(factor[0]),
        v.splat_low(factor[1]),
        v.splat_low(factor[2]),
        v.splat_low(factor[3]),
    ]
}

/// From the words of `w` and of `φ·w`.
#[inline(always)]
pub(crate) fn join_factor<V: Lanes>(v: V, w: V::Word, shifted: V::Word) -> Prepared<V> {
    [w, v.high(w), shifted, v.high(shifted)]
}

#[inline(always)]
pub(crate) fn zero<V: Lanes>(v: V) -> Pair<V> {
    let zero = v.splat(0);
    Pair {
        low: zero,
        high: zero,
    }
}

/// The limbs of words.
#[inline(always)]
pub(crate) fn split<V: Lanes>(v: V, x: V::Word) -> Pair<V> {
    Pair {
        low: v.mul(x, v.splat(1)),
        high: v.sar::<32>(x),
    }
}

#[inline(always)]
pub(crate) fn add<V: Lanes>(v: V, a: Pair<V>, b: Pair<V>) -> Pair<V> {
    Pair {
        low: v.add(a.low, b.low),
        high: v.add(a.high, b.high),
    }
}

#[inline(always)]
pub(crate) fn sub<V: Lanes>(v: V, a: Pair<V>, b: Pair<V>) -> Pair<V> {
    Pair {
        low: v.sub(a.low, b.low),
        high: v.sub(a.high, b.high),
    }
}

/// Words by a prepared factor. The limbs are below `2^34` in magnitude.
#[inline(always)]
pub(crate) fn product<V: Lanes>(v: V, x: V::Word, w: &Prepared<V>) -> Pair<V> {
    let x1 = v.high(x);
    let a = v.add(v.mul(x, w[0]), v.mul(x1, w[2]));
    let b = v.add(v.mul(x, w[1]), v.mul(x1, w[3]));
    fold(v, a, b)
}

/// Signed 32-bit numbers, in the lower halves, by a prepared factor.
#[inline(always)]
pub(crate) fn narrow_product<V: Lanes>(v: V, x: V::Word, w: &Prepared<V>) -> Pair<V> {
    fold(v, v.mul(x, w[0]), v.mul(x, w[1]))
}

/// `a + φ·b` as a pair with limbs below `2^34`.
#[inline(always)]
fn fold<V: Lanes>(v: V, a: V::Word, b: V::Word) -> Pair<V> {
    let b1 = v.sar::<32>(b);
    Pair {
        low: v.sub(v.low(a), b1),
        high: v.add(v.add(v.sar::<32>(a), v.low(b)), b1),
    }
}

/// `φ·x`.
#[inline(always)]
pub(crate) fn times_phi<V: Lanes>(v: V, x: Pair<V>) -> Pair<V> {
    Pair {
        low: v.sub(v.splat(0), x.high),
        high: v.add(x.low, x.high),
    }
}

#[inline(always)]
pub(crate) fn offset<V: Lanes>(v: V, x: Pair<V>) -> Pair<V> {
    Pair {
        low: v.add(x.low, v.splat(OFFSET[0])),
        high: v.add(x.high, v.splat(OFFSET[1])),
    }
}

/// The unsigned numbers `u` of elements whose limbs carry the [`OFFSET`] and are positive and below
/// `2^62`.
///
/// After the carry between the limbs the element is `l + φ·h + φ²·t`, with `l` and `h` below `2^32`
/// and `t` below `2^30`; and `φ²·t` is `(2^32 − 1)·t`, below `2^62`, so that a carry out of 64 bits
/// happens once.
#[inline(always)]
pub(crate) fn reduce_unsigned<V: Lanes>(v: V, x: Pair<V>) -> V::Word {
    let high = v.add(x.high, v.shr::<32>(x.low));
    let top = v.mul_unsigned(v.shr::<32>(high), v.splat(EPSILON));
    v.add_modular(v.join(x.low, high), top)
}

/// As [`reduce_unsigned`], to words.
#[inline(always)]
pub(crate) fn reduce<V: Lanes>(v: V, x: Pair<V>) -> V::Word {
    v.xor(reduce_unsigned(v, x), v.splat(BETA))
}

/// As [`reduce`], to words that are never of limbs `−2^31` both.
#[inline(always)]
pub(crate) fn canonical<V: Lanes>(v: V, x: Pair<V>) -> V::Word {
    v.xor(v.nonzero(reduce_unsigned(v, x)), v.splat(BETA))
}

/// `a ± 2^48·b`.
#[inline(always)]
fn quarter<V: Lanes>(v: V, a: Pair<V>, b: Pair<V>) -> [Pair<V>; 2] {
    let low = v.shl::<16>(b.high);
    let high = v.shl::<16>(v.add(b.low, b.high));
    [
        Pair {
            low: v.sub(a.low, low),
            high: v.add(a.high, high),
        },
        Pair {
            low: v.add(a.low, low),
            high: v.sub(a.high, high),
        },
    ]
}

/// `2^24·a + 2^72·b`; `2^72 = 2^8·(φ − 1)`.
#[inline(always)]
fn eighths<V: Lanes>(v: V, a: Pair<V>, b: Pair<V>) -> Pair<V> {
    let low = v.shl::<8>(v.add(b.low, b.high));
    Pair {
        low: v.sub(v.shl::<24>(a.low), low),
        high: v.add(v.shl::<24>(a.high), v.shl::<8>(b.low)),
    }
}

/// The discrete Fourier transform `X_j = Σ x_k·ω^(jk)` of `R` = 2, 4 or 8 points, `ω = 2^(192/R)`,
/// of which `R = 2` and `R = 4` use the first points. Limbs may have 34 bits before it and then
/// have fewer than 60; the [`OFFSET`] is added, ready for [`reduce`].
#[inline(always)]
pub(crate) fn transform<V: Lanes, const R: usize>(v: V, x: &mut [Pair<V>; R]) {
    x[0] = offset(v, x[0]);
    match R {
        2 => [x[0], x[1]] = [add(v, x[0], x[1]), sub(v, x[0], x[1])],
        4 => {
            let even = [add(v, x[0], x[2]), sub(v, x[0], x[2])];
            let odd = [add(v, x[1], x[3]), sub(v, x[1], x[3])];
            [x[0], x[2]] = [add(v, even[0], odd[0]), sub(v, even[0], odd[0])];
            [x[1], x[3]] = quarter(v, even[1], odd[1]);
        }
        _ => {
            let sums = [
                add(v, x[0], x[4]),
                add(v, x[1], x[5]),
                add(v, x[2], x[6]),
                add(v, x[3], x[7]),
            ];
            let differences = [
                sub(v, x[0], x[4]),
                sub(v, x[1], x[5]),
                sub(v, x[2], x[6]),
                sub(v, x[3], x[7]),
            ];
            let even = [add(v, sums[0], sums[2]), sub(v, sums[0], sums[2])];
            let odd = [add(v, sums[1], sums[3]), sub(v, sums[1], sums[3])];
            [x[0], x[4]] = [add(v, even[0], odd[0]), sub(v, even[0], odd[0])];
            [x[2], x[6]] = quarter(v, even[1], odd[1]);
            let even = quarter(v, differences[0], differences[2]);
            // ω·d₁ + ω³·d₃, and ω³·d₁ + ω·d₃, which is 2^48 times ω·d₁ − ω³·d₃.
            let first = eighths(v, differences[1], differences[3]);
            let second = eighths(v, differences[3], differences[1]);
            [x[1], x[5]] = [add(v, even[0], first), sub(v, even[0], first)];
            [x[3], x[7]] = [add(v, even[1], second), sub(v, even[1], second)];
        }
    }
}
