//! Choices by a condition that may decide much, and the selectors that they are made by.
//!
//! Authors write choices wherever a condition decides words. Which of them become products with a
//! selector, and which the selections that they are elsewhere, a pass decides, who sees all that a
//! condition decides ([`passes::prepare`](crate::passes::prepare)).

use super::Builder;
use crate::ir::chosen::{Most, most_of_chosen};
use crate::ir::{Op, Record, SELECTOR_MAX, Term, Wire};

impl Builder {
    /// `then` where `select` is 1, `otherwise` where it is 0, as [`Builder::mux`], for a condition
    /// that decides many bits. Where the target has selectors such a choice costs microseconds once
    /// there is one of the condition; elsewhere it is a selection.
    ///
    /// ```
    /// use blindcore_circuits::{Builder, Profile, passes};
    ///
    /// let profile = Profile::selector_simulation();
    /// let mut b = Builder::new(&profile);
    /// let (condition, then, otherwise) = (b.input(), b.inputs(32), b.inputs(32));
    /// for (then, otherwise) in then.into_iter().zip(otherwise) {
    ///     let chosen = b.choose(condition, then, otherwise);
    ///     b.output(chosen);
    /// }
    /// // One rotation makes the selector, whatever it chooses.
    /// let cost = passes::cost(&passes::prepare(&b.finish(), &profile), &profile);
    /// assert_eq!((cost.bootstraps, cost.selector, cost.choice), (1, 1, 32));
    /// ```
    pub fn choose(&mut self, select: Wire, then: Wire, otherwise: Wire) -> Wire {
        if self.profile.selectors.is_none() {
            return self.mux(select, then, otherwise);
        }
        if select.is_inverted() {
            return self.choose(!select, otherwise, then);
        }
        // What is the condition itself is known on either side of it.
        let known = |wire: Wire, value: bool| match wire.signal() == select.signal() {
            true => Wire::constant(value ^ wire.is_inverted()),
            false => wire,
        };
        let (then, otherwise) = (known(then, true), known(otherwise, false));
        if otherwise.is_inverted() {
            return !self.choose(select, !then, !otherwise);
        }
        if select == Wire::FALSE || then == otherwise {
            return otherwise;
        }
        if otherwise == Wire::FALSE && then == Wire::TRUE {
            return select;
        }
        let all = [select, then, otherwise];
        if let Some(merged) = self.merge(&all, |bits| bits[0] & bits[1] | !bits[0] & bits[2]) {
            return merged;
        }
        self.choice_node(select, then, otherwise)
    }

    /// Whether a wire is what a selector chose.
    pub(crate) fn is_chosen(&self, wire: Wire) -> bool {
        let record = self.source(wire).map(|node| self.records[node as usize]);
        matches!(record, Some(Record::Choose(..) | Record::Load { .. })) || self.is_half(wire)
    }

    /// A choice, found again or new. What would come out too noisy for any reader is refreshed
    /// before.
    fn choice_node(&mut self, select: Wire, mut then: Wire, mut otherwise: Wire) -> Wire {
        let mut most = Most::default();
        if let Some(model) = self.profile.lookup.map(|lookup| lookup.noise) {
            let of = |build: &Self, then, otherwise| {
                let choice = Op::Choose {
                    select,
                    then,
                    otherwise,
                };
                most_of_chosen(build, &choice, &model)
            };
            most = of(self, then, otherwise);
            if most.variance(&model) > model.limit / 4.0 {
                (then, otherwise) = (self.refresh(then), self.refresh(otherwise));
                most = of(self, then, otherwise);
            }
        }
        let chosen = self.node(Record::Choose(select, then, otherwise));
        if let Some(node) = self.source(chosen) {
            self.bounds.set(node as usize, most);
        }
        chosen
    }

    /// Selectors of functions of a small sum of distinct bits, neither constant nor inverted. The
    /// functions may not be constant.
    pub(crate) fn selectors(
        &mut self,
        terms: &[(Wire, i8)],
        constant: i8,
        max: u8,
        masks: &[u16],
    ) -> Vec<Wire> {
        assert!(max <= SELECTOR_MAX, "a selector's sum of {max} exceeds 3");
        let terms = terms.iter().map(|&(wire, weight)| Term { wire, weight });
        let terms: Vec<Term> = terms.collect();
        let count = terms.len() as u8;
        let (node, _) = self.node_of(&terms, |first| Record::Selector {
            first,
            count,
            constant,
            max,
        });
        masks.iter().map(|&mask| self.port_of(node, mask)).collect()
    }
}
