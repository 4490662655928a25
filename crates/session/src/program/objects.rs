//! Objects that somebody names: `table`, `table:16`, `0x20000:64`.

use std::str::FromStr;

use processor::{Object, Program, SymbolError};

/// A range of bytes that an access at a secret address may reach.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ObjectRange {
    place: Place,
    size: Option<u32>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Place {
    Address(u32),
    Symbol(String),
}

impl FromStr for ObjectRange {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let expected = || {
            format!(
                "{text:?} is no object: ADDRESS:SIZE, SYMBOL:SIZE or SYMBOL, as in 0x20000:64 or table"
            )
        };
        let (place, size) = match text.split_once(':') {
            None => (text, None),
            Some((place, size)) => (place, Some(number(size).ok_or_else(expected)?)),
        };
        let place = match number(place) {
            Some(address) => Place::Address(address),
            None if place.is_empty() || place.starts_with(|c: char| c.is_ascii_digit()) => {
                return Err(expected());
            }
            None => Place::Symbol(place.to_owned()),
        };
        let end = match (&place, size) {
            (Place::Address(_), None) | (_, Some(0)) => return Err(expected()),
            (Place::Address(address), Some(size)) => u64::from(*address) + u64::from(size),
            (Place::Symbol(_), _) => 0,
        };
        if end > 1 << 32 {
            return Err(format!("{text} does not lie within 32 bits of addresses"));
        }
        Ok(Self { place, size })
    }
}

/// A number in decimal or, after `0x`, in hexadecimal.
pub(super) fn number(text: &str) -> Option<u32> {
    match text.strip_prefix("0x") {
        Some(digits) => u32::from_str_radix(digits, 16).ok(),
        None if text.bytes().all(|byte| byte.is_ascii_digit()) => text.parse().ok(),
        None => None,
    }
}

impl ObjectRange {
    /// The processor's word for it.
    pub(super) fn object(&self, program: &Program) -> Result<Object, SymbolError> {
        let (address, size) = match (&self.place, self.size) {
            (Place::Address(address), size) => (*address, size.unwrap_or(0)),
            (Place::Symbol(name), Some(size)) => (program.label(name)?, size),
            (Place::Symbol(name), None) => {
                let variable = program.variable(name)?;
                (variable.address, variable.size)
            }
        };
        Ok(Object { address, size })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_and_symbols() {
        let parse = |text: &str| text.parse::<ObjectRange>();
        let object = |place, size| Ok(ObjectRange { place, size });
        assert_eq!(
            parse("0x20000:64"),
            object(Place::Address(0x20000), Some(64))
        );
        assert_eq!(parse("256:0x10"), object(Place::Address(256), Some(16)));
        assert_eq!(
            parse("a.b[2]"),
            object(Place::Symbol("a.b[2]".into()), None)
        );
        assert_eq!(
            parse("heap:8"),
            object(Place::Symbol("heap".into()), Some(8))
        );
        for wrong in [
            "",
            ":4",
            "0x100",
            "12",
            "table:",
            "table:x",
            "table:0",
            "9x:4",
            "0xffffffff:2",
        ] {
            assert!(parse(wrong).is_err(), "{wrong}");
        }
    }
}
