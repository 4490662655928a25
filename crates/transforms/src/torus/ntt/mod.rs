//! Exact products: the number-theoretic transform over `p = 2^64 − 2^32 + 1`.
//!
//! **What.** The negacyclic transform of `N` points over a prime field, in which products are exact
//! integers; a torus element is cut into two signed limbs of 32 bits so that they stay below `p/2`.
//! A spectrum of digits has `N` words, one of a torus element or a product `2N`.
//!
//! **Why.** No rounding error at all, at any size of digits and rings where the bound below holds:
//! it judges the others. And `p` suits the purpose: 2 is a root of unity of order 192, so that
//! transforms of eight points are shifts and sums, and reduction is a product by `2^32 − 1`
//! (`limbs`).
//!
//! **Exact when.** The result is the product modulo 2^64 if both limbs' sums are below `2^63 −
//! 2^33` in magnitude. With digits of magnitude `d`, in a sum of `t` products of polynomials of `N`
//! coefficients:
//!
//! - for certain where `N·t·d < 2^32 − 4`, a product by `X^a − 1` counting twice;
//! - with overwhelming probability far beyond that, since limbs of a key are uniform. In a block
//!   step of the set P16 (`N = 2^11`, `d = 2^22` uniform as well, 2 rows, 4 elements, twice: `t =
//!   16`) a sum has deviation `2^22/√3 · 2^31/√3 · √(2^11·2^4)`, which is `2^58.9`: `p/2` is 17
//!   deviations away, and of the `2^21` sums of a lookup one is too large with probability below
//!   `2^-180`.
//!
//! **Cost.** The forward transform of 2,048 points, by the radices 8, 4, 8 and 8, is 640 vector
//! products of AVX-512 at 14 instructions, 224 of one limb at 9, and for each of 256 vectors four
//! times a share of a small transform and a reduction, 17 together (`limbs`): 28,000, of which a
//! core starts two in a cycle. The inverse one reduces on both sides of a product, half as much
//! again. A block step of P16 takes two forward ones, four inverse ones, and some 980 instructions
//! per vector for its products, of which 416 are the key's; the key has twice the size of a complex
//! FFT's.
//!
//! **Sources.** The prime and its roots: Solinas, *Generalized Mersenne numbers* (1999); its use
//! for transforms by shifts: Emmart and Weems, *High precision integer multiplication with a GPU*
//! (2011). Factors absorbed in each block ("merged twist"): Longa and Naehrig, eprint 2016/504, §3.
//!
//! Instruction sets: plain Rust and AVX-512; no timing depends on coefficients.

#[allow(unsafe_code)]
pub(crate) mod arch;
pub(crate) mod field;
mod forward;
mod inverse;
pub(crate) mod limbs;
mod product;
mod spread;
mod tables;

use crate::torus::{Gadget, KeyIndex, KeyShape, PolynomialSize, Processor, TransformError};
use arch::{Machine, words, words_mut};
use forward::{Digits, First, Integers, Later, LowerLimb, Source, UpperLimb};
use inverse::{Add, AddShifted, Earlier, Last, Overwrite, Sink};
use product::{Multiply, MultiplyAdd, Operands, Place, RotateBlock, Start};
use tables::Tables;

/// The transform for one ring.
#[derive(Debug)]
struct Ntt {
    size: PolynomialSize,
    machine: Machine,
    tables: Tables,
}

/// The fastest kernels of this machine; those of AVX-512 work on groups of 64 points.
pub(crate) fn new(size: PolynomialSize) -> Option<Result<Box<dyn Processor>, TransformError>> {
    let fits = |machine: &Machine| machine.lanes().pow(2) <= size.coefficients();
    let machine = Machine::available().into_iter().rfind(fits)?;
    Some(Ok(Box::new(Ntt::on(machine, size))))
}

impl Ntt {
    fn on(machine: Machine, size: PolynomialSize) -> Self {
        Self {
            size,
            machine,
            tables: Tables::new(size, machine.lanes()),
        }
    }

    fn forward<T: Source>(&self, output: &mut [u64], input: &[u64], source: T, ahead: &[f64]) {
        let (tables, data) = (&self.tables, &mut *output);
        self.machine.dispatch(First {
            tables,
            source,
            input,
            output: data,
        });
        self.machine.dispatch(Later {
            tables,
            data: output,
            ahead: words(ahead),
        });
    }

    /// One limb.
    fn inverse<K: Sink>(&self, output: &mut [u64], spectrum: &mut [u64], sink: K, ahead: &[f64]) {
        let (tables, data) = (&self.tables, &mut *spectrum);
        self.machine.dispatch(Earlier {
            tables,
            data,
            ahead: words(ahead),
        });
        self.machine.dispatch(Last {
            tables,
            sink,
            data: spectrum,
            output,
        });
    }
}

impl Processor for Ntt {
    fn digit_len(&self) -> usize {
        self.size.coefficients()
    }

    fn torus_len(&self) -> usize {
        2 * self.size.coefficients()
    }

    fn is_exact(&self) -> bool {
        true
    }

    fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]) {
        let polynomial = crate::arch::as_words(polynomial);
        self.forward(words_mut(spectrum), polynomial, Integers, &[]);
    }

    fn forward_constant(&self, spectrum: &mut [f64], value: i64) {
        let element = i128::from(value).rem_euclid(i128::from(field::P));
        words_mut(spectrum).fill(limbs::word(element as u64));
    }

    fn constant(&self, spectrum: &[f64]) -> u64 {
        let (lower, upper) = words(spectrum).split_at(self.size.coefficients());
        limbs::mean(lower).wrapping_add(limbs::mean(upper) << 32)
    }

    fn forward_torus(&self, spectrum: &mut [f64], polynomial: &[u64]) {
        let (lower, upper) = words_mut(spectrum).split_at_mut(self.size.coefficients());
        self.forward(lower, polynomial, LowerLimb, &[]);
        self.forward(upper, polynomial, UpperLimb, &[]);
    }

    fn forward_digits(
        &self,
        spectrum: &mut [f64],
        polynomial: &[u64],
        gadget: Gadget,
        level: u32,
        ahead: &[f64],
    ) {
        let (scales, spectrum) = (gadget.scales(level), words_mut(spectrum));
        // Digits lie in [−B/2, B/2].
        if gadget.widest() < 32 {
            self.forward(spectrum, polynomial, Digits::<true>(scales), ahead);
        } else {
            self.forward(spectrum, polynomial, Digits::<false>(scales), ahead);
        }
    }

    fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        let (lower, upper) = words_mut(spectrum).split_at_mut(self.size.coefficients());
        self.inverse(polynomial, lower, Overwrite, &[]);
        self.inverse(polynomial, upper, AddShifted, &[]);
    }

    fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64], ahead: &[f64]) {
        let (lower, upper) = words_mut(spectrum).split_at_mut(self.size.coefficients());
        let (soon, later) = ahead.split_at(ahead.len() / 2);
        self.inverse(polynomial, lower, Add, soon);
        self.inverse(polynomial, upper, AddShifted, later);
    }

    fn multiply_add(&self, sum: &mut [f64], torus: &[f64], digits: &[f64]) {
        self.machine.dispatch(MultiplyAdd {
            n: self.size.coefficients(),
            sum: words_mut(sum),
            torus: words(torus),
            digits: words(digits),
        });
    }

    fn place(&self, key: &mut [f64], shape: KeyShape, index: KeyIndex, spectrum: &[f64]) {
        self.machine.dispatch(Place {
            key: words_mut(key),
            spectrum: words(spectrum),
            number: index.number(shape),
            spectra: shape.spectra(),
        });
    }

    fn multiply(&self, out: &mut [f64], digits: &[f64], key: &[f64], shape: KeyShape) {
        self.machine.dispatch(Multiply(Operands {
            n: self.size.coefficients(),
            out: words_mut(out),
            digits: words(digits),
            key: words(key),
            shape,
            ahead: &[],
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
            n: self.size.coefficients(),
            out: words_mut(out),
            digits: words(digits),
            key: words(key),
            shape,
            ahead: words(ahead),
        };
        self.machine.dispatch(RotateBlock {
            tables: &self.tables,
            exponents,
            operands,
            start: Start::Zero,
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
            n: self.size.coefficients(),
            out: words_mut(out),
            digits: words(digits),
            key: words(key),
            shape,
            ahead: words(ahead),
        };
        self.machine.dispatch(RotateBlock {
            tables: &self.tables,
            exponents,
            operands,
            start: Start::Out,
        });
    }
}

#[cfg(test)]
mod tests;
