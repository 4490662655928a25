//! Lookups for targets that have none: the sum is added up in binary, the functions are chosen
//! from its bits.
//!
//! Values lie within 0 to 15, so four columns of arithmetic modulo 16 suffice (five up to 31), whatever
//! the constant and the signs are: `−w·x = w·¬x − w`. Columns are reduced by full adders with one AND
//! each (`carry = a ⊕ (a⊕b)∧(a⊕c)`), and a column's bits enter in order of depth. An adder slice
//! comes out as three full adders, a parity as a tree of XORs.

use super::Builder;
use super::lookup::{care, whole};
use crate::ir::table::is_negacyclic;
use crate::ir::{Term, Wire};

/// Bits of a value up to `max`.
fn columns(max: u8) -> usize {
    4 + usize::from(is_negacyclic(max))
}

impl Builder {
    /// The tables of a lookup in AND and XOR.
    pub(super) fn expand_lookup(
        &mut self,
        terms: &[Term],
        constant: i8,
        max: u8,
        values: &[u32],
    ) -> Vec<Wire> {
        let care = care(terms, constant, max);
        let symmetric = constant == 0 && terms.iter().all(|term| term.weight == 1);
        if symmetric && let Some(wires) = self.expand_symmetric(terms, max, values) {
            return wires;
        }
        let bits = self.binary(terms, constant, columns(max));
        values
            .iter()
            .map(|&values| self.decide(values, care, &bits))
            .collect()
    }

    /// A lookup of wires of any kind in AND and XOR, although the target may have lookups.
    pub(crate) fn lookup_in_gates(
        &mut self,
        terms: &[(Wire, i8)],
        constant: i8,
        max: u8,
        masks: &[u16],
    ) -> Vec<Wire> {
        let term = |&(wire, weight): &(Wire, i8)| Term { wire, weight };
        let terms: Vec<Term> = terms.iter().map(term).collect();
        let care = care(&terms, constant, max);
        let bits = self.binary(&terms, constant, columns(max));
        masks
            .iter()
            .map(|&mask| self.decide(whole(mask, max), care, &bits))
            .collect()
    }

    /// OR, AND and parity of all bits need no sum.
    fn expand_symmetric(&mut self, terms: &[Term], max: u8, values: &[u32]) -> Option<Vec<Wire>> {
        if usize::from(max) != terms.len() {
            return None;
        }
        let full = crate::ir::table::up_to(max);
        let last = 1u32 << max;
        let known = |mask: u32| {
            [
                full & !1,
                1,
                last,
                full & !last,
                0xaaaa_aaaa & full,
                0x5555_5555 & full,
            ]
            .iter()
            .position(|&table| table == mask & full)
        };
        if !values.iter().all(|&mask| known(mask).is_some()) {
            return None;
        }
        let wires: Vec<Wire> = terms.iter().map(|term| term.wire).collect();
        let answer = |&mask: &u32| match known(mask) {
            Some(0) => self.any(&wires),
            Some(1) => !self.any(&wires),
            Some(2) => self.all(&wires),
            Some(3) => !self.all(&wires),
            Some(4) => self.parity(&wires),
            _ => !self.parity(&wires),
        };
        Some(values.iter().map(answer).collect())
    }

    /// The sum as so many bits.
    fn binary(&mut self, terms: &[Term], constant: i8, count: usize) -> Vec<Wire> {
        let mut columns: Vec<Vec<Wire>> = vec![Vec::new(); count];
        let mut constant = i32::from(constant);
        for &Term { wire, weight } in terms {
            let weight = i32::from(weight);
            let (wire, size) = if weight < 0 {
                (!wire, -weight)
            } else {
                (wire, weight)
            };
            constant += weight.min(0);
            for (place, column) in columns.iter_mut().enumerate() {
                if size >> place & 1 == 1 {
                    column.push(wire);
                }
            }
        }
        let mut bits = vec![Wire::FALSE; count];
        for place in 0..count {
            let mut column = std::mem::take(&mut columns[place]);
            if constant >> place & 1 == 1 {
                column.push(Wire::TRUE);
            }
            while column.len() > 1 {
                // Deepest first, so that the shallowest are popped.
                column.sort_by_key(|&wire| std::cmp::Reverse((self.depth(wire), wire)));
                let next = |column: &mut Vec<Wire>| column.pop().unwrap_or(Wire::FALSE);
                let (a, b, c) = (next(&mut column), next(&mut column), next(&mut column));
                let differ = self.xor(a, b);
                column.push(self.xor(differ, c));
                if place + 1 < count {
                    let carry = if c == Wire::FALSE {
                        self.and(a, b)
                    } else {
                        let other = self.xor(a, c);
                        let change = self.and(differ, other);
                        self.xor(a, change)
                    };
                    columns[place + 1].push(carry);
                }
            }
            bits[place] = column.pop().unwrap_or(Wire::FALSE);
            // Constant ones meet in their column before they cost gates: 1 + 1 folds.
            for column in &mut columns {
                column.retain(|&wire| wire != Wire::FALSE);
            }
        }
        bits
    }

    /// The function `mask` of the number that `bits` write, where only entries in `care` matter.
    fn decide(&mut self, mask: u32, care: u32, bits: &[Wire]) -> Wire {
        if mask & care == 0 {
            return Wire::FALSE;
        }
        if mask & care == care {
            return Wire::TRUE;
        }
        let Some((&top, below)) = bits.split_last() else {
            return Wire::constant(mask & 1 == 1);
        };
        let half = 1u32 << below.len();
        let low = (1u32 << half) - 1;
        let (mask_low, care_low) = (mask & low, care & low);
        let (mask_high, care_high) = (mask >> half & low, care >> half & low);
        let both = care_low & care_high;
        let whole = care_low | care_high;
        let known = mask_low & care_low | mask_high & care_high;
        if (mask_low ^ mask_high) & both == 0 {
            return self.decide(known, whole, below);
        }
        if (mask_low ^ !mask_high) & both == 0 {
            let known = mask_low & care_low | !mask_high & care_high;
            let flipped = self.decide(known, whole, below);
            return self.xor(flipped, top);
        }
        let low = self.decide(mask_low, care_low, below);
        let high = self.decide(mask_high, care_high, below);
        self.mux(top, high, low)
    }
}
