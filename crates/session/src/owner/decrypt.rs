//! Decryption of files of inputs and of outputs, a batch of rows at a time.

use std::io::Read;

use gentry_halevi::Noise;
use processor::{ASTRAY, EXCEEDED, FAULTED, Type};
use values::bytes_of;
use wire::bgv::{Batched, Batches};
use wire::gentry_halevi::Numbers;
use wire::{Containers, Kind, OutputBit, Record, Row, TableRows, Variable, WireError};

use zeroize::Zeroizing;

use super::SecretKey;
use crate::error::{Error, ErrorKind};

/// Values of variables in the rows of a batch.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Decrypted {
    columns: Vec<Column>,
    rows: usize,
    /// Whether it is of a table, which may have other rows.
    table: bool,
}

/// A variable with its bits in every row.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Column {
    variable: Variable,
    bits: Vec<Vec<bool>>,
}

impl Decrypted {
    /// Bits of the variables one after the other, each with its values in all rows; refuses them
    /// where an output says that the run they are of has no meaning.
    fn new(
        name: &str,
        variables: &[Variable],
        bits: Vec<Vec<bool>>,
        rows: usize,
    ) -> Result<Self, Error> {
        let mut columns = Vec::with_capacity(variables.len());
        let mut rest = bits.into_iter();
        for variable in variables {
            let bits: Vec<_> = rest.by_ref().take(variable.kind.bits()).collect();
            if bits.len() < variable.kind.bits() {
                let reason = format!("there are not as many bits as {} has", variable.name);
                return Err(file(name, &WireError::Malformed { reason }));
            }
            let variable = variable.clone();
            columns.push(Column { variable, bits });
        }
        let mut decrypted = Self {
            columns,
            rows,
            table: false,
        };
        let columns = &mut decrypted.columns;
        for output in [EXCEEDED, FAULTED, ASTRAY] {
            if let Some(place) = columns.iter().position(|own| own.variable.name == output) {
                let undefined = columns.remove(place);
                if (0..rows).any(|row| undefined.at(row) != [0]) {
                    return Err(undefined_outputs(name, output));
                }
            }
        }
        Ok(decrypted)
    }

    /// What a program left that ran in the clear, by variable with its bits; messages call it
    /// `name`.
    ///
    /// # Errors
    /// [`ErrorKind::Secret`] where an output says that they mean nothing.
    ///
    /// ```
    /// use blindcore_session::owner::Decrypted;
    ///
    /// let age = wire::Variable { name: "age".to_owned(), kind: "u8".parse()? };
    /// let bits = (0..8).map(|place| 42 >> place & 1 == 1).collect();
    /// let row = Decrypted::of_row("a program", vec![(age, bits)])?;
    /// assert_eq!(row.row(0).next().map(|(_, _, elements)| elements), Some(vec![42]));
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    pub fn of_row(name: &str, values: Vec<(Variable, Vec<bool>)>) -> Result<Self, Error> {
        let (variables, bits): (Vec<_>, Vec<_>) = values.into_iter().unzip();
        Self::new(name, &variables, one_row(bits.concat()), 1)
    }

    /// Only the variables of these names, in that order; the name of a structure or of an array of
    /// them stands for all its fields.
    ///
    /// # Errors
    /// [`ErrorKind::Input`] for a name that the file, which messages call `name`, has not.
    pub fn only(self, name: &str, wanted: &[String]) -> Result<Self, Error> {
        let mut columns: Vec<Column> = Vec::new();
        for path in wanted {
            let chosen = |column: &&Column| {
                let rest = column.variable.name.strip_prefix(path.as_str());
                rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(['.', '[']))
            };
            let before = columns.len();
            columns.extend(self.columns.iter().filter(chosen).cloned());
            if columns.len() == before {
                let names: Vec<&str> = self.names().collect();
                let message = format!("{name}: has no {path}; it has {}", names.join(", "));
                return Err(Error::new(ErrorKind::Input, message));
            }
        }
        Ok(Self { columns, ..self })
    }

    /// The same, of a table.
    fn of_table(self) -> Self {
        Self {
            table: true,
            ..self
        }
    }

    /// Whether it is of a table of rows, of which others may come before and after it.
    #[must_use]
    pub fn is_table(&self) -> bool {
        self.table
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Names of the variables.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns
            .iter()
            .map(|column| column.variable.name.as_str())
    }

    /// The values of a row: name, type, elements in memory order.
    pub fn row(&self, row: usize) -> impl Iterator<Item = (&str, &Type, Vec<i128>)> {
        self.columns.iter().map(move |column| {
            let Variable { name, kind } = &column.variable;
            (name.as_str(), kind, column.at(row))
        })
    }
}

impl Column {
    fn at(&self, row: usize) -> Vec<i128> {
        let bits = self
            .bits
            .iter()
            .map(|slots| slots.get(row).copied().unwrap_or(false));
        self.variable
            .kind
            .decode(&bytes_of(&bits.collect::<Vec<_>>()))
    }
}

/// What there is to say of outputs that mean nothing, by the output that says so: [`ASTRAY`],
/// [`FAULTED`] or [`EXCEEDED`].
///
/// ```
/// use blindcore_session::ErrorKind;
/// use blindcore_session::owner::undefined_outputs;
/// use processor::EXCEEDED;
///
/// let error = undefined_outputs("a.outputs", EXCEEDED);
/// assert_eq!(error.kind, ErrorKind::Secret);
/// assert!(error.message.contains("--bound"));
/// ```
#[must_use]
pub fn undefined_outputs(name: &str, output: &str) -> Error {
    let message = match output {
        EXCEEDED => format!(
            "{name}: a loop whose end depends on secret data, or a function that calls itself, would \
             have gone on beyond its bound, so these outputs mean nothing: give it more rounds with \
             --bound, and run again"
        ),
        FAULTED => format!(
            "{name}: the program went a way that ends in a fault, such as an access outside its \
             memory, so these outputs mean nothing: `plan` names the places; correct the program or \
             its inputs, and run again"
        ),
        _ => format!(
            "{name}: an access at a secret address went outside the objects that `plan` names for \
             it, so these outputs mean nothing: give indexes within their arrays, or name the bytes \
             that the access may reach with --object ADDRESS:SIZE, and run again"
        ),
    };
    Error::new(ErrorKind::Secret, message)
}

/// Decrypts a file of inputs or of outputs, which messages call `name`; each batch of it goes to
/// `take`.
///
/// # Errors
/// [`ErrorKind::File`], [`ErrorKind::Key`], [`ErrorKind::Secret`] for outputs that mean nothing;
/// those of `take`.
pub fn decrypt(
    key: &SecretKey,
    name: &str,
    mut source: Containers<impl Read>,
    take: &mut dyn FnMut(Decrypted) -> Result<(), Error>,
) -> Result<(), Error> {
    let wrong = |error: WireError| file(name, &error);
    // The first is the one that is expected.
    let kinds: &[Kind] = match key {
        SecretKey::Tfhe(secret) => return decrypt_tfhe(secret, name, source, take),
        SecretKey::Bgv(..) => &[Kind::BGV_OUTPUTS, Kind::BGV_INPUTS],
        SecretKey::GentryHalevi(..) => &[Kind::GENTRY_HALEVI_OUTPUTS, Kind::GENTRY_HALEVI_INPUTS],
    };
    // Once, since the file may be a pipe; another kind is refused before its content is read.
    let first = source.next_of(kinds).map_err(wrong)?;
    let is_inputs = kinds.get(1) == Some(&first.0.kind);
    if !matches!(key, SecretKey::Bgv(..)) {
        source.end().map_err(wrong)?;
    }
    let (header, payload) = &first;
    match key {
        SecretKey::Tfhe(_) => Ok(()),
        SecretKey::GentryHalevi(file, secret) => {
            let decrypt = |numbers: &Numbers| {
                let bits = numbers.iter().map(|limbs| {
                    // What decryption needs to know of the noise it finds itself.
                    let noise = Noise::CONSTANT;
                    secret.decrypt(&secret.ciphertext(limbs.to_vec(), noise)?)
                });
                let bits: Result<Vec<bool>, gentry_halevi::Error> = bits.collect();
                Ok::<_, Error>(one_row(bits.map_err(|error| undecryptable(name, &error))?))
            };
            if is_inputs {
                let inputs: wire::gentry_halevi::Inputs =
                    wire::decode_payload(header, payload).map_err(wrong)?;
                same_key(name, &inputs, file)?;
                let bits = decrypt(inputs.bits())?;
                take(Decrypted::new(name, inputs.variables(), bits, 1)?)
            } else {
                let outputs: wire::gentry_halevi::Outputs =
                    wire::decode_payload(header, payload).map_err(wrong)?;
                same_key(name, &outputs, file)?;
                let bits = decrypt(outputs.secret())?;
                take(merged(name, &outputs, bits, 1)?)
            }
        }
        SecretKey::Bgv(file, secret) => {
            let decrypted = |vectors: &[::bgv::Ciphertext]| {
                let bits = vectors.iter().map(|vector| secret.decrypt(vector));
                let bits: Result<Vec<Vec<bool>>, ::bgv::Error> = bits.collect();
                bits.map_err(|error| undecryptable(name, &error))
            };
            if is_inputs {
                let (first, rest) =
                    Batches::<wire::bgv::Inputs, _>::of(first, source).map_err(wrong)?;
                same_key(name, &first, file)?;
                for batch in std::iter::once(Ok(first)).chain(rest) {
                    let batch = batch.map_err(wrong)?;
                    let vectors = batch.bits().expand(secret.ring()).map_err(wrong)?;
                    let rows = batch.share().rows() as usize;
                    let bits = decrypted(&vectors)?;
                    take(Decrypted::new(name, batch.variables(), bits, rows)?.of_table())?;
                }
            } else {
                let (first, rest) =
                    Batches::<wire::bgv::Outputs, _>::of(first, source).map_err(wrong)?;
                same_key(name, &first, file)?;
                for batch in std::iter::once(Ok(first)).chain(rest) {
                    let batch = batch.map_err(wrong)?;
                    let rows = batch.share().rows() as usize;
                    let bits = decrypted(batch.secret().vectors())?;
                    take(merged(name, &batch, bits, rows)?.of_table())?;
                }
            }
            Ok(())
        }
    }
}

/// As [`decrypt`], with a key of TFHE, which is all that this then takes with it.
///
/// # Errors
/// As for [`decrypt`].
pub fn decrypt_tfhe(
    secret: &tfhe::SecretKey,
    name: &str,
    mut source: Containers<impl Read>,
    take: &mut dyn FnMut(Decrypted) -> Result<(), Error>,
) -> Result<(), Error> {
    let wrong = |error: WireError| file(name, &error);
    // The first is the one that is expected.
    let first = source.next_of(&[
        Kind::OUTPUTS,
        Kind::INPUTS,
        Kind::OUTPUT_TABLE,
        Kind::INPUT_TABLE,
    ]);
    let first = first.map_err(wrong)?;
    let (header, payload) = &first;
    match header.kind {
        Kind::INPUT_TABLE => {
            return rows::<wire::Inputs>(name, secret, (&first, source), take, &of_inputs);
        }
        Kind::OUTPUT_TABLE => {
            return rows::<wire::Outputs>(name, secret, (&first, source), take, &of_outputs);
        }
        _ => source.end().map_err(wrong)?,
    }
    if header.kind == Kind::INPUTS {
        let inputs: wire::Inputs = wire::decode_payload(header, payload).map_err(wrong)?;
        same_key(name, &inputs, secret)?;
        take(of_inputs(name, secret, &inputs)?)
    } else {
        let outputs: wire::Outputs = wire::decode_payload(header, payload).map_err(wrong)?;
        same_key(name, &outputs, secret)?;
        take(of_outputs(name, secret, &outputs)?)
    }
}

/// Inputs of a row under TFHE.
fn of_inputs(
    name: &str,
    secret: &tfhe::SecretKey,
    inputs: &wire::Inputs,
) -> Result<Decrypted, Error> {
    let bits = inputs.bits().unpack();
    let bits: Result<Vec<bool>, _> = bits.iter().map(|bit| secret.decrypt(bit)).collect();
    let bits = bits.map_err(|error| undecryptable(name, &error))?;
    Decrypted::new(name, inputs.variables(), one_row(bits), 1)
}

/// Outputs of a row under TFHE.
fn of_outputs(
    name: &str,
    secret: &tfhe::SecretKey,
    outputs: &wire::Outputs,
) -> Result<Decrypted, Error> {
    let bits = secret.decrypt_shrunk(outputs.secret());
    let bits = bits.map_err(|error| undecryptable(name, &error))?;
    merged(name, outputs, one_row(bits), 1)
}

/// The head of a table that was read, and where its rows come from.
type Begun<'a, S> = (&'a (wire::Header, Zeroizing<Vec<u8>>), Containers<S>);

/// The rows of a table under TFHE, one at a time.
fn rows<R: Row>(
    name: &str,
    secret: &tfhe::SecretKey,
    (head, source): Begun<'_, impl Read>,
    take: &mut dyn FnMut(Decrypted) -> Result<(), Error>,
    decrypt: &dyn Fn(&str, &tfhe::SecretKey, &R) -> Result<Decrypted, Error>,
) -> Result<(), Error> {
    let wrong = |error: WireError| file(name, &error);
    let rows = TableRows::<R, _>::of(head, source).map_err(wrong)?;
    same_key(name, rows.head(), secret)?;
    let count = rows.head().rows();
    for (number, row) in (1..).zip(rows) {
        // A row that means nothing is named.
        let name = format!("{name}: row {number} of {count}");
        let row = decrypt(&name, secret, &row.map_err(wrong)?)?;
        take(row.of_table())?;
    }
    Ok(())
}

/// Bits of a single row.
fn one_row(bits: Vec<bool>) -> Vec<Vec<bool>> {
    bits.into_iter().map(|bit| vec![bit]).collect()
}

/// All values of a file of outputs, of which the secret bits are given. Known bits are the same in
/// every row.
fn merged<C>(
    name: &str,
    outputs: &wire::Outputs<C>,
    secret: Vec<Vec<bool>>,
    rows: usize,
) -> Result<Decrypted, Error> {
    let mut secret = secret.into_iter();
    let all = outputs.bits().iter().map_while(|bit| match bit {
        OutputBit::Clear(value) => Some(vec![*value; rows]),
        // Too few bits show where the variables ask for theirs.
        OutputBit::Secret => secret.next(),
    });
    let all = all.collect();
    Decrypted::new(name, outputs.variables(), all, rows)
}

fn file(name: &str, error: &WireError) -> Error {
    Error::file(std::path::Path::new(name), error)
}

fn undecryptable(name: &str, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Key, format!("{name}: does not decrypt: {error}"))
}

/// Refuses a file that belongs to another key pair than `key`.
fn same_key<F, K>(name: &str, found: &F, key: &K) -> Result<(), Error>
where
    F: Record,
    K: Record<Parameters = F::Parameters>,
{
    wire::match_keys(
        (found.parameters(), found.key_id()),
        (key.parameters(), key.key_id()),
    )
    .map_err(|error| file(name, &error))
}
