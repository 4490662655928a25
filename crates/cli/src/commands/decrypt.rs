//! `blindcore decrypt`: values, not bits.

use std::path::Path;

use serde_json::{Map, Value};
use tfhe::SecretKey;
use wire::{Inputs, Kind, Outputs, Variable};

use processor::values::bytes_of;

use super::{print, print_json, read, same_key};
use crate::arguments::Decrypt;
use crate::failure::{Code, Failure};
use crate::subject::from_wire;
use crate::values;

/// Decrypts a file and prints its variables.
pub(crate) fn decrypt(arguments: &Decrypt) -> Result<(), Failure> {
    let path = &arguments.file;
    let key: SecretKey = read(&arguments.key)?;
    let (header, _) =
        wire::read_container(path, None).map_err(|error| Failure::file(path, &error))?;
    let (variables, bits) = if header.kind == Kind::Inputs {
        let inputs: Inputs = read(path)?;
        same_key(path, &inputs, &key)?;
        let bits = inputs
            .bits()
            .unpack()
            .iter()
            .map(|bit| key.decrypt(bit))
            .collect();
        (inputs.variables().to_vec(), bits)
    } else {
        let outputs: Outputs = read(path)?;
        same_key(path, &outputs, &key)?;
        let bits = key
            .decrypt_shrunk(outputs.secret())
            .map(|secret| outputs.merge(&secret).unwrap_or_default());
        (outputs.variables().to_vec(), bits)
    };
    let bits: Vec<bool> = bits.map_err(|error: tfhe::TfheError| {
        Failure::new(
            Code::Key,
            format!("{}: does not decrypt: {error}", path.display()),
        )
    })?;
    show(path, &variables, &bits, arguments.json)
}

fn show(path: &Path, variables: &[Variable], bits: &[bool], as_json: bool) -> Result<(), Failure> {
    let mut rest = bits;
    let mut lines = String::new();
    let mut object = Map::new();
    for Variable { name, kind } in variables {
        let ty = from_wire(path, kind)?;
        let (own, after) = rest.split_at(rest.len().min(8 * ty.size() as usize));
        rest = after;
        let elements = ty.decode(&bytes_of(own));
        if as_json {
            object.insert(name.clone(), values::json(&ty, &elements));
        } else {
            lines.push_str(&format!("{name} = {}\n", values::text(&ty, &elements)));
        }
    }
    if as_json {
        print_json(&Value::Object(object))
    } else {
        print(&lines)
    }
}
