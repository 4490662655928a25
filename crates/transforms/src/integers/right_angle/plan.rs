//! The plan: length, digit width, tables, and the operations.

use super::carry::wrap;
use super::certificate::Certificate;
use super::digits::{Digits, Spread};
use super::error::{RightAngleError, Uncertain};
use super::product::{Factor, Kept, Multiply, MultiplyAdd};
use super::shape::Shape;
use super::spectrum::{Content, Layout, Spectrum};
use super::tables::Tables;
use super::threads::pool;
use super::transform::Transform;
use crate::InstructionSet;
use crate::arch::Machine;
use std::num::NonZeroUsize;

/// Bits of a digit at most: 25 bits fit any window of 32, and squares of 2^27 digits sum up
/// exactly.
const MOST_BITS: u32 = 24;
/// The shortest transform is two to this power: a group of eight lanes, and both halves of a result
/// are whole limbs.
const LEAST_LEVELS: u32 = 6;
/// Transforms of two to this power of points and more are worth two threads.
const HALVED_LEVELS: u32 = 10;
/// The longest transform is 7 times two to this power.
const MOST_LEVELS: u32 = 22;
/// The odd parts of a length.
const ODD: [usize; 4] = [1, 3, 5, 7];

/// A length and the bits of a digit.
struct Choice {
    machine: Machine,
    points: usize,
    bits: u32,
    /// Whether the ring is first split into two halves, which `shape` is of.
    halved: bool,
    shape: Shape,
    certificate: Certificate,
}

impl Choice {
    /// The shortest transform whose certificate holds; `digits` is how many of the points' are not
    /// zero.
    fn new(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
        digits: impl Fn(usize, u32) -> f64,
    ) -> Result<Self, RightAngleError> {
        let machine = Machine::new(set).ok_or(RightAngleError::Unavailable { set })?;
        let too_large = RightAngleError::TooLarge { limbs, sums };
        let total = limbs.max(1).checked_mul(64).ok_or(too_large)?;
        let lanes = machine.lanes();
        let mut lengths = Vec::new();
        for levels in LEAST_LEVELS..=MOST_LEVELS {
            lengths.extend(ODD.map(|odd| (odd << levels, odd, levels)));
        }
        lengths.sort_unstable();
        for (points, odd, levels) in lengths {
            let Ok(bits) = u32::try_from(total.div_ceil(2 * points)) else {
                continue;
            };
            if bits > MOST_BITS {
                continue;
            }
            // A stretch of a quarter of the coefficients must be whole limbs and groups of vectors.
            let halved = threads.get() > 1 && levels >= HALVED_LEVELS;
            let shape = Shape::new(odd, levels - u32::from(halved), lanes);
            let fused = set != InstructionSet::Scalar;
            let certificate = Certificate::new(&shape, lanes, fused, halved);
            if certificate.expects(sums.max(1), digits(points, bits), bits) {
                return Ok(Self {
                    machine,
                    points,
                    bits,
                    halved,
                    shape,
                    certificate,
                });
            }
        }
        Err(too_large)
    }
}

/// Everything that products of one size share: immutable, and cheap to share between threads by
/// reference or [`Arc`](std::sync::Arc).
#[derive(Debug)]
pub struct Plan {
    set: InstructionSet,
    threads: NonZeroUsize,
    layout: Layout,
    transform: Transform,
    bits: u32,
    certificate: Certificate,
    spreads: [Spread; 2],
}

impl Plan {
    /// A plan for products of `limbs` limbs (both operands together), of which up to `sums` are
    /// added before an inverse transform. Its length and digits are those of the shortest transform
    /// whose certificate holds for operands of equal length with random bits.
    ///
    /// # Errors
    /// [`Unavailable`](RightAngleError::Unavailable) instructions;
    /// [`TooLarge`](RightAngleError::TooLarge) sizes.
    pub fn new(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, RightAngleError> {
        Self::choose(limbs, sums, set, threads, |_, bits| {
            (32.0 * limbs as f64 / f64::from(bits)).max(1.0)
        })
    }

    /// A plan for products modulo `2^m + 1`, for the least `m ≥ 64·limbs` that a transform has
    /// ([`modulus_bits`](Self::modulus_bits)): half the length that the whole product would need.
    /// Operands may fill the modulus.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn modulo(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<Self, RightAngleError> {
        Self::choose(limbs, sums, set, threads, |points, _| 2.0 * points as f64)
    }

    /// Limbs `n` of the modulus `2^(64·n) + 1` of the plan that [`modulo`](Self::modulo) makes, and
    /// its points.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    pub fn ring(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
    ) -> Result<(usize, usize), RightAngleError> {
        let digits = |points, _| 2.0 * points as f64;
        let choice = Choice::new(limbs, sums, set, threads, digits)?;
        Ok((choice.points * choice.bits as usize / 32, choice.points))
    }

    fn choose(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
        digits: impl Fn(usize, u32) -> f64,
    ) -> Result<Self, RightAngleError> {
        let Choice {
            machine,
            points,
            bits,
            halved,
            shape,
            certificate,
        } = Choice::new(limbs, sums, set, threads, digits)?;
        let lanes = machine.lanes();
        Ok(Self {
            set,
            threads,
            layout: Layout {
                points,
                bits,
                lanes,
                halved,
            },
            transform: Transform {
                machine,
                tables: if halved {
                    [1, 5]
                        .map(|angle| Tables::new(&shape, lanes, angle, 8))
                        .into()
                } else {
                    vec![Tables::new(&shape, lanes, 1, 4)]
                },
                shape,
                pool: if halved { pool(threads)? } else { None },
            },
            bits,
            certificate,
            spreads: [Spread::new(bits, 7), Spread::new(bits, 3)],
        })
    }

    /// Complex points of the transform: half its digits.
    pub fn points(&self) -> usize {
        self.transform.points()
    }

    /// Bits per digit.
    pub fn digit_bits(&self) -> u32 {
        self.bits
    }

    /// Products are computed modulo two to this power, plus 1: a multiple of 64.
    pub fn modulus_bits(&self) -> usize {
        2 * self.points() * self.bits as usize
    }

    /// The instruction set in use.
    pub fn instruction_set(&self) -> InstructionSet {
        self.set
    }

    /// Threads that a transform uses.
    pub fn threads(&self) -> NonZeroUsize {
        self.threads
    }

    /// Runs an operation of many products on the plan's threads, which then need not be woken for
    /// each of them. With one thread it just runs.
    pub fn within<T: Send>(&self, operation: impl FnOnce() -> T + Send) -> T {
        self.transform.within(operation)
    }

    /// Runs two operations, at the same time if the plan has threads.
    pub fn join<A: Send, B: Send>(
        &self,
        first: impl FnOnce() -> A + Send,
        second: impl FnOnce() -> B + Send,
    ) -> (A, B) {
        self.transform.join(first, second)
    }

    /// A spectrum that holds zero.
    pub fn spectrum(&self) -> Spectrum {
        Spectrum::zero(self.layout)
    }

    /// Transforms an operand, of at most [`modulus_bits`](Self::modulus_bits)`/64` limbs.
    ///
    /// # Errors
    /// [`OperandTooLong`](RightAngleError::OperandTooLong),
    /// [`OtherPlan`](RightAngleError::OtherPlan).
    pub fn forward(&self, limbs: &[u64], into: &mut Spectrum) -> Result<(), RightAngleError> {
        let digits = self.digits(limbs)?;
        self.check(into)?;
        let values = &mut *into.values;
        let [square_norm] = self.transform.within(|| {
            self.transform.halves([values], |half, [values]| {
                let square_norm = half.split_columns(digits, values);
                half.split_rows(values);
                [square_norm]
            })
        });
        into.content = Content::Operand { square_norm };
        Ok(())
    }

    /// `sum += a·b`.
    ///
    /// # Errors
    /// [`OtherPlan`](RightAngleError::OtherPlan); [`OtherContent`](RightAngleError::OtherContent)
    /// if `a` and `b` are not operands, or `sum` is one.
    pub fn multiply_add(
        &self,
        sum: &mut Spectrum,
        a: &Spectrum,
        b: &Spectrum,
    ) -> Result<(), RightAngleError> {
        self.check(sum)?;
        let product = (self.square_norm(a)? * self.square_norm(b)?).sqrt();
        let (norms, partial_norms) = match sum.content {
            Content::Zero => (0.0, 0.0),
            Content::Sum {
                norms,
                partial_norms,
            } => (norms, partial_norms),
            other => {
                return Err(RightAngleError::OtherContent {
                    found: other.name(),
                    expected: "a sum of products",
                });
            }
        };
        let (a, b) = (&*a.values, &*b.values);
        let machine = self.transform.machine;
        if sum.content == Content::Zero {
            let product = &mut sum.values;
            machine.dispatch(Multiply { product, a, b });
        } else {
            let sum = &mut sum.values;
            machine.dispatch(MultiplyAdd { sum, a, b });
        }
        let norms = norms + product;
        sum.content = Content::Sum {
            norms,
            partial_norms: partial_norms + norms,
        };
        Ok(())
    }

    /// Transforms a sum of products back: `out` gets the lowest limbs of the residue modulo
    /// `2^`[`modulus_bits`](Self::modulus_bits)` + 1` (which is the product if that is shorter),
    /// zeros above. The sum is used up; it is zero again.
    ///
    /// # Errors
    /// [`Uncertain`] if rounding errors might exceed one half: `out` is then not written to, and
    /// the sum stays. [`OtherPlan`](RightAngleError::OtherPlan);
    /// [`OtherContent`](RightAngleError::OtherContent) if it is an operand.
    pub fn inverse(&self, sum: &mut Spectrum, out: &mut [u64]) -> Result<(), RightAngleError> {
        self.check(sum)?;
        match sum.content {
            Content::Zero => {
                out.fill(0);
                return Ok(());
            }
            Content::Sum {
                norms,
                partial_norms,
            } => self.certify(norms, partial_norms)?,
            other => {
                return Err(RightAngleError::OtherContent {
                    found: other.name(),
                    expected: "a sum of products",
                });
            }
        }
        let Spectrum {
            values, residue, ..
        } = sum;
        self.transform.within(|| {
            self.transform.halves([values], |half, [values]| {
                half.join_rows(values);
                half.join_columns(values);
                []
            });
            self.finish(values, residue, out);
        });
        sum.content = Content::Zero;
        Ok(())
    }

    /// `out = a·b` (its lowest limbs, as [`inverse`](Self::inverse)) in one go, which saves what
    /// three spectra would travel through the caches. `memory` is overwritten.
    ///
    /// # Errors
    /// Those of [`forward`](Self::forward) and [`inverse`](Self::inverse).
    pub fn multiply(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        memory: &mut [Spectrum; 2],
    ) -> Result<(), RightAngleError> {
        let (a, b) = (self.digits(a)?, self.digits(b)?);
        let [x, y] = memory;
        self.check(x)?;
        self.check(y)?;
        (x.content, y.content) = (Content::Zero, Content::Zero);
        let Spectrum {
            values, residue, ..
        } = y;
        let other = &mut *x.values;
        self.transform.within(|| {
            let spectra = [&mut **values, other];
            let [first, second] = self.transform.halves(spectra, |half, [values, other]| {
                let norms = [half.split_columns(a, other), half.split_columns(b, values)];
                half.multiply_rows(values, Factor::Columns(other), None);
                half.join_columns(values);
                norms
            });
            let norms = (first * second).sqrt();
            self.certify(norms, norms)?;
            self.finish(values, residue, out);
            Ok(())
        })
    }

    /// `out = kept·b` in one go, for an operand that [`forward`](Self::forward) transformed.
    /// `memory` is overwritten.
    ///
    /// # Errors
    /// Those of [`forward`](Self::forward), [`multiply_add`](Self::multiply_add) and
    /// [`inverse`](Self::inverse).
    pub fn multiply_kept(
        &self,
        out: &mut [u64],
        kept: &Spectrum,
        b: &[u64],
        memory: &mut Spectrum,
    ) -> Result<(), RightAngleError> {
        let square_norm = self.square_norm(kept)?;
        self.fused(out, b, Some((&kept.values, square_norm)), memory)
    }

    /// `out = a²` in one go. `memory` is overwritten.
    ///
    /// # Errors
    /// Those of [`forward`](Self::forward) and [`inverse`](Self::inverse).
    pub fn square(
        &self,
        out: &mut [u64],
        a: &[u64],
        memory: &mut Spectrum,
    ) -> Result<(), RightAngleError> {
        self.fused(out, a, None, memory)
    }

    /// `out = a·b + kept·c` in one go; of `a²`, where `b` is none. A sum of two products that the
    /// plan was made for. `memory` is overwritten.
    ///
    /// # Errors
    /// Those of [`multiply_kept`](Self::multiply_kept).
    pub fn multiply_two(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: Option<&[u64]>,
        kept: &Spectrum,
        c: &[u64],
        memory: &mut [Spectrum; 3],
    ) -> Result<(), RightAngleError> {
        let (a, c) = (self.digits(a)?, self.digits(c)?);
        let b = b.map(|b| self.digits(b)).transpose()?;
        let kept_norm = self.square_norm(kept)?;
        for spectrum in &mut *memory {
            self.check(spectrum)?;
            spectrum.content = Content::Zero;
        }
        let [x, y, z] = memory;
        let Spectrum {
            values, residue, ..
        } = x;
        self.transform.within(|| {
            let spectra = [&mut **values, &mut y.values, &mut z.values];
            let [first, second, third] = self.transform.halves(spectra, |half, [x, y, z]| {
                let first = half.split_columns(a, x);
                let (factor, second) = match b {
                    None => (Factor::Itself, first),
                    Some(b) => {
                        let second = half.split_columns(b, y);
                        (Factor::Columns(y), second)
                    }
                };
                let third = half.split_columns(c, z);
                let more = Kept {
                    columns: z,
                    spectrum: half.part(&kept.values),
                };
                half.multiply_rows(x, factor, Some(more));
                half.join_columns(x);
                [first, second, third]
            });
            let norm = (first * second).sqrt();
            let both = norm + (third * kept_norm).sqrt();
            self.certify(both, norm + both)?;
            self.finish(values, residue, out);
            Ok(())
        })
    }

    /// The product of `a` by another operand, given with its square norm, or by itself.
    fn fused(
        &self,
        out: &mut [u64],
        a: &[u64],
        other: Option<(&[f64], f64)>,
        memory: &mut Spectrum,
    ) -> Result<(), RightAngleError> {
        let digits = self.digits(a)?;
        self.check(memory)?;
        memory.content = Content::Zero;
        let Spectrum {
            values, residue, ..
        } = memory;
        self.transform.within(|| {
            let [square_norm] = self.transform.halves([&mut **values], |half, [values]| {
                let square_norm = half.split_columns(digits, values);
                let factor = match other {
                    Some((spectrum, _)) => Factor::Spectrum(half.part(spectrum)),
                    None => Factor::Itself,
                };
                half.multiply_rows(values, factor, None);
                half.join_columns(values);
                [square_norm]
            });
            let other_norm = other.map_or(square_norm, |(_, norm)| norm);
            let norms = (square_norm * other_norm).sqrt();
            self.certify(norms, norms)?;
            self.finish(values, residue, out);
            Ok(())
        })
    }

    /// From coefficients to limbs.
    fn finish(&self, values: &[f64], residue: &mut Vec<u64>, out: &mut [u64]) {
        let limbs = self.modulus_bits() / 64;
        if let Some((whole, above)) = out.split_at_mut_checked(limbs) {
            let top = self.residue(values, whole);
            above.fill(0);
            if let Some(limb) = above.first_mut() {
                *limb = top;
            }
        } else {
            residue.resize(limbs, 0);
            self.residue(values, residue);
            out.copy_from_slice(&residue[..out.len()]);
        }
    }

    /// The residue into as many limbs as the modulus has; returns the bit above them.
    fn residue(&self, values: &[f64], limbs: &mut [u64]) -> u64 {
        let carry = self.transform.carry(values, limbs, self.bits);
        wrap(limbs, carry)
    }

    /// The bound on the error of a sum's coefficients.
    #[cfg(test)]
    pub(super) fn bound(&self, sum: &Spectrum) -> f64 {
        match sum.content {
            Content::Sum {
                norms,
                partial_norms,
            } => self.certificate.bound(norms, partial_norms),
            _ => 0.0,
        }
    }

    /// The inverse transform alone.
    #[cfg(test)]
    pub(super) fn join_for_test(&self, sum: &mut Spectrum) {
        self.transform.halves([&mut sum.values], |half, [values]| {
            half.join_rows(values);
            half.join_columns(values);
            []
        });
    }

    fn certify(&self, norms: f64, partial_norms: f64) -> Result<(), Uncertain> {
        let bound = self.certificate.bound(norms, partial_norms);
        if bound.is_nan() || bound >= 0.5 {
            return Err(Uncertain { bound });
        }
        Ok(())
    }

    fn digits<'a>(&'a self, limbs: &'a [u64]) -> Result<Digits<'a>, RightAngleError> {
        let capacity = self.modulus_bits() / 64;
        if limbs.len() > capacity {
            return Err(RightAngleError::OperandTooLong {
                limbs: limbs.len(),
                capacity,
            });
        }
        let count = 2 * self.points();
        Ok(Digits::new(limbs, self.bits, count, &self.spreads))
    }

    fn square_norm(&self, spectrum: &Spectrum) -> Result<f64, RightAngleError> {
        self.check(spectrum)?;
        match spectrum.content {
            Content::Operand { square_norm } => Ok(square_norm),
            other => Err(RightAngleError::OtherContent {
                found: other.name(),
                expected: "an operand",
            }),
        }
    }

    fn check(&self, spectrum: &Spectrum) -> Result<(), RightAngleError> {
        if spectrum.layout == self.layout {
            Ok(())
        } else {
            Err(RightAngleError::OtherPlan {
                found: spectrum.points(),
                expected: self.points(),
            })
        }
    }
}
