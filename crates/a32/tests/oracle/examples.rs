//! The code of the example programs, as it is in their ELF files now.
//!
//! `$a` and `$d` in the symbol table (ELF for the Arm Architecture, §5.5.5) tell code from literal
//! pools. The section headers and the symbol table are all that is read, so this needs no ELF
//! reader.

use std::fs;
use std::path::Path;

use super::{Oracle, Verdict};

/// Every word that an example can execute decodes, to the text that capstone reads.
#[test]
fn every_instruction_of_the_examples_reads_as_capstone_reads_it() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples");
    let mut oracle = Oracle::new();
    let mut programs = 0;
    for entry in fs::read_dir(folder).unwrap() {
        let example = entry.unwrap().path();
        let name = example.file_name().unwrap().to_owned();
        let Ok(file) = fs::read(example.join(name).with_extension("elf")) else {
            continue;
        };
        programs += 1;
        let words = code(&file);
        assert!(words.len() >= 10, "{}", example.display());
        for word in words {
            oracle.check(word);
        }
    }
    assert!(programs >= 6, "only {programs} programs");
    let classes: Vec<_> = oracle.counts.keys().collect();
    assert_eq!(classes, [&Verdict::Same]);
}

fn u32_at(file: &[u8], offset: usize) -> u32 {
    u32::from_le_bytes(file[offset..offset + 4].try_into().unwrap())
}

struct Section<'a> {
    kind: u32,
    executable: bool,
    address: u32,
    bytes: &'a [u8],
    link: usize,
}

fn sections(file: &[u8]) -> Vec<Section<'_>> {
    const NO_BITS: u32 = 8;
    let table = u32_at(file, 0x20) as usize;
    let count = usize::from(u32_at(file, 0x30) as u16);
    let headers = (0..count).map(|i| table + 40 * i);
    headers
        .map(|header| {
            let field = |number: usize| u32_at(file, header + 4 * number);
            let (from, size) = (field(4) as usize, field(5) as usize);
            let kind = field(1);
            Section {
                kind,
                executable: field(2) & 4 != 0,
                address: field(3),
                bytes: if kind == NO_BITS {
                    &[]
                } else {
                    &file[from..from + size]
                },
                link: field(6) as usize,
            }
        })
        .collect()
}

/// The words of executable sections between `$a` and the next mapping symbol.
fn code(file: &[u8]) -> Vec<u32> {
    const SYMBOLS: u32 = 2;
    let sections = sections(file);
    let table = sections.iter().find(|s| s.kind == SYMBOLS).unwrap();
    let names = sections[table.link].bytes;
    let name = |offset: u32| {
        let name = &names[offset as usize..];
        &name[..name.iter().position(|&byte| byte == 0).unwrap()]
    };
    let mut marks: Vec<(u32, bool)> = table
        .bytes
        .chunks_exact(16)
        .map(|symbol| (u32_at(symbol, 4), name(u32_at(symbol, 0))))
        .filter(|(_, name)| {
            [b"$a", b"$d", b"$t"]
                .iter()
                .any(|mark| name.starts_with(*mark))
        })
        .map(|(address, name)| (address, name.starts_with(b"$a")))
        .collect();
    marks.sort_unstable();
    let mut words = Vec::new();
    for section in sections.iter().filter(|section| section.executable) {
        for (i, bytes) in section.bytes.chunks_exact(4).enumerate() {
            let address = section.address + 4 * i as u32;
            let before = marks.partition_point(|(mark, _)| *mark <= address);
            if before > 0 && marks[before - 1].1 {
                words.push(u32_at(bytes, 0));
            }
        }
    }
    words
}
