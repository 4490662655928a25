//! Shifts and rotations with ARM's rules for every amount and with the carry out.
//!
//! By a clear amount: free, a renaming of wires ([`shift_by`]). By a secret amount: a logarithmic
//! shifter. With lookups two bits of the amount make one stage of n/2 ([`barrel`]): 43 for 32 bits
//! by 5 at depth 3, and a few for amounts of 32 and more and for the carry. With selectors three
//! rotations make those of five bits, and each stage is n choices. With gates each bit is
//! a stage of n ANDs ([`multiplexers`]).
//!
//! | amount | word | carry out |
//! |---|---|---|
//! | 0 | unchanged | carry in |
//! | 1 … n | shifted | the last bit shifted out |
//! | > n, left or logical right | 0 | 0 |
//! | > n, arithmetic right | all sign | sign |
//! | rotations | by the amount modulo n | top bit of the result, carry in for amount 0 |
//!
//! The carry is the word's bit n (left) or −1 (right), into which stages move bits. Right shifts
//! are left shifts of the reversed word.
//!
//! Source: ARM Architecture Reference Manual ARMv7-A, A2.2.1 (Shift_C) and A8.4.3.

mod barrel;
mod kind;
mod multiplexers;
mod track;

use super::weighted::{capacity, functions};
use super::word::Word;
use crate::architectures::{Formula, Shifter};
use crate::{Builder, Wire};
pub use kind::Shift;
use track::{Ends, Track};

/// A shifter, apart from its name.
struct Row {
    source: &'static str,
    /// Gates and depth of a shift of n bits by an amount of ⌈log₂n⌉ bits without carry, where they
    /// are a formula.
    gates: fn(Shift, usize) -> Option<Formula>,
    /// All shifts but rotations: the word and the carry out.
    shift: fn(&mut Builder, &Problem<'_>) -> (Word, Wire),
    /// Moves places round by an amount.
    rotate: fn(&mut Builder, Track, &[Wire]) -> Track,
}

/// The table.
fn row(shifter: Shifter) -> Row {
    match shifter {
        Shifter::Masks => Row {
            source: "masked places and their sums",
            gates: |_, _| None,
            shift: |b, problem| match barrel::fits(b) && !choices_pay(b, problem.x, problem.low) {
                true => by_masks(b, problem),
                false => by_selections(b, problem),
            },
            rotate: |b, track, amount| match barrel::fits(b)
                && !choices_pay(b, &track.places, amount)
            {
                true => barrel::shift(b, track, amount, &[]),
                false => multiplexers::shift(b, track, amount),
            },
        },
        Shifter::Multiplexers => Row {
            source: "Gong, Negrut, 2020, §V-D",
            gates: multiplexers::gates,
            shift: by_selections,
            rotate: multiplexers::shift,
        },
    }
}

impl Shifter {
    /// Where the architecture is from.
    #[must_use]
    pub(in crate::library) fn source(self) -> &'static str {
        row(self).source
    }

    /// Gates and depth of a shift of n bits, n ≥ 2, by an amount of ⌈log₂n⌉ bits without carry,
    /// where they are a formula.
    #[must_use]
    pub(in crate::library) fn formula(self, kind: Shift, n: usize) -> Option<Formula> {
        (row(self).gates)(kind, n)
    }
}

/// Whether stages of choices are cheaper than those of masked places.
fn choices_pay(b: &Builder, x: &[Wire], amount: &[Wire]) -> bool {
    let profile = b.profile();
    let Some(selectors) = profile.selectors else {
        return false;
    };
    let secret = amount.iter().filter(|bit| bit.as_constant().is_none());
    let (stages, n) = (secret.count(), x.len() as f64);
    let masked = n / 2.0 * (stages / 2) as f64 + n / 3.0 * (stages % 2) as f64;
    let made = stages.div_ceil(2) as f64 * selectors.rotation;
    made + n * stages as f64 * selectors.choice < masked * profile.cost.lookup
}

/// `x` shifted by a clear amount, and the carry out: no gates.
#[must_use]
pub fn shift_by(kind: Shift, x: &[Wire], amount: u32, carry_in: Wire) -> (Word, Wire) {
    let n = x.len();
    let (Some(&sign), true) = (x.last(), amount > 0) else {
        return (x.to_vec(), carry_in);
    };
    if kind == Shift::RotateRight {
        let mut word = x.to_vec();
        word.rotate_left(amount as usize % n);
        let carry = word[n - 1];
        return (word, carry);
    }
    let fill = if kind == Shift::ArithmeticRight {
        sign
    } else {
        Wire::FALSE
    };
    // A shift by n + 1 pushes everything out, the carry included.
    let amount = (amount as usize).min(n + 1);
    let track = on_track(kind, x, Wire::FALSE, Ends::Fill(fill));
    off_track(kind, track.moved(amount))
}

/// `x` shifted by a secret amount (eight bits in ARM's shifts by register), and the carry out.
/// Clear bits of the amount fold; a wholly clear amount costs nothing.
///
/// ```
/// use blindcore_circuits::library::{self, Shift, constant};
/// use blindcore_circuits::{Builder, Profile, Wire};
///
/// let b = &mut Builder::new(&Profile::lookup_simulation());
/// let (x, two) = (constant(0b1000_0110, 8), constant(2, 3));
/// let shifted = library::shift(b, Shift::ArithmeticRight, &x, &two, Wire::FALSE);
/// assert_eq!(shifted, (constant(0b1110_0001, 8), Wire::TRUE));
/// // By an amount that is known beforehand: no gates.
/// assert_eq!(library::shift_by(Shift::ArithmeticRight, &x, 2, Wire::FALSE), shifted);
/// assert_eq!(library::rotate_left(b, &x, &two), constant(0b0001_1010, 8));
/// let extended = library::rotate_right_extended(&x, Wire::TRUE);
/// assert_eq!(extended, (constant(0b1100_0011, 8), Wire::FALSE));
/// ```
pub fn shift(
    b: &mut Builder,
    kind: Shift,
    x: &[Wire],
    amount: &[Wire],
    carry_in: Wire,
) -> (Word, Wire) {
    let forced = b.profile().architectures.shifter;
    let shifter = forced.unwrap_or(Shifter::Masks);
    shift_with(b, shifter, kind, x, amount, carry_in)
}

/// `x` rotated left by a secret amount, which is right for a word read from the other end.
pub fn rotate_left(b: &mut Builder, x: &[Wire], amount: &[Wire]) -> Word {
    let reversed: Word = x.iter().rev().copied().collect();
    let (mut word, _) = shift(b, Shift::RotateRight, &reversed, amount, Wire::FALSE);
    word.reverse();
    word
}

/// [`shift`] by a shifter of the caller's choice.
pub(in crate::library) fn shift_with(
    b: &mut Builder,
    shifter: Shifter,
    kind: Shift,
    x: &[Wire],
    amount: &[Wire],
    carry_in: Wire,
) -> (Word, Wire) {
    let Some(&sign) = x.last() else {
        return (Word::new(), carry_in);
    };
    if kind == Shift::RotateRight {
        return rotate(b, shifter, x, amount, carry_in);
    }
    let n = x.len();
    let stages = n.next_power_of_two().ilog2() as usize;
    let (low, beyond) = amount.split_at(stages.min(amount.len()));
    let (fill, last) = match kind {
        Shift::ArithmeticRight => (sign, sign),
        Shift::Left => (Wire::FALSE, x[0]),
        _ => (Wire::FALSE, sign),
    };
    // Of the amounts beyond the stages only n itself leaves a bit in the carry, and only where n is
    // a power of two.
    let may_leave = n.is_power_of_two() && kind != Shift::ArithmeticRight;
    let exactly = match (may_leave, amount.get(stages)) {
        (true, Some(&bit)) => {
            let mut all: Vec<Wire> = amount.iter().map(|&other| !other).collect();
            all[stages] = bit;
            all
        }
        _ => vec![Wire::FALSE],
    };
    let problem = Problem {
        kind,
        x,
        amount,
        low,
        beyond,
        carry_in,
        fill,
        last,
        exactly,
    };
    (row(shifter).shift)(b, &problem)
}

/// A shift by a secret amount that is no rotation.
struct Problem<'a> {
    kind: Shift,
    x: &'a [Wire],
    amount: &'a [Wire],
    /// The bits of the amount that are stages, and those beyond them.
    low: &'a [Wire],
    beyond: &'a [Wire],
    carry_in: Wire,
    /// What follows at the end that is left.
    fill: Wire,
    /// The bit that an amount of n leaves in the carry.
    last: Wire,
    /// Bits that are all 1 where the amount is n.
    exactly: Vec<Wire>,
}

fn by_masks(b: &mut Builder, problem: &Problem<'_>) -> (Word, Wire) {
    let &Problem { kind, amount, .. } = problem;
    let track = on_track(kind, problem.x, Wire::FALSE, Ends::Fill(problem.fill));
    let track = barrel::shift(b, track, problem.low, problem.beyond);
    let (word, inside) = off_track(kind, track.places);
    // What the track does not bring is one lookup each, beside it.
    let mut exactly = problem.exactly.clone();
    exactly.push(problem.last);
    let mut unchanged: Vec<Wire> = amount.iter().map(|&bit| !bit).collect();
    unchanged.push(problem.carry_in);
    let (exactly, unchanged) = (b.all(&exactly), b.all(&unchanged));
    (word, b.disjoint(&[inside, exactly, unchanged]))
}

fn by_selections(b: &mut Builder, problem: &Problem<'_>) -> (Word, Wire) {
    let &Problem { kind, x, low, .. } = problem;
    let arithmetic = kind == Shift::ArithmeticRight;
    let too_far = b.any(problem.beyond);
    // The largest amount that the stages know fills the word with the sign.
    let (low, zero) = match arithmetic {
        true => (saturate(b, low, too_far), Wire::FALSE),
        false => (low.to_vec(), too_far),
    };
    let track = on_track(kind, x, problem.carry_in, Ends::Fill(problem.fill));
    let mut track = multiplexers::shift(b, track, &low);
    for bit in &mut track.places[..x.len()] {
        *bit = b.choose(zero, Wire::FALSE, *bit);
    }
    let (word, inside) = off_track(kind, track.places);
    let carry = if too_far == Wire::FALSE {
        inside
    } else if arithmetic {
        b.mux(too_far, problem.fill, inside)
    } else {
        let exactly = b.all(&problem.exactly);
        carry_beyond(b, too_far, exactly, problem.last, inside)
    };
    (word, carry)
}

/// `carry:x` rotated right by one bit, RRX: no gates.
#[must_use]
pub fn rotate_right_extended(x: &[Wire], carry_in: Wire) -> (Word, Wire) {
    let Some((&carry, rest)) = x.split_first() else {
        return (Word::new(), carry_in);
    };
    (rest.iter().copied().chain([carry_in]).collect(), carry)
}

fn rotate(
    b: &mut Builder,
    shifter: Shifter,
    x: &[Wire],
    amount: &[Wire],
    carry_in: Wire,
) -> (Word, Wire) {
    // Where n is a power of two, higher bits of the amount turn the word all the way round.
    let stages = match x.len() {
        n if n.is_power_of_two() => (n.ilog2() as usize).min(amount.len()),
        _ => amount.len(),
    };
    let track = Track {
        places: x.iter().rev().copied().collect(),
        word: x.len(),
        ends: Ends::Joined,
    };
    let track = (row(shifter).rotate)(b, track, &amount[..stages]);
    let mut word = track.places;
    word.reverse();
    let moved = b.any(amount);
    let carry = b.mux(moved, word[x.len() - 1], carry_in);
    (word, carry)
}

/// The word with the carry behind its last bit, such that a shift moves bits to higher places.
fn on_track(kind: Shift, x: &[Wire], carry: Wire, ends: Ends) -> Track {
    let mut places = x.to_vec();
    if kind != Shift::Left {
        places.reverse();
    }
    places.push(carry);
    Track {
        places,
        word: x.len(),
        ends,
    }
}

fn off_track(kind: Shift, mut places: Vec<Wire>) -> (Word, Wire) {
    let carry = places.pop().unwrap_or(Wire::FALSE);
    if kind != Shift::Left {
        places.reverse();
    }
    (places, carry)
}

/// All bits set where `too_far`.
fn saturate(b: &mut Builder, amount: &[Wire], too_far: Wire) -> Vec<Wire> {
    if too_far.as_constant() == Some(false) {
        return amount.to_vec();
    }
    let pairwise = capacity(b).is_some_and(|capacity| capacity >= 7);
    let mut saturated = Vec::with_capacity(amount.len());
    for pair in amount.chunks(2) {
        match *pair {
            [low, high] if pairwise => {
                let terms = [(low, 1), (high, 2), (too_far, 4)];
                saturated.extend(functions(
                    b,
                    &terms,
                    2,
                    |t| if t >= 4 { 3 } else { t as u32 },
                ));
            }
            _ => saturated.extend(pair.iter().map(|&bit| b.or(bit, too_far))),
        }
    }
    saturated
}

/// The carry where the amount may exceed the stages: `last` for exactly n, 0 beyond.
fn carry_beyond(b: &mut Builder, too_far: Wire, exactly: Wire, last: Wire, inside: Wire) -> Wire {
    if too_far.as_constant().is_none() && capacity(b).is_some_and(|capacity| capacity >= 15) {
        let terms = [(inside, 1), (last, 2), (exactly, 4), (too_far, 8)];
        return functions(b, &terms, 1, |t| {
            let (inside, last, exactly, beyond) = (t & 1, t >> 1 & 1, t >> 2 & 1, t >> 3 & 1);
            (if beyond == 1 { exactly & last } else { inside }) as u32
        })[0];
    }
    let outside = b.and(exactly, last);
    b.mux(too_far, outside, inside)
}
