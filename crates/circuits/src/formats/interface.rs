//! Named words over the numbered bits of a circuit, and how names of bits make words.

use std::collections::{BTreeMap, HashMap, HashSet};

use crate::Circuit;

use super::{FormatError, Place, Problem};

/// Most bits of all inputs together, and of all outputs.
pub(super) const PORT_LIMIT: u64 = 1 << 20;

/// Most bytes that the names of all bits take.
const NAMES_LIMIT: u64 = 1 << 27;

/// A named word at the edge of a circuit: its bits follow each other, least significant first.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct Port {
    /// The name.
    pub name: String,
    /// The number of bits.
    pub width: usize,
    /// What its author says that the bits mean.
    pub meaning: Meaning,
}

/// What the bits of a word mean.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Meaning {
    /// A number without sign.
    #[default]
    Unsigned,
    /// A number in two's complement.
    Signed,
    /// A floating-point number of IEEE 754, binary32 or binary64 by its width. Formats of files have no
    /// such words.
    Float,
}

impl Port {
    /// An unsigned word.
    #[must_use]
    pub fn new(name: impl Into<String>, width: usize) -> Self {
        Self {
            name: name.into(),
            width,
            meaning: Meaning::Unsigned,
        }
    }

    /// The name of a bit: `a[3]`, or `a` where there is no other.
    #[must_use]
    pub fn bit(&self, index: usize) -> String {
        match self.width {
            1 => self.name.clone(),
            _ => format!("{}[{index}]", self.name),
        }
    }
}

/// What a circuit is called, and its words in the order of its inputs and outputs.
///
/// ```
/// use blindcore_circuits::formats::{Interface, Port};
/// use blindcore_circuits::{Builder, Profile};
///
/// let mut build = Builder::new(&Profile::gate_simulation());
/// let a = [0, 1].map(|at| {
///     let bit = build.input();
///     build.name_input(format!("a[{at}]"));
///     bit
/// });
/// let both = build.and(a[0], a[1]);
/// build.named_output(both, "y");
///
/// // Names of bits make words.
/// let interface = Interface::of("and", &build.finish());
/// assert_eq!(interface.inputs, [Port::new("a", 2)]);
/// assert_eq!((interface.input_bits(), interface.output_bits()), (2, 1));
/// // Words that nobody named have letters.
/// let numbered = Interface::numbered("sum", &[8, 8], &[8]);
/// assert_eq!((numbered.inputs[1].bit(7), &*numbered.outputs[0].name), ("b[7]".to_owned(), "out"));
/// ```
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Interface {
    /// The circuit's name; empty where the format has none.
    pub name: String,
    /// The words of the inputs.
    pub inputs: Vec<Port>,
    /// The words of the outputs.
    pub outputs: Vec<Port>,
}

impl Interface {
    /// The words that the names of a circuit's bits make: `a[0]`, `a[1]` … in a row are the word
    /// `a`. Bits without a name make words `in` and `out`.
    #[must_use]
    pub fn of(name: impl Into<String>, circuit: &Circuit) -> Self {
        let names = |count: usize, names: &BTreeMap<u32, String>, other: &str| {
            let name = |number: usize| {
                let given = names.get(&(number as u32)).cloned();
                given.unwrap_or_else(|| format!("{other}[{number}]"))
            };
            in_a_row((0..count).map(name))
        };
        Self {
            name: name.into(),
            inputs: names(circuit.inputs(), circuit.input_names(), "in"),
            outputs: names(circuit.outputs().len(), circuit.output_names(), "out"),
        }
    }

    /// Words without names of their own: inputs `a`, `b`, `c` …, outputs `out`, or `out0`, `out1`
    /// … where there are several.
    #[must_use]
    pub fn numbered(name: impl Into<String>, inputs: &[usize], outputs: &[usize]) -> Self {
        let input = |(at, &width): (usize, &usize)| {
            let letter = u8::try_from(at).ok().filter(|&at| at < 26);
            let name = match letter {
                Some(at) => char::from(b'a' + at).to_string(),
                None => format!("in{at}"),
            };
            Port::new(name, width)
        };
        let output = |(at, &width): (usize, &usize)| {
            let name = match outputs.len() {
                1 => "out".to_owned(),
                _ => format!("out{at}"),
            };
            Port::new(name, width)
        };
        Self {
            name: name.into(),
            inputs: inputs.iter().enumerate().map(input).collect(),
            outputs: outputs.iter().enumerate().map(output).collect(),
        }
    }

    /// Bits of all inputs.
    #[must_use]
    pub fn input_bits(&self) -> usize {
        self.inputs.iter().map(|port| port.width).sum()
    }

    /// Bits of all outputs.
    #[must_use]
    pub fn output_bits(&self) -> usize {
        self.outputs.iter().map(|port| port.width).sum()
    }

    /// Whether a file's words are of a size that can be worked with: every bit has a name of its
    /// own, and a port as wide as its file is long may have a name as long as its file.
    pub(super) fn moderate(&self) -> Result<(), FormatError> {
        let sum = |sizes: &mut dyn Iterator<Item = usize>| {
            sizes.fold(0u64, |sum, size| sum.saturating_add(size as u64))
        };
        let width = |port: &Port| port.width;
        let name = |port: &Port| port.width.saturating_mul(port.name.len());
        let (inputs, outputs) = (&self.inputs, &self.outputs);
        for (what, found, limit) in [
            (
                "bits of input",
                sum(&mut inputs.iter().map(width)),
                PORT_LIMIT,
            ),
            (
                "bits of output",
                sum(&mut outputs.iter().map(width)),
                PORT_LIMIT,
            ),
            (
                "bytes in the names of bits",
                sum(&mut inputs.iter().chain(outputs).map(name)),
                NAMES_LIMIT,
            ),
        ] {
            if found > limit {
                let what = what.to_owned();
                return Err(Problem::TooMany { what, found, limit }.at(Place::File));
            }
        }
        Ok(())
    }

    /// Whether a circuit has as many bits as the words.
    pub(super) fn fits(&self, circuit: &Circuit) -> Result<(), FormatError> {
        for (what, expected, found) in [
            ("input", self.input_bits(), circuit.inputs()),
            ("output", self.output_bits(), circuit.outputs().len()),
        ] {
            if expected != found {
                let problem = Problem::Interface {
                    what,
                    expected,
                    found,
                };
                return Err(problem.at(Place::File));
            }
        }
        Ok(())
    }
}

/// `a[3]` as `a` and 3.
pub(super) fn indexed(name: &str) -> Option<(&str, usize)> {
    let (base, index) = name.strip_suffix(']')?.rsplit_once('[')?;
    let plain = !base.is_empty() && (index == "0" || !index.starts_with('0'));
    let digits = !index.is_empty() && index.bytes().all(|byte| byte.is_ascii_digit());
    if !plain || !digits {
        return None;
    }
    Some((base, index.parse().ok()?))
}

/// Words of bits that follow each other as they are: a run from index 0 up is a word.
fn in_a_row(names: impl Iterator<Item = String>) -> Vec<Port> {
    let mut ports: Vec<Port> = Vec::new();
    for name in names {
        match (indexed(&name), ports.last_mut()) {
            (Some((base, index)), Some(last)) if last.name == base && last.width == index => {
                last.width += 1;
            }
            (Some((base, 0)), _) => ports.push(Port::new(base, 1)),
            _ => ports.push(Port::new(name, 1)),
        }
    }
    ports
}

/// Words of bits that may come in any order: all bits of one name whose indices are without gaps.
/// Beside the words the order in which they take the bits.
pub(super) fn grouped(names: &[String]) -> (Vec<Port>, Vec<usize>) {
    let all: HashSet<&str> = names.iter().map(String::as_str).collect();
    let mut words: HashMap<&str, Vec<(usize, usize)>> = HashMap::new();
    for (position, name) in names.iter().enumerate() {
        if let Some((base, index)) = indexed(name) {
            words.entry(base).or_default().push((index, position));
        }
    }
    words.retain(|base, bits| {
        bits.sort_unstable();
        let mut pairs = bits.windows(2);
        // By the distance: the last index may be the largest number that there is.
        pairs.all(|pair| pair[1].0 - pair[0].0 == 1) && !all.contains(base)
    });
    let mut ports = Vec::new();
    let mut order = Vec::with_capacity(names.len());
    for (position, name) in names.iter().enumerate() {
        let base = indexed(name).map(|(base, _)| base);
        match base.filter(|base| words.contains_key(base)) {
            None => {
                ports.push(Port::new(name.as_str(), 1));
                order.push(position);
            }
            Some(base) => {
                // Where the first of its bits is named, the whole word stands.
                let bits = words.get_mut(base).map(std::mem::take).unwrap_or_default();
                if !bits.is_empty() {
                    ports.push(Port::new(base, bits.len()));
                    order.extend(bits.iter().map(|&(_, position)| position));
                }
            }
        }
    }
    (ports, order)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(names: &[&str]) -> (Vec<(String, usize)>, Vec<usize>) {
        let names: Vec<String> = names.iter().map(|&name| name.to_owned()).collect();
        let (ports, order) = grouped(&names);
        let ports = ports.into_iter().map(|port| (port.name, port.width));
        (ports.collect(), order)
    }

    #[test]
    fn bits_make_words_in_any_order() {
        let word = |name: &str, width| (name.to_owned(), width);
        assert_eq!(
            words(&["b[1]", "c", "b[0]", "b[2]"]),
            (vec![word("b", 3), word("c", 1)], vec![2, 0, 3, 1])
        );
        // A word may begin above 0, as `input [7:4] a` does.
        assert_eq!(words(&["a[5]", "a[4]"]), (vec![word("a", 2)], vec![1, 0]));
        let last = format!("a[{}]", usize::MAX);
        assert_eq!(words(&[&last]), (vec![word("a", 1)], vec![0]));
        // Gaps, repetitions and a wire of the word's name make no word.
        for names in [
            ["a[0]", "a[2]", "b"],
            ["a[0]", "a[0]", "b"],
            ["a[0]", "a[1]", "a"],
            ["a[00]", "a[]", "[0]"],
        ] {
            let (ports, order) = words(&names);
            assert!(ports.iter().all(|(_, width)| *width == 1), "{ports:?}");
            assert_eq!(order, [0, 1, 2]);
        }
    }
}
