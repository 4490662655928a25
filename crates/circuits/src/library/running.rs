//! ORs of more and more bits.

use super::runs::{Digit, MOST, Plan, are_digits};
use super::weighted::{functions, is_quiet_at_large_weights};
use crate::{Builder, Wire};

/// By run, whether any bit of it or of those before is 1: three bits a lookup for the OR of every prefix of
/// a word, one lookup after the other. `None` for more than 64 runs, where the target has no such lookups,
/// and where their sums would be too noisy.
///
/// The first digit has the largest weight, so that each OR is a threshold of the sum: functions with one
/// edge, the least noise that a lookup adds.
pub(crate) fn running_any(b: &mut Builder, runs: &[Vec<Wire>]) -> Option<Vec<Wire>> {
    if !are_digits(b) || runs.len() > MOST {
        return None;
    }
    let lengths: Vec<usize> = runs.iter().map(Vec::len).collect();
    let plan = Plan::best(&lengths, false);
    let mut found = vec![Wire::FALSE; runs.len()];
    let mut carry = Wire::FALSE;
    for digits in plan.digits(b, runs) {
        let any = any_so_far(b, &digits, carry)?;
        for (digit, any) in digits.iter().zip(any) {
            // Of a run that is divided the last part counts.
            found[digit.run] = any;
            carry = any;
        }
    }
    for at in 1..runs.len() {
        if runs[at].is_empty() {
            found[at] = found[at - 1];
        }
    }
    Some(found)
}

/// By digit, whether it or one before is not 0.
fn any_so_far(b: &mut Builder, digits: &[Digit], carry: Wire) -> Option<Vec<Wire>> {
    let mut terms = Vec::new();
    let mut thresholds = Vec::new();
    let mut values = 1;
    for (at, digit) in digits.iter().enumerate().rev() {
        let below = Some(carry).filter(|carry| at == 0 && *carry != Wire::FALSE);
        let bits = digit.bits.iter().copied().chain(below);
        let before = terms.len();
        terms.extend(bits.map(|bit| (bit, values as i8)));
        thresholds.push(values);
        values *= terms.len() - before + 1;
    }
    thresholds.reverse();
    if !is_quiet_at_large_weights(b, &terms) {
        return None;
    }
    let any = |sum: i32| {
        let bits = thresholds.iter().enumerate();
        bits.fold(0, |all, (at, &threshold)| {
            all | u32::from(sum >= threshold as i32) << at
        })
    };
    Some(functions(b, &terms, thresholds.len(), any))
}
