//! Programs: what of them is secret, what is public, and how they are executed.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use blindcore::{Branches, Otherwise, Value};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyMapping, PyString, PyType};

use crate::answers;
use crate::ciphertexts::{Inputs, Outputs};
use crate::cluster::Addresses;
use crate::drawing::Circuit;
use crate::errors::{OrRaise, usage};
use crate::keys::{Keys, SecretKey, ServerKey};
use crate::plan::{Plan, TablePlan};
use crate::profile::Profile;
use crate::running::{asking, rules};
use crate::symbols::{Function, Variable};
use crate::values::named;
use crate::work::{Manner, attend};

/// A compiled program: what of it is secret, what is public, and how it is executed.
///
/// Args:
///     source: The path of an A32 ELF file, of a text in HE assembly (``.hea``) or of a C file.
///     secret: Names of the variables whose values will be encrypted, ``NAME`` or ``NAME:TYPE``.
///         With names, encryption takes exactly these.
///     public: Values that everybody may know, by name; the program's work on them costs nothing.
///     outputs: Names of the variables that are wanted; by default all that the program wrote.
///     call: A function to call instead of ``main``: ``"score(income, 25)"``. Names of arguments
///         are secrets; the result is an output under the function's name.
///     entry: The function or label to begin at instead of ``main``.
///     branches: What happens where the program branches on a secret: ``"refuse"``, ``"both"``
///         (both paths are executed), ``"ask"`` (the key's owner is asked), ``"client"`` (the owner
///         is asked for the next instruction), ``"both,ask"`` or ``"both,client"``.
///     limit: The most instructions that a run may execute.
///     missing_are_zero: Takes 0 for variables that the program reads and that nobody gave.
///
/// Nothing of it changes; ``replace`` gives another one.
#[pyclass(frozen, module = "blindcore")]
pub struct Program {
    /// As it was read.
    read: Arc<blindcore::Program>,
    /// What was said of it, in the words of the constructor.
    said: Py<PyDict>,
    /// With what was said of it.
    prepared: Arc<blindcore::Program>,
    /// What the compiler said.
    messages: String,
}

impl Program {
    pub(crate) fn prepared(&self) -> Arc<blindcore::Program> {
        Arc::clone(&self.prepared)
    }

    fn of(
        py: Python<'_>,
        read: Arc<blindcore::Program>,
        said: Bound<'_, PyDict>,
    ) -> PyResult<Self> {
        let prepared = Arc::new(prepare(py, &read, &said)?);
        let said = said.unbind();
        let messages = read.messages().to_owned();
        Ok(Self {
            read,
            said,
            prepared,
            messages,
        })
    }

    fn with_branches(
        &self,
        py: Python<'_>,
        asked: Option<&str>,
    ) -> PyResult<Arc<blindcore::Program>> {
        match asked {
            None => Ok(self.prepared()),
            Some(words) => {
                let program = blindcore::Program::clone(&self.prepared);
                Ok(Arc::new(program.branches(branches(py, words)?)))
            }
        }
    }
}

/// What is said of a program, in the constructor's words.
fn prepare(
    py: Python<'_>,
    read: &blindcore::Program,
    said: &Bound<'_, PyDict>,
) -> PyResult<blindcore::Program> {
    let mut program = read.clone();
    for (word, value) in said {
        let word: String = word.extract()?;
        if value.is_none() {
            continue;
        }
        program = match word.as_str() {
            "secret" => program.secret(names(&word, &value)?).or_raise(py)?,
            "public" => public(program, &value)?,
            "outputs" => program.outputs(names(&word, &value)?),
            "call" => program.call(&value.extract::<String>()?).or_raise(py)?,
            "entry" => program.entry(value.extract::<String>()?),
            "branches" => program.branches(branches(py, &value.extract::<String>()?)?),
            "limit" => program.limit(value.extract()?),
            "missing_are_zero" => match value.is_truthy()? {
                true => program.missing_are_zero(),
                false => program,
            },
            _ => {
                let message = format!("a program has no {word}");
                return Err(PyTypeError::new_err(message));
            }
        };
    }
    Ok(program)
}

/// Several names; a single text is a name, not its letters.
fn names(word: &str, value: &Bound<'_, PyAny>) -> PyResult<Vec<String>> {
    if let Ok(one) = value.cast::<PyString>() {
        return Ok(vec![one.extract()?]);
    }
    let wrong = || PyTypeError::new_err(format!("{word}: it takes names, in a list"));
    let names = value.try_iter().map_err(|_| wrong())?;
    names
        .map(|name| name?.extract().map_err(|_| wrong()))
        .collect()
}

fn public(program: blindcore::Program, values: &Bound<'_, PyAny>) -> PyResult<blindcore::Program> {
    let wrong = |_| PyTypeError::new_err("public: it takes values by name, in a mapping");
    let mut program = program;
    for pair in values.cast::<PyMapping>().map_err(wrong)?.items()?.iter() {
        let (name, value): (String, Bound<'_, PyAny>) = pair.extract()?;
        let value: Value = crate::values::value(&name, &value)?;
        program = program.public(name, value).or_raise(values.py())?;
    }
    Ok(program)
}

/// Where workers are: ours, or a list of texts.
fn addresses(workers: &Bound<'_, PyAny>) -> PyResult<blindcore::Addresses> {
    if let Ok(addresses) = workers.cast::<Addresses>() {
        return Ok(addresses.get().0.clone());
    }
    let wrong = |_| PyTypeError::new_err("workers: it takes addresses, HOST:PORT, in a list");
    let list: Vec<String> = workers.extract().map_err(wrong)?;
    Ok(blindcore::Addresses::from(list))
}

/// The words of the command line's `--branches`.
fn branches(py: Python<'_>, words: &str) -> PyResult<Branches> {
    let mut words = words.split(',').map(str::trim).peekable();
    let both = words.next_if_eq(&"both").map(|_| Branches::MERGE_LIMIT);
    let otherwise = match (words.next(), words.next()) {
        (None | Some("refuse"), None) => Otherwise::Refuse,
        (Some("ask"), None) => Otherwise::Ask,
        (Some("client"), None) => Otherwise::ClientHeld,
        _ => {
            let message = "branches: there are \"refuse\", \"both\", \"ask\", \"client\", \"both,ask\" \
                           and \"both,client\"";
            return Err(usage(py, message));
        }
    };
    Ok(Branches { both, otherwise })
}

#[pymethods]
impl Program {
    #[new]
    #[pyo3(signature = (source, *, secret=None, public=None, outputs=None, call=None, entry=None,
        branches=None, limit=None, missing_are_zero=false))]
    #[expect(clippy::too_many_arguments, reason = "by name, each with a default")]
    fn new(
        py: Python<'_>,
        source: PathBuf,
        secret: Option<&Bound<'_, PyAny>>,
        public: Option<&Bound<'_, PyAny>>,
        outputs: Option<&Bound<'_, PyAny>>,
        call: Option<&str>,
        entry: Option<&str>,
        branches: Option<&str>,
        limit: Option<u64>,
        missing_are_zero: bool,
    ) -> PyResult<Self> {
        let said = PyDict::new(py);
        said.set_item("secret", secret)?;
        said.set_item("public", public)?;
        said.set_item("outputs", outputs)?;
        said.set_item("call", call)?;
        said.set_item("entry", entry)?;
        said.set_item("branches", branches)?;
        said.set_item("limit", limit)?;
        said.set_item("missing_are_zero", missing_are_zero)?;
        let read = attend(py, Manner::default(), move |_| {
            blindcore::Program::open(source)
        })?;
        Self::of(py, Arc::new(read), said)
    }

    /// The program of these bytes: an ELF file, or a text in HE assembly where ``name`` ends in
    /// ``.hea``. The keywords are the constructor's.
    ///
    /// Raises ``ProgramError``.
    #[classmethod]
    #[pyo3(signature = (name, data, **keywords))]
    fn from_bytes(
        _cls: &Bound<'_, PyType>,
        py: Python<'_>,
        name: &str,
        data: &[u8],
        keywords: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let read = py
            .detach(|| blindcore::Program::from_bytes(name, data))
            .or_raise(py)?;
        Self::of(
            py,
            Arc::new(read),
            keywords.unwrap_or_else(|| PyDict::new(py)),
        )
    }

    /// The program of a text in HE assembly. The keywords are the constructor's.
    ///
    /// Raises ``ProgramError`` with the line.
    ///
    /// >>> import blindcore as bc
    /// >>> text = ".bits 16\n.data a\n LOAD R0, a\n XOR R0, R0, 255\n STORE R0, a"
    /// >>> program = bc.Program.assembly(text, secret=["a"])
    /// >>> int(program.simulate(a=1).a)
    /// 254
    #[classmethod]
    #[pyo3(signature = (text, **keywords))]
    fn assembly(
        cls: &Bound<'_, PyType>,
        py: Python<'_>,
        text: &str,
        keywords: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        Self::from_bytes(cls, py, "program.hea", text.as_bytes(), keywords)
    }

    /// Compiles a C file, or takes what it was compiled to before; messages call it ``name``, if
    /// there is one. ``blindcore.compile`` calls it.
    #[classmethod]
    #[pyo3(signature = (path, flags, compiler, name, **keywords))]
    fn _compile(
        _cls: &Bound<'_, PyType>,
        py: Python<'_>,
        path: PathBuf,
        flags: Vec<String>,
        compiler: Option<String>,
        name: Option<String>,
        keywords: Option<Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        let (read, messages) = attend(py, Manner::default(), move |_| {
            let read = blindcore::Program::compile(path, &flags, compiler.as_deref())?;
            let messages = read.messages().to_owned();
            let read = match name {
                Some(name) => blindcore::Program::from_bytes(&name, read.bytes())?,
                None => read,
            };
            Ok((read, messages))
        })?;
        let said = keywords.unwrap_or_else(|| PyDict::new(py));
        let program = Self::of(py, Arc::new(read), said)?;
        Ok(Self {
            messages,
            ..program
        })
    }

    /// The same program with something else said of it: the keywords are the constructor's.
    #[pyo3(signature = (**keywords))]
    fn replace(&self, py: Python<'_>, keywords: Option<Bound<'_, PyDict>>) -> PyResult<Self> {
        let said = self.said.bind(py).copy()?;
        if let Some(keywords) = keywords {
            said.update(keywords.as_mapping())?;
        }
        Self::of(py, Arc::clone(&self.read), said)
    }

    /// What it is called in messages.
    #[getter]
    fn name(&self) -> &str {
        self.prepared.name()
    }

    /// What was said of it, in the words of the constructor.
    #[getter]
    fn _said<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        self.said.bind(py).copy()
    }

    /// What the compiler said about the source; empty if nothing was compiled.
    #[getter]
    fn messages(&self) -> &str {
        &self.messages
    }

    /// The variables by name, with types and shapes; fields of structures as ``point.x``.
    #[getter]
    fn variables<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for variable in self.prepared.image().variables() {
            for leaf in std::iter::once(variable).chain(&variable.fields) {
                let shown = Variable::new(&leaf.name, leaf.ty.as_ref());
                named.set_item(&leaf.name, shown)?;
            }
        }
        Ok(named)
    }

    /// The functions by name.
    #[getter]
    fn functions<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let named = PyDict::new(py);
        for function in self.prepared.image().functions() {
            named.set_item(&function.name, Function::new(function))?;
        }
        Ok(named)
    }

    /// What a run would cost on this machine, before there is a key or a ciphertext. It counts on a
    /// server key with selectors, as ``keygen`` makes them; without, a run may take up to three times
    /// as many bootstraps.
    ///
    /// Args:
    ///     threads: Threads of the run; all that the machine has if nobody says.
    ///     branches: Instead of the program's own, as the constructor takes them.
    ///
    /// Raises what a run would raise, as far as that can be known without secrets.
    #[pyo3(signature = (*, threads=None, branches=None))]
    fn plan(&self, py: Python<'_>, threads: Option<i64>, branches: Option<&str>) -> PyResult<Plan> {
        let manner = Manner::of(py, threads, None)?;
        let program = self.with_branches(py, branches)?;
        let plan = attend(py, manner, move |work| program.plan_on(&work.control))?;
        Ok(Plan(Arc::new(plan)))
    }

    /// What a run over a table of so many rows would cost on BGV, with the parameters that ``keygen``
    /// would choose for it.
    ///
    /// Raises what a run would raise, and ``LimitExceeded`` for a program that is too deep.
    ///
    /// >>> import blindcore as bc
    /// >>> text = ".bits 16\n.data a\n.data b\n LOAD R0, a\n LOAD R1, b\n AND R0, R0, R1\n STORE R0, a"
    /// >>> plan = bc.Program.assembly(text, secret=["a", "b"]).plan_table(1000)
    /// >>> plan.ands, plan.depth, plan.security >= 128
    /// (16, 1, True)
    #[pyo3(signature = (rows, *, threads=None))]
    fn plan_table(&self, py: Python<'_>, rows: usize, threads: Option<i64>) -> PyResult<TablePlan> {
        let manner = Manner::of(py, threads, None)?;
        let program = self.prepared();
        attend(py, manner, move |work| {
            program.plan_table(rows, &work.control)
        })
        .map(TablePlan)
    }

    /// Which functions and source lines the bootstraps of ``plan`` are for.
    ///
    /// Args:
    ///     threads: Threads of the run; all that the machine has if nobody says.
    ///     branches: Instead of the program's own, as the constructor takes them.
    ///
    /// Raises what a run would raise, as far as that can be known without secrets.
    ///
    /// >>> import blindcore as bc
    /// >>> text = ".bits 16\n.data a\nmain:\n LOAD R0, a\n MUL R0, R0, R0\n STORE R0, a"
    /// >>> profile = bc.Program.assembly(text, secret=["a"]).profile()
    /// >>> profile.lines[0]["line"], profile.lines[0]["bootstraps"] == profile.bootstraps
    /// (5, True)
    #[pyo3(signature = (*, threads=None, branches=None))]
    fn profile(
        &self,
        py: Python<'_>,
        threads: Option<i64>,
        branches: Option<&str>,
    ) -> PyResult<Profile> {
        let manner = Manner::of(py, threads, None)?;
        let program = self.with_branches(py, branches)?;
        attend(py, manner, move |work| program.profile_on(&work.control)).map(Profile)
    }

    /// What a window of a run became: the circuit that is evaluated between one checkpoint and the
    /// next, its inputs and outputs bit by bit. Most programs are a single window.
    ///
    /// Args:
    ///     window: Which one, from 0.
    ///     threads: Threads of the run: circuits for many threads are wider.
    ///
    /// Raises what a run would raise, and ``UsageError`` for a window that there is not.
    #[pyo3(signature = (window=0, *, threads=None))]
    fn circuit(&self, py: Python<'_>, window: usize, threads: Option<i64>) -> PyResult<Circuit> {
        let manner = Manner::of(py, threads, None)?;
        let program = self.prepared();
        attend(py, manner, move |work| {
            program.window(window, &work.control)
        })
        .map(Circuit::of)
    }

    /// Runs on clear values, without keys: the circuits that a run would evaluate, compared after
    /// every instruction with a plain interpreter. Returns an ``Answer``.
    ///
    /// Values are given as to ``SecretKey.encrypt``. Raises what a run would raise; and
    /// ``InternalError`` where the two differ.
    #[pyo3(signature = (values=None, /, **named_values))]
    fn simulate(
        &self,
        py: Python<'_>,
        values: Option<&Bound<'_, PyAny>>,
        named_values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let values = named(values, named_values)?;
        let program = self.prepared();
        let answer = attend(py, Manner::default(), move |work| {
            Ok(answers::table(&program.simulate(&values, &work.control)?))
        });
        answers::decrypted(py, answer?)
    }

    /// Runs on ciphertexts, on this machine. It takes no secret key, unless to answer questions.
    ///
    /// Args:
    ///     inputs: What a key of the same pair encrypted.
    ///     server_key: The key that computes.
    ///     threads: Worker threads; all that the machine has if nobody says.
    ///     memory: Bytes that the run takes at most; one that needs more is refused. If nobody says, it
    ///         keeps below a gigabyte where it can.
    ///     progress: Called with a ``Progress``, about twenty times a second, on this thread:
    ///         ``blindcore.progress_bar``. An exception in it ends the run.
    ///     checkpoint: A file in which to keep how far the run is, about every half minute and when
    ///         it is interrupted; it is removed at the end. For TFHE.
    ///     resume: Whether to go on from the checkpoint if there is one; ``False`` removes it and
    ///         begins anew.
    ///     branches: Instead of the program's own, as the constructor takes them.
    ///     answer_with: The secret key that questions are answered with, for tests and
    ///         demonstrations, where one process plays both parts.
    ///     allow: What may be answered: a function that takes a ``Question`` and returns whether to
    ///         answer it; a list of sites as the command line's ``--allow`` takes them
    ///         (``"main"``, ``"search+0x1c:20"``); or the text of a file of rules.
    ///     max_bits: How many bits may be revealed; 256 if nobody says.
    ///     ledger: The file that counts what is ever revealed of this key; if there is none, only
    ///         this run counts.
    ///     workers: Shares the run out among workers at these addresses: a list of ``HOST:PORT``, or
    ///         ``Addresses``. ``threads`` is then how many each has. For TFHE, and programs that ask
    ///         nobody.
    ///     tls: The directory of the certificate to show them; without one there is no TLS.
    ///     network: What each worker's link carries each way, in bits a second.
    ///
    /// Ctrl-C raises ``KeyboardInterrupt`` and cancels the run.
    ///
    /// Raises:
    ///     WrongKey: for ciphertexts of another key.
    ///     SecretBranch: for a program that branches on a secret.
    ///     Refused: where a question is not answered.
    ///     ProgramFault, LimitExceeded: for what the program does wrong.
    #[pyo3(signature = (inputs, server_key, /, *, threads=None, memory=None, progress=None,
        checkpoint=None, resume=true, branches=None, answer_with=None, allow=None, max_bits=None,
        ledger=None, workers=None, tls=None, network=None))]
    #[expect(clippy::too_many_arguments, reason = "by name, each with a default")]
    fn run(
        &self,
        py: Python<'_>,
        inputs: &Bound<'_, Inputs>,
        server_key: &Bound<'_, ServerKey>,
        threads: Option<i64>,
        memory: Option<u64>,
        progress: Option<Py<PyAny>>,
        checkpoint: Option<PathBuf>,
        resume: bool,
        branches: Option<&str>,
        answer_with: Option<&Bound<'_, SecretKey>>,
        allow: Option<&Bound<'_, PyAny>>,
        max_bits: Option<u64>,
        ledger: Option<PathBuf>,
        workers: Option<&Bound<'_, PyAny>>,
        tls: Option<PathBuf>,
        network: Option<f64>,
    ) -> PyResult<Outputs> {
        let program = self.with_branches(py, branches)?;
        let workers = workers.map(|workers| addresses(workers)).transpose()?;
        let (inputs, key) = (Arc::clone(&inputs.get().0), Arc::clone(&server_key.get().0));
        let mut manner = Manner::of(py, threads, progress)?;
        if let Some(path) = &checkpoint {
            writable(path).or_raise(py)?;
        }
        manner.memory = memory;
        manner.patient = checkpoint.is_some();
        let mut answering = None;
        let mut temporary = None;
        match answer_with {
            Some(key) => {
                let ledger = match ledger {
                    Some(path) => path,
                    None => temporary.insert(temporary_folder(py)?).1.join("ledger"),
                };
                let mut rules = rules(allow, max_bits, ledger)?;
                manner.decide = rules.decide.take();
                answering = Some((Arc::clone(&key.get().0), rules));
            }
            None if allow.is_some() || max_bits.is_some() || ledger.is_some() => {
                return Err(usage(
                    py,
                    "allow, max_bits and ledger are for answer_with=SECRET_KEY",
                ));
            }
            None => {}
        }
        let decided = manner.decide.is_some();
        let outputs = attend(py, manner, move |work| {
            let control = work.control.clone();
            let secret;
            let mut run = program
                .runner(&key)
                .threads(control.threads.get())
                .cancel(control.cancel);
            if let Some(memory) = control.memory {
                run = run.memory(memory);
            }
            if let Some(addresses) = workers {
                let mut workers = match tls {
                    Some(certificates) => blindcore::Workers::tls(addresses, certificates),
                    None => blindcore::Workers::plain(addresses),
                };
                if let Some(network) = network {
                    workers = workers.network(network);
                }
                run = run.on(workers);
            }
            if let Some(observer) = control.observer {
                run = run.progress(move |progress| observer(progress));
            }
            if let Some(path) = &checkpoint {
                if !resume {
                    forget(path)?;
                }
                run = run.checkpoint(path);
            }
            if let Some((key, rules)) = answering {
                secret = key;
                run = match decided {
                    true => {
                        let mut decide = work.decider();
                        run.deciding(
                            &secret,
                            rules.rules,
                            rules.ledger,
                            move |site, asked, bits| decide(asking(site, asked, bits)),
                        )
                    }
                    false => run.answering(&secret, rules.rules, rules.ledger),
                };
            }
            run.run(&inputs)
        });
        if let Some((folder, _)) = temporary {
            folder.call_method0(py, "cleanup")?;
        }
        outputs.map(Outputs::of)
    }

    /// Encrypts the values, runs, and decrypts, all on this machine: ``program(keys, a=3)`` is an
    /// ``Answer``.
    #[pyo3(signature = (keys, values=None, /, **named_values))]
    fn __call__(
        &self,
        py: Python<'_>,
        keys: &Bound<'_, Keys>,
        values: Option<&Bound<'_, PyAny>>,
        named_values: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        let values = named(values, named_values)?;
        let program = self.prepared();
        let secret = Arc::clone(&keys.get().secret.get().0);
        let server = Arc::clone(&keys.get().server.get().0);
        let answer = attend(py, Manner::default(), move |work| {
            let inputs = secret.encrypt(&program, &values)?;
            let run = program.runner(&server).cancel(work.control.cancel.clone());
            let outputs = run.run(&inputs)?;
            Ok(answers::table(&secret.decrypt(&outputs)?))
        });
        answers::decrypted(py, answer?)
    }

    fn __bytes__<'py>(&self, py: Python<'py>) -> Bound<'py, PyBytes> {
        PyBytes::new(py, self.prepared.bytes())
    }

    fn __repr__(&self, py: Python<'_>) -> PyResult<String> {
        let mut said = Vec::new();
        for (word, value) in self.said.bind(py) {
            if value.is_truthy()? {
                said.push(format!(", {word}={}", value.repr()?));
            }
        }
        Ok(format!(
            "<program {}{}>",
            self.prepared.name(),
            said.concat()
        ))
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Pickled<'py>)> {
        let restore = PyModule::import(py, "blindcore._compile")?.getattr("restore")?;
        let program = slf.get();
        let said = program.said.clone_ref(py);
        let name = program.prepared.name().to_owned();
        Ok((restore, (program.__bytes__(py), name, said)))
    }
}

/// A program's file, what it is called, and what was said of it.
type Pickled<'py> = (Bound<'py, PyBytes>, String, Py<PyDict>);

/// Refuses a checkpoint in a folder that is not there, before half a minute of work.
fn writable(path: &Path) -> Result<(), blindcore::Error> {
    let folder = path
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty());
    match folder.map(std::fs::metadata) {
        Some(Err(error)) => Err(session::Error::io(path, "write", &error)),
        _ => Ok(()),
    }
}

/// Removes a checkpoint that is not to be gone on from.
fn forget(path: &Path) -> Result<(), blindcore::Error> {
    match std::fs::remove_file(path) {
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
            Err(session::Error::io(path, "remove", &error))
        }
        _ => Ok(()),
    }
}

/// A folder of this call's, with its path.
fn temporary_folder(py: Python<'_>) -> PyResult<(Py<PyAny>, PathBuf)> {
    let folder = PyModule::import(py, "tempfile")?.call_method0("TemporaryDirectory")?;
    let path = folder.getattr("name")?.extract()?;
    Ok((folder.unbind(), path))
}
