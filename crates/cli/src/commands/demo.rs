//! `blindcore demo`: the whole story on one example, with the commands that tell it.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use circuits::Profile;
use processor::{Bit, Control, Limits, lockstep};
use values::bytes_of;

use super::decrypt::decrypted_row;
use super::protection::KeyFile;
use super::{encrypt, internal, keygen, print, run};
use crate::arguments::{
    Answering, Contributions, Demo, Encrypt, Execution, Keygen, Levelled, Missing, Protecting, Run,
    Scheme, Set, Unlocking, Workers,
};
use crate::failure::{Code, Failure};
use crate::interrupt::Interrupt;
use session::Program;

/// The example `salaries`: a program and the table that it reads. They lie here too, so that the
/// package is whole.
const PROGRAM: &[u8] = include_bytes!("../../assets/salaries.elf");
const TABLE: &str = include_str!("../../assets/salaries.csv");
/// What the clear computation may take: far above what the example needs.
const INSTRUCTION_LIMIT: u64 = 1_000_000;
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
                no_selectors: false,
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
                any_depth: false,
                json: false,
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
                execution: execution(),
                out: self.path("outputs.bct"),
                engine: None,
                threads: arguments.threads,
                selectors: None,
                no_selectors: false,
                fft: arguments.fft,
                memory: None,
                checkpoint: None,
                checkpoint_every: Duration::from_secs(30),
                resume: false,
                json: false,
                forced: arguments.forced,
                answering: Answering::default(),
                workers: Workers::default(),
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
            let shown = values::text(ty, &elements);
            let expected = clear.get(name).map_or("", String::as_str);
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

/// What the same program says of the same values in the clear: names and values of its outputs.
fn in_the_clear(path: &Path, values: &[String]) -> Result<HashMap<String, String>, Failure> {
    let program = Program::from_bytes(path, PROGRAM)?;
    let mut inputs = Vec::new();
    for text in values {
        inputs.extend(program.public(text, None)?);
    }
    let task = program.task(&execution().resolve()?, inputs)?;
    let profile = Profile::lookup_simulation();
    let agreed =
        lockstep(program.image(), &task, &[], &profile, &Control::default()).map_err(internal)?;
    let outputs = agreed.outputs.into_iter().map(|output| {
        let bits = output
            .bits
            .iter()
            .map(|bit| matches!(bit, Bit::Clear(true)));
        let elements = output.ty.decode(&bytes_of(&bits.collect::<Vec<_>>()));
        (output.name, values::text(&output.ty, &elements))
    });
    Ok(outputs.collect())
}

/// How the program is executed: as `blindcore run` has it by default.
fn execution() -> Execution {
    Execution {
        max_instructions: INSTRUCTION_LIMIT,
        stack: STACK_BYTES,
        window: Limits::default().window as u64,
        ..Execution::default()
    }
}
