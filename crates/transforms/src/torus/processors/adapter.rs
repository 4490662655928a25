//! Makes a processor of somebody else's complex FFT: the negacyclic fold and twist, the gadget, the
//! products and the rounding are ours, and the same for all, so that a comparison compares the
//! FFTs.
//!
//! With `ζ = exp(iπ/N)` and `M = N/2`, a polynomial `x` folds to `z_j = (x_j + i·x_(j+M))·ζ^j`, and
//! `Σ_j z_j·exp(2πi·jk/M)` is its value at `ζ^(4k+1)`: half of all roots, which suffices since the
//! other half are the conjugates. That takes a pass of its own before the FFT and one after the
//! inverse, which a transform made for the purpose does not need (see `negacyclic`).
//!
//! FFT libraries store a complex number as real and imaginary part side by side; products of
//! vectors of them are faster where the parts are apart, and where vectors stand in the order of
//! our own processors. So spectra are rearranged, in cache.

use super::{Point, Processor};
use crate::arch::{Kernel, Machine, Simd, as_words};
use crate::torus::negacyclic::{
    Add, Constant, Digits, Integers, Multiply, MultiplyAdd, Operands, Overwrite, Place, RealSum,
    RotateBlock, Sink, Source, Start, modulo, torus,
};
use crate::torus::twiddles::{Twiddles, root, vectors_of_natural_order};
use crate::torus::{Gadget, KeyIndex, KeyShape, PolynomialSize, Spectra};
use std::fmt::Debug;
use std::sync::{Mutex, PoisonError};

/// A complex FFT of `M` points, each stored as real and imaginary part, points in natural order.
/// Unscaled; what it reads from it may destroy. Slices have `2M` numbers and are aligned to cache
/// lines where callers' are; `scratch` has `scratch_len` and is aligned.
pub(super) trait ComplexFft: Debug + Send + Sync {
    /// Numbers of work space that a transform needs besides its operands.
    fn scratch_len(&self) -> usize {
        0
    }

    /// `to_k = Σ_j from_j·exp(+2πi·jk/M)`.
    fn forward(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]);

    /// `to_j = Σ_k from_k·exp(−2πi·jk/M)`.
    fn inverse(&self, from: &mut [f64], to: &mut [f64], scratch: &mut [f64]);
}

/// A processor around such an FFT.
#[derive(Debug)]
pub(super) struct Adapter<F> {
    fft: F,
    size: PolynomialSize,
    machine: Machine,
    /// `ζ^j` as vectors.
    twist: Vec<f64>,
    /// `ζ^(−j)/M` as vectors.
    untwist: Vec<f64>,
    /// For each stored vector, which one it is of the FFT.
    order: Vec<usize>,
    twiddles: Twiddles,
    /// Work space at rest: as many as there have ever been calls at once.
    idle: Mutex<Vec<Work>>,
}

#[derive(Debug)]
struct Work {
    data: Spectra,
    scratch: Spectra,
}

impl<F: ComplexFft> Adapter<F> {
    /// With this machine's widest instructions for everything that is not the FFT; groups of `W²`
    /// points must fit the ring.
    pub(super) fn new(size: PolynomialSize, fft: F) -> Option<Self> {
        let mut machines = Machine::available().into_iter();
        let machine = machines.rfind(|machine| machine.lanes().pow(2) <= size.points())?;
        let (lanes, points) = (machine.lanes(), size.points());
        let vectors = |value: &dyn Fn(usize) -> [f64; 2]| {
            let mut all = Vec::with_capacity(2 * points);
            for first in (0..points).step_by(lanes) {
                for part in 0..2 {
                    all.extend((first..first + lanes).map(|j| value(j)[part]));
                }
            }
            all
        };
        let scale = 1.0 / points as f64;
        Some(Self {
            twist: vectors(&|j| root(j, size.root_order())),
            untwist: vectors(&|j| {
                let [re, im] = root(j, size.root_order());
                [re * scale, -im * scale]
            }),
            order: vectors_of_natural_order(size, lanes).collect(),
            twiddles: Twiddles::natural_monomials(size, lanes),
            idle: Mutex::new(Vec::new()),
            fft,
            size,
            machine,
        })
    }

    /// Lends work space to a call.
    fn with_work(&self, call: impl FnOnce(&mut Work)) {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let lent = idle().pop();
        let mut work = lent.unwrap_or_else(|| Work {
            data: Spectra::zeroed(self.size.coefficients()),
            scratch: Spectra::zeroed(self.fft.scratch_len()),
        });
        call(&mut work);
        idle().push(work);
    }

    fn forward<T: Source>(&self, spectrum: &mut [f64], input: &[u64], source: T, ahead: &[f64]) {
        self.with_work(|Work { data, scratch }| {
            self.machine.dispatch(Fold {
                source,
                input,
                twist: &self.twist,
                output: spectrum,
                ahead,
            });
            self.fft.forward(spectrum, data, scratch);
            self.machine.dispatch(Separate {
                numbers: data,
                order: &self.order,
                parts: spectrum,
            });
        });
    }

    fn inverse<K: Sink>(&self, output: &mut [u64], spectrum: &mut [f64], sink: K, ahead: &[f64]) {
        self.with_work(|Work { data, scratch }| {
            self.machine.dispatch(Pair {
                parts: spectrum,
                order: &self.order,
                numbers: data,
            });
            self.fft.inverse(data, spectrum, scratch);
            self.machine.dispatch(Unfold {
                sink,
                data: spectrum,
                untwist: &self.untwist,
                output,
                ahead,
            });
        });
    }
}

impl<F: ComplexFft> Processor for Adapter<F> {
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
            exponent: 4 * (self.order[number / lanes] * lanes + number % lanes) + 1,
            real,
            imaginary: real + lanes,
        })
    }

    fn forward_signed(&self, spectrum: &mut [f64], polynomial: &[i64]) {
        self.forward(spectrum, as_words(polynomial), Integers, &[]);
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
        self.forward(spectrum, polynomial, Integers, &[]);
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
        if level == 1 {
            self.forward(spectrum, polynomial, Digits::<true>(scales), ahead);
        } else {
            self.forward(spectrum, polynomial, Digits::<false>(scales), ahead);
        }
    }

    fn inverse_torus(&self, polynomial: &mut [u64], spectrum: &mut [f64]) {
        self.inverse(polynomial, spectrum, Overwrite, &[]);
    }

    fn inverse_torus_add(&self, polynomial: &mut [u64], spectrum: &mut [f64], ahead: &[f64]) {
        self.inverse(polynomial, spectrum, Add, ahead);
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

/// Converts, folds and twists; leaves the parts of each number side by side.
struct Fold<'a, T> {
    source: T,
    input: &'a [u64],
    twist: &'a [f64],
    output: &'a mut [f64],
    ahead: &'a [f64],
}

impl<T: Source> Kernel for Fold<'_, T> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        simd.prefetch(self.ahead);
        let words = simd.words(self.input);
        let (low, high) = words.split_at(words.len() / 2);
        let outputs = simd.pairs_mut(self.output).iter_mut();
        let twists = simd.pairs(self.twist);
        for (((output, twist), low), high) in outputs.zip(twists).zip(low).zip(high) {
            let re = self.source.convert(simd, simd.load_words(low));
            let im = self.source.convert(simd, simd.load_words(high));
            let (c, s) = (simd.load(&twist[0]), simd.load(&twist[1]));
            let twisted = [
                simd.neg_mul_add(im, s, simd.mul(re, c)),
                simd.mul_add(im, c, simd.mul(re, s)),
            ];
            let [first, second] = side_by_side(simd, twisted);
            simd.store(&mut output[0], first);
            simd.store(&mut output[1], second);
        }
    }
}

/// Untwists, scales, reduces modulo 2^64 and unfolds numbers whose parts are side by side.
struct Unfold<'a, K> {
    sink: K,
    data: &'a [f64],
    untwist: &'a [f64],
    output: &'a mut [u64],
    ahead: &'a [f64],
}

impl<K: Sink> Kernel for Unfold<'_, K> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        simd.prefetch(self.ahead);
        let words = simd.words_mut(self.output);
        let (low, high) = words.split_at_mut(words.len() / 2);
        let inputs = simd.pairs(self.data).iter().zip(simd.pairs(self.untwist));
        for (((input, twist), low), high) in inputs.zip(low).zip(high) {
            let [re, im] = apart(simd, [simd.load(&input[0]), simd.load(&input[1])]);
            let (c, s) = (simd.load(&twist[0]), simd.load(&twist[1]));
            let real = simd.neg_mul_add(im, s, simd.mul(re, c));
            let imaginary = simd.mul_add(im, c, simd.mul(re, s));
            self.sink.put(simd, low, modulo(simd, real));
            self.sink.put(simd, high, modulo(simd, imaginary));
        }
    }
}

/// From the FFT's numbers to a spectrum.
struct Separate<'a> {
    numbers: &'a [f64],
    order: &'a [usize],
    parts: &'a mut [f64],
}

impl Kernel for Separate<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let numbers = simd.pairs(self.numbers);
        for (parts, &vector) in simd.pairs_mut(self.parts).iter_mut().zip(self.order) {
            let from = &numbers[vector];
            let [re, im] = apart(simd, [simd.load(&from[0]), simd.load(&from[1])]);
            simd.store(&mut parts[0], re);
            simd.store(&mut parts[1], im);
        }
    }
}

/// From a spectrum to the FFT's numbers.
struct Pair<'a> {
    parts: &'a [f64],
    order: &'a [usize],
    numbers: &'a mut [f64],
}

impl Kernel for Pair<'_> {
    type Output = ();

    #[inline(always)]
    fn run<S: Simd>(self, simd: S) {
        let numbers = simd.pairs_mut(self.numbers);
        for (parts, &vector) in simd.pairs(self.parts).iter().zip(self.order) {
            let parts = [simd.load(&parts[0]), simd.load(&parts[1])];
            let [first, second] = side_by_side(simd, parts);
            let into = &mut numbers[vector];
            simd.store(&mut into[0], first);
            simd.store(&mut into[1], second);
        }
    }
}

/// From `W` real and `W` imaginary parts to `W` complex numbers: with the number `l₂l₁l₀` of the
/// lane in bits, a value moves from register `part`, lane `l₂l₁l₀` to register `l₂`, lane
/// `l₁l₀part`, which is one exchange of register and lane bit after the other.
#[inline(always)]
fn side_by_side<S: Simd>(simd: S, [re, im]: [S::Float; 2]) -> [S::Float; 2] {
    let [a, b] = simd.exchange::<1>(re, im);
    let [a, b] = simd.exchange::<2>(a, b);
    if S::LANES == 8 {
        simd.exchange::<4>(a, b)
    } else {
        [a, b]
    }
}

/// The opposite of [`side_by_side`].
#[inline(always)]
fn apart<S: Simd>(simd: S, [a, b]: [S::Float; 2]) -> [S::Float; 2] {
    let [a, b] = if S::LANES == 8 {
        simd.exchange::<4>(a, b)
    } else {
        [a, b]
    };
    let [a, b] = simd.exchange::<2>(a, b);
    simd.exchange::<1>(a, b)
}
