//! Ciphertexts on their way: files of inputs and of outputs, in memory.

use std::fs;
use std::path::Path;

use files::{Access, Existing};
use processor::Type;
use session::{Error, ErrorKind};
use tfhe::KeyId;
use wire::bgv::Batches;
use wire::{Containers, Header, Kind, Role, Scheme, WireError};

/// Encrypted values of variables, for a program to run on.
///
/// ```
/// # fn main() -> Result<(), blindcore::Error> {
/// use blindcore::{Inputs, Keys, Outputs, Program, Values};
///
/// # let folder = std::env::temp_dir().join(format!("blindcore-ciphertexts-{}", std::process::id()));
/// # std::fs::create_dir_all(&folder).unwrap();
/// let text = b".bits 16\n.data a\n LOAD R0, a\n XOR R0, R0, 255\n STORE R0, a";
/// let program = Program::from_bytes("not.hea", text)?.secret(["a"])?;
/// let keys = Keys::generate()?;
///
/// // The owner of the data sends a file, and the server answers with another.
/// keys.public.encrypt(&program, &Values::new().set("a", 1))?.save(folder.join("a.inputs"))?;
/// let inputs = Inputs::open(folder.join("a.inputs"))?;
/// let outputs = program.run(&keys.server, &inputs)?;
/// // Or both travel as bytes.
/// let inputs = Inputs::from_bytes(inputs.to_bytes())?;
/// assert!(Outputs::from_bytes(inputs.to_bytes()).is_err());
/// assert_eq!((inputs.variables()?[0].0.as_str(), inputs.key_id()), ("a", keys.secret.key_id()));
/// outputs.save(folder.join("a.outputs"))?;
/// let outputs = Outputs::from_bytes(Outputs::open(folder.join("a.outputs"))?.to_bytes())?;
/// assert_eq!(keys.secret.decrypt(&outputs)?.get::<u16>("a")?, 254);
/// # std::fs::remove_dir_all(folder).unwrap();
/// # Ok(())
/// # }
/// ```
#[derive(Clone, PartialEq, Eq)]
pub struct Inputs(Contained);

/// What a program left, encrypted.
#[derive(Clone, PartialEq, Eq)]
pub struct Outputs(Contained);

/// The bytes of a file of ours.
#[derive(Clone, PartialEq, Eq)]
struct Contained {
    kind: Kind,
    key: KeyId,
    bytes: Vec<u8>,
}

impl Contained {
    fn new(bytes: Vec<u8>, role: Role) -> Result<Self, WireError> {
        let (header, _) = Header::parse(&bytes)?;
        let (kind, key) = (header.kind, header.key);
        header.expect(Kind::of(kind.scheme(), role))?;
        Ok(Self { kind, key, bytes })
    }

    fn open(path: &Path, role: Role) -> Result<Self, Error> {
        let bytes = fs::read(path).map_err(|error| Error::io(path, "read", &error))?;
        Self::new(bytes, role).map_err(|error| Error::file(path, &error))
    }

    /// Names and types of what it holds, after a check of all of it.
    fn variables(&self) -> Result<Vec<(String, Type)>, WireError> {
        let variables = match self.kind {
            Kind::INPUTS => wire::decode::<wire::Inputs>(&self.bytes)?
                .variables()
                .to_vec(),
            Kind::OUTPUTS => wire::decode::<wire::Outputs>(&self.bytes)?
                .variables()
                .to_vec(),
            kind => {
                let mut source = Containers::new(&self.bytes[..]);
                let first = source.next_of(&[kind])?;
                match kind {
                    Kind::BGV_INPUTS => {
                        let (first, _) = Batches::<wire::bgv::Inputs, _>::of(first, source)?;
                        first.variables().to_vec()
                    }
                    Kind::BGV_OUTPUTS => {
                        let (first, _) = Batches::<wire::bgv::Outputs, _>::of(first, source)?;
                        first.variables().to_vec()
                    }
                    _ => Vec::new(),
                }
            }
        };
        let variables = variables.into_iter();
        Ok(variables.map(|own| (own.name, own.kind)).collect())
    }

    fn save(&self, path: &Path) -> Result<(), Error> {
        let existing = Existing::ReplaceKind(self.kind);
        let access = Access::of(self.kind);
        files::PendingFile::stage(path, &self.bytes, access, existing)
            .and_then(files::PendingFile::commit)
            .map_err(|error| Error::file(path, &error))
    }
}

macro_rules! ciphertexts {
    ($name:ident, $role:expr, $what:literal) => {
        impl $name {
            pub(crate) fn of(bytes: Vec<u8>) -> Result<Self, Error> {
                Contained::new(bytes, $role)
                    .map(Self)
                    .map_err(|error| Error::new(ErrorKind::File, format!("{}: {error}", $what)))
            }

            #[doc = concat!("Reads ", $what, ", as [`to_bytes`](Self::to_bytes) gives them.")]
            ///
            /// # Errors
            /// [`ErrorKind::File`] for anything else. The content is checked when it is used.
            pub fn from_bytes(bytes: impl Into<Vec<u8>>) -> Result<Self, Error> {
                Self::of(bytes.into())
            }

            /// The bytes of a file, to send or to keep.
            #[must_use]
            pub fn to_bytes(&self) -> &[u8] {
                &self.0.bytes
            }

            /// Names and types of the variables. The whole content is checked on the way.
            ///
            /// # Errors
            /// [`ErrorKind::File`].
            pub fn variables(&self) -> Result<Vec<(String, Type)>, Error> {
                self.0
                    .variables()
                    .map_err(|error| Error::file(Path::new(concat!("the ", $what)), &error))
            }

            /// Which key pair they belong to.
            #[must_use]
            pub fn key_id(&self) -> KeyId {
                self.0.key
            }

            /// Reads a file.
            ///
            /// # Errors
            /// [`ErrorKind::Io`], [`ErrorKind::File`].
            pub fn open(path: impl AsRef<Path>) -> Result<Self, Error> {
                Contained::open(path.as_ref(), $role).map(Self)
            }

            /// Writes a file, which appears whole or not at all and replaces only one of its kind.
            ///
            /// # Errors
            /// [`ErrorKind::Io`].
            pub fn save(&self, path: impl AsRef<Path>) -> Result<(), Error> {
                self.0.save(path.as_ref())
            }
        }

        impl std::fmt::Debug for $name {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($name))
                    .field("kind", &self.0.kind)
                    .field("bytes", &self.0.bytes.len())
                    .finish()
            }
        }
    };
}

ciphertexts!(Inputs, Role::Inputs, "inputs");
ciphertexts!(Outputs, Role::Outputs, "outputs");

impl Inputs {
    pub(crate) fn scheme(&self) -> Scheme {
        self.0.kind.scheme()
    }
}
