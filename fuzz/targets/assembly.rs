//! HE assembly: a text is read or refused; what is read formats to a text that says the same, and
//! the first instructions of what can be assembled execute or end with an error.

#![no_main]

use circuits::Profile;
use libfuzzer_sys::fuzz_target;
use processor::{Limits, Program, Task, plan};

fuzz_target!(|text: &str| {
    match assembly::parse(text) {
        Ok(source) => {
            let formatted = source.to_string();
            let again = assembly::parse(&formatted);
            assert_eq!(again.as_ref(), Ok(&source), "{formatted}");
            match assembly::check(&source) {
                Ok(unit) => assert!(!unit.steps.is_empty() || unit.undefined.is_empty()),
                Err(errors) => shown(&errors, text),
            }
        }
        Err(errors) => shown(&errors, text),
    }
    let Ok(program) = Program::load(text.as_bytes()) else {
        return;
    };
    for function in program.functions() {
        // Everything that the assembler writes is an instruction of the subset.
        for (address, word) in program.words(function) {
            assert!(a32::decode(word).is_ok(), "{address:#x} {word:#010x}");
        }
    }
    let task = Task {
        limits: Limits {
            instructions: 1_000,
            stack: 1 << 12,
            window: 1 << 12,
        },
        ..Task::default()
    };
    // Large data only makes the fuzzer slow.
    let bytes: u64 = program.segments().iter().map(|s| u64::from(s.size)).sum();
    if bytes < 1 << 20
        && let Err(error) = plan(&program, &task, &Profile::lookup_simulation())
    {
        assert!(!error.to_string().is_empty());
    }
});

fn shown(errors: &[assembly::Diagnostic], text: &str) {
    assert!(!errors.is_empty() && errors.len() <= 20);
    for error in errors {
        let _ = error.render("fuzz.hea", text);
    }
}
