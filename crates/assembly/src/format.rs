//! The formatter: one way to write each text.
//!
//! Labels and directives stand at the margin, instructions four places in; names of instructions
//! are in capitals and registers too, operands are separated by commas; comments begin with `;`,
//! and those of lines that follow each other begin in the same column, which no line of more than
//! [`ALIGNED`] characters moves: so the form is longer than the text by a bounded factor. Several
//! empty lines become one. What the text says is never changed: not how a number is written, not
//! how many operands.

use std::fmt;

use super::source::{Code, Directive, Index, Item, Number, Operand, Radix, Source, Statement};

/// The longest line that comments of other lines stand behind.
const ALIGNED: usize = 80;

impl fmt::Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = self.items.as_slice();
        while !rest.is_empty() {
            let (paragraph, after) = rest.split_at(paragraph(rest));
            if paragraph[0].gap {
                f.write_str("\n")?;
            }
            let lines: Vec<String> = paragraph.iter().map(line).collect();
            let column = column(paragraph, &lines);
            for (at, (item, line)) in paragraph.iter().zip(&lines).enumerate() {
                match (&item.statement, &item.comment) {
                    (None, Some(comment)) => {
                        // Where what comes next stands.
                        let next = paragraph[at..].iter().find_map(|i| i.statement.as_ref());
                        let next = next.or_else(|| after.iter().find_map(|i| i.statement.as_ref()));
                        let inside = matches!(next, Some(Statement::Instruction(_)));
                        let indent = if inside { "    " } else { "" };
                        writeln!(f, "{indent}{}", commented(comment))?;
                    }
                    (_, Some(comment)) if line.len() > ALIGNED => {
                        writeln!(f, "{line}  {}", commented(comment))?;
                    }
                    (_, Some(comment)) => {
                        writeln!(f, "{line:<column$}{}", commented(comment))?;
                    }
                    (_, None) => writeln!(f, "{line}")?,
                }
            }
            rest = after;
        }
        Ok(())
    }
}

/// How many items come before the next gap.
fn paragraph(items: &[Item]) -> usize {
    let next = items.iter().skip(1).position(|item| item.gap);
    next.map_or(items.len(), |next| next + 1)
}

/// Where the comments of a paragraph begin: two places after the longest line that has one and is
/// not too long.
fn column(items: &[Item], lines: &[String]) -> usize {
    let both = items.iter().zip(lines);
    let with = both.filter(|(item, _)| item.comment.is_some() && item.statement.is_some());
    let lengths = with.map(|(_, line)| line.len());
    let longest = lengths.filter(|length| *length <= ALIGNED).max();
    longest.map_or(0, |length| length + 2)
}

fn commented(comment: &str) -> String {
    format!("; {comment}").trim_end().to_owned()
}

/// An item without its comment.
fn line(item: &Item) -> String {
    match &item.statement {
        None => String::new(),
        Some(Statement::Label(name)) => format!("{}:", name.node),
        Some(Statement::Directive(directive)) => directive.node.to_string(),
        Some(Statement::Instruction(code)) => format!("    {code}"),
    }
}

/// Things with a separator between them.
fn separated<T: fmt::Display>(things: impl Iterator<Item = T>) -> String {
    let things: Vec<String> = things.map(|thing| thing.to_string()).collect();
    things.join(", ")
}

impl fmt::Display for Code {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.operands.is_empty() {
            return write!(f, "{}", self.mnemonic.node);
        }
        let operands = separated(self.operands.iter().map(|operand| &operand.node));
        write!(f, "{:<5} {operands}", self.mnemonic.node)
    }
}

impl fmt::Display for Directive {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let values = match self {
            Directive::Bits(bits) => return write!(f, ".bits {}", bits.node),
            Directive::Registers(count) => return write!(f, ".registers {}", count.node),
            Directive::Memory { count, values } => {
                write!(f, ".memory {}", count.node)?;
                values
            }
            Directive::Data {
                name,
                count,
                values,
            } => {
                write!(f, ".data {}", name.node)?;
                if let Some(count) = count {
                    write!(f, "[{}]", count.node)?;
                }
                values
            }
        };
        if values.is_empty() {
            return Ok(());
        }
        write!(f, " = {}", separated(values.iter().map(|value| value.node)))
    }
}

impl fmt::Display for Operand {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Register(number) => write!(f, "R{number}"),
            Operand::Number(number) => write!(f, "{number}"),
            Operand::Name(name) => f.write_str(name),
            Operand::Indexed(name, index) => {
                write!(f, "{}[{}]", name.as_deref().unwrap_or(""), index.node)
            }
        }
    }
}

impl fmt::Display for Index {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Index::Register(number) => write!(f, "R{number}"),
            Index::Number(number) => write!(f, "{number}"),
        }
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let sign = if self.value < 0 { "-" } else { "" };
        let magnitude = self.value.unsigned_abs();
        match self.radix {
            Radix::Decimal => write!(f, "{sign}{magnitude}"),
            Radix::Hexadecimal => write!(f, "{sign}{magnitude:#x}"),
            Radix::Binary => write!(f, "{sign}{magnitude:#b}"),
        }
    }
}
