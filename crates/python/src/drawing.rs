//! Circuits: drawn by the tracer operation by operation, or read from files.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};

use blindcore::Drawing;
use circuits::formats::{Interface, Meaning, Port};
use circuits::library::{self, Shift, Signedness};
use circuits::{Builder, Wire};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::answers;
use crate::ciphertexts::{Inputs, Outputs};
use crate::errors::{OrRaise, usage};
use crate::floats;
use crate::graph::Graph;
use crate::keys::ServerKey;
use crate::plan::CircuitPlan;
use crate::symbols::Variable;
use crate::values::named;
use crate::work::{Manner, attend};

/// Recorders that this process has made: wires of one mean nothing in another.
static MADE: AtomicU64 = AtomicU64::new(0);

/// The widest word of a drawing. Words of one bit are truth values.
const WIDEST: usize = 64;

/// How many nodes of a circuit a notebook shows without being asked.
const DRAWN: usize = 120;

/// Wires of a word that is being recorded.
#[pyclass(frozen, module = "blindcore._native")]
pub struct Wires {
    recorder: u64,
    wires: Vec<Wire>,
}

#[pymethods]
impl Wires {
    /// Bits.
    #[getter]
    fn width(&self) -> usize {
        self.wires.len()
    }
}

/// A circuit in the making: what the tracer of Python functions draws with.
#[pyclass(frozen, module = "blindcore._native")]
pub struct Recorder {
    number: u64,
    state: Mutex<Option<State>>,
}

struct State {
    builder: Builder,
    inputs: Vec<Port>,
}

impl Recorder {
    fn with<T>(
        &self,
        py: Python<'_>,
        draw: impl FnOnce(&mut State) -> Result<T, String> + Send,
    ) -> PyResult<T>
    where
        T: Send,
    {
        let drawn = py.detach(|| {
            let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
            match state.as_mut() {
                Some(state) => draw(state),
                None => Err("the circuit is finished".to_owned()),
            }
        });
        drawn.map_err(|message| usage(py, &message))
    }

    fn word(&self, wires: Vec<Wire>) -> Wires {
        let recorder = self.number;
        Wires { recorder, wires }
    }

    fn own(&self, py: Python<'_>, operands: &[PyRef<'_, Wires>]) -> PyResult<Vec<Vec<Wire>>> {
        let foreign = |operand: &PyRef<'_, Wires>| operand.recorder != self.number;
        if operands.iter().any(foreign) {
            return Err(usage(
                py,
                "a word of another function: each call records its own",
            ));
        }
        Ok(operands
            .iter()
            .map(|operand| operand.wires.clone())
            .collect())
    }
}

fn width(width: usize) -> Result<usize, String> {
    match width {
        1..=WIDEST => Ok(width),
        _ => Err(format!(
            "a word of {width} bits: there are words of 1 to {WIDEST}"
        )),
    }
}

fn meaning(kind: &str) -> Result<Meaning, String> {
    match kind {
        "unsigned" => Ok(Meaning::Unsigned),
        "signed" => Ok(Meaning::Signed),
        "float" => Ok(Meaning::Float),
        _ => Err(format!("{kind}: words are unsigned, signed or float")),
    }
}

#[pymethods]
impl Recorder {
    /// A new one, for server keys of two parts or of one.
    #[new]
    #[pyo3(signature = (selectors=true))]
    fn new(selectors: bool) -> Self {
        let builder = match selectors {
            true => Drawing::builder(),
            false => Drawing::builder_without_selectors(),
        };
        let inputs = Vec::new();
        Self {
            number: MADE.fetch_add(1, Ordering::Relaxed),
            state: Mutex::new(Some(State { builder, inputs })),
        }
    }

    /// One more input: ``"unsigned"``, ``"signed"`` or ``"float"``.
    fn input(&self, py: Python<'_>, name: String, bits: usize, kind: &str) -> PyResult<Wires> {
        let wires = self.with(py, |state| {
            let bits = width(bits)?;
            state.inputs.push(Port {
                meaning: meaning(kind)?,
                ..Port::new(name, bits)
            });
            Ok(state.builder.inputs(bits))
        })?;
        Ok(self.word(wires))
    }

    /// A number that everybody knows, by its lowest bits.
    fn constant(&self, py: Python<'_>, value: i128, bits: usize) -> PyResult<Wires> {
        let wires = self.with(py, |_| Ok(library::constant(value as u64, width(bits)?)))?;
        Ok(self.word(wires))
    }

    /// An operation on words.
    #[pyo3(signature = (operation, operands, *, signed=false, amount=0))]
    fn apply(
        &self,
        py: Python<'_>,
        operation: &str,
        operands: Vec<PyRef<'_, Wires>>,
        signed: bool,
        amount: usize,
    ) -> PyResult<Wires> {
        let operands = self.own(py, &operands)?;
        let wires = self.with(py, |state| {
            apply(&mut state.builder, operation, &operands, signed, amount)
        })?;
        Ok(self.word(wires))
    }

    /// The number of a table that a word names; 0 beyond the last one.
    fn table(
        &self,
        py: Python<'_>,
        index: PyRef<'_, Wires>,
        bits: usize,
        values: Vec<i128>,
    ) -> PyResult<Wires> {
        let index = self.own(py, &[index])?.concat();
        let values: Vec<u64> = values.into_iter().map(|value| value as u64).collect();
        let wires = self.with(py, |state| {
            Ok(library::rom(
                &mut state.builder,
                &index,
                width(bits)?,
                &values,
            ))
        })?;
        Ok(self.word(wires))
    }

    /// The word of a list that a word names; 0 beyond the last one.
    fn select_from(
        &self,
        py: Python<'_>,
        index: PyRef<'_, Wires>,
        entries: Vec<PyRef<'_, Wires>>,
    ) -> PyResult<Wires> {
        let index = self.own(py, &[index])?.concat();
        let entries = self.own(py, &entries)?;
        let wires = self.with(py, |state| {
            let bits = entries.first().map_or(0, Vec::len);
            if entries.iter().any(|entry| entry.len() != bits) {
                return Err("words of different widths".to_owned());
            }
            let last = 1u64.checked_shl(index.len() as u32).unwrap_or(u64::MAX);
            let entries: Vec<_> = (0..last.min(u64::from(u32::MAX)))
                .zip(entries)
                .map(|(at, entry)| (at as u32, entry))
                .collect();
            Ok(library::select_from(
                &mut state.builder,
                &index,
                Wire::TRUE,
                bits,
                &entries,
            ))
        })?;
        Ok(self.word(wires))
    }

    /// The circuit with these outputs: names, words, and of what kind they are, as of ``input``.
    /// Nothing is recorded afterwards.
    fn finish(
        &self,
        py: Python<'_>,
        name: String,
        outputs: Vec<(String, PyRef<'_, Wires>, String)>,
    ) -> PyResult<Circuit> {
        let mut ports = Vec::new();
        let mut words = Vec::new();
        for (name, word, kind) in outputs {
            ports.push(Port {
                meaning: meaning(&kind).map_err(|message| usage(py, &message))?,
                ..Port::new(name, word.wires.len())
            });
            words.push(word);
        }
        let words = self.own(py, &words)?.concat();
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let state = state.take();
        let state = state.ok_or_else(|| usage(py, "the circuit is finished"))?;
        let drawing = py.detach(|| {
            let State {
                mut builder,
                inputs,
            } = state;
            for wire in words {
                builder.output(wire);
            }
            let interface = Interface {
                name,
                inputs,
                outputs: ports,
            };
            Drawing::new(interface, builder.finish())
        });
        drawing.or_raise(py).map(Circuit::of)
    }
}

/// An operation on words, by its name.
fn apply(
    b: &mut Builder,
    operation: &str,
    operands: &[Vec<Wire>],
    signed: bool,
    amount: usize,
) -> Result<Vec<Wire>, String> {
    if let Some(made) = floats::apply(b, operation, operands, signed, amount) {
        return Ok(made);
    }
    let signedness = match signed {
        true => Signedness::Signed,
        false => Signedness::Unsigned,
    };
    let right = match signed {
        true => Shift::ArithmeticRight,
        false => Shift::LogicalRight,
    };
    let places = u32::try_from(amount).unwrap_or(u32::MAX);
    Ok(match (operation, operands) {
        ("extend", [x]) => {
            let above = match (signed, x.last()) {
                (true, Some(sign)) => *sign,
                _ => Wire::FALSE,
            };
            let mut word = x.clone();
            word.resize(width(amount)?, above);
            word
        }
        ("not", [x]) => library::not(x),
        ("shift_left", [x]) => library::shift_by(Shift::Left, x, places, Wire::FALSE).0,
        ("shift_right", [x]) => library::shift_by(right, x, places, Wire::FALSE).0,
        ("shift_left", [x, by]) => library::shift(b, Shift::Left, x, by, Wire::FALSE).0,
        ("shift_right", [x, by]) => library::shift(b, right, x, by, Wire::FALSE).0,
        (_, [x, y]) if x.len() != y.len() => return Err("words of different widths".to_owned()),
        ("add", [x, y]) => library::add(b, x, y),
        ("subtract", [x, y]) => library::subtract(b, x, y),
        ("multiply", [x, y]) => library::multiply(b, x, y),
        ("quotient", [x, y]) => library::divide(b, signedness, x, y).quotient,
        ("remainder", [x, y]) => library::divide(b, signedness, x, y).remainder,
        ("and", [x, y]) => library::and(b, x, y),
        ("or", [x, y]) => library::or(b, x, y),
        ("xor", [x, y]) => library::xor(b, x, y),
        ("minimum", [x, y]) => library::minimum(b, signedness, x, y),
        ("maximum", [x, y]) => library::maximum(b, signedness, x, y),
        ("equal", [x, y]) => vec![library::equal(b, x, y)],
        ("less", [x, y]) if signed => vec![library::less_than_signed(b, x, y)],
        ("less", [x, y]) => vec![library::less_than_unsigned(b, x, y)],
        ("select", [condition, x, y]) if x.len() == y.len() => match condition[..] {
            [condition] => library::select(b, condition, x, y),
            _ => return Err("a condition is one bit".to_owned()),
        },
        _ => return Err(format!("{operation} of {} words", operands.len())),
    })
}

/// A circuit with named words at its edge: drawn by a Python function, or read from a file.
#[pyclass(frozen, module = "blindcore")]
pub struct Circuit(pub(crate) Arc<Drawing>);

impl Circuit {
    pub(crate) fn of(drawing: Drawing) -> Self {
        Self(Arc::new(drawing))
    }
}

fn variables<'py>(
    py: Python<'py>,
    words: impl Iterator<Item = (String, blindcore::Type)>,
) -> PyResult<Bound<'py, PyDict>> {
    let named = PyDict::new(py);
    for (name, ty) in words {
        let variable = Variable::new(&name, Some(&ty));
        named.set_item(name, variable)?;
    }
    Ok(named)
}

#[pymethods]
impl Circuit {
    /// The circuit of a file's bytes: Bristol, BLIF, or Yosys' JSON. Raises ``FileError``.
    ///
    /// >>> import blindcore as bc
    /// >>> half_adder = b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"
    /// >>> circuit = bc.Circuit.from_bytes("half_adder.txt", half_adder)
    /// >>> [int(bit) for bit in circuit.simulate(a=1, b=1).values()]
    /// [0, 1]
    #[classmethod]
    fn from_bytes(
        _cls: &Bound<'_, PyType>,
        py: Python<'_>,
        name: &str,
        data: &[u8],
    ) -> PyResult<Self> {
        let drawing = py.detach(|| Drawing::from_bytes(name, data)).or_raise(py)?;
        Ok(Self::of(drawing))
    }

    /// Reads a file: Bristol, BLIF, or Yosys' JSON. Raises ``AccessError`` or ``FileError``.
    #[classmethod]
    fn load(cls: &Bound<'_, PyType>, path: std::path::PathBuf) -> PyResult<Self> {
        let py = cls.py();
        let bytes = py.detach(|| std::fs::read(&path));
        let bytes = bytes
            .map_err(|error| session::Error::io(&path, "read", &error))
            .or_raise(py)?;
        let name = path.display().to_string();
        Self::from_bytes(cls, py, &name, &bytes)
    }

    /// The circuit in the Bristol format, of gates.
    fn to_bristol(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.write("bristol")).or_raise(py)
    }

    /// The circuit in the format BLIF, of gates.
    fn to_blif(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.write("blif")).or_raise(py)
    }

    /// The circuit as the JSON of Yosys, which ``read_json`` takes, of gates.
    fn to_yosys(&self, py: Python<'_>) -> PyResult<String> {
        py.detach(|| self.0.write("yosys")).or_raise(py)
    }

    /// The words that it takes, with their types.
    #[getter]
    fn inputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        variables(py, self.0.inputs().map(|(name, ty)| (name.to_owned(), ty)))
    }

    /// The words that it leaves, with their types.
    #[getter]
    fn outputs<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        variables(py, self.0.outputs().map(|(name, ty)| (name.to_owned(), ty)))
    }

    /// What evaluating it takes: ``bootstraps``, ``depth``, ``lookups``, ``operations``.
    fn cost<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let cost = py.detach(|| self.0.cost());
        let named = PyDict::new(py);
        named.set_item("bootstraps", cost.bootstraps)?;
        named.set_item("depth", cost.depth)?;
        named.set_item("lookups", cost.lookup)?;
        named.set_item(
            "operations",
            self.0.circuit().len() - self.0.circuit().inputs(),
        )?;
        Ok(named)
    }

    /// What evaluating it takes on this machine: a ``CircuitPlan`` with ``.bootstraps``, ``.seconds``,
    /// ``.memory``. Counts on a server key of two parts.
    #[pyo3(signature = (*, threads=None))]
    fn plan(&self, py: Python<'_>, threads: Option<i64>) -> PyResult<CircuitPlan> {
        let manner = Manner::of(py, threads, None)?;
        let drawing = Arc::clone(&self.0);
        attend(py, manner, move |work| drawing.plan_on(&work.control)).map(CircuitPlan)
    }

    /// Evaluates it on clear values, given as to ``SecretKey.encrypt``. Returns an ``Answer``.
    #[pyo3(signature = (values=None, /, **named_values))]
    fn simulate(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyAny>>,
        named_values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let values = named(values, named_values)?;
        let drawing = Arc::clone(&self.0);
        let answer = attend(py, Manner::default(), move |_| {
            Ok(answers::table(&drawing.simulate(&values)?))
        });
        answers::decrypted(py, answer?)
    }

    /// Evaluates it on ciphertexts, on this machine; ``threads`` and ``progress`` as in
    /// ``Program.run``.
    ///
    /// Raises ``WrongKey``, also for a server key without selectors where the circuit needs them, and
    /// ``InputError`` for ciphertexts of other words.
    #[pyo3(signature = (inputs, server_key, /, *, threads=None, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, Inputs>,
        server_key: &Bound<'_, ServerKey>,
        threads: Option<i64>,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Outputs> {
        let manner = Manner::of(py, threads, progress)?;
        let (inputs, key) = (Arc::clone(&inputs.get().0), Arc::clone(&server_key.get().0));
        let drawing = Arc::clone(&self.0);
        attend(py, manner, move |work| {
            key.evaluate_drawing(&drawing, &inputs, &work.control)
        })
        .map(Outputs::of)
    }

    /// The circuit as a graph, in arrays: what its nodes are, what they read, and on which level.
    ///
    /// Args:
    ///     drawn: Whether to show it as it was drawn, of gates, instead of as it is evaluated, of
    ///         lookups.
    ///
    /// >>> import blindcore as bc
    /// >>> half_adder = b"2 4\n2 1 1\n2 1 1\n\n2 1 0 1 2 XOR\n2 1 0 1 3 AND\n"
    /// >>> graph = bc.Circuit.from_bytes("half_adder.txt", half_adder).graph(drawn=True)
    /// >>> graph.kinds.tolist(), graph.edges.tolist()
    /// (['input', 'input', 'xor', 'and'], [[0, 2], [1, 2], [0, 3], [1, 3]])
    #[pyo3(signature = (*, drawn=false))]
    fn graph<'py>(&self, py: Python<'py>, drawn: bool) -> PyResult<Bound<'py, PyAny>> {
        let graph = py.detach(|| match drawn {
            true => Graph::of(self.0.circuit()),
            false => Graph::of(&self.0.mapped()),
        });
        PyModule::import(py, "blindcore._graph")?
            .getattr("graph")?
            .call1(graph.parts(py))
    }

    /// In a notebook: the drawing of a small circuit, and what it costs.
    fn _repr_html_(&self, py: Python<'_>) -> PyResult<String> {
        let words = self.__repr__(py).replace('&', "&amp;").replace('<', "&lt;");
        let small = py.detach(|| self.0.mapped().len()) <= DRAWN;
        let drawing: String = match small {
            true => self.graph(py, false)?.getattr("svg")?.extract()?,
            false => String::new(),
        };
        Ok(format!("<p><code>{words}</code></p>{drawing}"))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let cost = py.detach(|| self.0.cost());
        let words = |words: Vec<&str>| words.join(", ");
        let inputs = words(self.0.inputs().map(|(name, _)| name).collect());
        let outputs = words(self.0.outputs().map(|(name, _)| name).collect());
        let (bootstraps, depth) = (cost.bootstraps, cost.depth);
        format!("<circuit ({inputs}) -> ({outputs}): {bootstraps} bootstraps, depth {depth}>")
    }
}
