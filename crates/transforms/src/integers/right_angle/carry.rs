//! Coefficients to limbs: rounding to integers, carries, and the wrap at `2^(2Nb) + 1`.
//!
//! A coefficient is below 2^46 (it is below the product of the norms, which a certificate that
//! holds keeps below `2^52/K`, and `K` is above 60). In registers, four of them (two where `b >
//! 16`) become one field of `4b` bits and a signed excess; then a chain of additions runs through
//! the fields, one for the real parts and one for the imaginary parts, which are the lower and the
//! upper half of the result.

use super::butterfly::mul_conjugate;
use crate::arch::{Kernel, Pair, Simd};
use crate::torus::negacyclic::butterfly::{Complex, cross, load, splat};
use crate::torus::twiddles::Root;

/// `1.5·2^52`: adding it rounds a number below 2^51 to an integer, which then stands in the low
/// bits.
const ROUNDER: f64 = 6_755_399_441_055_744.0;

/// Vectors of coefficients for `P` chains.
trait Coefficients<S: Simd, const P: usize> {
    /// Vectors of each chain.
    fn len(&self) -> usize;
    /// Vector `i` of each chain.
    fn load(&self, simd: S, i: usize) -> [S::Float; P];
    /// Four vectors from `i` on will be wanted.
    fn prefetch(&self, _simd: S, _i: usize) {}
}

/// Real and imaginary parts.
struct Parts<'a, S: Simd>(&'a [Pair<S>]);

impl<S: Simd> Coefficients<S, 2> for Parts<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.0.len()
    }
    #[inline(always)]
    fn load(&self, simd: S, i: usize) -> [S::Float; 2] {
        [simd.load(&self.0[i][0]), simd.load(&self.0[i][1])]
    }
}

/// Residues modulo both factors of `(X^(N/2) − w)(X^(N/2) + w)`, which make twice as many residues
/// modulo their product: the real parts of the lower half and of the upper, then the imaginary
/// parts.
struct Joined<'a, S: Simd> {
    residues: [&'a [Pair<S>]; 2],
    values: [&'a [f64]; 2],
    root: Complex<S>,
}

/// Vectors ahead of those that are joined: half of them come out of another core's cache.
const AHEAD: usize = 32;

impl<S: Simd> Coefficients<S, 4> for Joined<'_, S> {
    #[inline(always)]
    fn len(&self) -> usize {
        self.residues[0].len()
    }
    #[inline(always)]
    fn load(&self, simd: S, i: usize) -> [S::Float; 4] {
        let [a, b] = self.residues;
        let mut x = [load(simd, &a[i]), load(simd, &b[i])];
        cross(simd, &mut x, [0, 1]);
        let high = mul_conjugate(simd, x[1], self.root);
        [x[0].re, high.re, x[0].im, high.im]
    }
    #[inline(always)]
    fn prefetch(&self, simd: S, i: usize) {
        for values in self.values {
            let ahead = values.chunks_exact(8 * S::LANES).nth((i + AHEAD) / 4);
            simd.prefetch(ahead.unwrap_or_default());
        }
    }
}

/// The coefficients to as many limbs as the modulus has, those of the real parts and of the
/// imaginary ones. Returns what goes beyond the highest limb of each: two at once hide the latency
/// of one another's chain.
pub(super) struct Carry<'a> {
    pub(super) values: &'a [f64],
    pub(super) limbs: [&'a mut [u64]; 2],
    pub(super) bits: u32,
    /// What every value is multiplied by.
    pub(super) scale: f64,
}

impl Kernel for Carry<'_> {
    type Output = [i64; 2];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [i64; 2] {
        let parts = Parts(simd.pairs(self.values));
        chains(simd, &parts, self.limbs, self.bits, self.scale)
    }
}

/// The same for residues modulo both factors, or a stretch of them: the limbs of four stretches.
pub(super) struct CarryJoined<'a> {
    pub(super) residues: [&'a [f64]; 2],
    pub(super) root: Root,
    pub(super) limbs: [&'a mut [u64]; 4],
    pub(super) bits: u32,
    pub(super) scale: f64,
}

impl Kernel for CarryJoined<'_> {
    type Output = [i64; 4];

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) -> [i64; 4] {
        let [a, b] = self.residues;
        let joined = Joined {
            residues: [simd.pairs(a), simd.pairs(b)],
            values: [a, b],
            root: splat(simd, self.root),
        };
        chains(simd, &joined, self.limbs, self.bits, self.scale)
    }
}

#[inline(always)]
fn chains<S: Simd, C: Coefficients<S, P>, const P: usize>(
    simd: S,
    from: &C,
    limbs: [&mut [u64]; P],
    bits: u32,
    scale: f64,
) -> [i64; P] {
    let mut chains = limbs.map(Chain::new);
    match bits {
        16 => in_fours::<S, C, true, P>(simd, from, &mut chains, 16, scale),
        0..16 => in_fours::<S, C, false, P>(simd, from, &mut chains, bits, scale),
        _ => in_pairs(simd, from, &mut chains, bits, scale),
    }
    chains.map(|chain| chain.carry)
}

/// Four coefficients a field; `LIMBS` if a field is a limb.
#[inline(always)]
fn in_fours<S: Simd, C: Coefficients<S, P>, const LIMBS: bool, const P: usize>(
    simd: S,
    from: &C,
    chains: &mut [Chain<'_>; P],
    bits: u32,
    scale: f64,
) {
    let scale = simd.splat(scale);
    let order = if S::LANES == 8 {
        [0, 4, 1, 5, 2, 6, 3, 7]
    } else {
        [0, 1, 2, 3, 0, 0, 0, 0]
    };
    for i in (0..from.len()).step_by(4) {
        from.prefetch(simd, i);
        let (x, y) = (from.load(simd, i), from.load(simd, i + 1));
        let (z, w) = (from.load(simd, i + 2), from.load(simd, i + 3));
        for part in 0..P {
            let [a, b, c, d] = quads(simd, [x[part], y[part], z[part], w[part]]);
            let (a, b) = (round(simd, a, scale), round(simd, b, scale));
            let (c, d) = (round(simd, c, scale), round(simd, d, scale));
            let low = simd.add_words(a, simd.shl(b, bits));
            let high = simd.add_words(c, simd.shl(d, bits));
            let fields = Fields::new(simd, low, high, 2 * bits);
            chains[part].extend::<S, LIMBS>(simd, fields, &order, 4 * bits);
        }
    }
}

/// Two coefficients a field.
#[inline(always)]
fn in_pairs<S: Simd, C: Coefficients<S, P>, const P: usize>(
    simd: S,
    from: &C,
    chains: &mut [Chain<'_>; P],
    bits: u32,
    scale: f64,
) {
    let scale = simd.splat(scale);
    let order = if S::LANES == 8 {
        [0, 2, 4, 6, 1, 3, 5, 7]
    } else {
        [0, 2, 1, 3, 0, 0, 0, 0]
    };
    for i in (0..from.len()).step_by(2) {
        let (x, y) = (from.load(simd, i), from.load(simd, i + 1));
        for part in 0..P {
            // Those with even numbers, and with odd ones.
            let [a, b] = simd.exchange::<1>(x[part], y[part]);
            let (a, b) = (round(simd, a, scale), round(simd, b, scale));
            let fields = Fields::new(simd, a, b, bits);
            chains[part].extend::<S, false>(simd, fields, &order, 2 * bits);
        }
    }
}

/// Rounds `x·scale` to integers.
#[inline(always)]
fn round<S: Simd>(simd: S, x: S::Float, scale: S::Float) -> S::Word {
    let rounded = simd.bits(simd.mul_add(x, scale, simd.splat(ROUNDER)));
    simd.sub_words(rounded, simd.splat_words(ROUNDER.to_bits()))
}

/// Those of four vectors whose numbers are 0, 1, 2, 3 modulo 4.
#[inline(always)]
fn quads<S: Simd>(simd: S, [a, b, c, d]: [S::Float; 4]) -> [S::Float; 4] {
    let (x, y) = (simd.exchange::<1>(a, b), simd.exchange::<1>(c, d));
    let even = simd.exchange::<2>(x[0], y[0]);
    let odd = simd.exchange::<2>(x[1], y[1]);
    [even[0], odd[0], even[1], odd[1]]
}

/// In each lane a field of `2w` bits, and what exceeds it.
struct Fields<S: Simd> {
    field: S::Word,
    excess: S::Word,
}

impl<S: Simd> Fields<S> {
    /// `low + high·2^w`, both signed and below 2^63 in magnitude, for `w` up to 32.
    #[inline(always)]
    fn new(simd: S, low: S::Word, high: S::Word, w: u32) -> Self {
        let rest = simd.add_words(simd.sar(low, w), high);
        let low = simd.and_words(low, simd.splat_words(mask(w)));
        let high = simd.and_words(simd.shl(rest, w), simd.splat_words(mask(2 * w)));
        Self {
            field: simd.or_words(low, high),
            excess: simd.sar(rest, w),
        }
    }
}

#[inline(always)]
fn mask(bits: u32) -> u64 {
    u64::MAX >> (64 - bits)
}

/// The carries along a row of fields, packed into limbs.
struct Chain<'a> {
    limbs: std::slice::IterMut<'a, u64>,
    carry: i64,
    /// Bits not yet written, and their number: below 64.
    pending: u64,
    count: u32,
}

impl<'a> Chain<'a> {
    fn new(limbs: &'a mut [u64]) -> Self {
        Self {
            limbs: limbs.iter_mut(),
            carry: 0,
            pending: 0,
            count: 0,
        }
    }

    /// Adds the fields of a register, which are of `width` bits; `order[i]` is the lane of field
    /// `i`.
    #[inline(always)]
    fn extend<S: Simd, const LIMBS: bool>(
        &mut self,
        simd: S,
        fields: Fields<S>,
        order: &[usize; 8],
        width: u32,
    ) {
        let (mut field, mut excess) = ([0; 8], [0; 8]);
        simd.store_words(&mut simd.words_mut(&mut field)[0], fields.field);
        simd.store_words(&mut simd.words_mut(&mut excess)[0], fields.excess);
        for &lane in &order[..S::LANES] {
            let (field, excess) = (field[lane], excess[lane] as i64);
            if LIMBS {
                let (sum, over) = field.overflowing_add(self.carry as u64);
                self.carry = excess + (self.carry >> 63) + i64::from(over);
                if let Some(limb) = self.limbs.next() {
                    *limb = sum;
                }
            } else {
                // Below 2^63: a field has at most 60 bits, the carry fewer than 47.
                let sum = field as i64 + self.carry;
                self.carry = excess + (sum >> width);
                self.push(sum as u64 & mask(width), width);
            }
        }
    }

    #[inline(always)]
    fn push(&mut self, field: u64, width: u32) {
        self.pending |= field << self.count;
        self.count += width;
        if self.count >= 64 {
            if let Some(limb) = self.limbs.next() {
                *limb = self.pending;
            }
            self.count -= 64;
            // What of the field did not fit: its `count` highest bits.
            self.pending = field >> 1 >> (width - 1 - self.count);
        }
    }
}

/// Adds a signed number; returns the carry out: −1, 0 or 1.
pub(super) fn add_signed(limbs: &mut [u64], x: i64) -> i64 {
    if x < 0 {
        -i64::from(subtract(limbs, x.unsigned_abs()))
    } else {
        i64::from(add(limbs, x as u64))
    }
}

/// Brings `limbs + carry·2^m`, `m` the bits of `limbs`, into `0 ..= 2^m` modulo `2^m + 1`; returns
/// the highest bit, which stands for `2^m` itself.
pub(super) fn wrap(limbs: &mut [u64], carry: i64) -> u64 {
    if carry > 0 {
        let under = subtract(limbs, carry as u64);
        // 2^m more, which is one less than nothing: −1 ≡ 2^m has limbs of ones, and one more leaves
        // zeros.
        return u64::from(under && add(limbs, 1));
    }
    let over = add(limbs, carry.unsigned_abs());
    if !over {
        return 0;
    }
    // 2^m + r, r = limbs: either 2^m itself, or r − 1.
    if limbs.iter().all(|&limb| limb == 0) {
        return 1;
    }
    subtract(limbs, 1);
    0
}

fn add(limbs: &mut [u64], mut carry: u64) -> bool {
    for limb in limbs {
        if carry == 0 {
            return false;
        }
        let (sum, over) = limb.overflowing_add(carry);
        *limb = sum;
        carry = u64::from(over);
    }
    carry != 0
}

fn subtract(limbs: &mut [u64], mut borrow: u64) -> bool {
    for limb in limbs {
        if borrow == 0 {
            return false;
        }
        let (difference, under) = limb.overflowing_sub(borrow);
        *limb = difference;
        borrow = u64::from(under);
    }
    borrow != 0
}
