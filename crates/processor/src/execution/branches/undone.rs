//! Paths that are given up, at any of their instructions, leave the state as it was at the branch.

use circuits::{Profile, Wire};

use super::super::{Execution, Pause, Window};
use super::ask::Query;
use crate::error::{Obstacle, RunError};
use crate::host::Answer;
use crate::program::Program;
use crate::task::{Branches, Content, Entry, Input, Otherwise, Task};

struct Counter(usize);

impl super::Evaluate for Counter {
    fn window(&mut self, _: Window) -> Result<(), RunError> {
        self.0 += 1;
        Ok(())
    }

    fn ask(&mut self, _: Query) -> Result<Option<Answer>, RunError> {
        Ok(None)
    }

    fn write(&mut self, _: &[u8]) -> Result<(), RunError> {
        Ok(())
    }
}

/// Everything that the next instruction can depend on, but decoded instructions and nodes. Of the
/// stack the part that the fixture reaches.
fn described(program: &Program, execution: &Execution<'_>) -> String {
    let machine = &execution.machine;
    let top = execution.stack + execution.limits.stack;
    let segments = program.segments().iter();
    let ranges = segments.map(|segment| segment.address..segment.address + segment.size);
    let memory: Vec<_> = ranges
        .chain(std::iter::once(top - 512..top))
        .flatten()
        .map(|address| {
            (
                machine.memory.byte(address),
                machine.memory.was_written(address, 1),
            )
        })
        .filter(|(byte, written)| *written || *byte != [Wire::FALSE; 8])
        .collect();
    let counted = (execution.executed, execution.secret);
    format!(
        "{:?} {memory:?} {counted:?} {:?}",
        machine.snapshot(),
        machine.noted
    )
}

#[test]
#[ignore = "slow: 2 s"]
fn what_is_given_up_leaves_no_trace() {
    let program = Program::load(include_bytes!("../../../tests/programs/branches.elf")).unwrap();
    let (mut given_up, mut merged) = (0, 0);
    for function in [
        "arms", "call", "returns", "search", "nested", "loops", "clamp",
    ] {
        for limit in (1..=24).chain([30, 47, 80, 120]) {
            let inputs = ["a", "b", "list", "bytes"].map(|name| Input {
                variable: program.variable(name).unwrap().clone(),
                content: Content::Secret,
            });
            let task = Task {
                entry: Entry::Symbol(function.to_owned()),
                inputs: inputs.to_vec(),
                branches: Branches {
                    both: Some(limit),
                    otherwise: Otherwise::Refuse,
                },
                ..Task::default()
            };
            let mut execution =
                Execution::new(&program, &task, &Profile::lookup_simulation()).unwrap();
            let condition = loop {
                match execution.step() {
                    Ok(()) => {}
                    Err(Pause::Condition(condition)) => break condition,
                    Err(_) => unreachable!("{function}"),
                }
            };
            let before = described(&program, &execution);
            let evaluate = &mut Counter(0);
            let mut next = Err(Pause::Condition(condition));
            loop {
                let Err(pause) = next else {
                    if !execution.paths.are_open() {
                        merged += 1;
                        break;
                    }
                    next = execution
                        .settle()
                        .and_then(|()| match execution.paths.are_open() {
                            true => execution.step(),
                            false => Ok(()),
                        });
                    continue;
                };
                next = match execution.resolve(pause, evaluate) {
                    Ok(_) => Ok(()),
                    Err(RunError::Unmerged { unmerged, .. }) => {
                        assert_eq!(unmerged.obstacle, Obstacle::Limit { limit });
                        assert_eq!(
                            described(&program, &execution),
                            before,
                            "{function} within {limit}"
                        );
                        assert!(!execution.machine.memory.is_journaled());
                        given_up += 1;
                        break;
                    }
                    Err(error) => unreachable!("{error}"),
                };
            }
            assert_eq!(evaluate.0, 0, "a window was cut on a path");
        }
    }
    assert!(given_up > 50 && merged > 50, "{given_up} {merged}");
}
