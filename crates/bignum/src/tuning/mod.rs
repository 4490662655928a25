//! Which algorithm for which size.
//!
//! The constants were measured on one machine by `cargo run --release -p blindcore-bignum --example
//! thresholds`. Where another has other caches or units, its own [`Tuning`] knows better:
//! [`Tuning::measure`] takes a second or two, and [`install`] belongs at the start of a program.

mod measure;

use std::num::NonZeroUsize;
use std::ops::Range;
use std::sync::{LazyLock, OnceLock};

use serde::{Deserialize, Serialize};
use transforms::InstructionSet;
use transforms::integers::columns::Columns;
use transforms::integers::primes;

use crate::Route;
use crate::small::Ladder;
use crate::transform::Family;

/// Which products are computed by transforms on a machine, and by which.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Tuning {
    /// Limbs of the shorter operand from which on products are computed by transforms, and of a
    /// number for its square.
    product: usize,
    square: usize,
    /// Where floating-point transforms are faster than exact ones, on one thread and on several.
    float: [Lengths; 2],
}

/// Where floating-point transforms are faster than exact ones. For longer numbers they are slower
/// again: their digits shrink as lengths grow, and limbs do not.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Lengths {
    /// Limbs of a product.
    products: Range<usize>,
    /// Limbs of a modulus, for Montgomery's product in rings: they are half as long as products,
    /// and what is added up in them leaves digits fewer bits (`--example residues`).
    rings: Range<usize>,
}

impl Default for Tuning {
    /// By the constants.
    fn default() -> Self {
        // Columns are overtaken later than rows, and have no faster squares.
        let (product, square) = match Columns::detect() {
            Some(_) => (480, 320),
            None => (152, 152),
        };
        let lengths = if *FAST_PRIMES {
            Lengths {
                products: 3_072..28_672,
                rings: 512..15_360,
            }
        } else {
            Lengths {
                products: 0..usize::MAX,
                rings: 0..usize::MAX,
            }
        };
        Self {
            product,
            square,
            float: [lengths.clone(), lengths],
        }
    }
}

/// Whether the exact transforms have kernels for this machine.
static FAST_PRIMES: LazyLock<bool> = LazyLock::new(|| {
    primes::Plan::new(1, 1, InstructionSet::detect(), NonZeroUsize::MIN)
        .is_ok_and(|plan| plan.kernels() != InstructionSet::Scalar.name())
});

static INSTALLED: OnceLock<Tuning> = OnceLock::new();

/// Makes every product of this process choose by that tuning. It must come before the first of
/// them, since kept operands and plans have to agree: false if it came too late.
pub fn install(tuning: Tuning) -> bool {
    INSTALLED.set(tuning).is_ok()
}

fn installed() -> &'static Tuning {
    INSTALLED.get_or_init(Tuning::default)
}

/// From how many limbs on each algorithm computes products of two operands of one length, on one
/// thread of this machine. Toom's is not among them where transforms overtake Karatsuba's before it
/// does.
#[must_use]
pub fn thresholds() -> Vec<(Route, usize)> {
    let (ladder, tuning) = (Ladder::fastest(), installed());
    let steps = [
        (Route::Karatsuba, ladder.karatsuba),
        (Route::Toom, ladder.toom),
    ];
    let below = steps.into_iter().filter(|&(_, from)| from < tuning.product);
    let Range { start, end } = tuning.float[0].products;
    let transforms = [
        (Route::Exact, tuning.product),
        (Route::Float, start.div_ceil(2)),
        (Route::Exact, end.div_ceil(2)),
    ];
    let above = transforms.map(|(route, from)| (route, from.max(tuning.product)));
    below.chain(above).collect()
}

/// What a transform is chosen for.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Task {
    /// A product of that many limbs, with those of the shorter factor.
    Product { shorter: usize, limbs: usize },
    /// The square of a number.
    Square { limbs: usize },
    /// Montgomery's product in rings for a modulus.
    Rings { limbs: usize },
}

/// The transform for a task, if it is not too short for one.
pub(crate) fn family(route: Route, threads: NonZeroUsize, task: Task) -> Option<Family> {
    match route {
        Route::Schoolbook | Route::Columns | Route::Karatsuba | Route::Toom => None,
        Route::Float => Some(Family::Float),
        Route::Exact => Some(Family::Exact),
        Route::Automatic => installed().family(threads, task),
    }
}

impl Tuning {
    fn family(&self, threads: NonZeroUsize, task: Task) -> Option<Family> {
        let lengths = &self.float[usize::from(threads.get() > 1)];
        let (long, float) = match task {
            Task::Product { shorter, limbs } => {
                (shorter >= self.product, lengths.products.contains(&limbs))
            }
            Task::Square { limbs } => {
                let product = 2 * limbs;
                (limbs >= self.square, lengths.products.contains(&product))
            }
            Task::Rings { limbs } => (limbs >= self.product, lengths.rings.contains(&limbs)),
        };
        long.then_some(if float { Family::Float } else { Family::Exact })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_task_has_its_lengths() {
        let lengths = |products, rings| Lengths { products, rings };
        let tuning = Tuning {
            product: 100,
            square: 50,
            float: [lengths(300..400, 0..150), lengths(0..300, 200..500)],
        };
        let [one, two] = [1, 2].map(|threads| NonZeroUsize::new(threads).unwrap());
        let product = |shorter, limbs| Task::Product { shorter, limbs };
        for (threads, task, expected) in [
            (one, product(99, 350), None),
            (one, product(100, 299), Some(Family::Exact)),
            (one, product(100, 300), Some(Family::Float)),
            (one, product(100, 400), Some(Family::Exact)),
            (two, product(100, 299), Some(Family::Float)),
            (one, Task::Square { limbs: 49 }, None),
            (one, Task::Square { limbs: 50 }, Some(Family::Exact)),
            (one, Task::Square { limbs: 150 }, Some(Family::Float)),
            (one, Task::Rings { limbs: 99 }, None),
            (one, Task::Rings { limbs: 100 }, Some(Family::Float)),
            (two, Task::Rings { limbs: 100 }, Some(Family::Exact)),
        ] {
            assert_eq!(tuning.family(threads, task), expected, "{task:?}");
        }
    }
}
