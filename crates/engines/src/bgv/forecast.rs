//! A circuit's evaluation on levels and noises alone.

use bgv::{Forecast, Parameters};
use circuits::passes::multiplicative_depth;
use circuits::{Circuit, Op, Wire};

/// What an evaluation will come to.
#[derive(Clone, PartialEq, Debug)]
pub struct CircuitForecast {
    /// Multiplicative depth.
    pub depth: u32,
    /// The output with the least room, and log2 of the noise that it may still get; `None` without
    /// outputs that depend on inputs.
    pub least: Option<(usize, f64)>,
    /// By the number of the level: how many ANDs multiply there.
    pub products: Vec<usize>,
    /// By the number of the level: how many XORs add there.
    pub sums: Vec<usize>,
}

/// A circuit that a parameter set cannot evaluate.
#[derive(Clone, PartialEq, Debug, thiserror::Error)]
#[error(
    "the circuit is {depth} ANDs deep, {limit} is about what {parameters} allows; output {output} is the deepest \
     ({reason})"
)]
pub struct TooDeep {
    /// The circuit's multiplicative depth.
    pub depth: u32,
    /// Products in a row, each of sums of two, that the set allows.
    pub limit: u32,
    /// The number of the deepest output.
    pub output: usize,
    /// The name of the set.
    pub parameters: String,
    /// What the estimates refuse.
    pub reason: bgv::Error,
}

/// Goes through a circuit of ANDs and XORs, prepared for [`profile`](super::profile), with the
/// estimates and the policy of evaluation on inputs that were encrypted with the secret key.
/// Linear.
///
/// # Errors
/// [`TooDeep`], also for operations that the scheme does not have.
pub fn forecast(
    circuit: &Circuit,
    parameters: &Parameters,
) -> Result<CircuitForecast, Box<TooDeep>> {
    forecast_of(circuit, parameters, Forecast::fresh)
}

/// The same for inputs that come so, by their numbers: [`Forecast::fresh_public`] if any of them
/// was encrypted with the public key.
///
/// # Errors
/// As [`forecast`].
pub fn forecast_of(
    circuit: &Circuit,
    parameters: &Parameters,
    input: fn(&Parameters, u64) -> Forecast,
) -> Result<CircuitForecast, Box<TooDeep>> {
    let depth = multiplicative_depth(circuit);
    let refused = |reason| {
        Box::new(TooDeep {
            depth: depth.depth,
            limit: parameters.depth(2),
            output: depth.deepest.unwrap_or(0),
            parameters: parameters.name(),
            reason,
        })
    };
    let units = usize::from(parameters.top().number()) + 1;
    let mut found = CircuitForecast {
        depth: depth.depth,
        least: None,
        products: vec![0; units],
        sums: vec![0; units],
    };
    // Values that are still read: what a sum consists of takes kilobytes.
    let mut signals: Vec<Option<Forecast>> = vec![None; circuit.signals()];
    let read = |signals: &[Option<Forecast>], wire: Wire| match &signals[wire.signal().index()] {
        Some(signal) if wire.is_inverted() => signal.not(),
        Some(signal) => signal.clone(),
        None => Forecast::constant(parameters, wire.is_inverted()),
    };
    let mut readers = readers(circuit);
    for node in circuit.nodes() {
        let op = circuit.op(node);
        let result = match op {
            Op::Input(number) => Ok(input(parameters, number.into())),
            Op::And(a, b) => {
                let (a, b) = (read(&signals, a), read(&signals, b));
                let level = a.level_of_product(&b, parameters).number();
                found.products[usize::from(level)] += 1;
                a.and(&b, parameters)
            }
            Op::Xor(a, b) => {
                let (a, b) = (read(&signals, a), read(&signals, b));
                found.sums[usize::from(a.level().min(b.level()).number())] += 1;
                a.xor(&b, parameters)
            }
            Op::Parity { terms }
            | Op::Disjoint { terms }
            | Op::Subtotal { terms }
            | Op::Linear { terms } => {
                let mut terms = terms.iter().map(|term| read(&signals, term.wire));
                let first = terms
                    .next()
                    .unwrap_or_else(|| Forecast::constant(parameters, false));
                terms.try_fold(first, |sum, term| {
                    found.sums[usize::from(sum.level().min(term.level()).number())] += 1;
                    sum.xor(&term, parameters)
                })
            }
            Op::Mux { .. }
            | Op::Lookup { .. }
            | Op::Refresh(_)
            | Op::Selector { .. }
            | Op::Choose { .. }
            | Op::Load(_)
            | Op::Store(_) => Err(bgv::Error::InvalidParameters {
                index: parameters.index().m(),
                reason: "the circuit was not prepared for BGV",
            }),
        };
        let result = result.map_err(refused)?;
        for wire in op.operands() {
            let place = wire.signal().index();
            readers[place] -= 1;
            if readers[place] == 0 {
                signals[place] = None;
            }
        }
        for signal in circuit.signals_of(node) {
            signals[signal.index()] = Some(result.clone());
        }
    }
    for (number, &wire) in circuit.outputs().iter().enumerate() {
        if wire.as_constant().is_some() {
            continue;
        }
        let room = read(&signals, wire).room(parameters);
        if found.least.is_none_or(|(_, least)| room < least) {
            found.least = Some((number, room));
        }
    }
    Ok(found)
}

/// How often each signal is read, by operations and outputs.
fn readers(circuit: &Circuit) -> Vec<usize> {
    let mut readers = vec![0; circuit.signals()];
    let operands = circuit.nodes().flat_map(|node| circuit.op(node).operands());
    for wire in operands.chain(circuit.outputs().iter().copied()) {
        readers[wire.signal().index()] += 1;
    }
    readers
}
