//! Which algorithm for which size: the table that `cargo run --release -p blindcore-bignum --example thresholds`
//! measures.

use crate::Route;
use crate::small::Ladder;
use crate::transform::Family;

/// From how many limbs of the shorter operand on products are computed by floating-point transforms.
const FLOAT: usize = 128;

/// Up to how many limbs of the product: digits shrink as lengths grow, and limbs of the exact transforms do not.
const FLOAT_UNTIL: usize = 1 << 21;

/// From how many limbs on each algorithm computes products of two operands of one length.
#[must_use]
pub fn thresholds() -> Vec<(Route, usize)> {
    let Ladder {
        karatsuba, toom, ..
    } = Ladder::MEASURED;
    let steps = [
        (Route::Karatsuba, karatsuba),
        (Route::Toom, toom),
        (Route::Float, FLOAT),
        (Route::Exact, FLOAT_UNTIL / 2 + 1),
    ];
    let overtaken = |from: usize| from >= FLOAT;
    steps
        .into_iter()
        .filter(|&(route, from)| route != Route::Toom || !overtaken(from))
        .collect()
}

/// The transform for a product, if it is not too short for one.
pub(crate) fn family(route: Route, shorter: usize, product: usize) -> Option<Family> {
    match route {
        Route::Schoolbook | Route::Karatsuba | Route::Toom => None,
        Route::Float => Some(Family::Float),
        Route::Exact => Some(Family::Exact),
        Route::Automatic if shorter < FLOAT => None,
        Route::Automatic if product <= FLOAT_UNTIL => Some(Family::Float),
        Route::Automatic => Some(Family::Exact),
    }
}
