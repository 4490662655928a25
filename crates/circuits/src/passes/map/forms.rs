//! Functions of up to four bits as functions of one small weighted sum.
//!
//! Every function of four bits is one of `a + 2b + 4c + 8d`, but most have a far better sum: a
//! majority is one of `a + b + c`, an AND with an inverted input one of `a − b + 1`. Small sums
//! leave room for a second lookup beside them, small weights add little noise. All weight vectors
//! are tried in that order; what was found for one function is remembered for the whole process, what was
//! found for several as long as a circuit is mapped.

use std::collections::HashMap;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU16, Ordering};

/// The most bits of a cone.
pub(in crate::passes) const LEAVES: usize = 4;

/// Assignments of that many bits.
const MINTERMS: usize = 1 << LEAVES;

/// A function whose best sum was not looked for, and one that has none: there are fewer than
/// twelve thousand sums.
const UNKNOWN: u16 = u16::MAX;
const NONE: u16 = u16::MAX - 1;

/// A weighted sum, and bounds of its values.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(in crate::passes) struct Form {
    /// A weight for each bit; 0 where no function depends on it.
    pub(in crate::passes) weights: [i8; LEAVES],
    /// The constant that makes the least value 0.
    pub(in crate::passes) constant: i8,
    /// The largest value.
    pub(in crate::passes) max: u8,
    /// By assignment: the value.
    values: [u8; MINTERMS],
}

impl Form {
    fn new(weights: [i8; LEAVES]) -> Self {
        let constant: i8 = weights.iter().map(|weight| -weight.min(&0)).sum();
        let max: i8 = weights.iter().map(|weight| weight.abs()).sum();
        let value = |minterm: usize| {
            let ones = (0..LEAVES).filter(|bit| minterm >> bit & 1 == 1);
            (constant + ones.map(|bit| weights[bit]).sum::<i8>()) as u8
        };
        Self {
            weights,
            constant,
            max: max as u8,
            values: std::array::from_fn(value),
        }
    }

    /// The table by which the sum answers a function, if it can: assignments of the same value
    /// must agree.
    pub(in crate::passes) fn mask(&self, function: u16) -> Option<u16> {
        let (mut ones, mut zeros) = (0u16, 0u16);
        for (minterm, &value) in self.values.iter().enumerate() {
            if function >> minterm & 1 == 1 {
                ones |= 1 << value;
            } else {
                zeros |= 1 << value;
            }
        }
        (ones & zeros == 0).then_some(ones)
    }

    /// The noise that the sum makes of bits of given variances, if these are independent.
    pub(super) fn variance(&self, leaves: &[f32; LEAVES]) -> f32 {
        let square = |weight: i8| f32::from(weight) * f32::from(weight);
        self.weights
            .iter()
            .zip(leaves)
            .map(|(&weight, leaf)| square(weight) * leaf)
            .sum()
    }

    /// What the lookup costs in rotations: a half, where a like one fits beside it.
    pub(in crate::passes) fn rotations(&self) -> f32 {
        match self.max {
            0..=1 => 0.0,
            2..=3 => 0.5,
            4 => 0.6,
            _ => 1.0,
        }
    }
}

/// All sums of values up to some bound.
struct Candidates {
    /// Best first.
    forms: Vec<Form>,
    /// By function: the place of its best form, [`UNKNOWN`] or [`NONE`].
    best: Vec<AtomicU16>,
}

impl Candidates {
    fn best(&self, function: u16) -> Option<Form> {
        let known = &self.best[usize::from(function)];
        let mut place = known.load(Ordering::Relaxed);
        if place == UNKNOWN {
            let mut forms = self.forms.iter();
            let found = forms.position(|form| form.mask(function).is_some());
            place = found
                .and_then(|found| u16::try_from(found).ok())
                .unwrap_or(NONE);
            // Whoever else looks for it finds the same.
            known.store(place, Ordering::Relaxed);
        }
        self.forms.get(usize::from(place)).copied()
    }
}

/// All sums that a target can look up.
pub(in crate::passes) struct Forms {
    candidates: &'static Candidates,
    joint: HashMap<Vec<u16>, Option<Form>>,
}

impl Forms {
    pub(in crate::passes) fn new(max_value: u8) -> Self {
        Self {
            candidates: candidates(max_value),
            joint: HashMap::new(),
        }
    }

    /// The best sum for one function.
    pub(in crate::passes) fn best(&self, function: u16) -> Option<Form> {
        self.candidates.best(function)
    }

    /// The best sum for several functions of the same bits.
    pub(in crate::passes) fn best_for_all(&mut self, functions: &[u16]) -> Option<Form> {
        let mut key = functions.to_vec();
        key.sort_unstable();
        key.dedup();
        if let [function] = *key {
            return self.best(function);
        }
        if let Some(&found) = self.joint.get(&key) {
            return found;
        }
        let knows = |form: &&Form| key.iter().all(|&function| form.mask(function).is_some());
        let found = self.candidates.forms.iter().find(knows).copied();
        self.joint.insert(key, found);
        found
    }
}

/// All sums of values up to a bound, best first: small ones, which fit beside another; then quiet
/// ones. Made once for each bound.
fn candidates(max_value: u8) -> &'static Candidates {
    static TABLES: [OnceLock<Candidates>; MINTERMS] = [const { OnceLock::new() }; MINTERMS];
    let bound = max_value.min(15);
    TABLES[usize::from(bound)].get_or_init(|| {
        let bound = i32::from(bound);
        let range = -bound.min(8)..=bound.min(8);
        let mut candidates = Vec::new();
        for a in range.clone() {
            for b in range.clone() {
                for c in range.clone() {
                    for d in range.clone() {
                        let weights = [a, b, c, d];
                        let total: i32 = weights.iter().map(|weight| weight.abs()).sum();
                        // The opposite sum knows the same.
                        let leading = weights.iter().find(|&&weight| weight != 0);
                        if total <= bound && leading.is_some_and(|&weight| weight > 0) {
                            candidates.push(Form::new(weights.map(|weight| weight as i8)));
                        }
                    }
                }
            }
        }
        let square = |weight: i8| i32::from(weight) * i32::from(weight);
        let norm = |form: &Form| {
            form.weights
                .iter()
                .map(|&weight| square(weight))
                .sum::<i32>()
        };
        let size = |form: &Form| form.max.clamp(3, 5);
        candidates.sort_by_key(|form| (size(form), norm(form), form.weights.map(|weight| -weight)));
        Candidates {
            forms: candidates,
            best: std::iter::repeat_with(|| AtomicU16::new(UNKNOWN))
                .take(1 << MINTERMS)
                .collect(),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_function_has_a_form() {
        let forms = Forms::new(15);
        let mut state = 7u32;
        for _ in 0..500 {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let function = (state >> 16) as u16;
            let form = forms.best(function).unwrap();
            let mask = form.mask(function).unwrap();
            for minterm in 0..MINTERMS {
                let value = form.values[minterm];
                assert!(value <= form.max && form.max <= 15);
                assert_eq!(mask >> value & 1, function >> minterm & 1);
            }
        }
    }

    #[test]
    fn best_forms() {
        let mut forms = Forms::new(15);
        let [a, b, c, d] = [0xaaaau16, 0xcccc, 0xf0f0, 0xff00];
        let best = |function| forms.best(function).unwrap().weights;
        assert_eq!(best(a & b), [1, 1, 0, 0]);
        assert_eq!(best(a & !b), [1, -1, 0, 0]);
        assert_eq!(best(a & b | a & c | b & c), [1, 1, 1, 0]);
        assert_eq!(best(a ^ b ^ c ^ d), [1, 1, 1, 1]);
        assert_eq!(forms.best(a & b | !a & c).unwrap().max, 6);
        assert_eq!(
            forms.best_for_all(&[a & b, a ^ b]).unwrap().weights,
            [1, 1, 0, 0]
        );
        assert_eq!(forms.best_for_all(&[a & b, a & !b]).unwrap().max, 3);
    }
}
