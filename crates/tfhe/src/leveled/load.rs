//! Loads: the word of an array that a secret index names.
//!
//! The array is in rows, or is [packed](super::pack) into them. The index's high bits choose one of the rows,
//! in a tree of products of whole polynomials, lowest bit first; each low bit then chooses between the row
//! and the row turned by as many coefficients as the bit's words are apart, c + s·(X^-d·c − c). After that
//! the word's bits stand where those of word 0 are. A product takes eleven transforms whatever it
//! moves: a load from r rows of W words each takes r − 1 + log2(W) products, 21 for 1,024 words of 32 bits
//! under P16.
//!
//! Every bit of the result went through as many products as the index has bits, and has the noise of each:
//! [`LeveledNoise::load`](super::LeveledNoise::load). About half of a product's error is the same for
//! neighbours of a word.

use std::borrow::Cow;
use std::sync::Arc;

use super::array::{Array, Entries, Entry, Order};
use super::gadgets::{BODY, MASK};
use super::glwe::Glwe;
use super::key::{LeveledKey, LeveledWork};
use super::ring_switch::ProductWork;
use super::selector::{SHAPE, Selector};
use crate::error::TfheError;
use crate::lwe::{LweCiphertext, same_key};
use crate::row::{Place, Row};

impl LeveledKey {
    /// The word of `width` bits that an index names. `index`: selectors, lowest bit first, k of them, at least
    /// one, each with whether the index has its complement; `entries`: 2^k·`width` bits, word after word; `width`: 1..=N.
    /// Where one of them is a half, those of the result are.
    ///
    /// The bits of the result are places of one row. Bits of `entries` that are in no row yet are packed into
    /// one, one automorphism and more a bit, and remember it: the next load from the same array finds them
    /// there. Arrays of 2^i bits to a word, from inputs that begin at a multiple of N bits, are in
    /// rows from the beginning, and so are the same bits of each of these words (a field of structures);
    /// those of less than a row wherever one ciphertext holds all of them.
    ///
    /// Running time depends on what is public only: the array's shape, and which of its entries are known or
    /// packed, and where.
    ///
    /// # Errors
    /// [`TfheError::InvalidArray`] or [`TfheError::WrongLength`] for sizes that do not fit;
    /// [`TfheError::WrongKey`], [`TfheError::WrongLength`] or [`TfheError::WrongProcessor`] for a strange
    /// ciphertext or selector, [`TfheError::WrongScratch`] for strange buffers; nothing is computed then.
    ///
    /// ```
    /// # use random::Generator;
    /// # use blindcore_tfhe::leveled::{Entry, LeveledKey, SeededLeveledKey};
    /// # use blindcore_tfhe::{SecretKey, SeededServerKey, ServerKey, TOY_BLOCK};
    /// # let mut generator = Generator::from_key([1; 32]);
    /// # let secret = SecretKey::generate(TOY_BLOCK, &mut generator)?;
    /// # let seeded = SeededServerKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let server = ServerKey::expand(&seeded, 1, &|_, _| {})?;
    /// # let second = SeededLeveledKey::generate(&secret, &mut generator, 1, &|_, _| {})?;
    /// # let leveled = LeveledKey::expand(&second, &server, 1, &|_, _| {})?;
    /// let bits = secret.encrypt(&[true, false, false, true], &mut generator).unpack();
    /// // Two words of three bits, of which the highest are known.
    /// let array = [
    ///     Entry::Bit(&bits[0]), Entry::Bit(&bits[1]), Entry::Known(false),
    ///     Entry::Bit(&bits[2]), Entry::Bit(&bits[3]), Entry::Known(true),
    /// ];
    /// let mut work = leveled.work(&server, 1);
    /// let index = leveled.parity_selectors(&server, &mut work, &[&[&bits[0]]])?;
    /// let word = leveled.load(&mut work, &[(&index[0], false)], &array, 3)?;
    /// let word: Result<Vec<bool>, _> = word.iter().map(|bit| secret.decrypt(bit)).collect();
    /// assert_eq!(word?, [false, true, true]);
    /// # Ok::<(), blindcore_tfhe::TfheError>(())
    /// ```
    pub fn load(
        &self,
        work: &mut LeveledWork,
        index: &[(&Selector, bool)],
        entries: &[Entry<'_>],
        width: usize,
    ) -> Result<Vec<LweCiphertext>, TfheError> {
        let entries = Entries {
            count: entries.len(),
            at: &|number| entries[number],
        };
        self.load_from(work, index, entries, width)
    }

    /// The same where the entries are in no list.
    ///
    /// # Errors
    /// As [`LeveledKey::load`].
    pub fn load_from(
        &self,
        work: &mut LeveledWork,
        index: &[(&Selector, bool)],
        entries: Entries<'_>,
        width: usize,
    ) -> Result<Vec<LweCiphertext>, TfheError> {
        let mut array = Array::new((self.rows.size, self.key_id), index.len(), entries, width)?;
        self.check_access(work, index)?;
        for number in 0..entries.count {
            if let Entry::Bit(bit) = (entries.at)(number) {
                bit.check(&self.parameters, self.key_id)?;
                array.is_half |= bit.is_half();
            }
        }
        let work = &mut work.product;
        let (array, order, rows) = self.rows_of(&array, work);
        let chosen = self.chosen_word(&array, (order, &rows), index, work);
        let row = Arc::new(Row::new(chosen, self.key_id).at_scale(array.is_half));
        let bits = (0..width).map(|number| {
            let place = Place {
                row: Arc::clone(&row),
                coefficient: array.coefficient(order, number),
            };
            LweCiphertext::at(place)
        });
        Ok(bits.collect())
    }

    /// Refuses strange selectors and buffers.
    pub(super) fn check_access(
        &self,
        work: &LeveledWork,
        index: &[(&Selector, bool)],
    ) -> Result<(), TfheError> {
        for (selector, _) in index {
            self.check_selector(selector)?;
        }
        self.check_work(work)
    }

    /// A row that has the word's bits where those of word 0 are.
    pub(super) fn chosen_word(
        &self,
        array: &Array<'_>,
        (order, rows): (Order, &[Arc<Row>]),
        index: &[(&Selector, bool)],
        work: &mut ProductWork,
    ) -> Glwe {
        let (low, high) = index.split_at(array.low_bits());
        let mut chosen = self.choose_row(rows, high, work).into_owned();
        for (bit, &(selector, is_complement)) in low.iter().enumerate() {
            let distance = array.distance(order, bit);
            let turned = chosen.rotated(2 * array.size - distance);
            chosen = match is_complement {
                false => self.choose_glwe(selector, [chosen, turned], work),
                true => self.choose_glwe(selector, [turned, chosen], work),
            };
        }
        chosen
    }

    /// Refuses a selector of another key or processor.
    pub(super) fn check_selector(&self, selector: &Selector) -> Result<(), TfheError> {
        same_key("selector", self.key_id, selector.key_id())?;
        self.check_processor("selector", selector.fft)
    }

    /// One of as many rows as the index bits name, half after half: a tree without room for its levels.
    fn choose_row<'a>(
        &self,
        rows: &'a [Arc<Row>],
        index: &[(&Selector, bool)],
        work: &mut ProductWork,
    ) -> Cow<'a, Glwe> {
        let Some((&(selector, is_complement), index)) = index.split_last() else {
            return Cow::Borrowed(rows[0].glwe());
        };
        let (zeros, ones) = rows.split_at(rows.len() / 2);
        let [zero, one] = [zeros, ones].map(|rows| self.choose_row(rows, index, work));
        if zero == one {
            // The same row, or the same constants.
            return zero;
        }
        let both = match is_complement {
            false => [zero, one],
            true => [one, zero],
        };
        Cow::Owned(self.choose_glwe(selector, both.map(Cow::into_owned), work))
    }

    /// What a choice does, for all coefficients.
    pub(super) fn choose_glwe(
        &self,
        selector: &Selector,
        [mut chosen, mut difference]: [Glwe; 2],
        work: &mut ProductWork,
    ) -> Glwe {
        difference.subtract(&chosen);
        self.add_whole_product(selector, &difference, &mut chosen, work);
        chosen
    }

    /// Adds the selector's bit times a ciphertext.
    pub(super) fn add_whole_product(
        &self,
        selector: &Selector,
        glwe: &Glwe,
        sum: &mut Glwe,
        work: &mut ProductWork,
    ) {
        let polynomials = [(glwe.mask(), MASK), (glwe.body(), BODY)];
        work.add_product(&self.plan, &polynomials, (&selector.rows, SHAPE), sum);
    }
}
