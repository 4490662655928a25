//! The choice among architectures: by modelled time, or by levels.
//!
//! Each candidate is drawn on fresh words of the width in question and timed on the profile's cores
//! ([`passes::makespan`](crate::passes::makespan)); candidates whose formula says that they cannot
//! win are not drawn. Where lookups are native most units have a form of their own that decides by
//! itself; sums of many words, and on many cores products and quotients, are chosen here, timed as
//! all passes leave them. Levelled targets take the fewest ANDs in a row, then the fewest ANDs,
//! since no time buys a level back. A builder is asked [once](Builder::once) for each family and
//! shape.

use crate::architectures::Formula;
use crate::passes::{makespan, prepare, work};
use crate::{Builder, Profile, Wire};

/// A family's candidates for words of one width.
pub(super) struct Question<'a, T> {
    pub(super) family: &'static str,
    pub(super) width: usize,
    /// How many words there are, or any number that tells shapes of one width apart.
    pub(super) words: usize,
    /// At least one; the first wins where times are equal.
    pub(super) candidates: &'a [T],
    /// What a candidate costs, where that is known without drawing it.
    pub(super) formula: &'a dyn Fn(T) -> Option<Formula>,
    /// Draws a candidate on fresh words; its results become outputs.
    pub(super) draw: &'a dyn Fn(&mut Builder, T) -> Vec<Wire>,
}

/// What orders candidates, the least first.
type Price = (u64, f64);

impl<T: Copy> Question<'_, T> {
    /// The best candidate for the builder's target.
    pub(super) fn answer(&self, b: &mut Builder) -> T {
        let shape = [self.width, self.words];
        let found = b.once(self.family, shape, |profile| self.search(profile));
        self.candidates[found]
    }

    fn search(&self, profile: &Profile) -> usize {
        let mut best: Option<(Price, usize)> = None;
        for (number, &candidate) in self.candidates.iter().enumerate() {
            if let Some((least, _)) = best
                && profile.levels.is_none()
                && profile.lookup.is_none()
                && (self.formula)(candidate)
                    .is_some_and(|formula| bound(&formula, profile) >= least.1)
            {
                continue;
            }
            let price = self.price(candidate, profile);
            if best.is_none_or(|(least, _)| price < least) {
                best = Some((price, number));
            }
        }
        best.map_or(0, |(_, number)| number)
    }

    fn price(&self, candidate: T, profile: &Profile) -> Price {
        let mut b = Builder::new(profile);
        let results = (self.draw)(&mut b, candidate);
        let levels = results.iter().map(|&wire| b.depth(wire)).max().unwrap_or(0);
        results.into_iter().for_each(|wire| b.output(wire));
        let mut circuit = b.finish();
        if profile.lookup.is_some() {
            circuit = prepare(&circuit, profile);
        }
        match profile.levels {
            Some(_) => (levels.into(), work(&circuit, profile).serial_ns),
            None => (0, makespan(&circuit, profile)),
        }
    }
}

/// No schedule of as many gates is faster.
fn bound(formula: &Formula, profile: &Profile) -> f64 {
    let cost = &profile.cost;
    // Where selections are written in gates the formula counts too few of them, never too many.
    let mux = cost.mux.min(cost.and + 2.0 * cost.xor);
    let work = formula.ands as f64 * cost.and
        + formula.xors as f64 * cost.xor
        + formula.muxes as f64 * mux;
    work / profile.cores.max(1) as f64
}
