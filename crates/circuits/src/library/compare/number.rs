//! The carry out of the sum of a word and a number: a comparison with that number.
//!
//! Where the number's bit is 0, the carry goes on if the word's bit is 1; where it is 1, a carry is made if
//! the word's is. So adjacent equal bits of the number are one question, whether any bit of the word is 1
//! (or 0) there, and the highest run of which that holds decides. One lookup takes several of them
//! ([`runs`](crate::library::runs)), the first with the carry from below: `x < 10` of 32 bits takes 3
//! lookups where states of columns take 9. Numbers whose bits change often gain nothing.

use crate::library::runs::{Digit, MOST, Plan, VALUES, are_digits};
use crate::library::weighted::{functions, is_quiet_at_large_weights};
use crate::{Builder, Wire};

/// Columns for each lookup from which on this is better than states of columns, which take about four.
const COLUMNS: usize = 5;
/// Digits that fit into a sum.
const DIGITS: usize = VALUES.ilog2() as usize;
/// Cores from which on a tree of more lookups is faster than this where it has more than so many one after
/// the other.
const CORES: usize = 3;
const DEPTH: usize = 4;

/// Bits next to each other for which the number's bits are the same.
struct Run {
    /// 1 where they decide.
    bits: Vec<Wire>,
    /// The carry that they decide on.
    carry: bool,
}

/// The carry out of `x + y + carry`, of columns of which each has a clear bit; `None` for others, and where
/// other forms take fewer lookups.
pub(super) fn carry(b: &mut Builder, x: &[Wire], y: &[Wire], carry: Wire) -> Option<Wire> {
    if !are_digits(b) {
        return None;
    }
    let (runs, carry) = runs(x, y, carry)?;
    if runs.is_empty() {
        return Some(carry);
    }
    let lengths: Vec<usize> = runs.iter().map(|run| run.bits.len()).collect();
    let columns: usize = lengths.iter().sum();
    if runs.len() > MOST || runs.len().div_ceil(DIGITS) * COLUMNS > columns {
        return None;
    }
    let plan = Plan::best(&lengths, carry.as_constant().is_none());
    let is_chain_fast = b.profile().cores < CORES || plan.depth <= DEPTH;
    if plan.lookups() * COLUMNS > columns || !is_chain_fast {
        return None;
    }
    let bits: Vec<Vec<Wire>> = runs.iter().map(|run| run.bits.clone()).collect();
    let mut lookups = plan.digits(b, &bits).into_iter();
    lookups.try_fold(carry, |carry, digits| decided(b, &runs, &digits, carry))
}

/// The runs above the last column that decides by itself, and the carry into them. `None` for columns of two
/// secret bits.
fn runs(x: &[Wire], y: &[Wire], mut carry: Wire) -> Option<(Vec<Run>, Wire)> {
    let mut runs: Vec<Run> = Vec::new();
    for (&x, &y) in x.iter().zip(y) {
        let (bit, number) = match (x.as_constant(), y.as_constant()) {
            (Some(x), Some(y)) if x == y => {
                runs.clear();
                carry = Wire::constant(x);
                continue;
            }
            (Some(_), Some(_)) => continue,
            (Some(number), None) => (y, number),
            (None, Some(number)) => (x, number),
            (None, None) => return None,
        };
        if runs.is_empty() && carry.as_constant() == Some(number) {
            continue;
        }
        let bit = bit.invert_if(!number);
        if let ([run], Some(_)) = (&mut runs[..], carry.as_constant())
            && let ([first], true) = (&run.bits[..], run.carry != number)
        {
            // What the first run leaves is one bit, which decides as the next ones do.
            run.bits = vec![!*first];
            run.carry = number;
            carry = Wire::constant(!number);
        }
        match runs.last_mut() {
            // Of a word that was extended the upper bits are all the same.
            Some(run) if run.carry == number && run.bits.contains(&bit) => {}
            Some(run) if run.carry == number => run.bits.push(bit),
            _ => runs.push(Run {
                bits: vec![bit],
                carry: number,
            }),
        }
    }
    Some((runs, carry))
}

/// The carry that one lookup's digits decide on, the last one first; `None` where their sum would be too noisy.
fn decided(b: &mut Builder, runs: &[Run], digits: &[Digit], carry: Wire) -> Option<Wire> {
    let mut terms = Vec::new();
    let mut ranges = Vec::new();
    let mut values = 1;
    for (at, digit) in digits.iter().enumerate() {
        let decides = runs[digit.run].carry;
        let mut bits = digit.bits.clone();
        // Where no bit decides, the carry from below does: if it is the same, else that is the opposite one.
        if at == 0 && carry.as_constant().is_none() {
            bits.push(carry.invert_if(!decides));
        }
        terms.extend(bits.iter().map(|&bit| (bit, values as i8)));
        ranges.push((bits.len() + 1, decides));
        values *= bits.len() + 1;
    }
    let is_quiet = is_quiet_at_large_weights(b, &terms);
    // A clear carry is no bit of the first digit: of a bit and its opposite one of them decides.
    let otherwise = carry.as_constant();
    let otherwise =
        otherwise.unwrap_or_else(|| ranges.first().is_some_and(|(_, decides)| !decides));
    let decided = |sum: i32| {
        let mut left = sum as usize;
        let highest = ranges.iter().fold(otherwise, |carry, &(range, decides)| {
            let digit = left % range;
            left /= range;
            if digit > 0 { decides } else { carry }
        });
        u32::from(highest)
    };
    is_quiet.then(|| functions(b, &terms, 1, decided)[0])
}
