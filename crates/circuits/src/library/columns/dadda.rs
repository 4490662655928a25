//! Dadda's tree: in every stage as few adders as the next height allows.
//!
//! Heights are …, 13, 9, 6, 4, 3, 2, each two thirds of the one before. A stage lowers every column
//! to the next height, carries of the same stage from below included: by full adders, which take
//! two bits away, and by a half adder where one is too many. For the product of n × n bits:
//! `n² − 4n + 3` full adders, `n − 1` half adders, and a final adder of `2n − 2` columns; as many
//! stages as [Wallace's](super::wallace) tree.
//!
//! Source: L. Dadda, Some schemes for parallel multipliers, Alta Frequenza, 1965.

use super::estimate::FullAdders;

/// Adds columns of bits until each has at most two: the rows of the final addition.
pub(in crate::library) fn reduce<A: FullAdders>(
    adders: &mut A,
    mut columns: Vec<Vec<A::Bit>>,
) -> [Vec<A::Bit>; 2] {
    let tallest = columns.iter().map(Vec::len).max().unwrap_or(0);
    for height in heights(tallest).into_iter().rev() {
        columns = stage(adders, columns, height);
    }
    let row = |at: usize| -> Vec<A::Bit> {
        let bit = |bits: &Vec<A::Bit>| bits.get(at).copied().unwrap_or(A::ZERO);
        columns.iter().map(bit).collect()
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
fn stage<A: FullAdders>(
    adders: &mut A,
    columns: Vec<Vec<A::Bit>>,
    height: usize,
) -> Vec<Vec<A::Bit>> {
    let mut result: Vec<Vec<A::Bit>> = vec![Vec::new(); columns.len()];
    for (column, mut bits) in columns.into_iter().enumerate() {
        // Latest first, so that the earliest are popped. Sums of this stage wait for the next.
        bits.sort_by_key(|&bit| std::cmp::Reverse(adders.depth(bit)));
        // Carries of this stage are already in the result.
        while bits.len() + result[column].len() > height && bits.len() > 1 {
            let excess = bits.len() + result[column].len() - height;
            let mut next = |wanted: bool| {
                let bit = if wanted { bits.pop() } else { None };
                bit.unwrap_or(A::ZERO)
            };
            let (x, y, z) = (next(true), next(true), next(excess > 1));
            let top = column + 1 == result.len();
            let (sum, carry) = adders.add(x, y, z, top);
            result[column].push(sum);
            if let Some(above) = result.get_mut(column + 1)
                && carry != A::ZERO
            {
                above.push(carry);
            }
        }
        result[column].append(&mut bits);
    }
    result
}
