//! Dadda's tree: in every stage as few adders as the next height allows.
//!
//! Heights are …, 13, 9, 6, 4, 3, 2, each two thirds of the one before. A stage lowers every column
//! to the next height, carries of the same stage from below included: by full adders, which take
//! two bits away, and by a half adder where one is too many. For the product of n × n bits:
//! `n² − 4n + 3` full adders, `n − 1` half adders, and a final adder of `2n − 2` columns; as many
//! stages as [Wallace's](super::wallace) tree.
//!
//! Source: L. Dadda, Some schemes for parallel multipliers, Alta Frequenza, 1965.

use crate::library::Word;
use crate::library::add::full_adder;
use crate::{Builder, Wire};

/// Adds columns of bits until each has at most two: the rows of the final addition.
pub(in crate::library) fn reduce(b: &mut Builder, mut columns: Vec<Vec<Wire>>) -> [Word; 2] {
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    for height in heights(tallest).into_iter().rev() {
        columns = stage(b, columns, height);
    }
    let row = |at: usize| -> Word {
        columns
            .iter()
            .map(|bits| bits.get(at).copied().unwrap_or(Wire::FALSE))
            .collect()
    };
    [row(0), row(1)]
}

/// Dadda's heights below that of the tallest column, from 2 up.
fn heights(tallest: usize) -> Vec<usize> {
    std::iter::successors(Some(2), |&height| Some(height * 3 / 2))
        .take_while(|&height| height < tallest)
        .collect()
}

/// Lowers all columns to a height by adders that do not wait for each other.
fn stage(b: &mut Builder, columns: Vec<Vec<Wire>>, height: usize) -> Vec<Vec<Wire>> {
    let mut result: Vec<Vec<Wire>> = vec![Vec::new(); columns.len()];
    for (column, mut bits) in columns.into_iter().enumerate() {
        // Latest first, so that the earliest are popped. Sums of this stage wait for the next.
        bits.sort_by_key(|&bit| std::cmp::Reverse(b.depth(bit)));
        // Carries of this stage are already in the result.
        while bits.len() + result[column].len() > height && bits.len() > 1 {
            let excess = bits.len() + result[column].len() - height;
            let mut next = |wanted: bool| {
                let bit = if wanted { bits.pop() } else { None };
                bit.unwrap_or(Wire::FALSE)
            };
            let (x, y, z) = (next(true), next(true), next(excess > 1));
            let (sum, carry) = full_adder(b, x, y, z);
            result[column].push(sum);
            if let Some(above) = result.get_mut(column + 1)
                && carry != Wire::FALSE
            {
                above.push(carry);
            }
        }
        result[column].append(&mut bits);
    }
    result
}
