//! Keeping noise within a lookup's limit where a unit gives one wire a large weight.
//!
//! The variance of a sum grows with the squares of its weights. A wire of weight 8 counts 64 times,
//! so what controls many lookups (a shift's amount, a multiplier's digits) is worth renewing once.
//! The renewal is itself a lookup `t = x + 2y` of two wires: outputs of variance 4 and 2 instead
//! of up to 16. The pass that inserts refreshes would repair the rest, one wire at a time.

use super::weighted::functions;
use crate::ir::variance::variance_of;
use crate::{Builder, Wire};

/// The variance of a lookup's output that changes at every value, the worst of all.
pub(super) const WORST: f64 = 16.0;

/// The variance of `Σ weight·bit` for distinct wires, in units of the profile's noise model.
pub(super) fn variance(b: &Builder, terms: &[(Wire, i8)]) -> f64 {
    let Some(lookup) = b.profile().lookup else {
        return 0.0;
    };
    let terms = terms.iter().map(|&(wire, weight)| (b.origin(wire), weight));
    variance_of(terms, &lookup.noise, &mut Vec::new())
}

/// The largest variance a lookup's sum may have.
pub(super) fn limit(b: &Builder) -> f64 {
    b.profile()
        .lookup
        .map_or(f64::INFINITY, |lookup| lookup.noise.limit)
}

/// Two bits with variances of at most 4 and 2, by one lookup.
pub(super) fn renew_pair(b: &mut Builder, low: Wire, high: Wire) -> [Wire; 2] {
    if low.as_constant().is_some() || high.as_constant().is_some() {
        return [b.refresh(low), b.refresh(high)];
    }
    let made = functions(b, &[(low, 1), (high, 2)], 2, |t| t as u32);
    [made[0], made[1]]
}
