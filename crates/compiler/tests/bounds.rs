use blindcore_compiler::{Sources, Workshop};
use object::{Object, ObjectSection, ObjectSymbol};

use crate::sides::{compilers, source};

/// The marks of a loop are addresses in its function, with the number that the source says; and
/// nothing of them is loaded.
#[test]
#[ignore = "slow: 4 s"]
fn a_bound_is_a_pair_of_words_beside_the_program() {
    for compiler in compilers() {
        let family = compiler.family();
        let workshop = Workshop::open(compiler, Sources::files([source("bounds.c")])).unwrap();
        for level in ["-O1", "-Os", "-O2"] {
            let made = workshop.compile(&[level]).unwrap();
            assert_eq!(made.messages, "", "{family:?} {level}");
            let elf = object::File::parse(&*made.elf).unwrap();
            let section = elf.section_by_name(".blindcore.bounds").unwrap();
            assert_eq!(section.address(), 0);
            let words: Vec<u32> = section
                .data()
                .unwrap()
                .chunks(4)
                .map(|word| u32::from_le_bytes(word.try_into().unwrap()))
                .collect();
            assert!(
                words.len() >= 4 && words.len().is_multiple_of(2),
                "{words:?}"
            );
            for (name, rounds) in [("gcd", 47), ("digits", 10)] {
                let function = elf
                    .symbols()
                    .find(|symbol| symbol.name() == Ok(name))
                    .unwrap();
                let code = function.address()..function.address() + function.size();
                let inside = |pair: &&[u32]| code.contains(&u64::from(pair[0]));
                let found: Vec<_> = words.chunks(2).filter(inside).collect();
                assert!(!found.is_empty(), "{family:?} {level} {name}: {words:x?}");
                assert!(found.iter().all(|pair| pair[1] == rounds), "{words:x?}");
            }
        }
    }
}
