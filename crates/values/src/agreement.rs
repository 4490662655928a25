//! Whether values of one type mean the same as values of another.

use crate::{Element, Type};

/// Whether the bytes of a value of type `given`, read as one of type `own`, are the same value:
/// types of other widths, signs or shapes are not the same, whatever compilers call them.
///
/// A `char` has no sign of its own, so that it and any other byte are alike; a `bool` is 0 or 1 as
/// any byte, but not every byte is a `bool`.
pub fn agree(given: &Type, own: &Type) -> bool {
    // As they are written, types leave out the names of values.
    let (given_text, own_text) = (given.to_string(), own.to_string());
    if given_text == own_text {
        return true;
    }
    let is_field = given_text.contains(':') || own_text.contains(':');
    let is_byte = |element| matches!(element, Element::Integer { bits: 8, .. });
    let alike = match (given.element(), own.element()) {
        (Element::Character | Element::Boolean, own) => is_byte(own) || own == Element::Character,
        (given, Element::Character) => is_byte(given),
        _ => false,
    };
    alike && !is_field && given.dimensions() == own.dimensions()
}

/// A name that stands for different numbers in two enumerations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Renamed<'a> {
    /// The name.
    pub name: &'a str,
    /// Its number in the type that was given.
    pub given: i128,
    /// Its number in the other.
    pub own: i128,
}

/// The first name that stands for different numbers in both enumerations. A value that was given by
/// that name means another number.
///
/// Names that only one of them has say nothing: enumerations grow.
pub fn renamed<'a>(given: &'a Type, own: &Type) -> Option<Renamed<'a>> {
    let own = own.names()?;
    let mut listed = given.names()?.enumerators().iter();
    listed.find_map(|(name, value)| {
        let other = own.value(name).filter(|other| other != value)?;
        Some(Renamed {
            name,
            given: *value,
            own: other,
        })
    })
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use crate::Enumeration;

    use super::*;

    #[test]
    fn a_name_for_another_number_is_found() {
        let of = |names: &[(&str, i128)]| {
            let names = names.iter();
            let names = names.map(|(name, value)| ((*name).to_owned(), *value));
            let names = Enumeration::new(names.collect::<Vec<_>>()).unwrap();
            "u8".parse::<Type>().unwrap().with_names(Arc::new(names))
        };
        let given = of(&[("RED", 0), ("GREEN", 1)]);
        let swapped = of(&[("GREEN", 0), ("RED", 1)]);
        let expected = Renamed {
            name: "RED",
            given: 0,
            own: 1,
        };
        assert_eq!(renamed(&given, &swapped), Some(expected));
        for own in [
            given.clone(),
            of(&[("RED", 0), ("GREEN", 1), ("BLUE", 2)]),
            of(&[("GREEN", 1)]),
            of(&[("ROUGE", 0), ("VERT", 1)]),
            "u8".parse().unwrap(),
        ] {
            assert_eq!(renamed(&given, &own), None, "{own:?}");
            assert_eq!(renamed(&own, &given), None, "{own:?}");
        }
    }

    #[test]
    fn only_what_means_the_same_agrees() {
        let types = [
            "u8", "i8", "char", "bool", "u16", "i16", "u32", "i32", "u64", "i64", "u8[4]", "i8[4]",
            "char[4]", "bool[4]", "u32[2]", "u16[4]", "u8[2][2]", "u8[3]",
        ];
        // Besides each with itself.
        let alike = [
            ("u8", "char"),
            ("i8", "char"),
            ("char", "u8"),
            ("char", "i8"),
            ("bool", "u8"),
            ("bool", "i8"),
            ("bool", "char"),
            ("u8[4]", "char[4]"),
            ("i8[4]", "char[4]"),
            ("char[4]", "u8[4]"),
            ("char[4]", "i8[4]"),
            ("bool[4]", "u8[4]"),
            ("bool[4]", "i8[4]"),
            ("bool[4]", "char[4]"),
        ];
        for given in types {
            for own in types {
                let expected = given == own || alike.contains(&(given, own));
                let agreed = agree(&given.parse().unwrap(), &own.parse().unwrap());
                assert_eq!(agreed, expected, "{given} for {own}");
            }
        }
    }
}
