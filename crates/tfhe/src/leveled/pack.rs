//! Packing: from bits to rows, of which a load reads.
//!
//! A row that already holds what is wanted is taken as it is: inputs come in rows, and bits remember where
//! they were packed. Otherwise the row that is nearest is taken, and what is different, wanted less held, is
//! packed and added to it; or everything is packed, whichever takes fewer automorphisms. So a word that
//! changed costs a word. What a row holds beside what is wanted does not matter.
//!
//! # Merging
//!
//! An LWE ciphertext is the constant coefficient of a GLWE ciphertext whose other coefficients hold
//! anything. For step i = 1, 2, … let σ be X → X^(2^i + 1), and e and o two ciphertexts whose bits are to
//! come N/2^i coefficients apart, h = X^(N/2^i). Since σ(h) = −h,
//!
//! e + h·o + σ(e − h·o) = (e + σ(e)) + h·(o + σ(o)):
//!
//! one automorphism doubles what either holds at even multiples of N/2^i, where its bits are, and clears
//! what it holds at odd ones. After log2(N) steps only bits are left, times N, by which the ciphertexts
//! were divided at first. Bits that are far apart join in early steps and share those that follow,
//! neighbours join in the last. A full row takes N − 1 automorphisms.
//!
//! Steps that would clear coefficients that an array does not use are left out.
//!
//! Source: H. Chen, W. Dai, M. Kim, Y. Song, eprint 2020/015 (`PackLWEs`; that bits may be missing and
//! rows be added to is ours).

use std::collections::HashMap;
use std::sync::Arc;

use super::array::{Array, Entry, Order, Wish};
use super::glwe::{Glwe, turn};
use super::key::LeveledKey;
use super::ring_switch::ProductWork;
use crate::lwe::LweCiphertext;
use crate::parameters::{BIT_SCALE, HALF_SCALE};
use crate::row::{Place, Row};

/// Packings upon one another before a row is packed anew. One adds some 10^-8 units of noise under P16
/// ([`LeveledNoise::packing`](super::LeveledNoise::packing)), so many a thousandth of a unit.
const MOST_PACKINGS: u32 = 100_000;

/// How a row comes to hold what is wanted.
enum Plan<'a> {
    /// There is one.
    Made(Arc<Row>),
    Pack(Packing<'a>),
}

/// What is to be added to a row, or to nothing.
struct Packing<'a> {
    base: Option<Arc<Row>>,
    missing: Vec<Wish<'a>>,
    /// Differences of constants, which cost nothing.
    constants: Vec<(usize, u64)>,
    is_half: bool,
}

impl Wish<'_> {
    /// Whether a row holds this, `shift` coefficients further.
    pub(super) fn is_held(&self, row: &Arc<Row>, shift: usize) -> bool {
        let coefficient = self.coefficient.wrapping_add(shift);
        match self.entry {
            Entry::Known(value) => row.known(coefficient) == Some(value),
            Entry::Bit(bit) => bit.is_at(row, coefficient),
        }
    }
}

impl<'a> Packing<'a> {
    fn upon(base: Option<&Arc<Row>>, wishes: &[Wish<'a>], is_half: bool) -> Self {
        let (mut missing, mut constants) = (Vec::new(), Vec::new());
        for wish in wishes {
            if base.is_some_and(|row| wish.is_held(row, 0)) {
                continue;
            }
            // Where there is no row there are zeros.
            let held = base.map_or(Some(false), |row| row.known(wish.coefficient));
            match (wish.entry, held) {
                (Entry::Known(value), Some(held)) => {
                    let difference = u64::from(value).wrapping_sub(held.into());
                    constants.push((wish.coefficient, difference.wrapping_mul(scale(is_half))));
                }
                _ => missing.push(*wish),
            }
        }
        Self {
            base: base.cloned(),
            missing,
            constants,
            is_half,
        }
    }

    /// The cheaper one of packing everything and of packing what the nearest row does not hold.
    fn of(array: &Array<'_>, order: Order, wishes: &[Wish<'a>]) -> Self {
        let anew = Self::upon(None, wishes, array.is_half);
        let nearest = nearest(wishes, array.is_half);
        let Some(row) = nearest.filter(|row| row.packings() < MOST_PACKINGS) else {
            return anew;
        };
        let upon = Self::upon(Some(&row), wishes, array.is_half);
        match upon.switches(array, order) <= anew.switches(array, order) {
            true => upon,
            false => anew,
        }
    }

    /// Automorphisms that it takes: at step i one for each remainder modulo N/2^i.
    fn switches(&self, array: &Array<'_>, order: Order) -> usize {
        let steps = array.steps(order).map(|step| {
            let apart = array.size >> step;
            let mut seen = vec![false; apart];
            for wish in &self.missing {
                seen[wish.coefficient % apart] = true;
            }
            seen.into_iter().filter(|seen| *seen).count()
        });
        steps.sum()
    }
}

/// A bit's scale.
fn scale(is_half: bool) -> u64 {
    if is_half { HALF_SCALE } else { BIT_SCALE }
}

/// A row at the scale that is wanted; none is made of halves.
fn at_scale(row: &Arc<Row>, is_half: bool) -> Option<Arc<Row>> {
    match (row.is_half(), is_half) {
        (true, false) => None,
        (false, true) => Some(Row::doubled(row)),
        _ => Some(Arc::clone(row)),
    }
}

/// The row that holds most, of those that have bits at their places.
fn nearest(wishes: &[Wish<'_>], is_half: bool) -> Option<Arc<Row>> {
    let mut numbers = HashMap::new();
    let mut counts: Vec<(Arc<Row>, usize)> = Vec::new();
    for wish in wishes {
        let Entry::Bit(bit) = wish.entry else {
            continue;
        };
        for place in bit.places() {
            if place.coefficient == wish.coefficient && (is_half || !place.row.is_half()) {
                let number = *numbers
                    .entry(Arc::as_ptr(&place.row))
                    .or_insert(counts.len());
                match counts.get_mut(number) {
                    Some((_, count)) => *count += 1,
                    None => counts.push((place.row, 1)),
                }
            }
        }
    }
    for wish in wishes {
        if let Entry::Known(_) = wish.entry {
            for (row, count) in &mut counts {
                *count += usize::from(row.known(wish.coefficient).is_some());
            }
        }
    }
    counts
        .into_iter()
        .max_by_key(|(_, count)| *count)
        .and_then(|(row, _)| at_scale(&row, is_half))
}

/// A row that holds all that is wanted, without any automorphism: one of constants, or one that is there,
/// if need be moved.
fn made(array: &Array<'_>, wishes: &[Wish<'_>]) -> Option<Arc<Row>> {
    let (size, is_half) = (array.size, array.is_half);
    let bits = wishes.iter().find_map(|wish| match wish.entry {
        Entry::Bit(bit) => Some((bit, wish.coefficient)),
        Entry::Known(_) => None,
    });
    let Some((bit, coefficient)) = bits else {
        let mut glwe = Glwe::zero(size);
        for (coefficient, constant) in Packing::upon(None, wishes, is_half).constants {
            glwe.body_mut()[coefficient] = constant;
        }
        return Some(row(array, glwe, wishes, 0));
    };
    let (place, shift) = bit
        .places()
        .map(|place| {
            let shift = place.coefficient.wrapping_sub(coefficient);
            (place, shift)
        })
        .filter(|(place, _)| is_half || !place.row.is_half())
        .find(|(place, shift)| wishes.iter().all(|wish| wish.is_held(&place.row, *shift)))?;
    let found = at_scale(&place.row, is_half)?;
    if shift == 0 {
        return Some(found);
    }
    let exponent = (2 * size).wrapping_sub(shift) % (2 * size);
    let moved = found.glwe().rotated(exponent);
    Some(row(array, moved, wishes, found.packings()))
}

/// A row that holds what was wanted. The bits remember it.
fn row(array: &Array<'_>, glwe: Glwe, wishes: &[Wish<'_>], packings: u32) -> Arc<Row> {
    let (mut constants, mut bits, mut twins) = (Vec::new(), HashMap::new(), Vec::new());
    for wish in wishes {
        match wish.entry {
            Entry::Known(value) => constants.push((wish.coefficient, value)),
            Entry::Bit(bit) => {
                let (_, first) = *bits
                    .entry(std::ptr::from_ref(bit))
                    .or_insert((bit, wish.coefficient));
                if first != wish.coefficient {
                    twins.push((first, wish.coefficient));
                }
            }
        }
    }
    let row = Row::new(glwe, array.key_id).with(&constants, &twins, packings);
    let row = Arc::new(row.at_scale(array.is_half));
    for (bit, coefficient) in bits.into_values() {
        let row = Arc::clone(&row);
        bit.remember(Place { row, coefficient });
    }
    row
}

/// How to come to the rows of an array, and how many automorphisms that takes: nothing where it takes
/// more than `most`.
fn plan<'a>(array: &Array<'a>, order: Order, most: usize) -> Option<(usize, Vec<Plan<'a>>)> {
    let (mut plans, mut switches) = (Vec::with_capacity(array.rows), 0);
    for number in 0..array.rows {
        let wishes = array.wishes(order, number);
        plans.push(match made(array, &wishes) {
            Some(row) => Plan::Made(row),
            None if most == 0 => return None,
            None => {
                let packing = Packing::of(array, order, &wishes);
                switches += packing.switches(array, order);
                Plan::Pack(packing)
            }
        });
        if switches > most {
            return None;
        }
    }
    Some((switches, plans))
}

/// The layout and the order that an array is in, or to be packed in: the reversed one, in which its words
/// can be changed cheaply, unless it takes twice as long now.
fn best_plan<'a>(array: &Array<'a>) -> (Array<'a>, Order, Vec<Plan<'a>>) {
    let both = |layout| [(layout, Order::Natural), (layout, Order::Reversed)];
    let planned = |(array, order), most| plan(&array, order, most).map(|plan| (array, order, plan));
    let mut ways: Vec<(Array<'a>, Order)> = both(*array).to_vec();
    let mut made = ways.iter().find_map(|way| planned(*way, 0));
    if made.is_none() {
        let found: Vec<_> = array.as_found().into_iter().flat_map(both).collect();
        made = found.iter().find_map(|way| planned(*way, 0));
        ways.extend(found);
    }
    // What is in order but for a few words is not planned in all ways.
    let plan = made.or_else(|| {
        let way = ways
            .iter()
            .find(|(array, order)| is_in_order(array, *order));
        planned(*way?, usize::MAX)
    });
    let plan = plan.or_else(|| {
        let reversed = planned((*array, Order::Reversed), usize::MAX)?;
        let (.., (switches, _)) = &reversed;
        planned((*array, Order::Natural), switches / 2).or(Some(reversed))
    });
    // Without a limit there is a plan.
    plan.map_or(
        (*array, Order::Reversed, Vec::new()),
        |(array, order, (_, plans))| (array, order, plans),
    )
}

/// Whether most of the bits are at the right coefficients of some rows.
fn is_in_order(array: &Array<'_>, order: Order) -> bool {
    let wishes = (0..array.rows).flat_map(|row| array.wishes(order, row));
    let (mut bits, mut right) = (0, 0);
    for wish in wishes {
        if let Entry::Bit(bit) = wish.entry {
            bits += 1;
            right += usize::from(bit.has_coefficient(wish.coefficient));
        }
    }
    2 * right > bits
}

impl LeveledKey {
    /// The rows of an array, found or packed, its layout in them and the order of their coefficients.
    pub(super) fn rows_of<'a>(
        &self,
        array: &Array<'a>,
        work: &mut ProductWork,
    ) -> (Array<'a>, Order, Vec<Arc<Row>>) {
        let (array, order, plans) = best_plan(array);
        let rows = plans
            .into_iter()
            .enumerate()
            .map(|(number, plan)| match plan {
                Plan::Made(row) => row,
                Plan::Pack(packing) => {
                    // The row before may be the same.
                    let wishes = array.wishes(order, number);
                    made(&array, &wishes).unwrap_or_else(|| {
                        let packed = self.packed(&array, order, &packing, work);
                        // Another thread may have packed the same meanwhile: if bits remembered some of
                        // either, nobody would find all of them in one row.
                        made(&array, &wishes).unwrap_or_else(|| {
                            let before = packing.base.map_or(0, |base| base.packings());
                            row(&array, packed, &wishes, before + 1)
                        })
                    })
                }
            });
        let rows = rows.collect();
        (array, order, rows)
    }

    fn packed(
        &self,
        array: &Array<'_>,
        order: Order,
        packing: &Packing<'_>,
        work: &mut ProductWork,
    ) -> Glwe {
        let steps = array.steps(order);
        let merging = Merging {
            key: self,
            base: packing.base.as_ref(),
            first: *steps.start(),
            log2_used: array.log2_used(),
            is_half: packing.is_half,
        };
        let mut glwe = match packing.missing.is_empty() {
            true => Glwe::zero(array.size),
            false => merging.merge(&packing.missing, *steps.end(), work),
        };
        if let Some(base) = &packing.base {
            glwe.add(base.glwe());
        }
        for &(coefficient, constant) in &packing.constants {
            let body = &mut glwe.body_mut()[coefficient];
            *body = body.wrapping_add(constant);
        }
        glwe
    }
}

impl LeveledKey {
    /// One ciphertext of bits at scale 1/2, at the coefficients of the first word, zeros wherever
    /// another word's bits come to when they are turned there.
    pub(super) fn packed_word(
        &self,
        array: &Array<'_>,
        order: Order,
        bits: &[LweCiphertext],
        work: &mut ProductWork,
    ) -> Glwe {
        let steps = array.clearing_steps(order);
        let merging = Merging {
            key: self,
            base: None,
            first: *steps.start(),
            log2_used: steps.end() + 1 - steps.start(),
            is_half: true,
        };
        let wishes = bits.iter().enumerate().map(|(number, bit)| Wish {
            coefficient: array.coefficient(order, number),
            entry: Entry::Bit(bit),
        });
        let wishes: Vec<Wish<'_>> = wishes.collect();
        merging.merge(&wishes, *steps.end(), work)
    }
}

struct Merging<'a> {
    key: &'a LeveledKey,
    base: Option<&'a Arc<Row>>,
    /// The first step.
    first: u32,
    /// Steps, all of which multiply by 2.
    log2_used: u32,
    is_half: bool,
}

impl Merging<'_> {
    /// One ciphertext of bits, at least one, after `step` steps.
    fn merge(&self, wishes: &[Wish<'_>], step: u32, work: &mut ProductWork) -> Glwe {
        if step < self.first {
            return self.difference(&wishes[0]);
        }
        let size = self.key.rows.size;
        let apart = size >> step;
        let (even, odd): (Vec<_>, Vec<_>) = wishes
            .iter()
            .copied()
            .partition(|wish| wish.coefficient & apart == 0);
        let mut sum = match even.is_empty() {
            true => Glwe::zero(size),
            false => self.merge(&even, step - 1, work),
        };
        let mut difference = sum.clone();
        if !odd.is_empty() {
            let odd = self.merge(&odd, step - 1, work);
            sum.add_rotated(&odd, apart, 1);
            difference.add_rotated(&odd, apart, -1);
        }
        let automorphism = self.key.rows.steps + 1 - step as usize;
        sum.add(&self.key.automorphism(&difference, automorphism, work));
        sum
    }

    /// Wanted less held, as a constant coefficient, divided by what the steps multiply it by.
    fn difference(&self, wish: &Wish<'_>) -> Glwe {
        let size = self.key.rows.size;
        let mut elements = match wish.entry {
            Entry::Bit(bit) => bit.elements_at(self.is_half).into_owned(),
            Entry::Known(value) => {
                let mut elements = vec![0; size + 1];
                elements[size] = u64::from(value) * scale(self.is_half);
                elements
            }
        };
        if let Some(row) = self.base {
            let held = Place {
                row: Arc::clone(row),
                coefficient: wish.coefficient,
            };
            for (x, held) in elements.iter_mut().zip(held.elements()) {
                *x = x.wrapping_sub(held);
            }
        }
        let mut glwe = Glwe::zero(size);
        let [mask, body] = glwe.both_mut();
        turn(&elements[..size], mask);
        body[0] = elements[size];
        glwe.divide(self.log2_used);
        glwe
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::leveled::Entries;
    use crate::{KeyId, LweCiphertext, P16, PackedInputs};
    use random::Seed;

    /// Automorphisms that are planned, and the order; nothing is known of the bits but where they are.
    fn planned(bits: &[LweCiphertext], words: usize, width: usize) -> (usize, Order) {
        let entries: Vec<Entry<'_>> = bits[..words * width].iter().map(Entry::Bit).collect();
        let at = |number: usize| entries[number];
        let entries = Entries::of(&entries, &at);
        let array = Array::new(
            (2048, KeyId::from_bytes([1; 16])),
            words.ilog2() as usize,
            entries,
            width,
        )
        .unwrap();
        let (array, order, plans) = best_plan(&array);
        let switches = plans.iter().map(|plan| match plan {
            Plan::Made(_) => 0,
            Plan::Pack(packing) => packing.switches(&array, order),
        });
        let switches = switches.sum();
        // The bits remember, as if they were packed.
        for (number, plan) in plans.into_iter().enumerate() {
            if let Plan::Pack(_) = plan {
                row(&array, Glwe::zero(2048), &array.wishes(order, number), 1);
            }
        }
        (switches, order)
    }

    #[test]
    fn packings_of_real_rows_cost_what_they_should() {
        let key = KeyId::from_bytes([1; 16]);
        let inputs = |seed, count| {
            let seed = Seed::from_bytes([seed; 32]);
            PackedInputs::from_parts(P16, key, seed, vec![0; count]).unpack()
        };
        let computed = |count| vec![LweCiphertext::trivial(&P16, key, true); count];
        for (words, width, switches) in [
            (64, 32, 2047),
            (128, 32, 2 * 2047),
            (16, 32, 511),
            (2, 1, 1),
            // Five bits of eight: three, two and one of each word are left after the first steps.
            (256, 5, (3 + 2 + 1) * 256 + 255),
        ] {
            let planned = planned(&computed(words * width), words, width);
            assert_eq!(planned, (switches, Order::Reversed), "{words} x {width}");
        }
        for (mut bits, order, word, bit) in [
            (inputs(1, 4096), Order::Natural, 223, 11),
            (computed(4096), Order::Reversed, 37, 11),
        ] {
            planned(&bits, 128, 32);
            assert_eq!(planned(&bits, 128, 32), (0, order));
            bits[160..192].clone_from_slice(&computed(32));
            assert_eq!(planned(&bits, 128, 32), (word, order));
            assert_eq!(planned(&bits, 128, 32), (0, order));
            bits[4095] = computed(1).remove(0);
            assert_eq!(planned(&bits, 128, 32), (bit, order));
        }
        // Where inputs are of little use, a packing is worth more.
        let mut bits = inputs(2, 2048);
        bits[..1536].clone_from_slice(&computed(1536));
        assert_eq!(planned(&bits, 64, 32), (2047, Order::Reversed));
    }
}
