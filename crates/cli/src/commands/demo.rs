//! `blindcore demo`: the whole story on one example, with the commands that tell it.

use std::fs;
use std::path::{Path, PathBuf};

use a32::{Interpreter, Permissions, Register};
use processor::{Content, Limits};

use super::decrypt::decrypted_row;
use super::protection::KeyFile;
use super::{encrypt, internal, keygen, print, run};
use crate::arguments::{
    Answering, Contributions, Demo, Encrypt, Execution, Keygen, Levelled, Missing, Protecting, Run,
    Scheme, Set, Unlocking,
};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use session::Program;
use session::program::Place;

/// The example: a program and the table that it reads.
const PROGRAM: &[u8] = include_bytes!("../../../../examples/salaries/salaries.elf");
const TABLE: &str = include_str!("../../../../examples/salaries/salaries.csv");
/// What the clear computation may take: far above what the example needs.
const INSTRUCTION_LIMIT: u64 = 1_000_000;
/// What the run may take: as `blindcore run` has it by default.
const MEMORY_BYTES: u64 = 1_000_000_000;
const STACK_BYTES: u32 = 1 << 16;

/// Runs the example in a directory of its own.
pub(crate) fn demo(arguments: &Demo, interrupt: &Interrupt) -> Result<(), Failure> {
    match &arguments.dir {
        Some(directory) => {
            fs::create_dir_all(directory)
                .map_err(|error| Failure::io(directory, "create", &error))?;
            // A key pair of the same name may lie there, and be somebody's.
            let mut entries =
                fs::read_dir(directory).map_err(|error| Failure::io(directory, "read", &error))?;
            if entries.next().is_some() {
                return Err(Failure::new(
                    Code::Io,
                    format!(
                        "{}: the directory is not empty: choose a new one for --dir",
                        directory.display()
                    ),
                ));
            }
            Story {
                directory: directory.clone(),
                kept: true,
            }
            .tell(arguments, interrupt)
        }
        None => {
            let directory = tempfile::tempdir()
                .map_err(|error| Failure::io(&std::env::temp_dir(), "create", &error))?;
            interrupt.removes(directory.path());
            Story {
                directory: directory.path().to_path_buf(),
                kept: false,
            }
            .tell(arguments, interrupt)
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

    fn tell(&self, arguments: &Demo, interrupt: &Interrupt) -> Result<(), Failure> {
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
        keygen(
            &Keygen {
                out: self.path("alice"),
                scheme: Scheme::Tfhe,
                set: arguments.set,
                dimension: None,
                levelled: Levelled::default(),
                force: false,
                protecting: Protecting::default(),
                threads: arguments.threads,
                json: false,
            },
            interrupt,
        )?;

        self.step("She encrypts the salaries for the program that will add them up.")?;
        encrypt(
            &Encrypt {
                key: self.path("alice.secret"),
                unlocking: Unlocking::default(),
                program: program.clone(),
                values: values.clone(),
                call: None,
                out: self.path("inputs.bct"),
                quiet: false,
            },
            interrupt,
        )?;

        self.step("A server runs the program. It holds the server key and sees no salary.")?;
        run(
            &Run {
                key: self.path("alice.server"),
                program: program.clone(),
                given: Contributions::of(self.path("inputs.bct")),
                missing: Missing::default(),
                execution: Execution {
                    max_instructions: INSTRUCTION_LIMIT,
                    stack: STACK_BYTES,
                    window: Limits::default().window as u64,
                    ..Execution::default()
                },
                out: self.path("outputs.bct"),
                engine: None,
                threads: arguments.threads,
                fft: arguments.fft,
                memory: MEMORY_BYTES,
                checkpoint: None,
                resume: false,
                forced: arguments.forced,
                answering: Answering::default(),
                quiet: false,
            },
            interrupt,
        )?;

        self.step("Alice decrypts the answer; beside it what the same program says in the clear.")?;
        let clear = in_the_clear(&program, &values)?;
        let (path, open) = (self.path("alice.secret"), Unlocking::default());
        let key = KeyFile::new(&path, &open);
        let decrypted = decrypted_row(key, &self.path("outputs.bct"))?;
        for (name, ty, elements) in decrypted.row(0) {
            let expected = clear_value(&clear, name)?;
            let shown = values::text(ty, &elements);
            if shown != expected {
                return Err(internal(format!(
                    "{name} is {shown}, but {expected} in the clear"
                )));
            }
            print(&format!(
                "  {name:<8}= {shown:<8}(in the clear: {expected})\n",
            ))?;
        }
        self.commands(people, arguments)
    }

    fn step(&self, text: &str) -> Result<(), Failure> {
        print(&format!("\n{text}\n"))
    }

    /// The commands that do the same by hand.
    fn commands(&self, people: usize, arguments: &Demo) -> Result<(), Failure> {
        let example = "examples/salaries/salaries";
        let kept = if self.kept {
            format!(
                " (the files of this run are in {})",
                self.directory.display()
            )
        } else {
            String::new()
        };
        let set = if arguments.set == Set::default() {
            ""
        } else {
            " --set p16-uniform"
        };
        let threads = arguments.threads.map(|count| format!(" --threads {count}"));
        let fft = arguments.fft.map(|fft| format!(" --fft {fft}"));
        let options =
            threads.unwrap_or_default() + &fft.unwrap_or_default() + &arguments.forced.flags();
        print(&format!(
            "\nBy hand{kept}:\n\
             \u{20} blindcore keygen --out alice{set}\n\
             \u{20} blindcore encrypt --key alice.secret {example}.elf \
             salary=@{example}.csv:amount count={people} --out inputs.bct\n\
             \u{20} blindcore run --key alice.server {example}.elf inputs.bct \
             --out outputs.bct{options}\n\
             \u{20} blindcore decrypt --key alice.secret outputs.bct\n"
        ))
    }
}

/// The program and the plain interpreter's memory after it ran on the same values.
struct Clear {
    program: Program,
    machine: Interpreter,
}

fn in_the_clear(path: &Path, values: &[String]) -> Result<Clear, Failure> {
    let program = Program::from_bytes(path, PROGRAM)?;
    let image = program.image();
    let mut machine = Interpreter::new();
    for segment in image.segments() {
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
    // The stack stands well above the program.
    let end = image
        .segments()
        .last()
        .map_or(0, |last| last.address + last.size);
    let stack = end.next_multiple_of(STACK_BYTES) + STACK_BYTES;
    machine
        .map(
            stack,
            vec![0; STACK_BYTES as usize],
            Permissions::READ_WRITE,
        )
        .map_err(internal)?;
    machine.write_register(Register::SP, stack + STACK_BYTES);
    for text in values {
        for (named, content) in program.public(text, None)? {
            if let (Place::Memory(variable), Content::Clear(bytes)) = (named.place, content) {
                machine
                    .write_bytes(variable.address, &bytes)
                    .map_err(internal)?;
            }
        }
    }
    let entry = image.label("main").map_err(internal)?;
    machine
        .call(entry, &[], INSTRUCTION_LIMIT)
        .map_err(internal)?;
    Ok(Clear { program, machine })
}

fn clear_value(clear: &Clear, name: &str) -> Result<String, Failure> {
    let variable = clear.program.image().variable(name).map_err(internal)?;
    let ty = variable.type_or_bytes();
    let bytes = clear
        .machine
        .read_bytes(variable.address, ty.size() as usize)
        .unwrap_or_default();
    Ok(values::text(&ty, &ty.decode(bytes)))
}
