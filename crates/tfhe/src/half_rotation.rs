//! One rotation on two threads.
//!
//! A program that has nothing else to do at the moment waits for one rotation. Two threads share it:
//! either has one polynomial of the accumulator, mask or body, which it decomposes, transforms, and
//! transforms back; and either has one half of the points, where it multiplies by the key. So the
//! stream of the key is shared, too. Twice a block they exchange halves of spectra, 8 KB for each level
//! of digits and 8 KB of products under P16. Every number is computed as by one thread, in the same
//! order: results are the same to the bit.

use transforms::torus::{Gadget, HalfStep, KeyShape, Plan, Spectra};

use crate::ahead::{Ahead, BlockWork};
use crate::duet::{Alone, Side};

/// Levels of a gadget.
const MOST_LEVELS: usize = 3;

/// The components of an accumulator: the first thread, which extracts what is asked for, has the body.
pub(crate) const MASK: usize = 0;
pub(crate) const BODY: usize = 1;

/// A key, or a part of its rows, block after block.
#[derive(Clone, Copy)]
pub(crate) struct KeyRows<'a> {
    pub(crate) key: &'a [f64],
    pub(crate) shape: KeyShape,
    /// The levels of the gadget that its rows are of, two rows each.
    pub(crate) levels: &'a [u32],
}

/// A rotation as either thread does it.
pub(crate) struct Half<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) gadget: Gadget,
    /// Rows that products take the place of, and if need be others.
    pub(crate) keys: &'a [KeyRows<'a>],
}

/// One thread's buffers.
#[derive(Clone, Debug)]
pub(crate) struct HalfWork {
    /// By key: the halves of all rows.
    halves: Vec<Spectra>,
    exponents: Vec<u32>,
}

impl Half<'_> {
    /// Whether a rotation by such keys can be shared.
    pub(crate) fn is_possible(plan: &Plan, shapes: &[KeyShape]) -> bool {
        let in_place = shapes
            .first()
            .is_some_and(|shape| plan.works_in_place(*shape));
        in_place && shapes.iter().all(|shape| plan.works_in_halves(*shape))
    }

    pub(crate) fn work(&self) -> HalfWork {
        let rows = self.keys.iter().map(|key| key.shape.rows);
        let halves = rows.map(|rows| Spectra::zeroed(rows * self.plan.digit_len() / 2));
        let elements = self.keys.first().map_or(0, |key| key.shape.elements);
        HalfWork {
            halves: halves.collect(),
            exponents: vec![0; elements],
        }
    }

    /// Rotates an accumulator of which this thread has polynomial `component`, mask (0) or body (1), by an
    /// LWE ciphertext modulo 2N, mask first; `other` becomes the other polynomial.
    pub(crate) fn rotate(
        &self,
        side: &mut Side<'_>,
        component: usize,
        switched: &[u16],
        [own, other]: [&mut [u64]; 2],
        work: &mut HalfWork,
    ) -> Result<(), Alone> {
        let (plan, points) = (self.plan, self.plan.torus_len() / 2);
        let [lookups, ..] = self.keys else {
            return Err(Alone);
        };
        let both = KeyShape {
            rows: self.keys.iter().map(|key| key.shape.rows).sum(),
            ..lookups.shape
        };
        let work_of_block = BlockWork::new(plan, both, 1).halved();
        let elements = both.elements;
        let HalfWork { halves, exponents } = work;
        side.begin();
        let mut nothing = Ahead::new([&[], &[]], work_of_block);
        self.decompose(own, component, halves, side, &mut nothing)?;
        let blocks = switched.len() / elements;
        for block in 0..blocks {
            for (exponent, &element) in exponents.iter_mut().zip(&switched[block * elements..]) {
                *exponent = u32::from(element);
            }
            let next = [0, 1].map(|number| self.part(number, block + 1, component));
            let mut ahead = Ahead::new(next, work_of_block);
            let aheads = ahead.during_products();
            let Some((spectra, more)) = halves.split_first_mut() else {
                return Err(Alone);
            };
            let step = |number: usize, key: &KeyRows<'_>| HalfStep {
                half: component,
                key: self.part(number, block, component),
                shape: key.shape,
                exponents,
                ahead: aheads.get(number).copied().unwrap_or_default(),
            };
            plan.rotate_half_in_place(spectra, step(0, lookups));
            for (number, (key, digits)) in self.keys[1..].iter().zip(more).enumerate() {
                plan.rotate_half_add(spectra, digits, step(1 + number, key));
            }
            // The other half of this thread's product comes to the place of the half that it gives.
            let foreign = (1 - component) * points..(2 - component) * points;
            side.send(&[&spectra[foreign.clone()]]);
            side.receive(|product| spectra[foreign].copy_from_slice(product))?;
            plan.inverse_torus_add(own, spectra, ahead.during_transform());
            if block + 1 < blocks {
                self.decompose(own, component, halves, side, &mut ahead)?;
            }
        }
        side.exchange(own, other)
    }

    /// What one thread reads of a block of a key.
    fn part(&self, number: usize, block: usize, half: usize) -> &[f64] {
        let part = self.keys.get(number).and_then(|rows| {
            let length = rows.shape.spectra() * self.plan.torus_len() / 2;
            rows.key.get((2 * block + half) * length..)?.get(..length)
        });
        part.unwrap_or_default()
    }

    /// Transforms the digits of a polynomial, level by level in the place of two rows' halves, of which one
    /// is this thread's and the other one is exchanged.
    fn decompose(
        &self,
        polynomial: &[u64],
        component: usize,
        halves: &mut [Spectra],
        side: &mut Side<'_>,
        ahead: &mut Ahead<'_>,
    ) -> Result<(), Alone> {
        let length = self.plan.torus_len();
        let points = length / 2;
        let foreign = (1 - component) * points..(2 - component) * points;
        let levels = self.keys.iter().flat_map(|key| key.levels);
        let spectra = halves
            .iter_mut()
            .flat_map(|rows| rows.chunks_exact_mut(length));
        let mut sent: [&[f64]; MOST_LEVELS] = [&[]; MOST_LEVELS];
        for ((level, spectrum), sent) in levels.zip(spectra).zip(&mut sent) {
            let part = ahead.during_transform();
            (self.plan).forward_digits(spectrum, polynomial, self.gadget, *level, part);
            *sent = &spectrum[foreign.clone()];
        }
        side.send(&sent);
        let spectra = halves
            .iter_mut()
            .flat_map(|rows| rows.chunks_exact_mut(length));
        side.receive(|digits| {
            for (spectrum, digits) in spectra.zip(digits.chunks_exact(points)) {
                spectrum[foreign.clone()].copy_from_slice(digits);
            }
        })
    }
}
