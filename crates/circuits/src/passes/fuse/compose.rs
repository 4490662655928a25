//! The sum of which everything that two lookups answer is a function.

/// The values of two sums: `t₁` from 0 to `first`, `r` from 0 to `rest`, and what is asked of each
/// pair: bit `i` is function `i`. Pairs that cannot occur are `None`.
pub(super) struct Pairs {
    pub(super) first: u8,
    pub(super) rest: u8,
    /// `asked[t₁][r]`
    pub(super) asked: [[Option<u32>; 16]; 16],
}

/// `t = α·t₁ + β·r`, or with β < 0: `t = α·t₁ + |β|·(rest − r)`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Composition {
    pub(super) alpha: i32,
    pub(super) beta: i32,
    /// The largest value.
    pub(super) max: u8,
    /// By value: what is asked of it, and whether it occurs.
    pub(super) answers: [Option<u32>; 16],
}

impl Pairs {
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
                    if let Some(answers) = self.answers(alpha, beta) {
                        let max = max as u8;
                        best = Some(Composition {
                            alpha,
                            beta,
                            max,
                            answers,
                        });
                        break;
                    }
                }
            }
        }
        best
    }

    fn answers(&self, alpha: i32, beta: i32) -> Option<[Option<u32>; 16]> {
        let mut answers = [None; 16];
        for t in 0..=usize::from(self.first) {
            for r in 0..=usize::from(self.rest) {
                let Some(asked) = self.asked[t][r] else {
                    continue;
                };
                let r = if beta < 0 {
                    usize::from(self.rest) - r
                } else {
                    r
                };
                let value = alpha as usize * t + beta.unsigned_abs() as usize * r;
                match &mut answers[value] {
                    Some(known) if *known != asked => return None,
                    answer => *answer = Some(asked),
                }
            }
        }
        Some(answers)
    }
}

/// Whether two factors below 16 have a common divisor.
fn divisible(a: i32, b: i32) -> bool {
    [2, 3, 5, 7].iter().any(|p| a % p == 0 && b % p == 0)
}

impl Composition {
    /// The table of function `number`, entries that do not occur repeating their predecessors.
    pub(super) fn mask(&self, number: usize) -> u16 {
        let mut value = self
            .answers
            .iter()
            .flatten()
            .next()
            .map_or(0, |asked| asked >> number & 1);
        let mut mask = 0;
        for (t, answer) in self.answers.iter().enumerate() {
            if let Some(asked) = answer {
                value = asked >> number & 1;
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
        let mut asked = [[None; 16]; 16];
        for t in 0..=first {
            for r in 0..=rest {
                asked[usize::from(t)][usize::from(r)] = ask(i32::from(t), i32::from(r));
            }
        }
        Pairs { first, rest, asked }
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
