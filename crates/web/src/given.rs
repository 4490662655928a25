//! Values of JavaScript as values of the library: numbers, `BigInt`s, text, arrays, typed arrays,
//! and objects as structures. Whether a number fits its variable is the library's business, whose
//! words are the error's.

use js_sys::{Array, ArrayBuffer, DataView, Object};
use values::{Assignment, Literal, Value};
use wasm_bindgen::{JsCast, JsValue};

use crate::errors::input;

/// Deeper than the dimensions of any variable: what lies in itself ends here.
const DEPTH_LIMIT: usize = 16;

/// Values by name: the properties of an object.
pub(crate) fn assignments(given: &JsValue) -> Result<Vec<Assignment>, JsValue> {
    let pairs = properties("values", given)?.into_iter();
    let assignments = pairs.map(|(name, value)| {
        let value = Value::Ready(convert(&name, &value, 0)?);
        Ok(Assignment {
            name,
            ty: None,
            value,
        })
    });
    assignments.collect()
}

fn convert(name: &str, given: &JsValue, depth: usize) -> Result<Literal, JsValue> {
    if depth > DEPTH_LIMIT {
        return Err(input(format!("{name}: values are nested too deeply")));
    }
    if let Some(truth) = given.as_bool() {
        return Ok(Literal::Number(truth.into()));
    }
    if let Some(number) = given.as_f64() {
        return Ok(self::number(number));
    }
    if given.is_bigint() {
        let number = i128::try_from(given.clone());
        let too_large = |_| input(format!("{name}: the number has more than 64 bits"));
        return number.map(Literal::Number).map_err(too_large);
    }
    if let Some(text) = given.as_string() {
        return Ok(Literal::Text(text.into_bytes()));
    }
    // A view without elements of a type of their own is none of these.
    let is_view = ArrayBuffer::is_view(given) && !given.is_instance_of::<DataView>();
    if given.is_instance_of::<Array>() || is_view {
        let elements = Array::from(given).into_iter();
        let elements = elements.map(|element| convert(name, &element, depth + 1));
        return Ok(Literal::List(elements.collect::<Result<_, _>>()?));
    }
    if given.is_object() && !given.is_function() && !ArrayBuffer::is_view(given) {
        let members = properties(name, given)?.into_iter().map(|(member, value)| {
            let value = convert(&format!("{name}.{member}"), &value, depth + 1)?;
            Ok((member, value))
        });
        return Ok(Literal::Object(members.collect::<Result<_, JsValue>>()?));
    }
    let kind = given.js_typeof().as_string().unwrap_or_default();
    Err(input(format!(
        "{name}: a value of type {kind} is no number, text, array or object"
    )))
}

/// JavaScript has one type of numbers: those that are whole are whole numbers here, up to where
/// neighbours fall together. Beyond, they fit variables of floating point alone.
fn number(number: f64) -> Literal {
    const EXACT: f64 = 9_007_199_254_740_991.0;
    match number.fract() == 0.0 && number.abs() <= EXACT {
        true => Literal::Number((number as i64).into()),
        false => Literal::Real(format!("{number:e}")),
    }
}

fn properties(name: &str, given: &JsValue) -> Result<Vec<(String, JsValue)>, JsValue> {
    let object = given
        .dyn_ref::<Object>()
        .filter(|_| !given.is_instance_of::<Array>() && !given.is_function())
        .ok_or_else(|| input(format!("{name}: they are an object, by name")))?;
    let pairs = Object::entries(object).into_iter().map(|pair| {
        let pair = Array::from(&pair);
        let property = pair.get(0).as_string().unwrap_or_default();
        (property, pair.get(1))
    });
    Ok(pairs.collect())
}
