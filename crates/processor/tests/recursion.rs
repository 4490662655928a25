//! Functions that call themselves, as compilers write them: a return address may be the address of
//! the very instruction that returns.

use crate::compiled;

use std::path::Path;

use blindcore_processor::{Bit, Content, Control, Input, Task, lockstep};
use circuits::Profile;

const DEPTH: u32 = 6;

#[test]
#[ignore = "slow: 2 s"]
fn recursion_ends_as_it_does_on_the_host() {
    let folder = compiled::folder("recursion");
    let source = Path::new("tests/programs/recursion.c");
    let copy = folder.join("recursion.c");
    std::fs::copy(source, &copy).unwrap();
    let expected = compiled::of_host(&copy, &[], &DEPTH.to_string());
    let expected: Vec<i128> = expected.lines().map(|line| line.parse().unwrap()).collect();
    for clang in [false, true] {
        for level in ["-O1", "-O2", "-Os"] {
            let program =
                compiled::compile(source, &folder.join("recursion.elf"), clang, &["-g", level]);
            let input = Input {
                variable: program.variable("n").unwrap().clone(),
                content: Content::Clear(DEPTH.to_le_bytes().to_vec()),
            };
            let task = Task {
                inputs: vec![input],
                ..Task::default()
            };
            let profile = Profile::lookup_simulation();
            let agreed = lockstep(&program, &task, &[], &profile, &Control::default());
            let agreed = agreed.unwrap_or_else(|error| panic!("{level}, clang {clang}: {error}"));
            let results = agreed
                .outputs
                .iter()
                .find(|output| output.name == "results");
            let results = results.unwrap();
            let bits = results
                .bits
                .iter()
                .map(|bit| matches!(bit, Bit::Clear(true)));
            let bytes = values::bytes_of(&bits.collect::<Vec<_>>());
            assert_eq!(
                results.ty.decode(&bytes),
                expected,
                "{level}, clang {clang}"
            );
        }
    }
}
