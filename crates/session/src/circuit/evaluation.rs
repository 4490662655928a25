//! A circuit on files of inputs.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use circuits::formats::{Interface, Netlist, Port};
use circuits::{Circuit, Gates, Profile};
use processor::{Bit, Outcome, Output};
use wire::Variable;

use super::{Mapped, words};
use crate::control::Control;
use crate::error::{Error, ErrorKind};
use crate::evaluator::{Given, Target};
use crate::schemes::Adapter;

/// A circuit and the files of inputs that it is evaluated on.
///
/// ```
/// use blindcore_session::Control;
/// use blindcore_session::circuit::{Evaluated, Evaluation, Trial, words};
/// use blindcore_session::evaluator::{Given, Target};
/// use blindcore_session::owner::{self, Encryptor, ServerKeyFile, Settings};
/// use blindcore_session::schemes::{Adapter, tfhe::Tfhe};
/// use circuits::formats::bristol;
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-circuit-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// let half_adder = bristol::read(b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n")?;
/// let interface = half_adder.interface();
/// let control = Control::default();
/// let target = Target::of(&control);
/// // With keys of its own, to see whether it does what it should:
/// let trial = Trial::new(&half_adder, &[true, true], tfhe::TOY_BLOCK, &target, &control)?;
/// assert_eq!(trial.outputs, [false, true]);
///
/// // and on a file of inputs. A word of a circuit is stored as the narrowest integer that it fits.
/// let keys = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
/// let ServerKeyFile::Tfhe(server) = &keys.server else { unreachable!() };
/// std::fs::write(folder.join("mine.server"), wire::encode(server)?)?;
/// let values = words::some(interface, &["a=1".to_owned(), "b=1".to_owned()])?;
/// let words = interface.inputs.iter().zip(values.into_iter().flatten());
/// let bits: Vec<bool> = words.flat_map(|(port, word)| words::stored(port, word, false)).collect();
/// let variables = words::variables(&interface.inputs);
/// assert_eq!(variables[0].kind, words::storage(&interface.inputs[0]));
/// let file = Encryptor::of_secret(&keys.secret).encrypt(&variables, &bits, &control)?;
/// let (inputs, _) = Tfhe::read(Box::new(std::io::Cursor::new(file.to_vec())), None)?;
/// let given = Given::<Tfhe>::joined(vec![("a.inputs".to_owned(), inputs)])?;
///
/// let evaluation = Evaluation::new(&half_adder, &given)?;
/// assert_eq!(evaluation.variables().len(), 2);
/// let Evaluated { outputs, .. } = evaluation.run(&folder.join("mine.server"), &target, &control)?;
/// let mut sums = Vec::new();
/// owner::decrypt(&keys.secret, "a.outputs", wire::Containers::new(&wire::encode(&outputs)?[..]), &mut |batch| {
///     assert_eq!(batch.names().count(), 2);
///     sums.extend(batch.row(0).flat_map(|(_, _, elements)| elements));
///     Ok(())
/// })?;
/// assert_eq!(sums, [0, 1]);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub struct Evaluation<'a, A: Adapter> {
    interface: &'a Interface,
    drawn: Drawn<'a>,
    given: &'a Given<A>,
    /// Which bits of the files the circuit's inputs are.
    order: Vec<usize>,
}

/// Where the circuit comes from.
enum Drawn<'a> {
    Netlist(&'a Netlist),
    Circuit(&'a Circuit),
}

impl Drawn<'_> {
    fn mapped(&self, profile: &Profile) -> Mapped {
        match self {
            Self::Netlist(netlist) => Mapped::new(netlist, profile),
            Self::Circuit(circuit) => Mapped::of(circuit, profile),
        }
    }
}

/// What an evaluation left.
pub struct Evaluated<A: Adapter> {
    /// Its outputs.
    pub outputs: A::Outputs,
    /// The circuit as it was evaluated.
    pub mapped: Mapped,
}

impl<'a, A: Adapter> Evaluation<'a, A> {
    /// Checks that the files hold the circuit's inputs and nothing else, and that its outputs fit a
    /// file.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for what is missing, of another type, or not the circuit's.
    pub fn new(netlist: &'a Netlist, given: &'a Given<A>) -> Result<Self, Error> {
        Self::of(netlist.interface(), Drawn::Netlist(netlist), given)
    }

    /// As [`new`](Self::new), of a circuit that was drawn for the engine's target.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn of_circuit(
        interface: &'a Interface,
        circuit: &'a Circuit,
        given: &'a Given<A>,
    ) -> Result<Self, Error> {
        Self::of(interface, Drawn::Circuit(circuit), given)
    }

    fn of(interface: &'a Interface, drawn: Drawn<'a>, given: &'a Given<A>) -> Result<Self, Error> {
        let order = matched(given, &interface.inputs)?;
        Ok(Self {
            interface,
            drawn,
            given,
            order,
        })
    }

    /// The variables of the file of outputs.
    #[must_use]
    pub fn variables(&self) -> Vec<Variable> {
        words::variables(&self.interface.outputs)
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
        self.on(&A::engine(profile, key, control)?, control)
    }

    /// Evaluates the circuit on an engine with a key of the inputs' pair.
    ///
    /// # Errors
    /// [`ErrorKind::Interrupted`]; others are defects.
    pub fn on(&self, engine: &A::Engine, control: &Control) -> Result<Evaluated<A>, Error> {
        let all = A::bits(engine, self.given)?;
        let bits: Vec<_> = self
            .order
            .iter()
            .filter_map(|&number| all.get(number).cloned())
            .collect();
        drop(all);
        let mapped = self.drawn.mapped(engine.profile());
        let bits = mapped.evaluate(engine, &bits, control)?;
        let outcome = Outcome {
            outputs: stored(bits, &self.interface.outputs),
            instructions: 0,
        };
        let outputs = A::outputs(engine, self.given, &outcome)?;
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
    // By name: a circuit has up to a million ports, and files have many variables.
    let known: HashSet<&str> = ports.iter().map(|port| port.name.as_str()).collect();
    let mut found = HashMap::new();
    for (path, variable) in given.variables() {
        if !known.contains(variable.name.as_str()) {
            let (name, listed) = (words::shown(&variable.name), words::listed(ports));
            return wrong(
                path,
                format!("the circuit has no input '{name}'; there are {listed}"),
            );
        }
        // No two variables of the files have one name.
        found.insert(variable.name.as_str(), (path, variable, begin));
        begin += variable.kind.bits();
    }
    let mut bits = Vec::new();
    for port in ports.iter().filter(|port| port.width > 0) {
        let name = words::shown(&port.name);
        let own = found.get(port.name.as_str());
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
