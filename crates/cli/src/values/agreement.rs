//! Whether values of one type mean the same as values of another.

use processor::{Element, Type};

/// Whether the bytes of a value of type `given`, read as one of type `own`, are the same value: types
/// of other widths, signs or shapes are not the same, whatever compilers call them.
///
/// A `char` has no sign of its own, so that it and any other byte are alike; a `bool` is 0 or 1 as any
/// byte, but not every byte is a `bool`.
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

#[cfg(test)]
mod tests {
    use super::*;

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
