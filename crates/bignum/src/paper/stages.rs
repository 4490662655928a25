//! The four stages of the transform and of its inverse, in place, by sixteen points at a time.
//!
//! A position is four digits to the base 16, `p₃p₂p₁p₀`. Forward, samples lie at their own number,
//! and the stages take the digits from `p₃` down: stage `s` transforms the sixteen samples that
//! differ in digit `4 − s`, and multiplies the result `k` by the root to the `16^(s−1)·k·(the
//! digits below)`. The digit of the position becomes `k`, so that after the fourth stage position
//! `k₀k₁k₂k₃` holds `X[k₀ + 16·k₁ + 256·k₂ + 4096·k₃]`: the order is reversed, and the memory never
//! needs a second copy. The inverse takes the digits from `p₀` up and ends in the natural order. In
//! either direction the fourth stage has no twiddle factors; that of one operand is followed by the
//! component-wise product (§IV-C).

use super::field::multiply;
use super::wide::Wide;
use super::{POINTS, RADIX, STAGES};

/// Which way a transform goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// From samples to the spectrum.
    Forward,
    /// Back, divided by 65,536: each stage divides by 16, as equation 9 has it.
    Inverse,
}

/// The sixteen positions of a group of a stage whose samples lie `stride` apart (1, 16, 256 or
/// 4,096); groups are numbered from 0 to 4,095 by their first position.
pub fn group(stride: usize, number: usize) -> impl Iterator<Item = usize> {
    let first = number / stride * stride * RADIX + number % stride;
    (0..RADIX).map(move |k| first + k * stride)
}

/// The distance of the samples of a group in stage 0 to 3.
pub const fn stride(direction: Direction, stage: usize) -> usize {
    match direction {
        Direction::Forward => POINTS >> (4 * (stage + 1)),
        Direction::Inverse => 1 << (4 * stage),
    }
}

/// The transform of sixteen points by shifts and sums (equations 8 and 9).
pub fn radix_16(direction: Direction, x: &[u64; RADIX]) -> [u64; RADIX] {
    std::array::from_fn(|k| {
        let terms = std::array::from_fn(|n| {
            let shift = (12 * n * k % 192) as u32;
            match direction {
                Direction::Forward => Wide::new(x[n]).rotate(shift),
                Direction::Inverse => Wide::new(x[n]).rotate((192 - shift) % 192),
            }
        });
        let sum = Wide::sum_of_16(&terms);
        match direction {
            Direction::Forward => sum.normalize(),
            // 1/16 is 2^188.
            Direction::Inverse => sum.rotate(188).normalize(),
        }
    })
}

/// The power of the root that the result at a position is multiplied by after stage 0 to 3, modulo
/// 65,536.
pub const fn twiddle(direction: Direction, stage: usize, position: usize) -> usize {
    match direction {
        Direction::Forward => {
            let varied = STAGES - 1 - stage;
            let below = position & ((1 << (4 * varied)) - 1);
            ((digit_of(position, varied) * below) << (4 * stage)) % POINTS
        }
        Direction::Inverse => {
            // The digits of the spectrum's index that are still to be summed over lie above,
            // reversed.
            let mut rest = 0;
            let mut above = 0;
            while above < STAGES - 1 - stage {
                rest |= digit_of(position, STAGES - 1 - above) << (4 * above);
                above += 1;
            }
            let power = ((digit_of(position, stage) * rest) << (4 * stage)) % POINTS;
            (POINTS - power) % POINTS
        }
    }
}

const fn digit_of(position: usize, at: usize) -> usize {
    position >> (4 * at) & 15
}

/// One stage, in place: `data` has 65,536 elements, `powers` are those of the root.
pub fn run(direction: Direction, stage: usize, data: &mut [u64], powers: &[u64]) {
    let stride = stride(direction, stage);
    for number in 0..POINTS / RADIX {
        let mut x = [0; RADIX];
        for (x, at) in x.iter_mut().zip(group(stride, number)) {
            *x = data[at];
        }
        let results = radix_16(direction, &x);
        for (result, at) in results.into_iter().zip(group(stride, number)) {
            data[at] = multiply(result, powers[twiddle(direction, stage, at)]);
        }
    }
}

/// The index in the spectrum of what lies at a position after a forward transform, and the reverse:
/// four digits to the base 16 in reverse order.
pub const fn reversed(position: usize) -> usize {
    digit_of(position, 0) << 12
        | digit_of(position, 1) << 8
        | digit_of(position, 2) << 4
        | digit_of(position, 3)
}

#[cfg(test)]
mod tests {
    use super::super::field::{self, PRIME, ROOT, power};
    use super::*;

    fn some(seed: u64) -> Vec<u64> {
        let element = |at: u64| power(7, seed + at * at);
        (0..POINTS as u64).map(element).collect()
    }

    fn transform(direction: Direction, data: &mut [u64]) {
        let powers = field::powers();
        (0..STAGES).for_each(|stage| run(direction, stage, data, &powers));
    }

    #[test]
    fn sixteen_points_by_the_definition() {
        let x = std::array::from_fn(|n| power(7, n as u64 + 5));
        let sum = |k: u64, root: u64| {
            let terms = x.iter().zip(0..);
            terms.fold(0, |sum, (&x, n)| {
                let term = multiply(x, power(root, n * k));
                ((u128::from(sum) + u128::from(term)) % u128::from(PRIME)) as u64
            })
        };
        let forward = radix_16(Direction::Forward, &x);
        let inverse = radix_16(Direction::Inverse, &x);
        for k in 0..RADIX as u64 {
            assert_eq!(forward[k as usize], sum(k, 1 << 12));
            let sixteenth = power(16, PRIME - 2);
            let back = multiply(sum(k, power(1 << 12, 15)), sixteenth);
            assert_eq!(inverse[k as usize], back);
        }
    }

    #[test]
    fn spectrum_by_the_definition() {
        let samples = some(3);
        let mut data = samples.clone();
        transform(Direction::Forward, &mut data);
        for position in [0, 1, 16, 0x1234, 0x8000, 0xffff] {
            let point = power(ROOT, reversed(position) as u64);
            // Horner's rule: Σ x_n·R^(n·k).
            let value = samples.iter().rev().fold(0, |sum, &x| {
                let sum = u128::from(multiply(sum, point)) + u128::from(x);
                (sum % u128::from(PRIME)) as u64
            });
            assert_eq!(data[position], value, "at {position}");
        }
    }

    #[test]
    fn the_inverse_comes_back() {
        let samples = some(11);
        let mut data = samples.clone();
        transform(Direction::Forward, &mut data);
        assert_ne!(data, samples);
        transform(Direction::Inverse, &mut data);
        assert_eq!(data, samples);
    }

    #[test]
    fn the_last_stage_has_no_factors() {
        for direction in [Direction::Forward, Direction::Inverse] {
            assert!((0..POINTS).all(|at| twiddle(direction, STAGES - 1, at) == 0));
        }
    }

    #[test]
    fn the_inverse_has_the_twiddle_factors_of_the_reverse_order() {
        // One set of 15 memories serves both directions: the same powers at reversed places,
        // negated.
        for stage in 0..STAGES {
            for at in (0..POINTS).step_by(7) {
                let forward = twiddle(Direction::Forward, stage, reversed(at));
                let inverse = twiddle(Direction::Inverse, stage, at);
                assert_eq!((forward + inverse) % POINTS, 0);
            }
        }
    }
}
