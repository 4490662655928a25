//! Products by the multiplier that suits, or by one of the caller's choice.

use super::problem::Problem;
use super::table::build;
use crate::architectures::Multiplier;
use crate::library::choice::Question;
use crate::library::word::{Signedness, Word, clear_value};
use crate::{Builder, Wire};

/// Cores from which on a tree of full adders may be faster than the library's own columns.
const MANY: usize = 9;

/// The low n bits of `x·y`.
///
/// ```
/// use blindcore_circuits::library::{self, Signedness, constant};
/// use blindcore_circuits::{Builder, Profile};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let (x, y) = (constant(200, 8), constant(3, 8));
/// assert_eq!(library::multiply(b, &x, &y), constant(600 % 256, 8));
/// assert_eq!(library::multiply_add(b, &x, &y, &y), constant(603 % 256, 8));
/// assert_eq!(library::multiply_subtract(b, &x, &y, &y), constant(256 + 3 - 600 % 256, 8));
/// assert_eq!(library::square(b, Signedness::Unsigned, &y), constant(9, 16));
///
/// // All bits: 200 is −56 if the top bit counts negatively.
/// assert_eq!(library::multiply_long(b, Signedness::Unsigned, &x, &y), constant(600, 16));
/// let signed = library::multiply_add_long(b, Signedness::Signed, &x, &y, &constant(1_000, 16));
/// assert_eq!(signed, constant(1_000 - 3 * 56, 16));
/// ```
pub fn multiply(b: &mut Builder, x: &[Wire], y: &[Wire]) -> Word {
    chosen(b, &Problem::low(x, y))
}

/// The low n bits of `x·y` by a multiplier of the caller's choice.
pub(in crate::library) fn multiply_with(
    b: &mut Builder,
    multiplier: Multiplier,
    x: &[Wire],
    y: &[Wire],
) -> Word {
    build(b, multiplier, &Problem::low(x, y))
}

/// The low n bits of `x·y + addend`.
pub fn multiply_add(b: &mut Builder, x: &[Wire], y: &[Wire], addend: &[Wire]) -> Word {
    chosen(b, &Problem::low(x, y).and_addend(addend))
}

/// The low n bits of `minuend − x·y`.
pub fn multiply_subtract(b: &mut Builder, x: &[Wire], y: &[Wire], minuend: &[Wire]) -> Word {
    let mut problem = Problem::low(x, y).and_addend(minuend);
    problem.negative = true;
    chosen(b, &problem)
}

/// All 2n bits of `x·y`.
pub fn multiply_long(b: &mut Builder, signedness: Signedness, x: &[Wire], y: &[Wire]) -> Word {
    chosen(b, &Problem::long(signedness, x, y))
}

/// All 2n bits of `x·y` by a multiplier of the caller's choice.
pub(in crate::library) fn multiply_long_with(
    b: &mut Builder,
    multiplier: Multiplier,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
) -> Word {
    build(b, multiplier, &Problem::long(signedness, x, y))
}

/// The low 2n bits of `x·y + addend`, where the addend has 2n bits.
pub fn multiply_add_long(
    b: &mut Builder,
    signedness: Signedness,
    x: &[Wire],
    y: &[Wire],
    addend: &[Wire],
) -> Word {
    chosen(b, &Problem::long(signedness, x, y).and_addend(addend))
}

fn chosen(b: &mut Builder, problem: &Problem<'_>) -> Word {
    let forced = b.profile().architectures.multiplier;
    let multiplier = forced.unwrap_or_else(|| suited(b, problem));
    build(b, multiplier, problem)
}

/// The library's own, unless another is faster: a tree of few levels on many cores, Booth's where
/// there are selectors.
fn suited(b: &mut Builder, problem: &Problem<'_>) -> Multiplier {
    let profile = b.profile();
    let is_clear = clear_value(problem.x).is_some() || clear_value(problem.y).is_some();
    let is_square = problem.x == problem.y;
    let mut candidates = vec![Multiplier::Columns];
    if profile.selectors.is_some() {
        candidates.push(Multiplier::Booth);
    }
    if profile.cores >= MANY && !is_square {
        candidates.push(Multiplier::Dadda);
    }
    if profile.levels.is_some() || is_clear || candidates.len() == 1 {
        return Multiplier::Columns;
    }
    let (n, signedness) = (problem.x.len(), problem.signedness);
    let is_long = problem.width > n;
    let family = match (is_square, is_long, signedness) {
        (false, false, _) => "product",
        (false, true, Signedness::Unsigned) => "long unsigned product",
        (false, true, Signedness::Signed) => "long signed product",
        (true, false, _) => "square",
        (true, true, Signedness::Unsigned) => "long unsigned square",
        (true, true, Signedness::Signed) => "long signed square",
    };
    let question = Question {
        family,
        width: n,
        words: 2,
        candidates: &candidates,
        formula: &|_| None,
        draw: &|b, multiplier| {
            let x = b.inputs(n);
            let y = if is_square { x.clone() } else { b.inputs(n) };
            match is_long {
                true => multiply_long_with(b, multiplier, signedness, &x, &y),
                false => multiply_with(b, multiplier, &x, &y),
            }
        },
    };
    question.answer(b)
}
