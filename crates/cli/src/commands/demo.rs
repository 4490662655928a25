//! `blindcore demo`: the whole story on one example, with the commands that tell it.

use std::fs;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};

use a32::{Interpreter, Permissions, Register};
use processor::Program;
use processor::values::bits_of;

use super::{decrypt, encrypt, internal, keygen, print, run};
use crate::arguments::{Decrypt, Demo, Encrypt, Execution, Keygen, Run, Set};
use crate::failure::Failure;
use crate::subject::Subject;
use crate::values;

/// The example: a program and the table that it reads.
const PROGRAM: &[u8] = include_bytes!("../../../../examples/salaries/salaries.elf");
const TABLE: &str = include_str!("../../../../examples/salaries/salaries.csv");
/// What the clear computation may take: far above what the example needs.
const INSTRUCTION_LIMIT: u64 = 1_000_000;
const STACK_BYTES: u32 = 1 << 16;

/// Runs the example in a directory of its own.
pub(crate) fn demo(arguments: &Demo) -> Result<(), Failure> {
    match &arguments.dir {
        Some(directory) => {
            fs::create_dir_all(directory)
                .map_err(|error| Failure::io(directory, "create", &error))?;
            Story {
                directory: directory.clone(),
                kept: true,
            }
            .tell(arguments)
        }
        None => {
            let directory = tempfile::tempdir()
                .map_err(|error| Failure::io(&std::env::temp_dir(), "create", &error))?;
            Story {
                directory: directory.path().to_path_buf(),
                kept: false,
            }
            .tell(arguments)
        }
    }
}

struct Story {
    directory: PathBuf,
    kept: bool,
}

impl Story {
    fn path(&self, name: &str) -> PathBuf {
        self.directory.join(name)
    }

    fn tell(&self, arguments: &Demo) -> Result<(), Failure> {
        let (program, table) = (self.path("salaries.elf"), self.path("salaries.csv"));
        for (path, content) in [(&program, PROGRAM), (&table, TABLE.as_bytes())] {
            fs::write(path, content).map_err(|error| Failure::io(path, "write", &error))?;
        }
        let people = TABLE
            .lines()
            .skip(1)
            .filter(|line| !line.is_empty())
            .count();
        let values = vec![
            format!("salary=@{}:amount", table.display()),
            format!("count={people}"),
        ];

        print(&format!(
            "{people} people want to know what they earn together, and show nobody what each earns.\n"
        ))?;
        self.step("Alice generates a key pair.")?;
        keygen(&Keygen {
            out: self.path("alice"),
            set: arguments.set,
            force: true,
            json: false,
        })?;

        self.step("She encrypts the salaries for the program that will add them up.")?;
        encrypt(&Encrypt {
            key: self.path("alice.secret"),
            program: program.clone(),
            values: values.clone(),
            call: None,
            out: self.path("inputs.bct"),
            quiet: false,
        })?;

        self.step("A server runs the program. It holds the server key and sees no salary.")?;
        run(&Run {
            key: self.path("alice.server"),
            program: program.clone(),
            inputs: self.path("inputs.bct"),
            values: Vec::new(),
            execution: Execution {
                max_instructions: INSTRUCTION_LIMIT,
                stack: STACK_BYTES,
                ..Execution::default()
            },
            out: self.path("outputs.bct"),
            threads: arguments.threads,
            quiet: false,
        })?;

        self.step("Alice decrypts the answer.")?;
        decrypt(&Decrypt {
            key: self.path("alice.secret"),
            file: self.path("outputs.bct"),
            json: false,
        })?;

        self.step("The same program in the clear, for comparison.")?;
        print(&in_the_clear(&program, &values)?)?;
        self.commands(people, arguments.set, arguments.threads)
    }

    fn step(&self, text: &str) -> Result<(), Failure> {
        print(&format!("\n{text}\n"))
    }

    /// The commands that do the same by hand.
    fn commands(
        &self,
        people: usize,
        set: Set,
        threads: Option<NonZeroUsize>,
    ) -> Result<(), Failure> {
        let example = "examples/salaries/salaries";
        let (directory, prefix) = match self.kept {
            true => (
                format!(
                    " (the files of this run are in {})",
                    self.directory.display()
                ),
                "",
            ),
            false => (String::new(), ""),
        };
        let set = if set == Set::default() {
            ""
        } else {
            " --set p16-uniform"
        };
        let threads = threads.map_or_else(String::new, |count| format!(" --threads {count}"));
        print(&format!(
            "\nBy hand{directory}:\n\
             {prefix}  blindcore keygen --out alice{set}\n\
             {prefix}  blindcore encrypt --key alice.secret {example}.elf salary=@{example}.csv:amount count={people} --out inputs.bct\n\
             {prefix}  blindcore run --key alice.server {example}.elf inputs.bct --out outputs.bct{threads}\n\
             {prefix}  blindcore decrypt --key alice.secret outputs.bct\n"
        ))
    }
}

/// What the plain interpreter computes from the same values.
fn in_the_clear(path: &Path, values: &[String]) -> Result<String, Failure> {
    let subject = Subject::from_bytes(path, PROGRAM)?;
    let program = &subject.program;
    let mut machine = Interpreter::new();
    for segment in program.segments() {
        let mut bytes = segment.bytes.clone();
        bytes.resize(segment.size as usize, 0);
        let permissions = Permissions {
            read: true,
            write: segment.writable,
            execute: segment.executable,
        };
        machine
            .map(segment.address, bytes, permissions)
            .map_err(internal)?;
    }
    let end = program
        .segments()
        .last()
        .map_or(0, |last| last.address + last.size);
    let stack = end.next_multiple_of(1 << 16) + (1 << 16);
    machine
        .map(
            stack,
            vec![0; STACK_BYTES as usize],
            Permissions::READ_WRITE,
        )
        .map_err(internal)?;
    machine.write_register(Register::SP, stack + STACK_BYTES);
    for text in values {
        for (named, content) in subject.public(text, None)? {
            if let (crate::subject::Place::Memory(variable), processor::Content::Clear(bytes)) =
                (named.place, content)
            {
                machine
                    .write_bytes(variable.address, &bytes)
                    .map_err(internal)?;
            }
        }
    }
    let entry = program.label("main").map_err(internal)?;
    machine
        .call(entry, &[], INSTRUCTION_LIMIT)
        .map_err(internal)?;
    Ok(shown(program, &machine))
}

/// The variables that the program has for its answer.
fn shown(program: &Program, machine: &Interpreter) -> String {
    let mut text = String::new();
    for name in ["total", "highest", "mean"] {
        let Ok(variable) = program.variable(name) else {
            continue;
        };
        let ty = variable.type_or_bytes();
        let Some(bytes) = machine.read_bytes(variable.address, ty.size() as usize) else {
            continue;
        };
        debug_assert_eq!(bits_of(bytes).len(), 8 * bytes.len());
        text.push_str(&format!(
            "{name} = {}\n",
            values::text(&ty, &ty.decode(bytes))
        ));
    }
    text
}
