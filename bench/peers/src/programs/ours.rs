//! Our side: C, compiled by GCC for 32-bit ARM, run by the processor.

use std::process::Command;
use std::time::{Duration, Instant};

use circuits::Gates as _;
use clock::Failure;
use processor::{Bit, Content, Control, Input, Program, Task, Wanted};

use super::cases::Case;
use crate::ours::Lookups;

/// The README's flags.
const FLAGS: [&str; 9] = [
    "-O2",
    "-marm",
    "-march=armv7ve",
    "-mfloat-abi=soft",
    "-ffreestanding",
    "-fno-jump-tables",
    "-fno-builtin",
    "-nostdlib",
    "-Wl,-e,main",
];

/// A program and what is asked of it.
pub struct Compiled {
    program: Program,
    task: Task,
}

impl Compiled {
    pub fn new(case: Case) -> Result<Self, Failure> {
        let folder = std::env::temp_dir().join(format!("blindcore-peers-{}", std::process::id()));
        std::fs::create_dir_all(&folder)?;
        let [source, elf] = ["c", "elf"].map(|end| folder.join(format!("{}.{end}", case.name())));
        std::fs::write(&source, case.source())?;
        let compiler = "arm-none-eabi-gcc";
        let mut command = Command::new(compiler);
        let done = command
            .args(FLAGS)
            .arg(&source)
            .arg("-o")
            .arg(&elf)
            .output();
        let done =
            done.map_err(|error| format!("{compiler}: {error}; it is in gcc-arm-none-eabi"))?;
        if !done.status.success() {
            return Err(String::from_utf8_lossy(&done.stderr).into_owned().into());
        }
        let program = Program::load(&std::fs::read(&elf)?)?;
        std::fs::remove_dir_all(&folder)?;
        let (secret, wanted) = case.variables();
        let variable = |name: &&str| {
            let found = program.variable(name).cloned();
            found.map_err(|error| Failure::from(format!("{name}: {error}")))
        };
        let inputs = secret.iter().map(|name| {
            Ok(Input {
                variable: variable(name)?,
                content: Content::Secret,
            })
        });
        let task = Task {
            inputs: inputs.collect::<Result<_, Failure>>()?,
            wanted: Wanted::Variables(wanted.iter().map(variable).collect::<Result<_, _>>()?),
            ..Task::default()
        };
        Ok(Self { program, task })
    }

    /// Rotations, by the plan.
    pub fn bootstraps(&self, ours: &Lookups) -> Result<usize, Failure> {
        let plan = processor::plan(&self.program, &self.task, ours.engine().profile())?;
        Ok(plan.total().bootstraps)
    }

    /// The time that the run takes, and the outputs' bytes.
    pub fn run(
        &self,
        ours: &Lookups,
        values: &[Vec<u8>],
        threads: usize,
    ) -> Result<(Duration, Vec<u8>), Failure> {
        let bits: Vec<bool> = values
            .iter()
            .flat_map(|bytes| values::bits_of(bytes))
            .collect();
        let secrets = ours.encrypt_bits(&bits);
        let control = Control {
            threads,
            ..Control::default()
        };
        let start = Instant::now();
        let outcome = processor::run(&self.program, &self.task, ours.engine(), secrets, &control)?;
        let time = start.elapsed();
        let mut found = Vec::new();
        for output in outcome.outputs {
            let mut bits = Vec::with_capacity(output.bits.len());
            for bit in output.bits {
                bits.push(match bit {
                    Bit::Clear(value) => value,
                    Bit::Secret(bit) => ours.decrypt_bits(&[bit])?[0],
                });
            }
            found.extend(values::bytes_of(&bits));
        }
        Ok((time, found))
    }
}
