//! Values: their types, their bits, and how people and files write them.
//!
//! A [`Type`] is an [`Element`], an array of elements or a bit-field; an [`Enumeration`] names its
//! values. A value is its elements as whole numbers (`i128`, which holds every element), its bytes
//! or its bits: [`Type::encode`], [`Type::decode`], [`bits_of`], [`bytes_of`].
//!
//! A variable's bytes stand in address order, little-endian within an element; its bits are the
//! bits of those bytes, least significant first. Every list of bits (inputs, outputs, ciphertexts
//! beside them) uses that one order, so bit `i` of a variable is bit `i % 8` of the byte at
//! `address + i / 8`.
//!
//! [`Assignment`] and [`Literal`] read what people write, from text, JSON, CSV and raw bytes;
//! [`text`] and [`json`] write it. Nothing here knows programs, circuits or ciphertexts, and
//! nothing is constant-time: code that reads a value may see it.
//!
//! ```
//! use blindcore_values::{Assignment, Type, text};
//!
//! let ty: Type = "i16[3]".parse()?;
//! let salary: Assignment = "salary=5200,-1".parse()?;
//! let bytes = ty.encode(&salary.elements(&ty)?)?;
//! assert_eq!(bytes, [0x50, 0x14, 0xff, 0xff]);
//! assert_eq!(text(&ty, &ty.decode(&bytes)), "5200, -1");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
#![forbid(unsafe_code)]

mod agreement;
mod bits;
mod element;
mod enumeration;
mod error;
mod notation;
mod text;
mod types;
mod wide;
mod words;

pub use agreement::{Renamed, agree, renamed};
pub use bits::{bits_of, bytes_of};
pub use element::Element;
pub use enumeration::Enumeration;
pub use error::ValueError;
pub use notation::{
    Assignment, InputError, Literal, Rows, Source, Value, document, json, next_row, number,
    rows_of, text,
};
pub use types::Type;
pub use wide::{WideError, wide_bits, wide_decimal, wide_hexadecimal};
pub use words::{bytes_in_words, duration_in_words};
