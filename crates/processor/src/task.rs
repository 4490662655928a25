//! What to run: entry, inputs, wanted outputs, bounds.

use std::fmt;

use crate::error::RunError;
use crate::program::{Program, Variable};
use crate::values::{Element, bytes_of};

/// What an input holds before the program starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Content {
    /// These bytes, known to everybody. At most the variable's size; the rest keeps the program's
    /// own initial value.
    Clear(Vec<u8>),
    /// Every bit is secret.
    Secret,
}

/// A variable that is given a value before the program starts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Input {
    /// Where: usually from [`Program::variable`], perhaps through [`Variable::with_type`].
    pub variable: Variable,
    /// What.
    pub content: Content,
}

/// An argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Argument {
    /// The parameter's name, for reports.
    pub name: String,
    /// The parameter's type.
    pub element: Element,
    /// Its value; clear bytes must be exactly as many as the element has.
    pub content: Content,
}

/// Where execution begins.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Entry {
    /// `main` if there is one, else the ELF's entry point.
    #[default]
    Default,
    /// The ELF's entry point.
    Image,
    /// A function or label.
    Symbol(String),
    /// A function called by the rules of the AAPCS; its result becomes an output.
    Call {
        /// The function.
        function: String,
        /// Its arguments in order.
        arguments: Vec<Argument>,
    },
}

impl Entry {
    /// Reads a call as in C, `score(17, -3, secret)`; numbers in decimal or `0x…`, `secret` for
    /// an argument whose bits come encrypted.
    ///
    /// Types come from DWARF; without it every argument is a word (`u32`, or `i32` if negative).
    ///
    /// # Errors
    /// [`RunError::CallSyntax`], [`RunError::ArgumentCount`], [`RunError::Argument`] and unknown
    /// functions.
    pub fn call(program: &Program, text: &str) -> Result<Self, RunError> {
        let syntax = || RunError::CallSyntax {
            text: text.to_owned(),
        };
        let (name, rest) = text.trim().split_once('(').ok_or_else(syntax)?;
        let list = rest.trim_end().strip_suffix(')').ok_or_else(syntax)?.trim();
        let name = name.trim();
        let function = program.function(name)?;
        let texts: Vec<&str> = if list.is_empty() {
            Vec::new()
        } else {
            list.split(',').map(str::trim).collect()
        };
        if let Some(parameters) = &function.parameters
            && parameters.len() != texts.len()
        {
            return Err(RunError::ArgumentCount {
                function: name.to_owned(),
                expected: parameters.len(),
                given: texts.len(),
            });
        }
        let mut arguments = Vec::new();
        for (i, text) in texts.into_iter().enumerate() {
            let parameter = function.parameters.as_ref().and_then(|list| list.get(i));
            let value = if text == "secret" {
                None
            } else {
                Some(number(text).ok_or_else(syntax)?)
            };
            let word = Element::Integer {
                bits: 32,
                signed: value.is_some_and(|v| v < 0),
            };
            let element = parameter.map_or(word, |parameter| parameter.element);
            let name = parameter.map_or_else(|| format!("arg{i}"), |p| p.name.clone());
            let content = match value {
                None => Content::Secret,
                Some(value) => {
                    let bits = element.encode(value).map_err(|source| RunError::Argument {
                        name: name.clone(),
                        source,
                    })?;
                    Content::Clear(bytes_of(&bits))
                }
            };
            arguments.push(Argument {
                name,
                element,
                content,
            });
        }
        Ok(Self::Call {
            function: name.to_owned(),
            arguments,
        })
    }
}

fn number(text: &str) -> Option<i128> {
    let (negative, digits) = match text.strip_prefix('-') {
        Some(digits) => (true, digits),
        None => (false, text),
    };
    if !digits.starts_with(|c: char| c.is_ascii_digit()) {
        return None;
    }
    let magnitude = match digits
        .strip_prefix("0x")
        .or_else(|| digits.strip_prefix("0X"))
    {
        Some(hex) if hex.starts_with(|c: char| c.is_ascii_hexdigit()) => {
            i128::from(u64::from_str_radix(hex, 16).ok()?)
        }
        Some(_) => return None,
        None => i128::from(digits.parse::<u64>().ok()?),
    };
    Some(if negative { -magnitude } else { magnitude })
}

/// Which variables are wanted afterwards. The result of a call comes always.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub enum Wanted {
    /// Every variable that the program wrote to.
    #[default]
    Written,
    /// These.
    Variables(Vec<Variable>),
}

/// Bounds of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// How many instructions may be executed.
    pub instructions: u64,
    /// The size of the stack, in bytes.
    pub stack: u32,
    /// How many nodes a circuit may have before it is evaluated.
    ///
    /// A larger window gives the scheduler more freedom and drops more dead values; a smaller one
    /// needs less memory. One instruction may exceed it, by the size of a division at most.
    pub window: usize,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            instructions: 100_000_000,
            stack: 1 << 20,
            window: 1 << 18,
        }
    }
}

/// A program's run, described.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub struct Task {
    /// Where execution begins.
    pub entry: Entry,
    /// What is put into memory first, in this order: a later input covers an earlier one.
    pub inputs: Vec<Input>,
    /// What is wanted.
    pub wanted: Wanted,
    /// Bounds.
    pub limits: Limits,
}

/// A group of secret bits that a task needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Secret {
    /// The variable's or argument's name.
    pub name: String,
    /// How many bits.
    pub bits: usize,
}

impl Task {
    /// The secret bits that the task needs, in the order in which [`run`](crate::run()) takes them:
    /// the secret inputs in their order, then the secret arguments in theirs; within each the
    /// order of [`values`](crate::values).
    #[must_use]
    pub fn secrets(&self) -> Vec<Secret> {
        let secret = |content: &Content| *content == Content::Secret;
        let inputs = self
            .inputs
            .iter()
            .filter(|input| secret(&input.content))
            .map(|input| Secret {
                name: input.variable.name.clone(),
                bits: 8 * input.variable.size as usize,
            });
        let arguments = match &self.entry {
            Entry::Call { arguments, .. } => arguments.as_slice(),
            _ => &[],
        };
        let arguments = arguments
            .iter()
            .filter(|argument| secret(&argument.content))
            .map(|a| Secret {
                name: a.name.clone(),
                bits: a.element.bits() as usize,
            });
        inputs.chain(arguments).collect()
    }

    /// The number of secret bits in all.
    #[must_use]
    pub fn secret_bits(&self) -> usize {
        self.secrets().iter().map(|secret| secret.bits).sum()
    }
}

impl fmt::Display for Entry {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("main"),
            Self::Image => f.write_str("the ELF's entry point"),
            Self::Symbol(name) | Self::Call { function: name, .. } => f.write_str(name),
        }
    }
}
