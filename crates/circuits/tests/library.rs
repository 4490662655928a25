//! The functional units against integers: exhaustively for small words, in 64 random lanes for
//! wide ones, with operands that are clear in part, for every kind of target; their counts and
//! depths as formulas and as a snapshot (`library_counts.txt`).

// What fails to unwrap here fails the test, outside `#[test]` functions too.
mod answers;
mod arithmetic;
mod block_lookahead;
mod choice;
mod counts;
mod eight_bits;
mod float_counts;
mod floats;
mod formulas;
mod harness;
mod noise;
mod numbers;
mod ranges;
mod testfloat;
mod units;
