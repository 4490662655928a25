//! Half-gcd: a unimodular matrix that shrinks a pair of numbers to given limbs.

use super::lehmer::{self, Steps};
use super::signed::{Matrix, Signed};
use crate::{Error, Multiplier, division, limbs};

/// Up to this many limbs the pair is reduced by Lehmer's steps.
const LEHMER: usize = 80;

/// Two numbers without zeros at the top, the larger one first.
#[derive(Debug)]
pub(super) struct Pair {
    pub(super) high: Vec<u64>,
    pub(super) low: Vec<u64>,
}

impl Pair {
    pub(super) fn new(a: &[u64], b: &[u64]) -> Self {
        let (a, b) = (limbs::trim(a).to_vec(), limbs::trim(b).to_vec());
        if limbs::compare(&a, &b).is_lt() {
            Self { high: b, low: a }
        } else {
            Self { high: a, low: b }
        }
    }

    fn bits(&self) -> usize {
        limbs::bits(&self.high) + limbs::bits(&self.low)
    }

    /// `(a, b) → (b, a mod b)`, for `b` that is not zero.
    fn divide(&mut self, matrix: &mut Matrix, with: &Multiplier) -> Result<(), Error> {
        let mut quotient = vec![0; self.high.len()];
        let mut rest = vec![0; self.low.len()];
        division::divide_with(&mut quotient, &mut rest, &self.high, &self.low, with)?;
        rest.truncate(limbs::length(&rest));
        self.high = std::mem::replace(&mut self.low, rest);
        matrix.divided(&Signed::new(quotient, false), with)
    }

    /// Takes new numbers with signs, whose matrix gets the signs and the order.
    fn set(&mut self, high: Signed, low: Signed, matrix: &mut Matrix) {
        for (row, number) in [&high, &low].into_iter().enumerate() {
            if number.negative {
                matrix.negate(row);
            }
        }
        (self.high, self.low) = (high.magnitude, low.magnitude);
        if limbs::compare(&self.high, &self.low).is_lt() {
            std::mem::swap(&mut self.high, &mut self.low);
            matrix.0.swap(0, 1);
        }
    }
}

/// Takes about half of the limbs off both numbers, of which the second is not zero, or all that
/// there are if they are short; the matrix that does it.
pub(super) fn halve(pair: &mut Pair, with: &Multiplier) -> Result<Matrix, Error> {
    let length = pair.high.len();
    let stop = if length <= LEHMER { 0 } else { length / 2 + 1 };
    if pair.low.len() > stop {
        return reduce(pair, stop, with);
    }
    let mut matrix = Matrix::identity();
    pair.divide(&mut matrix, with)?;
    Ok(matrix)
}

/// Reduces the pair until its second number has `stop` limbs or less; the matrix that does it.
/// Entries have about as many limbs as were taken off. `stop` is zero or half of the first number's
/// limbs or more.
fn reduce(pair: &mut Pair, stop: usize, with: &Multiplier) -> Result<Matrix, Error> {
    if pair.high.len() <= LEHMER {
        return reduce_by_steps(pair, stop, with);
    }
    let mut matrix = Matrix::identity();
    let whole = pair.high.len() - stop;
    while pair.low.len() > stop {
        let length = pair.high.len();
        let gap = length - stop;
        // Half of the way first, then the rest: each looks at twice the limbs that it takes off.
        let take = if 4 * gap > 3 * whole {
            gap.div_ceil(2)
        } else {
            gap
        };
        let cut = length.saturating_sub(2 * take);
        if pair.low.len() <= cut + take {
            pair.divide(&mut matrix, with)?;
            continue;
        }
        let mut top = Pair {
            high: pair.high[cut..].to_vec(),
            low: pair.low[cut..].to_vec(),
        };
        let mut step = reduce(&mut top, take, with)?;
        // The top is reduced already; what was cut off goes through the matrix.
        let (low_high, low_low) = (
            Signed::new(pair.high[..cut].to_vec(), false),
            Signed::new(pair.low[..cut].to_vec(), false),
        );
        let (high, low) = step.apply(&low_high, &low_low, with)?;
        let high = high.sum(shifted(top.high, cut));
        let low = low.sum(shifted(top.low, cut));
        let before = pair.bits();
        if limbs::bits(&high.magnitude) + limbs::bits(&low.magnitude) >= before {
            pair.divide(&mut matrix, with)?;
            continue;
        }
        pair.set(high, low, &mut step);
        matrix = step.after(&matrix, with)?;
    }
    Ok(matrix)
}

fn shifted(mut top: Vec<u64>, by: usize) -> Signed {
    top.splice(0..0, std::iter::repeat_n(0, by));
    Signed::new(top, false)
}

/// [`reduce`] for short numbers and any `stop`.
fn reduce_by_steps(pair: &mut Pair, stop: usize, with: &Multiplier) -> Result<Matrix, Error> {
    let mut matrix = Matrix::identity();
    while pair.low.len() > stop {
        let steps = if pair.high.len() > 2 {
            lehmer::steps(&pair.high, &pair.low, 64 * stop)
        } else {
            None
        };
        match steps {
            Some(steps) => {
                pair.low.resize(pair.high.len(), 0);
                let (high, low) = steps.apply(&mut pair.high, &mut pair.low);
                let mut step = small_step(&steps, &matrix);
                let high = Signed::new(std::mem::take(&mut pair.high), high);
                let low = Signed::new(std::mem::take(&mut pair.low), low);
                pair.set(high, low, &mut step);
                matrix = step;
            }
            None => pair.divide(&mut matrix, with)?,
        }
    }
    Ok(matrix)
}

/// The matrix of Lehmer's steps times one.
fn small_step(steps: &Steps, before: &Matrix) -> Matrix {
    let [above, below] = &before.0;
    let row = |(x, y): (u64, u64), negative: bool| {
        [0, 1].map(|at| above[at].combination((x, negative), &below[at], (y, !negative)))
    };
    // The first number is x₀a − y₀b, the second y₁b − x₁a, and both are negated if the number of
    // steps is odd.
    Matrix([row(steps.first, steps.odd), row(steps.second, !steps.odd)])
}
