//! Lockstep: the processor on the simulator's engine with the plain interpreter beside it, compared
//! after every instruction.
//!
//! The processor executes a task as a run would, with the same circuits in the same windows, but
//! its secret bits have values that are known here. After each instruction the interpreter executes
//! its own, and then every register, flag and byte of both must be the same. A wrong unit, a wrong
//! selection or a wrong pass shows at the instruction that it is wrong in, not at the end of a run
//! of hours.
//!
//! What is compared, and what it costs:
//!
//! - All registers and flags after every instruction, and the bytes that either machine stored to.
//!   The circuit is evaluated as far as it is recorded ([`circuits::sim::Values`]): every node
//!   once. Reading a value records nothing, so that the circuit is that of a run.
//! - All of memory at every window and at the end. The values that cross from one window into the
//!   next are those of the *prepared* circuit, as an engine would evaluate it; so a wrong pass is
//!   found at the next window.
//! - Where both paths of a secret branch are executed, the interpreter goes one of them; they are
//!   compared where the paths have been joined.
//! - A question is answered by the interpreter, and the bit that decides must say the same.
//! - The outputs at the end.
//!
//! A load from a secret address outside of its object differs by design: the processor gives the
//! "unpredictable" value that docs/architecture.md describes, the interpreter what lies there.
//! [`Difference::undefined`] distinguishes such a difference from a defect.

mod difference;
mod pair;

use circuits::Profile;

use crate::error::RunError;
use crate::execution::Execution;
use crate::plan::Unset;
use crate::program::Program;
use crate::run::{Bit, Control, Output};
use crate::task::Task;

pub use difference::{Compared, Difference};
use pair::Pair;

/// What two machines agreed on.
#[derive(Clone, Debug)]
pub struct Agreement {
    /// The function or label where execution began, or its address where it has no name.
    pub entry: String,
    /// Bytes that the program wrote out.
    pub written: u64,
    /// Instructions of the processor; where both paths of a branch were executed, of both.
    pub instructions: u64,
    /// Those among them that touched secret bits.
    pub secret_instructions: u64,
    /// Instructions of the interpreter.
    pub interpreted: u64,
    /// Circuits that were evaluated as an engine would.
    pub windows: usize,
    /// Signals of circuits that were evaluated as they were recorded.
    pub signals: u64,
    /// Questions that the interpreter answered.
    pub questions: u64,
    /// Registers and flags compared, with repetition.
    pub words: u64,
    /// Bytes compared, with repetition.
    pub bytes: u64,
    /// The outputs, which both have.
    pub outputs: Vec<Output<bool>>,
    /// As [`Plan::unset`](crate::Plan::unset).
    pub unset: Vec<Unset>,
}

/// Why two machines did not come to the end together.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum LockstepError {
    /// They differ.
    #[error(transparent)]
    Difference(Box<Difference>),
    /// The processor cannot run the task.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The interpreter cannot have the program's memory.
    #[error("the interpreter cannot have the program's memory: {0}")]
    Memory(#[from] a32::MapError),
    /// The program has memory where the interpreter's calls return to.
    #[error(
        "the program's memory leaves no place for the address that calls return to: the \
         processor took {processor:#010x}, the interpreter has {:#010x}",
        a32::Interpreter::RETURN_ADDRESS
    )]
    ReturnAddress {
        /// The processor's.
        processor: u32,
    },
}

/// Executes a task on both machines.
///
/// `secrets` are the values of the bits that [`Task::secrets`] lists, in its order. `profile` is
/// the target that circuits are recorded for. Of `control` the observer and the cancellation count;
/// [`Progress::instructions_planned`](crate::Progress::instructions_planned) is 0, for nothing is
/// planned.
///
/// This is for testing: time and memory accesses depend on the secrets.
///
/// # Errors
/// [`LockstepError::Difference`] at the first one; what the task or its program does wrong as in
/// [`run`](crate::run()).
///
/// ```
/// use blindcore_processor::{
///     ASTRAY, Agreement, Compared, Content, Control, Difference, Input, LockstepError, Program, Task, lockstep,
/// };
/// use circuits::Profile;
///
/// let program = Program::load(b".data list[4] = 1, 2, 3, 4\n.data at\n LOAD R0, at\n LOAD R1, list[R0]\n STORE R1, at")?;
/// let secret = Input { variable: program.variable("at")?.clone(), content: Content::Secret };
/// let task = Task { inputs: vec![secret], ..Task::default() };
/// let check = |at: u32| {
///     let bits: Vec<bool> = (0..32).map(|bit| at >> bit & 1 == 1).collect();
///     lockstep(&program, &task, &bits, &Profile::lookup_simulation(), &Control::default())
/// };
///
/// let agreed: Agreement = check(2)?;
/// assert_eq!(agreed.instructions, agreed.interpreted);
/// // Outside of the list the interpreter reads what lies there: no defect.
/// let Err(LockstepError::Difference(found)) = check(4) else { panic!("the word behind the list is `at`") };
/// let Difference { what, undefined, .. } = *found;
/// assert!(matches!(what, Compared::Register { processor: 0, interpreter: 4, .. }) && undefined == Some(ASTRAY), "{what}");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
pub fn lockstep(
    program: &Program,
    task: &Task,
    secrets: &[bool],
    profile: &Profile,
    control: &Control,
) -> Result<Agreement, LockstepError> {
    lockstep_with(program, task, secrets, profile, control, None)
}

/// Spoils the processor's state after an instruction: how a wrong machine is made for tests.
type Spoil = Option<Box<dyn FnMut(u64, &mut crate::machine::Symbolic)>>;

fn lockstep_with(
    program: &Program,
    task: &Task,
    secrets: &[bool],
    profile: &Profile,
    control: &Control,
    spoil: Spoil,
) -> Result<Agreement, LockstepError> {
    let (expected, given) = (task.secret_bits(), secrets.len());
    if expected != given {
        return Err(RunError::SecretCount { expected, given }.into());
    }
    let mut execution = Execution::new(program, task, profile)?;
    let mut pair = Pair::new(program, task, secrets, &mut execution, control, spoil)?;
    let ended = execution.run(&mut pair, &control.cancel);
    if let Some(difference) = pair.found.take() {
        return Err(LockstepError::Difference(difference));
    }
    let end = ended?;
    let outputs = end.outputs.iter().map(|output| Output {
        name: output.name.clone(),
        ty: output.ty.clone(),
        bits: output
            .bits
            .iter()
            .map(|bit| Bit::Clear(pair.output(bit)))
            .collect(),
    });
    let outputs: Vec<Output<bool>> = outputs.collect();
    pair.compare_outputs(&outputs)
        .map_err(LockstepError::Difference)?;
    let unset = execution.unset(&task.inputs);
    Ok(Agreement {
        entry: execution.entry().to_owned(),
        written: end.written,
        instructions: end.instructions,
        secret_instructions: end.secret_instructions,
        interpreted: pair.interpreter.executed(),
        windows: pair.windows,
        signals: pair.signals,
        questions: pair.questions,
        words: pair.words,
        bytes: pair.bytes,
        outputs,
        unset,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::machine::{Symbolic, Word};
    use crate::{Content, Input};
    use circuits::Wire;

    const SALARIES: &[u8] = include_bytes!("../../tests/programs/salaries.elf");

    fn spoiled(window: usize, spoil: impl FnMut(u64, &mut Symbolic) + 'static) -> String {
        let program = Program::load(SALARIES).unwrap();
        let variable = program.variable("salary").unwrap().clone();
        let bits = 8 * variable.size as usize;
        let mut task = Task {
            inputs: vec![Input {
                variable,
                content: Content::Secret,
            }],
            ..Task::default()
        };
        task.limits.window = window;
        let secrets: Vec<bool> = (0..bits).map(|bit| bit % 5 == 1).collect();
        let found = lockstep_with(
            &program,
            &task,
            &secrets,
            &Profile::lookup_simulation(),
            &Control::default(),
            Some(Box::new(spoil)),
        );
        match found {
            Err(LockstepError::Difference(difference)) => difference.to_string(),
            other => format!("{other:?}"),
        }
    }

    #[test]
    fn a_wrong_register_is_found_at_its_instruction() {
        for window in [50, 1 << 20] {
            let found = spoiled(window, |executed, machine| {
                if executed == 12 {
                    machine.place(9, Word::Clear(7));
                }
            });
            assert!(found.starts_with("after instruction 12, 0x"), "{found}");
            assert!(found.contains("r9 is 0x7 in the processor"), "{found}");
        }
    }

    #[test]
    fn a_wrong_secret_bit_is_found() {
        let found = spoiled(1 << 20, |executed, machine| {
            let secret = (0..15).find(|number| machine.peek(*number).is_secret());
            if executed >= 20
                && let Some(number) = secret
            {
                let mut wires = machine.peek(number).wires();
                wires[31] = !wires[31];
                machine.place(number, Word::from_wires(wires));
            }
        });
        assert!(found.contains(" in the processor and 0x"), "{found}");
    }

    #[test]
    fn a_wrong_flag_byte_and_target_are_found() {
        let found = spoiled(100, |executed, machine| {
            if executed == 9 {
                let carry = a32::Machine::flag(machine, a32::Flag::Carry);
                a32::Machine::set_flag(machine, a32::Flag::Carry, !carry);
            }
        });
        assert!(found.contains("C is 0x"), "{found}");
        let found = spoiled(100, |executed, machine| {
            if executed == 9 {
                machine.memory.initialise(0x8000, [Wire::TRUE; 8]);
            }
        });
        // Nobody stored there: the next comparison of all memory finds it.
        assert!(
            found.contains("the byte at 0x00008000 is 0xff in the processor"),
            "{found}"
        );
        let found = spoiled(100, |executed, machine| {
            if executed == 9 {
                machine.pc += 4;
            }
        });
        assert!(
            found.contains("after instruction 9, ") && found.contains("goes on at"),
            "{found}"
        );
    }
}
