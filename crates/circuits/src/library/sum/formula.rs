//! What the classical sums cost: the drawing walked on the depths of bits instead of on wires.
//!
//! A column of three bits costs an AND and four XORs, or two XORs where nobody reads its carry; one
//! of two bits an AND and an XOR, or the XOR alone; one bit nothing. Which columns of which rows
//! have a bit at all follows from the shape: a row of carries begins one column above the second
//! lowest of its three rows.

use crate::architectures::Formula;

/// The depth of a bit, `None` for a clear zero.
type Bit = Option<usize>;
/// A row of them.
pub(super) type Row = Vec<Bit>;

/// Sum and carry of three bits in the order in which the full adder takes them.
fn full_adder(formula: &mut Formula, bits: [Bit; 3], carry_read: bool) -> [Bit; 2] {
    let present: Vec<usize> = bits.into_iter().flatten().collect();
    let read = usize::from(carry_read);
    match *present {
        [x, y, z] => {
            formula.xors += 2 + 2 * read;
            formula.ands += read;
            let (xz, yz) = (1 + x.max(z), 1 + y.max(z));
            [Some(1 + xz.max(y)), Some(1 + z.max(1 + xz.max(yz)))]
        }
        [x, y] => {
            formula.xors += 1;
            formula.ands += read;
            [Some(1 + x.max(y)); 2]
        }
        [x] => [Some(x), None],
        _ => [None; 2],
    }
}

/// Three rows as two.
pub(super) fn carry_save(formula: &mut Formula, rows: [&Row; 3]) -> [Row; 2] {
    let width = rows[0].len();
    let (mut sums, mut carries) = (Row::new(), vec![None]);
    for at in 0..width {
        let [sum, carry] = full_adder(formula, rows.map(|row| row[at]), at + 1 < width);
        sums.push(sum);
        carries.push(carry);
    }
    carries.truncate(width);
    [sums, carries]
}

/// The ripple adder of two rows.
pub(super) fn ripple(formula: &mut Formula, x: &Row, y: &Row) -> Row {
    let mut carry = None;
    let mut sum = Row::with_capacity(x.len());
    for (at, (&x_bit, &y_bit)) in x.iter().zip(y).enumerate() {
        let bits = [x_bit, y_bit, carry];
        let [bit, next] = full_adder(formula, bits, at + 1 < x.len());
        sum.push(bit);
        carry = next;
    }
    sum
}

/// The whole: rows of words that are there from the start, reduced, and the last two added.
pub(super) fn of(
    width: usize,
    words: usize,
    reduce: fn(&mut Formula, Vec<Row>) -> Vec<Row>,
) -> Formula {
    let mut formula = Formula::default();
    let mut rows = reduce(&mut formula, vec![vec![Some(0); width]; words]).into_iter();
    let mut next = || rows.next().unwrap_or_else(|| vec![None; width]);
    let (x, y) = (next(), next());
    let sum = ripple(&mut formula, &x, &y);
    formula.depth = sum.into_iter().flatten().max().unwrap_or(0);
    formula
}
