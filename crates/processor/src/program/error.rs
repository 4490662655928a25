//! Why a file is not a program, or a name not a symbol of it.

use assembly::Diagnostic;

/// Why a file cannot be run. Every message says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LoadError {
    /// The file does not begin as an ELF file does, and is no text either.
    #[error("not an ELF file: give the linked output of an ARM compiler")]
    NotElf,
    /// A text that is not right as HE assembly.
    #[error("as HE assembly: {}{}", first(.errors), more(.errors))]
    Assembly {
        /// What is wrong, in the order of the text; at least one.
        errors: Vec<Diagnostic>,
    },
    /// A 64-bit ELF.
    #[error("a 64-bit ELF: compile for 32-bit ARM (arm-none-eabi-gcc -marm -march=armv7ve)")]
    NotThirtyTwoBit,
    /// A big-endian ELF.
    #[error("a big-endian ELF: compile without -mbig-endian")]
    BigEndian,
    /// An ELF for another processor.
    #[error(
        "an ELF for machine {machine}, not ARM (40): compile with arm-none-eabi-gcc -marm -march=armv7ve"
    )]
    NotArm {
        /// The machine number in the file.
        machine: u16,
    },
    /// An object file that was not linked.
    #[error(
        "an object file that is not linked: link it (arm-none-eabi-gcc -nostdlib -e main … -o prog.elf)"
    )]
    NotLinked,
    /// A shared object, a position-independent executable or a core dump.
    #[error("an ELF of type {kind}, not a static executable: link with -static -no-pie")]
    NotExecutable {
        /// The type number in the file.
        kind: u16,
    },
    /// The file holds Thumb code where A32 code is needed.
    #[error("Thumb code at {address:#010x}{}: compile with -marm", .symbol.as_ref().map(|s| format!(" ({s})")).unwrap_or_default())]
    Thumb {
        /// Where.
        address: u32,
        /// The function, if one is there.
        symbol: Option<String>,
    },
    /// A header or a table is cut off or contradicts itself.
    #[error("a damaged ELF file: {what}")]
    Malformed {
        /// What is wrong.
        what: String,
    },
    /// A segment's contents lie outside the file.
    #[error("a truncated ELF file: the segment at {address:#010x} ends beyond the file")]
    Truncated {
        /// The segment's address.
        address: u32,
    },
    /// No segment to load.
    #[error("the ELF file has no loadable segment")]
    Empty,
    /// The segments ask for too much memory.
    #[error("the program asks for {bytes} bytes of memory; the limit is {limit}")]
    TooLarge {
        /// The sum of the segments' sizes.
        bytes: u64,
        /// The limit.
        limit: u64,
    },
    /// More segments than any linker makes; every address is looked for among them.
    #[error("the program has more than {limit} segments")]
    Segments {
        /// The limit.
        limit: usize,
    },
    /// A segment runs past the end of the address space.
    #[error("the segment at {address:#010x} of {size} bytes leaves the 32-bit address space")]
    OutsideAddressSpace {
        /// The segment's address.
        address: u32,
        /// Its size in bytes.
        size: u32,
    },
    /// Two segments claim the same address.
    #[error("the segments at {first:#010x} and {second:#010x} overlap")]
    Overlap {
        /// The lower segment.
        first: u32,
        /// The higher segment.
        second: u32,
    },
}

/// The first error, with its place.
fn first(errors: &[Diagnostic]) -> String {
    errors.first().map_or_else(String::new, |error| {
        let (line, column) = (error.at.line, error.at.column);
        format!("line {line}, column {column}: {}", error.problem)
    })
}

/// That there are others.
fn more(errors: &[Diagnostic]) -> String {
    match errors.len() {
        0 | 1 => String::new(),
        2 => ". There is one more error: `blindcore assembly check` shows both".to_owned(),
        count => format!(
            ". There are {} more errors: `blindcore assembly check` shows them",
            count - 1
        ),
    }
}

/// Why a name does not denote a symbol.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum SymbolError {
    /// No symbol of the name.
    #[error(
        "the program has no {kind} '{name}'{}{}",
        .nearest.as_ref().map(|n| format!("; did you mean '{n}'?")).unwrap_or_default(),
        if *.merged { ". The compiler has merged several variables into one object: compile with -g, \
                       or with -mno-global-merge" } else { "" }
    )]
    Unknown {
        /// `variable` or `function`.
        kind: &'static str,
        /// The name that was asked for.
        name: String,
        /// A name that exists and is spelled nearly so.
        nearest: Option<String>,
        /// Whether it may be one of several variables that are one object in the program.
        merged: bool,
    },
    /// Several static symbols of the name.
    #[error("several static variables are called '{name}': write {}", .candidates.join(" or "))]
    Ambiguous {
        /// The name that was asked for.
        name: String,
        /// Names that tell them apart; at most the first eight.
        candidates: Vec<String>,
    },
}

impl SymbolError {
    pub(crate) fn unknown<'a>(
        kind: &'static str,
        name: &str,
        names: impl Iterator<Item = &'a str>,
    ) -> Self {
        // Names beyond any that people type are not worth the quadratic comparison.
        let near = |other: &&str| other.len() < 64 && name.len() < 64;
        let nearest = names
            .filter(near)
            .map(|other| (distance(name, other), other))
            .filter(|(distance, _)| *distance <= 1 + name.len() / 4)
            .min()
            .map(|(_, other)| other.to_owned());
        Self::Unknown {
            kind,
            name: name.to_owned(),
            nearest,
            merged: false,
        }
    }

    /// Says that the name may be that of a variable which is part of a merged object.
    pub(crate) fn perhaps_merged(self, is_merged: bool) -> Self {
        match self {
            Self::Unknown {
                kind,
                name,
                nearest,
                ..
            } => Self::Unknown {
                kind,
                name,
                nearest,
                merged: is_merged,
            },
            other => other,
        }
    }
}

/// The edit distance of two names.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let replaced = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = replaced.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}
