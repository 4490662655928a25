//! From what was written to what it means: configuration, names, and every instruction.
//!
//! Two passes: data and labels may be used before they are declared.

use std::collections::HashMap;

use super::diagnostic::{Diagnostic, Problem, Severity};
use super::parser::ERROR_LIMIT;
use super::place::{Located, Position};
use super::source::{Code, Directive, Number, Source, Statement};
use super::unit::{Datum, Label, Step, Unit, Width};
use super::{DATA_LIMIT, DEFAULT_REGISTERS, MEMORY, REGISTER_LIMIT};

/// Checks a text and resolves its names.
///
/// # Errors
/// Every error of meaning, at most twenty, in the order of the text.
pub fn check(source: &Source) -> Result<Unit, Vec<Diagnostic>> {
    let mut checker = Checker::new();
    let codes = checker.declarations(source);
    for code in codes {
        match checker.action(code) {
            Ok(action) => checker.unit.steps.push(Step {
                at: code.at(),
                action,
            }),
            Err(error) => checker.errors.push(error),
        }
    }
    let Checker {
        mut errors, unit, ..
    } = checker;
    if errors.is_empty() {
        return Ok(unit);
    }
    errors.sort_by_key(|error| error.at);
    errors.truncate(ERROR_LIMIT);
    Err(errors)
}

/// What a name stands for.
#[derive(Clone, Copy)]
pub(super) enum Meaning {
    Datum(usize),
    Label(usize),
}

/// A name's meaning, and the line that gave it.
struct Name {
    meaning: Meaning,
    line: u32,
}

pub(super) struct Checker {
    pub(super) unit: Unit,
    names: HashMap<String, Name>,
    /// By name: an index into `unit.undefined`.
    undefined: HashMap<String, usize>,
    /// Whether anything is declared, so that what is not is probably misspelled.
    declares: bool,
    bytes: u64,
    errors: Vec<Diagnostic>,
}

impl Checker {
    fn new() -> Self {
        Checker {
            unit: Unit {
                width: Width::Word,
                registers: DEFAULT_REGISTERS,
                data: Vec::new(),
                steps: Vec::new(),
                labels: Vec::new(),
                undefined: Vec::new(),
                warnings: Vec::new(),
            },
            names: HashMap::new(),
            undefined: HashMap::new(),
            declares: false,
            bytes: 0,
            errors: Vec::new(),
        }
    }

    /// An error or a warning.
    pub(super) fn report(&mut self, problem: Problem, at: Position) {
        match problem.severity() {
            Severity::Error => self.errors.push(Diagnostic { problem, at }),
            Severity::Warning => self.unit.warnings.push(Diagnostic { problem, at }),
        }
    }

    /// The first pass: everything but the instructions, which it gives.
    fn declarations<'s>(&mut self, source: &'s Source) -> Vec<&'s Code> {
        let mut codes = Vec::new();
        let mut configured = [None; 2];
        for statement in source.items.iter().filter_map(|i| i.statement.as_ref()) {
            match statement {
                Statement::Instruction(code) => codes.push(code),
                Statement::Label(name) => {
                    let index = self.unit.labels.len();
                    if self.name(name, Meaning::Label(index), "the label") {
                        self.unit.labels.push(Label {
                            name: name.node.clone(),
                            step: codes.len(),
                        });
                    }
                }
                Statement::Directive(directive) => {
                    let early = codes.is_empty() && self.unit.data.is_empty();
                    self.directive(directive, early, &mut configured);
                }
            }
        }
        codes
    }

    /// Gives a name its meaning, unless it has one.
    fn name(&mut self, name: &Located<String>, meaning: Meaning, what: &'static str) -> bool {
        if let Some(Name { line, .. }) = self.names.get(&name.node) {
            let what = format!("{what} '{}'", name.node);
            let line = *line;
            self.report(Problem::Repeated { what, line }, name.at);
            return false;
        }
        let line = name.at.line;
        self.names.insert(name.node.clone(), Name { meaning, line });
        true
    }

    fn directive(
        &mut self,
        directive: &Located<Directive>,
        early: bool,
        configured: &mut [Option<u32>; 2],
    ) {
        let at = directive.at;
        let (name, place) = match &directive.node {
            Directive::Bits(_) => ("bits", 0),
            Directive::Registers(_) => ("registers", 1),
            Directive::Memory { count, values } => {
                let name = Located {
                    node: MEMORY.to_owned(),
                    at,
                };
                return self.data(&name, Some(count), values);
            }
            Directive::Data {
                name,
                count,
                values,
            } => return self.data(name, count.as_ref(), values),
        };
        if let Some(line) = configured[place] {
            let what = format!(".{name}");
            return self.report(Problem::Repeated { what, line }, at);
        }
        if !early {
            return self.report(Problem::Late(name), at);
        }
        configured[place] = Some(at.line);
        match &directive.node {
            Directive::Bits(bits) => match bits.node.value {
                16 => self.unit.width = Width::Half,
                32 => self.unit.width = Width::Word,
                other => self.report(Problem::Bits(other), bits.at),
            },
            Directive::Registers(count) => {
                let value = count.node.value;
                match u16::try_from(value) {
                    Ok(count @ 1..=REGISTER_LIMIT) => self.unit.registers = count,
                    _ => self.report(Problem::register_count(value), count.at),
                }
            }
            Directive::Memory { .. } | Directive::Data { .. } => {}
        }
    }

    /// Declares a word or an array.
    fn data(
        &mut self,
        name: &Located<String>,
        count: Option<&Located<Number>>,
        values: &[Located<Number>],
    ) {
        self.declares = true;
        let index = self.unit.data.len();
        if !self.name(name, Meaning::Datum(index), "the name") {
            return;
        }
        let most = DATA_LIMIT / self.unit.width.bytes();
        let words = match count {
            None => 1,
            Some(count) => match u32::try_from(count.node.value) {
                Ok(words) if (1..=most).contains(&words) => words,
                _ => {
                    let problem = Problem::Range {
                        value: count.node.value,
                        what: "a number of words",
                        least: 1,
                        most: most.into(),
                    };
                    self.report(problem, count.at);
                    1
                }
            },
        };
        if values.len() > words as usize {
            let problem = Problem::TooManyValues {
                values: values.len(),
                count: words,
            };
            let at = values[words as usize].at;
            self.report(problem, at);
        }
        let mut constants = Vec::with_capacity(values.len());
        for value in values {
            match self.constant(value.node, value.at) {
                Ok(constant) => constants.push(constant),
                Err(error) => self.errors.push(error),
            }
        }
        self.allocate(words, name.at);
        self.unit.data.push(Datum {
            name: name.node.clone(),
            count: words,
            array: count.is_some(),
            values: constants,
        });
    }

    fn allocate(&mut self, words: u32, at: Position) {
        let before = self.bytes;
        self.bytes += u64::from(words) * u64::from(self.unit.width.bytes());
        if before <= DATA_LIMIT.into() && self.bytes > DATA_LIMIT.into() {
            self.report(Problem::TooMuchData, at);
        }
    }

    pub(super) fn meaning(&self, name: &str) -> Option<Meaning> {
        self.names.get(name).map(|name| name.meaning)
    }

    /// A word of its own for a name that is not declared.
    pub(super) fn undeclared_word(&mut self, name: &str, at: Position) -> usize {
        let index = self.unit.data.len();
        let located = Located {
            node: name.to_owned(),
            at,
        };
        self.name(&located, Meaning::Datum(index), "the name");
        if self.declares {
            self.report(Problem::UndeclaredWord(name.to_owned()), at);
        }
        self.allocate(1, at);
        self.unit.data.push(Datum {
            name: name.to_owned(),
            count: 1,
            array: false,
            values: Vec::new(),
        });
        index
    }

    /// The number of a label that is not defined.
    pub(super) fn undefined_label(&mut self, name: &str, at: Position) -> usize {
        if let Some(index) = self.undefined.get(name) {
            return *index;
        }
        let index = self.unit.undefined.len();
        self.unit.undefined.push(name.to_owned());
        self.undefined.insert(name.to_owned(), index);
        self.report(Problem::UndefinedLabel(name.to_owned()), at);
        index
    }
}
