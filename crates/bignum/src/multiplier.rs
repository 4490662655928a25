//! Products with a plan: tables, working memory and transforms of operands that are used again.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use crate::kept::{Kept, Operand};
use crate::small::{self, Ladder};
use crate::transform::{Factor, Family, Key, Plans, Spectrum, Transform};
use crate::tuning::{self, Task};
use crate::{Error, Options, Route, checksum, device, limbs};

/// How much longer than the shorter operand the longer is when it is cut into pieces, and how long
/// these are. A piece costs two transforms of `pieces + 1` lengths, and the whole product would
/// cost three.
const CUT_FROM: usize = 8;
const PIECES: usize = 7;

/// A plan for products of up to a given length.
///
/// It may be shared by threads. Each call takes tables and working memory from a store in it, which
/// grows to one set for each thread that computes products of a size at the same time, and holds
/// the 32 sizes used last.
///
/// Every product by transforms is checked modulo `2^61 − 1`. Where the certificate of
/// floating-point transforms does not hold for the operands, or the check fails, the product is
/// computed by exact ones.
#[derive(Debug, Default)]
pub struct Multiplier {
    largest: usize,
    options: Options,
    /// For kept operands and sums, unless these are too short for transforms.
    kept: Option<Arc<Transform>>,
    /// The same, exact.
    exact: OnceLock<Arc<Transform>>,
    plans: Plans,
    scratch: Mutex<Vec<Vec<u64>>>,
}

impl Multiplier {
    /// A plan for kept operands and sums whose products have up to `limbs` limbs (the sum of both
    /// lengths). Plain products of any length are computed, too.
    ///
    /// # Errors
    /// [`Error::Oversize`] if the route has no transform of that length, [`Error::Unavailable`] if
    /// this machine cannot run it.
    pub fn new(limbs: usize, options: Options) -> Result<Self, Error> {
        if options.route == Route::Columns && Ladder::columns().is_none() {
            return Err(Error::Unavailable {
                route: Route::Columns,
            });
        }
        let make = |family| {
            // The carries of a sum have a limb of their own.
            let limbs = limbs + usize::from(options.sums > 1);
            Transform::new(family, false, limbs, options.sums, options.threads)
        };
        let product = Task::Product {
            shorter: limbs / 2,
            limbs,
        };
        let kept = match tuning::family(options.route, options.threads, product) {
            _ if limbs == 0 => None,
            None => None,
            Some(family) => match make(family) {
                Err(Error::Oversize { .. }) if options.route == Route::Automatic => {
                    make(Family::Exact).ok()
                }
                made => Some(made?),
            },
        };
        Ok(Self {
            largest: limbs,
            options,
            kept: kept.map(Arc::new),
            ..Self::default()
        })
    }

    /// What it was made with.
    #[must_use]
    pub fn options(&self) -> Options {
        self.options
    }

    /// Limbs of the longest product of kept operands.
    #[must_use]
    pub fn largest(&self) -> usize {
        self.largest
    }

    /// `out = a·b`.
    ///
    /// # Errors
    /// [`Error::OutputLength`] unless `out` is as long as both together; [`Error::Oversize`] if the
    /// route was chosen and has no transform of that length.
    pub fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        check_output(out, a.len() + b.len())?;
        #[cfg(feature = "device")]
        if let Some(device) = device::taking(a.len(), b.len()) {
            device.multiply(out, a, b);
            return Ok(());
        }
        let (a, b) = if a.len() < b.len() { (b, a) } else { (a, b) };
        if b.is_empty() {
            out.fill(0);
            return Ok(());
        }
        let product = Task::Product {
            shorter: b.len(),
            limbs: out.len(),
        };
        let Some(family) = self.family(product) else {
            let ladder = self.ladder();
            if !ladder.shortest(out, a, b) {
                let mut scratch = self.take();
                small::multiply(out, a, b, &mut scratch, ladder);
                self.give(scratch);
            }
            return Ok(());
        };
        if a.len() > CUT_FROM * b.len() {
            return self.by_pieces(out, a, b, PIECES * b.len());
        }
        self.by_family(out, a, b, family)
    }

    /// A product by transforms, for `b` no longer than `a`.
    fn by_family(
        &self,
        out: &mut [u64],
        a: &[u64],
        b: &[u64],
        family: Family,
    ) -> Result<(), Error> {
        let plan = match self.plans.get(family, out.len(), self.options.threads) {
            Err(Error::Oversize { .. }) if self.options.route == Route::Automatic => match self
                .plans
                .get(Family::Exact, out.len(), self.options.threads)
            {
                Err(Error::Oversize { .. }) => {
                    return self.by_pieces(out, a, b, a.len().div_ceil(2));
                }
                exact => exact?,
            },
            plan => plan?,
        };
        self.by_transform(out, &plan, &[(Operand::Limbs(a), Operand::Limbs(b))])
    }

    /// `out = a²`.
    ///
    /// # Errors
    /// As [`multiply`](Self::multiply).
    pub fn square(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        check_output(out, 2 * a.len())?;
        #[cfg(feature = "device")]
        if let Some(device) = device::taking(a.len(), a.len()) {
            device.multiply(out, a, a);
            return Ok(());
        }
        let square = Task::Square { limbs: a.len() };
        if !a.is_empty()
            && let Some(family) = self.family(square)
        {
            // A product knows a square by its operands being one slice.
            return self.by_family(out, a, a, family);
        }
        let ladder = self.ladder();
        if !ladder.shortest_square(out, a) {
            let mut scratch = self.take();
            small::square(out, a, &mut scratch, ladder);
            self.give(scratch);
        }
        Ok(())
    }

    /// The number with its transform, for products with it.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if it is longer than the longest product.
    pub fn keep(&self, a: &[u64]) -> Result<Kept, Error> {
        self.check_product(a.len())?;
        let Some(plan) = &self.kept else {
            return Ok(Kept::new(a, None));
        };
        let mut spectrum = plan.spectrum();
        plan.forward(a, &mut spectrum)?;
        Ok(Kept::new(a, Some((plan.key(), spectrum))))
    }

    /// `out = a·b` for a kept `a`, and `b` kept or not.
    ///
    /// # Errors
    /// [`Error::OutputLength`] unless `out` is as long as both together; [`Error::OperandLength`]
    /// if they are longer than the longest product; [`Error::ForeignOperand`] if one was kept by a
    /// plan of another size.
    pub fn multiply_kept<'a>(
        &self,
        out: &mut [u64],
        a: &Kept,
        b: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let (a, b) = (Operand::Kept(a), b.into());
        let length = a.limbs().len() + b.limbs().len();
        self.check_product(length)?;
        check_output(out, length)?;
        self.products(out, &[(a, b)])
    }

    /// `out = Σ aᵢ·bᵢ`, with one inverse transform for all of them. `out` has the length of the
    /// longest product and one limb more, which holds the sum's carries.
    ///
    /// # Errors
    /// [`Error::TooManyProducts`] beyond what the options say, and those of
    /// [`multiply_kept`](Self::multiply_kept).
    pub fn sum_of_products<'a, A, B>(&self, out: &mut [u64], pairs: &[(A, B)]) -> Result<(), Error>
    where
        A: Into<Operand<'a>> + Copy,
        B: Into<Operand<'a>> + Copy,
    {
        let pairs = self.operands(pairs)?;
        let longest = longest(&pairs);
        self.check_product(longest)?;
        check_output(out, longest + 1)?;
        self.products(out, &pairs)
    }

    /// Pairs as operands, no more than were planned for.
    pub(crate) fn operands<'a, A, B>(
        &self,
        pairs: &[(A, B)],
    ) -> Result<Vec<(Operand<'a>, Operand<'a>)>, Error>
    where
        A: Into<Operand<'a>> + Copy,
        B: Into<Operand<'a>> + Copy,
    {
        if pairs.len() > self.options.sums {
            return Err(Error::TooManyProducts {
                given: pairs.len(),
                planned: self.options.sums,
            });
        }
        Ok(pairs.iter().map(|&(a, b)| (a.into(), b.into())).collect())
    }

    /// The sum of products, in an output that holds it.
    pub(crate) fn products(
        &self,
        out: &mut [u64],
        pairs: &[(Operand<'_>, Operand<'_>)],
    ) -> Result<(), Error> {
        let key = self.kept.as_ref().map(|plan| plan.key());
        if pairs.iter().any(|(a, b)| is_foreign((*a, *b), key)) {
            return Err(Error::ForeignOperand);
        }
        if let Some(plan) = &self.kept
            && !by_device(pairs)
        {
            let (sum, above) = match pairs {
                // One product needs no limb for carries, and its transform may have none.
                [_] => out.split_at_mut(longest(pairs)),
                _ => (out, &mut [][..]),
            };
            above.fill(0);
            return self.by_transform(sum, plan, pairs);
        }
        let mut product = vec![0; longest(pairs)];
        out.fill(0);
        for (a, b) in pairs {
            let product = &mut product[..a.limbs().len() + b.limbs().len()];
            self.multiply(product, a.limbs(), b.limbs())?;
            limbs::add_assign(out, product);
        }
        Ok(())
    }

    /// The sum of products by the transform for kept operands or, of one product, the shortest, not
    /// checked: what it is modulo `2^61 − 1` if it is right. `None`, with `out` of no meaning, if
    /// there is no transform or rounding may have spoilt the sum. `out` holds the sum, and may be
    /// longer.
    pub(crate) fn unchecked(
        &self,
        out: &mut [u64],
        pairs: &[(Operand<'_>, Operand<'_>)],
    ) -> Result<Option<u64>, Error> {
        let Some(kept) = &self.kept else {
            return Ok(None);
        };
        if by_device(pairs) {
            return Ok(None);
        }
        let key = kept.key();
        if pairs.iter().any(|(a, b)| is_foreign((*a, *b), Some(key))) {
            return Err(Error::ForeignOperand);
        }
        let length = longest(pairs);
        let alone = match pairs {
            [(Operand::Limbs(a), Operand::Limbs(b))] => !a.is_empty() && !b.is_empty(),
            _ => false,
        };
        let product = Task::Product {
            shorter: length / 2,
            limbs: length,
        };
        let plan = match alone.then(|| self.family(product)).flatten() {
            Some(family) => &self.plans.get(family, length, self.options.threads)?,
            None => kept,
        };
        let (sum, above) = match pairs {
            [_] => out.split_at_mut(length),
            _ => out.split_at_mut(out.len().min(length + 1)),
        };
        above.fill(0);
        Ok(transform(sum, plan, pairs)?.then(|| expected(plan, pairs)))
    }

    /// A sum of products by a transform, checked; by the exact one if that fails.
    fn by_transform(
        &self,
        out: &mut [u64],
        plan: &Transform,
        pairs: &[(Operand<'_>, Operand<'_>)],
    ) -> Result<(), Error> {
        let checked = |out: &mut [u64], plan: &Transform| {
            plan.within(|| {
                let expected = expected(plan, pairs);
                Ok::<_, Error>(transform(out, plan, pairs)? && plan.residue(out) == expected)
            })
        };
        if checked(out, plan)? {
            return Ok(());
        }
        let exact = match self.exact.get() {
            Some(exact) if exact.limbs() >= longest(pairs) + usize::from(pairs.len() > 1) => {
                Arc::clone(exact)
            }
            _ => {
                let limbs = longest(pairs).max(self.largest) + usize::from(pairs.len() > 1);
                let (sums, threads) = (self.options.sums.max(1), self.options.threads);
                let made = Transform::new(Family::Exact, false, limbs, sums, threads)?;
                let made = Arc::new(made);
                // Another thread's is as good.
                let _ = self.exact.set(Arc::clone(&made));
                made
            }
        };
        if checked(out, &exact)? {
            return Ok(());
        }
        Err(Error::Broken)
    }

    /// A product by pieces of the longer operand.
    fn by_pieces(&self, out: &mut [u64], a: &[u64], b: &[u64], piece: usize) -> Result<(), Error> {
        out.fill(0);
        let mut product = vec![0; piece + b.len()];
        for (at, piece) in a.chunks(piece).enumerate() {
            let start = at * (product.len() - b.len());
            let product = &mut product[..piece.len() + b.len()];
            self.multiply(product, piece, b)?;
            limbs::add_assign(&mut out[start..], product);
        }
        Ok(())
    }

    fn family(&self, task: Task) -> Option<Family> {
        tuning::family(self.options.route, self.options.threads, task)
    }

    fn ladder(&self) -> &'static Ladder {
        match self.options.route {
            Route::Schoolbook => &Ladder::SCHOOLBOOK,
            Route::Karatsuba => &Ladder::KARATSUBA,
            Route::Toom => &Ladder::ROWS,
            // `new` refuses columns that are not there.
            Route::Columns => Ladder::columns().unwrap_or(&Ladder::KARATSUBA),
            _ => Ladder::fastest(),
        }
    }

    fn check_product(&self, limbs: usize) -> Result<(), Error> {
        if limbs > self.largest {
            return Err(Error::OperandLength {
                given: limbs,
                largest: self.largest,
            });
        }
        Ok(())
    }

    /// Runs with working memory from the store, of any content.
    pub(crate) fn with_scratch<T>(&self, limbs: usize, run: impl FnOnce(&mut [u64]) -> T) -> T {
        let mut scratch = self.take();
        if scratch.len() < limbs {
            scratch.resize(limbs, 0);
        }
        let result = run(&mut scratch[..limbs]);
        self.give(scratch);
        result
    }

    /// Working memory from the store.
    fn take(&self) -> Vec<u64> {
        let mut store = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        store.pop().unwrap_or_default()
    }

    /// Working memory back to the store.
    fn give(&self, scratch: Vec<u64>) {
        let mut store = self.scratch.lock().unwrap_or_else(PoisonError::into_inner);
        store.push(scratch);
    }
}

/// Whether a device computes one of the products, which then are computed one by one.
fn by_device(pairs: &[(Operand<'_>, Operand<'_>)]) -> bool {
    let mut pairs = pairs.iter();
    pairs.any(|(a, b)| device::takes(a.limbs().len(), b.limbs().len()))
}

fn is_foreign((a, b): (Operand<'_>, Operand<'_>), key: Option<Key>) -> bool {
    a.is_foreign(key) || b.is_foreign(key)
}

/// A sum of products modulo `2^61 − 1`.
fn expected(plan: &Transform, pairs: &[(Operand<'_>, Operand<'_>)]) -> u64 {
    pairs.iter().fold(0, |sum, &(a, b)| {
        let (first, second) = if same(a, b) {
            let residue = a.residue();
            (residue, residue)
        } else {
            plan.join(plan.limbs(), || a.residue(), || b.residue())
        };
        checksum::add(sum, checksum::multiply(first, second))
    })
}

/// A sum of products by one transform; false if it is uncertain.
fn transform(
    out: &mut [u64],
    plan: &Transform,
    pairs: &[(Operand<'_>, Operand<'_>)],
) -> Result<bool, Error> {
    if let &[(a, b)] = pairs {
        let key = plan.key();
        let factor = match (a.spectrum(key), b.spectrum(key)) {
            // What is left to do for two kept operands is not a product in one go.
            (Some(_), Some(_)) => None,
            (Some(kept), None) => Some((b, Factor::Kept(kept))),
            (None, Some(kept)) => Some((a, Factor::Kept(kept))),
            (None, None) if same(a, b) => Some((a, Factor::Same)),
            (None, None) => Some((a, Factor::Limbs(b.limbs()))),
        };
        if let Some((number, factor)) = factor {
            return plan.product(out, number.limbs(), factor);
        }
    }
    plan.with_work(|work| {
        for &(a, b) in pairs {
            let first = forward(plan, a, &mut work.first)?;
            let second = if same(a, b) {
                first
            } else {
                forward(plan, b, &mut work.second)?
            };
            plan.multiply_add(&mut work.sum, first, second)?;
        }
        plan.inverse(&mut work.sum, out)
    })
}

/// The spectrum of an operand: kept, or computed.
fn forward<'a>(
    plan: &Transform,
    operand: Operand<'a>,
    into: &'a mut Spectrum,
) -> Result<&'a Spectrum, Error> {
    if let Some(kept) = operand.spectrum(plan.key()) {
        return Ok(kept);
    }
    plan.forward(operand.limbs(), into)?;
    Ok(into)
}

fn same(a: Operand<'_>, b: Operand<'_>) -> bool {
    std::ptr::eq(a.limbs(), b.limbs())
}

pub(crate) fn longest(pairs: &[(Operand<'_>, Operand<'_>)]) -> usize {
    let lengths = pairs.iter().map(|(a, b)| a.limbs().len() + b.limbs().len());
    lengths.max().unwrap_or(0)
}

pub(crate) fn check_output(out: &[u64], needed: usize) -> Result<(), Error> {
    if out.len() == needed {
        Ok(())
    } else {
        Err(Error::OutputLength {
            needed,
            given: out.len(),
        })
    }
}
