//! Sums of products of kept operands by sums of kept operands: bilinear forms whose coefficients
//! are 0 and 1.
//!
//! Transforms are linear, so a sum of operands needs none of its own: it is added up point by
//! point, and where many sums of the same operands are wanted, that is much less work. For it the
//! transforms of a *bundle* lie side by side: of each operand 64 words, then the next 64 of each,
//! so that all sums of a strip are made while it is in the first-level cache, and memory is read
//! once, from front to back.
//!
//! Words of a bundle are residues below twice their prime. Some thousands of them may be added
//! before anything has to be reduced: a summand costs a load and an addition for each vector.

use super::arch::{Factor, Kernel, Residues};
use super::error::PrimesError;
use super::spectrum::{Content, Key, Spectrum};
use super::tables::Tables;
use super::threads::{each, together};
use super::{Plan, butterfly};

/// Words of each operand in a strip: eight vectors at most, which a loop holds in registers.
const STRIP: usize = 64;
/// Vectors that a loop adds at a time.
const WIDTH: usize = 8;

/// Transforms of several operands. Made by [`Plan::bundle`].
#[derive(Debug)]
pub struct Bundle {
    key: Key,
    count: usize,
    /// Limbs of the longest operand.
    limbs: usize,
    /// For each prime, for each strip, for each operand.
    words: Vec<u64>,
}

impl Bundle {
    /// How many operands it has.
    pub fn count(&self) -> usize {
        self.count
    }

    /// Bytes that it takes.
    pub fn bytes(&self) -> usize {
        size_of_val(self.words.as_slice())
    }
}

/// One product of a form: an operand by a sum of operands, all by their numbers in a bundle.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Row {
    /// The factor.
    pub factor: u16,
    /// The operands that are added to be the other factor.
    pub summands: Vec<u16>,
}

impl Plan {
    /// Room for the transforms of `count` operands, all 0.
    pub fn bundle(&self, count: usize) -> Bundle {
        Bundle {
            key: self.key(),
            count,
            limbs: 0,
            words: vec![0; 3 * self.shape.words() * count],
        }
    }

    /// Puts an operand's spectrum into a bundle.
    ///
    /// # Errors
    /// [`PrimesError::NoSuchOperand`] if the bundle has fewer; [`PrimesError::WrongContent`] and
    /// [`PrimesError::ForeignSpectrum`] of what does not fit.
    pub fn insert(
        &self,
        bundle: &mut Bundle,
        index: usize,
        spectrum: &Spectrum,
    ) -> Result<(), PrimesError> {
        self.owns(spectrum)?;
        self.owns_bundle(bundle)?;
        check_index(index, bundle.count)?;
        bundle.limbs = bundle.limbs.max(spectrum.operand()?);
        let (length, count) = (self.shape.words(), bundle.count);
        let primes = spectrum.words().chunks_exact(length);
        let into = bundle.words.chunks_exact_mut(length * count);
        for (tables, (from, into)) in self.tables.iter().zip(primes.zip(into)) {
            self.machine.dispatch(Insert {
                tables,
                one: self.machine.factor(1, tables.modulus.p),
                from,
                into,
                index,
                count,
            });
        }
        Ok(())
    }

    /// Each of `sums` becomes the sum of the products of a form. A sum may have as many summands,
    /// over all its rows, as [`Self::most_summands`] says.
    ///
    /// # Errors
    /// [`PrimesError::NoSuchOperand`] of numbers that the bundle has not;
    /// [`PrimesError::TooManyTerms`]; [`PrimesError::TooLong`] if products have more limbs than the
    /// transform points and are not modular; [`PrimesError::ForeignSpectrum`] of what does not fit.
    ///
    /// # Panics
    /// Unless there are as many sums as forms.
    pub fn forms(
        &self,
        sums: &mut [Spectrum],
        bundle: &Bundle,
        forms: &[&[Row]],
    ) -> Result<(), PrimesError> {
        assert_eq!(sums.len(), forms.len(), "a sum for each form");
        self.owns_bundle(bundle)?;
        for (sum, form) in sums.iter_mut().zip(forms) {
            self.owns(sum)?;
            self.check_product(bundle.limbs, bundle.limbs, 0)?;
            let mut products = 0;
            for row in *form {
                for &index in row.summands.iter().chain([&row.factor]) {
                    check_index(index.into(), bundle.count)?;
                }
                products += row.summands.len() as u64;
            }
            let (terms, most) = (products * bundle.limbs as u64, self.capacity());
            if terms > most {
                return Err(PrimesError::TooManyTerms { terms, most });
            }
            sum.content = Content::Sum { terms };
        }
        let length = self.shape.words();
        let mut parts: [Vec<&mut [u64]>; 3] = [(); 3].map(|()| Vec::with_capacity(forms.len()));
        for sum in sums {
            for (part, words) in parts
                .iter_mut()
                .zip(sum.words_mut().chunks_exact_mut(length))
            {
                part.push(words);
            }
        }
        let strips = bundle.words.chunks_exact(length * bundle.count);
        let mut pieces: Vec<_> = self
            .tables
            .iter()
            .zip(parts.iter_mut().zip(strips))
            .collect();
        together(self.threads, || {
            each(self.threads, &mut pieces, |(tables, (sums, words))| {
                self.machine.dispatch(Forms {
                    tables,
                    words,
                    count: bundle.count,
                    forms,
                    sums,
                });
            });
        });
        Ok(())
    }

    /// Summands that the rows of a form may have in all, of operands of `limbs` limbs.
    pub fn most_summands(&self, limbs: usize) -> usize {
        (self.capacity() / limbs.max(1) as u64) as usize
    }

    fn owns_bundle(&self, bundle: &Bundle) -> Result<(), PrimesError> {
        if bundle.key == self.key() {
            Ok(())
        } else {
            Err(PrimesError::ForeignSpectrum)
        }
    }
}

fn check_index(index: usize, count: usize) -> Result<(), PrimesError> {
    if index < count {
        Ok(())
    } else {
        Err(PrimesError::NoSuchOperand { index, count })
    }
}

/// Residues below twice their prime, in the strips of one operand.
struct Insert<'a> {
    tables: &'a Tables,
    /// 1, as a factor.
    one: [u64; 2],
    from: &'a [u64],
    into: &'a mut [u64],
    /// The operand's number.
    index: usize,
    /// How many operands there are.
    count: usize,
}

impl Kernel for Insert<'_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(&self.tables.modulus);
        let one: Factor<V> = butterfly::splat(v, self.one);
        let (index, count) = (self.index, self.count);
        let strips = self.into.chunks_exact_mut(STRIP * count);
        for (from, strip) in self.from.chunks_exact(STRIP).zip(strips) {
            let into = &mut strip[STRIP * index..][..STRIP];
            for (from, into) in v.vectors(from).iter().zip(v.vectors_mut(into)) {
                v.store(into, v.clean(v.mul(p, v.load(from), one)));
            }
        }
    }
}

/// All forms, modulo one prime.
struct Forms<'a, 'b> {
    tables: &'a Tables,
    words: &'a [u64],
    count: usize,
    forms: &'a [&'a [Row]],
    sums: &'a mut [&'b mut [u64]],
}

impl Kernel for Forms<'_, '_> {
    #[inline(always)]
    fn run<V: Residues>(self, v: V) {
        let p = v.prime(&self.tables.modulus);
        let vectors = STRIP / V::LANES;
        for (number, strip) in self.words.chunks_exact(STRIP * self.count).enumerate() {
            let strip = v.vectors(strip);
            for (sum, form) in self.sums.iter_mut().zip(self.forms) {
                let sum = v.vectors_mut(&mut sum[number * STRIP..][..STRIP]);
                for first in (0..vectors).step_by(WIDTH) {
                    let mut total = [v.splat(0); WIDTH];
                    for row in *form {
                        let factor = &strip[usize::from(row.factor) * vectors + first..][..WIDTH];
                        let mut other = [v.splat(0); WIDTH];
                        for summands in row.summands.chunks(V::SUMMANDS) {
                            for &summand in summands {
                                let words = &strip[usize::from(summand) * vectors + first..];
                                let words = &words[..WIDTH];
                                for i in 0..WIDTH {
                                    other[i] = v.add(other[i], v.load(&words[i]));
                                }
                            }
                            for i in 0..WIDTH {
                                other[i] = v.collect(p, other[i]);
                            }
                        }
                        for i in 0..WIDTH {
                            let product = v.product(p, v.load(&factor[i]), other[i]);
                            total[i] = v.fold(p, v.add(total[i], product));
                        }
                    }
                    for i in 0..WIDTH {
                        v.store(&mut sum[first + i], total[i]);
                    }
                }
            }
        }
    }
}
