//! Programs: their names and types.

use std::path::Path;

use serde_json::{Value, json};
use session::Program;
use session::program::Call;
use values::{Element, Type};
use wasm_bindgen::prelude::*;

use crate::errors::OrThrow;

/// A program. The class `Program` of `js/client.js` is in front of it.
#[wasm_bindgen]
pub struct NativeProgram {
    pub(crate) program: Program,
    /// The call whose arguments are among the names.
    pub(crate) call: Option<Call>,
}

#[wasm_bindgen]
impl NativeProgram {
    /// The program of these bytes, which messages call `name`; with the function that is called
    /// instead of `main`, if one is: `score(income, 25)`.
    ///
    /// # Errors
    /// For what is no program, or no call.
    #[wasm_bindgen(constructor)]
    pub fn new(name: &str, bytes: &[u8], call: Option<String>) -> Result<NativeProgram, JsValue> {
        let program = Program::from_bytes(Path::new(name), bytes).or_throw()?;
        let call = call.map(|call| call.parse().map_err(session::Error::from));
        let call = call.transpose().or_throw()?;
        Ok(Self { program, call })
    }

    /// Variables, with their fields, as a document.
    #[must_use]
    pub fn variables(&self) -> String {
        variables(&self.program).to_string()
    }

    /// Functions as a document.
    #[must_use]
    pub fn functions(&self) -> String {
        functions(&self.program).to_string()
    }
}

fn variables(program: &Program) -> Value {
    let image = program.image();
    let secret: Vec<u32> = image.secret_variables().map(|own| own.address).collect();
    let outputs: Vec<u32> = image.output_variables().map(|own| own.address).collect();
    let listed = image.variables().iter().map(|variable| {
        let mut listed = shown(&variable.name, &variable.type_or_bytes());
        listed["global"] = variable.global.into();
        listed["secret"] = secret.contains(&variable.address).into();
        listed["output"] = outputs.contains(&variable.address).into();
        if !variable.fields.is_empty() {
            let fields = variable.fields.iter();
            let fields = fields.map(|field| shown(&field.name, &field.type_or_bytes()));
            listed["fields"] = fields.collect();
        }
        listed
    });
    listed.collect()
}

fn functions(program: &Program) -> Value {
    let listed = program.image().functions().iter().map(|function| {
        let parameters = function.parameters.as_ref().map(|parameters| {
            let parameters = parameters.iter();
            let shown = parameters.map(|own| shown(&own.name, &Type::scalar(own.element)));
            shown.collect::<Value>()
        });
        json!({
            "name": function.name,
            "parameters": parameters,
            "result": function.result.as_ref().map(Type::to_string),
        })
    });
    listed.collect()
}

/// A name with its type, as `u32[8]` and taken apart.
fn shown(name: &str, ty: &Type) -> Value {
    let (element, signed) = match ty.element() {
        Element::Integer { signed, .. } => ("integer", signed),
        Element::Boolean => ("boolean", false),
        Element::Character => ("character", false),
        Element::Float { .. } => ("float", true),
        _ => ("raw", false),
    };
    let mut shown = json!({
        "name": name,
        "type": ty.to_string(),
        "element": element,
        "bits": ty.width().map_or(ty.element().bits(), u32::from),
        "signed": signed,
        "shape": ty.dimensions(),
    });
    if let Some(names) = ty.names() {
        let names = names.enumerators().iter();
        // As text, since JavaScript's numbers are not exact.
        let names = names.map(|(name, value)| (name.clone(), Value::from(value.to_string())));
        shown["values"] = Value::Object(names.collect());
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn variables_have_names_types_and_shapes() {
        let bytes = include_bytes!("../../../examples/salaries/salaries.elf");
        let program = Program::from_bytes(Path::new("salaries.elf"), bytes).unwrap();
        let listed = variables(&program);
        let find = |name: &str| {
            let mut found = listed.as_array().unwrap().iter();
            found.find(|own| own["name"] == json!(name)).unwrap()
        };
        let salary = find("salary");
        assert_eq!(salary["type"], json!("u32[8]"));
        assert_eq!(
            (&salary["element"], &salary["bits"]),
            (&json!("integer"), &json!(32))
        );
        assert_eq!(
            (&salary["shape"], &salary["signed"]),
            (&json!([8]), &json!(false))
        );
        assert_eq!(find("count")["shape"], json!([]));
        assert!(
            functions(&program)
                .as_array()
                .unwrap()
                .iter()
                .any(|own| own["name"] == json!("main"))
        );
    }
}
