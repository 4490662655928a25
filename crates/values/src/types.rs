//! Types: an element, an array of elements, or a bit-field.

use std::fmt;
use std::str::FromStr;
use std::sync::Arc;

use crate::bits::{bits_of, bytes_of};
use crate::element::Element;
use crate::enumeration::Enumeration;
use crate::error::ValueError;

/// An element, an array of elements or a bit-field: `u32`, `char[16]`, `i8[3][4]`, `u32:5`.
///
/// Written and parsed as a C declarator reads: the outermost dimension first. The elements are
/// laid out in row-major order without padding. The values of an enumeration have names, which are
/// no part of the written type.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Type {
    element: Element,
    dimensions: Vec<u32>,
    /// Of a bit-field: its bits, at least one, at most the element's. It has no dimensions.
    width: Option<u8>,
    names: Option<Arc<Enumeration>>,
}

impl Type {
    /// Most dimensions of an array: as many as files and debugging information have.
    pub const MOST_DIMENSIONS: usize = 8;

    /// A single element.
    #[must_use]
    pub fn scalar(element: Element) -> Self {
        Self {
            element,
            dimensions: Vec::new(),
            width: None,
            names: None,
        }
    }

    /// A bit-field of `bits` bits, whose values are the element's.
    ///
    /// # Errors
    /// [`ValueError::Width`] where the element has fewer bits, or none are asked for, or the
    /// element is no whole number.
    pub fn bit_field(element: Element, width: u8) -> Result<Self, ValueError> {
        let whole = matches!(
            element,
            Element::Integer { .. } | Element::Boolean | Element::Character
        );
        if !whole || width == 0 || u32::from(width) > element.bits() {
            return Err(ValueError::Width { element, width });
        }
        Ok(Self {
            width: Some(width),
            ..Self::scalar(element)
        })
    }

    /// This type, with names for its values.
    #[must_use]
    pub fn with_names(self, names: Arc<Enumeration>) -> Self {
        Self {
            names: Some(names),
            ..self
        }
    }

    /// An array, the outermost dimension first; no dimensions make a scalar.
    ///
    /// # Errors
    /// [`ValueError::Dimensions`] for more than [`MOST_DIMENSIONS`](Self::MOST_DIMENSIONS);
    /// [`ValueError::TooLarge`] when the array, or a part of it, would not fit the 32-bit address
    /// space.
    pub fn array(element: Element, dimensions: Vec<u32>) -> Result<Self, ValueError> {
        if dimensions.len() > Self::MOST_DIMENSIONS {
            return Err(ValueError::Dimensions {
                element,
                given: dimensions.len(),
            });
        }
        // Where one dimension is 0 the others are still multiplied, for the size of an item.
        let bytes = dimensions
            .iter()
            .try_fold(u64::from(element.bytes()), |bytes, &dimension| {
                let bytes = bytes * u64::from(dimension.max(1));
                (bytes <= u64::from(u32::MAX)).then_some(bytes)
            });
        if bytes.is_none() {
            return Err(ValueError::TooLarge {
                element,
                dimensions,
            });
        }
        Ok(Self {
            dimensions,
            ..Self::scalar(element)
        })
    }

    /// An array of one dimension whose size is known to be small; [`array`](Self::array) takes any.
    ///
    /// # Panics
    /// If it exceeds 4 GiB.
    #[must_use]
    pub fn vector(element: Element, count: u32) -> Self {
        let most = u32::MAX / element.bytes();
        assert!(
            count <= most,
            "{count} elements of {element}, at most {most}"
        );
        Self {
            dimensions: vec![count],
            ..Self::scalar(element)
        }
    }

    /// An array of bytes: what a variable is when nobody says otherwise.
    #[must_use]
    pub fn bytes_of_unknown_type(size: u32) -> Self {
        Self::vector(Element::U8, size)
    }

    /// What each element is.
    #[must_use]
    pub fn element(&self) -> Element {
        self.element
    }

    /// The dimensions, the outermost first; empty for a scalar.
    #[must_use]
    pub fn dimensions(&self) -> &[u32] {
        &self.dimensions
    }

    /// How many bits the bit-field has that this is, if it is one.
    #[must_use]
    pub fn width(&self) -> Option<u8> {
        self.width
    }

    /// The names of the values, of an enumeration.
    #[must_use]
    pub fn names(&self) -> Option<&Arc<Enumeration>> {
        self.names.as_ref()
    }

    /// The smallest and the largest value of an element; see [`Element::range`].
    #[must_use]
    pub fn range(&self) -> (i128, i128) {
        match (self.element, self.width) {
            (Element::Integer { signed: true, .. }, Some(width)) => {
                (-(1i128 << (width - 1)), (1i128 << (width - 1)) - 1)
            }
            (Element::Integer { .. } | Element::Character, Some(width)) => {
                (0, (1i128 << width) - 1)
            }
            (element, _) => element.range(),
        }
    }

    /// The number of bits.
    #[must_use]
    pub fn bits(&self) -> usize {
        match self.width {
            Some(width) => usize::from(width),
            None => self.elements() as usize * self.element.bits() as usize,
        }
    }

    /// The number of elements.
    #[must_use]
    pub fn elements(&self) -> u32 {
        self.dimensions.iter().product()
    }

    /// The size in bytes; of a bit-field as many as its bits fill when they stand alone.
    #[must_use]
    pub fn size(&self) -> u32 {
        match self.width {
            Some(width) => u32::from(width).div_ceil(8),
            None => self.elements() * self.element.bytes(),
        }
    }

    /// The bytes of these elements in memory order; those of a bit-field begin with its lowest bit,
    /// and what its last byte has beyond it is 0.
    ///
    /// Fewer values than elements are allowed (the bytes then cover the first elements only);
    /// more are an error.
    ///
    /// # Errors
    /// [`ValueError::OutOfRange`] and [`ValueError::TooMany`].
    pub fn encode(&self, values: &[i128]) -> Result<Vec<u8>, ValueError> {
        if values.len() as u64 > u64::from(self.elements()) {
            return Err(ValueError::TooMany {
                given: values.len(),
                elements: self.elements(),
            });
        }
        let mut bytes = Vec::new();
        for &value in values {
            if let Some(width) = self.width {
                let (low, high) = self.range();
                if value < low || value > high {
                    let element = self.element;
                    return Err(ValueError::OutOfRange {
                        value,
                        element,
                        low,
                        high,
                    });
                }
                let bits: Vec<bool> = (0..width).map(|i| (value >> i) & 1 == 1).collect();
                bytes.extend(bytes_of(&bits));
                continue;
            }
            bytes.extend(bytes_of(&self.element.encode(value)?));
        }
        Ok(bytes)
    }

    /// The elements that these bytes hold; a trailing partial element is dropped.
    #[must_use]
    pub fn decode(&self, bytes: &[u8]) -> Vec<i128> {
        if let Some(width) = self.width {
            let mut bits = bits_of(bytes);
            if bits.len() < usize::from(width) {
                return Vec::new();
            }
            bits.truncate(usize::from(width));
            let signed = matches!(self.element, Element::Integer { signed: true, .. });
            let sign = signed && bits.last() == Some(&true);
            bits.resize(self.element.bits() as usize, sign);
            return vec![self.element.decode(&bits)];
        }
        bytes
            .chunks_exact(self.element.bytes() as usize)
            .take(self.elements() as usize)
            .map(|bytes| self.element.decode(&bits_of(bytes)))
            .collect()
    }
}

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.element)?;
        if let Some(width) = self.width {
            return write!(f, ":{width}");
        }
        self.dimensions
            .iter()
            .try_for_each(|dimension| write!(f, "[{dimension}]"))
    }
}

impl FromStr for Type {
    type Err = ValueError;

    fn from_str(text: &str) -> Result<Self, ValueError> {
        let unknown = || ValueError::unknown_type(text);
        if let Some((element, width)) = text.split_once(':') {
            let element = element.parse().map_err(|_| unknown())?;
            return Self::bit_field(element, width.parse().map_err(|_| unknown())?);
        }
        let (element, mut rest) = text.split_at(text.find('[').unwrap_or(text.len()));
        let element = element.parse().map_err(|_| unknown())?;
        let mut dimensions = Vec::new();
        while !rest.is_empty() {
            let (number, after) = rest
                .strip_prefix('[')
                .and_then(|rest| rest.split_once(']'))
                .ok_or_else(unknown)?;
            if dimensions.len() == Self::MOST_DIMENSIONS {
                return Err(ValueError::Dimensions {
                    element,
                    given: text.matches('[').count(),
                });
            }
            dimensions.push(number.parse().map_err(|_| unknown())?);
            rest = after;
        }
        Self::array(element, dimensions)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_read_as_they_are_written() {
        for text in [
            "u8",
            "i64",
            "bool",
            "f32",
            "f64[2]",
            "raw[3]",
            "u32:5",
            "char[16]",
            "u32[8]",
            "i16[2][3]",
        ] {
            assert_eq!(text.parse::<Type>().unwrap().to_string(), text);
        }
        for text in ["", "u7", "u32[", "u32[]", "u32[-1]", "u32[2]x", "u32]2["] {
            assert_eq!(
                text.parse::<Type>(),
                Err(ValueError::UnknownType {
                    text: text.to_owned()
                }),
                "{text}"
            );
        }
        assert!(matches!(
            "u64[65536][65536]".parse::<Type>(),
            Err(ValueError::TooLarge { .. })
        ));
    }

    #[test]
    fn dimensions_are_few() {
        let most: Type = "u32[1][1][1][1][1][1][1][1]".parse().unwrap();
        assert_eq!(most.dimensions().len(), Type::MOST_DIMENSIONS);
        for count in [9, 200_000] {
            let element = Element::U32;
            let refused = Err(ValueError::Dimensions {
                element,
                given: count,
            });
            let text = format!("u32{}", "[1]".repeat(count));
            assert_eq!(text.parse::<Type>(), refused);
            assert_eq!(Type::array(element, vec![1; count]), refused);
        }
    }

    /// An item's size is computed although there is none.
    #[test]
    fn parts_of_empty_arrays_are_bounded_too() {
        assert_eq!("u32[0][5]".parse::<Type>().unwrap().elements(), 0);
        assert!(matches!(
            "u32[0][4294967295][4294967295][4294967295]".parse::<Type>(),
            Err(ValueError::TooLarge { .. })
        ));
    }

    #[test]
    fn messages_are_short_whatever_is_written() {
        let error = "ü".repeat(1 << 20).parse::<Type>().unwrap_err();
        let text = format!("{}…", "ü".repeat(80));
        assert_eq!(error, ValueError::UnknownType { text });
        let written = "u32\u{1b}[2J";
        let text = "u32\\u{1b}[2J".to_owned();
        let expected = ValueError::UnknownType { text };
        assert_eq!(written.parse::<Type>(), Err(expected.clone()));
        assert_eq!(written.parse::<Element>(), Err(expected));
    }

    #[test]
    fn values_round_trip_at_their_limits() {
        for text in ["u8", "u16", "u32", "u64", "i8", "i16", "i32", "i64", "bool"] {
            let ty: Type = text.parse().unwrap();
            let (low, high) = ty.element().range();
            for value in [low, high, 0, 1] {
                assert_eq!(ty.decode(&ty.encode(&[value]).unwrap()), [value], "{text}");
            }
            for value in [low - 1, high + 1] {
                assert!(
                    matches!(ty.encode(&[value]), Err(ValueError::OutOfRange { .. })),
                    "{text}"
                );
            }
        }
    }

    #[test]
    fn bit_fields_round_trip_at_their_limits() {
        for (text, low, high) in [
            ("u8:1", 0, 1),
            ("u32:5", 0, 31),
            ("i32:5", -16, 15),
            ("i8:1", -1, 0),
            ("i64:64", i128::from(i64::MIN), i128::from(i64::MAX)),
            ("u64:33", 0, (1 << 33) - 1),
            ("bool:1", 0, 1),
        ] {
            let ty: Type = text.parse().unwrap();
            assert_eq!((ty.to_string().as_str(), ty.range()), (text, (low, high)));
            assert_eq!(ty.size() as usize, ty.bits().div_ceil(8));
            for value in [low, high, 0] {
                assert_eq!(ty.decode(&ty.encode(&[value]).unwrap()), [value], "{text}");
            }
            for value in [low - 1, high + 1] {
                assert!(matches!(
                    ty.encode(&[value]),
                    Err(ValueError::OutOfRange { .. })
                ));
            }
        }
        for text in ["u8:9", "u8:0", "f32:8", "u8:", "u8:-1", "u8:1[2]", "raw:3"] {
            assert!(text.parse::<Type>().is_err(), "{text}");
        }
    }

    #[test]
    fn bytes_are_little_endian() {
        let ty: Type = "i16[2]".parse().unwrap();
        assert_eq!(ty.encode(&[-2, 0x1234]).unwrap(), [0xfe, 0xff, 0x34, 0x12]);
        assert_eq!(ty.size(), 4);
        assert_eq!(
            ty.encode(&[1, 2, 3]),
            Err(ValueError::TooMany {
                given: 3,
                elements: 2
            })
        );
    }
}
