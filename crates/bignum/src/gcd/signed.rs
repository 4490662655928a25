//! Integers with a sign, and matrices of them.

use crate::{Error, Multiplier, limbs};

/// A magnitude without zeros at the top, and a sign.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Signed {
    pub(super) magnitude: Vec<u64>,
    pub(super) negative: bool,
}

impl From<u64> for Signed {
    fn from(limb: u64) -> Self {
        Self::new(vec![limb], false)
    }
}

impl Signed {
    pub(super) fn new(mut magnitude: Vec<u64>, negative: bool) -> Self {
        magnitude.truncate(limbs::length(&magnitude));
        Self {
            magnitude,
            negative,
        }
    }

    pub(super) fn product(&self, other: &Self, with: &Multiplier) -> Result<Self, Error> {
        if self.magnitude.is_empty() || other.magnitude.is_empty() {
            return Ok(Self::default());
        }
        let mut product = vec![0; self.magnitude.len() + other.magnitude.len()];
        with.multiply(&mut product, &self.magnitude, &other.magnitude)?;
        Ok(Self::new(product, self.negative != other.negative))
    }

    pub(super) fn sum(mut self, mut other: Self) -> Self {
        if self.magnitude.len() < other.magnitude.len() {
            std::mem::swap(&mut self, &mut other);
        }
        if self.negative == other.negative {
            if limbs::add_assign(&mut self.magnitude, &other.magnitude) {
                self.magnitude.push(1);
            }
            return self;
        }
        if limbs::subtract_assign(&mut self.magnitude, &other.magnitude) {
            self.magnitude.iter_mut().for_each(|limb| *limb = !*limb);
            limbs::increment(&mut self.magnitude);
            self.negative = !self.negative;
        }
        Self::new(self.magnitude, self.negative)
    }

    /// `self·x + other·y`, where each factor is a limb and a sign.
    pub(super) fn combination(&self, x: (u64, bool), other: &Self, y: (u64, bool)) -> Self {
        self.scaled(x).sum(other.scaled(y))
    }

    fn scaled(&self, (by, negative): (u64, bool)) -> Self {
        let mut magnitude = vec![0; self.magnitude.len() + 1];
        let mut carry = 0;
        for (out, &limb) in magnitude.iter_mut().zip(&self.magnitude) {
            let product = u128::from(limb) * u128::from(by) + u128::from(carry);
            (*out, carry) = (product as u64, (product >> 64) as u64);
        }
        if let Some(top) = magnitude.last_mut() {
            *top = carry;
        }
        Self::new(magnitude, self.negative != negative)
    }
}

/// Two rows of two.
#[derive(Debug, Clone)]
pub(super) struct Matrix(pub(super) [[Signed; 2]; 2]);

impl Matrix {
    pub(super) fn identity() -> Self {
        let (zero, one) = (Signed::default, || Signed::from(1));
        Self([[one(), zero()], [zero(), one()]])
    }

    /// The matrix times a column.
    pub(super) fn apply(
        &self,
        high: &Signed,
        low: &Signed,
        with: &Multiplier,
    ) -> Result<(Signed, Signed), Error> {
        let row = |row: &[Signed; 2]| -> Result<Signed, Error> {
            let first = row[0].product(high, with)?;
            Ok(first.sum(row[1].product(low, with)?))
        };
        Ok((row(&self.0[0])?, row(&self.0[1])?))
    }

    /// `self·before`.
    pub(super) fn after(&self, before: &Self, with: &Multiplier) -> Result<Self, Error> {
        let [[a, b], [c, d]] = &before.0;
        let (first, third) = self.apply(a, c, with)?;
        let (second, fourth) = self.apply(b, d, with)?;
        Ok(Self([[first, second], [third, fourth]]))
    }

    /// The matrix of `(a, b) → (b, a − q·b)` times `self`.
    pub(super) fn divided(&mut self, quotient: &Signed, with: &Multiplier) -> Result<(), Error> {
        let minus = Signed {
            negative: !quotient.negative,
            magnitude: quotient.magnitude.clone(),
        };
        self.0.swap(0, 1);
        let [now, next] = &mut self.0;
        for (now, next) in now.iter().zip(next) {
            *next = std::mem::take(next).sum(now.product(&minus, with)?);
        }
        Ok(())
    }

    /// Changes the signs of a row.
    pub(super) fn negate(&mut self, row: usize) {
        for entry in &mut self.0[row] {
            entry.negative = !entry.negative && !entry.magnitude.is_empty();
        }
    }
}
