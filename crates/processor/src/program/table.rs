//! The symbol table: what the file calls its variables, functions and labels, and which of its code
//! is A32.

use object::read::elf::{FileHeader, SectionHeader, Sym};
use object::{LittleEndian, SectionIndex, elf};
use std::collections::BTreeMap;

use super::debug::{NAME_LIMIT, printable};
use super::elf::{Header, malformed};
use super::{LoadError, Segment, room};

/// What a symbol stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum SymbolKind {
    Object,
    Function,
    Label,
}

/// A symbol as the file lists it; `address` keeps bit 0 of Thumb functions.
#[derive(Clone, Debug)]
pub(super) struct RawSymbol {
    pub(super) name: String,
    pub(super) kind: SymbolKind,
    pub(super) address: u32,
    pub(super) size: u32,
    pub(super) global: bool,
}

/// What the mapping symbols (`$a`, `$t`) say about the code.
#[derive(Default)]
pub(super) struct Mapping {
    arm: bool,
    thumb: Option<u32>,
}

/// What the symbol table says.
pub(super) struct Symbols {
    pub(super) all: Vec<RawSymbol>,
    pub(super) mapping: Mapping,
    /// The addresses of those that linkers define, wherever they lie.
    pub(super) landmarks: BTreeMap<String, u32>,
}

pub(super) fn read(
    header: &Header,
    data: &[u8],
    segments: &[Segment],
) -> Result<Symbols, LoadError> {
    let endian = LittleEndian;
    let sections = header
        .sections(endian, data)
        .map_err(malformed("sections"))?;
    let table = sections
        .symbols(endian, data, elf::SHT_SYMTAB)
        .map_err(malformed("symbol table"))?;
    let names = match table.string_section() {
        SectionIndex(0) => &[][..],
        index => {
            let section = sections.section(index);
            let data = section.and_then(|section| section.data(endian, data));
            data.map_err(malformed("names of symbols"))?
        }
    };
    // They are sorted and do not overlap.
    let loaded = |address: u32| {
        let next = segments.partition_point(|segment| segment.address <= address);
        let before = next.checked_sub(1).and_then(|at| segments.get(at));
        before.is_some_and(|segment| address - segment.address < segment.size)
    };
    let mut symbols = Vec::new();
    let mut mapping = Mapping::default();
    let mut landmarks = BTreeMap::new();
    for symbol in table.iter() {
        let address = symbol.st_value(endian);
        if symbol.st_shndx(endian) == elf::SHN_UNDEF {
            continue;
        }
        let Some(name) = name(names, symbol.st_name(endian), NAME_LIMIT)? else {
            continue;
        };
        let name = String::from_utf8_lossy(name);
        if symbol.st_bind() != elf::STB_LOCAL && room::is_landmark(&name) {
            landmarks
                .entry(name.clone().into_owned())
                .or_insert(address);
        }
        if !loaded(address) {
            continue;
        }
        let kind = match symbol.st_type() {
            elf::STT_OBJECT => SymbolKind::Object,
            elf::STT_FUNC => SymbolKind::Function,
            elf::STT_NOTYPE => SymbolKind::Label,
            _ => continue,
        };
        if name.starts_with('$') {
            mapping.arm |= name == "$a" || name.starts_with("$a.");
            if name == "$t" || name.starts_with("$t.") {
                mapping.thumb.get_or_insert(address);
            }
            continue;
        }
        if name.is_empty() {
            continue;
        }
        symbols.push(RawSymbol {
            name: printable(&name),
            kind,
            address,
            size: symbol.st_size(endian),
            global: symbol.st_bind() != elf::STB_LOCAL,
        });
    }
    Ok(Symbols {
        all: symbols,
        mapping,
        landmarks,
    })
}

/// The name that begins there, if it has at most `most` bytes.
///
/// Names may overlap in the file: to look for the ends of all would be quadratic in its length.
///
/// # Errors
/// [`LoadError::Malformed`] where no name is.
pub(super) fn name(names: &[u8], offset: u32, most: usize) -> Result<Option<&[u8]>, LoadError> {
    let rest = names.get(offset as usize..).unwrap_or_default();
    let beginning = rest.get(..=most).unwrap_or(rest);
    match beginning.iter().position(|byte| *byte == 0) {
        Some(end) => Ok(beginning.get(..end)),
        None if beginning.len() > most => Ok(None),
        None => Err(LoadError::Malformed {
            what: format!("there is no name at {offset:#x} of the names"),
        }),
    }
}

/// Refuses programs that consist of Thumb code, and a Thumb entry point where there is no A32 `main`
/// to begin at instead.
///
/// A file that mixes both loads (a library may bring Thumb routines that nobody calls); entering
/// them is an error when it happens.
pub(super) fn check_a32(
    entry: u32,
    symbols: &[RawSymbol],
    mapping: &Mapping,
) -> Result<(), LoadError> {
    let functions = || {
        symbols
            .iter()
            .filter(|symbol| symbol.kind == SymbolKind::Function)
    };
    let at = |address: u32| {
        let found = functions().find(|f| f.address & !1 == address & !1);
        LoadError::Thumb {
            address: address & !1,
            symbol: found.map(|f| f.name.clone()),
        }
    };
    let main = functions().find(|f| f.name == "main");
    match main {
        Some(main) if main.address & 1 == 1 => return Err(at(main.address)),
        None if entry & 1 == 1 => return Err(at(entry)),
        _ => {}
    }
    let arm = mapping.arm || functions().any(|f| f.address & 1 == 0);
    let thumb = mapping
        .thumb
        .or_else(|| functions().next().map(|f| f.address));
    match thumb {
        Some(address) if !arm => Err(at(address)),
        _ => Ok(()),
    }
}
