//! Parameters for a circuit.
//!
//! How many levels a circuit takes depends on what is added before its products, which its depth
//! does not say. So sets are asked for by depth, and the circuit's own forecast decides: the least
//! demand whose set holds it.

use bgv::{Demand, Error, Forecast, Parameters, Security};
use circuits::Circuit;
use circuits::passes::multiplicative_depth;

use super::{CircuitForecast, forecast_of};

/// A parameter set and what a circuit's evaluation comes to with it.
#[derive(Clone, Debug)]
pub struct Choice {
    /// The set.
    pub parameters: Parameters,
    /// The evaluation.
    pub forecast: CircuitForecast,
}

/// The smallest ring, and its fastest set, that evaluates a circuit prepared for
/// [`profile_without_parameters`](super::profile_without_parameters), with at least `slots` slots,
/// on inputs encrypted with whichever key.
///
/// # Errors
/// [`Error::TooDeep`] with the circuit's depth, and others of [`Parameters::for_circuit`].
pub fn choose(circuit: &Circuit, slots: usize, security: Security) -> Result<Choice, Error> {
    search(circuit, slots, |demand| {
        Parameters::for_circuit(demand, security)
    })
}

/// The same in the ring of an index.
///
/// # Errors
/// As [`choose`], and others of [`Parameters::for_circuit_in`].
pub fn choose_in(m: u32, circuit: &Circuit, security: Security) -> Result<Choice, Error> {
    search(circuit, 1, |demand| {
        Parameters::for_circuit_in(m, demand, security)
    })
}

fn search(
    circuit: &Circuit,
    slots: usize,
    set: impl Fn(&Demand) -> Result<Parameters, Error>,
) -> Result<Choice, Error> {
    let depth = multiplicative_depth(circuit).depth;
    let attempt = |depth| {
        let terms = 2;
        let parameters = set(&Demand {
            depth,
            terms,
            slots,
        })?;
        let forecast = forecast_of(circuit, &parameters, Forecast::fresh_public);
        Ok::<_, Error>(forecast.ok().map(|forecast| Choice {
            parameters,
            forecast,
        }))
    };
    // Demands assume that every product is of sums of two: few circuits ask for that much, and
    // those with long sums for more.
    let mut asked = depth.max(1);
    let mut refusal = None;
    let mut best = loop {
        match attempt(asked) {
            Ok(Some(choice)) => break choice,
            Ok(None) => match refusal {
                Some(refusal) => return Err(refusal),
                None => asked += 1,
            },
            // The deepest set that there is may hold it nevertheless.
            Err(error) => match (deepest(&error), refusal) {
                (Some(most), None) if most > 0 => {
                    asked = most;
                    refusal = Some(of_circuit(error, depth));
                }
                _ => return Err(of_circuit(error, depth)),
            },
        }
    };
    while asked > 1 {
        asked -= 1;
        match attempt(asked) {
            Ok(Some(choice)) => best = choice,
            _ => break,
        }
    }
    Ok(best)
}

/// The largest depth that there is, if an error says so.
fn deepest(error: &Error) -> Option<u32> {
    match error {
        Error::TooDeep { most, .. } => Some(*most),
        _ => None,
    }
}

/// The error with the circuit's own depth, whatever was asked for.
fn of_circuit(error: Error, circuit: u32) -> Error {
    match error {
        Error::TooDeep {
            most,
            slots,
            terms,
            security,
            ..
        } => Error::TooDeep {
            depth: circuit,
            most,
            slots,
            terms,
            security,
        },
        other => other,
    }
}
