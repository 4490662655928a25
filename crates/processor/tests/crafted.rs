//! Files that no linker makes: what is repeated in them costs in proportion to their length. The
//! sizes are such that a search of a list, or of a name's end, for each entry of another list would
//! take minutes.

use blindcore_processor::{LoadError, Program};

/// Where the only code, and the variables, are.
const CODE: u32 = 0x8000;
const SIZE: u32 = 0x10_0000;
const OBJECT: u8 = 0x11;
const FUNCTION: u8 = 0x12;

/// Place of the name, address, size and kind.
type Symbol = (u32, u32, u32, u8);

fn words(all: &[u32]) -> impl Iterator<Item = u8> + '_ {
    all.iter().flat_map(|word| word.to_le_bytes())
}

/// An executable of these segments (address, size in memory), symbols, and sections that are named
/// at these places.
fn elf(segments: &[(u32, u32)], symbols: &[Symbol], names: &[u8], sections: &[u32]) -> Vec<u8> {
    let headers = 52 + 32 * segments.len() as u32;
    let table = headers;
    let strings = table + 16 * (symbols.len() as u32 + 1);
    let begin = strings + names.len() as u32;
    let count = 3 + sections.len() as u32;
    let mut file = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0".to_vec();
    file.extend(words(&[2 | 40 << 16, 1, CODE, 52, begin, 0x0500_0000]));
    file.extend(words(&[
        52 | 32 << 16,
        segments.len() as u32 | 40 << 16,
        count | 2 << 16,
    ]));
    for &(address, size) in segments {
        file.extend(words(&[1, 0, address, address, 0, size, 7, 4]));
    }
    file.extend([0; 16]);
    for &(name, address, size, kind) in symbols {
        file.extend(words(&[name, address, size, u32::from(kind) | 1 << 16]));
    }
    file.extend(names);
    file.extend([0; 40]);
    let symtab = [0, 2, 0, 0, table, strings - table, 2, 1, 4, 16];
    file.extend(words(&symtab));
    let strtab = [0, 3, 0, 0, strings, names.len() as u32, 0, 0, 1, 0];
    file.extend(words(&strtab));
    for &name in sections {
        file.extend(words(&[
            name,
            1,
            0,
            0,
            strings,
            names.len() as u32,
            0,
            0,
            1,
            0,
        ]));
    }
    file
}

/// Names that all end where the file's names do.
fn overlapping(last: &str) -> Vec<u8> {
    let mut names = vec![0];
    names.resize(8 << 20, b'a');
    names.push(0);
    names.extend(last.bytes());
    names.push(0);
    names
}

#[test]
fn names_that_overlap_are_not_read_to_their_end_again_and_again() {
    let names = overlapping("last");
    let last = names.len() as u32 - 5;
    let mut symbols: Vec<Symbol> = (1..300_000).map(|at| (at, CODE, 4, OBJECT)).collect();
    symbols.push((last, CODE, 4, FUNCTION));
    let program = Program::load(&elf(&[(CODE, SIZE)], &symbols, &names, &[])).unwrap();
    assert!(program.variables().is_empty());
    assert_eq!(program.function("last").unwrap().address, CODE);
}

#[test]
fn nor_are_those_of_sections() {
    let names = overlapping(".debug_line");
    let sections: Vec<u32> = (1..60_000).collect();
    let program = Program::load(&elf(&[(CODE, SIZE)], &[], &names, &sections)).unwrap();
    assert_eq!(program.segments()[0].address, CODE);
}

/// Sections that are all the same bytes of the file say no more than one of them.
#[test]
fn marks_are_no_more_than_a_file_can_mean() {
    let mut names = b"\0.blindcore.bounds\0.blindcore.secret\0".to_vec();
    names.resize(4 << 20, b'a');
    let sections: Vec<u32> = (0..20_000).map(|at| 1 + 18 * (at % 2)).collect();
    let program = Program::load(&elf(&[(CODE, SIZE)], &[], &names, &sections)).unwrap();
    assert!(!program.has_bounds());
}

#[test]
fn a_name_outside_the_names_is_damage() {
    let file = elf(&[(CODE, SIZE)], &[(9, CODE, 4, OBJECT)], b"\0abc\0", &[]);
    let error = Program::load(&file).unwrap_err();
    assert!(matches!(&error, LoadError::Malformed { what } if what.contains("no name at 0x9")));
}

#[test]
fn segments_are_few() {
    let segments: Vec<(u32, u32)> = (0..300).map(|at| (CODE + 0x1000 * at, 4)).collect();
    let load = |count: usize| {
        let symbols = [(1, CODE + 0x1000 * (count as u32 - 1), 4, OBJECT)];
        Program::load(&elf(&segments[..count], &symbols, b"\0v\0", &[]))
    };
    let most = load(256).unwrap();
    assert_eq!(most.segments().len(), 256);
    assert_eq!(most.variable("v").unwrap().address, CODE + 0x1000 * 255);
    let error = load(257).unwrap_err();
    assert_eq!(error, LoadError::Segments { limit: 256 });
}

/// Of what clang merges, an object that a variable is known within goes.
#[test]
fn merged_objects_and_their_parts_are_matched_at_once() {
    let names = b"\0_MergedGlobals\0v\0";
    let (merged, own) = (1, 16);
    let place = |at: u32| CODE + 8 * at;
    let mut symbols = Vec::new();
    for at in 0..100_000 {
        symbols.push((merged, place(at), 4, OBJECT));
        // Each larger than what it begins within, so that it is no part of it.
        symbols.push((own, place(at), 8, OBJECT));
    }
    let whole = (merged, place(100_001), 16, OBJECT);
    symbols.extend([whole, (own, place(100_002), 4, OBJECT)]);
    let program = Program::load(&elf(&[(CODE, SIZE)], &symbols, names, &[])).unwrap();
    let kept = program.variables().iter().filter(|v| v.is_merged()).count();
    assert_eq!((kept, program.variables().len()), (100_000, 200_001));
}
