//! The plan: length, digit width, tables, and the operations.

use super::carry::{Carry, wrap};
use super::certificate::Certificate;
use super::digits::{Digits, Spread};
use super::error::{RightAngleError, Uncertain};
use super::forward::{Digitize, SplitColumns, SplitDigits, SplitRows};
use super::inverse::{JoinColumns, JoinRows};
use super::product::{Multiply, MultiplyAdd};
use super::shape::Shape;
use super::spectrum::{Content, Spectrum};
use super::tables::Tables;
use crate::InstructionSet;
use crate::arch::{Isa, Machine};
use std::num::NonZeroUsize;

/// Bits of a digit at most: 25 bits fit any window of 32, and squares of 2^27 digits sum up exactly.
const MOST_BITS: u32 = 24;
/// The shortest transform is two to this power: a group of eight lanes, and both halves of a result are whole limbs.
const LEAST_LEVELS: u32 = 6;
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
    spreads: [Spread; 2],
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
                    spreads: [Spread::new(bits, 7), Spread::new(bits, 3)],
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
        let points = self.points();
        let digits = Digits::new(limbs, self.bits, 2 * points, &self.spreads);
        let mut stages = self.tables.stages.iter();
        let values = &mut *into.values;
        let (square_norm, mut blocks) = if let Some(stage) = stages.next() {
            let rows = super::tables::parts(stage);
            let mut parts: Vec<_> = values.chunks_exact_mut(2 * points / rows).collect();
            let square_norm = self.machine.dispatch(SplitDigits {
                rows: &mut parts,
                stage,
                digits,
                points,
                row_points: points / rows,
                start: 0,
            });
            (square_norm, rows)
        } else {
            let data = &mut *values;
            let square_norm = self.machine.dispatch(Digitize {
                data,
                digits,
                points,
            });
            (square_norm, 1)
        };
        into.content = Content::Operand { square_norm };
        for stage in stages {
            let part = values.len() / blocks;
            let rows = super::tables::parts(stage);
            for (block, data) in values.chunks_exact_mut(part).enumerate() {
                let mut rows: Vec<_> = data.chunks_exact_mut(part / rows).collect();
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
            data: values,
            row_points: self.shape.row_points,
            first: 0,
        });
        Ok(())
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
            other => Err(RightAngleError::OtherContent {
                found: other.name(),
                expected: "an operand",
            }),
        };
        let product = (norm(a)? * norm(b)?).sqrt();
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
        if sum.content == Content::Zero {
            let product = &mut sum.values;
            self.machine.dispatch(Multiply { product, a, b });
        } else {
            let sum = &mut sum.values;
            self.machine.dispatch(MultiplyAdd { sum, a, b });
        }
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
        let limbs = self.modulus_bits() / 64;
        if let Some((residue, above)) = out.split_at_mut_checked(limbs) {
            let top = self.carry(&sum.values, residue);
            above.fill(0);
            if let Some(limb) = above.first_mut() {
                *limb = top;
            }
        } else {
            sum.residue.resize(limbs, 0);
            self.carry(&sum.values, &mut sum.residue);
            out.copy_from_slice(&sum.residue[..out.len()]);
        }
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

    /// The residue into as many limbs as the modulus has; returns the bit above them.
    fn carry(&self, values: &[f64], limbs: &mut [u64]) -> u64 {
        let carry = self.machine.dispatch(Carry {
            values,
            limbs,
            bits: self.bits,
            scale: 1.0 / self.points() as f64,
        });
        wrap(limbs, carry)
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
