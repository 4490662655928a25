//! What a file of ours is, which key it belongs to, and what it holds; no key is needed.
//!
//! ```
//! use blindcore_session::Control;
//! use blindcore_session::description::{DescribedVariable, Description, Place, Reached, Rows};
//! use blindcore_session::owner::{self, Encryptor, Settings};
//! use blindcore_session::schemes::{Scheme, kind_of, scheme_of};
//! use serde_json::json;
//!
//! # let folder = std::env::temp_dir().join(format!("blindcore-session-description-{}", std::process::id()));
//! # std::fs::create_dir_all(&folder)?;
//! let control = Control::default();
//! let keys = owner::generate(&Settings::Tfhe(tfhe::TOY_BLOCK), &control)?;
//! let variables = [wire::Variable { name: "age".to_owned(), kind: "u8".parse()? }];
//! let public = keys.public.expect("TFHE has one");
//! let encryptor = Encryptor::of_public(&public);
//! assert_eq!(encryptor.batches(1)?, 1);
//! let file = encryptor.encrypt(&variables, &[true; 8], &control)?;
//! let path = folder.join("a.inputs");
//! std::fs::write(&path, &file[..])?;
//!
//! let found = Description::read(&path)?;
//! assert_eq!((&*found.parameters, found.length), ("TOY_BLOCK", file.len() as u64));
//! let age: &DescribedVariable = &found.variables[0];
//! assert_eq!((&*age.variable.name, age.bits, age.secret_bits), ("age", 8, 8));
//! // What only tables and checkpoints have.
//! let (rows, reached): (&Option<Rows>, &Option<Reached>) = (&found.rows, &found.reached);
//! assert!(rows.is_none() && reached.is_none());
//! assert!(!matches!(reached, Some(Reached { place: Place::Window { .. }, .. })));
//! assert_eq!(found.document(&path)["parameters"], json!("TOY_BLOCK"));
//! assert_eq!((scheme_of(&path), kind_of(&path)), (Scheme::Tfhe, Some(wire::Kind::INPUTS)));
//! # std::fs::remove_dir_all(folder)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod document;

use std::io::Read;
use std::path::Path;

use processor::State;
use tfhe::leveled::SeededLeveledKey;
use tfhe::{PublicKey, SecretKey, SeededServerKey};
use wire::bgv::{Batched, Batches};
use wire::gentry_halevi::{self, Key, ServerKey};
use wire::{
    Checkpoint, Containers, Cost, Header, Inputs, Kind, OutputBit, Outputs, ParameterSet as _,
    Record as _, Row, Scheme, TableRows, Variable, WireError,
};
use zeroize::Zeroizing;

use crate::error::Error;
use crate::evaluator::part_file::extent;
use crate::parameters::SecurityPromise;
use crate::schemes::kind_of;

/// What is known of a file of ours without a key.
#[derive(Debug)]
pub struct Description {
    /// Its header: kind, version, parameters, key.
    pub header: Header,
    /// Bytes of the file.
    pub length: u64,
    /// Name of the parameters.
    pub parameters: String,
    /// What is in it, of inputs and outputs.
    pub variables: Vec<DescribedVariable>,
    /// How far a run came, of a checkpoint.
    pub reached: Option<Reached>,
    /// Bits of the modulus, of the Gentry–Halevi scheme.
    pub modulus_bits: Option<u32>,
    /// What its key promises, of schemes that promise anything.
    pub security: Option<SecurityPromise>,
    /// Rows of values, of a table.
    pub rows: Option<Rows>,
    /// What a passphrase costs, of a secret key that is behind one.
    pub protection: Option<Cost>,
}

/// A variable of a file, and how much of it is secret.
#[derive(Clone, Debug)]
pub struct DescribedVariable {
    /// Name and type.
    pub variable: Variable,
    /// Bits of it.
    pub bits: usize,
    /// Bits that are ciphertexts.
    pub secret_bits: usize,
}

/// How far the run of a checkpoint came.
#[derive(Debug)]
pub struct Reached {
    /// Where it came.
    pub place: Place,
    /// Ciphertexts that the file holds.
    pub ciphertexts: usize,
}

/// A place in a run.
#[derive(Debug)]
pub enum Place {
    /// Between two windows.
    State(Box<State>),
    /// Within one.
    Window {
        /// Operations that are done.
        done: usize,
        /// Operations that there are.
        all: usize,
    },
}

/// Rows of a table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Rows {
    /// How many there are.
    pub rows: u32,
    /// Batches that they come in.
    pub batches: u32,
    /// Rows of a batch; 1 under TFHE.
    pub slots: usize,
}

impl Description {
    /// Describes a file. It may be a secret key, which is read whole and forgotten.
    ///
    /// # Errors
    /// [`ErrorKind::File`](crate::ErrorKind::File) for what is none of ours or is damaged,
    /// [`ErrorKind::Io`](crate::ErrorKind::Io).
    pub fn read(path: &Path) -> Result<Self, Error> {
        let described = match kind_of(path) {
            // Seventy megabytes and more stay where they are.
            Some(Kind::GENTRY_HALEVI_SERVER_KEY) => files::open_server_key(path, &mut |_, _| {})
                .map(|key| of_key(*key.header(), key.key())),
            // Once, since the file may be a pipe.
            _ => files::containers(path).and_then(describe),
        };
        described.map_err(|error| Error::file(path, &error))
    }

    /// Describes the bytes of a file, which messages call `name`.
    ///
    /// # Errors
    /// [`ErrorKind::File`](crate::ErrorKind::File) for what is none of ours or is damaged.
    ///
    /// ```
    /// use blindcore_session::description::Description;
    /// use blindcore_session::owner::SecretKey;
    ///
    /// let key = SecretKey::generate(tfhe::TOY_BLOCK)?;
    /// let described = Description::of_bytes("a key", &key.encode(None)?)?;
    /// assert!(described.header.kind.is_secret_key());
    /// assert!(Description::of_bytes("a text", b"GATTACA").is_err());
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_bytes(name: &str, bytes: &[u8]) -> Result<Self, Error> {
        let described = describe(Containers::new(bytes));
        described.map_err(|error| Error::file(Path::new(name), &error))
    }
}

fn describe<S: Read>(mut containers: Containers<S>) -> Result<Description, WireError> {
    let (header, payload) = containers.next_container(None)?;
    match header.kind {
        Kind::BGV_INPUTS => {
            return of_table(
                (header, payload),
                containers,
                |inputs: &wire::bgv::Inputs| of_inputs(inputs.variables()),
            );
        }
        Kind::BGV_OUTPUTS => {
            return of_table(
                (header, payload),
                containers,
                |outputs: &wire::bgv::Outputs| of_outputs(outputs.variables(), outputs.bits()),
            );
        }
        Kind::INPUT_TABLE => {
            return of_rows((header, payload), containers, |inputs: &Inputs| {
                of_inputs(inputs.variables())
            });
        }
        Kind::OUTPUT_TABLE => {
            return of_rows((header, payload), containers, |outputs: &Outputs| {
                of_outputs(outputs.variables(), outputs.bits())
            });
        }
        _ => containers.end()?,
    }
    if header.is_protected() {
        return of_protected(header, &payload);
    }
    if header.kind.scheme() == Scheme::GentryHalevi {
        return of_gentry_halevi(header, &payload);
    }
    if header.kind.scheme() == Scheme::Bgv {
        return of_bgv(header, &payload);
    }
    let parameters = header.fingerprint.parameters()?;
    let mut reached = None;
    // Reading the whole record finds content that only a defective or malicious writer makes.
    let variables = match header.kind {
        Kind::SECRET_KEY => {
            wire::decode_payload::<SecretKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::PUBLIC_KEY => {
            wire::decode_payload::<PublicKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::SERVER_KEY => {
            wire::decode_payload::<SeededServerKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::SELECTOR_KEY => {
            wire::decode_payload::<SeededLeveledKey>(&header, &payload).map(|_| Vec::new())?
        }
        Kind::INPUTS => {
            let inputs: Inputs = wire::decode_payload(&header, &payload)?;
            of_inputs(inputs.variables())
        }
        Kind::OUTPUTS => {
            let outputs: Outputs = wire::decode_payload(&header, &payload)?;
            of_outputs(outputs.variables(), outputs.bits())
        }
        Kind::CHECKPOINT => {
            let checkpoint: Checkpoint = wire::decode_payload(&header, &payload)?;
            let state = || {
                State::from_bytes(checkpoint.state()).map_err(|error| WireError::Malformed {
                    reason: error.to_string(),
                })
            };
            let place = match extent(checkpoint.state()) {
                Some((done, all)) => Place::Window { done, all },
                None => Place::State(Box::new(state()?)),
            };
            reached = Some(Reached {
                place,
                ciphertexts: checkpoint.bits().len(),
            });
            Vec::new()
        }
        _ => Vec::new(),
    };
    Ok(Description {
        variables,
        reached,
        security: Some(SecurityPromise::of_tfhe(&parameters)),
        ..Description::new(header, parameters.name())
    })
}

/// A secret key behind a passphrase: what stands before it.
fn of_protected(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    let fingerprint = &header.fingerprint;
    let parameters = if header.kind.scheme() == Scheme::Bgv {
        wire::bgv::Set::find(fingerprint)?.name().to_owned()
    } else if header.kind.scheme() == Scheme::GentryHalevi {
        let set = ::gentry_halevi::Parameters::find(fingerprint)?;
        wire::ParameterSet::name(&set).to_owned()
    } else {
        fingerprint.parameters()?.name().to_owned()
    };
    Ok(Description {
        protection: Some(wire::cost_of(&header, payload)?),
        ..Description::new(header, &parameters)
    })
}

/// A key of BGV.
fn of_bgv(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    let set = wire::bgv::Set::find(&header.fingerprint)?;
    match header.kind {
        Kind::BGV_SECRET_KEY => {
            wire::decode_payload::<wire::bgv::SecretKey>(&header, payload)?;
        }
        Kind::BGV_PUBLIC_KEY => {
            wire::decode_payload::<wire::bgv::PublicKey>(&header, payload)?;
        }
        _ => {
            wire::decode_payload::<wire::bgv::ServerKey>(&header, payload)?;
        }
    }
    Ok(Description {
        security: of_set(&set),
        ..Description::new(header, set.name())
    })
}

/// What a set of BGV promises.
fn of_set(set: &wire::bgv::Set) -> Option<SecurityPromise> {
    Some(SecurityPromise::of_bgv(set.parameters()))
}

/// A table that is encrypted with a key of BGV, all batches of it.
fn of_table<R: Batched<Parameters = wire::bgv::Set>, S: Read>(
    first: (Header, Zeroizing<Vec<u8>>),
    containers: Containers<S>,
    describe: impl Fn(&R) -> Vec<DescribedVariable>,
) -> Result<Description, WireError> {
    let header = first.0;
    let (first, mut rest) = Batches::<R, _>::of(first, containers)?;
    let set = first.parameters();
    let mut description = Description {
        variables: describe(&first),
        rows: Some(Rows {
            rows: first.share().table_rows(),
            batches: first.share().batches(),
            slots: set.parameters().slots(),
        }),
        security: of_set(set),
        ..Description::new(header, set.name())
    };
    rest.by_ref().try_for_each(|batch| batch.map(drop))?;
    description.length = rest.length();
    Ok(description)
}

/// A table that is encrypted with a key of TFHE, all rows of it.
fn of_rows<R: Row, S: Read>(
    first: (Header, Zeroizing<Vec<u8>>),
    containers: Containers<S>,
    describe: impl Fn(&R) -> Vec<DescribedVariable>,
) -> Result<Description, WireError> {
    let mut rows = TableRows::<R, _>::of(&first, containers)?;
    let parameters = *rows.head().parameters();
    let count = rows.head().rows();
    let mut variables = None;
    for row in rows.by_ref() {
        let row = row?;
        variables.get_or_insert_with(|| describe(&row));
    }
    Ok(Description {
        variables: variables.unwrap_or_default(),
        rows: Some(Rows {
            rows: count,
            batches: count,
            slots: 1,
        }),
        security: Some(SecurityPromise::of_tfhe(&parameters)),
        length: rows.length(),
        ..Description::new(first.0, parameters.name())
    })
}

/// A key of the Gentry–Halevi scheme, or what is encrypted with it.
fn of_key(header: Header, key: &Key) -> Description {
    Description {
        modulus_bits: Some(key.modulus_bits()),
        ..Description::new(header, key.parameters().name())
    }
}

fn of_gentry_halevi(header: Header, payload: &[u8]) -> Result<Description, WireError> {
    Ok(match header.kind {
        Kind::GENTRY_HALEVI_SECRET_KEY => {
            let key: gentry_halevi::SecretKey = wire::decode_payload(&header, payload)?;
            of_key(header, key.key())
        }
        Kind::GENTRY_HALEVI_SERVER_KEY => {
            of_key(header, ServerKey::from_payload(&header, payload)?.key())
        }
        Kind::GENTRY_HALEVI_INPUTS => {
            let inputs: gentry_halevi::Inputs = wire::decode_payload(&header, payload)?;
            Description {
                variables: of_inputs(inputs.variables()),
                ..of_key(header, inputs.bits().key())
            }
        }
        _ => {
            let outputs: gentry_halevi::Outputs = wire::decode_payload(&header, payload)?;
            Description {
                variables: of_outputs(outputs.variables(), outputs.bits()),
                ..of_key(header, outputs.secret().key())
            }
        }
    })
}

fn of_inputs(variables: &[Variable]) -> Vec<DescribedVariable> {
    let describe = |variable: &Variable| {
        let bits = variable.kind.bits();
        DescribedVariable {
            variable: variable.clone(),
            bits,
            secret_bits: bits,
        }
    };
    variables.iter().map(describe).collect()
}

fn of_outputs(variables: &[Variable], bits: &[OutputBit]) -> Vec<DescribedVariable> {
    let mut rest = bits;
    let describe = |variable: &Variable| {
        let bits = variable.kind.bits();
        let (own, after) = rest.split_at(bits.min(rest.len()));
        rest = after;
        let secret_bits = own.iter().filter(|bit| **bit == OutputBit::Secret).count();
        DescribedVariable {
            variable: variable.clone(),
            bits,
            secret_bits,
        }
    };
    variables.iter().map(describe).collect()
}

impl Description {
    /// Of a file of one container, with nothing in it.
    fn new(header: Header, parameters: &str) -> Self {
        Description {
            header,
            length: header.file_length(),
            parameters: parameters.to_owned(),
            variables: Vec::new(),
            reached: None,
            modulus_bits: None,
            security: None,
            rows: None,
            protection: None,
        }
    }
}
