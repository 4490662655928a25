//! Columns added by full adders.
//!
//! * A chain: from the lowest column up, the three earliest bits first. A column of m bits, carries
//!   from below included, takes ⌊m/2⌋ adders: Σ ⌊m_c/2⌋ over all columns but the top one, whose
//!   carries nobody reads. No order needs fewer.
//! * A tree: [Dadda's](super::dadda) stages, and an adder of the library's choice for the last two
//!   rows. Levelled targets take it; others where it is faster on their cores.
//!
//! A full adder is one AND and four XORs; where a selection costs less than an AND and two of them,
//! as two bootstraps do, it is two XORs and `x ⊕ y ? c : x`.

use std::hash::{DefaultHasher, Hash, Hasher};

use super::dadda;
use super::estimate::FullAdders;
use crate::library::add::{self, full_adder};
use crate::library::choice::Question;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// How columns are added.
#[derive(Clone, Copy)]
enum Form {
    Chain,
    Tree,
    /// With full adders of one AND, whose gates can be done by more cores.
    TreeOfAnds,
}

pub(super) fn build(b: &mut Builder, columns: Vec<Vec<Wire>>) -> Word {
    match suited(b, &columns) {
        Form::Chain => chain(b, columns),
        Form::Tree => tree(b, columns),
        Form::TreeOfAnds => tree_of_ands(b, columns),
    }
}

/// The form for columns of these heights, as if all bits were there from the start.
fn suited(b: &mut Builder, columns: &[Vec<Wire>]) -> Form {
    let tall = columns.iter().any(|bits| bits.len() > 1);
    match (b.profile().levels, b.profile().cores) {
        (Some(_), _) => return Form::Tree,
        (None, 0 | 1) => return Form::Chain,
        _ if !tall => return Form::Chain,
        _ => {}
    }
    let heights: Vec<usize> = columns.iter().map(Vec::len).collect();
    let mut shape = DefaultHasher::new();
    heights.hash(&mut shape);
    let question = Question {
        family: "columns",
        width: heights.len(),
        words: shape.finish() as usize,
        candidates: &[Form::Chain, Form::Tree, Form::TreeOfAnds],
        formula: &|_| None,
        draw: &|b, form| {
            let columns = heights.iter().map(|&height| b.inputs(height)).collect();
            match form {
                Form::Chain => chain(b, columns),
                Form::Tree => tree(b, columns),
                Form::TreeOfAnds => tree_of_ands(b, columns),
            }
        },
    };
    question.answer(b)
}

fn tree(b: &mut Builder, columns: Vec<Vec<Wire>>) -> Word {
    let rows = dadda::reduce(&mut Cheapest(b), columns);
    last_addition(b, rows)
}

fn tree_of_ands(b: &mut Builder, columns: Vec<Vec<Wire>>) -> Word {
    let rows = dadda::reduce(b, columns);
    last_addition(b, rows)
}

fn last_addition(b: &mut Builder, [x, y]: [Word; 2]) -> Word {
    // The lowest columns have one bit each, and the adder begins above them.
    let alone = |&(&x, &y): &(&Wire, &Wire)| x == Wire::FALSE || y == Wire::FALSE;
    let done = x.iter().zip(&y).take_while(alone).count();
    let mut sum: Word = (0..done).map(|at| b.or(x[at], y[at])).collect();
    sum.extend(add::add(b, &x[done..], &y[done..]));
    sum
}

fn chain(b: &mut Builder, mut columns: Vec<Vec<Wire>>) -> Word {
    let mut sum = Word::with_capacity(columns.len());
    for column in 0..columns.len() {
        let mut bits = std::mem::take(&mut columns[column]);
        while bits.len() > 1 {
            // Latest first, so that the earliest are popped.
            bits.sort_by_key(|&bit| std::cmp::Reverse(b.depth(bit)));
            let mut next = || bits.pop().unwrap_or(Wire::FALSE);
            let (x, y, z) = (next(), next(), next());
            let (bit, carry) = cheapest(b, x, y, z);
            bits.push(bit);
            if let Some(above) = columns.get_mut(column + 1)
                && carry != Wire::FALSE
            {
                above.push(carry);
            }
        }
        sum.push(bits.pop().unwrap_or(Wire::FALSE));
    }
    sum
}

/// Full adders in the form that costs a builder's target least.
struct Cheapest<'a>(&'a mut Builder);

impl FullAdders for Cheapest<'_> {
    type Bit = Wire;
    const ZERO: Wire = Wire::FALSE;

    fn depth(&self, bit: Wire) -> u32 {
        self.0.depth(bit)
    }

    fn add(&mut self, x: Wire, y: Wire, z: Wire, _top: bool) -> (Wire, Wire) {
        cheapest(self.0, x, y, z)
    }
}

/// Sum and carry of three bits, z the latest.
fn cheapest(b: &mut Builder, x: Wire, y: Wire, z: Wire) -> (Wire, Wire) {
    let clear = [x, y, z].iter().any(|bit| bit.as_constant().is_some());
    if clear || !b.profile().has_mux() {
        return full_adder(b, x, y, z);
    }
    let differ = b.xor(x, y);
    (b.xor(differ, z), b.mux(differ, z, x))
}
