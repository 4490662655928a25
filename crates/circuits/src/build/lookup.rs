//! Lookups: bringing a weighted sum into its normal form, finding it again, and giving it one more
//! table whenever a gate asks only what its sum already knows.
//!
//! The normal form: inversions and constants folded into the constant, one term for each signal,
//! no common factor, the first weight positive, the least reachable value 0, each table 0 at the
//! first value that can occur. Two lookups that differ only in how they were written become the
//! same node.

use super::{Builder, NONE, share};
use crate::ir::table::{normalise, reachable, up_to};
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

impl Builder {
    /// The functions `tables` (bit `t` of a mask is the function's value at `t`) of
    /// `t = Σ weight·bit + constant`, one wire for each. Constant, inverted and repeated wires
    /// are allowed. On targets without lookups the functions are written in AND and XOR.
    ///
    /// # Panics
    /// If some assignment of the bits takes `t` out of 0 to 15.
    pub fn lookup(&mut self, terms: &[(Wire, i8)], constant: i8, tables: &[u16]) -> Vec<Wire> {
        let folded = fold(terms, constant, None);
        self.lookup_folded(folded, tables)
    }

    /// As [`lookup`](Self::lookup), where the author promises that `t` never exceeds `max` (nor
    /// falls below 0) although the weights alone do not say so, since some bits exclude others.
    ///
    /// # Panics
    /// If `max` exceeds 15.
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
        assert!(max <= 15, "a lookup's value of {max} exceeds 15");
        let folded = fold(terms, constant, Some(max));
        self.lookup_folded(folded, tables)
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
        let care = self.care(node);
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

    fn lookup_folded(&mut self, folded: Folded, tables: &[u16]) -> Vec<Wire> {
        let Folded {
            terms,
            constant,
            max,
            offset,
            scale,
        } = folded;
        // A function of `t` as a function of the normalised value.
        let rescale = |mask: u16| {
            let at = |value: u8| bit(mask, offset + scale * i32::from(value));
            (0..=max).fold(0u16, |sum, value| sum | u16::from(at(value)) << value)
        };
        let masks: Vec<u16> = tables.iter().map(|&mask| rescale(mask)).collect();
        if let Some(wires) = trivial(&terms, constant, &masks) {
            return wires;
        }
        if self.profile.max_value().is_none_or(|limit| max > limit) {
            return self.expand_lookup(&terms, constant, max, &masks);
        }
        let node = self.lookup_node(&terms, constant, max);
        masks
            .into_iter()
            .map(|mask| self.port(node, mask))
            .collect()
    }

    /// The node of a normalised sum, found again or new and without outputs.
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
            crate::Op::Lookup { sum, .. } => {
                sum.terms == terms && sum.constant == constant && sum.max == max
            }
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
        let (mask, inverted) = normalise(mask, self.care(node));
        if mask == 0 {
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

    /// The values that a lookup node's sum can take.
    fn care(&self, node: u32) -> u16 {
        match self.op(node) {
            crate::Op::Lookup { sum, .. } => care(sum.terms, sum.constant, sum.max),
            _ => u16::MAX,
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

/// Functions of no bit are constant; those of one bit are constant, the bit or its inverse.
fn trivial(terms: &[Term], constant: i8, masks: &[u16]) -> Option<Vec<Wire>> {
    let (wire, weight) = match *terms {
        [] => (Wire::FALSE, 0),
        [Term { wire, weight }] => (wire, i32::from(weight)),
        _ => return None,
    };
    let constant = i32::from(constant);
    let wire_of = |&mask: &u16| match (bit(mask, constant), bit(mask, constant + weight)) {
        (false, false) => Wire::FALSE,
        (false, true) => wire,
        (true, false) => !wire,
        (true, true) => Wire::TRUE,
    };
    Some(masks.iter().map(wire_of).collect())
}

/// The function's value at `t`; 0 where it has none.
fn bit(mask: u16, t: i32) -> bool {
    (0..16).contains(&t) && mask >> t & 1 == 1
}

/// The values that a sum can take, as a set.
pub(crate) fn care(terms: &[Term], constant: i8, max: u8) -> u16 {
    let free = reachable(terms.iter().map(|term| term.weight), constant);
    match free & up_to(max) {
        // A promise that no assignment keeps: nothing can be learnt from it.
        0 => up_to(max),
        care => care,
    }
}

/// Brings a sum into normal form. `promised` is the author's bound, otherwise the weights' own is
/// taken and checked.
fn fold(terms: &[(Wire, i8)], constant: i8, promised: Option<u8>) -> Folded {
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
        0 <= low && low <= high && high <= 15,
        "a lookup's sum takes values from {low} to {high}, which are not within 0 to 15"
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
