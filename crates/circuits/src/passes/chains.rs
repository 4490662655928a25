//! Additions of sums become one sum of many words.
//!
//! Programs add two words at a time: a sum in a loop is a chain of additions, each with carries of its
//! own. Where a sum is read by nothing but another addition, all their words are added at once
//! ([`add_in_columns`](library::add_in_columns)): ten words of 32 bits take 32 lookups in place of 99. Sums may
//! be subtracted and moved left, too: modulo 2ⁿ, `¬s = −s − 1`.

use std::collections::HashMap;

use super::makespan::makespan;
use super::rebuild::Rebuild;
use crate::ir::{Addition, Signal};
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
    let additions = circuit.additions();
    let mut rebuild = Rebuild::new(circuit, profile);
    let mut instead: HashMap<Signal, Wire> = HashMap::new();
    // Other additions, and where they begin now. Those within a sum are dead, and so are forgotten.
    let mut kept: Vec<(usize, u32)> = Vec::new();
    let mut next = 0;
    for node in circuit.nodes() {
        rebuild.stand_for(node);
        while additions
            .get(next)
            .is_some_and(|it| it.at as usize <= node.index())
        {
            let sum = match chains.is_root(next) {
                true => chains.sum(next, &mut rebuild),
                false => None,
            };
            if let Some(sum) = sum {
                let made = additions[next].sum.iter().zip(sum);
                let made = made.filter(|(old, _)| is_made(circuit, &additions[next], **old));
                instead.extend(
                    made.map(|(old, new)| (old.signal(), new.invert_if(old.is_inverted()))),
                );
            } else {
                kept.push((next, rebuild.build.len() as u32));
            }
            next += 1;
        }
        rebuild.copy(node);
        for signal in circuit.signals_of(node) {
            if let Some(&wire) = instead.get(&signal) {
                rebuild.set(signal, wire);
            }
        }
    }
    for (addition, at) in kept {
        let old = &additions[addition];
        let word = |word: &[Wire]| word.iter().map(|&wire| rebuild.wire(wire)).collect();
        let addition = Addition {
            at,
            x: word(&old.x),
            y: word(&old.y),
            carry_in: rebuild.wire(old.carry_in),
            sum: word(&old.sum),
            carry: rebuild.wire(old.carry),
            overflow: rebuild.wire(old.overflow),
        };
        rebuild.build.note_addition(addition);
    }
    Some(rebuild.finish())
}

/// Whether a wire is a bit that an addition computed, and none that it passed on.
fn is_made(circuit: &Circuit, addition: &Addition, wire: Wire) -> bool {
    let source = circuit.source(wire.signal());
    source.is_some_and(|node| node.index() >= addition.at as usize)
}

/// Who reads a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Nobody,
    /// One operand of an addition, by itself.
    Operand(usize, Side),
    Others,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Side {
    X,
    Y,
}

/// What a signal is of an addition.
#[derive(Clone, Copy)]
enum Part {
    /// A bit of the sum, by its column.
    Bit(usize),
    /// The carry, the overflow, or more than one of all.
    Flag,
}

/// A word `2^shift·s + clear`, or with `¬s`, of an addition's sum `s`.
#[derive(Clone, Copy)]
struct Image {
    addition: usize,
    shift: usize,
    is_inverted: bool,
    clear: u128,
}

/// Which additions are added to others.
struct Chains<'a> {
    circuit: &'a Circuit,
    /// By signal: the addition that it is of.
    parts: HashMap<Signal, (usize, Part)>,
    /// Operands that are sums which nobody else reads.
    images: HashMap<(usize, Side), Image>,
    /// Sums that are such an operand.
    is_inner: Vec<bool>,
}

impl<'a> Chains<'a> {
    fn of(circuit: &'a Circuit) -> Self {
        let additions = circuit.additions();
        let mut parts = HashMap::new();
        for (number, addition) in additions.iter().enumerate() {
            let bits = addition.sum.iter().enumerate();
            let bits = bits.map(|(at, &bit)| (bit, Part::Bit(at)));
            let flags = [addition.carry, addition.overflow].map(|flag| (flag, Part::Flag));
            for (wire, part) in bits.chain(flags) {
                if wire.as_constant().is_none() && is_made(circuit, addition, wire) {
                    let known = parts.entry(wire.signal()).or_insert((number, part));
                    if known.0 == number
                        && !matches!((known.1, part), (Part::Bit(a), Part::Bit(b)) if a == b)
                    {
                        known.1 = Part::Flag;
                    }
                }
            }
        }
        let mut chains = Self {
            circuit,
            parts,
            images: HashMap::new(),
            is_inner: vec![false; additions.len()],
        };
        chains.find();
        chains
    }

    /// Walks from outputs to inputs, additions as one step each.
    fn find(&mut self) {
        let additions = self.circuit.additions();
        let mut readers = Readers {
            of_sums: vec![Reader::Nobody; additions.len()],
            is_flag_read: vec![false; additions.len()],
            is_read: vec![false; self.circuit.signals()],
        };
        let mut images: HashMap<(usize, Side), Image> = HashMap::new();
        for &wire in self.circuit.outputs() {
            readers.read(&self.parts, wire, Reader::Others);
        }
        let mut left = additions.len();
        let mut walk = |from: usize, readers: &mut Readers| {
            while let Some(number) = left.checked_sub(1)
                && additions[number].at as usize >= from
            {
                left = number;
                if !readers.is_needed(number) {
                    continue;
                }
                let addition = &additions[number];
                for (side, word) in [(Side::X, &addition.x), (Side::Y, &addition.y)] {
                    let image = match readers.is_flag_read[number] {
                        true => None,
                        false => self.image(word),
                    };
                    for &wire in word {
                        let by = match image {
                            // What a sum passed on, its own operands read.
                            Some(image) if !self.is_of(image.addition, wire) => continue,
                            Some(_) => Reader::Operand(number, side),
                            None => Reader::Others,
                        };
                        readers.read(&self.parts, wire, by);
                    }
                    images.extend(image.map(|image| ((number, side), image)));
                }
                readers.read(&self.parts, addition.carry_in, Reader::Others);
            }
        };
        let nodes: Vec<_> = self.circuit.nodes().collect();
        walk(nodes.len(), &mut readers);
        for &node in nodes.iter().rev() {
            let mut signals = self.circuit.signals_of(node);
            if signals.any(|signal| readers.is_read[signal.index()]) {
                for wire in self.circuit.op(node).operands() {
                    readers.read(&self.parts, wire, Reader::Others);
                }
            }
            walk(node.index(), &mut readers);
        }
        let is_alone = |&(number, side): &(usize, Side), image: &Image| {
            let is_alone = readers.of_sums[image.addition] == Reader::Operand(number, side);
            is_alone && !readers.is_flag_read[image.addition]
        };
        let mut others: Vec<(usize, Side)> = Vec::new();
        for (&operand, image) in &images {
            match is_alone(&operand, image) {
                true => drop(self.images.insert(operand, *image)),
                false => others.push(operand),
            }
        }
        // An operand that stays is read with the bits that its sum passed on, so that these stay, too.
        let mut readers: HashMap<usize, (usize, Side)> = HashMap::new();
        readers.extend(
            self.images
                .iter()
                .map(|(&operand, image)| (image.addition, operand)),
        );
        while let Some((number, side)) = others.pop() {
            let word = match side {
                Side::X => &additions[number].x,
                Side::Y => &additions[number].y,
            };
            let passed_on = word
                .iter()
                .filter_map(|wire| self.parts.get(&wire.signal()));
            for (addition, _) in passed_on {
                if let Some(operand) = readers.remove(addition) {
                    self.images.remove(&operand);
                    others.push(operand);
                }
            }
        }
        for image in self.images.values() {
            self.is_inner[image.addition] = true;
        }
    }

    /// Whether a wire is a bit that the addition made.
    fn is_of(&self, addition: usize, wire: Wire) -> bool {
        let own = self.parts.get(&wire.signal());
        own.is_some_and(|own| own.0 == addition)
    }

    /// The sum that a word is, if it is one.
    fn image(&self, word: &[Wire]) -> Option<Image> {
        let top = word.last()?;
        let &(addition, Part::Bit(last)) = self.parts.get(&top.signal())? else {
            return None;
        };
        let sum = self.circuit.additions()[addition].sum.get(..=last)?;
        let shift = word.len().checked_sub(sum.len())?;
        let (low, bits) = word.split_at(shift);
        let is_inverted = bits[last] != sum[last];
        // Bits that nobody reads are clear in the record, whatever they are; but the lowest ones may be known.
        let known = clear_prefix(&self.circuit.additions()[addition]);
        let is_same = |(at, (&bit, &own)): (usize, (&Wire, &Wire))| {
            let own = match own.as_constant() {
                Some(_) => known.get(at).map(|&bit| Wire::constant(bit)),
                None => Some(own),
            };
            own.is_some_and(|own| bit == own.invert_if(is_inverted))
        };
        let clear = low.iter().enumerate().try_fold(0, |clear, (at, bit)| {
            Some(clear | u128::from(bit.as_constant()?) << at)
        })?;
        let is_image = word.len() <= WIDEST && bits.iter().zip(sum).enumerate().all(is_same);
        is_image.then_some(Image {
            addition,
            shift,
            is_inverted,
            clear,
        })
    }

    /// Whether an addition has operands that are such sums, and is none itself.
    fn is_root(&self, addition: usize) -> bool {
        let has = |side| self.images.contains_key(&(addition, side));
        !self.is_inner[addition] && (has(Side::X) || has(Side::Y))
    }

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

/// The lowest bits of a sum, as many as have clear operands.
fn clear_prefix(addition: &Addition) -> Vec<bool> {
    let mut carry = addition.carry_in.as_constant();
    let columns = addition.x.iter().zip(&addition.y);
    let bits = columns.map_while(|(x, y)| {
        let bits = [x.as_constant()?, y.as_constant()?, carry?];
        let count = bits.into_iter().filter(|&bit| bit).count();
        carry = Some(count >= 2);
        Some(count % 2 == 1)
    });
    bits.collect()
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

/// Who reads what.
struct Readers {
    /// By addition.
    of_sums: Vec<Reader>,
    is_flag_read: Vec<bool>,
    /// By signal that is of no addition.
    is_read: Vec<bool>,
}

impl Readers {
    fn read(&mut self, parts: &HashMap<Signal, (usize, Part)>, wire: Wire, by: Reader) {
        match parts.get(&wire.signal()) {
            Some(&(addition, Part::Bit(_))) => {
                let known = &mut self.of_sums[addition];
                *known = match *known {
                    Reader::Nobody => by,
                    known if known == by => by,
                    _ => Reader::Others,
                };
            }
            Some(&(addition, Part::Flag)) => self.is_flag_read[addition] = true,
            None => self.is_read[wire.signal().index()] = true,
        }
    }

    fn is_needed(&self, addition: usize) -> bool {
        self.of_sums[addition] != Reader::Nobody || self.is_flag_read[addition]
    }
}
