//! Types in messages: as people write them, so that whoever reads one has checked it.

use std::fmt;

use serde::de::{Error, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::{Element, Type};

/// Longest text of a type that is read, in bytes.
const LIMIT: usize = 4096;

macro_rules! as_text {
    ($type:ty, $expected:literal) => {
        impl Serialize for $type {
            fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
                to.collect_str(self)
            }
        }

        impl<'de> Deserialize<'de> for $type {
            fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
                struct Text;

                impl Visitor<'_> for Text {
                    type Value = $type;

                    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                        f.write_str($expected)
                    }

                    fn visit_str<E: Error>(self, text: &str) -> Result<$type, E> {
                        if text.len() > LIMIT {
                            return Err(E::custom("a type of more than 4,096 bytes"));
                        }
                        text.parse().map_err(E::custom)
                    }
                }

                from.deserialize_str(Text)
            }
        }
    };
}

as_text!(Element, "an element, such as u16");
as_text!(Type, "a type, such as u16[4]");
