//! Additions of sums become one sum of many words.
//!
//! Programs add two words at a time: a sum in a loop is a chain of additions, each with carries of its
//! own. Where a sum is read by nothing but another addition, all their words are added at once
//! ([`add_in_columns`](library::add_in_columns)): ten words of 32 bits take 32 lookups in place of 99. Sums may
//! be subtracted and moved left, too: modulo 2ⁿ, `¬s = −s − 1`.

mod find;

use find::{Chains, Side};

use super::makespan::makespan;
use super::rebuild::Rebuild;
use crate::ir::Addition;
use crate::library::{self, Summation, Word};
use crate::{Builder, Circuit, Profile, Wire};

/// A sum of words of one width.
type Summing<'a> = &'a dyn Fn(&mut Builder, Vec<Word>) -> Word;

/// Columns of the widest sums that are gathered: clear numbers are `u128`.
const WIDEST: usize = 128;

/// Whether it pays is asked for up to this many words; more pay if these do.
const MANY: usize = 16;

/// Words of one sum in columns: more are summed in groups, since a column is gone through for each of its
/// lookups.
const MOST: usize = 128;

/// The circuit with such sums; `None` where there are none.
pub(super) fn settle(circuit: &Circuit, profile: &Profile) -> Option<Circuit> {
    let forced = profile.architectures.summation;
    if forced.is_some_and(|forced| forced != Summation::Columns) {
        return None;
    }
    let chains = Chains::of(circuit);
    if chains.images.is_empty() {
        return None;
    }
    let mut additions = circuit.additions().iter().enumerate().peekable();
    // Additions that stay, and where they begin now. Those within a sum are dead, and so are forgotten.
    let mut kept: Vec<(&Addition, u32)> = Vec::new();
    let mut rebuild = Rebuild::replacing(circuit, profile, |rebuild, node| {
        let mut instead = Vec::new();
        let begins = |(_, addition): &(usize, &Addition)| addition.at as usize <= node.index();
        while let Some((number, addition)) = additions.next_if(begins) {
            let sum = match chains.is_root(number) {
                true => chains.sum(number, rebuild),
                false => None,
            };
            let Some(sum) = sum else {
                kept.push((addition, rebuild.build.len() as u32));
                continue;
            };
            let made = addition.sum.iter().zip(sum);
            let made = made.filter(|(old, _)| addition.makes(circuit, **old));
            instead.extend(made.map(|(old, new)| (old.signal(), new.invert_if(old.is_inverted()))));
        }
        instead
    })?;
    for (addition, at) in kept {
        let word = |word: &[Wire]| word.iter().map(|&wire| rebuild.wire(wire)).collect();
        let addition = Addition {
            at,
            x: word(&addition.x),
            y: word(&addition.y),
            carry_in: rebuild.wire(addition.carry_in),
            sum: word(&addition.sum),
            carry: rebuild.wire(addition.carry),
            overflow: rebuild.wire(addition.overflow),
        };
        rebuild.build.note_addition(addition);
    }
    Some(rebuild.finish())
}

impl Chains<'_> {
    /// The sum of all words below an addition, if it is faster so.
    fn sum(&self, root: usize, rebuild: &mut Rebuild<'_>) -> Option<Word> {
        let width = self.circuit.additions()[root].x.len();
        let mut words: Vec<Word> = Vec::new();
        // Modulo 2^128, of which 2^width is a divisor.
        let mut clear = 0_u128;
        let mut left = vec![(root, 0, false)];
        while let Some((number, column, is_negative)) = left.pop() {
            let addition = &self.circuit.additions()[number];
            let in_place = |number: u128| {
                let moved = number.checked_shl(column as u32).unwrap_or(0);
                match is_negative {
                    true => moved.wrapping_neg(),
                    false => moved,
                }
            };
            let carry_in = [addition.carry_in];
            let operands = [
                (Some(Side::X), &addition.x[..]),
                (Some(Side::Y), &addition.y[..]),
                (None, &carry_in[..]),
            ];
            for (side, word) in operands {
                let image = side.and_then(|side| self.images.get(&(number, side)));
                if let Some(image) = image {
                    clear = clear.wrapping_add(in_place(image.clear));
                    if image.is_inverted {
                        // 2^shift·¬s = −2^shift·s − 2^shift
                        clear = clear.wrapping_sub(in_place(1 << image.shift));
                    }
                    let column = column + image.shift;
                    left.push((image.addition, column, is_negative != image.is_inverted));
                } else if let Some(number) = number_of(word) {
                    clear = clear.wrapping_add(in_place(number));
                } else {
                    let mut moved = vec![Wire::FALSE; column.min(width)];
                    let own = word.iter().map(|&wire| rebuild.wire(wire));
                    moved.extend(own.take(width - moved.len()));
                    moved.resize(width, Wire::FALSE);
                    if is_negative {
                        // −w = ¬w + 1
                        moved.iter_mut().for_each(|wire| *wire = !*wire);
                        clear = clear.wrapping_add(1);
                    }
                    words.push(moved);
                }
            }
        }
        let build = &mut rebuild.build;
        let shape = [width, words.len().min(MANY)];
        let gains = build.once("a chain of additions", shape, |profile| {
            usize::from(is_faster(profile, shape))
        });
        let bits = (0..width).map(|at| Wire::constant(clear >> at & 1 == 1));
        words.push(bits.collect());
        if gains == 0 {
            return None;
        }
        while words.len() > MOST {
            let sum = |words: &[Word]| library::add_in_columns(build, width, words.to_vec());
            words = words.chunks(MOST).map(sum).collect();
        }
        Some(library::add_in_columns(build, width, words))
    }
}

/// Whether so many words of a width are added faster at once than one after the other.
fn is_faster(profile: &Profile, [width, words]: [usize; 2]) -> bool {
    let time = |sum: Summing<'_>| {
        let mut build = Builder::new(profile);
        let words = (0..words).map(|_| build.inputs(width)).collect();
        let sum = sum(&mut build, words);
        sum.into_iter().for_each(|wire| build.output(wire));
        makespan(&build.finish(), profile)
    };
    let chain = time(&|b, words| {
        let add = |sum: Word, word: Word| library::add(b, &sum, &word);
        words.into_iter().reduce(add).unwrap_or_default()
    });
    time(&|b, words| library::add_in_columns(b, width, words)) <= chain
}

/// The number that a clear word is, modulo 2^128.
fn number_of(word: &[Wire]) -> Option<u128> {
    let bit = |(at, wire): (usize, &Wire)| {
        let bit = u128::from(wire.as_constant()?);
        Some(bit.checked_shl(at as u32).unwrap_or(0))
    };
    word.iter()
        .enumerate()
        .map(bit)
        .try_fold(0, |number, bit| Some(number | bit?))
}
