//! Wallace's tree: rows in threes, every column of a group by one full adder, all groups at once.
//!
//! A stage takes the rows in groups of three from the top of the list; a group becomes a row of
//! sums and a row of carries, and what is left over waits. Columns in which only two of the three
//! rows have a bit take a half adder, those with one bit none. m rows are 2 after s stages, where
//! `m_{i+1} = 2⌊m_i/3⌋ + (m_i mod 3)`: s ≈ log₁.₅(m/2).
//!
//! For the product of n × n bits: `n² − 4n + 2 + s` full adders (one more or up to four fewer, as
//! the rows left over fall), n − 1 to (n² + n)/4 half adders beside them, and a final adder of
//! about `2n − 1 − s` columns. [Dadda's](super::dadda) stages are as many, with n − 1 half adders
//! in all.
//!
//! Source: C. S. Wallace, A suggestion for a fast multiplier, IEEE Trans. Electronic Computers,
//! 1964; counts after K. Bickerstaff, M. Schulte and E. Swartzlander, Parallel reduced area
//! multipliers, Journal of VLSI Signal Processing, 1995.

use super::estimate::FullAdders;

/// Adds rows of equal width, each with its lowest bit in column 0 and zeros where it has none,
/// until two are left: modulo 2^`width`.
pub(in crate::library) fn reduce<A: FullAdders>(
    adders: &mut A,
    width: usize,
    mut rows: Vec<Vec<A::Bit>>,
) -> [Vec<A::Bit>; 2] {
    while rows.len() > 2 {
        let mut next = Vec::with_capacity(rows.len() * 2 / 3 + 1);
        for group in rows.chunks(3) {
            match group {
                [x, y, z] => next.extend(carry_save(adders, width, [x, y, z])),
                rest => next.extend_from_slice(rest),
            }
        }
        rows = next;
    }
    let mut rows = rows.into_iter();
    let mut next = || rows.next().unwrap_or_else(|| vec![A::ZERO; width]);
    [next(), next()]
}

/// Three rows as a row of sums and a row of carries.
fn carry_save<A: FullAdders>(
    adders: &mut A,
    width: usize,
    [x, y, z]: [&[A::Bit]; 3],
) -> [Vec<A::Bit>; 2] {
    let (mut sums, mut carries) = (Vec::with_capacity(width), vec![A::ZERO]);
    for (column, ((&x, &y), &z)) in x.iter().zip(y).zip(z).enumerate() {
        let (sum, carry) = adders.add(x, y, z, column + 1 == width);
        sums.push(sum);
        carries.push(carry);
    }
    carries.truncate(width);
    [sums, carries]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::library::columns::estimate::{Arrival, Estimate};

    /// Full and half adders; carries of the top column, which nobody reads, and how many of these
    /// are full adders'; stages. Rows are sets of columns.
    fn adders(width: usize, mut rows: Vec<u128>) -> [usize; 5] {
        let (mut full, mut half, mut dropped, mut shortened, mut stages) = (0, 0, 0, 0, 0);
        while rows.len() > 2 {
            let mut next = Vec::new();
            for group in rows.chunks(3) {
                let &[x, y, z] = group else {
                    next.extend_from_slice(group);
                    continue;
                };
                let (two, three) = (x & y | y & z | z & x, x & y & z);
                full += three.count_ones() as usize;
                half += (two & !three).count_ones() as usize;
                dropped += (two >> (width - 1)) as usize;
                shortened += (three >> (width - 1)) as usize;
                next.extend([x | y | z, two << 1 & (u128::MAX >> (128 - width))]);
            }
            rows = next;
            stages += 1;
        }
        [full, half, dropped, shortened, stages]
    }

    #[test]
    fn full_and_half_adders_of_a_product() {
        for n in 3..=64usize {
            let width = 2 * n;
            let row = |start: usize| (u128::MAX >> (128 - n)) << start;
            let [full, half, dropped, shortened, stages] = adders(width, (0..n).map(row).collect());
            let bits = |start: usize| -> Vec<Arrival> {
                let bit = |at: usize| match row(start) >> at & 1 {
                    1 => Arrival::After { ands: 1, gates: 1 },
                    _ => Arrival::Clear(false),
                };
                (0..width).map(bit).collect()
            };
            let mut estimate = Estimate::default();
            reduce(&mut estimate, width, (0..n).map(bits).collect());
            let counted = (estimate.formula.ands, estimate.formula.xors);
            assert_eq!(
                counted,
                (full + half - dropped, 4 * full + half - 2 * shortened),
                "{n}"
            );
            let about = n * n + 2 + stages - 4 * n;
            assert!(full <= about + 1 && full + 4 >= about, "{n}: {full}");
            assert!(half + 1 >= n && 4 * half <= n * n + n, "{n}: {half}");
        }
    }
}
