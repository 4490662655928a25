//! Damaged files: loading never panics, and what loads can be planned without a panic.

use blindcore_processor::{Content, Input, Limits, Program, Task, plan};
use circuits::Profile;
use proptest::prelude::*;

const FILES: [&[u8]; 4] = [
    include_bytes!("programs/types.elf"),
    include_bytes!("programs/calls.elf"),
    include_bytes!("programs/salaries.elf"),
    // Arrays on the stack, at secret indexes.
    include_bytes!("programs/frames.elf"),
];

/// Loads and, if that works, runs a little.
fn try_everything(bytes: &[u8]) {
    let Ok(program) = Program::load(bytes) else {
        return;
    };
    for variable in program.variables() {
        let _ = (
            variable.type_or_bytes().to_string(),
            variable.leaves().len(),
        );
        let _ = program.variable(&variable.name);
    }
    for function in program.functions().iter().take(16) {
        let _ = (
            program.place(function.address),
            program.words(function).take(100).count(),
        );
    }
    let inputs = program
        .variables()
        .iter()
        .filter(|v| v.size < 256)
        .take(2)
        .map(|variable| Input {
            variable: variable.clone(),
            content: Content::Secret,
        });
    let limits = Limits {
        instructions: 1000,
        window: 3000,
        ..Limits::default()
    };
    let task = Task {
        inputs: inputs.collect(),
        limits,
        ..Task::default()
    };
    let _ = plan(&program, &task, &Profile::lookup_simulation());
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 500, ..ProptestConfig::default() })]

    #[test]
    #[ignore = "slow: 6 s"]
    fn flipped_bytes(
        file in 0usize..4,
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = FILES[file].to_vec();
        for (index, value) in changes {
            let at = index.index(bytes.len());
            bytes[at] = value;
        }
        try_everything(&bytes);
    }

    #[test]
    #[ignore = "slow: 3 s"]
    fn damaged_headers(
        file in 0usize..4,
        changes in prop::collection::vec((0usize..180, any::<u8>()), 1..4),
    ) {
        let mut bytes = FILES[file].to_vec();
        for (at, value) in changes {
            bytes[at] = value;
        }
        try_everything(&bytes);
    }

    #[test]
    fn truncated(file in 0usize..4, end in any::<prop::sample::Index>()) {
        let bytes = FILES[file];
        try_everything(&bytes[..end.index(bytes.len())]);
    }

    #[test]
    fn noise(bytes in prop::collection::vec(any::<u8>(), 0..600)) {
        try_everything(&bytes);
        let mut elf = b"\x7fELF\x01\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\x28\0".to_vec();
        elf.extend(bytes);
        try_everything(&elf);
    }
}
