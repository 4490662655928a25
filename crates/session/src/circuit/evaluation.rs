//! A circuit on files of inputs.

use std::path::Path;

use circuits::Gates;
use circuits::formats::{Netlist, Port};
use processor::{Bit, Outcome, Output};
use wire::Variable;

use super::{Mapped, words};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::evaluator::{Given, Target};
use crate::schemes::Adapter;

/// A circuit and the files of inputs that it is evaluated on.
pub struct Evaluation<'a, A: Adapter> {
    netlist: &'a Netlist,
    given: &'a Given<A>,
    /// Which bits of the files the circuit's inputs are.
    order: Vec<usize>,
}

/// What an evaluation left.
pub struct Evaluated<A: Adapter> {
    /// Its outputs.
    pub outputs: A::Outputs,
    /// The circuit as it was evaluated.
    pub mapped: Mapped,
}

impl<'a, A: Adapter> Evaluation<'a, A> {
    /// Checks that the files hold the circuit's inputs and nothing else, and that its outputs fit a file.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for what is missing, of another type, or not the circuit's.
    pub fn new(netlist: &'a Netlist, given: &'a Given<A>) -> Result<Self, Error> {
        let order = matched(given, &netlist.interface().inputs)?;
        Ok(Self {
            netlist,
            given,
            order,
        })
    }

    /// The variables of the file of outputs.
    #[must_use]
    pub fn variables(&self) -> Vec<Variable> {
        words::variables(&self.netlist.interface().outputs)
    }

    /// Evaluates the circuit with the server's key in a file.
    ///
    /// # Errors
    /// Those of reading a key, [`ErrorKind::Interrupted`]; others are defects.
    pub fn run(
        &self,
        key: &Path,
        target: &Target,
        control: &Control,
    ) -> Result<Evaluated<A>, Error> {
        let key = A::read_key(key, self.given, target, control)?;
        let profile = A::profile(self.given.first()?.1, target);
        let engine = A::engine(profile, key, control)?;
        let all = A::bits(&engine, self.given)?;
        let bits: Vec<_> = self
            .order
            .iter()
            .filter_map(|&number| all.get(number).cloned())
            .collect();
        drop(all);
        let mapped = Mapped::new(self.netlist, engine.profile());
        let bits = mapped.evaluate(&engine, &bits, control)?;
        let outcome = Outcome {
            outputs: stored(bits, &self.netlist.interface().outputs),
            instructions: 0,
        };
        let outputs = A::outputs(&engine, self.given, &outcome)?;
        Ok(Evaluated { outputs, mapped })
    }
}

/// The outputs as a run of a program would leave them.
fn stored<B>(bits: Vec<Bit<B>>, ports: &[Port]) -> Vec<Output<B>>
where
    Bit<B>: Clone,
{
    let mut bits = bits.into_iter();
    let outputs = ports.iter().map(|port| {
        let own = bits.by_ref().take(port.width).collect();
        Output {
            name: port.name.clone(),
            ty: words::storage(port),
            bits: words::stored(port, own, Bit::Clear(false)),
        }
    });
    outputs.filter(|output| !output.bits.is_empty()).collect()
}

/// Which bits of the files the circuit's inputs are; the files must hold exactly them.
fn matched<A: Adapter>(given: &Given<A>, ports: &[Port]) -> Result<Vec<usize>, Error> {
    let wrong = |path: &str, message: String| {
        Err(Error::new(ErrorKind::Input, format!("{path}: {message}")))
    };
    let mut begin = 0;
    let mut found = Vec::new();
    for (path, variable) in given.variables() {
        if !ports.iter().any(|port| port.name == variable.name) {
            let (name, listed) = (words::shown(&variable.name), words::listed(ports));
            return wrong(
                path,
                format!("the circuit has no input '{name}'; there are {listed}"),
            );
        }
        found.push((path, variable, begin));
        begin += variable.kind.bits();
    }
    let mut bits = Vec::new();
    for port in ports.iter().filter(|port| port.width > 0) {
        let name = words::shown(&port.name);
        let own = found
            .iter()
            .find(|(_, variable, _)| variable.name == port.name);
        let Some((path, variable, begin)) = own else {
            let files: Vec<&str> = given.iter().map(|(path, _)| path).collect();
            return wrong(
                &files.join(", "),
                format!("no value for {name}: encrypt it too"),
            );
        };
        let expected = words::storage(port);
        if variable.kind != expected {
            let (found, width) = (&variable.kind, port.width);
            return wrong(
                path,
                format!(
                    "{name} is {found}, but the circuit's {width} bits are {expected}: encrypt it for this circuit"
                ),
            );
        }
        bits.extend(*begin..begin + port.width);
    }
    Ok(bits)
}
