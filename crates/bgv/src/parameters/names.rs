//! Names of sets that spell them out, back into sets.

use super::{Level, ParameterLiteral, Security};

impl ParameterLiteral {
    /// The literal of a name as [`Parameters::name`](super::Parameters::name) writes them
    /// (`21845-45-30-24-2x50-2`), or of [`SETS`](Self::SETS); `None` for any other text. Nothing is
    /// checked.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        if let Some(known) = Self::by_name(name) {
            return Some(known);
        }
        let securities = [Security::Toy, Security::Weak80, Security::Bits128];
        let (security, numbers) = securities
            .into_iter()
            .find_map(|security| Some((security, name.strip_prefix(security.prefix())?)))?;
        let fields: Vec<&str> = numbers.split('-').collect();
        let [index, big_bits, small_bits, top, specials, digit] = fields[..] else {
            return None;
        };
        let (specials, special_bits) = specials.split_once('x')?;
        Some(Self {
            index: index.parse().ok()?,
            big_bits: big_bits.parse().ok()?,
            small_bits: small_bits.parse().ok()?,
            top: Level::from_number(top.parse().ok()?),
            specials: specials.parse().ok()?,
            special_bits: special_bits.parse().ok()?,
            digit: digit.parse().ok()?,
            security,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Parameters;

    #[test]
    fn names_are_read_back() {
        for literal in [ParameterLiteral::TOY_51, ParameterLiteral::TOY_255] {
            let name = Parameters::new(literal).unwrap().name();
            assert_eq!(ParameterLiteral::parse(&name), Some(literal));
        }
        let real = ParameterLiteral {
            security: Security::Bits128,
            ..ParameterLiteral::TOY_51
        };
        assert_eq!(ParameterLiteral::parse("51-45-36-10-1x45-1"), Some(real));
        for text in [
            "",
            "51",
            "51-45-30-10-145-1",
            "x-45-30-10-1x45-1",
            "51-45-30-10-1x45-1-1",
        ] {
            assert_eq!(ParameterLiteral::parse(text), None, "{text}");
        }
    }
}
