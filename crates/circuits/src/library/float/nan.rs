//! Results that are no numbers, and infinities: laid over a magnitude that is zero there.

use super::flip::keep_if;
use super::format::Format;
use super::mode::Mode;
use super::unpack::Unpacked;
use crate::library::weighted::functions;
use crate::library::word::Word;
use crate::{Builder, Wire};

/// Which operand's NaN is the result (`FPProcessNaNs`): the first signaling one, else the first.
pub(super) struct Chosen {
    /// By operand; never in the default NaN mode.
    pub(super) operands: Vec<Wire>,
    /// Whether there is one.
    pub(super) any: Wire,
    pub(super) signaling: Wire,
}

/// Chooses among the operands in their order.
pub(super) fn choose(b: &mut Builder, mode: Mode, operands: &[&Unpacked]) -> Chosen {
    if let &[first, second] = operands {
        // One sum tells all: each operand is no NaN, a quiet or a signaling one.
        let terms = [
            (first.nan, 1),
            (first.signaling, 1),
            (second.nan, 3),
            (second.signaling, 3),
        ];
        let made = functions(b, &terms, 4, |t| {
            let (first, second) = (t % 3, t / 3);
            let takes_second = second == 2 && first < 2 || second == 1 && first == 0;
            u32::from(first > 0 && !takes_second)
                | u32::from(takes_second) << 1
                | u32::from(t > 0) << 2
                | u32::from(first == 2 || second == 2) << 3
        });
        let operands = if mode.default_nan {
            Vec::new()
        } else {
            made[..2].to_vec()
        };
        return Chosen {
            operands,
            any: made[2],
            signaling: made[3],
        };
    }
    let nans: Vec<Wire> = operands.iter().map(|operand| operand.nan).collect();
    let signals: Vec<Wire> = operands.iter().map(|operand| operand.signaling).collect();
    let (any, signaling) = (b.any(&nans), b.any(&signals));
    let mut chosen = Vec::new();
    if !mode.default_nan {
        for at in 0..operands.len() {
            let (signals_before, nans_before) = (b.any(&signals[..at]), b.any(&nans[..at]));
            let signals = b.andyn(signals[at], signals_before);
            let quiet = b.all(&[nans[at], !nans_before, !signaling]);
            chosen.push(b.or(signals, quiet));
        }
    }
    Chosen {
        operands: chosen,
        any,
        signaling,
    }
}

/// What stands in for a number.
pub(super) struct Special<'a> {
    /// The result is infinite.
    pub(super) infinite: Wire,
    /// There is no result: the default NaN.
    pub(super) undefined: Wire,
    /// NaNs of operands: whether it is that one, its sign, and its fraction in this format.
    pub(super) nans: Vec<(Wire, Wire, &'a [Wire])>,
}

impl<'a> Special<'a> {
    /// The chosen operands' NaNs.
    pub(super) fn of(
        b: &mut Builder,
        infinite: Wire,
        undefined: Wire,
        chosen: &Chosen,
        operands: &[&'a Unpacked],
    ) -> Self {
        let default = if chosen.operands.is_empty() {
            chosen.any
        } else {
            Wire::FALSE
        };
        Self {
            infinite,
            undefined: b.or(undefined, default),
            nans: (chosen.operands.iter().zip(operands))
                .map(|(&condition, operand)| (condition, operand.negative, &*operand.fraction))
                .collect(),
        }
    }

    /// The result in the format: `magnitude` is zero wherever one of these holds.
    pub(super) fn over(
        self,
        b: &mut Builder,
        format: Format,
        negative: Wire,
        magnitude: &[Wire],
    ) -> Word {
        let quiet = format.fraction - 1;
        let mut nan: Vec<Wire> = self.nans.iter().map(|&(condition, ..)| condition).collect();
        nan.push(self.undefined);
        let nan = b.any(&nan);
        let special = b.or(nan, self.infinite);
        let mut parts: Vec<Vec<Wire>> = magnitude.iter().map(|&bit| vec![bit]).collect();
        let mut signs = vec![b.andyn(negative, nan)];
        for (condition, sign, fraction) in self.nans {
            signs.push(b.and(sign, condition));
            let kept = keep_if(b, &fraction[..quiet], condition);
            (parts.iter_mut().zip(kept)).for_each(|(parts, bit)| parts.push(bit));
        }
        parts[quiet].push(nan);
        parts[format.fraction..]
            .iter_mut()
            .for_each(|parts| parts.push(special));
        parts.push(signs);
        parts.iter().map(|parts| b.disjoint(parts)).collect()
    }
}
