//! The plan: length, digit width, tables, and the operations.

use super::carry::{Packer, ROUNDER, wrap};
use super::certificate::Certificate;
use super::digits::Digits;
use super::error::{RightAngleError, Uncertain};
use super::forward::{SplitColumns, SplitRows};
use super::inverse::{JoinColumns, JoinRows};
use super::product::MultiplyAdd;
use super::shape::Shape;
use super::spectrum::{Content, Spectrum};
use super::tables::Tables;
use crate::InstructionSet;
use crate::arch::{Isa, Machine};
use std::num::NonZeroUsize;

/// Bits of a digit at most: 25 bits fit any window of 32, and squares of 2^27 digits sum up exactly.
const MOST_BITS: u32 = 24;
/// The longest transform is 7 times two to this power.
const MOST_LEVELS: u32 = 22;
/// The odd parts of a length.
const ODD: [usize; 4] = [1, 3, 5, 7];

/// Everything that products of one size share: immutable, and cheap to share between threads by reference or
/// [`Arc`](std::sync::Arc).
#[derive(Debug)]
pub struct Plan {
    machine: Machine,
    set: InstructionSet,
    threads: NonZeroUsize,
    shape: Shape,
    tables: Tables,
    bits: u32,
    certificate: Certificate,
}

impl Plan {
    /// A plan for products of `limbs` limbs (both operands together), of which up to `sums` are added
    /// before an inverse transform. Its length and digits are those of the shortest transform whose certificate
    /// holds for operands of equal length with random bits.
    ///
    /// # Errors
    /// [`Unavailable`](RightAngleError::Unavailable) instructions; [`TooLarge`](RightAngleError::TooLarge) sizes.
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
    /// ([`modulus_bits`](Self::modulus_bits)): half the length that the whole product would need. Operands may
    /// fill the modulus.
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

    fn choose(
        limbs: usize,
        sums: usize,
        set: InstructionSet,
        threads: NonZeroUsize,
        digits: impl Fn(usize, u32) -> f64,
    ) -> Result<Self, RightAngleError> {
        let isa = match set {
            InstructionSet::Scalar => Isa::Scalar,
            InstructionSet::Avx2 => Isa::Avx2,
            InstructionSet::Avx512 => Isa::Avx512,
        };
        let machine = Machine::new(isa).ok_or(RightAngleError::Unavailable { set })?;
        let too_large = RightAngleError::TooLarge { limbs, sums };
        let total = limbs.max(1).checked_mul(64).ok_or(too_large)?;
        let lanes = machine.lanes();
        let mut lengths = Vec::new();
        for levels in 2 * lanes.trailing_zeros()..=MOST_LEVELS {
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
            let shape = Shape::new(odd, levels, lanes);
            let certificate = Certificate::new(&shape, lanes, set != InstructionSet::Scalar);
            if certificate.expects(sums.max(1), digits(points, bits), bits) {
                return Ok(Self {
                    machine,
                    set,
                    threads,
                    tables: Tables::new(&shape, lanes),
                    shape,
                    bits,
                    certificate,
                });
            }
        }
        Err(too_large)
    }

    /// Complex points of the transform: half its digits.
    pub fn points(&self) -> usize {
        self.shape.points
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

    /// A spectrum that holds zero.
    pub fn spectrum(&self) -> Spectrum {
        Spectrum::zero(self.points())
    }

    /// Transforms an operand, of at most [`modulus_bits`](Self::modulus_bits)`/64` limbs.
    ///
    /// # Errors
    /// [`OperandTooLong`](RightAngleError::OperandTooLong), [`OtherPlan`](RightAngleError::OtherPlan).
    pub fn forward(&self, limbs: &[u64], into: &mut Spectrum) -> Result<(), RightAngleError> {
        self.check(into)?;
        let capacity = self.modulus_bits() / 64;
        if limbs.len() > capacity {
            return Err(RightAngleError::OperandTooLong {
                limbs: limbs.len(),
                capacity,
            });
        }
        let square_norm = self.digits(limbs, &mut into.values);
        into.content = Content::Operand { square_norm };

        let mut blocks = 1;
        for stage in &self.tables.stages {
            let points = into.values.len() / blocks;
            let rows = super::tables::parts(stage);
            for (block, data) in into.values.chunks_exact_mut(points).enumerate() {
                let mut rows: Vec<_> = data.chunks_exact_mut(points / rows).collect();
                self.machine.dispatch(SplitColumns {
                    rows: &mut rows,
                    stage,
                    block,
                });
            }
            blocks *= rows;
        }
        self.machine.dispatch(SplitRows {
            tables: &self.tables,
            data: &mut into.values,
            row_points: self.shape.row_points,
            first: 0,
        });
        Ok(())
    }

    /// The digits, folded: `j` and `j + N` are the parts of point `j`. Returns the sum of their squares, exact.
    fn digits(&self, limbs: &[u64], values: &mut [f64]) -> f64 {
        let points = self.points();
        let digits = Digits::new(limbs, self.bits, 2 * points);
        let lanes = self.machine.lanes();
        let mut norm = 0.0;
        for (vector, values) in values.chunks_exact_mut(2 * lanes).enumerate() {
            for (part, values) in values.chunks_exact_mut(lanes).enumerate() {
                for (lane, value) in values.iter_mut().enumerate() {
                    let j = vector * lanes + lane + part * points;
                    *value = if j < digits.len() {
                        digits.digit(j)
                    } else {
                        0.0
                    };
                    norm += *value * *value;
                }
            }
        }
        norm
    }

    /// `sum += a·b`.
    ///
    /// # Errors
    /// [`OtherPlan`](RightAngleError::OtherPlan); [`OtherContent`](RightAngleError::OtherContent) if `a` and `b` are not operands, or `sum` is
    /// one.
    pub fn multiply_add(
        &self,
        sum: &mut Spectrum,
        a: &Spectrum,
        b: &Spectrum,
    ) -> Result<(), RightAngleError> {
        self.check(sum)?;
        self.check(a)?;
        self.check(b)?;
        let norm = |spectrum: &Spectrum| match spectrum.content {
            Content::Operand { square_norm } => Ok(square_norm),
            Content::Zero => Ok(0.0),
            other => Err(RightAngleError::OtherContent {
                found: other.name(),
                expected: "an operand",
            }),
        };
        let product = (norm(a)? * norm(b)?).sqrt();
        let (norms, partial_norms) = match sum.content {
            Content::Zero => {
                sum.values.fill(0.0);
                (0.0, 0.0)
            }
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
        self.machine.dispatch(MultiplyAdd {
            sum: &mut sum.values,
            a: &a.values,
            b: &b.values,
        });
        let norms = norms + product;
        sum.content = Content::Sum {
            norms,
            partial_norms: partial_norms + norms,
        };
        Ok(())
    }

    /// Transforms a sum of products back: `out` gets the lowest limbs of the residue modulo
    /// `2^`[`modulus_bits`](Self::modulus_bits)` + 1` (which is the product if that is shorter), zeros above. The sum is
    /// used up; it is zero again.
    ///
    /// # Errors
    /// [`Uncertain`] if rounding errors might exceed one half: `out` is then not written to.
    /// [`OtherPlan`](RightAngleError::OtherPlan); [`OtherContent`](RightAngleError::OtherContent) if it is an operand.
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
            } => {
                let bound = self.certificate.bound(norms, partial_norms);
                if bound.is_nan() || bound >= 0.5 {
                    return Err(Uncertain { bound }.into());
                }
            }
            other => {
                return Err(RightAngleError::OtherContent {
                    found: other.name(),
                    expected: "a sum of products",
                });
            }
        }
        self.join(&mut sum.values);
        self.carry(&sum.values, out);
        sum.content = Content::Zero;
        Ok(())
    }

    fn join(&self, values: &mut [f64]) {
        self.machine.dispatch(JoinRows {
            tables: &self.tables,
            data: values,
            row_points: self.shape.row_points,
            first: 0,
        });
        let mut blocks = self.points() / self.shape.row_points;
        for stage in self.tables.stages.iter().rev() {
            let rows = super::tables::parts(stage);
            blocks /= rows;
            let points = values.len() / blocks;
            for (block, data) in values.chunks_exact_mut(points).enumerate() {
                let mut rows: Vec<_> = data.chunks_exact_mut(points / rows).collect();
                self.machine.dispatch(JoinColumns {
                    rows: &mut rows,
                    stage,
                    block,
                });
            }
        }
    }

    fn carry(&self, values: &[f64], out: &mut [u64]) {
        let lanes = self.machine.lanes();
        let scale = 1.0 / self.points() as f64;
        let mut limbs = vec![0; self.modulus_bits() / 64];
        let mut packer = Packer::new(&mut limbs);
        for part in 0..2 {
            for vector in values.chunks_exact(2 * lanes) {
                for &value in &vector[part * lanes..][..lanes] {
                    let rounded = (value * scale + ROUNDER).to_bits();
                    packer.push(rounded.wrapping_sub(ROUNDER.to_bits()) as i64, self.bits);
                }
            }
        }
        let carry = packer.carry();
        let top = wrap(&mut limbs, carry);
        let residue = limbs.iter().copied().chain([top]);
        for (limb, residue) in out.iter_mut().zip(residue.chain(std::iter::repeat(0))) {
            *limb = residue;
        }
    }

    fn check(&self, spectrum: &Spectrum) -> Result<(), RightAngleError> {
        if spectrum.points() == self.points() {
            Ok(())
        } else {
            Err(RightAngleError::OtherPlan {
                found: spectrum.points(),
                expected: self.points(),
            })
        }
    }
}
