//! The grammar of inline values, and how a literal fills an array.

use crate::{Element, Type};

use super::{InputError, shortened};

/// Deepest nesting of lists: arrays have at most a few dimensions.
const DEPTH_LIMIT: usize = 16;

/// A value before it meets its type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Literal {
    /// A whole number.
    Number(i128),
    /// A number that may have a fraction, as it is written.
    Real(String),
    /// Text, as bytes.
    Text(Vec<u8>),
    /// A list of values.
    List(Vec<Literal>),
    /// Values of a structure's members, by their names.
    Object(Vec<(String, Literal)>),
}

impl Literal {
    /// A value of JSON; nothing where there is a `null` in it. Truth values are 0 and 1.
    ///
    /// ```
    /// use blindcore_values::Literal;
    /// use serde_json::json;
    ///
    /// let list = Literal::List(vec![Literal::Number(1), Literal::Number(-2)]);
    /// assert_eq!(Literal::from_json(&json!([true, -2])), Some(list));
    /// assert_eq!(Literal::from_json(&json!(0.5)), Some(Literal::Real("0.5".to_owned())));
    /// assert_eq!(Literal::from_json(&json!({"x": [null]})), None);
    /// ```
    #[must_use]
    pub fn from_json(value: &serde_json::Value) -> Option<Self> {
        Some(match value {
            serde_json::Value::Null => return None,
            serde_json::Value::Bool(value) => Self::Number(i128::from(*value)),
            serde_json::Value::Number(value) => {
                let whole = value
                    .as_u64()
                    .map(i128::from)
                    .or(value.as_i64().map(i128::from));
                // One that is not whole, or has more than 64 bits, only a float can be.
                whole.map_or_else(|| Self::Real(value.to_string()), Self::Number)
            }
            serde_json::Value::String(text) => Self::Text(text.as_bytes().to_vec()),
            serde_json::Value::Array(items) => {
                Self::List(items.iter().map(Self::from_json).collect::<Option<_>>()?)
            }
            serde_json::Value::Object(members) => {
                let members = members.iter();
                let members =
                    members.map(|(name, value)| Some((name.clone(), Self::from_json(value)?)));
                Self::Object(members.collect::<Option<_>>()?)
            }
        })
    }
}

/// Reads what stands for one value of this type: a number, `true`, the name of an enumeration's
/// value, a number with a fraction.
pub(super) fn word(text: &str, ty: &Type) -> Option<Literal> {
    if let Some(value) = ty.names().and_then(|names| names.value(text)) {
        return Some(Literal::Number(value));
    }
    let is_float = matches!(ty.element(), Element::Float { .. });
    if is_float && text.parse::<f64>().is_ok() {
        return Some(Literal::Real(text.to_owned()));
    }
    number(text).map(Literal::Number)
}

/// The bits of the floating-point number nearest to what is written; `None` if there is none so
/// large.
fn nearest(text: &str, bits: u8) -> Option<i128> {
    let written: f64 = text.parse().ok()?;
    let (bits, infinite) = match bits {
        32 => {
            let value: f32 = text.parse().ok()?;
            (i128::from(value.to_bits()), value.is_infinite())
        }
        _ => (i128::from(written.to_bits()), written.is_infinite()),
    };
    let meant = text.to_ascii_lowercase().contains("inf");
    (!infinite || meant).then_some(bits)
}

/// Reads a whole number: decimal, `0x`, `0o`, `0b`, with `_` between digits and a sign, or a
/// character in single quotes.
pub fn number(text: &str) -> Option<i128> {
    match text {
        "true" => return Some(1),
        "false" => return Some(0),
        _ => {}
    }
    if let Some(inside) = text
        .strip_prefix('\'')
        .and_then(|rest| rest.strip_suffix('\''))
    {
        let (bytes, rest) = unescape(inside, None)?;
        return (rest.is_empty() && bytes.len() == 1).then(|| i128::from(bytes[0]));
    }
    let (sign, magnitude) = match text.strip_prefix('-') {
        Some(rest) => (-1, rest),
        None => (1, text.strip_prefix('+').unwrap_or(text)),
    };
    let lower = magnitude.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (&lower[2..], 16),
        [b'0', b'o', ..] => (&lower[2..], 8),
        [b'0', b'b', ..] => (&lower[2..], 2),
        _ => (lower.as_str(), 10),
    };
    let tidy =
        !digits.starts_with('_') && !digits.ends_with('_') && !digits.starts_with(['+', '-']);
    let value = i128::from_str_radix(&digits.replace('_', ""), radix).ok()?;
    tidy.then_some(sign * value)
}

impl Literal {
    /// Reads an inline value for a variable of type `ty`.
    ///
    /// # Errors
    /// [`InputError::NotAValue`].
    pub fn parse(text: &str, name: &str, ty: &Type) -> Result<Literal, InputError> {
        let trimmed = text.trim();
        let wrong = |part: &str, reason| InputError::NotAValue {
            name: name.to_owned(),
            text: shortened(part),
            ty: Box::new(ty.clone()),
            reason,
        };
        let is_text = ty.element() == Element::Character && !ty.dimensions().is_empty();
        if is_text && ty.dimensions().len() == 1 && !trimmed.starts_with(['"', '[', '{']) {
            return Ok(Literal::Text(text.as_bytes().to_vec()));
        }
        let mut parser = Parser { rest: trimmed, ty };
        let first = parser
            .value(0)
            .map_err(|(part, reason)| wrong(part, reason))?;
        if parser.rest.is_empty() {
            return Ok(first);
        }
        // A list without brackets.
        let mut items = vec![first];
        while !parser.rest.is_empty() {
            parser
                .comma()
                .map_err(|(part, reason)| wrong(part, reason))?;
            items.push(
                parser
                    .value(0)
                    .map_err(|(part, reason)| wrong(part, reason))?,
            );
        }
        Ok(Literal::List(items))
    }

    /// The elements that this literal gives to a variable, in memory order. At the end of the
    /// outermost array elements may be missing.
    ///
    /// # Errors
    /// [`InputError::NotAValue`], [`InputError::OutOfRange`], [`InputError::TooMany`].
    pub fn elements(&self, name: &str, ty: &Type) -> Result<Vec<i128>, InputError> {
        let mut values = Vec::new();
        let mut fill = Fill {
            name,
            ty,
            values: &mut values,
        };
        if let Some(bytes) = self.raw() {
            if ty.width().is_some() || bytes.len() != ty.size() as usize {
                return Err(fill.wrong("raw", "not as many bytes as it has"));
            }
            return Ok(ty.decode(&bytes));
        }
        if ty.element() == Element::Raw {
            let reason = "its bytes have no type here: give them as a file (NAME=@FILE)";
            return Err(fill.wrong("value", reason));
        }
        fill.array(self, ty.dimensions())?;
        let (low, high) = ty.range();
        match values
            .iter()
            .position(|value| *value < low || *value > high)
        {
            None => Ok(values),
            Some(index) => Err(InputError::OutOfRange {
                name: name.to_owned(),
                index,
                value: values[index],
                ty: Box::new(ty.clone()),
            }),
        }
    }
}

impl Literal {
    /// The bytes of something without a type, as [`json`](super::json) writes them.
    pub(super) fn raw(&self) -> Option<Vec<u8>> {
        let Self::Object(members) = self else {
            return None;
        };
        let [(name, Self::Text(text))] = &members[..] else {
            return None;
        };
        let (pairs, rest) = text.as_chunks::<2>();
        if name != "raw" || !rest.is_empty() {
            return None;
        }
        let digit = |byte: u8| char::from(byte).to_digit(16);
        let byte = |[high, low]: &[u8; 2]| Some((16 * digit(*high)? + digit(*low)?) as u8);
        pairs.iter().map(byte).collect()
    }
}

/// A failed parse: the part that is wrong, and why.
type Wrong<'a> = (&'a str, &'static str);

struct Parser<'a, 't> {
    rest: &'a str,
    ty: &'t Type,
}

impl<'a> Parser<'a, '_> {
    fn value(&mut self, depth: usize) -> Result<Literal, Wrong<'a>> {
        self.rest = self.rest.trim_start();
        let start = self.rest;
        if let Some(inside) = start.strip_prefix('"') {
            let (bytes, rest) =
                unescape(inside, Some('"')).ok_or((start, "the text does not end"))?;
            self.rest = rest.trim_start();
            return Ok(Literal::Text(bytes));
        }
        for (open, close) in [('[', ']'), ('{', '}')] {
            if let Some(inside) = start.strip_prefix(open) {
                if depth >= DEPTH_LIMIT {
                    return Err((start, "lists are nested too deeply"));
                }
                self.rest = inside;
                return self.list(close, depth + 1, start);
            }
        }
        // A quoted character may be one of the delimiters.
        let quoted = start
            .strip_prefix('\'')
            .and_then(|inside| inside[first(inside)..].find('\''));
        let end = match quoted {
            Some(close) => 2 + first(&start[1..]) + close,
            None => start.find([',', ']', '}']).unwrap_or(start.len()),
        };
        let (word, rest) = start.split_at(end);
        self.rest = rest.trim_start();
        let word = word.trim();
        let reason = if word.is_empty() {
            "a value is missing"
        } else if matches!(self.ty.element(), Element::Float { .. }) {
            "not a number"
        } else if self.ty.names().is_some() {
            "neither one of its names nor a whole number"
        } else {
            "not a whole number"
        };
        self::word(word, self.ty).ok_or((if word.is_empty() { start } else { word }, reason))
    }

    fn list(&mut self, close: char, depth: usize, start: &'a str) -> Result<Literal, Wrong<'a>> {
        let mut items = Vec::new();
        loop {
            self.rest = self.rest.trim_start();
            if let Some(rest) = self.rest.strip_prefix(close) {
                self.rest = rest.trim_start();
                return Ok(Literal::List(items));
            }
            if !items.is_empty() {
                self.comma()?;
            }
            if self.rest.is_empty() {
                return Err((start, "the list does not end"));
            }
            items.push(self.value(depth)?);
        }
    }

    fn comma(&mut self) -> Result<(), Wrong<'a>> {
        match self.rest.strip_prefix(',') {
            Some(rest) => {
                self.rest = rest.trim_start();
                Ok(())
            }
            None => Err((self.rest, "a comma is missing")),
        }
    }
}

/// Length of the first character, two if it is a backslash with what follows.
fn first(text: &str) -> usize {
    let mut characters = text.chars();
    match (characters.next(), characters.next()) {
        (Some('\\'), Some(next)) => 1 + next.len_utf8(),
        (Some(only), _) => only.len_utf8(),
        (None, _) => 0,
    }
}

/// Resolves C's escapes up to `close` (or the end, without one); returns the bytes and what follows
/// the closing quote.
fn unescape(text: &str, close: Option<char>) -> Option<(Vec<u8>, &str)> {
    let mut bytes = Vec::new();
    let mut characters = text.char_indices();
    while let Some((at, character)) = characters.next() {
        if Some(character) == close {
            return Some((bytes, &text[at + character.len_utf8()..]));
        }
        if character != '\\' {
            bytes.extend_from_slice(character.encode_utf8(&mut [0; 4]).as_bytes());
            continue;
        }
        match characters.next()?.1 {
            'n' => bytes.push(b'\n'),
            't' => bytes.push(b'\t'),
            'r' => bytes.push(b'\r'),
            '0' => bytes.push(0),
            'x' => {
                let digits = [characters.next()?.1, characters.next()?.1];
                let [high, low] = digits.map(|digit| digit.to_digit(16));
                bytes.push((high? * 16 + low?) as u8);
            }
            plain @ ('\\' | '"' | '\'') => bytes.push(plain as u8),
            _ => return None,
        }
    }
    close.is_none().then_some((bytes, ""))
}

struct Fill<'a> {
    name: &'a str,
    ty: &'a Type,
    values: &'a mut Vec<i128>,
}

impl Fill<'_> {
    /// Appends what `literal` gives to an array of these dimensions.
    fn array(&mut self, literal: &Literal, dimensions: &[u32]) -> Result<(), InputError> {
        let Some((&count, inner)) = dimensions.split_first() else {
            return self.scalar(literal);
        };
        match literal {
            Literal::Text(bytes) => self.text(bytes, dimensions),
            Literal::Number(_) | Literal::Real(_) | Literal::Object(_) => self.scalar(literal),
            // A flat list fills an array of arrays in memory order.
            Literal::List(items)
                if items
                    .iter()
                    .all(|item| matches!(item, Literal::Number(_) | Literal::Real(_))) =>
            {
                let room = dimensions
                    .iter()
                    .map(|&dimension| dimension as usize)
                    .product();
                self.room(items.len(), room)?;
                items.iter().try_for_each(|item| self.scalar(item))
            }
            Literal::List(items) => {
                self.room(items.len(), count as usize)?;
                let stride: usize = inner.iter().map(|&dimension| dimension as usize).product();
                let start = self.values.len();
                for (index, item) in items.iter().enumerate() {
                    // What an inner list leaves out is zero.
                    self.values.resize(start + index * stride, 0);
                    self.array(item, inner)?;
                }
                Ok(())
            }
        }
    }

    fn scalar(&mut self, literal: &Literal) -> Result<(), InputError> {
        match literal {
            Literal::Number(value) => {
                let value = match self.ty.element() {
                    Element::Float { bits: 32 } => i128::from((*value as f32).to_bits()),
                    Element::Float { .. } => i128::from((*value as f64).to_bits()),
                    _ => *value,
                };
                self.values.push(value);
            }
            Literal::Real(text) => {
                let Element::Float { bits } = self.ty.element() else {
                    return Err(self.wrong(text, "not a whole number"));
                };
                let value = nearest(text, bits);
                let value = value.ok_or_else(|| self.wrong(text, "no such number is so large"))?;
                self.values.push(value);
            }
            Literal::Object(_) => {
                return Err(self.wrong("object", "it is no structure"));
            }
            Literal::List(items) => match items.as_slice() {
                [item @ (Literal::Number(_) | Literal::Real(_) | Literal::Text(_))] => {
                    self.scalar(item)?;
                }
                _ => {
                    return Err(self
                        .room(items.len(), 1)
                        .err()
                        .unwrap_or_else(|| self.wrong("list", "a single number was expected")));
                }
            },
            Literal::Text(bytes) => match (bytes.as_slice(), self.ty.element()) {
                ([byte], Element::Character) => self.values.push(i128::from(*byte)),
                _ => {
                    let text = String::from_utf8_lossy(bytes);
                    let special = matches!(self.ty.element(), Element::Float { .. });
                    if special || self.ty.names().is_some() {
                        return match word(&text, self.ty) {
                            Some(Literal::Text(_)) | None => {
                                Err(self.wrong(&text, "neither a name nor a number of its type"))
                            }
                            Some(known) => self.scalar(&known),
                        };
                    }
                    return Err(self.wrong(&text, "a number was expected, not text"));
                }
            },
        }
        Ok(())
    }

    fn text(&mut self, bytes: &[u8], dimensions: &[u32]) -> Result<(), InputError> {
        let named = self.ty.names().is_some();
        if self.ty.element().bits() != 8 || dimensions.len() != 1 || named {
            let text = String::from_utf8_lossy(bytes);
            return Err(self.wrong(&text, "only arrays of bytes hold text"));
        }
        self.room(bytes.len(), dimensions[0] as usize)?;
        let signed = self.ty.element().range().1 == 127;
        self.values.extend(bytes.iter().map(|&byte| {
            if signed {
                i128::from(byte as i8)
            } else {
                i128::from(byte)
            }
        }));
        Ok(())
    }

    fn room(&self, given: usize, room: usize) -> Result<(), InputError> {
        if given <= room {
            return Ok(());
        }
        Err(InputError::TooMany {
            name: self.name.to_owned(),
            given,
            elements: room as u32,
            ty: Box::new(self.ty.clone()),
        })
    }

    fn wrong(&self, text: &str, reason: &'static str) -> InputError {
        InputError::NotAValue {
            name: self.name.to_owned(),
            text: shortened(text),
            ty: Box::new(self.ty.clone()),
            reason,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, ty: &str) -> Result<Vec<i128>, InputError> {
        let ty: Type = ty.parse().unwrap();
        Literal::parse(text, "v", &ty)?.elements("v", &ty)
    }

    #[test]
    fn numbers() {
        for (text, value) in [
            ("17", 17),
            ("-3", -3),
            ("+3", 3),
            ("0xff", 255),
            ("-0X1_0", -16),
            ("0b101", 5),
            ("0o17", 15),
            ("1_000_000", 1_000_000),
            ("'a'", 97),
            ("'\\n'", 10),
            ("'\\''", 39),
            ("'\\x80'", 128),
            ("true", 1),
            ("false", 0),
        ] {
            assert_eq!(number(text), Some(value), "{text}");
        }
        for text in [
            "", "-", "--1", "-+1", "1.5", "1e3", "0x", "0x-1", "_1", "1_", "a", "'ab'", "''", "1 2",
        ] {
            assert_eq!(number(text), None, "{text}");
        }
    }

    #[test]
    fn lists_fill_arrays() {
        assert_eq!(read("1,2,3", "u32[3]").unwrap(), [1, 2, 3]);
        assert_eq!(read(" [ 1 , 2 ] ", "u32[3]").unwrap(), [1, 2]);
        assert_eq!(read("{1,2},{3}", "u8[3][2]").unwrap(), [1, 2, 3]);
        assert_eq!(read("{1},{3}", "u8[3][2]").unwrap(), [1, 0, 3]);
        assert_eq!(read("1,2,3", "u8[3][2]").unwrap(), [1, 2, 3]);
        assert_eq!(read("7", "u8[2]").unwrap(), [7]);
        assert_eq!(read("','", "u8").unwrap(), [44]);
        assert_eq!(read("',','\\'',1", "u8[3]").unwrap(), [44, 39, 1]);
        assert_eq!(read("[]", "u8[2]").unwrap(), [0_i128; 0]);
    }

    #[test]
    fn text_fills_bytes() {
        assert_eq!(read("ab", "char[4]").unwrap(), [97, 98]);
        assert_eq!(read("12", "char[4]").unwrap(), [49, 50]);
        assert_eq!(read("\"a\\\"b\"", "char[4]").unwrap(), [97, 34, 98]);
        assert_eq!(read("\"\\xff\"", "i8[1]").unwrap(), [-1]);
        assert_eq!(read("[97]", "char[4]").unwrap(), [97]);
        assert_eq!(read("\"ab\",\"c\"", "char[2][3]").unwrap(), [97, 98, 0, 99]);
        assert!(matches!(
            read("\"ab\"", "u32[4]"),
            Err(InputError::NotAValue { .. })
        ));
        assert!(matches!(
            read("abcde", "char[4]"),
            Err(InputError::TooMany { given: 5, .. })
        ));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        assert_eq!(
            read("1,256", "u8[2]").unwrap_err().to_string(),
            "v[1]: 256 does not fit u8 (0 to 255)"
        );
        assert_eq!(
            read("-129", "i8").unwrap_err().to_string(),
            "v: -129 does not fit i8 (-128 to 127)"
        );
        assert_eq!(
            read("1,2,3", "u8[2]").unwrap_err().to_string(),
            "v: 3 values, but u8[2] holds 2"
        );
        assert_eq!(
            read("1,2", "u8").unwrap_err().to_string(),
            "v: 2 values, but u8 holds 1"
        );
        for text in [
            "",
            "1,,2",
            "1 2",
            "[1",
            "1]",
            "{1]",
            "\"",
            "\"\\q\"",
            "[[[[[[[[[[[[[[[[[[[1",
        ] {
            assert!(
                matches!(read(text, "u8[9]"), Err(InputError::NotAValue { .. })),
                "{text}"
            );
        }
    }
}
