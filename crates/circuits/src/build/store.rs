//! Writes to arrays at a secret index.

use super::{Builder, NONE};
use crate::ir::chosen::{ROTATION, most, most_of_all, most_of_chosen};
use crate::ir::{Record, Signal, Term, Wire};

/// Words of an array of which a noisy one is refreshed before it is stored, at least.
const MANY_WORDS: usize = 16;
/// Of what an array may have, the part above which it is next to full.
const NEARLY: f64 = 0.9;

impl Builder {
    /// The bits of all words after `word` was put where `index` says; nowhere if `enable` is 0.
    /// `entries` are the bits of all words, one word for each value of the index. Where the target has
    /// rows of bits whole ones are changed, and the results are halves ([`Builder::is_half`]);
    /// elsewhere each bit is a choice.
    ///
    /// # Panics
    /// Unless there are as many bits as in `word` for each of 2^k values of an index of k bits.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, Wire, passes, sim};
    ///
    /// let profile = Profile::selector_simulation();
    /// let mut b = Builder::new(&profile);
    /// let (index, word, entries) = (b.inputs(4), b.inputs(8), b.inputs(16 * 8));
    /// let after = b.store(&index, Wire::TRUE, &word, &entries);
    /// let read = b.load(&index, 8, &after);
    /// read.into_iter().for_each(|bit| b.output(bit));
    /// // What is loaded from what was stored are halves still, which can be decrypted as they are.
    /// let circuit = passes::prepare(&b.finish(), &profile);
    /// let cost = passes::cost(&circuit, &profile);
    /// assert_eq!((cost.bootstraps, cost.store, cost.load), (2, 1, 1));
    /// ```
    pub fn store(
        &mut self,
        index: &[Wire],
        enable: Wire,
        word: &[Wire],
        entries: &[Wire],
    ) -> Vec<Wire> {
        let width = word.len();
        assert_eq!(
            entries.len(),
            width << index.len(),
            "words of {width} bits for an index of {} bits",
            index.len()
        );
        if enable == Wire::FALSE {
            return entries.to_vec();
        }
        let known = index.iter().position(|bit| bit.as_constant().is_some());
        if let Some(at) = known {
            return self.store_in_half(index, at, enable, word, entries);
        }
        match self.store_node(index, enable, word, entries) {
            Some(after) => after,
            None => self.store_by_choices(index, enable, word, entries),
        }
    }

    /// Where a bit of the index is known, only half of the words can change.
    fn store_in_half(
        &mut self,
        index: &[Wire],
        at: usize,
        enable: Wire,
        word: &[Wire],
        entries: &[Wire],
    ) -> Vec<Wire> {
        let value = index[at] == Wire::TRUE;
        let mut index = index.to_vec();
        index.remove(at);
        let block = word.len() << at;
        let is_reached = |number: usize| (number / block) % 2 == usize::from(value);
        let reached = entries.chunks(block).enumerate();
        let reached = reached.filter(|&(number, _)| is_reached(number * block));
        let reached: Vec<Wire> = reached.flat_map(|(_, bits)| bits).copied().collect();
        let mut after = self.store(&index, enable, word, &reached).into_iter();
        let entries = entries.iter().enumerate();
        entries
            .map(|(number, &bit)| match is_reached(number) {
                true => after.next().unwrap_or(bit),
                false => bit,
            })
            .collect()
    }

    /// A store, found again or new; `None` where the target has no rows, or none so wide, and for an
    /// index without bits.
    fn store_node(
        &mut self,
        index: &[Wire],
        enable: Wire,
        word: &[Wire],
        entries: &[Wire],
    ) -> Option<Vec<Wire>> {
        let (selectors, lookup) = (self.profile.selectors?, self.profile.lookup?);
        if word.is_empty() || word.len() > selectors.row.widest() || index.is_empty() {
            return None;
        }
        let is_conditional = enable != Wire::TRUE;
        let condition = Some(enable).filter(|_| is_conditional);
        let conditions = index.iter().copied().chain(condition);
        let terms = |word: &[Wire], entries: &[Wire]| -> Vec<Term> {
            let data = word.iter().chain(entries).copied();
            let all = conditions.clone().chain(data);
            all.map(|wire| Term { wire, weight: 1 }).collect()
        };
        let limit = self.half_limit();
        let mut word = word.to_vec();
        let mut own = terms(&word, entries);
        let count = own.len() as u32;
        let width = word.len() as u16;
        let record = |first| Record::Store {
            first,
            count,
            index: index.len() as u8,
            is_conditional,
            width,
        };
        let most_after = |build: &Self, terms: &[Term]| {
            most_of_chosen(build, &record(0).view(terms, &[]), &lookup.noise)
        };
        let mut noise = most_after(self, &own);
        // A word that is noisier than the array leaves it as noisy as that: of many words all would be
        // refreshed soon.
        let is_full = noise.variance(&lookup.noise) > NEARLY * limit;
        if is_full && entries.len() >= MANY_WORDS * word.len() {
            let of_entries = most_of_all(self, entries.iter().copied(), &lookup.noise);
            let allowed = of_entries.variance(&lookup.noise).max(limit / 2.0);
            for wire in &mut word {
                *wire = self.quiet(*wire, allowed);
            }
            own = terms(&word, entries);
            noise = most_after(self, &own);
        }
        // Those that are noisy by themselves; and if all the others are too noisy together, of which the
        // worst in each respect counts, all but single functions of rotations.
        let mut entries = entries.to_vec();
        for most_of_one in [limit / 2.0, 0.0] {
            if noise.variance(&lookup.noise) > limit {
                for wire in word.iter_mut().chain(&mut entries) {
                    *wire = self.quiet(*wire, most_of_one);
                }
                own = terms(&word, &entries);
                noise = most_after(self, &own);
            }
        }
        let (node, is_new) = self.node_of(&own, record);
        if is_new {
            self.loaded += own.len();
            self.bounds.set(node as usize, noise);
            for _ in 0..entries.len() {
                self.append_signal(node, 0);
            }
        }
        // All of its signals were made at once.
        let newest = self.nodes[node as usize].newest;
        debug_assert_ne!(newest, NONE);
        let first = newest + 1 - entries.len() as u32;
        let signals = first..=newest;
        Some(signals.map(|signal| Wire::from(Signal(signal))).collect())
    }

    /// The wire, refreshed if it is noisier than that and than one function of a rotation.
    fn quiet(&mut self, wire: Wire, limit: f64) -> Wire {
        let Some(model) = self.profile.lookup.map(|lookup| lookup.noise) else {
            return wire;
        };
        let most = most(self, wire, &model);
        match most.variance(&model) > limit.max(ROTATION) {
            true => self.refresh(wire),
            false => wire,
        }
    }

    /// Each bit by a choice between the old and the new one.
    fn store_by_choices(
        &mut self,
        index: &[Wire],
        enable: Wire,
        word: &[Wire],
        entries: &[Wire],
    ) -> Vec<Wire> {
        let mut lines = vec![enable];
        // The index's highest bit first: the lines of its values come in their order.
        for &bit in index.iter().rev() {
            let both = lines.into_iter().flat_map(|line| {
                let one = self.and(line, bit);
                [self.and(line, !bit), one]
            });
            lines = both.collect();
        }
        let mut after = Vec::with_capacity(entries.len());
        for (old, &line) in entries.chunks(word.len().max(1)).zip(&lines) {
            let bits = old.iter().zip(word);
            after.extend(bits.map(|(&old, &new)| self.choose(line, new, old)));
        }
        after
    }
}
