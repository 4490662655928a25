//! CryptoEmu's barrel shifter: log₂n stages of a multiplexer for each bit.
//!
//! Stage i selects, by bit i of the amount, each bit or the one 2ⁱ places away; what comes in at
//! the end is 0, or the sign. The amount has log₂n bits, lowest stage first. A place that is filled
//! by a clear 0 is an AND here (the paper has a multiplexer of an encrypted constant), and one
//! whose two inputs are the same wire is nothing (arithmetic shifts: the top bit).
//!
//! Without the carry out, `s = ⌈log₂n⌉`:
//!
//! | | MUXes | ANDs | depth |
//! |---|---|---|---|
//! | left, logical right | `n·s − (2ˢ − 1)` | `2ˢ − 1` | s |
//! | arithmetic right | `(n − 1)·s` | 0 | s |
//! | rotate | `n·s` | 0 | s |
//!
//! The paper counts `n·log₂n` multiplexers, each two gates' time, for all of them. ARM's rule for
//! amounts of n and more, and the carry out, are around this: see [`shift`](super::shift).
//!
//! Source: X. Gong, D. Negrut, CryptoEmu, 2020, §V-D, figures 10 and 11.

use super::kind::Shift;
use super::track::Track;
use crate::architectures::Formula;
use crate::{Builder, Wire};

/// Shifts a track to higher places by `Σ 2ⁱ·amountᵢ`.
pub(super) fn shift(b: &mut Builder, mut track: Track, amount: &[Wire]) -> Track {
    for (stage, &select) in amount.iter().enumerate() {
        let moved = track.moved(track.step(stage));
        let pairs = track.places.iter().zip(moved);
        track.places = pairs
            .map(|(&stays, moves)| b.choose(select, moves, stays))
            .collect();
    }
    track
}

/// A shift of n bits, n ≥ 2, by an amount of ⌈log₂n⌉ bits, without carry.
pub(super) const fn gates(kind: Shift, n: usize) -> Option<Formula> {
    if n < 2 {
        return None;
    }
    let stages = n.next_power_of_two().ilog2() as usize;
    // In the stage of step 2ⁱ as many places are filled from outside.
    let filled = n.next_power_of_two() - 1;
    let (muxes, ands) = match kind {
        Shift::Left | Shift::LogicalRight => (n * stages - filled, filled),
        Shift::ArithmeticRight => ((n - 1) * stages, 0),
        Shift::RotateRight => (n * stages, 0),
    };
    Some(Formula {
        ands,
        xors: 0,
        muxes,
        depth: stages,
    })
}
