//! The programs: their inputs, and what the answer must be.

use clap::ValueEnum;

use super::ciphers;

/// One program. Strings have sixteen characters, patterns four.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Case {
    Equal,
    IgnoringCase,
    Upper,
    Contains,
    Find,
    /// Levenshtein's distance of words of six and seven letters.
    Edit,
    /// Sum, maximum and mean of ten numbers.
    Statistics,
    /// Sum, maximum and mean of eight salaries, some of them absent.
    Salaries,
    /// One block, 32 rounds, key and text secret; this one and those below are asked for by name: the
    /// peer takes minutes, and the last would spoil the mean.
    Xtea,
    /// One block of AES-128, key and text secret.
    Aes,
    /// One block, all of it secret.
    Sha256,
    /// A byte through the S-box of AES: a table of 256 bytes at a secret index.
    SBox,
}

impl Case {
    /// Those that are run where none is named.
    pub const USUAL: [Self; 8] = [
        Self::Equal,
        Self::IgnoringCase,
        Self::Upper,
        Self::Contains,
        Self::Find,
        Self::Edit,
        Self::Statistics,
        Self::Salaries,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Equal => "equal",
            Self::IgnoringCase => "ignoring-case",
            Self::Upper => "upper",
            Self::Contains => "contains",
            Self::Find => "find",
            Self::Edit => "edit",
            Self::Statistics => "statistics",
            Self::Salaries => "salaries",
            Self::SBox => "s-box",
            Self::Xtea => "xtea",
            Self::Aes => "aes",
            Self::Sha256 => "sha256",
        }
    }

    /// The source in C.
    pub fn source(self) -> &'static str {
        match self {
            Self::Equal => include_str!("c/equal.c"),
            Self::IgnoringCase => include_str!("c/ignoring_case.c"),
            Self::Upper => include_str!("c/upper.c"),
            Self::Contains => include_str!("c/contains.c"),
            Self::Find => include_str!("c/find.c"),
            Self::Edit => include_str!("../../../../examples/edit/edit.c"),
            Self::Statistics => include_str!("c/statistics.c"),
            Self::Salaries => include_str!("../../../../examples/salaries/salaries.c"),
            Self::SBox => include_str!("c/s_box.c"),
            Self::Xtea => include_str!("../../../../examples/xtea/xtea.c"),
            Self::Aes => include_str!("../../../../examples/aes/aes.c"),
            Self::Sha256 => include_str!("c/sha256.c"),
        }
    }

    /// Secret variables and outputs, in the order of values and answers.
    pub fn variables(self) -> (&'static [&'static str], &'static [&'static str]) {
        match self {
            Self::Equal | Self::IgnoringCase => (&["left", "right"], &["same"]),
            Self::Upper => (&["text"], &["capitals"]),
            Self::Contains => (&["text", "pattern"], &["found"]),
            Self::Find => (&["text", "pattern"], &["place", "found"]),
            Self::Edit => (&["left", "right"], &["distance"]),
            Self::Statistics => (&["number"], &["total", "highest", "mean"]),
            Self::Salaries => (&["salary", "count"], &["total", "highest", "mean"]),
            Self::SBox => (&["byte"], &["substitute"]),
            Self::Xtea | Self::Aes => (&["key", "plain"], &["cipher"]),
            Self::Sha256 => (&["block"], &["digest"]),
        }
    }

    /// Round `round`'s values: the same in every run.
    pub fn draw(self, round: u64) -> Vec<Vec<u8>> {
        let mut state = 0x9e37_79b9_7f4a_7c15_u64.wrapping_mul(round + 1);
        let mut next = |below: u64| {
            // SplitMix64 (Steele, Lea, Flood 2014).
            state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
            let mut z = state;
            z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
            z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
            (z ^ (z >> 31)) % below
        };
        let letters = b"abcxyzABCXYZ @[`{19";
        let mut text = |length: usize| -> Vec<u8> {
            let letter = |_| letters[next(letters.len() as u64) as usize];
            (0..length).map(letter).collect()
        };
        match self {
            Self::Equal => {
                let left = text(16);
                let mut right = left.clone();
                right[9] ^= 4 * (round % 2) as u8;
                vec![left, right]
            }
            Self::IgnoringCase => {
                let left = text(16);
                let mut right = left.to_ascii_uppercase();
                if round % 2 == 1 {
                    right[15] = right[15].wrapping_add(1);
                }
                vec![left, right]
            }
            Self::Upper => vec![text(16)],
            Self::Contains | Self::Find => {
                let text = text(16);
                let at = 3 + round as usize % 8;
                let mut pattern = text[at..at + 4].to_vec();
                if round % 3 == 2 {
                    pattern[3] = b'#';
                }
                vec![text, pattern]
            }
            Self::Edit => vec![text(6), text(7)],
            Self::Statistics => vec![numbers(&mut next, 10, 28)],
            Self::Salaries => {
                let salaries = numbers(&mut next, 8, 20);
                vec![salaries, (1 + next(8) as u32).to_le_bytes().to_vec()]
            }
            Self::SBox => vec![vec![next(256) as u8]],
            Self::Xtea => vec![numbers(&mut next, 4, 32), numbers(&mut next, 2, 32)],
            Self::Aes => vec![numbers(&mut next, 4, 32), numbers(&mut next, 4, 32)],
            Self::Sha256 => vec![numbers(&mut next, 16, 32)],
        }
    }

    /// The bytes of all outputs, computed in the clear.
    pub fn expected(self, values: &[Vec<u8>]) -> Vec<u8> {
        match self {
            Self::Equal => vec![u8::from(values[0] == values[1])],
            Self::IgnoringCase => vec![u8::from(values[0].eq_ignore_ascii_case(&values[1]))],
            Self::Upper => values[0].to_ascii_uppercase(),
            Self::Contains => vec![u8::from(place(values).is_some())],
            Self::Find => {
                let found = place(values);
                let place = (found.unwrap_or(0) as u32).to_le_bytes();
                [&place[..], &[u8::from(found.is_some())]].concat()
            }
            Self::Edit => vec![distance(&values[0], &values[1])],
            Self::Salaries => {
                let (salaries, count) = (words(&values[0]), words(&values[1])[0]);
                let people = &salaries[..count as usize];
                let total: u32 = people.iter().sum();
                let highest = people.iter().copied().max().unwrap_or(0);
                let mean = total / count.max(1);
                [total, highest, mean].map(u32::to_le_bytes).concat()
            }
            Self::Statistics => {
                let numbers = words(&values[0]);
                let total: u32 = numbers.iter().sum();
                let highest = numbers.iter().copied().max().unwrap_or(0);
                let mean = total / numbers.len() as u32;
                [total, highest, mean].map(u32::to_le_bytes).concat()
            }
            Self::SBox => vec![ciphers::s_box()[usize::from(values[0][0])]],
            Self::Xtea => ciphers::xtea(&words(&values[0]), &words(&values[1])),
            Self::Aes => ciphers::aes(&values[0], &values[1]),
            Self::Sha256 => ciphers::sha256(&words(&values[0])),
        }
    }
}

/// Random numbers of some bits, as bytes.
fn numbers(next: &mut impl FnMut(u64) -> u64, count: usize, bits: u32) -> Vec<u8> {
    let numbers = (0..count).flat_map(|_| (next(1 << bits) as u32).to_le_bytes());
    numbers.collect()
}

/// Little-endian words of 32 bits.
pub fn words(bytes: &[u8]) -> Vec<u32> {
    let word = |bytes: &[u8]| {
        bytes
            .iter()
            .rev()
            .fold(0, |word, &byte| word << 8 | u32::from(byte))
    };
    bytes.chunks(4).map(word).collect()
}

fn place(values: &[Vec<u8>]) -> Option<usize> {
    let mut windows = values[0].windows(values[1].len());
    windows.position(|window| window == values[1])
}

fn distance(left: &[u8], right: &[u8]) -> u8 {
    let mut row: Vec<u8> = (0..=right.len() as u8).collect();
    for (i, a) in left.iter().enumerate() {
        let mut corner = std::mem::replace(&mut row[0], i as u8 + 1);
        for (j, b) in right.iter().enumerate() {
            let replace = corner + u8::from(a != b);
            corner = row[j + 1];
            row[j + 1] = replace.min(row[j].min(corner) + 1);
        }
    }
    row[right.len()]
}
