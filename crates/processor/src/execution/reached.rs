//! Start-up code, which sets variables before `main` has seen them.
//!
//! A program that begins at its entry point clears its variables without an initial value, and those
//! may be inputs. `main` would compute from zeros, and nobody would hear of it.

use super::Execution;
use crate::error::RunError;
use crate::machine::Byte;
use crate::task::{Entry, Task};

/// What inputs hold until `main` is reached.
#[derive(Debug)]
pub(super) struct Awaited {
    main: u32,
    /// Names, addresses and contents.
    inputs: Vec<(String, u32, Vec<Byte>)>,
}

impl Execution<'_> {
    /// Notes what the inputs hold, if execution begins elsewhere than at `main`.
    pub(super) fn await_main(&mut self, task: &Task) {
        let begins = matches!(task.entry, Entry::Image | Entry::Symbol(_));
        let main = self.program.label("main");
        let Some(main) = main.ok().filter(|main| begins && *main != self.machine.pc) else {
            return;
        };
        let inputs = task.inputs.iter().map(|input| {
            let variable = &input.variable;
            let addresses = (0..variable.size).map(|i| variable.address.wrapping_add(i));
            let bytes = addresses.map(|address| self.machine.memory.byte(address));
            (variable.name.clone(), variable.address, bytes.collect())
        });
        let inputs = inputs.collect();
        self.awaited = Some(Awaited { main, inputs });
    }

    /// Told where execution goes.
    pub(super) fn reach(&mut self, target: u32) -> Result<(), RunError> {
        let Some(awaited) = self.awaited.take_if(|awaited| awaited.main == target) else {
            return Ok(());
        };
        for (name, address, bytes) in awaited.inputs {
            let addresses = (0..).map(|i| address.wrapping_add(i));
            let mut places = addresses.zip(&bytes);
            if places.any(|(address, byte)| self.machine.memory.byte(address) != *byte) {
                return Err(RunError::InputOverwritten { name });
            }
        }
        Ok(())
    }
}
