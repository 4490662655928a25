//! Products with a plan: tables, working memory and transforms of operands that are used again.

use std::sync::{Mutex, PoisonError};

use crate::kept::{Kept, Operand};
use crate::small::{self, Ladder};
use crate::{Error, Options, Route, limbs};

/// A plan for products of up to a given length.
///
/// It is immutable to its users and may be shared by threads; each call takes working memory from a store
/// in it, which grows to one set for each thread that calls at the same time.
#[derive(Debug, Default)]
pub struct Multiplier {
    largest: usize,
    options: Options,
    scratch: Mutex<Vec<Vec<u64>>>,
}

impl Multiplier {
    /// A plan for kept operands and sums whose products have up to `limbs` limbs (the sum of both lengths).
    /// Plain products of any length are computed, too.
    ///
    /// # Errors
    /// [`Error::Oversize`] if the route has no transform of that length, [`Error::Unavailable`] if this
    /// machine cannot run it.
    pub fn new(limbs: usize, options: Options) -> Result<Self, Error> {
        Ok(Self {
            largest: limbs,
            options,
            scratch: Mutex::default(),
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
    /// [`Error::OutputLength`] unless `out` is as long as both together.
    pub fn multiply(&self, out: &mut [u64], a: &[u64], b: &[u64]) -> Result<(), Error> {
        check_output(out, a.len() + b.len())?;
        let mut scratch = self.take();
        small::multiply(out, a, b, &mut scratch, self.ladder());
        self.give(scratch);
        Ok(())
    }

    /// `out = a²`.
    ///
    /// # Errors
    /// [`Error::OutputLength`] unless `out` is twice as long as `a`.
    pub fn square(&self, out: &mut [u64], a: &[u64]) -> Result<(), Error> {
        check_output(out, 2 * a.len())?;
        let mut scratch = self.take();
        small::square(out, a, &mut scratch, self.ladder());
        self.give(scratch);
        Ok(())
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

    fn ladder(&self) -> &'static Ladder {
        match self.options.route {
            Route::Schoolbook => &Ladder::SCHOOLBOOK,
            Route::Karatsuba => &Ladder::KARATSUBA,
            _ => &Ladder::MEASURED,
        }
    }

    /// The number with its transform, for products with it.
    ///
    /// # Errors
    /// [`Error::OperandLength`] if it is longer than the longest product.
    pub fn keep(&self, a: &[u64]) -> Result<Kept, Error> {
        if a.len() > self.largest {
            return Err(Error::OperandLength {
                given: a.len(),
                largest: self.largest,
            });
        }
        Ok(Kept { limbs: a.into() })
    }

    /// `out = a·b` for a kept `a`, and `b` kept or not.
    ///
    /// # Errors
    /// [`Error::OutputLength`] unless `out` is as long as both together; [`Error::OperandLength`] if they are
    /// longer than the longest product; [`Error::ForeignOperand`] if one was kept by a plan of another size.
    pub fn multiply_kept<'a>(
        &self,
        out: &mut [u64],
        a: &Kept,
        b: impl Into<Operand<'a>>,
    ) -> Result<(), Error> {
        let b = b.into().limbs();
        self.check_product(a.limbs().len() + b.len())?;
        self.multiply(out, a.limbs(), b)
    }

    /// `out = Σ aᵢ·bᵢ`, with one inverse transform for all of them. `out` has the length of the longest
    /// product and one limb more, which holds the sum's carries.
    ///
    /// # Errors
    /// [`Error::TooManyProducts`] beyond what the options say, and those of
    /// [`multiply_kept`](Self::multiply_kept).
    pub fn sum_of_products<'a, A, B>(&self, out: &mut [u64], pairs: &[(A, B)]) -> Result<(), Error>
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
        let numbers = || {
            pairs.iter().map(|&(a, b)| {
                let (a, b): (Operand<'a>, Operand<'a>) = (a.into(), b.into());
                (a.limbs(), b.limbs())
            })
        };
        let longest = numbers().map(|(a, b)| a.len() + b.len()).max().unwrap_or(0);
        self.check_product(longest)?;
        check_output(out, longest + 1)?;
        out.fill(0);
        let mut product = vec![0; longest];
        for (a, b) in numbers() {
            let product = &mut product[..a.len() + b.len()];
            self.multiply(product, a, b)?;
            limbs::add_assign(out, product);
        }
        Ok(())
    }
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
