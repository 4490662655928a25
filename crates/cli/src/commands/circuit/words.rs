//! Numbers of any width: words of circuits as people write and read them, and as files hold them.
//!
//! Schoolbook conversions, quadratic in the digits: a word of 4,096 bits takes microseconds.

use circuits::formats::{Interface, Port};
use serde_json::{Value, json};
use values::{Element, Type};
use wire::Variable;

use crate::failure::{Code, Failure};

/// Most characters of a value: a word of a million bits in hexadecimal.
const TEXT_LIMIT: usize = 1 << 18;
/// Nine decimal digits fit a limb.
const BILLION: u64 = 1_000_000_000;

/// The bits of all inputs from values by name or in order.
pub(super) fn assigned(
    interface: &Interface,
    values: &[String],
) -> Result<Vec<Vec<bool>>, Failure> {
    let given = some(interface, values)?;
    let both = interface.inputs.iter().zip(given);
    both.map(|(port, bits)| {
        bits.ok_or_else(|| {
            let (name, ports) = (shown(&port.name), listed(&interface.inputs));
            let message = format!("no value for {name}; there are {ports}");
            Failure::new(Code::Input, message)
        })
    })
    .collect()
}

/// The bits of some inputs from values by name, or of all in order.
pub(super) fn some(
    interface: &Interface,
    values: &[String],
) -> Result<Vec<Option<Vec<bool>>>, Failure> {
    let ports = &interface.inputs;
    let wrong = |message: String| Failure::new(Code::Input, message);
    let named = values.iter().filter(|value| value.contains('=')).count();
    if named != 0 && named != values.len() {
        let message = "give all values by name (a=5), or all in order (5 7)";
        return Err(Failure::new(Code::Usage, message));
    }
    if named == 0 {
        if values.len() != ports.len() {
            let count = match values.len() {
                0 => "no values".to_owned(),
                1 => "1 value".to_owned(),
                more => format!("{more} values"),
            };
            return Err(wrong(format!(
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
            return Err(wrong(format!(
                "no input '{}'; there are {}",
                shown(name),
                listed(ports)
            )));
        };
        if given[at].replace(parse(&ports[at], text)?).is_some() {
            return Err(wrong(format!("{} is given twice", shown(name))));
        }
    }
    Ok(given)
}

/// The name of a port as a terminal may show it: whoever wrote the file chose it.
pub(super) fn shown(name: &str) -> String {
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
pub(super) fn listed(ports: &[Port]) -> String {
    let port = |port: &Port| {
        let bits = if port.width == 1 { "bit" } else { "bits" };
        let sign = if port.signed { ", signed" } else { "" };
        format!("{} ({} {bits}{sign})", shown(&port.name), port.width)
    };
    match ports {
        [] => "none".to_owned(),
        ports => ports.iter().map(port).collect::<Vec<_>>().join(", "),
    }
}

/// A number as a word of the port's width: 0 to 2ʷ − 1, or down to −2ʷ⁻¹ in two's complement.
fn parse(port: &Port, text: &str) -> Result<Vec<bool>, Failure> {
    let width = port.width;
    let name = shown(&port.name);
    let shown: String = text.chars().take(40).flat_map(char::escape_debug).collect();
    let not_a_number = || {
        let message = format!("{name}: '{shown}' is not a whole number");
        Failure::new(Code::Input, message)
    };
    let text = text.trim();
    let (negative, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (true, rest),
        None => (false, text.strip_prefix('+').unwrap_or(text)),
    };
    let limbs = magnitude_of(magnitude).ok_or_else(not_a_number)?;
    let mut bits: Vec<bool> = limbs
        .iter()
        .flat_map(|limb| (0..32).map(move |at| limb >> at & 1 == 1))
        .collect();
    let used = bits.iter().rposition(|&bit| bit).map_or(0, |top| top + 1);
    let lowest = used > 0 && used == width && bits[..used - 1].iter().all(|&bit| !bit);
    let fits = used <= width && (!negative || used < width || lowest);
    if !fits {
        let range = match width {
            0 => "0 bits".to_owned(),
            1..=64 => format!(
                "{width} bits (-{} to {})",
                1u64 << (width - 1),
                u64::MAX >> (64 - width)
            ),
            _ => format!("{width} bits"),
        };
        let message = format!("{name}: {shown} does not fit {range}");
        return Err(Failure::new(Code::Input, message));
    }
    bits.resize(width, false);
    if negative {
        // Two's complement: all above the lowest 1 is inverted.
        let lowest = bits.iter().position(|&bit| bit).unwrap_or(width);
        bits.iter_mut()
            .skip(lowest + 1)
            .for_each(|bit| *bit = !*bit);
    }
    Ok(bits)
}

/// Digits as limbs of 32 bits, the least significant first.
fn magnitude_of(text: &str) -> Option<Vec<u32>> {
    let lower = text.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'o', ..] => (&lower[2..], 8),
        [b'0', b'b', ..] => (&lower[2..], 2),
        _ => (lower.as_str(), 10),
    };
    let tidy = !digits.is_empty() && !digits.starts_with('_') && !digits.ends_with('_');
    if !tidy || digits.len() > TEXT_LIMIT {
        return None;
    }
    let mut limbs = Vec::new();
    for digit in digits.chars().filter(|&digit| digit != '_') {
        let mut carry = u64::from(digit.to_digit(radix)?);
        for limb in &mut limbs {
            carry += u64::from(*limb) * u64::from(radix);
            *limb = carry as u32;
            carry >>= 32;
        }
        if carry > 0 {
            limbs.push(carry as u32);
        }
    }
    Some(limbs)
}

/// A word in decimal, negative where the port is signed and the top bit says so.
pub(super) fn decimal(port: &Port, bits: &[bool]) -> String {
    let negative = port.signed && bits.last() == Some(&true);
    let mut limbs: Vec<u32> = bits
        .chunks(32)
        .map(|chunk| {
            let bits = chunk.iter().enumerate();
            bits.fold(0, |limb, (at, &bit)| limb | u32::from(bit) << at)
        })
        .collect();
    if negative {
        // 2ʷ − value, in the bits that the word has.
        let mut carry = true;
        for (at, limb) in limbs.iter_mut().enumerate() {
            let used = (bits.len() - 32 * at).min(32) as u32;
            let (sum, over) = (!*limb).overflowing_add(u32::from(carry));
            carry = over;
            *limb = sum & u32::MAX >> (32 - used);
        }
    }
    let mut groups = Vec::new();
    while limbs.iter().any(|&limb| limb != 0) {
        let mut rest = 0;
        for limb in limbs.iter_mut().rev() {
            let value = rest << 32 | u64::from(*limb);
            *limb = (value / BILLION) as u32;
            rest = value % BILLION;
        }
        groups.push(rest);
    }
    let mut text = String::from(if negative { "-" } else { "" });
    match groups.pop() {
        None => text.push('0'),
        Some(first) => text.push_str(&first.to_string()),
    }
    for group in groups.iter().rev() {
        text.push_str(&format!("{group:09}"));
    }
    text
}

/// A word in hexadecimal, with all its digits.
pub(super) fn hexadecimal(bits: &[bool]) -> String {
    let digits = bits.chunks(4).rev().map(|chunk| {
        let digit = chunk
            .iter()
            .rev()
            .fold(0, |digit, &bit| digit << 1 | u32::from(bit));
        char::from_digit(digit, 16).unwrap_or('0')
    });
    format!("0x{}", digits.collect::<String>())
}

/// The words that bits make, port after port.
pub(super) fn split<'a>(
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
pub(super) fn text(ports: &[Port], bits: &[bool]) -> String {
    split(ports, bits)
        .map(|(port, bits)| {
            let (name, decimal) = (shown(&port.name), decimal(port, bits));
            match bits.len() {
                0 | 1 => format!("{name} = {decimal}\n"),
                _ => format!("{name} = {decimal} ({})\n", hexadecimal(bits)),
            }
        })
        .collect()
}

/// An object of names; numbers as texts, for they may have any width.
pub(super) fn document(ports: &[Port], bits: &[bool]) -> Value {
    let entries = split(ports, bits).map(|(port, bits)| {
        let value = json!({
            "bits": port.width,
            "decimal": decimal(port, bits),
            "hexadecimal": hexadecimal(bits),
        });
        (port.name.clone(), value)
    });
    Value::Object(entries.collect())
}

/// How files hold a word: the narrowest integer that it fits, and beyond 64 bits an array of the
/// widest integers of which it is a whole number, else of bytes; the first has the lowest bits.
/// Bits above the word's are zero, or repeat the sign of a signed word of up to 64 bits.
pub(super) fn storage(port: &Port) -> Type {
    if port.width > 64 {
        let whole = |element: &Element| port.width.is_multiple_of(element.bits() as usize);
        let all = [Element::U64, Element::U32, Element::U16, Element::U8];
        let element = all.into_iter().find(whole).unwrap_or(Element::U8);
        let count = port.width.div_ceil(element.bits() as usize) as u32;
        return Type::vector(element, count);
    }
    Type::scalar(Element::Integer {
        bits: port.width.next_power_of_two().max(8) as u8,
        signed: port.signed,
    })
}

/// The bits of a word as a file holds them: its own, and what is above them. Of a word of no bits
/// there are none.
pub(super) fn stored<T: Clone>(port: &Port, mut bits: Vec<T>, zero: T) -> Vec<T> {
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
pub(super) fn variables<'a>(ports: impl IntoIterator<Item = &'a Port>) -> Vec<Variable> {
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
            signed,
            ..Port::new("v", width)
        }
    }

    fn value(width: usize, text: &str) -> Result<String, String> {
        let port = port(width, false);
        let bits = parse(&port, text).map_err(|failure| failure.message)?;
        assert_eq!(bits.len(), width);
        Ok(hexadecimal(&bits))
    }

    #[test]
    fn numbers_of_any_width() {
        for (width, text, expected) in [
            (8, "255", "0xff"),
            (8, "-1", "0xff"),
            (8, "-128", "0x80"),
            (8, "0x0f", "0x0f"),
            (8, "0b1_0", "0x02"),
            (5, "-16", "0x10"),
            (1, "1", "0x1"),
            (1, "-1", "0x1"),
            (
                128,
                "340282366920938463463374607431768211455",
                "0xffffffffffffffffffffffffffffffff",
            ),
            (72, "-1", "0xffffffffffffffffff"),
            (68, "0", "0x00000000000000000"),
        ] {
            assert_eq!(value(width, text).as_deref(), Ok(expected), "{text}");
        }
        for (width, text, part) in [
            (8, "256", "v: 256 does not fit 8 bits (-128 to 255)"),
            (8, "-129", "does not fit"),
            (
                64,
                "18446744073709551616",
                "does not fit 64 bits (-9223372036854775808 to 18446744073709551615)",
            ),
            (65, "0x20000000000000000", "does not fit 65 bits"),
            (0, "1", "does not fit 0 bits"),
            (8, "", "'' is not a whole number"),
            (8, "1.5", "'1.5' is not a whole number"),
            (8, "0x", "is not a whole number"),
            (8, "--1", "is not a whole number"),
            (8, "_1", "is not a whole number"),
        ] {
            let message = value(width, text).unwrap_err();
            assert!(message.contains(part), "{text}: {message}");
        }
    }

    #[test]
    fn what_is_shown_is_read_again() {
        for width in [1, 7, 8, 31, 32, 33, 64, 65, 128, 200] {
            for signed in [false, true] {
                let port = port(width, signed);
                for seed in 0..50u64 {
                    let bits: Vec<bool> = (0..width as u64)
                        .map(|at| (seed.wrapping_mul(at * at + 7) >> 2) & 1 == 1 || seed == 49)
                        .collect();
                    for text in [decimal(&port, &bits), hexadecimal(&bits)] {
                        assert_eq!(parse(&port, &text).ok().as_ref(), Some(&bits), "{text}");
                    }
                }
            }
        }
        let bits = vec![false, true, true];
        assert_eq!(decimal(&port(3, true), &bits), "-2");
        assert_eq!(decimal(&port(3, false), &bits), "6");
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
