//! The ELF file itself: headers, segments, raw symbols, the sections that hold DWARF.
//!
//! Reading is by `object`'s low-level tables, which bound every access by the file. Sections and
//! symbols serve names only, so a file without them (stripped) loads; a file whose tables are cut
//! off does not.

use object::elf;
use object::read::elf::{FileHeader, ProgramHeader, SectionHeader, Sym};
use object::{LittleEndian, Object, ObjectSection};
use std::collections::BTreeMap;

use super::debug::{NAME_LIMIT, printable};
use super::{LoadError, MEMORY_LIMIT, Segment};

type Header = elf::FileHeader32<LittleEndian>;

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

/// Section contents by name, for the readers of DWARF.
pub(super) type Sections<'data> = BTreeMap<String, &'data [u8]>;

pub(super) struct Image<'data> {
    pub(super) entry: u32,
    /// Whether the entry point is where a section of code begins: what linkers write into the
    /// header where nobody names an entry.
    pub(super) entry_begins_code: bool,
    pub(super) segments: Vec<Segment>,
    pub(super) symbols: Vec<RawSymbol>,
    pub(super) sections: Sections<'data>,
}

fn malformed(what: &str) -> impl Fn(object::Error) -> LoadError + '_ {
    move |error| LoadError::Malformed {
        what: format!("{what}: {error}"),
    }
}

pub(super) fn read(data: &[u8]) -> Result<Image<'_>, LoadError> {
    check_identity(data)?;
    let header = Header::parse(data).map_err(malformed("header"))?;
    let endian = LittleEndian;
    let machine = header.e_machine(endian).0;
    if machine != elf::EM_ARM.0 {
        return Err(LoadError::NotArm { machine });
    }
    match header.e_type(endian) {
        elf::ET_EXEC => {}
        elf::ET_REL => return Err(LoadError::NotLinked),
        kind => return Err(LoadError::NotExecutable { kind: kind.0 }),
    }
    let segments = read_segments(header, data)?;
    let (symbols, mapping) = read_symbols(header, data, &segments)?;
    let entry = header.e_entry(endian);
    check_a32(entry, &symbols, &mapping)?;
    Ok(Image {
        entry,
        entry_begins_code: begins_code(header, data, entry),
        segments,
        symbols,
        sections: debug_sections(data),
    })
}

/// The sixteen identifying bytes, with an error for each that is wrong.
fn check_identity(data: &[u8]) -> Result<(), LoadError> {
    let ident = data.get(..16).ok_or(LoadError::NotElf)?;
    if ident[..4] != [0x7f, b'E', b'L', b'F'] {
        return Err(LoadError::NotElf);
    }
    match (ident[4], ident[5]) {
        (2, _) => Err(LoadError::NotThirtyTwoBit),
        (1, 2) => Err(LoadError::BigEndian),
        (1, 1) => Ok(()),
        (class, order) => Err(LoadError::Malformed {
            what: format!("class {class} and byte order {order} are none"),
        }),
    }
}

fn read_segments(header: &Header, data: &[u8]) -> Result<Vec<Segment>, LoadError> {
    let endian = LittleEndian;
    let headers = header
        .program_headers(endian, data)
        .map_err(malformed("program headers"))?;
    let mut segments = Vec::new();
    let mut total = 0u64;
    for header in headers {
        let (address, size) = (header.p_vaddr(endian), header.p_memsz(endian));
        if header.p_type(endian) != elf::PT_LOAD || size == 0 {
            continue;
        }
        if u64::from(address) + u64::from(size) > 1 << 32 {
            return Err(LoadError::OutsideAddressSpace { address, size });
        }
        if header.p_filesz(endian) > size {
            let what =
                format!("the segment at {address:#010x} is larger in the file than in memory");
            return Err(LoadError::Malformed { what });
        }
        total += u64::from(size);
        if total > u64::from(MEMORY_LIMIT) {
            return Err(LoadError::TooLarge {
                bytes: total,
                limit: u64::from(MEMORY_LIMIT),
            });
        }
        let bytes = header
            .data(endian, data)
            .map_err(|()| LoadError::Truncated { address })?;
        let flags = header.p_flags(endian);
        segments.push(Segment {
            address,
            bytes: bytes.to_vec(),
            size,
            writable: flags.0 & elf::PF_W.0 != 0,
            executable: flags.0 & elf::PF_X.0 != 0,
        });
    }
    segments.sort_by_key(|segment| segment.address);
    for pair in segments.windows(2) {
        if u64::from(pair[0].address) + u64::from(pair[0].size) > u64::from(pair[1].address) {
            let (first, second) = (pair[0].address, pair[1].address);
            return Err(LoadError::Overlap { first, second });
        }
    }
    if segments.is_empty() {
        Err(LoadError::Empty)
    } else {
        Ok(segments)
    }
}

/// Whether a section of code begins at the address. Without section headers nothing does.
fn begins_code(header: &Header, data: &[u8], address: u32) -> bool {
    let endian = LittleEndian;
    let Ok(sections) = header.section_headers(endian, data) else {
        return false;
    };
    sections.iter().any(|section| {
        let flags = section.sh_flags(endian).0;
        flags & elf::SHF_EXECINSTR.0 != 0
            && section.sh_addr(endian) == address
            && section.sh_size(endian) > 0
    })
}

/// What the mapping symbols (`$a`, `$t`) say about the code.
#[derive(Default)]
struct Mapping {
    arm: bool,
    thumb: Option<u32>,
}

fn read_symbols(
    header: &Header,
    data: &[u8],
    segments: &[Segment],
) -> Result<(Vec<RawSymbol>, Mapping), LoadError> {
    let endian = LittleEndian;
    let sections = header
        .sections(endian, data)
        .map_err(malformed("sections"))?;
    let table = sections
        .symbols(endian, data, elf::SHT_SYMTAB)
        .map_err(malformed("symbol table"))?;
    let loaded = |address: u32| {
        segments
            .iter()
            .any(|s| address >= s.address && address - s.address < s.size)
    };
    let mut symbols = Vec::new();
    let mut mapping = Mapping::default();
    for symbol in table.iter() {
        let address = symbol.st_value(endian);
        if symbol.st_shndx(endian) == elf::SHN_UNDEF || !loaded(address) {
            continue;
        }
        let name = table
            .symbol_name(endian, symbol)
            .map_err(malformed("symbol name"))?;
        let name = String::from_utf8_lossy(name);
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
        // Names may overlap in the file: without a limit their sum is quadratic in its length.
        if name.is_empty() || name.len() > NAME_LIMIT {
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
    Ok((symbols, mapping))
}

/// Refuses a Thumb entry point and programs that consist of Thumb code.
///
/// A file that mixes both loads (a library may bring Thumb routines that nobody calls); entering
/// them is an error when it happens.
fn check_a32(entry: u32, symbols: &[RawSymbol], mapping: &Mapping) -> Result<(), LoadError> {
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
    if entry & 1 == 1 {
        return Err(at(entry));
    }
    if let Some(main) = functions().find(|f| f.name == "main" && f.address & 1 == 1) {
        return Err(at(main.address));
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

/// The DWARF sections, uncompressed ones only; a file without them is as good.
fn debug_sections(data: &[u8]) -> Sections<'_> {
    let Ok(file) = object::read::elf::ElfFile32::<LittleEndian>::parse(data) else {
        return Sections::new();
    };
    file.sections()
        .filter_map(|section| {
            let name = section
                .name()
                .ok()
                .filter(|name| name.starts_with(".debug_"))?;
            let compressed = section.elf_section_header().sh_flags(LittleEndian);
            if (compressed.0 & elf::SHF_COMPRESSED.0) != 0 {
                return None;
            }
            Some((name.to_owned(), section.data().ok()?))
        })
        .collect()
}
