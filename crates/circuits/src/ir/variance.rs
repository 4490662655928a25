//! The exact noise of a weighted sum.
//!
//! The outputs of one rotation share its noise: output `j` of a lookup is the combination `v_j`
//! of window edges, so a sum of several of them has the variance `‖Σ wⱼ·vⱼ‖²`, which may be less or
//! more than the sum of the single ones (a register added with an offset of one bit against the
//! slices that made it has 280 instead of 112). Different rotations and inputs are independent.
//! Units: the variance of one rotation's output with `‖v‖² = 1`.
//!
//! A scheme may have noise that all coefficients of a rotation share
//! ([`NoiseModel::common`]). Extraction multiplies it by `v·ΣXⁱ = 2f`, so that share of the
//! variance counts `4·mean(f²)` instead of `‖v‖²`, with `f = Σ wⱼ·fⱼ` over the sixteen values:
//! less for what oscillates (2 for 16 in bit 0 of `t`), more for what steps once (3.75 for 2 in
//! `t ≥ 1`).
//!
//! A sum of disjoint bits has no noise of its own: whoever reads it reads its bits, each with the
//! sum's weight ([`look_through`]), so that what it shares with its neighbours is counted exactly.
//!
//! A parity is one coefficient, with its sign: the unit, of which the common share is neither more
//! nor less.

use super::table::{ENTRIES, Function};
use super::{Signal, Term, Wire};
use crate::NoiseModel;

/// Where a bit's noise comes from.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Origin {
    /// A constant has none, and a selector's bit next to none: a millionth of a rotation's.
    Constant,
    /// An input, independent of everything else but itself.
    Fresh,
    /// A function of a rotation, by the number of its node.
    Rotation { node: u32, function: Function },
    /// A parity: one coefficient of a rotation of its own, the unit of variance.
    Parity,
}

/// The bits behind weighted wires, each once with its weight: inversions negate, and what
/// `summands` knows as a sum is replaced by its bits.
pub(crate) fn look_through<'a, W: Into<i32>>(
    terms: impl IntoIterator<Item = (Wire, W)>,
    summands: impl Fn(Signal) -> Option<&'a [Term]>,
    bits: &mut Vec<(Signal, i32)>,
) {
    let signed = |wire: Wire, weight: i32| match wire.is_inverted() {
        true => (wire.signal(), -weight),
        false => (wire.signal(), weight),
    };
    bits.clear();
    let mut has_sums = false;
    for (wire, weight) in terms {
        let (signal, weight) = signed(wire, weight.into());
        match summands(signal) {
            None => bits.push((signal, weight)),
            Some(terms) => {
                has_sums = true;
                bits.extend(terms.iter().map(|term| signed(term.wire, weight)));
            }
        }
    }
    // Operands of one node are distinct, but not those of choices.
    if has_sums || bits.windows(2).any(|pair| pair[0].0 >= pair[1].0) {
        bits.sort_unstable();
        bits.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0 };
            same
        });
    }
}

/// The variance of `Σ weight·bit` over distinct bits, none of which is a sum.
pub(crate) fn variance_of(
    terms: impl IntoIterator<Item = (Origin, i32)>,
    model: &NoiseModel,
    buffer: &mut Vec<(u32, Function, i32)>,
) -> f64 {
    buffer.clear();
    let (mut inputs, mut parities) = (0i32, 0i32);
    for (origin, weight) in terms {
        match origin {
            Origin::Constant => {}
            Origin::Fresh => inputs += weight * weight,
            Origin::Rotation { node, function } => buffer.push((node, function, weight)),
            Origin::Parity => parities += weight * weight,
        }
    }
    buffer.sort_unstable();
    let mut total = f64::from(inputs) * model.fresh + f64::from(parities);
    let mut add = |steps: i32, values: i32| {
        let mean = f64::from(values) / ENTRIES as f64;
        total += (1.0 - model.common) * f64::from(steps) + model.common * mean;
    };
    for outputs in buffer.chunk_by(|a, b| a.0 == b.0) {
        // Most sums have one output of each.
        if let [(_, function, weight)] = *outputs {
            let (steps, values) = function.squares();
            add(weight * weight * steps, weight * weight * values);
            continue;
        }
        let mut steps = [0i32; ENTRIES];
        let mut values = [0i32; ENTRIES];
        for &(_, function, weight) in outputs {
            for (t, edge) in function.edges().into_iter().enumerate() {
                steps[t] += weight * edge;
                values[t] += weight * function.centred(t);
            }
        }
        let square = |all: [i32; ENTRIES]| all.iter().map(|x| x * x).sum::<i32>();
        add(square(steps), square(values));
    }
    total
}

#[cfg(test)]
mod tests {
    use super::*;

    fn variance(common: f64, outputs: &[(u16, i32)]) -> f64 {
        let model = NoiseModel {
            fresh: 0.0,
            common,
            limit: 580.0,
            choice: None,
        };
        let origin = |mask| Origin::Rotation {
            node: 1,
            function: Function::plain(mask),
        };
        let terms = outputs.iter().map(|&(mask, weight)| (origin(mask), weight));
        variance_of(terms, &model, &mut Vec::new())
    }

    #[test]
    fn common_noise_counts_the_functions_mean_square() {
        // Bit 0 of t, t >= 1, and t itself in its four bits: ‖v‖² and 4·mean(f²).
        let bits = [(0xaaaa, 1), (0xcccc, 2), (0xf0f0, 4), (0xff00, 8)];
        for (outputs, independent, shared) in [
            (&[(0xaaaa, 1)][..], 16.0, 2.0),
            (&[(0xfffe, 1)][..], 2.0, 3.75),
            (&bits[..], 240.0, 310.0),
        ] {
            assert_eq!(variance(0.0, outputs), independent);
            assert_eq!(variance(1.0, outputs), shared);
            assert_eq!(variance(0.5, outputs), (independent + shared) / 2.0);
        }
    }
}
