//! Circuits that somebody drew, as functions of encrypted words.

use ::values::bits_of;
use circuits::formats::{Format, Interface, Meaning, Port};
use circuits::passes::Cost;
use circuits::{Builder, Circuit, Profile};
use engines::tfhe_lookup::{self, TfheLookup, calibrate_on};
use processor::Type;
use session::circuit::{Evaluation, Mapped, words};
use session::evaluator::{Estimate, Given, Target};
use session::owner::{Decrypted, Encryptor};
use session::schemes::tfhe::Tfhe;
use session::schemes::{Adapter, Source};
use session::{Control, Error, ErrorKind};
use tfhe::Fft;
use wire::Record;

use crate::server_key::Computing;
use crate::{Answer, Inputs, Outputs, ServerKey, Values};

/// A circuit with the words at its edge: a function of encrypted words.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::circuits::{formats::{Interface, Port}, library};
/// use blindcore::{Control, Drawing, Keys, Type, Values};
///
/// let mut b = Drawing::builder();
/// let (x, y) = (b.inputs(8), b.inputs(8));
/// for wire in library::multiply(&mut b, &x, &y) {
///     b.output(wire);
/// }
/// let interface = Interface {
///     name: "product".to_owned(),
///     inputs: vec![Port::new("x", 8), Port::new("y", 8)],
///     outputs: vec![Port::new("z", 8)],
/// };
/// let product = Drawing::new(interface, b.finish())?;
/// assert!(product.cost().bootstraps > 0 && product.circuit().inputs() == 16);
/// assert!(product.plan()?.seconds > 0.0 && product.plan()?.memory() > 50_000_000);
/// let inputs: Vec<(&str, Type)> = product.inputs().collect();
/// assert_eq!(inputs[0].1.to_string(), "u8");
/// assert_eq!(product.outputs().next().map(|(name, _)| name), Some("z"));
///
/// let (values, control) = (Values::new().set("x", 12).set("y", 11), Control::default());
/// assert_eq!(product.simulate(&values)?.get::<u8>("z")?, 132);
/// let keys = Keys::generate()?;
/// for inputs in [
///     keys.secret.encrypt_words(&product, &values)?,
///     keys.public.encrypt_words(&product, &values)?,
/// ] {
///     let outputs = keys.server.evaluate_drawing(&product, &inputs, &control)?;
///     assert_eq!(keys.secret.decrypt(&outputs)?.get::<u8>("z")?, 132);
/// }
///
/// let half_adder = b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n";
/// let half_adder = Drawing::from_bytes("half_adder.txt", half_adder)?;
/// assert_eq!(half_adder.simulate(&Values::new().set("a", 1).set("b", 1))?.get::<u8>("out1")?, 1);
/// assert!(half_adder.write("bristol")?.starts_with("2 4"));
/// assert!(half_adder.write("yosys")?.starts_with("{"));
/// # Ok(())
/// # }
/// ```
#[derive(Clone, Debug)]
pub struct Drawing {
    interface: Interface,
    circuit: Circuit,
}

/// What circuits are drawn for: the default parameters, and units with the fewest lookups.
fn target(selectors: bool) -> Profile {
    profile_of(&tfhe::P16, selectors).for_wide_circuits()
}

fn profile_of(parameters: &tfhe::Parameters, selectors: bool) -> Profile {
    let profile = tfhe_lookup::profile(parameters);
    match selectors {
        true => tfhe_lookup::with_selectors(profile, parameters),
        false => profile,
    }
}

impl Drawing {
    /// A builder for what [`new`](Self::new) takes: lookups are native to it, and so are choices,
    /// for which a server key needs its [second part](ServerKey::selectors).
    #[must_use]
    pub fn builder() -> Builder {
        Builder::new(&target(true))
    }

    /// A builder of circuits for server keys of one part.
    #[must_use]
    pub fn builder_without_selectors() -> Builder {
        Builder::new(&target(false))
    }

    /// A circuit that such a builder made, and the words that its inputs and outputs are, in
    /// order.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for words that have not as many bits, and for floating-point numbers of other
    /// widths than 32 and 64.
    pub fn new(interface: Interface, circuit: Circuit) -> Result<Self, Error> {
        let found = (circuit.inputs(), circuit.outputs().len());
        let named = (interface.input_bits(), interface.output_bits());
        if found != named {
            let message = format!(
                "the circuit has {} inputs and {} outputs, its words {} and {}",
                found.0, found.1, named.0, named.1
            );
            return Err(Error::new(ErrorKind::Input, message));
        }
        let ports = || interface.inputs.iter().chain(&interface.outputs);
        let odd = |port: &&Port| port.meaning == Meaning::Float && !matches!(port.width, 32 | 64);
        if let Some(port) = ports().find(odd) {
            let (name, width) = (words::shown(&port.name), port.width);
            let message =
                format!("{name}: a floating-point number has 32 or 64 bits, this one {width}");
            return Err(Error::new(ErrorKind::Input, message));
        }
        Ok(Self { interface, circuit })
    }

    /// A circuit of a file: Bristol, BLIF, or Yosys' JSON, by its content.
    ///
    /// # Errors
    /// [`ErrorKind::File`] with what is wrong and where.
    pub fn from_bytes(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        let wrong = |message: String| Error::new(ErrorKind::File, format!("{name}: {message}"));
        let format = Format::of_name(name).or_else(|| Format::of_content(bytes));
        let format = format.ok_or_else(|| wrong("no circuit that can be read".to_owned()))?;
        let netlist = format
            .read(bytes)
            .map_err(|error| wrong(error.to_string()))?;
        let circuit = netlist.circuit(&target(false));
        Self::new(netlist.interface().clone(), circuit)
    }

    /// The text of a file: `bristol`, `blif`, or `yosys` for its JSON.
    ///
    /// # Errors
    /// [`ErrorKind::Usage`] for other formats, and for what the format cannot say.
    pub fn write(&self, format: &str) -> Result<String, Error> {
        let wrong = |message: String| Error::new(ErrorKind::Usage, message);
        let format: Format = format
            .parse()
            .map_err(|error| wrong(format!("{format}: {error}")))?;
        let circuit = circuits::passes::prepare(&self.circuit, &Profile::gate_simulation());
        let text = format.write(&self.interface, &circuit);
        text.map_err(|error| wrong(error.to_string()))
    }

    /// The circuit as it was drawn.
    #[must_use]
    pub fn circuit(&self) -> &Circuit {
        &self.circuit
    }

    /// The words that it takes, and their types.
    pub fn inputs(&self) -> impl Iterator<Item = (&str, Type)> {
        let ports = self.interface.inputs.iter();
        ports.map(|port| (port.name.as_str(), words::storage(port)))
    }

    /// The words that it leaves, and their types.
    pub fn outputs(&self) -> impl Iterator<Item = (&str, Type)> {
        let ports = self.interface.outputs.iter();
        ports.map(|port| (port.name.as_str(), words::storage(port)))
    }

    /// The circuit that is evaluated with the default parameters and a server key of two parts: of
    /// lookups, where it was drawn of gates.
    #[must_use]
    pub fn mapped(&self) -> Circuit {
        Mapped::of(&self.circuit, &target(true)).circuit
    }

    /// What evaluating that takes.
    #[must_use]
    pub fn cost(&self) -> Cost {
        Mapped::of(&self.circuit, &target(true)).cost
    }

    /// What evaluating that takes on this machine, measured for a moment.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`], a defect.
    pub fn plan(&self) -> Result<Estimate, Error> {
        self.plan_on(&Control::default())
    }

    /// As [`plan`](Self::plan), on so many threads.
    ///
    /// # Errors
    /// As for [`plan`](Self::plan).
    pub fn plan_on(&self, control: &Control) -> Result<Estimate, Error> {
        let (parameters, threads) = (tfhe::P16, control.threads);
        let profile = target(true).with_cores(threads.get());
        let circuit = Mapped::of(&self.circuit, &profile).circuit;
        let calibration = calibrate_on(&parameters, Fft::detect()).map_err(Error::internal)?;
        Ok(Estimate::of_circuit(
            &circuit,
            &profile,
            &parameters,
            threads,
            &calibration,
        ))
    }

    /// Whether only a server key of two parts evaluates it.
    #[must_use]
    pub fn needs_selectors(&self) -> bool {
        let mut nodes = self.circuit.nodes().map(|node| self.circuit.op(node));
        nodes.any(|op| op.needs_selectors())
    }

    /// Evaluates it on clear values.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for values that do not fit.
    pub fn simulate(&self, values: &Values) -> Result<Answer, Error> {
        let bits = self.bits(values)?.into_iter().flat_map(|(port, bits)| {
            // Without what fills the bytes of a file.
            bits.into_iter().take(port.width)
        });
        let left = Mapped::of(&self.circuit, &target(true)).simulate(&bits.collect::<Vec<_>>())?;
        let words = words::split(&self.interface.outputs, &left).filter(|(port, _)| port.width > 0);
        let words = words.map(|(port, bits)| {
            let (name, kind) = (port.name.clone(), words::storage(port));
            let bits = words::stored(port, bits.to_vec(), false);
            (wire::Variable { name, kind }, bits)
        });
        let row = Decrypted::of_row(&self.interface.name, words.collect())?;
        Ok(Answer::new(vec![row]))
    }

    pub(crate) fn encrypt(&self, key: &Encryptor<'_>, values: &Values) -> Result<Inputs, Error> {
        let variables = words::variables(&self.interface.inputs);
        let bits: Vec<bool> = self
            .bits(values)?
            .into_iter()
            .flat_map(|(_, bits)| bits)
            .collect();
        let bytes = key.encrypt(&variables, &bits, &Control::default())?;
        Inputs::from_bytes(bytes.to_vec())
    }

    /// The bits of all inputs, as files hold them.
    fn bits(&self, values: &Values) -> Result<Vec<(&Port, Vec<bool>)>, Error> {
        let wrong = |message: String| Error::new(ErrorKind::Input, message);
        let given = values.assignments();
        let ports = &self.interface.inputs;
        for (at, assignment) in given.iter().enumerate() {
            let name = &assignment.name;
            if !ports.iter().any(|port| port.name == *name) {
                let listed = words::listed(ports);
                return Err(wrong(format!(
                    "no input '{}'; there are {listed}",
                    words::shown(name)
                )));
            }
            if given.iter().take(at).any(|other| other.name == *name) {
                return Err(wrong(format!("{name} is given twice")));
            }
        }
        let bits = ports.iter().map(|port| {
            let name = words::shown(&port.name);
            let Some(assignment) = given.iter().find(|own| own.name == port.name) else {
                return Err(wrong(format!("{name}: there is no value for it")));
            };
            let ty = words::storage(port);
            let mut bytes = ty
                .encode(&assignment.elements(&ty)?)
                .map_err(|error| Error::new(ErrorKind::Input, format!("{name}: {error}")))?;
            bytes.resize(ty.size() as usize, 0);
            let bits = bits_of(&bytes);
            let own = bits.iter().copied().take(port.width).collect();
            if words::stored(port, own, false) != bits {
                let width = port.width;
                return Err(wrong(format!(
                    "{name}: the value has more than its {width} bits"
                )));
            }
            Ok((port, bits))
        });
        bits.collect()
    }
}

impl ServerKey {
    /// Evaluates a circuit on ciphertexts of its inputs, with threads, progress and a way to stop.
    ///
    /// # Errors
    /// [`ErrorKind::Key`] for ciphertexts of another key, and for a key of one part where the circuit
    /// needs two; [`ErrorKind::Input`] for ciphertexts of other words; [`ErrorKind::Interrupted`].
    pub fn evaluate_drawing(
        &self,
        drawing: &Drawing,
        inputs: &Inputs,
        control: &Control,
    ) -> Result<Outputs, Error> {
        let target = Target::of(control);
        let bytes = inputs.to_bytes().to_vec();
        let source: Source = Box::new(std::io::Cursor::new(bytes));
        let (first, _) = Tfhe::read(source, None)
            .map_err(|error| Error::file(std::path::Path::new("the inputs"), &error))?;
        if let Computing::Tfhe { seeded: key, .. } = &self.0 {
            ServerKey::check(&first, key.parameters(), key.key_id())?;
        }
        if drawing.needs_selectors() && !self.has_selectors() {
            let message = "the circuit makes choices, and the server key has no second part for them: make keys \
                 with selectors, or draw the circuit without";
            return Err(Error::new(ErrorKind::Key, message));
        }
        let key = self.expanded(&target, self.has_selectors())?;
        let profile = profile_of(first.parameters(), self.has_selectors());
        let engine = TfheLookup::new(key.lookups, profile.with_cores(control.threads.get()));
        let engine = match key.selectors {
            Some(selectors) => engine.with_leveled(selectors),
            None => engine,
        };
        let given = Given::<Tfhe>::joined(vec![("the inputs".to_owned(), first)])?;
        let evaluation = Evaluation::of_circuit(&drawing.interface, &drawing.circuit, &given)?;
        let outputs = evaluation.on(&engine, control)?.outputs;
        let bytes = wire::encode(&outputs).map_err(Error::internal)?;
        Outputs::from_bytes(bytes.to_vec())
    }
}
