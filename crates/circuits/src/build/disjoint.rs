//! OR of bits of which at most one is 1.
//!
//! Such bits are what lookups with masks make: a lookup that reads a condition beside three bits
//! answers `s∧a`, `s∧b` and so on, and a selection is the sum of two of them. Where lookups are
//! native, bits are ciphertexts that can be added, and the OR is their sum: no rotation, and the
//! noise of the sum. Elsewhere it is written as XORs, which are free where levels count.
//!
//! A sum that is too noisy for any lookup to read is made of refreshed parts.

use super::Builder;
use crate::ir::{Op, Record, Signal, Term, Wire};

/// Bits of one sum: bounds the work of whoever reads it.
const TERMS: usize = 64;

impl Builder {
    /// Whether one of the bits is 1, where the author promises that at most one is; `false` for
    /// none at all. Bits that come from one lookup are combined inside it.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, passes, sim};
    ///
    /// let profile = Profile::lookup_simulation();
    /// let mut build = Builder::new(&profile);
    /// let (s, a, b) = (build.input(), build.input(), build.input());
    /// // ¬s∧a is a function of t = a + 2s, s∧b of t = b + 2s.
    /// let stays = build.lookup(&[(a, 1), (s, 2)], 0, &[0b0010])[0];
    /// let moves = build.lookup(&[(b, 1), (s, 2)], 0, &[0b1000])[0];
    /// let selected = build.disjoint(&[stays, moves]);
    /// build.output(selected);
    /// let circuit = build.finish();
    /// assert_eq!(sim::evaluate(&circuit, &[0b0011, 0b0101, 0b1010]).unwrap(), [0b0110]);
    /// assert_eq!(passes::cost(&circuit, &profile).bootstraps, 2);
    /// ```
    pub fn disjoint(&mut self, wires: &[Wire]) -> Wire {
        let mut bits: Vec<Wire> = Vec::with_capacity(wires.len());
        for &wire in wires {
            match self.summands(wire.signal()) {
                None => bits.push(wire),
                Some(terms) if !wire.is_inverted() => {
                    bits.extend(terms.iter().map(|term| term.wire));
                }
                // The complement of a sum has no bits of which one is 1.
                Some(_) => bits.push(self.refresh(wire)),
            }
        }
        bits.retain(|&wire| wire != Wire::FALSE);
        bits.sort_unstable();
        bits.dedup();
        if bits.contains(&Wire::TRUE) || bits.windows(2).any(|pair| pair[0] == !pair[1]) {
            return Wire::TRUE;
        }
        let mut bits = self.any_within_lookups(bits);
        bits.sort_unstable();
        if bits.contains(&Wire::TRUE) {
            return Wire::TRUE;
        }
        if self.profile.lookup.is_none() {
            return self.parity(&bits);
        }
        match *bits {
            [] => Wire::FALSE,
            [only] => only,
            _ if self.is_too_much(&bits) => self.disjoint_in_parts(&bits),
            _ => self.disjoint_node(&bits),
        }
    }

    /// Whether a wire is an input as it came, with an input's noise.
    #[must_use]
    pub fn is_input(&self, wire: Wire) -> bool {
        let record = self.source(wire).map(|node| self.records[node as usize]);
        matches!(record, Some(Record::Input(_)))
    }

    /// The number of the input that a wire is, perhaps inverted; `None` for everything else.
    #[must_use]
    pub fn input_number(&self, wire: Wire) -> Option<u32> {
        match self.records[self.source(wire)? as usize] {
            Record::Input(number) => Some(number),
            _ => None,
        }
    }

    /// The bits whose sum a signal is; `None` for one that is not a sum.
    pub(crate) fn summands(&self, signal: Signal) -> Option<&[Term]> {
        match self.op(self.source(Wire::from(signal))?) {
            Op::Disjoint { terms } => Some(terms),
            _ => None,
        }
    }

    fn is_too_much(&self, bits: &[Wire]) -> bool {
        let terms: Vec<(Wire, i8)> = bits.iter().map(|&bit| (bit, 1)).collect();
        bits.len() > TERMS || self.variance(&terms) > self.noise_limit()
    }

    /// The sum of refreshed parts, each of two bits at least.
    fn disjoint_in_parts(&mut self, bits: &[Wire]) -> Wire {
        let mut parts = Vec::new();
        let mut rest = bits;
        while !rest.is_empty() {
            let mut count = rest.len().min(2);
            while count < rest.len() && !self.is_too_much(&rest[..count + 1]) {
                count += 1;
            }
            let part = match rest[..count] {
                [only] => only,
                ref several => self.disjoint_node(several),
            };
            parts.push(self.refresh(part));
            rest = &rest[count..];
        }
        self.disjoint(&parts)
    }

    /// The sum of distinct, sorted wires.
    fn disjoint_node(&mut self, wires: &[Wire]) -> Wire {
        let count = wires.len() as u32;
        self.sum_of(wires, |first| Record::Disjoint { first, count })
    }
}
