//! Characters to tokens, a line at a time.

use std::fmt;

use super::diagnostic::{Diagnostic, Problem};
use super::place::{Located, Position};
use super::source::{Number, Radix};

/// A token.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Token {
    /// A name: letters, digits and underscores, not beginning with a digit.
    Word(String),
    /// `R` and digits; the number saturates.
    Register(u32),
    /// A number, with or without `#`.
    Number(Number),
    /// `,`
    Comma,
    /// `:`
    Colon,
    /// `.`
    Dot,
    /// `=`
    Equals,
    /// `[`
    Open,
    /// `]`
    Close,
}

impl fmt::Display for Token {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Token::Word(name) => write!(f, "'{name}'"),
            Token::Register(number) => write!(f, "R{number}"),
            Token::Number(number) => write!(f, "{number}"),
            Token::Comma => f.write_str("','"),
            Token::Colon => f.write_str("':'"),
            Token::Dot => f.write_str("'.'"),
            Token::Equals => f.write_str("'='"),
            Token::Open => f.write_str("'['"),
            Token::Close => f.write_str("']'"),
        }
    }
}

/// The tokens of a line, and its comment.
pub(super) struct Line {
    pub(super) tokens: Vec<Located<Token>>,
    pub(super) comment: Option<String>,
}

/// Splits a line into tokens.
pub(super) fn tokens(line: &str, number: u32) -> Result<Line, Diagnostic> {
    let mut lexer = Lexer {
        rest: line,
        line: number,
        column: 1,
    };
    let mut tokens = Vec::new();
    let comment = loop {
        lexer.take_while(|c| c == ' ' || c == '\t' || c == '\r');
        if let Some(comment) = lexer.comment() {
            break Some(comment.trim().to_owned());
        }
        match lexer.token()? {
            Some(token) => tokens.push(token),
            None => break None,
        }
    };
    Ok(Line { tokens, comment })
}

struct Lexer<'a> {
    rest: &'a str,
    line: u32,
    column: u32,
}

impl<'a> Lexer<'a> {
    /// Takes what satisfies the condition.
    fn take_while(&mut self, condition: impl Fn(char) -> bool) -> &'a str {
        let end = self.rest.find(|c| !condition(c)).unwrap_or(self.rest.len());
        let (taken, rest) = self.rest.split_at(end);
        self.rest = rest;
        self.column += taken.chars().count() as u32;
        taken
    }

    fn comment(&self) -> Option<&'a str> {
        let marked = self.rest.strip_prefix(';');
        marked.or_else(|| self.rest.strip_prefix("//"))
    }

    fn token(&mut self) -> Result<Option<Located<Token>>, Diagnostic> {
        let begin = self.column;
        let Some(first) = self.rest.chars().next() else {
            return Ok(None);
        };
        let token = match first {
            ',' => self.single(Token::Comma),
            ':' => self.single(Token::Colon),
            '.' => self.single(Token::Dot),
            '=' => self.single(Token::Equals),
            '[' => self.single(Token::Open),
            ']' => self.single(Token::Close),
            '#' | '-' | '0'..='9' => self.number()?,
            c if c == '_' || c.is_ascii_alphabetic() => {
                let name = self.take_while(|c| c == '_' || c.is_ascii_alphanumeric());
                match register(name) {
                    Some(number) => Token::Register(number),
                    None => Token::Word(name.to_owned()),
                }
            }
            other => {
                let at = self.position(begin, 1);
                let problem = Problem::Character(other);
                return Err(Diagnostic { problem, at });
            }
        };
        let at = self.position(begin, self.column - begin);
        Ok(Some(Located { node: token, at }))
    }

    fn position(&self, column: u32, length: u32) -> Position {
        let line = self.line;
        Position {
            line,
            column,
            length,
        }
    }

    fn single(&mut self, token: Token) -> Token {
        // Every such token is one byte long.
        self.rest = self.rest.get(1..).unwrap_or_default();
        self.column += 1;
        token
    }

    fn number(&mut self) -> Result<Token, Diagnostic> {
        let begin = self.column;
        if self.rest.starts_with('#') {
            self.single(Token::Comma);
        }
        let negative = self.rest.starts_with('-');
        if negative {
            self.single(Token::Comma);
        }
        let digits = self.take_while(|c| c == '_' || c.is_ascii_alphanumeric());
        let lower = digits.to_ascii_lowercase();
        let (radix, base, bare) = match (lower.strip_prefix("0x"), lower.strip_prefix("0b")) {
            (Some(bare), _) => (Radix::Hexadecimal, 16, bare),
            (_, Some(bare)) => (Radix::Binary, 2, bare),
            _ => (Radix::Decimal, 10, lower.as_str()),
        };
        // `from_str_radix` takes a sign, which the digits cannot have.
        match i64::from_str_radix(bare, base) {
            Ok(value) => {
                let value = if negative { -value } else { value };
                Ok(Token::Number(Number { value, radix }))
            }
            Err(_) => {
                let at = self.position(begin, (self.column - begin).max(1));
                let sign = if negative { "-" } else { "" };
                let problem = Problem::NumberFormat(format!("{sign}{digits}"));
                Err(Diagnostic { problem, at })
            }
        }
    }
}

/// The number of a register's name: `R` and digits.
fn register(name: &str) -> Option<u32> {
    let digits = name.strip_prefix(['R', 'r'])?;
    if digits.is_empty() || !digits.bytes().all(|b| b.is_ascii_digit()) {
        return None;
    }
    Some(digits.parse().unwrap_or(u32::MAX))
}
