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

/// For each value `t` from 0 to 15 the lanes in which the sum is `t`.
pub(super) fn minterms(
    terms: &[(u64, i8)],
    constant: i8,
    max: u8,
) -> Result<[u64; 16], OutOfRange> {
    let mut sum = [0u64; PLANES];
    add(&mut sum, u64::MAX, constant);
    for &(lanes, weight) in terms {
        add(&mut sum, lanes, weight);
    }
    let mut minterms = [0u64; 16];
    let small = !sum[4..].iter().fold(0, |any, plane| any | plane);
    let mut within = 0;
    for (t, minterm) in minterms.iter_mut().enumerate().take(usize::from(max) + 1) {
        let bit = |plane: usize| {
            if t >> plane & 1 == 1 {
                sum[plane]
            } else {
                !sum[plane]
            }
        };
        *minterm = small & bit(0) & bit(1) & bit(2) & bit(3);
        within |= *minterm;
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

/// The lanes in which the function is 1.
pub(super) fn select(minterms: &[u64; 16], mask: u16) -> u64 {
    let pick = |t: usize| if mask >> t & 1 == 1 { minterms[t] } else { 0 };
    (0..16).fold(0, |any, t| any | pick(t))
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
            for (t, minterm) in minterms.iter().enumerate() {
                assert_eq!(
                    minterm >> lane & 1 == 1,
                    t as i32 == expected,
                    "lane {lane}"
                );
            }
        }
    }

    #[test]
    fn bounds_are_checked() {
        assert_eq!(
            minterms(&[(0b100, 3)], 0, 2),
            Err(OutOfRange { lane: 2, sum: 3 })
        );
        assert_eq!(
            minterms(&[(0b10, -3)], 1, 15),
            Err(OutOfRange { lane: 1, sum: -2 })
        );
        assert_eq!(
            minterms(&[(0b10, 127)], 1, 15),
            Err(OutOfRange { lane: 1, sum: 128 })
        );
    }
}
