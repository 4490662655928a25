//! This crate's own complex FFT, on each of its instruction sets.
//!
//! A spectrum is `N/2` complex values at the roots `ζ^(4k+1)`, as vectors of `W` real parts
//! followed by `W` imaginary parts, `W` being the lanes of a register. Their order is what the
//! transform leaves behind (see `negacyclic`). A key is ordered by column, then vector of points, element
//! and row: each column is read once, from front to back.

use super::{ByColumns, InPlace, Made, Point, Processor};
use crate::InstructionSet;
use crate::arch::{Machine, as_words};
use crate::torus::negacyclic::{
    Add, Constant, Decompose, Decomposed, Digits, Forward, Input, Integers, Inverse, Multiply,
    MultiplyAdd, Operands, Overwrite, Place, RealSum, RotateBlock, RotateColumn, RotateInPlace,
    Start, Words, steps, torus,
};
use crate::torus::twiddles::{self, Twiddles};
use crate::torus::{ColumnStep, Gadget, KeyIndex, KeyShape, PolynomialSize};

#[derive(Debug)]
struct Native {
    size: PolynomialSize,
    machine: Machine,
    twiddles: Twiddles,
}

pub(super) fn scalar(size: PolynomialSize) -> Made {
    new(size, InstructionSet::Scalar)
}

pub(super) fn avx2(size: PolynomialSize) -> Made {
    new(size, InstructionSet::Avx2)
}

/// The kernels work on groups of 64 points: rings below 128 coefficients have those of AVX2.
pub(super) fn avx512(size: PolynomialSize) -> Made {
    new(size, InstructionSet::Avx512)
}

fn new(size: PolynomialSize, set: InstructionSet) -> Made {
    let asked = Machine::new(set)?;
    let fits = asked.lanes() * asked.lanes() <= size.points();
    let machine = if fits {
        asked
    } else {
        Machine::new(InstructionSet::Avx2)?
    };
    let twiddles = Twiddles::new(size, machine.lanes());
    Some(Ok(Box::new(Native {
        size,
        machine,
        twiddles,
    })))
}

impl Native {
    fn forward<'a>(&'a self, output: &'a mut [f64], input: impl Input, ahead: &'a [f64]) {
        self.machine.dispatch(Forward {
            twiddles: &self.twiddles,
            input,
            output,
            ahead,
        });
    }
}

/// Words as signed integers.
fn integers(words: &[u64]) -> Words<'_, Integers> {
    Words {
        words,
        source: Integers,
    }
}

impl Processor for Native {
    fn digit_len(&self) -> usize {
        self.size.coefficients()
    }

    fn torus_len(&self) -> usize {
        self.size.coefficients()
    }

    fn point(&self, number: usize) -> Option<Point> {
        let lanes = self.machine.lanes();
        let real = number + lanes * (number / lanes);
        Some(Point {
            exponent: twiddles::exponent(self.size, lanes, number),
            real,
            imaginary: real + lanes,
        })
    }

    fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]) {
        let words = as_words(polynomial);
        self.forward(spectrum, integers(words), &[]);
    }

    fn forward_constant(&self, spectrum: &mut [f64], value: i64) {
        self.machine.dispatch(Constant {
            value: value as f64,
            output: spectrum,
        });
    }

    fn constant(&self, spectrum: &[f64]) -> u64 {
        torus(self.machine.dispatch(RealSum(spectrum)) / self.size.points() as f64)
    }

    fn forward_torus(&self, spectrum: &mut [f64], polynomial: &[u64]) {
        self.forward(spectrum, integers(polynomial), &[]);
    }

    fn forward_digits(
        &self,
        spectrum: &mut [f64],
        polynomial: &[u64],
        gadget: Gadget,
        level: u32,
        ahead: &[f64],
    ) {
        let scales = gadget.scales(level);
        let words = polynomial;
        if level == 1 {
            let source = Digits::<true>(scales);
            self.forward(spectrum, Words { words, source }, ahead);
        } else {
            let source = Digits::<false>(scales);
            self.forward(spectrum, Words { words, source }, ahead);
        }
    }

    fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        self.machine.dispatch(Inverse {
            twiddles: &self.twiddles,
            sink: Overwrite,
            spectrum,
            output: polynomial,
            ahead: &[],
        });
    }

    fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64], ahead: &[f64]) {
        self.machine.dispatch(Inverse {
            twiddles: &self.twiddles,
            sink: Add,
            spectrum,
            output: polynomial,
            ahead,
        });
    }

    fn multiply_add(&self, sum: &mut [f64], torus: &[f64], digits: &[f64]) {
        let (a, b) = (torus, digits);
        self.machine.dispatch(MultiplyAdd { sum, a, b });
    }

    fn place(&self, key: &mut [f64], shape: KeyShape, index: KeyIndex, spectrum: &[f64]) {
        self.machine.dispatch(Place {
            key,
            spectrum,
            shape,
            index,
        });
    }

    fn in_place(&self, shape: KeyShape) -> Option<&dyn InPlace> {
        RotateInPlace::suits(shape).then_some(self)
    }

    fn by_columns(&self) -> Option<&dyn ByColumns> {
        Some(self)
    }

    fn multiply(&self, out: &mut [f64], digits: &[f64], key: &[f64], shape: KeyShape) {
        self.machine.dispatch(Multiply(Operands {
            out,
            digits,
            key,
            shape,
        }));
    }

    fn rotate_block(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        let operands = Operands {
            out,
            digits,
            key,
            shape,
        };
        self.machine.dispatch(RotateBlock {
            twiddles: &self.twiddles,
            exponents,
            operands,
            start: Start::Zero,
            ahead,
        });
    }

    fn rotate_block_add(
        &self,
        out: &mut [f64],
        digits: &[f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        let operands = Operands {
            out,
            digits,
            key,
            shape,
        };
        self.machine.dispatch(RotateBlock {
            twiddles: &self.twiddles,
            exponents,
            operands,
            start: Start::Out,
            ahead,
        });
    }
}

impl ByColumns for Native {
    fn suits(&self, shape: KeyShape) -> bool {
        steps(shape)
    }

    fn rotate_column(&self, out: &mut [f64], digits: Option<&[f64]>, step: ColumnStep<'_>) {
        self.machine.dispatch(RotateColumn {
            twiddles: &self.twiddles,
            out,
            digits,
            step,
        });
    }

    fn decompose(&self, digits: &mut [f32], polynomial: &[u64], gadget: Gadget, level: u32) {
        let scales = gadget.scales(level);
        let words = polynomial;
        if level == 1 {
            let source = Digits::<true>(scales);
            let polynomial = Words { words, source };
            self.machine.dispatch(Decompose { polynomial, digits });
        } else {
            let source = Digits::<false>(scales);
            let polynomial = Words { words, source };
            self.machine.dispatch(Decompose { polynomial, digits });
        }
    }

    fn forward_decomposed(&self, spectrum: &mut [f64], digits: &[f32], ahead: &[f64]) {
        self.forward(spectrum, Decomposed(digits), ahead);
    }
}

impl InPlace for Native {
    fn rotate_block(
        &self,
        spectra: &mut [f64],
        key: &[f64],
        shape: KeyShape,
        exponents: &[u32],
        ahead: &[f64],
    ) {
        self.machine.dispatch(RotateInPlace {
            twiddles: &self.twiddles,
            exponents,
            spectra,
            key,
            elements: shape.elements,
            ahead,
        });
    }
}
