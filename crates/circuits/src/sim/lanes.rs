//! Sixty-four small sums at once, bit-sliced: plane `i` holds bit `i` of every lane's sum.

use super::SimulationError;
use crate::ir::Node;

/// Planes of a two's-complement accumulator: 255 terms of −128 to 127 and a constant fit.
const PLANES: usize = 17;

/// A sum left its bounds.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct OutOfRange {
    lane: u32,
    sum: i32,
}

impl OutOfRange {
    pub(super) fn at(self, node: Option<Node>, max: u8) -> SimulationError {
        SimulationError::OutOfRange {
            node,
            lane: self.lane,
            sum: self.sum,
            max,
        }
    }
}

/// The values of sums up to 31, as tables of negacyclic functions are read.
#[derive(Clone, Copy)]
pub(super) struct Minterms {
    /// For each `t` from 0 to 15 the lanes in which the sum is `t` modulo 16.
    modulo: [u64; 16],
    /// Those in which it is 16 or more.
    upper: u64,
}

impl Minterms {
    /// No lane has a value.
    pub(super) const NONE: Self = Self {
        modulo: [0; 16],
        upper: 0,
    };

    /// The lanes in which the function is 1.
    pub(super) fn select(&self, mask: u16) -> u64 {
        let pick = |t: usize| {
            if mask >> t & 1 == 1 {
                self.modulo[t]
            } else {
                0
            }
        };
        (0..16).fold(self.upper, |any, t| any ^ pick(t))
    }
}

/// The values of a sum in all lanes.
pub(super) fn minterms(terms: &[(u64, i8)], constant: i8, max: u8) -> Result<Minterms, OutOfRange> {
    let mut sum = [0u64; PLANES];
    add(&mut sum, u64::MAX, constant);
    for &(lanes, weight) in terms {
        add(&mut sum, lanes, weight);
    }
    let mut minterms = Minterms::NONE;
    let small = !sum[5..].iter().fold(0, |any, plane| any | plane);
    let mut within = 0;
    for t in 0..=usize::from(max) {
        let bit = |plane: usize| {
            if t >> plane & 1 == 1 {
                sum[plane]
            } else {
                !sum[plane]
            }
        };
        let lanes = (0..5).fold(small, |lanes, plane| lanes & bit(plane));
        minterms.modulo[t % 16] |= lanes;
        minterms.upper |= if t >= 16 { lanes } else { 0 };
        within |= lanes;
    }
    if within != u64::MAX {
        let lane = (!within).trailing_zeros();
        let plane = |i: usize| (sum[i] >> lane & 1) as i32;
        let low: i32 = (0..PLANES - 1).map(|i| plane(i) << i).sum();
        return Err(OutOfRange {
            lane,
            sum: low - (plane(PLANES - 1) << (PLANES - 1)),
        });
    }
    Ok(minterms)
}

/// Adds `weight` in some lanes.
fn add(sum: &mut [u64; PLANES], lanes: u64, weight: i8) {
    let weight = i32::from(weight);
    let mut carry = 0;
    for (i, plane) in sum.iter_mut().enumerate() {
        if carry == 0 && weight >= 0 && weight >> i == 0 {
            break;
        }
        let bit = if weight >> i & 1 == 1 { lanes } else { 0 };
        let differ = *plane ^ bit;
        let next = *plane & bit | differ & carry;
        *plane = differ ^ carry;
        carry = next;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sums_of_signed_weights() {
        // Lane l assigns bit i of l to term i.
        let planes = [
            0xaaaa_aaaa_aaaa_aaaa,
            0xcccc_cccc_cccc_cccc,
            0xf0f0_f0f0_f0f0_f0f0u64,
        ];
        let weights = [3i8, -4, 7];
        let terms: Vec<(u64, i8)> = planes.into_iter().zip(weights).collect();
        let minterms = minterms(&terms, 4, 14).unwrap();
        for lane in 0..64 {
            let expected: i32 = (0..3)
                .map(|i| (lane >> i & 1) * i32::from(weights[i]))
                .sum::<i32>()
                + 4;
            for t in 0..16 {
                let is_here = minterms.select(1 << t) >> lane & 1 == 1;
                assert_eq!(is_here, t == expected, "lane {lane}");
            }
        }
    }

    #[test]
    fn above_fifteen_functions_are_the_opposite() {
        // Lanes 0 to 31 hold the values up to 31.
        let planes: Vec<(u64, i8)> = (0..5)
            .map(|at| {
                let lanes = (0..64).fold(0u64, |all, lane| all | (lane >> at & 1) << lane);
                (lanes, 1 << at)
            })
            .collect();
        let minterms = minterms(&planes, 0, 31).unwrap();
        for (mask, expected) in [
            (0, 0xffff_0000u32),
            (0xff00, 0x00ff_ff00),
            (0xffff, 0x0000_ffff),
        ] {
            assert_eq!(minterms.select(mask) as u32, expected);
        }
    }

    #[test]
    fn bounds_are_checked() {
        for (terms, constant, max, lane, sum) in [
            ((0b100, 3), 0, 2, 2, 3),
            ((0b10, -3), 1, 15, 1, -2),
            ((0b10, 127), 1, 15, 1, 128),
            ((0b10, 31), 1, 31, 1, 32),
            ((0b10, 15), 1, 15, 1, 16),
        ] {
            let found = minterms(&[terms], constant, max).err();
            assert_eq!(found, Some(OutOfRange { lane, sum }));
        }
    }
}
