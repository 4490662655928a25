//! Decrypted values as JavaScript has them: numbers, `BigInt`s where 64 bits may be needed, truth
//! values, text, and typed arrays, nested where there are several dimensions.

use js_sys::{
    Array, BigInt, BigInt64Array, BigUint64Array, Float32Array, Float64Array, Int8Array,
    Int16Array, Int32Array, Map, Uint8Array, Uint16Array, Uint32Array,
};
use session::Error;
use session::owner::Decrypted;
use values::{Element, Type};
use wasm_bindgen::JsValue;

use crate::errors::thrown;

/// A map from names to values; of a table, to arrays of the rows' values.
pub(crate) fn map(rows: &[Decrypted]) -> Result<Map<JsValue, JsValue>, JsValue> {
    let is_table = rows.iter().any(Decrypted::is_table);
    let map = Map::new();
    for row in rows {
        for (name, ty, elements) in row.row(0) {
            let (name, value) = (name.into(), value(ty, &elements)?);
            if !is_table {
                map.set(&name, &value);
                continue;
            }
            let column = map.get(&name);
            let column = match column.is_undefined() {
                true => Array::new(),
                false => Array::from(&column),
            };
            column.push(&value);
            map.set(&name, &column);
        }
    }
    Ok(map)
}

fn value(ty: &Type, elements: &[i128]) -> Result<JsValue, JsValue> {
    let dimensions: Vec<usize> = ty.dimensions().iter().map(|own| *own as usize).collect();
    match (&dimensions[..], elements) {
        ([], [only]) => Ok(scalar(ty.element(), *only)),
        ([], _) => Err(thrown(&Error::internal("a number of several elements"))),
        (dimensions, elements) => part(ty.element(), dimensions, elements),
    }
}

fn part(element: Element, dimensions: &[usize], elements: &[i128]) -> Result<JsValue, JsValue> {
    match dimensions {
        [] | [_] if element == Element::Character => Ok(text(elements)),
        [] | [_] => Ok(array(element, elements)),
        [_, rest @ ..] => {
            let size: usize = rest.iter().product();
            let rows = elements.chunks(size.max(1));
            let rows = rows.map(|row| part(element, rest, row));
            Ok(rows.collect::<Result<Array, JsValue>>()?.into())
        }
    }
}

/// Text up to the first zero; bytes where it is none.
fn text(elements: &[i128]) -> JsValue {
    let bytes: Vec<u8> = elements.iter().map(|element| *element as u8).collect();
    let end = bytes.iter().position(|byte| *byte == 0);
    let shown = bytes.get(..end.unwrap_or(bytes.len())).unwrap_or_default();
    match std::str::from_utf8(shown) {
        Ok(text) => text.into(),
        Err(_) => Uint8Array::from(&bytes[..]).into(),
    }
}

fn scalar(element: Element, value: i128) -> JsValue {
    match element {
        Element::Boolean => (value != 0).into(),
        Element::Character => text(&[value]),
        Element::Float { bits: 32 } => f32::from_bits(value as u32).into(),
        Element::Float { .. } => f64::from_bits(value as u64).into(),
        Element::Integer { bits: 64, signed } => match signed {
            true => BigInt::from(value as i64).into(),
            false => BigInt::from(value as u64).into(),
        },
        // At most 32 bits: exact.
        _ => (value as f64).into(),
    }
}

/// The elements as an array of their type; those of a type are within its range.
fn array(element: Element, elements: &[i128]) -> JsValue {
    macro_rules! typed {
        ($array:ident, $number:ty) => {{
            let numbers: Vec<$number> = elements.iter().map(|own| *own as $number).collect();
            $array::from(&numbers[..]).into()
        }};
    }
    match element {
        Element::Integer {
            bits: 8,
            signed: true,
        } => typed!(Int8Array, i8),
        Element::Integer {
            bits: 16,
            signed: true,
        } => typed!(Int16Array, i16),
        Element::Integer {
            bits: 32,
            signed: true,
        } => typed!(Int32Array, i32),
        Element::Integer {
            bits: 64,
            signed: true,
        } => typed!(BigInt64Array, i64),
        Element::Integer { bits: 16, .. } => typed!(Uint16Array, u16),
        Element::Integer { bits: 32, .. } => typed!(Uint32Array, u32),
        Element::Integer { bits: 64, .. } => typed!(BigUint64Array, u64),
        Element::Float { bits: 32 } => {
            let numbers: Vec<f32> = elements
                .iter()
                .map(|own| f32::from_bits(*own as u32))
                .collect();
            Float32Array::from(&numbers[..]).into()
        }
        Element::Float { .. } => {
            let numbers: Vec<f64> = elements
                .iter()
                .map(|own| f64::from_bits(*own as u64))
                .collect();
            Float64Array::from(&numbers[..]).into()
        }
        Element::Boolean => {
            let truths = elements.iter().map(|own| JsValue::from(*own != 0));
            truths.collect::<Array>().into()
        }
        _ => typed!(Uint8Array, u8),
    }
}
