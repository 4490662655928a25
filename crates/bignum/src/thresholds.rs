//! Which algorithm for which size: the table that `cargo run --release -p
//! blindcore-bignum --example thresholds` measures.

use std::num::NonZeroUsize;
use std::sync::LazyLock;

use transforms::InstructionSet;
use transforms::integers::primes;

use crate::Route;
use crate::small::Ladder;
use crate::transform::Family;

/// From how many limbs of the shorter operand on products are computed by transforms.
const TRANSFORM: usize = 152;

/// From how many limbs of the product on floating-point transforms are faster than exact ones.
const FLOAT: usize = 3_072;

/// From how many limbs of the product on exact transforms are faster again: digits shrink as
/// lengths grow, and their limbs do not.
const EXACT_AGAIN: usize = 28_672;

/// The same in the rings of Montgomery's product, by limbs of the modulus (`--example residues`):
/// rings are half as long as products, and what is added up in them leaves digits fewer bits.
const FLOAT_RINGS: std::ops::Range<usize> = 512..15_360;

/// Whether the exact transforms have kernels for this machine.
static FAST_PRIMES: LazyLock<bool> = LazyLock::new(|| {
    primes::Plan::new(1, 1, InstructionSet::detect(), NonZeroUsize::MIN)
        .is_ok_and(|plan| plan.kernels() != InstructionSet::Scalar.name())
});

/// From how many limbs on each algorithm computes products of two operands of one length, on a
/// machine that has kernels for all of them. Toom's is not among them where transforms overtake
/// Karatsuba's before it does.
#[must_use]
pub fn thresholds() -> Vec<(Route, usize)> {
    let mut steps = vec![(Route::Karatsuba, Ladder::MEASURED.karatsuba)];
    if Ladder::MEASURED.toom < TRANSFORM {
        steps.push((Route::Toom, Ladder::MEASURED.toom));
    }
    for (route, from) in [
        (Route::Exact, TRANSFORM),
        (Route::Float, FLOAT.div_ceil(2)),
        (Route::Exact, EXACT_AGAIN.div_ceil(2)),
    ] {
        steps.push((route, from.max(TRANSFORM)));
    }
    steps
}

/// The transform for a product, if it is not too short for one.
pub(crate) fn family(route: Route, shorter: usize, product: usize) -> Option<Family> {
    match route {
        Route::Schoolbook | Route::Karatsuba | Route::Toom => None,
        Route::Float => Some(Family::Float),
        Route::Exact => Some(Family::Exact),
        Route::Automatic if shorter < TRANSFORM => None,
        Route::Automatic if (FLOAT..EXACT_AGAIN).contains(&product) || !*FAST_PRIMES => {
            Some(Family::Float)
        }
        Route::Automatic => Some(Family::Exact),
    }
}

/// The transform for rings of `limbs` limbs, if products of that length take one.
pub(crate) fn ring_family(route: Route, limbs: usize) -> Option<Family> {
    let product = family(route, limbs, 2 * limbs)?;
    Some(match route {
        Route::Automatic if FLOAT_RINGS.contains(&limbs) || !*FAST_PRIMES => Family::Float,
        Route::Automatic => Family::Exact,
        _ => product,
    })
}
