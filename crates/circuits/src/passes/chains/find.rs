//! Which sums are read by nothing but one operand of another addition.
//!
//! A walk from the outputs to the inputs, additions as one step each, notes who reads each sum; an
//! operand that is a whole sum, moved or inverted, is an [`Image`] of it.

use std::collections::HashMap;

use super::WIDEST;
use crate::ir::{Addition, Signal};
use crate::{Circuit, Wire};

/// Who reads a sum.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Reader {
    Nobody,
    /// One operand of an addition, by itself.
    Operand(usize, Side),
    Others,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Side {
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
pub(super) struct Image {
    pub(super) addition: usize,
    pub(super) shift: usize,
    pub(super) is_inverted: bool,
    pub(super) clear: u128,
}

/// Which additions are added to others.
pub(super) struct Chains<'a> {
    pub(super) circuit: &'a Circuit,
    /// By signal: the addition that it is of.
    parts: HashMap<Signal, (usize, Part)>,
    /// Operands that are sums which nobody else reads.
    pub(super) images: HashMap<(usize, Side), Image>,
    /// Sums that are such an operand.
    is_inner: Vec<bool>,
}

impl<'a> Chains<'a> {
    pub(super) fn of(circuit: &'a Circuit) -> Self {
        let additions = circuit.additions();
        let mut parts = HashMap::new();
        for (number, addition) in additions.iter().enumerate() {
            let bits = addition.sum.iter().enumerate();
            let bits = bits.map(|(at, &bit)| (bit, Part::Bit(at)));
            let flags = [addition.carry, addition.overflow].map(|flag| (flag, Part::Flag));
            for (wire, part) in bits.chain(flags) {
                if wire.as_constant().is_none() && addition.makes(circuit, wire) {
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
    pub(super) fn is_root(&self, addition: usize) -> bool {
        let has = |side| self.images.contains_key(&(addition, side));
        !self.is_inner[addition] && (has(Side::X) || has(Side::Y))
    }
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
