//! The part of the document that matters.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserializer, MapAccess, Visitor};
use serde::{Deserialize, Serialize, Serializer};
use serde_json::Value;

/// The whole file.
#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Document {
    pub(super) modules: Entries<Module>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Module {
    #[serde(default)]
    attributes: Entries<Value>,
    #[serde(default)]
    pub(super) ports: Entries<Port>,
    #[serde(default)]
    pub(super) cells: Entries<Cell>,
    #[serde(default)]
    pub(super) netnames: Entries<NetName>,
}

impl Module {
    /// Whether the design's top is marked here.
    pub(super) fn is_top(&self) -> bool {
        let top = self.attributes.get("top");
        match top {
            Some(Value::String(bits)) => bits.contains('1'),
            Some(Value::Number(number)) => number.as_u64() != Some(0),
            _ => false,
        }
    }
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Port {
    pub(super) direction: String,
    pub(super) bits: Vec<Bit>,
    #[serde(default)]
    pub(super) signed: u8,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct Cell {
    #[serde(rename = "type")]
    pub(super) kind: String,
    #[serde(default)]
    pub(super) parameters: Entries<Value>,
    #[serde(default)]
    pub(super) connections: Entries<Vec<Bit>>,
}

#[derive(Deserialize)]
#[serde(expecting = "an object")]
pub(super) struct NetName {
    pub(super) bits: Vec<Bit>,
}

/// A wire's number, or a constant.
#[derive(Clone, PartialEq, Deserialize, Serialize)]
#[serde(untagged, expecting = "a wire's number or a constant")]
pub(super) enum Bit {
    Net(u64),
    Constant(String),
}

/// An object's entries, in the order of a file.
pub(super) struct Entries<T>(pub(super) Vec<(String, T)>);

impl<T> Default for Entries<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> Entries<T> {
    pub(super) fn get(&self, name: &str) -> Option<&T> {
        let found = self.0.iter().find(|(other, _)| other == name);
        found.map(|(_, value)| value)
    }
}

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Entries<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct InOrder<T>(PhantomData<T>);

        impl<'de, T: Deserialize<'de>> Visitor<'de> for InOrder<T> {
            type Value = Entries<T>;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("an object")
            }

            fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Entries<T>, A::Error> {
                let mut entries = Vec::new();
                while let Some(entry) = map.next_entry()? {
                    entries.push(entry);
                }
                Ok(Entries(entries))
            }
        }

        deserializer.deserialize_map(InOrder(PhantomData))
    }
}

impl<T: Serialize> Serialize for Entries<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_map(self.0.iter().map(|(name, value)| (name, value)))
    }
}
