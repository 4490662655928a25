//! Words of a circuit's ports, of any width: as people write and read them, and as files hold them.

use circuits::formats::{Interface, Meaning, Port};
use serde_json::{Value, json};
use values::{Element, Type, WideError};
use wire::Variable;

use crate::error::{Error, ErrorKind};

/// The bits of all inputs from values by name or in order.
pub fn assigned(interface: &Interface, values: &[String]) -> Result<Vec<Vec<bool>>, Error> {
    let given = some(interface, values)?;
    let both = interface.inputs.iter().zip(given);
    both.map(|(port, bits)| {
        bits.ok_or_else(|| {
            let (name, ports) = (shown(&port.name), listed(&interface.inputs));
            let message = format!("no value for {name}; there are {ports}");
            input(message)
        })
    })
    .collect()
}

/// The bits of some inputs from values by name, or of all in order.
pub fn some(interface: &Interface, values: &[String]) -> Result<Vec<Option<Vec<bool>>>, Error> {
    let ports = &interface.inputs;
    let named = values.iter().filter(|value| value.contains('=')).count();
    if named != 0 && named != values.len() {
        let message = "give all values by name (a=5), or all in order (5 7)";
        return Err(Error::new(ErrorKind::Usage, message));
    }
    if named == 0 {
        if values.len() != ports.len() {
            let count = match values.len() {
                0 => "no values".to_owned(),
                1 => "1 value".to_owned(),
                more => format!("{more} values"),
            };
            return Err(input(format!(
                "{count}, but the circuit has {}: give one for each, in order or by name",
                listed(ports)
            )));
        }
        let both = ports.iter().zip(values);
        let all = both.map(|(port, value)| parse(port, value).map(Some));
        return all.collect();
    }
    let mut given: Vec<Option<Vec<bool>>> = vec![None; ports.len()];
    for value in values {
        let (name, text) = value.split_once('=').unwrap_or((value, ""));
        let at = ports.iter().position(|port| port.name == name.trim());
        let Some(at) = at else {
            return Err(input(format!(
                "no input '{}'; there are {}",
                shown(name),
                listed(ports)
            )));
        };
        if given[at].replace(parse(&ports[at], text)?).is_some() {
            return Err(input(format!("{} is given twice", shown(name))));
        }
    }
    Ok(given)
}

/// The name of a port as a terminal may show it: the author of the file chose it.
pub fn shown(name: &str) -> String {
    let limit = 200;
    let mut shown = String::new();
    for c in name.chars().take(limit) {
        match c {
            '\'' | '"' | '\\' => shown.push(c),
            c => shown.extend(c.escape_debug()),
        }
    }
    if name.chars().nth(limit).is_some() {
        shown.push('…');
    }
    shown
}

/// Ports as a list: `a (8 bits), c (1 bit)`.
pub fn listed(ports: &[Port]) -> String {
    let port = |port: &Port| {
        let bits = if port.width == 1 { "bit" } else { "bits" };
        let sign = match port.meaning {
            Meaning::Unsigned => "",
            Meaning::Signed => ", signed",
            Meaning::Float => ", floating-point",
        };
        format!("{} ({} {bits}{sign})", shown(&port.name), port.width)
    };
    match ports {
        [] => "none".to_owned(),
        ports => ports.iter().map(port).collect::<Vec<_>>().join(", "),
    }
}

/// A number as a word of the port's width: 0 to 2ʷ − 1, or down to −2ʷ⁻¹ in two's complement.
fn parse(port: &Port, text: &str) -> Result<Vec<bool>, Error> {
    values::wide_bits(text, port.width).map_err(|error| {
        let (name, text) = (shown(&port.name), excerpt(text));
        input(match error {
            WideError::NotANumber => format!("{name}: '{text}' {error}"),
            _ => format!("{name}: {text} {error}"),
        })
    })
}

/// The beginning of a text as a terminal may show it.
fn excerpt(text: &str) -> String {
    text.chars().take(40).flat_map(char::escape_debug).collect()
}

fn input(message: String) -> Error {
    Error::new(ErrorKind::Input, message)
}

/// A word in decimal, negative where the port is signed and the top bit says so.
fn decimal(port: &Port, bits: &[bool]) -> String {
    values::wide_decimal(bits, port.meaning == Meaning::Signed)
}

/// The words that bits make, port after port.
pub fn split<'a>(
    ports: &'a [Port],
    bits: &'a [bool],
) -> impl Iterator<Item = (&'a Port, &'a [bool])> {
    let mut rest = bits;
    ports.iter().map(move |port| {
        let (own, after) = rest.split_at(port.width.min(rest.len()));
        rest = after;
        (port, own)
    })
}

/// `out = 12 (0x0c)`, a line for each word.
pub fn text(ports: &[Port], bits: &[bool]) -> String {
    split(ports, bits)
        .map(|(port, bits)| {
            let (name, decimal) = (shown(&port.name), decimal(port, bits));
            match bits.len() {
                0 | 1 => format!("{name} = {decimal}\n"),
                _ => format!("{name} = {decimal} ({})\n", values::wide_hexadecimal(bits)),
            }
        })
        .collect()
}

/// An object of names; numbers as texts, for they may have any width.
pub fn document(ports: &[Port], bits: &[bool]) -> Value {
    let entries = split(ports, bits).map(|(port, bits)| {
        let value = json!({
            "bits": port.width,
            "decimal": decimal(port, bits),
            "hexadecimal": values::wide_hexadecimal(bits),
        });
        (port.name.clone(), value)
    });
    Value::Object(entries.collect())
}

/// How files hold a word: a floating-point number as it is; else the narrowest integer that it fits, and beyond 64 bits an array of the
/// widest integers of which it is a whole number, else of bytes; the first has the lowest bits.
/// Bits above the word's are zero, or repeat the sign of a signed word of up to 64 bits.
pub fn storage(port: &Port) -> Type {
    if port.width > 64 {
        let whole = |element: &Element| port.width.is_multiple_of(element.bits() as usize);
        let all = [Element::U64, Element::U32, Element::U16, Element::U8];
        let element = all.into_iter().find(whole).unwrap_or(Element::U8);
        let count = port.width.div_ceil(element.bits() as usize) as u32;
        return Type::vector(element, count);
    }
    let bits = port.width.next_power_of_two().max(8) as u8;
    Type::scalar(match port.meaning {
        Meaning::Float if matches!(port.width, 32 | 64) => Element::Float { bits },
        meaning => Element::Integer {
            bits,
            signed: meaning == Meaning::Signed,
        },
    })
}

/// The bits of a word as a file holds them: its own, and what is above them. Of a word of no bits
/// there are none.
pub fn stored<T: Clone>(port: &Port, mut bits: Vec<T>, zero: T) -> Vec<T> {
    let ty = storage(port);
    let Some(top) = bits.last() else {
        return bits;
    };
    let above = match ty.element() {
        Element::Integer { signed: true, .. } => top.clone(),
        _ => zero,
    };
    bits.resize(ty.bits(), above);
    bits
}

/// The variables of a file that holds these words. A word of no bits has none.
pub fn variables<'a>(ports: impl IntoIterator<Item = &'a Port>) -> Vec<Variable> {
    let words = ports.into_iter().filter(|port| port.width > 0);
    words
        .map(|port| Variable {
            name: port.name.clone(),
            kind: storage(port),
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn port(width: usize, signed: bool) -> Port {
        Port {
            meaning: match signed {
                true => Meaning::Signed,
                false => Meaning::Unsigned,
            },
            ..Port::new("v", width)
        }
    }

    #[test]
    fn words_have_types() {
        for (width, signed, expected) in [
            (1, false, "u8"),
            (8, true, "i8"),
            (9, true, "i16"),
            (100, true, "u8[13]"),
            (33, false, "u64"),
            (64, true, "i64"),
            (65, false, "u8[9]"),
            (96, false, "u32[3]"),
            (128, false, "u64[2]"),
            (1600, false, "u64[25]"),
        ] {
            let ty = storage(&port(width, signed));
            assert_eq!(ty.to_string(), expected);
            assert!((width..width + 64).contains(&ty.bits()));
        }
    }
}
