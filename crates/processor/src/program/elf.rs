//! The ELF file itself: headers, segments, raw symbols, the sections that hold DWARF.
//!
//! Reading is by `object`'s low-level tables, which bound every access by the file. Sections and
//! symbols serve names only, so a file without them (stripped) loads; a file whose tables are cut
//! off does not.

use object::read::elf::{FileHeader, ProgramHeader, SectionHeader};
use object::{LittleEndian, SectionIndex, elf};
use std::collections::BTreeMap;

use super::table::{self, RawSymbol};
use super::{LoadError, MEMORY_LIMIT, Segment};

pub(super) type Header = elf::FileHeader32<LittleEndian>;

/// Most segments that are loaded.
const SEGMENT_LIMIT: usize = 256;
/// Longest name of a section that is looked at, in bytes.
const SECTION_NAME_LIMIT: usize = 64;

/// Section contents by name, for the readers of DWARF.
pub(super) type Sections<'data> = BTreeMap<String, &'data [u8]>;

/// The initial value of a thread's own variables.
pub(super) struct ThreadLocal {
    pub(super) bytes: Vec<u8>,
    pub(super) size: u32,
    pub(super) align: u32,
}

pub(super) struct Image<'data> {
    pub(super) entry: u32,
    /// Whether the entry point is where a section of code begins: what linkers write into the
    /// header where nobody names an entry.
    pub(super) entry_begins_code: bool,
    pub(super) segments: Vec<Segment>,
    pub(super) symbols: Vec<RawSymbol>,
    pub(super) sections: Sections<'data>,
    /// The addresses of symbols that linkers define, wherever they lie.
    pub(super) landmarks: BTreeMap<String, u32>,
    pub(super) thread_local: Option<ThreadLocal>,
    /// Whether functions take floating-point numbers in registers of their own.
    pub(super) hard_float: bool,
}

pub(super) fn malformed(what: &str) -> impl Fn(object::Error) -> LoadError + '_ {
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
    let symbols = table::read(header, data, &segments)?;
    let entry = header.e_entry(endian);
    table::check_a32(entry, &symbols.all, &symbols.mapping)?;
    Ok(Image {
        entry,
        entry_begins_code: begins_code(header, data, entry),
        segments,
        symbols: symbols.all,
        sections: debug_sections(data),
        landmarks: symbols.landmarks,
        thread_local: thread_local(header, data)?,
        hard_float: header.e_flags(endian).0 & elf::EF_ARM_ABI_FLOAT_HARD != 0,
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
        if segments.len() == SEGMENT_LIMIT {
            let limit = SEGMENT_LIMIT;
            return Err(LoadError::Segments { limit });
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

/// The segment of thread-local storage, if there is one.
fn thread_local(header: &Header, data: &[u8]) -> Result<Option<ThreadLocal>, LoadError> {
    let endian = LittleEndian;
    let headers = header
        .program_headers(endian, data)
        .map_err(malformed("program headers"))?;
    let is_one = |header: &&elf::ProgramHeader32<LittleEndian>| {
        header.p_type(endian) == elf::PT_TLS && header.p_memsz(endian) > 0
    };
    let Some(header) = headers.iter().find(is_one) else {
        return Ok(None);
    };
    let (address, size) = (header.p_vaddr(endian), header.p_memsz(endian));
    if size > MEMORY_LIMIT || header.p_align(endian) > 1 << 16 {
        return Err(LoadError::TooLarge {
            bytes: size.max(header.p_align(endian)).into(),
            limit: u64::from(MEMORY_LIMIT),
        });
    }
    let bytes = header
        .data(endian, data)
        .map_err(|()| LoadError::Truncated { address })?;
    Ok(Some(ThreadLocal {
        bytes: bytes.iter().copied().take(size as usize).collect(),
        size,
        align: header.p_align(endian),
    }))
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

/// A section of a file, with its name.
pub(super) type Section<'data> = (&'data str, &'data elf::SectionHeader32<LittleEndian>);

/// The sections with names that somebody could look for; none where they cannot be read.
pub(super) fn sections(data: &[u8]) -> Vec<Section<'_>> {
    let read = || {
        let endian = LittleEndian;
        let header = Header::parse(data).ok()?;
        let sections = header.sections(endian, data).ok()?;
        let names = header.shstrndx(endian, data).ok()?;
        let names = sections.section(SectionIndex(names as usize)).ok()?;
        let names = names.data(endian, data).ok()?;
        let named = sections.iter().filter_map(|section| {
            let name = table::name(names, section.sh_name(endian), SECTION_NAME_LIMIT).ok()??;
            Some((std::str::from_utf8(name).ok()?, section))
        });
        Some(named.collect())
    };
    read().unwrap_or_default()
}

/// The bytes of a section, unless they are compressed or not there.
pub(super) fn plain<'data>(
    section: &elf::SectionHeader32<LittleEndian>,
    data: &'data [u8],
) -> Option<&'data [u8]> {
    let compressed = section.sh_flags(LittleEndian).0 & elf::SHF_COMPRESSED.0 != 0;
    section
        .data(LittleEndian, data)
        .ok()
        .filter(|_| !compressed)
}

/// The DWARF sections, uncompressed ones only; a file without them is as good.
fn debug_sections(data: &[u8]) -> Sections<'_> {
    let all = sections(data).into_iter();
    let debug = all.filter(|(name, _)| name.starts_with(".debug_"));
    debug
        .filter_map(|(name, section)| Some((name.to_owned(), plain(section, data)?)))
        .collect()
}
