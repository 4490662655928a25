//! One rotation on two threads.
//!
//! A program that has nothing else to do at the moment waits for one rotation. Two threads share it:
//! either has one polynomial of the accumulator, mask or body, and the column of the key that it is
//! multiplied by. So the stream of the key is shared, too. Once a block either sends the other the digits
//! of its polynomial, 8 KB for each level, and transforms both. As spectra they would be 16 KB: to read
//! that much of what another core has just written takes a Xeon 4.5 µs, a transform of 1,024 points takes
//! 1.4 µs. While the other's digits come, a thread transforms its own. Every number is computed as by one thread, in the same order: results are the same
//! to the bit.

use transforms::torus::{ColumnStep, Gadget, KeyShape, Plan, Spectra};

use crate::ahead::{Ahead, BlockWork};
use crate::duet::{Alone, Side};

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
pub(crate) struct ColumnRotation<'a> {
    pub(crate) plan: &'a Plan,
    pub(crate) gadget: Gadget,
    /// Rows that products take the place of, and if need be others.
    pub(crate) keys: &'a [KeyRows<'a>],
}

/// One thread's buffers.
#[derive(Clone, Debug)]
pub(crate) struct ColumnWork {
    /// By key: the spectra of all rows' digits.
    spectra: Vec<Spectra>,
    exponents: Vec<u32>,
}

impl ColumnRotation<'_> {
    /// Whether a rotation by such keys can be shared: also their digits have to fit what is sent.
    pub(crate) fn is_possible(plan: &Plan, gadget: Gadget, shapes: &[KeyShape]) -> bool {
        let in_place = shapes
            .first()
            .is_some_and(|shape| plan.works_in_place(*shape));
        in_place
            && shapes.iter().all(|shape| plan.works_by_columns(*shape))
            && gadget.widest() <= Plan::WIDEST_DECOMPOSED
    }

    pub(crate) fn work(&self) -> ColumnWork {
        let rows = self.keys.iter().map(|key| key.shape.rows);
        let elements = self.keys.first().map_or(0, |key| key.shape.elements);
        ColumnWork {
            spectra: rows.map(|rows| self.plan.digit_spectra(rows)).collect(),
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
        work: &mut ColumnWork,
    ) -> Result<(), Alone> {
        let (plan, torus) = (self.plan, self.plan.torus_len());
        let [lookups, ..] = self.keys else {
            return Err(Alone);
        };
        let both = KeyShape {
            rows: self.keys.iter().map(|key| key.shape.rows).sum(),
            ..lookups.shape
        };
        let work_of_block = BlockWork::new(plan, both, 1).of_column();
        let elements = both.elements;
        let ColumnWork { spectra, exponents } = work;
        side.begin();
        let mut nothing = Ahead::new([&[], &[]], work_of_block);
        self.decompose(own, component, spectra, side, &mut nothing)?;
        let blocks = switched.len() / elements;
        for block in 0..blocks {
            for (exponent, &element) in exponents.iter_mut().zip(&switched[block * elements..]) {
                *exponent = u32::from(element);
            }
            let next = [0, 1].map(|number| self.column(number, block + 1, component));
            let mut ahead = Ahead::new(next, work_of_block);
            let aheads = ahead.during_products();
            let Some((products, more)) = spectra.split_first_mut() else {
                return Err(Alone);
            };
            let step = |number: usize, key: &KeyRows<'_>| ColumnStep {
                column: component,
                key: self.column(number, block, component),
                shape: key.shape,
                exponents,
                ahead: aheads.get(number).copied().unwrap_or_default(),
            };
            plan.rotate_column_in_place(products, step(0, lookups));
            for (number, (key, digits)) in self.keys[1..].iter().zip(more).enumerate() {
                plan.rotate_column_add(products, digits, step(1 + number, key));
            }
            let product = &mut products[component * torus..][..torus];
            plan.inverse_torus_add(own, product, ahead.during_transform());
            if block + 1 < blocks {
                self.decompose(own, component, spectra, side, &mut ahead)?;
            }
        }
        side.exchange(own, other)
    }

    /// What one thread reads of a block of a key.
    fn column(&self, number: usize, block: usize, column: usize) -> &[f64] {
        let part = self.keys.get(number).and_then(|rows| {
            let length = rows.shape.spectra() / rows.shape.columns * self.plan.torus_len();
            rows.key
                .get((rows.shape.columns * block + column) * length..)?
                .get(..length)
        });
        part.unwrap_or_default()
    }

    /// Transforms the digits of both polynomials, level by level in their rows: those of this thread's own,
    /// and those that it gets for them.
    fn decompose(
        &self,
        polynomial: &[u64],
        component: usize,
        spectra: &mut [Spectra],
        side: &mut Side<'_>,
        ahead: &mut Ahead<'_>,
    ) -> Result<(), Alone> {
        let (plan, gadget) = (self.plan, self.gadget);
        let size = plan.size().coefficients();
        let levels = || self.keys.iter().flat_map(|key| key.levels);
        side.send(levels().count() * size, |digits| {
            for (level, digits) in levels().zip(digits.chunks_exact_mut(size)) {
                plan.decompose(digits, polynomial, gadget, *level);
            }
        });
        for (level, spectrum) in levels().zip(rows(plan, spectra, component)) {
            let part = ahead.during_transform();
            plan.forward_digits(spectrum, polynomial, gadget, *level, part);
        }
        side.receive(|digits| {
            let spectra = rows(plan, spectra, 1 - component);
            for (digits, spectrum) in digits.chunks_exact(size).zip(spectra) {
                plan.forward_decomposed(spectrum, digits, ahead.during_transform());
            }
        })
    }
}

/// The rows of one component, level by level.
fn rows<'a>(
    plan: &Plan,
    spectra: &'a mut [Spectra],
    component: usize,
) -> impl Iterator<Item = &'a mut [f64]> {
    let length = plan.digit_len();
    let rows = spectra
        .iter_mut()
        .flat_map(move |rows| rows.chunks_exact_mut(length));
    rows.skip(component).step_by(2)
}
