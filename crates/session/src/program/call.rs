//! `score(income, 25, &table)`: which function to call with what.
//!
//! An argument is a number (clear, part of the command), the address of a global (`&name`), or a
//! bare name: a secret that `encrypt` puts into the inputs file under that name and `run` finds
//! there. So the same text serves `plan`, `encrypt` and `run`, and no secret stands on `run`'s
//! command line.

use std::fmt;
use std::str::FromStr;

use values::number;

/// A function and its arguments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Call {
    /// The function's symbol.
    pub function: String,
    /// Its arguments, in order.
    pub arguments: Vec<Argument>,
}

/// The text of a call does not parse.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{text}' is not a call: write FUNCTION(ARGUMENT, …), arguments being numbers, &GLOBAL or names of secrets"
)]
pub struct NotACall {
    /// What was written.
    pub text: String,
}

/// One argument of a call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Argument {
    /// A number, known to everybody.
    Clear(i128),
    /// The address of a global variable.
    Address(String),
    /// A secret of that name.
    Secret(String),
}

impl Call {
    /// The names of the secret arguments with their positions.
    pub fn secrets(&self) -> impl Iterator<Item = (usize, &str)> {
        self.arguments
            .iter()
            .enumerate()
            .filter_map(|(position, argument)| match argument {
                Argument::Secret(name) => Some((position, name.as_str())),
                _ => None,
            })
    }
}

impl FromStr for Call {
    type Err = NotACall;

    fn from_str(text: &str) -> Result<Call, NotACall> {
        let wrong = || NotACall {
            text: text.to_owned(),
        };
        let text = text.trim();
        let Some((function, rest)) = text.split_once('(') else {
            return if is_name(text) {
                Ok(Call {
                    function: text.to_owned(),
                    arguments: Vec::new(),
                })
            } else {
                Err(wrong())
            };
        };
        let function = function.trim();
        let inside = rest.trim_end().strip_suffix(')').ok_or_else(wrong)?.trim();
        if !is_name(function) {
            return Err(wrong());
        }
        let arguments = if inside.is_empty() {
            Vec::new()
        } else {
            inside
                .split(',')
                .map(|argument| Argument::parse(argument.trim()).ok_or_else(wrong))
                .collect::<Result<_, _>>()?
        };
        Ok(Call {
            function: function.to_owned(),
            arguments,
        })
    }
}

impl Argument {
    fn parse(text: &str) -> Option<Argument> {
        if let Some(name) = text.strip_prefix('&') {
            let name = name.trim();
            return is_name(name).then(|| Argument::Address(name.to_owned()));
        }
        if is_name(text) {
            return Some(Argument::Secret(text.to_owned()));
        }
        // What fits a register, read as signed or unsigned.
        let value = number(text)?;
        (-(1 << 63)..1 << 64)
            .contains(&value)
            .then_some(Argument::Clear(value))
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        for (position, argument) in self.arguments.iter().enumerate() {
            let comma = if position == 0 { "" } else { ", " };
            match argument {
                Argument::Clear(value) => write!(f, "{comma}{value}")?,
                Argument::Address(name) => write!(f, "{comma}&{name}")?,
                Argument::Secret(name) => write!(f, "{comma}{name}")?,
            }
        }
        f.write_str(")")
    }
}

/// Whether the text can name a symbol: what C allows, and the dots and dollars of compilers.
fn is_name(text: &str) -> bool {
    let mut characters = text.chars();
    characters
        .next()
        .is_some_and(|first| first.is_alphabetic() || "_.$".contains(first))
        && characters.all(|next| next.is_alphanumeric() || "_.$".contains(next))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_read_as_they_are_written() {
        for text in [
            "main()",
            "score(17, 25)",
            "score(income, -3, &table)",
            "f.part.0(x)",
        ] {
            assert_eq!(text.parse::<Call>().unwrap().to_string(), text);
        }
        assert_eq!(
            " f ( 0x10 , & a ) ".parse::<Call>().unwrap(),
            Call {
                function: "f".to_owned(),
                arguments: vec![Argument::Clear(16), Argument::Address("a".to_owned())]
            }
        );
        assert_eq!("main".parse::<Call>().unwrap().to_string(), "main()");
    }

    #[test]
    fn other_texts_are_refused() {
        for text in [
            "", "(", "f(", "f)", "f(1,)", "f(,)", "f(1 2)", "3(1)", "f(1))", "f(&1)",
        ] {
            assert_eq!(
                text.parse::<Call>(),
                Err(NotACall {
                    text: text.to_owned()
                }),
                "{text}"
            );
        }
    }

    #[test]
    fn secrets_know_their_positions() {
        let call: Call = "f(1, a, &b, c)".parse().unwrap();
        assert_eq!(call.secrets().collect::<Vec<_>>(), [(1, "a"), (3, "c")]);
    }
}
