//! Noise that grows with a value's degree: how much each value of a circuit has, and refreshes
//! where it would have too much.
//!
//! Refreshes cost hundreds of ANDs, so they are put off for as long as possible: only an operation
//! whose result would exceed the limit has operands refreshed, the noisiest first and no more than
//! it takes. What was refreshed once is used by all later readers. A value that is quieter than
//! what a refresh leaves is never refreshed.

use super::rebuild::Rebuild;
use crate::ir::{Node, Op, Signal};
use crate::profile::{NoiseAmount, NoiseGrowth};
use crate::{Circuit, Profile, Wire};

/// The noise of a circuit's values.
#[derive(Clone, PartialEq, Debug)]
pub struct Growth {
    /// By node: the noise of its results.
    pub amounts: Vec<NoiseAmount>,
    /// The most bits among them.
    pub worst: f64,
    /// Where they are; `None` in an empty circuit.
    pub at: Option<Node>,
}

/// Computes how much noise every value of a circuit has. Linear.
#[must_use]
pub fn growth(circuit: &Circuit, model: &NoiseGrowth) -> Growth {
    let mut growth = Growth {
        amounts: vec![NoiseAmount::NONE; circuit.len()],
        worst: 0.0,
        at: None,
    };
    for node in circuit.nodes() {
        let amount = model.result(&circuit.op(node), |wire| {
            let source = circuit.source(wire.signal());
            let amount = source.map(|source| growth.amounts[source.index()]);
            read(amount.unwrap_or(NoiseAmount::NONE), wire)
        });
        growth.amounts[node.index()] = amount;
        if growth.at.is_none() || amount.bits > growth.worst {
            (growth.worst, growth.at) = (amount.bits, Some(node));
        }
    }
    growth
}

/// A value as an operation reads it: a negation adds a constant.
fn read(amount: NoiseAmount, wire: Wire) -> NoiseAmount {
    match wire.is_inverted() && wire.as_constant().is_none() {
        true => amount.plus(NoiseAmount::NONE),
        false => amount,
    }
}

/// Inserts refreshes so that no value exceeds the limit, as far as refreshes can. Linear.
pub(super) fn within(circuit: &Circuit, profile: &Profile, model: &NoiseGrowth) -> Circuit {
    let mut rebuild = Rebuild::new(circuit, profile);
    // By old signal: the noise of the wire that stands for it.
    let mut amounts = vec![NoiseAmount::NONE; circuit.signals()];
    for node in circuit.nodes() {
        let op = circuit.op(node);
        rebuild.stand_for(node);
        if let Op::Refresh(wire) = op {
            let (mut quiet, mut amount) = (rebuild.wire(wire), amounts[wire.signal().index()]);
            if !amount.is_within(model.refreshed) {
                (quiet, amount) = (rebuild.build.refresh(quiet), model.refreshed);
            }
            for signal in circuit.signals_of(node) {
                rebuild.set(signal, quiet);
                amounts[signal.index()] = amount;
            }
            continue;
        }
        let result = |amounts: &[NoiseAmount]| {
            model.result(&op, |wire| read(amounts[wire.signal().index()], wire))
        };
        let mut after = result(&amounts);
        while after.bits > model.limit {
            let Some(signal) = noisiest(&op, &amounts, model.refreshed) else {
                break;
            };
            let quiet = rebuild.build.refresh(rebuild.wire(Wire::from(signal)));
            rebuild.set(signal, quiet);
            amounts[signal.index()] = model.refreshed;
            after = result(&amounts);
        }
        rebuild.copy(node);
        for signal in circuit.signals_of(node) {
            amounts[signal.index()] = after;
        }
    }
    rebuild.finish()
}

/// The noisiest operand of those that a refresh would make quieter.
fn noisiest(op: &Op<'_>, amounts: &[NoiseAmount], refreshed: NoiseAmount) -> Option<Signal> {
    let amount = |signal: &Signal| amounts[signal.index()];
    op.operands()
        .map(|wire| wire.signal())
        .filter(|signal| !amount(signal).is_within(refreshed))
        .max_by(|a, b| amount(a).bits.total_cmp(&amount(b).bits))
}
