//! Keeping noise within a lookup's limit where a unit gives one wire a large weight.
//!
//! The variance of a sum grows with the squares of its weights. A wire of weight 8 counts 64 times,
//! so what controls many lookups (a shift's amount, a multiplier's digits) is worth renewing once.
//! The renewal is itself a lookup `t = x + 2y` of two wires: outputs of variance 4 and 2 instead
//! of up to 16. The pass that inserts refreshes would repair the rest, one wire at a time.

use super::weighted::{capacity, functions};
use crate::{Builder, Wire};

/// The variance of a lookup's output that changes at every value, the worst of all.
pub(super) const WORST: f64 = 16.0;

/// What the variance of a wire can be, in units of the profile's noise model.
pub(super) fn bound(b: &Builder, wire: Wire) -> f64 {
    match b.profile().lookup {
        _ if wire.as_constant().is_some() => 0.0,
        Some(lookup) if b.depth(wire) == 0 => lookup.noise.fresh,
        _ => WORST,
    }
}

/// The largest bound among wires.
pub(super) fn worst(b: &Builder, wires: &[Wire]) -> f64 {
    wires.iter().fold(0.0, |worst, &wire| bound(b, wire).max(worst))
}

/// The largest variance a lookup's sum may have.
pub(super) fn limit(b: &Builder) -> f64 {
    b.profile().lookup.map_or(f64::INFINITY, |lookup| lookup.noise.limit)
}

/// The same bits with variances of at most 4 and 2 in turn, a lookup for each two.
pub(super) fn renew(b: &mut Builder, wires: &[Wire]) -> Vec<Wire> {
    if capacity(b).is_none() {
        return wires.to_vec();
    }
    wires
        .chunks(2)
        .flat_map(|pair| match *pair {
            [low, high] => functions(b, &[(low, 1), (high, 2)], 2, |t| t as u32),
            _ => pair.iter().map(|&wire| b.refresh(wire)).collect(),
        })
        .collect()
}
