//! What a scheme brings to a session: one file each, behind one [`Adapter`].

pub mod bgv;
pub mod gentry_halevi;
pub mod tfhe;

use std::fs::File;
use std::io::{Read, Seek};
use std::path::Path;
use std::sync::Arc;

use circuits::{Gates, Profile};
use processor::{Bit, Outcome, Plan, Task};
use wire::{Header, InputBits, Inputs, Kind, OutputBit, Record, Variable, WireError};

use crate::control::Control;
use crate::error::Error;
use crate::evaluator::{Given, Planned, Target, variable};
use crate::program::Program;

pub use wire::Scheme;

/// A scheme as the evaluator sees it.
///
/// ```
/// use std::path::Path;
///
/// use blindcore_session::circuit::Mapped;
/// use blindcore_session::evaluator::{Brought, Given, Target};
/// use blindcore_session::owner::{self, Encryptor, ServerKeyFile, Settings};
/// use blindcore_session::schemes::{Adapter, Bits, Bytes, Source, tfhe::Tfhe};
/// use blindcore_session::{Control, Error};
/// use circuits::formats::bristol;
///
/// /// Files of inputs as an engine takes them, whatever their scheme.
/// fn ready<A: Adapter>(given: &Given<A>, key: &Path, control: &Control) -> Result<(A::Engine, Bits<A>), Error> {
///     let target = Target::of(control);
///     let (_, first) = given.first()?;
///     let key: A::Key = A::read_key(key, given, &target, control)?;
///     let engine = A::engine(A::profile(first, &target), key, control)?;
///     let bits = A::bits(&engine, given)?;
///     println!("{} bits, a {} for a gate", bits.len(), A::OPERATION);
///     Ok((engine, bits))
/// }
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-session-adapter-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder)?;
/// # let control = Control::default();
/// # let keys = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
/// # let ServerKeyFile::Tfhe(server) = &keys.server else { unreachable!() };
/// # std::fs::write(folder.join("mine.server"), wire::encode(server)?)?;
/// # let variables = ["a", "b"].map(|name| wire::Variable { name: name.to_owned(), kind: "bool".parse().unwrap() });
/// # let bits = [true; 16];
/// # let file = Encryptor::of_secret(&keys.secret).encrypt(&variables, &bits, &control)?.to_vec();
/// let bytes: Box<dyn Bytes> = Box::new(std::io::Cursor::new(file));
/// let source: Source = bytes;
/// type Read<A> = (wire::Inputs<<A as Adapter>::Content>, <A as Adapter>::Later);
/// let (inputs, later): Read<Tfhe> = Tfhe::read(source, None)?;
/// // One that is no table has no other rows.
/// assert_eq!((Tfhe::rows(&inputs, &later), later.count()), (None, 0));
/// let given: Given<Tfhe> = Given::joined(vec![("two.inputs".to_owned(), inputs)])?;
/// let brought: Vec<Brought> = given.variables();
/// assert_eq!(brought.len(), 2);
/// // A program that asks needs somebody who answers; not every scheme has one.
/// assert!(Tfhe::UNANSWERED.contains("--answer-with"));
/// let (engine, bits) = ready(&given, &folder.join("mine.server"), &control)?;
///
/// let and = bristol::read(b"1 3\n2 1 1\n1 1\n\n2 1 0 1 2 AND\n")?;
/// let mapped = Mapped::new(&and, circuits::Gates::profile(&engine));
/// // A truth value takes a byte of a file; its lowest bit says it.
/// let inputs = [0, 8].map(|at| std::sync::Arc::clone(&bits[at]));
/// let outputs = mapped.evaluate(&engine, &inputs, &control)?;
/// let owner::SecretKey::Tfhe(secret) = &keys.secret else { unreachable!() };
/// let processor::Bit::Secret(both) = &outputs[0] else { unreachable!() };
/// assert!(secret.decrypt(both)?);
/// # std::fs::remove_dir_all(folder)?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub trait Adapter {
    /// Ciphertexts of a file of inputs.
    type Content: InputBits;
    /// Batches of a file after its first one.
    type Later: Iterator<Item = Result<Inputs<Self::Content>, WireError>>;
    /// What evaluates circuits.
    type Engine: Gates;
    /// A file of outputs.
    type Outputs: Record;
    /// The server's key, ready to compute.
    type Key;

    /// What its files belong to.
    const SCHEME: Scheme;
    /// What a run counts, in the singular.
    const OPERATION: &'static str;
    /// Why a question of the program cannot be answered where nobody is there to do it.
    const UNANSWERED: &'static str;

    /// The first batch of inputs, and where the others come from; `length` is that of the source,
    /// if it is known.
    ///
    /// # Errors
    /// Those of [`wire::decode()`].
    fn read(
        source: Source,
        length: Option<u64>,
    ) -> Result<(Inputs<Self::Content>, Self::Later), WireError>;

    /// The same of a file.
    ///
    /// # Errors
    /// Those of [`read`](Self::read), and [`WireError::Io`].
    fn open(path: &Path) -> Result<(Inputs<Self::Content>, Self::Later), WireError> {
        let (file, length) = files::open(path)?;
        Self::read(Box::new(file), length)
    }

    /// Whether these belong to one run; the order in which they are used.
    ///
    /// # Errors
    /// Those of [`wire::join`].
    fn join(files: &[&Inputs<Self::Content>]) -> Result<Vec<usize>, WireError>;

    /// How many batches a file has, of its first one and where the others come from.
    fn batches(inputs: &Inputs<Self::Content>, later: &Self::Later) -> u32 {
        let _ = (inputs, later);
        1
    }

    /// How many rows a file has that is a table.
    fn rows(inputs: &Inputs<Self::Content>, later: &Self::Later) -> Option<u32> {
        let _ = (inputs, later);
        None
    }

    /// The task as this scheme can run it.
    fn task(task: Task) -> Task {
        task
    }

    /// Plans a run of these inputs, and refuses what the scheme could not do.
    ///
    /// # Errors
    /// Those of planning, [`ErrorKind::Limit`](crate::ErrorKind::Limit) for what is too deep.
    fn plan(
        program: &Program,
        task: &Task,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<Planned, Error>;

    /// Reads the server's key, which must be that of the inputs, and makes it ready.
    ///
    /// # Errors
    /// Those of reading a file, [`ErrorKind::Key`](crate::ErrorKind::Key) for another key.
    fn read_key(
        path: &Path,
        given: &Given<Self>,
        target: &Target,
        control: &Control,
    ) -> Result<Self::Key, Error>;

    /// What circuits have to know of an engine for these inputs.
    fn profile(inputs: &Inputs<Self::Content>, target: &Target) -> Profile;

    /// The engine that records by a profile: a plan's, or that of a circuit.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal).
    fn engine(profile: Profile, key: Self::Key, control: &Control) -> Result<Self::Engine, Error>;

    /// The ciphertexts of a batch of all files, variable after variable.
    ///
    /// # Errors
    /// [`ErrorKind::File`](crate::ErrorKind::File) for what is none.
    fn bits(engine: &Self::Engine, given: &Given<Self>) -> Result<Bits<Self>, Error>;

    /// What ciphertexts of a run may take, of what the run may take in all; `None` is no bound.
    ///
    /// # Errors
    /// [`ErrorKind::Limit`](crate::ErrorKind::Limit) if the run needs more.
    fn memory(engine: &Self::Engine, plan: &Plan, control: &Control) -> Result<Option<u64>, Error>;

    /// What a run leaves, as a file.
    ///
    /// # Errors
    /// [`ErrorKind::Internal`](crate::ErrorKind::Internal).
    fn outputs(
        engine: &Self::Engine,
        given: &Given<Self>,
        outcome: &Outcome<<Self::Engine as Gates>::Bit>,
    ) -> Result<Self::Outputs, Error>;

    /// The variables of a file of outputs.
    fn variables(outputs: &Self::Outputs) -> &[Variable];
}

/// Where bytes come from. Only a source of known length is sought in.
pub type Source = Box<dyn Bytes>;

/// Bytes to read, and perhaps to seek in.
pub trait Bytes: Read + Seek + Send {}

impl<S: Read + Seek + Send> Bytes for S {}

/// Ciphertexts of a scheme.
pub type Bits<A> = Vec<Arc<<<A as Adapter>::Engine as Gates>::Bit>>;

/// The scheme of a regular file of ours; TFHE for whatever else, so that its readers say what is
/// wrong.
#[must_use]
pub fn scheme_of(path: &Path) -> Scheme {
    kind_of(path).map_or(Scheme::Tfhe, Kind::scheme)
}

/// What a regular file of ours says that it is.
#[must_use]
pub fn kind_of(path: &Path) -> Option<Kind> {
    // A pipe can be read only once.
    if !std::fs::metadata(path).ok()?.is_file() {
        return None;
    }
    let mut start = Vec::new();
    let file = File::open(path).ok()?;
    let mut head = file.take(wire::container::HEADER_BYTES as u64);
    head.read_to_end(&mut start).ok()?;
    Header::parse(&start).ok().map(|(header, _)| header.kind)
}

/// The outputs of a run, as files of any scheme have them.
struct RunOutputs<B> {
    variables: Vec<Variable>,
    bits: Vec<OutputBit>,
    /// The secret ones of the bits in order.
    secret: Vec<Arc<B>>,
}

impl<B> RunOutputs<B> {
    fn of(outcome: &Outcome<B>) -> Self {
        let mut outputs = Self {
            variables: Vec::new(),
            bits: Vec::new(),
            secret: Vec::new(),
        };
        for output in &outcome.outputs {
            outputs.variables.push(variable(&output.name, &output.ty));
            for bit in &output.bits {
                outputs.bits.push(match bit {
                    Bit::Clear(value) => OutputBit::Clear(*value),
                    Bit::Secret(bit) => {
                        outputs.secret.push(Arc::clone(bit));
                        OutputBit::Secret
                    }
                });
            }
        }
        outputs
    }
}

/// A key that is read for inputs of another one.
fn match_key<F: Record>(
    name: &str,
    file: &F,
    parameters: &F::Parameters,
    id: ::tfhe::KeyId,
) -> Result<(), Error> {
    wire::match_keys((file.parameters(), file.key_id()), (parameters, id))
        .map_err(|error| Error::file(Path::new(name), &error))
}

/// The record that a source consists of.
fn only_record<R: Record>(source: Source) -> Result<R, WireError> {
    let (header, payload) = wire::read_from(source, Some(R::KIND))?;
    wire::decode_payload(&header, &payload)
}
