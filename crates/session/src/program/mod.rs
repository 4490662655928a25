//! The program, and how names, types and values that people write become its task.
//!
//! | module | what it knows |
//! |---|---|
//! | [`Execution`] | where a run begins, what is wanted of it, its bounds |
//! | [`Call`] | a function and its arguments |
//! | [`Named`] | a variable or argument, its name and type |
//! | [`Table`] | rows of values under the names of variables |
//!
//! ```
//! use std::path::Path;
//!
//! use blindcore_session::program::{Call, Execution, LoopBound, Named, NotACall, ObjectRange, Place, Placed, Row, Table, shown};
//! use blindcore_session::{ErrorKind, Program};
//!
//! let program = Program::load(Path::new("../processor/tests/programs/calls.elf"))?;
//! assert_eq!(shown(Path::new("there/calls.elf")), "calls.elf");
//! assert_eq!((program.name(), program.code_words() > 0), ("../processor/tests/programs/calls.elf", true));
//!
//! // A call: a number is public, a name is a secret.
//! let call: Call = "score(income, 25)".parse()?;
//! assert_eq!(call.secrets().collect::<Vec<_>>(), [(0, "income")]);
//! let not: NotACall = "score 25".parse::<Call>().unwrap_err();
//! assert_eq!(not.text, "score 25");
//! let income: Named = program.find("income", None, Some(&call))?;
//! assert!(matches!(income.place, Place::Argument(0)));
//! let placed: Placed = program.declared(&["income".to_owned()], Some(&call))?;
//! let execution = Execution { call: Some(call.clone()), ..Execution::default() };
//! assert_eq!(program.task(&execution, placed)?.secret_bits(), 32);
//!
//! // Values: a row of them, or a table.
//! let row = Row::new(&program, &program.assignments("income=-17")?, Some(&call))?;
//! assert_eq!((row.bits.len(), row.given), (32, vec![1]));
//! # let path = std::env::temp_dir().join(format!("blindcore-session-table-{}.csv", std::process::id()));
//! std::fs::write(&path, "income\n17\n-4\n")?;
//! let table = Table::read(&program, &[format!("@{}", path.display())], Some(&call))?;
//! assert_eq!((table.rows, table.width(), &*table.bits(0..2)[0]), (2, 32, &[true, false][..]));
//! # std::fs::remove_file(path)?;
//!
//! // Names that the program has not are errors of the input, in words.
//! let missing = program.find("incme", None, None).unwrap_err();
//! assert_eq!(missing.kind, ErrorKind::Input);
//! assert!("0x20000:64".parse::<ObjectRange>().is_ok());
//! assert!("gcd=40".parse::<LoopBound>().is_ok());
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod bounds;
mod call;
mod execution;
mod given;
mod names;
mod objects;
mod source;
mod structures;
mod table;

use std::fs;
use std::path::Path;
use std::sync::Arc;

use processor::{LoadError, RunError, Unset};

use crate::error::{Error, ErrorKind};
use crate::evaluator::EvaluationError;

pub use bounds::LoopBound;
pub use call::{Argument, Call, NotACall};
pub use execution::Execution;
use given::declared;
pub use given::{Placed, Row, bits_of_whole, refuse_overlaps, whole};
pub use names::{Named, Place};
pub use objects::ObjectRange;
use objects::number;
pub use table::Table;

/// Largest program file: far above any that fits the memory limit.
const FILE_LIMIT: u64 = 1 << 30;

/// A loaded program, and what it is called in messages.
#[derive(Clone, Debug)]
pub struct Program {
    name: String,
    image: processor::Program,
    bytes: Arc<[u8]>,
    messages: String,
}

impl Program {
    /// Reads an A32 ELF file or a text in HE assembly; compiles a C file, or takes what it was
    /// compiled to before.
    ///
    /// # Errors
    /// [`ErrorKind::Io`], [`ErrorKind::Program`] with what the compiler says,
    /// [`ErrorKind::Usage`] if `$BLINDCORE_CC` is no compiler.
    pub fn load(path: &Path) -> Result<Program, Error> {
        if source::is_c(path) {
            return source::compile(path);
        }
        let length = fs::metadata(path)
            .map_err(|error| Error::io(path, "open", &error))?
            .len();
        if length > FILE_LIMIT {
            return Err(Error::new(
                ErrorKind::Program,
                format!(
                    "{}: too large for a program ({length} bytes)",
                    path.display()
                ),
            ));
        }
        let bytes = fs::read(path).map_err(|error| Error::io(path, "read", &error))?;
        Program::from_bytes(path, &bytes)
    }

    /// The program of these bytes; the path is what it is called.
    ///
    /// # Errors
    /// [`ErrorKind::Program`].
    pub fn from_bytes(path: &Path, bytes: &[u8]) -> Result<Program, Error> {
        let name = path.display().to_string();
        let image =
            processor::Program::load_as(&shown(path), bytes).map_err(|error: LoadError| {
                Error::new(ErrorKind::Program, format!("{name}: {error}"))
            })?;
        Ok(Program {
            name,
            image,
            bytes: bytes.into(),
            messages: String::new(),
        })
    }

    /// What it is called.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// What the processor executes.
    #[must_use]
    pub fn image(&self) -> &processor::Program {
        &self.image
    }

    /// Its file: an ELF of the compiler's if it came from C.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// BLAKE3 of its file.
    #[must_use]
    pub fn hash(&self) -> [u8; 32] {
        blake3::hash(&self.bytes).into()
    }

    /// What a compiler said about the source, as it said it; empty if nothing was compiled.
    #[must_use]
    pub fn messages(&self) -> &str {
        &self.messages
    }

    /// The words of code that it consists of.
    #[must_use]
    pub fn code_words(&self) -> u32 {
        let segments = self.image.segments().iter();
        let code = segments.filter(|segment| segment.executable);
        code.map(|segment| segment.size / 4).sum()
    }

    /// Refuses to run a program that reads variables which nobody gave.
    ///
    /// # Errors
    /// [`ErrorKind::Input`], which names them.
    pub fn refuse_missing(&self, unset: &[Unset]) -> Result<(), Error> {
        if unset.is_empty() {
            return Ok(());
        }
        let variables = unset.to_vec();
        let error = EvaluationError::Unset { variables };
        Err(Error::new(
            ErrorKind::Input,
            format!("{}: {error}", self.name),
        ))
    }

    /// An error of planning or running it.
    #[must_use]
    pub fn error(&self, error: &RunError) -> Error {
        Error::run(&self.name, error)
    }
}

/// The name of a file, fit for messages about places in it.
pub fn shown(path: &Path) -> String {
    let name = path.file_name().unwrap_or(path.as_os_str());
    let name = name.to_string_lossy();
    name.chars().filter(|c| !c.is_control()).collect()
}
