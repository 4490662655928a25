//! `blindcore decrypt`: values, not bits.

use std::path::Path;

use serde_json::Value;
use tfhe::SecretKey;
use wire::{Inputs, Kind, Outputs, Variable, WireError};

use processor::{ASTRAY, Type};
use values::bytes_of;

use super::protection::KeyFile;
use super::{bgv, gentry_halevi, print, print_json, read_values, same_key};
use crate::arguments::{Decrypt, Scheme};
use crate::failure::{Code, Failure};

/// A variable's value.
pub(super) struct Decrypted {
    /// The variable.
    pub(super) name: String,
    /// Its type.
    pub(super) ty: Type,
    /// Its elements in memory order.
    pub(super) elements: Vec<i128>,
}

impl Decrypted {
    /// The value in the syntax that `encrypt` reads.
    pub(super) fn text(&self) -> String {
        values::text(&self.ty, &self.elements)
    }
}

/// Decrypts a file and prints its variables.
pub(crate) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    if gentry_halevi::scheme_of(&arguments.key) == Scheme::Bgv {
        return bgv::decrypt(arguments);
    }
    let key = KeyFile::new(&arguments.key, &arguments.unlocking);
    let variables = decrypted(key, &arguments.file)?;
    if arguments.json {
        let values = variables
            .iter()
            .map(|v| (v.name.clone(), values::json(&v.ty, &v.elements)));
        return print_json(&Value::Object(values.collect()));
    }
    let lines = variables
        .iter()
        .map(|v| format!("{} = {}\n", v.name, v.text()));
    print(&lines.collect::<String>())
}

/// The variables of a file of outputs, or of inputs.
pub(super) fn decrypted(key: KeyFile<'_>, path: &Path) -> Result<Vec<Decrypted>, Failure> {
    let wrong = |error: WireError| Failure::file(path, &error);
    let (variables, bits) = match gentry_halevi::scheme_of(key.path) {
        Scheme::Tfhe => by_tfhe(key, path)?,
        Scheme::Bgv => return Err(bgv::no_single_values(key.path)),
        Scheme::GentryHalevi => gentry_halevi::decrypted(key, path)?,
    };
    let mut rest = bits.as_slice();
    let value = |Variable { name, kind: ty }| {
        let (own, after) = rest.split_at_checked(ty.bits()).ok_or_else(|| {
            wrong(WireError::Malformed {
                reason: format!("there are not as many bits as {name} has"),
            })
        })?;
        rest = after;
        let elements = ty.decode(&bytes_of(own));
        Ok(Decrypted { name, ty, elements })
    };
    let found: Result<Vec<Decrypted>, Failure> = variables.into_iter().map(value).collect();
    let mut found = found?;
    if let Some(place) = found.iter().position(|found| found.name == ASTRAY) {
        let astray = found.remove(place);
        if astray.elements.iter().any(|value| *value != 0) {
            return Err(went_astray(path));
        }
    }
    Ok(found)
}

/// What a file of outputs says that are none.
pub(super) fn went_astray(path: &Path) -> Failure {
    let message = format!(
        "{}: an access at a secret address went outside the objects that `plan` names for it, so \
         these outputs mean nothing: give indexes within their arrays, or name the bytes that the \
         access may reach with --object ADDRESS:SIZE, and run again",
        path.display()
    );
    Failure::new(Code::Secret, message)
}

/// Variables and all of their bits.
fn by_tfhe(key: KeyFile<'_>, path: &Path) -> Result<(Vec<Variable>, Vec<bool>), Failure> {
    let key: SecretKey = key.read()?;
    let wrong = |error: WireError| Failure::file(path, &error);
    let kinds = (Kind::INPUTS, Kind::OUTPUTS);
    let (header, payload) = read_values(path, kinds).map_err(wrong)?;
    let (variables, bits) = if header.kind == Kind::INPUTS {
        let inputs: Inputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        same_key(path, &inputs, &key)?;
        let bits = inputs.bits().unpack();
        let bits = bits.iter().map(|bit| key.decrypt(bit)).collect();
        (inputs.variables().to_vec(), bits)
    } else {
        let outputs: Outputs = wire::decode_payload(&header, &payload).map_err(wrong)?;
        same_key(path, &outputs, &key)?;
        let bits = key.decrypt_shrunk(outputs.secret());
        // Too few bits show where the variables ask for theirs.
        let bits = bits.map(|secret| outputs.merge(&secret).unwrap_or_default());
        (outputs.variables().to_vec(), bits)
    };
    let bits = bits.map_err(|error: tfhe::TfheError| {
        let message = format!("{}: does not decrypt: {error}", path.display());
        Failure::new(Code::Key, message)
    })?;
    Ok((variables, bits))
}
