//! One line for each value of an index.
//!
//! With lookups, four bits are decoded at once: all sixteen lines are functions of their value.
//! From there on two further bits c and three lines of the bits above, as the digit v = 0 (none of
//! them), 1, 2 or 3, make a sum `t = c + 4v` of sixteen values, of which twelve are lines. (With
//! one line and three further bits it would be eight.) The digit's two bits are ORs of lines, which
//! come from one lookup and cost nothing, or are sums. So the last two bits take a lookup for
//! twelve of the N lines, those before them a quarter as many, all together N/9: 29 for eight bits,
//! at depth 3.
//!
//! With gates the index is halved: each line is the AND of one of either half, N and a few ANDs at
//! the depth of a tree.

use super::by_lookups;
use crate::{Builder, Wire};

/// Lines that are one digit of a sum, and the bits decoded beside it.
const DIGIT: u32 = 3;
const CHUNK: usize = 2;
/// Bits that one lookup decodes, with a condition and without.
const ENABLED: usize = 3;
const WHOLE: usize = 4;

/// A wire for each of the `wanted` values, which ascend: 1 where `index` has that value and
/// `enable` is 1.
///
/// ```
/// use blindcore_circuits::{Builder, Profile, Wire, library, sim};
///
/// let mut b = Builder::new(&Profile::lookup_simulation());
/// let index = b.inputs(2);
/// for line in library::decode(&mut b, &index, Wire::TRUE, &[1, 2]) {
///     b.output(line);
/// }
/// assert_eq!(sim::evaluate(&b.finish(), &[0b1010, 0b1100]).unwrap(), [0b0010, 0b0100]);
/// ```
pub fn decode(b: &mut Builder, index: &[Wire], enable: Wire, wanted: &[u32]) -> Vec<Wire> {
    if enable == Wire::FALSE {
        return vec![Wire::FALSE; wanted.len()];
    }
    match by_lookups(b) {
        true => by_digits(b, index, enable, wanted),
        false => by_halves(b, index, enable, wanted),
    }
}

fn by_digits(b: &mut Builder, index: &[Wire], enable: Wire, wanted: &[u32]) -> Vec<Wire> {
    let first = match enable {
        Wire::TRUE => WHOLE,
        _ => ENABLED,
    };
    if index.len() <= first {
        let bits = index.iter().copied().chain([enable]).enumerate();
        let terms: Vec<(Wire, i8)> = bits.map(|(at, bit)| (bit, 1 << at)).collect();
        // Without a condition its place stays empty: the value 16 is out of reach.
        let (terms, enabled) = match enable {
            Wire::TRUE => (&terms[..index.len()], 0),
            _ => (&terms[..], 1 << index.len()),
        };
        let tables: Vec<u16> = wanted.iter().map(|at| table(at + enabled)).collect();
        return b.lookup(terms, 0, &tables);
    }
    let (low, high) = index.split_at(CHUNK);
    let mut above: Vec<u32> = wanted.iter().map(|at| at >> CHUNK).collect();
    above.dedup();
    let lines = by_digits(b, high, enable, &above);
    let mut known = above.iter().zip(lines).peekable();
    let mut found = Vec::with_capacity(wanted.len());
    for group in wanted.chunk_by(|x, y| (x >> CHUNK) / DIGIT == (y >> CHUNK) / DIGIT) {
        let number = (group[0] >> CHUNK) / DIGIT;
        let mut digits = [Wire::FALSE; DIGIT as usize];
        while let Some((at, line)) = known.next_if(|(at, _)| **at / DIGIT == number) {
            digits[(at % DIGIT) as usize] = line;
        }
        let units = b.disjoint(&[digits[0], digits[2]]);
        let twos = b.disjoint(&[digits[1], digits[2]]);
        let terms = [(low[0], 1), (low[1], 2), (units, 4), (twos, 8)];
        let tables: Vec<u16> = group
            .iter()
            .map(|at| table((at & 3) + 4 * ((at >> CHUNK) % DIGIT + 1)))
            .collect();
        found.extend(b.lookup(&terms, 0, &tables));
    }
    found
}

/// The function that is 1 at one value.
fn table(value: u32) -> u16 {
    1u16.checked_shl(value).unwrap_or(0)
}

fn by_halves(b: &mut Builder, index: &[Wire], enable: Wire, wanted: &[u32]) -> Vec<Wire> {
    match *index {
        [] => wanted.iter().map(|_| enable).collect(),
        [bit] => wanted
            .iter()
            .map(|at| b.and(enable, bit.invert_if(at & 1 == 0)))
            .collect(),
        _ => {
            let (low, high) = index.split_at(index.len() / 2);
            let mask = (1u32 << low.len()) - 1;
            let mut rows: Vec<u32> = wanted.iter().map(|at| at >> low.len()).collect();
            rows.dedup();
            let mut columns: Vec<u32> = wanted.iter().map(|at| at & mask).collect();
            columns.sort_unstable();
            columns.dedup();
            let of_rows = by_halves(b, high, enable, &rows);
            let of_columns = by_halves(b, low, Wire::TRUE, &columns);
            let line = |values: &[u32], lines: &[Wire], at: u32| match values.binary_search(&at) {
                Ok(found) => lines[found],
                Err(_) => Wire::FALSE,
            };
            wanted
                .iter()
                .map(|at| {
                    let row = line(&rows, &of_rows, at >> low.len());
                    let column = line(&columns, &of_columns, at & mask);
                    b.and(row, column)
                })
                .collect()
        }
    }
}
