//! A program: what an A32 ELF or a text in HE assembly says, checked once and kept in the
//! processor's own terms.
//!
//! [`Program::load`] is the way in; which of the two a file is, its first bytes tell. It refuses
//! what cannot run here (other architectures, Thumb, unlinked or dynamic files, sizes that the file
//! cannot back) with an error that names the remedy, so nothing later has to ask again. Debugging
//! information is optional and never fatal: damaged DWARF costs the names of lines and types, not
//! the program.
//!
//! ```
//! use blindcore_processor::program::{
//!     Function, LoadError, Opacity, Parameter, Passed, Place, Program, Segment, SymbolError, Variable,
//! };
//!
//! let program = Program::load_as("types.elf", &std::fs::read("tests/programs/types.elf")?)?;
//! assert!(!program.is_assembly() && program.warnings().is_empty());
//!
//! // Variables, with the fields of structures.
//! let row: &Variable = program.variable("a_rows[1].key")?;
//! assert_eq!(row.bits(), 8);
//! assert!(program.variables().iter().any(|variable| variable.overlaps(row)));
//! assert_eq!(program.variable("a_point")?.leaves().len(), 2);
//! let bytes = program.variable("a_u32")?.with_type("u8[4]".parse()?);
//! assert_eq!(bytes.type_or_bytes().elements(), 4);
//! let unknown: SymbolError = program.variable("a_u33").unwrap_err();
//! assert!(unknown.to_string().contains("did you mean"), "{unknown}");
//!
//! // Functions and code.
//! let main: &Function = program.function("main")?;
//! assert_eq!(program.label("main")?, main.address);
//! assert!(program.functions().iter().all(|function| !function.thumb));
//! let place: Place = program.place(main.address + 4);
//! assert_eq!(place.symbol, Some(("main".to_owned(), 4)));
//! let text: &Segment = program.segment(program.entry_point()).unwrap();
//! assert!(text.executable && !text.writable && program.segments()[0].address <= text.address);
//! assert_eq!(program.words(main).count() as u32, main.size / 4);
//! let parameters: &Option<Vec<Parameter>> = &main.parameters;
//! assert_eq!(parameters.as_deref(), Some(&[][..]));
//! let unsupported: &Option<(Passed, Opacity)> = &main.unsupported;
//! assert!(unsupported.is_none());
//!
//! assert!(matches!(Program::load(b"\xff\xfe"), Err(LoadError::NotElf)));
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod assembly;
mod beginning;
mod debug;
mod elf;
mod error;
mod exceptions;
mod frames;
mod lines;
mod marks;
mod opacity;
mod room;
mod stock;
mod symbols;
mod table;
mod unwind;

use std::collections::BTreeMap;
use std::fmt;
use std::ops::Range;
use std::sync::Arc;

use ::assembly::Diagnostic;
use a32::Detours;

pub use error::{LoadError, SymbolError};
pub(crate) use exceptions::reads_exceptions;
pub use opacity::{Opacity, Passed};
pub use symbols::{Function, Parameter, Variable};

pub(crate) use frames::{Elements, Frames, Local};
use lines::LineTable;
use marks::Marks;

/// The most memory, in bytes, that a program's segments may ask for.
///
/// Segment sizes are unchecked fields of a file; uninitialised data costs the file nothing.
pub(crate) const MEMORY_LIMIT: u32 = 256 << 20;

/// A part of the program's initial memory.
#[derive(Clone, Debug)]
pub struct Segment {
    /// The first address.
    pub address: u32,
    /// The initial bytes; the rest up to `size` is zero.
    pub bytes: Vec<u8>,
    /// The size in memory, in bytes: at least `bytes.len()`.
    pub size: u32,
    /// Whether the program may store here.
    pub writable: bool,
    /// Whether the program may execute from here.
    pub executable: bool,
}

/// A loaded A32 program.
#[derive(Clone, Debug)]
pub struct Program {
    entry: u32,
    /// Whether the entry point may be nobody's choice, as far as the file's tables tell.
    entry_begins_code: bool,
    segments: Vec<Segment>,
    variables: Vec<Variable>,
    functions: Vec<Function>,
    labels: BTreeMap<String, u32>,
    lines: LineTable,
    /// What is known of the functions' frames on the stack.
    frames: Arc<Frames>,
    /// The addresses of an assembled program's registers.
    registers: Option<Range<u32>>,
    /// What the source marks.
    marks: Marks,
    /// Routines in whose place others are carried out.
    detours: Arc<Detours>,
    /// The address of the thread's own variables.
    thread_pointer: u32,
    warnings: Vec<Diagnostic>,
}

/// A place in the program, for people: address, symbol, source line.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The address of the instruction.
    pub address: u32,
    /// The function around it and the offset into it, in bytes.
    pub symbol: Option<(String, u32)>,
    /// The source file and line, counted from 1.
    pub line: Option<(String, u32)>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:#010x}", self.address)?;
        match &self.symbol {
            Some((name, 0)) => write!(f, " {name}")?,
            Some((name, offset)) => write!(f, " {name}+{offset:#x}")?,
            None => {}
        }
        match &self.line {
            Some((file, line)) => write!(f, " at {file}:{line}"),
            None => Ok(()),
        }
    }
}

impl Program {
    /// Reads an ELF file, or a text in HE assembly, from memory.
    ///
    /// # Errors
    /// See [`LoadError`]; nothing panics and nothing larger than 256 MiB is allocated on
    /// the word of the file.
    pub fn load(bytes: &[u8]) -> Result<Self, LoadError> {
        Self::load_as("program.hea", bytes)
    }

    /// [`load`](Self::load) of a file whose name is known. Places in assembly bear it; compiled
    /// programs know the names of their sources.
    ///
    /// # Errors
    /// As [`load`](Self::load).
    pub fn load_as(file: &str, bytes: &[u8]) -> Result<Self, LoadError> {
        if assembly::is_text(bytes) {
            let text = String::from_utf8_lossy(bytes);
            return assembly::assemble(file, &text);
        }
        let mut image = elf::read(bytes)?;
        let mut debug = debug::read(&image.sections);
        let locals = std::mem::take(&mut debug.locals);
        let frames = Frames::new(locals.functions, locals.variables, &image.sections);
        let lines = LineTable::read(&image.sections);
        let marks = Marks::read(bytes, &image.segments);
        let source = |address| lines.find(address).map(|(file, _)| file);
        let stand_ins = stock::stand_ins(&image, &source);
        let thread_pointer = room::complete(&mut image);
        let mut symbols = symbols::collect(image.symbols, &debug);
        // These lie behind all others.
        image.segments.extend(stand_ins.segments);
        image.segments.sort_by_key(|segment| segment.address);
        symbols.functions.extend(stand_ins.functions);
        symbols.functions.sort_by_key(|function| function.address);
        Ok(Self {
            entry: image.entry,
            entry_begins_code: image.entry_begins_code,
            segments: image.segments,
            variables: symbols.variables,
            functions: symbols.functions,
            labels: symbols.labels,
            lines,
            frames: Arc::new(frames),
            registers: None,
            marks,
            detours: Arc::new(stand_ins.detours),
            thread_pointer,
            warnings: Vec::new(),
        })
    }

    /// The entry point that the ELF header names; bit 0 is set for Thumb code.
    #[must_use]
    pub fn entry_point(&self) -> u32 {
        self.entry
    }

    /// The initial memory, in address order, not overlapping.
    #[must_use]
    pub fn segments(&self) -> &[Segment] {
        &self.segments
    }

    /// The global and static variables in address order; aliases follow each other.
    #[must_use]
    pub fn variables(&self) -> &[Variable] {
        &self.variables
    }

    /// The functions in address order.
    #[must_use]
    pub fn functions(&self) -> &[Function] {
        &self.functions
    }

    /// What is strange about a program in assembly, though it can run.
    #[must_use]
    pub fn warnings(&self) -> &[Diagnostic] {
        &self.warnings
    }

    /// Whether this is HE assembly, whose numbers have no sign of their own.
    #[must_use]
    pub fn is_assembly(&self) -> bool {
        self.registers.is_some()
    }

    /// Whether the variable is a register of a program in assembly.
    #[must_use]
    pub(crate) fn is_register(&self, variable: &Variable) -> bool {
        let registers = self.registers.as_ref();
        registers.is_some_and(|range| range.contains(&variable.address))
    }

    /// The variable of this name, or the field of a structure by its path (`point.x`,
    /// `rows[2].key`).
    ///
    /// A global variable comes before static ones, a static one of a file before those of
    /// functions, for which compilers write `count.0`. Among several `state@0x9078` names the one
    /// at that address.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`] (with the nearest name, if one is near) and
    /// [`SymbolError::Ambiguous`] when several static variables bear the name.
    pub fn variable(&self, name: &str) -> Result<&Variable, SymbolError> {
        if let Some(found) = self.variable_at(name) {
            return Ok(found);
        }
        let all = || self.variables.iter();
        if let Some(global) = all().find(|variable| variable.global && variable.name == name) {
            return Ok(global);
        }
        let exact: Vec<_> = all().filter(|variable| variable.name == name).collect();
        let found = if exact.is_empty() {
            all()
                .filter(|variable| variable.is_local_of(name))
                .collect()
        } else {
            exact
        };
        match found[..] {
            [one] => Ok(one),
            [] => all()
                .find_map(|variable| variable.field(name))
                .ok_or_else(|| {
                    let names = all().map(|variable| variable.name.as_str());
                    let error = SymbolError::unknown("variable", name, names);
                    error.perhaps_merged(all().any(Variable::is_merged))
                }),
            _ => Err(SymbolError::Ambiguous {
                name: name.to_owned(),
                candidates: self.told_apart(&found),
            }),
        }
    }

    /// The variable or field that `state@0x9078` names.
    fn variable_at(&self, name: &str) -> Option<&Variable> {
        let (name, address) = name.rsplit_once("@0x")?;
        let address = u32::from_str_radix(address, 16).ok()?;
        let all = self.variables.iter();
        all.flat_map(|variable| std::iter::once(variable).chain(&variable.fields))
            .find(|variable| variable.address == address && variable.name == name)
    }

    /// Names that each denote one of these variables only.
    fn told_apart(&self, found: &[&Variable]) -> Vec<String> {
        let alone = |name: &str| self.variables.iter().filter(|v| v.name == name).count() == 1;
        let names = found.iter().take(8).map(|variable| match &variable.name {
            name if alone(name) => name.clone(),
            _ => variable.name_with_address(),
        });
        names.collect()
    }

    /// The function of this name.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`].
    pub fn function(&self, name: &str) -> Result<&Function, SymbolError> {
        let unknown = || {
            let names = self.functions.iter().map(|function| function.name.as_str());
            SymbolError::unknown("function", name, names)
        };
        self.functions
            .iter()
            .find(|function| function.name == name)
            .ok_or_else(unknown)
    }

    /// The address of a function or of an assembly label; bit 0 is set for Thumb code.
    ///
    /// # Errors
    /// [`SymbolError::Unknown`].
    pub fn label(&self, name: &str) -> Result<u32, SymbolError> {
        let variable = || self.variable(name).ok().map(|variable| variable.address);
        let label = self.labels.get(name).copied().or_else(variable);
        match label {
            Some(address) => Ok(address),
            None => self
                .function(name)
                .map(|function| function.address | u32::from(function.thumb)),
        }
    }

    /// Labels and symbols without a size, with their addresses.
    pub(crate) fn labels(&self) -> impl Iterator<Item = (&str, u32)> {
        let labels = self.labels.iter();
        labels.map(|(name, address)| (name.as_str(), *address))
    }

    /// Routines in whose place others are carried out.
    pub(crate) fn detours(&self) -> &Arc<Detours> {
        &self.detours
    }

    /// The address of the thread's own variables, or 0.
    pub(crate) fn thread_pointer(&self) -> u32 {
        self.thread_pointer
    }

    /// What is known of the functions' frames on the stack.
    pub(crate) fn frames(&self) -> &Arc<Frames> {
        &self.frames
    }

    /// Where an address is, as far as symbols and line numbers tell.
    #[must_use]
    pub fn place(&self, address: u32) -> Place {
        let index = self
            .functions
            .partition_point(|function| function.address <= address);
        let function = index
            .checked_sub(1)
            .and_then(|index| self.functions.get(index));
        let symbol = function
            .map(|function| (function, address - function.address))
            .filter(|(function, offset)| *offset < function.size.max(4))
            .map(|(function, offset)| (function.name.clone(), offset));
        Place {
            address,
            symbol,
            line: self.lines.find(address),
        }
    }

    /// The segment that holds an address.
    #[must_use]
    pub fn segment(&self, address: u32) -> Option<&Segment> {
        let index = self
            .segments
            .partition_point(|segment| segment.address <= address);
        let segment = self.segments.get(index.checked_sub(1)?)?;
        (address - segment.address < segment.size).then_some(segment)
    }

    /// The instruction words of a function, by address.
    pub fn words(&self, function: &Function) -> impl Iterator<Item = (u32, u32)> + '_ {
        let start = function.address & !3;
        let segment = self.segment(start);
        (0..function.size / 4).map_while(move |i| {
            let segment = segment?;
            let offset = (start - segment.address) as usize + 4 * i as usize;
            let bytes = segment.bytes.get(offset..offset.checked_add(4)?)?;
            let word = u32::from_le_bytes(bytes.try_into().ok()?);
            Some((start + 4 * i, word))
        })
    }
}
