//! Lookups: bringing a weighted sum into its normal form, finding it again, and giving it one more
//! table whenever a gate asks only what its sum already knows.
//!
//! The normal form: inversions and constants folded into the constant, one term for each signal,
//! no common factor, the first weight positive, the least reachable value 0, each table 0 at the
//! first value that can occur. Two lookups that differ only in how they were written become the
//! same node.

use super::{Builder, NONE, share};
use crate::ir::table::{
    LARGEST, LARGEST_NEGACYCLIC, is_negacyclic, negacyclic, normalise, reachable, up_to,
};
use crate::ir::{Record, Term, Wire};

/// A sum on its way to normal form, and how its values map to those that were asked for.
struct Folded {
    terms: Vec<Term>,
    constant: i8,
    max: u8,
    /// Value asked for = `offset + scale·value`.
    offset: i32,
    scale: i32,
}

impl Folded {
    /// A function of the sum asked for as one of the normalised value.
    fn rescale(&self, values: u32) -> u32 {
        let at = |value: u8| {
            let t = self.offset + self.scale * i32::from(value);
            (0..32).contains(&t) && values >> t & 1 == 1
        };
        (0..=self.max).fold(0, |sum, value| sum | u32::from(at(value)) << value)
    }
}

impl Builder {
    /// The functions `tables` (bit `t` of a mask is the function's value at `t`) of
    /// `t = Σ weight·bit + constant`, one wire for each. Constant, inverted and repeated wires
    /// are allowed. On targets without lookups the functions are written in AND and XOR.
    ///
    /// # Panics
    /// If some assignment of the bits takes `t` out of 0 to 15.
    pub fn lookup(&mut self, terms: &[(Wire, i8)], constant: i8, tables: &[u16]) -> Vec<Wire> {
        let folded = fold(terms, constant, None, LARGEST);
        let values = tables.iter().map(|&mask| folded.rescale(mask.into()));
        let values: Vec<u32> = values.collect();
        self.lookup_folded(folded, &values)
    }

    /// The same of `t` up to 31 for functions that the ring goes on with by itself, `f(t + 16) = ¬f(t)`:
    /// the carry of four columns of an addition and each of its other bits XOR the carry, `t ≥ 15` of
    /// sums up to 30. Values that no assignment reaches do not matter. `None` where the target has no
    /// such lookups, or a function is none.
    ///
    /// # Panics
    /// If some assignment of the bits takes `t` out of 0 to 31.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, sim};
    ///
    /// let mut build = Builder::new(&Profile::lookup_simulation());
    /// let bits = build.inputs(8);
    /// let weights = [1, 2, 4, 8, 1, 2, 4, 8];
    /// let terms: Vec<_> = bits.into_iter().zip(weights).collect();
    /// // The carry of two numbers of four bits: 15 + 3 has one, 12 + 3 has none.
    /// let carry = build.lookup_negacyclic(&terms, 0, &[0xffff_0000]).unwrap()[0];
    /// build.output(carry);
    /// let circuit = build.finish();
    /// let (x, y) = (12 + 3, 3);
    /// let lanes = [0b01, 0b01, 0b11, 0b11, 0b11, 0b11, 0, 0];
    /// assert_eq!(sim::evaluate(&circuit, &lanes).unwrap(), [0b01]);
    /// // The lowest bit alone turns the sign too often.
    /// let mut build = Builder::new(&Profile::lookup_simulation());
    /// let terms: Vec<_> = build.inputs(8).into_iter().zip(weights).collect();
    /// assert_eq!(build.lookup_negacyclic(&terms, 0, &[0xaaaa_aaaa]), None);
    /// ```
    pub fn lookup_negacyclic(
        &mut self,
        terms: &[(Wire, i8)],
        constant: i8,
        tables: &[u32],
    ) -> Option<Vec<Wire>> {
        self.profile
            .largest_sum()
            .filter(|&sum| is_negacyclic(sum))?;
        let folded = fold(terms, constant, None, LARGEST_NEGACYCLIC);
        let values: Vec<u32> = tables.iter().map(|&table| folded.rescale(table)).collect();
        if is_negacyclic(folded.max) {
            let care = care(&folded.terms, folded.constant, folded.max);
            let all = values
                .iter()
                .all(|&values| negacyclic(values, care).is_some());
            all.then_some(())?;
        }
        Some(self.lookup_folded(folded, &values))
    }

    /// As [`lookup`](Self::lookup), where the author promises that `t` never exceeds `max` (nor
    /// falls below 0) although the weights alone do not say so, since some bits exclude others.
    /// Above 15 tables are of negacyclic functions, up to 31.
    ///
    /// # Panics
    /// If `max` exceeds 31.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, sim};
    ///
    /// let mut build = Builder::new(&Profile::lookup_simulation());
    /// let (first, second) = (build.input(), build.input());
    /// // At most one of both is 1, so `t` is 0 or 1 and the table's entry for 2 is free.
    /// let either = build.lookup_within(&[(first, 1), (second, 1)], 0, 1, &[0b10])[0];
    /// build.output(either);
    /// let circuit = build.finish();
    /// assert_eq!(sim::evaluate(&circuit, &[0b001, 0b010]).unwrap(), [0b011]);
    /// // The simulator finds a promise that is broken.
    /// assert!(sim::evaluate(&circuit, &[1, 1]).is_err());
    /// ```
    pub fn lookup_within(
        &mut self,
        terms: &[(Wire, i8)],
        constant: i8,
        max: u8,
        tables: &[u16],
    ) -> Vec<Wire> {
        assert!(
            max <= LARGEST_NEGACYCLIC,
            "a lookup's value of {max} exceeds {LARGEST_NEGACYCLIC}"
        );
        let folded = fold(terms, constant, Some(max), LARGEST_NEGACYCLIC);
        let values = tables.iter().map(|&mask| folded.rescale(whole(mask, max)));
        let values: Vec<u32> = values.collect();
        self.lookup_folded(folded, &values)
    }

    /// As [`lookup`](Self::lookup), where all bits come from one lookup: further tables of that
    /// one. `None` where they do not.
    pub(crate) fn lookup_inside(
        &mut self,
        terms: &[(Wire, i8)],
        constant: i8,
        tables: &[u16],
    ) -> Option<Vec<Wire>> {
        let node = self.source_lookup(terms.first()?.0)?;
        if terms
            .iter()
            .any(|&(wire, _)| self.source_lookup(wire) != Some(node))
        {
            return None;
        }
        let masks: Vec<(u16, i32)> = (terms.iter())
            .map(|&(wire, weight)| (self.mask(wire), i32::from(weight)))
            .collect();
        let sum = |value: i32| {
            let terms = masks.iter();
            let terms = terms.map(|&(mask, weight)| i32::from(bit(mask, value)) * weight);
            i32::from(constant) + terms.sum::<i32>()
        };
        let (care, _) = self.care(node);
        let masks: Vec<u16> = (tables.iter())
            .map(|&table| {
                let values = (0..16).filter(|&value| bit(care, value));
                values.fold(0, |mask, value| {
                    mask | u16::from(bit(table, sum(value))) << value
                })
            })
            .collect();
        Some(
            masks
                .into_iter()
                .map(|mask| self.port(node, mask))
                .collect(),
        )
    }

    /// Functions by all their values; of sums above 15 they are negacyclic.
    fn lookup_folded(&mut self, folded: Folded, values: &[u32]) -> Vec<Wire> {
        let Folded {
            terms,
            constant,
            max,
            ..
        } = folded;
        if let Some(wires) = trivial(&terms, constant, values) {
            return wires;
        }
        if self.profile.largest_sum().is_none_or(|limit| max > limit) {
            return self.expand_lookup(&terms, constant, max, values);
        }
        let node = self.lookup_node(&terms, constant, max);
        let care = care(&terms, constant, max);
        let own = ((care | care >> 16) as u16, is_negacyclic(max));
        let mask = |&values: &u32| match (is_negacyclic(max), negacyclic(values, care)) {
            (false, _) => values as u16,
            (true, Some((mask, _))) => mask,
            (true, None) => unreachable!("whoever asks of sums above 15 asks negacyclic functions"),
        };
        let masks: Vec<u16> = values.iter().map(mask).collect();
        masks
            .into_iter()
            .map(|mask| self.port_within(node, mask, own))
            .collect()
    }

    /// The node of a normalised sum, found again or new and without outputs. Of the same sum one rotation is
    /// enough, whatever is promised of it: each promise holds. The node has the first one.
    fn lookup_node(&mut self, terms: &[Term], constant: i8, max: u8) -> u32 {
        let first = self.terms.len() as u32;
        let record = Record::Lookup {
            first,
            count: terms.len() as u8,
            constant,
            max,
        };
        let hash = share::hash(&record, terms);
        let found = self.shared.find(hash, |node| match self.op(node) {
            crate::Op::Lookup { sum, .. } => sum.terms == terms && sum.constant == constant,
            _ => false,
        });
        if let Some(node) = found {
            return node;
        }
        self.terms.extend_from_slice(terms);
        let node = self.append_bare(record);
        self.shared.insert(hash, node);
        node
    }

    /// The wire for one function of a lookup node's sum, found again or new.
    pub(super) fn port(&mut self, node: u32, mask: u16) -> Wire {
        self.port_within(node, mask, (u16::MAX, true))
    }

    /// The same, where by another promise only the entries of a set matter, or none above 15.
    fn port_within(&mut self, node: u32, mask: u16, promised: (u16, bool)) -> Wire {
        let (care, is_negacyclic) = self.care(node);
        let (mask, inverted) = normalise(mask, care & promised.0, is_negacyclic);
        if mask == 0 && !(is_negacyclic && promised.1) {
            return Wire::constant(inverted);
        }
        self.port_of(node, mask).invert_if(inverted)
    }

    /// The output of a node with this very table, found again or new.
    pub(super) fn port_of(&mut self, node: u32, mask: u16) -> Wire {
        let mut signal = self.nodes[node as usize].newest;
        while signal != NONE {
            let entry = self.signals[signal as usize];
            if entry.mask == mask {
                return Wire::from(crate::ir::Signal(signal));
            }
            signal = entry.older;
        }
        self.append_signal(node, mask)
    }

    /// The entries of a lookup node's tables that matter, and whether those are negacyclic.
    fn care(&self, node: u32) -> (u16, bool) {
        match self.op(node) {
            crate::Op::Lookup { sum, .. } => {
                let care = care(sum.terms, sum.constant, sum.max);
                ((care | care >> 16) as u16, is_negacyclic(sum.max))
            }
            _ => (u16::MAX, false),
        }
    }

    /// If all wires are functions of one lookup's sum, `function` of them is one more of its
    /// tables: `function` maps the masks of the wires to that of the result.
    pub(super) fn merge(
        &mut self,
        wires: &[Wire],
        function: impl FnOnce(&[u16]) -> u16,
    ) -> Option<Wire> {
        let node = self.source_lookup(*wires.first()?)?;
        let mut masks = [0u16; 3];
        let masks = masks.get_mut(..wires.len())?;
        for (mask, &wire) in masks.iter_mut().zip(wires) {
            if self.source(wire) != Some(node) {
                return None;
            }
            *mask = self.mask(wire);
        }
        let mask = function(masks);
        Some(self.port(node, mask))
    }

    /// The mask of a lookup's output as the wire reads it.
    pub(super) fn mask(&self, wire: Wire) -> u16 {
        let mask = self.signals[wire.signal().index()].mask;
        if wire.is_inverted() { !mask } else { mask }
    }
}

/// All values of a table that a sum up to `max` reads.
pub(crate) fn whole(mask: u16, max: u8) -> u32 {
    let low = u32::from(mask);
    match is_negacyclic(max) {
        true => low | u32::from(!mask) << 16,
        false => low,
    }
}

/// Functions of no bit are constant; those of one bit are constant, the bit or its inverse.
fn trivial(terms: &[Term], constant: i8, values: &[u32]) -> Option<Vec<Wire>> {
    let (wire, weight) = match *terms {
        [] => (Wire::FALSE, 0),
        [Term { wire, weight }] => (wire, i32::from(weight)),
        _ => return None,
    };
    let constant = i32::from(constant);
    let bit = |values: u32, t: i32| (0..32).contains(&t) && values >> t & 1 == 1;
    let wire_of = |&values: &u32| match (bit(values, constant), bit(values, constant + weight)) {
        (false, false) => Wire::FALSE,
        (false, true) => wire,
        (true, false) => !wire,
        (true, true) => Wire::TRUE,
    };
    Some(values.iter().map(wire_of).collect())
}

/// The function's value at `t`; 0 where it has none.
fn bit(mask: u16, t: i32) -> bool {
    (0..16).contains(&t) && mask >> t & 1 == 1
}

/// The values that a sum can take, as a set.
pub(crate) fn care(terms: &[Term], constant: i8, max: u8) -> u32 {
    let free = reachable(terms.iter().map(|term| term.weight), constant);
    match free & up_to(max) {
        // A promise that no assignment keeps: nothing can be learnt from it.
        0 => up_to(max),
        care => care,
    }
}

/// Brings a sum into normal form. `promised` is the author's bound, otherwise the weights' own is
/// taken and checked to be at most `largest`.
fn fold(terms: &[(Wire, i8)], constant: i8, promised: Option<u8>, largest: u8) -> Folded {
    let mut constant = i32::from(constant);
    let mut sorted: Vec<(Wire, i32)> = Vec::with_capacity(terms.len());
    for &(wire, weight) in terms {
        let weight = i32::from(weight);
        if wire.is_inverted() {
            constant += weight;
        }
        if wire.as_constant().is_none() && weight != 0 {
            sorted.push((
                wire.positive(),
                if wire.is_inverted() { -weight } else { weight },
            ));
        }
    }
    sorted.sort_unstable();
    sorted.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
    sorted.retain(|&(_, weight)| weight != 0);

    let below: i32 = sorted.iter().map(|&(_, weight)| weight.min(0)).sum();
    let above: i32 = sorted.iter().map(|&(_, weight)| weight.max(0)).sum();
    let (low, high) = match promised {
        // A promise can only narrow what the weights say.
        Some(max) => (
            (constant + below).max(0),
            (constant + above).min(i32::from(max)),
        ),
        None => (constant + below, constant + above),
    };
    assert!(
        0 <= low && low <= high && high <= i32::from(largest),
        "a lookup's sum takes values from {low} to {high}, which are not within 0 to {largest}"
    );
    let kept = low == constant + below && high == constant + above;

    let sign = if sorted.first().is_some_and(|&(_, weight)| weight < 0) {
        -1
    } else {
        1
    };
    // A promise need not respect the grid of a common factor, so only sums whose bits are free
    // are divided by it.
    let factor = if kept {
        sorted.iter().fold(0, |gcd, &(_, w)| divisor(gcd, w)).max(1)
    } else {
        1
    };
    let (offset, scale) = (if sign < 0 { high } else { low }, sign * factor);
    let narrow = |value: i32| {
        let result = i8::try_from(value);
        assert!(
            result.is_ok(),
            "a lookup's weight or constant of {value} exceeds eight bits"
        );
        result.unwrap_or(0)
    };
    assert!(
        sorted.len() <= 255,
        "a lookup of {} bits exceeds 255",
        sorted.len()
    );
    let term = |&(wire, weight): &(Wire, i32)| Term {
        wire,
        weight: narrow(weight / scale),
    };
    Folded {
        terms: sorted.iter().map(term).collect(),
        constant: narrow((constant - offset) / scale),
        max: ((high - low) / factor) as u8,
        offset,
        scale,
    }
}

/// The greatest common divisor of `a ≥ 0` and `b`.
fn divisor(a: i32, b: i32) -> i32 {
    if a == 0 {
        b.abs()
    } else {
        divisor(b.abs() % a, a)
    }
}
