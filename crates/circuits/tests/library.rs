//! The functional units against integers: exhaustively for small words, in 64 random lanes for
//! wide ones, with operands that are clear in part, for every kind of target; their counts and
//! depths as formulas and as a snapshot (`library_counts.txt`).

// What fails to unwrap here fails the test, outside `#[test]` functions too.
#![allow(clippy::unwrap_used)]

#[path = "library/answers.rs"]
mod answers;
#[path = "library/arithmetic.rs"]
mod arithmetic;
#[path = "library/block_lookahead.rs"]
mod block_lookahead;
#[path = "library/choice.rs"]
mod choice;
#[path = "library/counts.rs"]
mod counts;
#[path = "library/formulas.rs"]
mod formulas;
#[path = "library/harness.rs"]
mod harness;
#[path = "library/noise.rs"]
mod noise;
#[path = "library/units.rs"]
mod units;
