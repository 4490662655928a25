//! What is compared, and by which parameters HElib does it.
//!
//! HElib's rings are those of its documentation and of the project's table of indices with many
//! slots; for each request the smallest of them in which every slot's answer is right at about 128
//! bits by its own estimate was found by trying. Three columns of key switching, its default.

use circuits::library::{self, Adder, Architectures, Divider, Multiplier, Signedness, Word};
use circuits::{Builder, Circuit, Profile};

/// What both sides compute.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Work {
    Xor,
    /// A product of fresh ciphertexts.
    And,
    /// A product of products.
    Second,
    Circuit(Operation),
}

/// Arithmetic on words.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Add,
    Multiply,
    Divide,
    Greater,
}

/// How HElib is asked.
#[derive(Clone, Copy, Debug)]
pub enum Request {
    /// A gate.
    Gate(&'static str),
    /// Its own arithmetic.
    Own(&'static str),
    /// A circuit as the paper draws it, with this adder; a shallower division with any but
    /// `ripple`.
    Drawn(&'static str),
}

/// HElib with parameters.
#[derive(Clone, Copy, Debug)]
pub struct Peer {
    pub index: u32,
    /// Bits of the modulus that it is asked for.
    pub bits: u32,
    pub request: Request,
}

/// A row.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    pub name: &'static str,
    pub work: Work,
    /// Bits of a word; of gates, the index of our ring.
    pub width: usize,
    /// The better one counts.
    pub peers: &'static [Peer],
}

const fn gate(index: u32, bits: u32, name: &'static str) -> Peer {
    Peer {
        index,
        bits,
        request: Request::Gate(name),
    }
}

const fn own(index: u32, bits: u32, name: &'static str) -> Peer {
    Peer {
        index,
        bits,
        request: Request::Own(name),
    }
}

const fn drawn(index: u32, bits: u32, adder: &'static str) -> Peer {
    Peer {
        index,
        bits,
        request: Request::Drawn(adder),
    }
}

const fn row(name: &'static str, work: Work, width: usize, peers: &'static [Peer]) -> Row {
    Row {
        name,
        work,
        width,
        peers,
    }
}

use Operation::{Add, Divide, Greater, Multiply};

pub const ROWS: [Row; 15] = [
    row("xor-8192", Work::Xor, 13_107, &[gate(8191, 120, "xor")]),
    row("and-8192", Work::And, 13_107, &[gate(8191, 120, "and")]),
    row(
        "second-and-8192",
        Work::Second,
        13_107,
        &[gate(8191, 120, "second")],
    ),
    row("xor-16384", Work::Xor, 21_845, &[gate(21_845, 295, "xor")]),
    row("and-16384", Work::And, 21_845, &[gate(21_845, 295, "and")]),
    row(
        "second-and-16384",
        Work::Second,
        21_845,
        &[gate(21_845, 295, "second")],
    ),
    row("xor-32768", Work::Xor, 65_535, &[gate(65_535, 610, "xor")]),
    row("and-32768", Work::And, 65_535, &[gate(65_535, 610, "and")]),
    row(
        "add-16",
        Work::Circuit(Add),
        16,
        &[
            drawn(21_931, 312, "ripple"),
            drawn(8191, 120, "look-ahead-groups"),
            own(16_513, 250, "add"),
        ],
    ),
    row(
        "add-64",
        Work::Circuit(Add),
        64,
        &[drawn(16_513, 250, "look-ahead-groups")],
    ),
    row(
        "multiply-8",
        Work::Circuit(Multiply),
        8,
        &[drawn(8191, 120, "ripple"), own(16_513, 250, "multiply")],
    ),
    row(
        "multiply-16",
        Work::Circuit(Multiply),
        16,
        &[drawn(21_931, 312, "ripple"), own(21_931, 312, "multiply")],
    ),
    row(
        "divide-4",
        Work::Circuit(Divide),
        4,
        &[drawn(28_679, 420, "ripple"), drawn(21_931, 312, "sklansky")],
    ),
    row(
        "divide-8",
        Work::Circuit(Divide),
        8,
        &[drawn(42_799, 790, "sklansky")],
    ),
    row(
        "greater-16",
        Work::Circuit(Greater),
        16,
        &[own(16_513, 250, "compare")],
    ),
];

impl Operation {
    /// The catalogue's word for it.
    fn results(self, b: &mut Builder, x: &Word, y: &Word) -> Vec<Word> {
        match self {
            Add => vec![library::add(b, x, y)],
            Multiply => vec![library::multiply(b, x, y)],
            Divide => {
                let divided = library::divide(b, Signedness::Unsigned, x, y);
                vec![divided.quotient, divided.remainder]
            }
            Greater => vec![vec![library::less_than_unsigned(b, y, x)]],
        }
    }

    /// A circuit for a target, and how many bits its results have.
    pub fn circuit(self, width: usize, profile: &Profile) -> (Circuit, Vec<usize>) {
        let mut build = Builder::new(profile);
        let (x, y) = (build.inputs(width), build.inputs(width));
        let results = self.results(&mut build, &x, &y);
        for &wire in results.iter().flatten() {
            build.output(wire);
        }
        let widths = results.iter().map(Vec::len).collect();
        (build.finish(), widths)
    }

    /// The same on integers; bits beyond the results' widths do not count.
    pub fn clear(self, x: u64, y: u64) -> Vec<u64> {
        match self {
            Add => vec![x.wrapping_add(y)],
            Multiply => vec![x.wrapping_mul(y)],
            Divide => {
                let quotient = x.checked_div(y).unwrap_or(0);
                vec![quotient, x - quotient * y]
            }
            Greater => vec![u64::from(x > y)],
        }
    }
}

/// As the paper draws circuits, with this adder, but for division by another than `ripple`.
pub fn as_drawn(adder: &str) -> Option<Architectures> {
    let adder: Adder = adder.parse().ok()?;
    // The paper's division is too deep for 8 bits with any adder; this one also does not restore,
    // and takes 37 ANDs in a row by prefix adders for the paper's 42.
    let divider = match adder {
        Adder::Ripple => Divider::Precomputed,
        _ => Divider::AddOrSubtract,
    };
    Some(Architectures {
        adder: Some(adder),
        multiplier: Some(Multiplier::PencilAndPaper),
        divider: Some(divider),
        ..Architectures::default()
    })
}
