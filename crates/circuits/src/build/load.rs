//! Reads of arrays at a secret index.

use super::Builder;
use crate::ir::chosen::{Most, most_of_chosen};
use crate::ir::{DECRYPTED, Record, Term, Wire};

impl Builder {
    /// The word of `width` bits that `index` names, lowest bit first: `entries` are the bits of all
    /// words, one word for each value of the index. Where the target has rows of bits a load chooses
    /// whole ones; elsewhere each bit is a tree of choices.
    ///
    /// # Panics
    /// Unless there are `width` bits for each of 2^k values of an index of k bits.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, passes, sim};
    ///
    /// let profile = Profile::selector_simulation();
    /// let mut b = Builder::new(&profile);
    /// let (index, entries) = (b.inputs(4), b.inputs(16 * 8));
    /// let word = b.load(&index, 8, &entries);
    /// word.into_iter().for_each(|bit| b.output(bit));
    /// // Two rotations make four selectors; eight words fill a row of 64 bits.
    /// let circuit = passes::prepare(&b.finish(), &profile);
    /// let cost = passes::cost(&circuit, &profile);
    /// assert_eq!((cost.bootstraps, cost.selector, cost.load, cost.row_choice), (2, 2, 1, 4));
    /// ```
    pub fn load(&mut self, index: &[Wire], width: usize, entries: &[Wire]) -> Vec<Wire> {
        let columns: Vec<u16> = (0..width as u16).collect();
        self.load_columns(index, width, entries, &columns)
    }

    /// The bits that all loads and stores read together: what they take beside their nodes.
    #[must_use]
    pub fn loaded(&self) -> usize {
        self.loaded
    }

    /// Some bits of the word, by their numbers.
    pub(crate) fn load_columns(
        &mut self,
        index: &[Wire],
        width: usize,
        entries: &[Wire],
        columns: &[u16],
    ) -> Vec<Wire> {
        assert_eq!(
            entries.len(),
            width << index.len(),
            "words of {width} bits for an index of {} bits",
            index.len()
        );
        let known = index.iter().position(|bit| bit.as_constant().is_some());
        if let Some(at) = known {
            let value = index[at] == Wire::TRUE;
            let mut index = index.to_vec();
            index.remove(at);
            let blocks = entries.chunks(width << at);
            let kept = blocks.skip(usize::from(value)).step_by(2);
            let kept: Vec<Wire> = kept.flatten().copied().collect();
            return self.load_columns(&index, width, &kept, columns);
        }
        let same = |column: &u16| {
            let mut bits = entries.iter().skip(usize::from(*column)).step_by(width);
            let first = *bits.next()?;
            bits.all(|bit| *bit == first).then_some(first)
        };
        let fixed: Vec<Option<Wire>> = columns.iter().map(same).collect();
        let node = match fixed.iter().any(Option::is_none) {
            true => self.load_node(index, width, entries),
            false => None,
        };
        let columns = columns.iter().zip(fixed);
        columns
            .map(|(&column, fixed)| match (fixed, node) {
                (Some(wire), _) => wire,
                (None, Some(node)) => self.port_of(node, column),
                (None, None) => self.load_by_choices(index, width, entries, column.into()),
            })
            .collect()
    }

    /// A load, found again or new; `None` where the target has no rows, or none so wide, or where it
    /// would come out too noisy for any reader.
    fn load_node(&mut self, index: &[Wire], width: usize, entries: &[Wire]) -> Option<u32> {
        let selectors = self.profile.selectors?;
        if width > selectors.row.widest() {
            return None;
        }
        let terms = index.iter().chain(entries);
        let terms = terms.map(|&wire| Term { wire, weight: 1 });
        let terms: Vec<Term> = terms.collect();
        let (count, index) = (terms.len() as u32, index.len() as u8);
        let record = |first| Record::Load {
            first,
            count,
            index,
        };
        let mut most = Most::default();
        if let Some(model) = self.profile.lookup.map(|lookup| lookup.noise) {
            most = most_of_chosen(self, &record(0).view(&terms, &[]), &model);
            // A third for a sum of three places; for a half what decryption asks.
            let share = match entries.iter().any(|&wire| self.is_half(wire)) {
                true => DECRYPTED,
                false => 3.0,
            };
            if most.variance(&model) > model.limit / share {
                return None;
            }
        }
        let (node, is_new) = self.node_of(&terms, record);
        if is_new {
            self.loaded += terms.len();
        }
        self.bounds.set(node as usize, most);
        Some(node)
    }

    /// One bit of the word, the index's lowest bit at the leaves.
    fn load_by_choices(
        &mut self,
        index: &[Wire],
        width: usize,
        entries: &[Wire],
        column: usize,
    ) -> Wire {
        let bits = entries.iter().skip(column).step_by(width);
        let mut bits: Vec<Wire> = bits.copied().collect();
        for &select in index {
            let pairs = bits.chunks_exact(2);
            let pairs = pairs.map(|pair| self.choose(select, pair[1], pair[0]));
            bits = pairs.collect();
        }
        bits.first().copied().unwrap_or(Wire::FALSE)
    }
}
