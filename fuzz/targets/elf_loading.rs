//! ELF files with their symbols and debugging information, and the first thousand instructions of
//! whatever loads: the front end must refuse, never panic, and never allocate on a file's word.

#![no_main]

use std::collections::BTreeMap;

use circuits::Profile;
use libfuzzer_sys::fuzz_target;
use processor::{Limits, Listing, Program, Task, plan};

fuzz_target!(|data: &[u8]| {
    let Ok(program) = Program::load(data) else {
        return;
    };
    for variable in program.variables() {
        let _ = program.variable(&variable.name);
        let _ = variable.type_or_bytes().to_string();
    }
    for function in program.functions() {
        let _ = program.function(&function.name);
        let _ = program.place(function.address).to_string();
    }
    let _ = Listing::new(&program, &BTreeMap::new());
    let task = Task {
        limits: Limits {
            instructions: 1_000,
            stack: 1 << 12,
            window: 1 << 12,
        },
        ..Task::default()
    };
    if let Err(error) = plan(&program, &task, &Profile::lookup_simulation()) {
        let _ = error.to_string();
    }
});
