//! Values as `decrypt` shows them: for people in the syntax that `encrypt` reads, for scripts as
//! JSON.

use crate::{Element, Type};
use serde_json::Value;

/// The value in the syntax of an assignment's right-hand side. Bytes without a type are shown as
/// such, and are no value: `raw bytes 00 80 3f`.
///
/// Missing elements are left out, elements beyond the type's are ignored.
pub fn text(ty: &Type, values: &[i128]) -> String {
    if ty.element() == Element::Raw {
        let bytes = values.iter().map(|byte| format!(" {byte:02x}"));
        return format!("raw bytes{}", bytes.collect::<String>());
    }
    nested(ty, values, ty.dimensions(), 0)
}

fn nested(ty: &Type, values: &[i128], dimensions: &[u32], depth: usize) -> String {
    let Some((_, inner)) = dimensions.split_first() else {
        return values
            .first()
            .map_or_else(String::new, |value| scalar(ty, *value));
    };
    if ty.element() == Element::Character && inner.is_empty() {
        return quoted(values);
    }
    let items: Vec<String> = parts(values, inner)
        .map(|part| nested(ty, part, inner, depth + 1))
        .collect();
    let list = items.join(", ");
    if depth == 0 && inner.is_empty() {
        list
    } else {
        format!("{{{list}}}")
    }
}

/// The values of each item of an array whose items have these dimensions.
fn parts<'a>(values: &'a [i128], inner: &[u32]) -> impl Iterator<Item = &'a [i128]> {
    let stride: usize = inner.iter().map(|&dimension| dimension as usize).product();
    values.chunks(stride.max(1))
}

fn scalar(ty: &Type, value: i128) -> String {
    if let Some(name) = ty.names().and_then(|names| names.name(value)) {
        return name.to_owned();
    }
    match ty.element() {
        // The fewest digits that read back as the same number.
        Element::Float { bits: 32 } => format!("{:?}", f32::from_bits(value as u32)),
        Element::Float { .. } => format!("{:?}", f64::from_bits(value as u64)),
        Element::Boolean if value < 2 => (value == 1).to_string(),
        Element::Character => format!("'{}'", escaped(value as u8, '\'')),
        _ => value.to_string(),
    }
}

/// Text up to the zeros that fill the array.
fn quoted(values: &[i128]) -> String {
    let used = values
        .iter()
        .rposition(|value| *value != 0)
        .map_or(0, |last| last + 1);
    let bytes: Vec<u8> = values[..used].iter().map(|value| *value as u8).collect();
    let mut text = String::from("\"");
    for chunk in bytes.utf8_chunks() {
        for character in chunk.valid().chars() {
            match u8::try_from(character) {
                Ok(byte) if byte.is_ascii() => text.push_str(&escaped(byte, '"')),
                // Beyond ASCII only what moves no cursor and switches no mode.
                _ if character.is_alphanumeric() => text.push(character),
                _ => character
                    .encode_utf8(&mut [0; 4])
                    .bytes()
                    .for_each(|byte| text.push_str(&format!("\\x{byte:02x}"))),
            }
        }
        chunk
            .invalid()
            .iter()
            .for_each(|byte| text.push_str(&format!("\\x{byte:02x}")));
    }
    text.push('"');
    text
}

fn escaped(byte: u8, quote: char) -> String {
    match byte {
        b'\n' => "\\n".to_owned(),
        b'\t' => "\\t".to_owned(),
        b'\r' => "\\r".to_owned(),
        b'\\' => "\\\\".to_owned(),
        byte if char::from(byte) == quote => format!("\\{quote}"),
        b' '..=b'~' => char::from(byte).to_string(),
        byte => format!("\\x{byte:02x}"),
    }
}

/// The value as JSON: numbers, `true` and `false`, strings for text that is UTF-8 and for the names
/// of an enumeration's values, lists; `{"raw": "00803f"}` for bytes without a type. JSON has no
/// number for what is infinite or none: there it is a string.
pub fn json(ty: &Type, values: &[i128]) -> Value {
    if ty.element() == Element::Raw {
        let bytes = values.iter().map(|byte| format!("{byte:02x}"));
        return serde_json::json!({ "raw": bytes.collect::<String>() });
    }
    json_nested(ty, values, ty.dimensions())
}

fn json_nested(ty: &Type, values: &[i128], dimensions: &[u32]) -> Value {
    let Some((_, inner)) = dimensions.split_first() else {
        return values
            .first()
            .map_or(Value::Null, |value| json_scalar(ty, *value));
    };
    if ty.element() == Element::Character && inner.is_empty() {
        let used = values
            .iter()
            .rposition(|value| *value != 0)
            .map_or(0, |last| last + 1);
        let bytes = values[..used].iter().map(|value| *value as u8).collect();
        if let Ok(text) = String::from_utf8(bytes) {
            return Value::String(text);
        }
    }
    Value::Array(
        parts(values, inner)
            .map(|part| json_nested(ty, part, inner))
            .collect(),
    )
}

fn json_scalar(ty: &Type, value: i128) -> Value {
    if let Some(name) = ty.names().and_then(|names| names.name(value)) {
        return Value::String(name.to_owned());
    }
    match ty.element() {
        Element::Float { .. } => {
            let text = scalar(ty, value);
            let number = text.parse().ok().and_then(serde_json::Number::from_f64);
            number.map_or(Value::String(text), Value::Number)
        }
        Element::Boolean if value < 2 => Value::Bool(value == 1),
        Element::Character if inner_ascii(value) => Value::String(char::from(value as u8).into()),
        // Every element has at most 64 bits.
        _ => u64::try_from(value).map_or_else(|_| Value::from(value as i64), Value::from),
    }
}

fn inner_ascii(value: i128) -> bool {
    (1..128).contains(&value)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Literal;

    fn shown(ty: &str, values: &[i128]) -> (String, String) {
        let ty: Type = ty.parse().unwrap();
        (text(&ty, values), json(&ty, values).to_string())
    }

    #[test]
    fn values_read_well() {
        for (ty, values, people, script) in [
            ("u32", vec![41250], "41250", "41250"),
            (
                "i64",
                vec![i128::from(i64::MIN)],
                "-9223372036854775808",
                "-9223372036854775808",
            ),
            (
                "u64",
                vec![i128::from(u64::MAX)],
                "18446744073709551615",
                "18446744073709551615",
            ),
            ("bool", vec![1], "true", "true"),
            ("bool", vec![3], "3", "3"),
            ("char", vec![97], "'a'", "\"a\""),
            ("f32", vec![0x3dcc_cccd], "0.1", "0.1"),
            (
                "f64[2]",
                vec![0, 0x8000_0000_0000_0000],
                "0.0, -0.0",
                "[0.0,-0.0]",
            ),
            ("f32", vec![0x7f80_0000], "inf", "\"inf\""),
            ("f32", vec![0x7fc0_0000], "NaN", "\"NaN\""),
            ("f32", vec![1], "1e-45", "1e-45"),
            ("i32:5", vec![-16], "-16", "-16"),
            ("bool:1", vec![1], "true", "true"),
            (
                "raw[2]",
                vec![0, 255],
                "raw bytes 00 ff",
                "{\"raw\":\"00ff\"}",
            ),
            ("u8[3]", vec![1, 2, 3], "1, 2, 3", "[1,2,3]"),
            (
                "u8[2][2]",
                vec![1, 2, 3, 4],
                "{{1, 2}, {3, 4}}",
                "[[1,2],[3,4]]",
            ),
            (
                "char[6]",
                vec![97, 34, 10, 0, 0, 0],
                "\"a\\\"\\n\"",
                "\"a\\\"\\n\"",
            ),
            (
                "char[2]",
                vec![255, 27],
                "\"\\xff\\x1b\"",
                "[255,\"\\u001b\"]",
            ),
            (
                "char[2][2]",
                vec![97, 0, 98, 99],
                "{\"a\", \"bc\"}",
                "[\"a\",\"bc\"]",
            ),
        ] {
            assert_eq!(
                shown(ty, &values),
                (people.to_owned(), script.to_owned()),
                "{ty}"
            );
        }
    }

    #[test]
    fn what_is_shown_can_be_read_back() {
        let mut state = 1_u64;
        let mut next = || {
            state = state
                .wrapping_mul(6_364_136_223_846_793_005)
                .wrapping_add(1);
            state >> 33
        };
        for ty in [
            "u8",
            "i16",
            "bool",
            "char",
            "char[9]",
            "u32[5]",
            "i8[2][3]",
            "char[2][3][4]",
            "f32",
            "f64[3]",
            "u8:3",
            "i64:33",
        ] {
            let ty: Type = ty.parse().unwrap();
            for _ in 0..200 {
                let (low, high) = ty.range();
                let low = low.max(if ty.element() == Element::Character {
                    0
                } else {
                    low
                });
                let values: Vec<i128> = (0..ty.elements())
                    .map(|_| {
                        let random = i128::from(next()) << 31 | i128::from(next());
                        low + random.rem_euclid(high - low + 1)
                    })
                    // Of those that are no numbers only that is shown.
                    .map(|bits| match ty.element() {
                        Element::Float { bits: 32 } if f32::from_bits(bits as u32).is_nan() => 0,
                        Element::Float { bits: 64 } if f64::from_bits(bits as u64).is_nan() => 0,
                        _ => bits,
                    })
                    .collect();
                let shown = text(&ty, &values);
                let mut read = Literal::parse(&shown, "v", &ty)
                    .unwrap()
                    .elements("v", &ty)
                    .unwrap();
                read.resize(values.len(), 0);
                assert_eq!(read, values, "{ty} {shown}");
            }
        }
    }
}
