//! The sum of which everything that two lookups answer is a function.

/// No answer: the pair, or the value, cannot occur.
const NONE: u8 = u8::MAX;

/// The values of two sums: `t₁` from 0 to `first`, `r` from 0 to `rest`, and what is asked of each
/// pair: bit `i` is function `i`.
pub(super) struct Pairs {
    first: u8,
    rest: u8,
    /// `asked[t₁][r]`: the number of an answer, or [`NONE`].
    asked: [[u8; 16]; 16],
    /// The distinct answers; no more than a sum has values.
    answers: [u32; 16],
    count: u8,
}

/// `t = α·t₁ + β·r`, or with β < 0: `t = α·t₁ + |β|·(rest − r)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Composition {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The largest value.
    pub(super) max: u8,
    /// By value: the number of the answer, or [`NONE`].
    numbers: [u8; 16],
    answers: [u32; 16],
}

impl Pairs {
    /// Two sums of which nothing is asked.
    pub(super) fn new(first: u8, rest: u8) -> Self {
        Self {
            first,
            rest,
            asked: [[NONE; 16]; 16],
            answers: [0; 16],
            count: 0,
        }
    }

    /// Asks for an answer; `false` if there are more than sixteen.
    pub(super) fn ask(&mut self, t: usize, r: usize, answer: u32) -> bool {
        let known = &self.answers[..usize::from(self.count)];
        let number = known.iter().position(|&other| other == answer);
        let number = number.unwrap_or_else(|| {
            if let Some(place) = self.answers.get_mut(usize::from(self.count)) {
                *place = answer;
            }
            usize::from(self.count)
        });
        self.count = self.count.max(number as u8 + 1);
        self.asked[t][r] = number as u8;
        number < 16
    }

    /// The composition with the least values up to a bound that tells all answers apart.
    pub(super) fn compose(&self, bound: u8) -> Option<Composition> {
        let (first, rest, bound) = (
            i32::from(self.first.max(1)),
            i32::from(self.rest.max(1)),
            i32::from(bound),
        );
        let mut best: Option<Composition> = None;
        for alpha in 1..=(bound - rest) / first {
            let left = bound - alpha * first;
            for beta in 1..=left / rest {
                let max = alpha * first + beta * rest;
                let is_better = best.is_none_or(|best| max < i32::from(best.max));
                if !is_better || (alpha > 1 && beta > 1 && divisible(alpha, beta)) {
                    continue;
                }
                for beta in [beta, -beta] {
                    if let Some(numbers) = self.numbers(alpha, beta) {
                        let max = max as u8;
                        best = Some(Composition {
                            alpha,
                            beta,
                            max,
                            numbers,
                            answers: self.answers,
                        });
                        break;
                    }
                }
            }
        }
        best
    }

    /// By value: the number of its answer, if no value has two.
    fn numbers(&self, alpha: i32, beta: i32) -> Option<[u8; 16]> {
        let (alpha, step) = (alpha as usize, beta.unsigned_abs() as usize);
        let rest = usize::from(self.rest);
        let mut numbers = [NONE; 16];
        for (t, asked) in self.asked[..=usize::from(self.first)].iter().enumerate() {
            for (r, &number) in asked[..=rest].iter().enumerate() {
                if number == NONE {
                    continue;
                }
                let value = alpha * t + step * if beta < 0 { rest - r } else { r };
                let known = &mut numbers[value];
                if *known != NONE && *known != number {
                    return None;
                }
                *known = number;
            }
        }
        Some(numbers)
    }
}

/// Whether two factors below 16 have a common divisor.
fn divisible(a: i32, b: i32) -> bool {
    [2, 3, 5, 7].iter().any(|p| a % p == 0 && b % p == 0)
}

impl Composition {
    /// The table of function `number`, entries that do not occur repeating their predecessors.
    pub(super) fn mask(&self, number: usize) -> u16 {
        let bit = |answer: u8| self.answers[usize::from(answer)] >> number & 1;
        let first = self.numbers.iter().find(|&&answer| answer != NONE);
        let mut value = first.map_or(0, |&answer| bit(answer));
        let mut mask = 0;
        for (t, &answer) in self.numbers.iter().enumerate() {
            if answer != NONE {
                value = bit(answer);
            }
            mask |= (value as u16) << t;
        }
        mask
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn pairs(first: u8, rest: u8, ask: impl Fn(i32, i32) -> Option<u32>) -> Pairs {
        let mut pairs = Pairs::new(first, rest);
        for t in 0..=first {
            for r in 0..=rest {
                if let Some(answer) = ask(i32::from(t), i32::from(r)) {
                    assert!(pairs.ask(usize::from(t), usize::from(r), answer));
                }
            }
        }
        pairs
    }

    #[test]
    fn carries_make_slices() {
        // Sum bit of the first adder, sum bit and carry of the second.
        let adders = pairs(3, 2, |t, r| {
            let second = r + t / 2;
            Some((t % 2 + second % 2 * 2 + second / 2 * 4) as u32)
        });
        let found = adders.compose(15).unwrap();
        assert_eq!((found.alpha, found.beta, found.max), (1, 2, 7));
        assert_eq!([0, 1, 2].map(|i| found.mask(i) & 0xff), [0xaa, 0xcc, 0xf0]);
        // The carry between them is no function of that sum, but of one that keeps both apart.
        let all = pairs(3, 2, |t, r| Some((4 * r + t) as u32));
        assert_eq!(all.compose(15).map(|found| found.max), Some(11));
        assert_eq!(all.compose(10), None);
    }

    #[test]
    fn thresholds_and_signs() {
        // x ∧ ¬y for x = [t₁ ≥ 2], y = r.
        let found = pairs(2, 1, |t, r| Some(u32::from(t >= 2 && r == 0))).compose(15);
        let found = found.unwrap();
        assert_eq!((found.alpha, found.beta, found.max), (1, -1, 3));
        assert_eq!(found.mask(0) & 0b1111, 0b1000);
        // Pairs that cannot occur do not matter: t₁ and r are opposite bits.
        let opposite = |t: i32, r: i32| (t != r).then_some(t as u32);
        let found = pairs(1, 1, opposite).compose(15).unwrap();
        assert_eq!((found.max, found.beta), (2, -1));
    }
}
