//! Keeping noise within a lookup's limit where a unit gives one wire a large weight.
//!
//! The variance of a sum grows with the squares of its weights. A wire of weight 8 counts 64 times,
//! so what controls many lookups (a shift's amount, a multiplier's digits) is worth renewing once.
//! The renewal is itself a lookup `t = x + 2y` of two wires: outputs with `‖v‖²` of 4 and 2 instead
//! of up to 16. The pass that inserts refreshes would repair the rest, one wire at a time.

use super::weighted::functions;
use crate::{Builder, Wire};

/// The largest `‖v‖²` that an output has, that of one which changes at every value. Its variance
/// is no more than that whatever share of the noise coefficients have in common.
pub(super) const WORST: f64 = 16.0;

/// Two bits with `‖v‖²` of at most 4 and 2, by one lookup.
pub(super) fn renew_pair(b: &mut Builder, low: Wire, high: Wire) -> [Wire; 2] {
    if low.as_constant().is_some() || high.as_constant().is_some() {
        return [b.refresh(low), b.refresh(high)];
    }
    let made = functions(b, &[(low, 1), (high, 2)], 2, |t| t as u32);
    [made[0], made[1]]
}
