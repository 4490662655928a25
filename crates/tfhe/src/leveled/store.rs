//! Stores: a word put into an array where a secret index says.
//!
//! What is to be added to the array is one word: the new one less the old one, which a [load](super::load)
//! gives. Packed at the coefficients of word 0, with zeros wherever it may be turned to, it is turned right
//! by as many coefficients as each low bit of the index says, g + s·(X^d·g − g), and then split between
//! rows by each high bit, s·g and g − s·g, so that one row gets it and all others an encryption of 0. Which
//! that is nobody can tell: all rows are added to. That is as many products as a load takes, and the load's
//! beside.
//!
//! Arrays that are stored to are at scale 1/2. Each store adds to the noise of every bit of the array that
//! of a product for each bit of the index ([`LeveledNoise::store`](super::LeveledNoise::store)), and a bit at
//! scale 1/2 has room for 256 times as much as one at scale 1/32: some thousand stores.

use std::sync::Arc;

use super::array::{Array, Entries, Entry, Order};
use super::glwe::Glwe;
use super::key::{LeveledKey, LeveledWork};
use super::ring_switch::ProductWork;
use super::selector::Selector;
use crate::error::TfheError;
use crate::lwe::LweCiphertext;
use crate::parameters::HALF_SCALE;
use crate::row::{Place, Row};

impl LeveledKey {
    /// The bits of all words after `word` was put where `index` says, or nowhere if there is an `enable`
    /// whose bit is 0: 2^k·width bits at scale 1/2, word after word, places of new rows. `index` and
    /// `entries`: as of [`load_from`](Self::load_from); `enable`: a selector, and whether its
    /// complement is meant; `word`: 1..=N bits. Bits may be of either scale.
    ///
    /// Running time depends on what is public only, as of a load: on no bit and no index.
    ///
    /// # Errors
    /// As [`LeveledKey::load`].
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::leveled::{Entries, Entry, LeveledKey, SeededLeveledKey};
    /// # use blindcore_tfhe::{SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// # let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true, false, false, true, true], &mut generator).unpack();
    /// // Two words of two bits; 1, 1 into the second one, which the first bit names.
    /// let entries = Entries { count: 4, at: &|number| Entry::Bit(&bits[number]) };
    /// let mut work = leveled.work(&server, 1);
    /// let index = leveled.parity_selectors(&server, &mut work, &[&[&bits[0]]])?;
    /// let word = [Entry::Bit(&bits[4]), Entry::Known(true)];
    /// let after = leveled.store_from(&mut work, &[(&index[0], false)], None, entries, &word)?;
    /// let after: Result<Vec<bool>, _> = after.iter().map(|bit| secret.decrypt(bit)).collect();
    /// assert_eq!(after?, [true, false, true, true]);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn store_from(
        &self,
        work: &mut LeveledWork,
        index: &[(&Selector, bool)],
        enable: Option<(&Selector, bool)>,
        entries: Entries<'_>,
        word: &[Entry<'_>],
    ) -> Result<Vec<LweCiphertext>, TfheError> {
        let array = Array::new(
            (self.rows.size, self.key_id),
            index.len(),
            entries,
            word.len(),
        )?
        .at_half();
        self.check_access(work, index)?;
        if let Some((selector, _)) = enable {
            self.check_selector(selector)?;
        }
        let stored = (0..entries.count).map(|number| (entries.at)(number));
        for entry in stored.chain(word.iter().copied()) {
            if let Entry::Bit(bit) = entry {
                bit.check(&self.parameters, self.key_id)?;
            }
        }
        let work = &mut work.product;
        let (array, order, rows) = self.rows_of(&array, work);
        let old = self.chosen_word(&array, (order, &rows), index, work);
        let mut change = self.change(&array, order, old, word, work);
        if let Some((selector, is_complement)) = enable {
            let zero = Glwe::zero(array.size);
            let both = if is_complement {
                [change, zero]
            } else {
                [zero, change]
            };
            change = self.choose_glwe(selector, both, work);
        }
        let (low, high) = index.split_at(array.low_bits());
        for (bit, &(selector, is_complement)) in low.iter().enumerate() {
            let turned = change.rotated(array.distance(order, bit));
            let both = if is_complement {
                [turned, change]
            } else {
                [change, turned]
            };
            change = self.choose_glwe(selector, both, work);
        }
        let packings = rows.iter().map(|row| row.packings()).max().unwrap_or(0);
        let mut after = Vec::with_capacity(rows.len());
        self.add_to_one(&rows, high, change, work, &mut after);
        let after = after.into_iter().map(|glwe| {
            let row = Row::new(glwe, self.key_id).with(&[], &[], packings + 1);
            Arc::new(row.at_scale(true))
        });
        let after: Vec<Arc<Row>> = after.collect();
        let bits = (0..entries.count).map(|number| {
            let (row, coefficient) = array.place(order, number);
            let row = Arc::clone(&after[row]);
            LweCiphertext::at(Place { row, coefficient })
        });
        Ok(bits.collect())
    }

    /// The word less the old one, packed.
    fn change(
        &self,
        array: &Array<'_>,
        order: Order,
        old: Glwe,
        word: &[Entry<'_>],
        work: &mut ProductWork,
    ) -> Glwe {
        let row = Arc::new(Row::new(old, self.key_id).at_scale(true));
        let bits = word.iter().enumerate().map(|(number, entry)| {
            let place = Place {
                row: Arc::clone(&row),
                coefficient: array.coefficient(order, number),
            };
            let mut elements = place.elements();
            match entry {
                Entry::Bit(bit) => {
                    for (old, new) in elements.iter_mut().zip(&*bit.elements_at_half()) {
                        *old = new.wrapping_sub(*old);
                    }
                }
                Entry::Known(value) => {
                    elements.iter_mut().for_each(|x| *x = x.wrapping_neg());
                    let body = &mut elements[array.size];
                    *body = body.wrapping_add(u64::from(*value).wrapping_mul(HALF_SCALE));
                }
            }
            LweCiphertext::half_from_elements(self.key_id, elements)
        });
        let bits: Vec<LweCiphertext> = bits.collect();
        self.packed_word(array, order, &bits, work)
    }

    /// Each of as many rows as the index bits name, the change added to the one that they name: half
    /// after half.
    fn add_to_one(
        &self,
        rows: &[Arc<Row>],
        index: &[(&Selector, bool)],
        change: Glwe,
        work: &mut ProductWork,
        after: &mut Vec<Glwe>,
    ) {
        let Some((&(selector, is_complement), index)) = index.split_last() else {
            let mut sum = change;
            sum.add(rows[0].glwe());
            after.push(sum);
            return;
        };
        let mut of_ones = Glwe::zero(change.body().len());
        self.add_whole_product(selector, &change, &mut of_ones, work);
        let mut of_zeros = change;
        of_zeros.subtract(&of_ones);
        if is_complement {
            std::mem::swap(&mut of_zeros, &mut of_ones);
        }
        let (zeros, ones) = rows.split_at(rows.len() / 2);
        self.add_to_one(zeros, index, of_zeros, work, after);
        self.add_to_one(ones, index, of_ones, work, after);
    }
}
